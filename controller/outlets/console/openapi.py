"""The OpenAPI 3.1 document of the API, which is made from the types of its bodies.

Source: OpenAPI Specification 3.1.1; docs/api/openapi.json is the committed form; RFC 9457.
"""

from functools import cache
from typing import Any, Final

from controller.outlets.console.api_bodies import (
    ActBody,
    ActionList,
    Problem,
    SignOnAnswer,
    SignOnBody,
)
from controller.outlets.console.security import BODY_BYTES_MAX
from controller.outlets.control.answer_schema import Answer
from controller.outlets.control.declared_actions import NOT_BLANK, schema_of
from controller.record.snapshot import Snapshot
from controller.rules.actions.actions import ACTIONS
from controller.rules.actions.declaration import TEXT_LENGTH_MAX
from controller.system.json_schema import schemas_of

VERSION: Final = "1"
_REFERENCE: Final = "#/components/schemas/"
_PROBLEMS: Final = {
    400: "the body is not JSON",
    401: "nobody has signed on, or the token has ended",
    403: "the person may not do that, or it comes from a page of another origin",
    404: "there is no such resource",
    409: "the rules of the table refuse it: nothing was stored",
    413: f"the body has more than {BODY_BYTES_MAX} bytes",
    415: "the body is not said to be JSON",
    421: "the Host field names another server",
    422: "the body is not what the resource takes",
    429: "too many in a short time",
    503: "the table does not run, or as many follow it as may",
}
_READING: Final = (401, 421, 503)
_WRITING: Final = (400, 401, 403, 413, 415, 421, 422, 429, 503)


@cache
def openapi_document() -> dict[str, Any]:
    """The document as plain values. Paths are relative to the table's own."""
    kinds = (SignOnBody, SignOnAnswer, ActBody, ActionList, Problem, Answer, Snapshot)
    schemas = schemas_of(kinds, _REFERENCE + "{name}")
    acts = {f"/actions/{name}": {"post": _act(name, schemas)} for name in ACTIONS}
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "smartshoe",
            "version": VERSION,
            "description": "State and actions of one baccarat table; see docs/api.md.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/api/v1"}, {"url": "/tables/{name}/api/v1", "variables": _TABLE}],
        "security": [{"token": []}, {}],
        "paths": {
            "/openapi.json": {"get": _get("This document", {"type": "object"}, ())},
            "/sign-on": {"post": _sign_on()},
            "/sign-off": {"post": _sign_off()},
            "/snapshot": {"get": _get("The state of the table", _ref("Snapshot"), _READING)},
            "/stream": {"get": _stream()},
            "/actions": {"get": _get("The actions", _ref("ActionList"), (401, 421))},
            **acts,
        },
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


_TABLE: Final = {"name": {"default": "BAC-12", "description": "the table, of several"}}


def _act(name: str, schemas: dict[str, Any]) -> dict[str, Any]:
    schema = _moved(schema_of(ACTIONS[name]), schemas)
    by = dict(schemas[ActBody.__name__]["properties"])
    if ACTIONS[name].reason_required:
        by["reason"] = {"type": "string", "maxLength": TEXT_LENGTH_MAX, "pattern": NOT_BLANK}
        schema["required"] = [*schema["required"], "reason"]
    schema["properties"] = {**by, **schema["properties"]}
    schema["additionalProperties"] = False
    about = {one: schema.pop(one) for one in ("title", "description") if one in schema}
    return {
        "operationId": name,
        "summary": about["title"],
        "description": about["description"],
        "requestBody": _body(schema),
        "responses": {
            "200": _answer("It is stored, with these conclusions", _ref("Answer")),
            **_problems((*_WRITING, 409)),
        },
    }


def _moved(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """The schema with its definitions among those of the document."""
    schema = _with_references(schema)
    schemas.update(schema.pop("$defs", {}))
    return schema


def _with_references(value: Any) -> Any:
    match value:
        case dict():
            return {key: _with_references(one) for key, one in value.items()}
        case list() | tuple():
            return [_with_references(one) for one in value]
        case str() if value.startswith("#/$defs/"):
            return _REFERENCE + value.removeprefix("#/$defs/")
        case _:
            return value


def _sign_on() -> dict[str, Any]:
    return {
        "operationId": "sign-on",
        "summary": "Sign on",
        "description": "Gives the token of a session. It ends with sign-off; the sign-on in it ends"
        " after some minutes without an act. With the token of a session a second person signs on"
        " beside the first, and the answer has the session's new token.",
        "security": [{}, {"token": []}],
        "requestBody": _body(_ref("SignOnBody")),
        "responses": {
            "200": _answer("The token", _ref("SignOnAnswer")),
            **_problems(_WRITING),
        },
    }


def _sign_off() -> dict[str, Any]:
    return {
        "operationId": "sign-off",
        "summary": "Sign off",
        "security": [{"token": []}],
        "responses": {
            "204": {"description": "The token is no longer one"},
            **_problems((401, 403, 421)),
        },
    }


def _stream() -> dict[str, Any]:
    return {
        "operationId": "stream",
        "summary": "The state of the table now and after each change",
        "description": "Server-sent events named `snapshot`, whose data is a snapshot. Changes in"
        " quick succession share one; a comment says every 15 s that the stream still is.",
        "responses": {
            "200": {
                "description": "Events, until the client, the table or the sign-on ends",
                "content": {"text/event-stream": {"schema": {"type": "string"}}},
            },
            **_problems(_READING),
        },
    }


def _get(summary: str, schema: dict[str, Any], problems: tuple[int, ...]) -> dict[str, Any]:
    return {
        "summary": summary,
        "responses": {"200": _answer(summary, schema), **_problems(problems)},
    }


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": _REFERENCE + name}


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema}}}


def _answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _problems(statuses: tuple[int, ...]) -> dict[str, Any]:
    """Every operation may answer 405 to another method of its path."""
    described = {**_PROBLEMS, 405: "the resource does not take this method"}
    return {
        str(status): {
            "description": described[status],
            "content": {"application/problem+json": {"schema": _ref("Problem")}},
        }
        for status in sorted({*statuses, 405})
    }
