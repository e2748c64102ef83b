"""The AsyncAPI document of the floor feed, made from the structs that are sent.

Source: AsyncAPI 3.0.0; MQTT bindings 0.2.0.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from controller.outlets.feed.events import (
    BESIDE,
    KINDS,
    BackfillDoneEvent,
    BackfillRequest,
    type_of,
)
from controller.system.json_document import schemas_of

Document = dict[str, Any]
# The second number grows with each kind or field that is new, the first where one changes or goes.
FEED_VERSION: Final = "1.0"
_REF: Final = "#/components/schemas/{name}"
_CONTENT_TYPE: Final = "application/cloudevents+json"
_QOS: Final = {"mqtt": {"qos": 1, "bindingVersion": "0.2.0"}}
_SEQUENCE: Final = r"^\d{10,}\.\d{3,}\.[0-9a-f]{8}\.\d{5,}$"
_PARAMETERS: Final = {
    "prefix": {"description": "What topics begin with at this table.", "default": "smartshoe"},
    "pit": {"description": "The table's pit, percent-encoded; - for none."},
    "table": {"description": "The table's name, percent-encoded."},
}
_ADDRESS: Final = "{prefix}/{pit}/{table}"


def asyncapi_document() -> Document:
    """The whole document, ready to be written as JSON."""
    kinds = {**KINDS, **BESIDE}
    schemas = _schemas((*kinds.values(), BackfillRequest))
    for kind, data in kinds.items():
        schemas[_message_name(kind)] = _cloud_event(kind, data)
    events = {kind: data for kind, data in kinds.items() if data is not BackfillDoneEvent}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "smartshoe floor feed",
            "version": FEED_VERSION,
            "description": (
                "What happened at a baccarat table, as CloudEvents 1.0 in structured mode over"
                " MQTT 5 at QoS 1. `source` and `id` name an event: a second one is a repeat."
                " `previous` names the event before: who does not hold it has a gap. Receivers"
                " pass over kinds and fields that they do not know."
            ),
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": _CONTENT_TYPE,
        "channels": {**{kind: _channel(kind) for kind in events}, **_backfill_channels(events)},
        "operations": {
            **{f"send-{kind}": _operation("send", kind) for kind in events},
            "backfill": {
                **_operation("receive", "backfill"),
                "summary": "A consumer asks for a sealed shoe; off unless the table allows it.",
                "reply": {
                    "address": {"location": "$message.header#/responseTopic"},
                    "channel": {"$ref": "#/channels/reply"},
                },
            },
        },
        "components": {
            "messages": {
                **{kind: _message(kind, data) for kind, data in kinds.items()},
                "backfill-request": {
                    "name": "backfill-request",
                    "contentType": "application/json",
                    "summary": _summary(BackfillRequest),
                    "headers": {
                        "type": "object",
                        "properties": {
                            "responseTopic": {"type": "string", "description": "MQTT property"}
                        },
                        "required": ["responseTopic"],
                    },
                    "payload": {"$ref": _REF.format(name="BackfillRequest")},
                },
            },
            "schemas": schemas,
        },
    }


def document_text() -> str:
    """The document as it is written to docs/feed/asyncapi.json."""
    return msgspec.json.format(msgspec.json.encode(asyncapi_document()), indent=2).decode() + "\n"


def _schemas(types: Iterable[type[Struct]]) -> Document:
    return dict(sorted(schemas_of(types, _REF).items()))


def _message_name(kind: str) -> str:
    return f"{kind}.v1"


def _cloud_event(kind: str, data: type[Struct]) -> Document:
    """The schema of a whole event of that kind."""
    in_row = kind in KINDS
    sequence: Document = {"type": "string", "pattern": _SEQUENCE if in_row else r"^\d+$"}
    previous = {"previous": sequence} if in_row else {}
    return {
        "type": "object",
        "properties": {
            "specversion": {"const": "1.0"},
            "id": sequence,
            "source": {"type": "string", "format": "uri-reference", "pattern": "^/smartshoe/"},
            "type": {"const": type_of(kind)},
            "time": {"type": "string", "format": "date-time"},
            "datacontenttype": {"const": "application/json"},
            "sequence": sequence,
            **previous,
            "data": {"$ref": _REF.format(name=data.__name__)},
        },
        "required": [
            *("specversion", "id", "source", "type", "time", "datacontenttype", "sequence"),
            "data",
        ],
    }


def _message(kind: str, data: type[Struct]) -> Document:
    return {
        "name": kind,
        "title": type_of(kind),
        "summary": _summary(data),
        "contentType": _CONTENT_TYPE,
        "payload": {"$ref": _REF.format(name=_message_name(kind))},
    }


def _summary(kind: type[Struct]) -> str:
    return " ".join((kind.__doc__ or "").split())


def _channel(kind: str) -> Document:
    return {
        "address": f"{_ADDRESS}/{kind}",
        "messages": {kind: {"$ref": f"#/components/messages/{kind}"}},
        "parameters": _PARAMETERS,
    }


def _backfill_channels(events: Mapping[str, type[Struct]]) -> Document:
    answered = [*(kind for kind in events if kind in KINDS), BackfillDoneEvent.kind]
    return {
        "backfill": {
            "address": f"{_ADDRESS}/backfill",
            "messages": {"request": {"$ref": "#/components/messages/backfill-request"}},
            "parameters": _PARAMETERS,
        },
        "reply": {
            "address": None,
            "description": "The response topic of the request: PREFIX/PIT/TABLE/reply/ANYTHING.",
            "messages": {kind: {"$ref": f"#/components/messages/{kind}"} for kind in answered},
        },
    }


def _operation(action: str, channel: str) -> Document:
    return {
        "action": action,
        "channel": {"$ref": f"#/channels/{channel}"},
        "bindings": _QOS,
    }
