"""A reference consumer of the floor feed: keeps each event once, and says what it lacks.

It knows an event by source and id, as CloudEvents has it, and a gap by an event whose `previous` it
does not hold. It shares no code with the program.
Source: CloudEvents 1.0.2.
"""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from hil.progress import wait_while_moving
from hil.rig.loopback_server import LOOPBACK

SESSION_S = 86_400
Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BrokerAccess:
    """How a consumer reaches its broker on loopback."""

    port: int
    user: str = ""
    password: str = ""
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None


@dataclass(slots=True)
class Held:
    """What a consumer holds: events of each source by their sequence, heads, and answers."""

    events: dict[str, dict[str, Event]] = field(default_factory=dict)
    heads: dict[str, Event] = field(default_factory=dict)
    repeats: int = 0
    # Repeats that were not the event held already: there must be none.
    differing: list[str] = field(default_factory=list)
    topics: dict[str, str] = field(default_factory=dict)

    def take(self, topic: str, event: Event) -> None:
        """Keep an event, unless it is held already."""
        source, sequence = str(event["source"]), str(event["id"])
        if topic.endswith("/checkpoint"):
            self.heads[source] = event
            return
        of_source = self.events.setdefault(source, {})
        if sequence in of_source:
            self.repeats += 1
            if of_source[sequence] != event:
                self.differing.append(sequence)
            return
        of_source[sequence] = event
        self.topics[sequence] = topic

    def gaps(self, source: str) -> list[str]:
        """The sequences that are named as the previous one, and not held."""
        held = self.events.get(source, {})
        named = (one.get("previous") for one in held.values())
        return [one for one in named if one is not None and one not in held]

    def count(self, source: str) -> int:
        return len(self.events.get(source, {}))


class FeedConsumer:
    """Use as a context manager. It stays the same consumer while its client id does.

    Its session outlives connections: what is published while it is away waits at the broker.
    """

    def __init__(self, access: BrokerAccess, client_id: str, topic: str = "smartshoe/#") -> None:
        self.held = Held()
        self._topic = topic
        self._access = access
        self._changed = threading.Condition()
        self._subscribed = threading.Event()
        self._client = client = paho.Client(
            CallbackAPIVersion.VERSION2, client_id=client_id, protocol=paho.MQTTv5
        )
        if access.user:
            client.username_pw_set(access.user, access.password)
        if access.ca is not None:
            client.tls_set(_path(access.ca), _path(access.certificate), _path(access.key))
        client.reconnect_delay_set(1, 1)
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_message = self._on_message
        self.answers: list[Event] = []
        self._asked = 0

    def __enter__(self) -> Self:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval = SESSION_S
        port = self._access.port
        self._client.connect(LOOPBACK, port, clean_start=False, properties=properties)
        self._client.loop_start()
        if not wait_while_moving(self._subscribed.wait):
            raise TimeoutError("the broker does not take the subscription")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def wait(self, ready: Callable[[Held], bool]) -> bool:
        """Wait while something moves until what is held meets a condition; whether it does."""
        return self._until(lambda: ready(self.held))

    def ask(self, base: str, request: Event) -> list[Event]:
        """Ask for a shoe; the answer with its end, which comes by `topic`. Raises TimeoutError."""
        self.request(base, request)
        if not self._until(self._is_answered):
            raise TimeoutError(f"no end after {len(self.answers)} events")
        with self._changed:
            return list(self.answers)

    def _until(self, ready: Callable[[], bool]) -> bool:
        with self._changed:
            return wait_while_moving(lambda wait_s: self._changed.wait_for(ready, wait_s))

    def request(self, base: str, request: Event) -> None:
        """Send a request, whether it is answered or not."""
        self._asked += 1
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        properties.ResponseTopic = f"{base}/reply/{self._asked}"
        properties.CorrelationData = str(self._asked).encode()
        self.answers = []
        self._client.publish(f"{base}/backfill", json.dumps(request), 1, properties=properties)

    def _is_answered(self) -> bool:
        return bool(self.answers) and str(self.answers[-1]["type"]).endswith("backfill-done.v1")

    def _on_connect(
        self,
        client: paho.Client,
        _userdata: object,
        _flags: paho.ConnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if not reason.is_failure:
            client.subscribe(self._topic, qos=1)

    def _on_subscribe(self, *_arguments: object) -> None:
        self._subscribed.set()

    def _on_message(
        self, _client: paho.Client, _userdata: object, message: paho.MQTTMessage
    ) -> None:
        """Take one event in. It is acknowledged when this returns."""
        if message.topic.endswith("/backfill"):
            return
        event = json.loads(message.payload)
        with self._changed:
            asked = getattr(message.properties, "CorrelationData", b"")
            if not asked:
                self.held.take(message.topic, event)
            elif asked == str(self._asked).encode():
                self.answers.append(event)
            self._changed.notify_all()


def _path(path: Path | None) -> str | None:
    return None if path is None else str(path)
