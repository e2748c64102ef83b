"""One connection to a broker of MQTT 5: publishes at QoS 1 in a session that outlives it.

With `bounded_client` the only module that knows the MQTT library; loaded where a table has a feed,
and nowhere else. Not: what is sent, and what is sent again after the connection is lost.
Source: OASIS MQTT 5.0; CloudEvents MQTT protocol binding 1.0.2, "Structured Content Mode".
"""

import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct
from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from controller.archive.consumers import FeedSettings
from controller.outlets.feed.bounded_client import (
    PACKET_BYTES_MAX,
    RECEIVE_MAX,
    WINDOW_MAX,
    BoundedClient,
)
from controller.outlets.feed.events import CONTENT_TYPE
from controller.system.named_file import read_secret
from controller.system.tls import client_context
from foundation.context_thread import ContextThread
from foundation.recorded_text import foreign_text

QOS: Final = 1
# A consumer whose broker is away for a month finds its requests and this session gone: nothing
# else, for what is sent follows from the journal.
SESSION_S: Final = 30 * 86_400
KEEPALIVE_S: Final = 30
CONNECT_S: Final = 10.0
_LOOP_S: Final = 10.0
_CLOSE_S: Final = 1.0
_REQUEST_BYTES_MAX: Final = 512
_REQUESTS_MAX: Final = 8
_FAILED: Final = 128


class BrokerUnavailable(Exception):
    """The broker cannot be used now; the message says why."""


class FeedRequest(Struct, frozen=True):
    """A message on the topic of requests: its bytes, and where its sender wants the answer."""

    data: bytes
    reply_to: str
    correlation: bytes


class BrokerLink:
    """One connection, from `open` to `close`. `heard` is called when something has changed.

    Any thread may read `lost`: empty, or why the connection ended. `acknowledged` and `requests`
    are filled by the connection's own thread, and emptied by the one that publishes.
    """

    def __init__(self, settings: FeedSettings, client_id: str, heard: Callable[[], object]) -> None:
        self.lost = ""
        self.acknowledged: deque[int] = deque()
        self.requests: deque[FeedRequest] = deque()
        self.window = WINDOW_MAX
        self._settings = settings
        self._heard = heard
        self._closing = False
        self._answered = threading.Event()
        self._client = self._make_client(client_id)
        self._thread: threading.Thread | None = None

    def _make_client(self, client_id: str) -> BoundedClient:
        settings = self._settings
        client = BoundedClient(
            CallbackAPIVersion.VERSION2, client_id=client_id, protocol=paho.MQTTv5
        )
        client.connect_timeout = CONNECT_S
        client.max_inflight_messages_set(WINDOW_MAX)
        client.on_socket_register_write = _left_to_its_thread
        try:
            if settings.user:
                password = _password(settings.password_file)
                client.username_pw_set(settings.user, password)
            if settings.tls:
                context = client_context(settings.ca, settings.certificate, settings.key)
                client.tls_set_context(context)
        except (OSError, ValueError) as error:
            raise BrokerUnavailable(
                f"a file of its credentials cannot be used: {_words(error)}"
            ) from error
        client.on_connect = self._on_connect
        client.on_publish = self._on_publish
        client.on_message = self._on_message
        return client

    def open(self, request_topic: str = "") -> None:
        """Connect, and subscribe to a topic of requests, if one is given.

        Raises BrokerUnavailable.
        """
        settings = self._settings
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.SessionExpiryInterval = SESSION_S
        properties.MaximumPacketSize = PACKET_BYTES_MAX
        properties.ReceiveMaximum = RECEIVE_MAX
        try:
            self._client.connect(
                settings.host,
                settings.port,
                KEEPALIVE_S,
                clean_start=False,
                properties=properties,
            )
        except (OSError, ValueError) as error:
            raise BrokerUnavailable(_words(error)) from error
        # A daemon: a broker that hangs keeps no process from its end.
        self._thread = ContextThread(target=self._serve, name="feed broker", daemon=True)
        self._thread.start()
        if not self._answered.wait(CONNECT_S):
            self.close()
            raise BrokerUnavailable("it does not answer")
        if self.lost:
            self.close()
            raise BrokerUnavailable(self.lost)
        if request_topic:
            self._client.subscribe(request_topic, qos=QOS)

    def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, correlation: bytes = b""
    ) -> int:
        """Send one structured CloudEvent; its number in `acknowledged` once the broker has it.

        Raises BrokerUnavailable.
        """
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        properties.ContentType = CONTENT_TYPE
        properties.PayloadFormatIndicator = 1
        if correlation:
            properties.CorrelationData = correlation
        sent = self._client.publish(topic, payload, QOS, retain, properties)
        if sent.rc is not MQTTErrorCode.MQTT_ERR_SUCCESS:
            raise BrokerUnavailable(self.lost or "the connection is lost")
        return sent.mid

    def close(self) -> None:
        """End the connection; the session stays with the broker."""
        self._client.disconnect()
        self._closing = True
        if self._thread is not None:
            self._thread.join(_CLOSE_S)

    # --- the connection's thread ------------------------------------------------------------------

    def _serve(self) -> None:
        code = MQTTErrorCode.MQTT_ERR_SUCCESS
        while code is MQTTErrorCode.MQTT_ERR_SUCCESS and not self.lost and not self._has_ended():
            code = self._client.loop(_LOOP_S)
        self._end(self._client.exceeded or "the connection is lost")

    def _has_ended(self) -> bool:
        """Whether it was closed, and the last packet is written."""
        return self._closing and not self._client.want_write()

    def _end(self, why: str) -> None:
        self.lost = self.lost or why
        self._answered.set()
        self._heard()

    def _on_connect(
        self,
        _client: paho.Client,
        _userdata: object,
        _flags: paho.ConnectFlags,
        reason: ReasonCode,
        properties: Properties | None,
    ) -> None:
        if reason.is_failure:
            self._end(f"it refuses the connection: {foreign_text(str(reason))}")
            return
        # As many as it takes at once, else it would end the connection.
        allowed = getattr(properties, "ReceiveMaximum", WINDOW_MAX)
        self.window = max(1, min(WINDOW_MAX, allowed))
        self._answered.set()

    def _on_publish(
        self,
        _client: paho.Client,
        _userdata: object,
        number: int,
        reason: ReasonCode,
        _properties: Properties,
    ) -> None:
        if reason.value >= _FAILED:
            self._end(f"it refuses an event: {foreign_text(str(reason))}")
            return
        self.acknowledged.append(number)
        self._heard()

    def _on_message(
        self, _client: paho.Client, _userdata: object, message: paho.MQTTMessage
    ) -> None:
        """Keep a request; a flood of them is dropped."""
        if len(self.requests) >= _REQUESTS_MAX or len(message.payload) > _REQUEST_BYTES_MAX:
            return
        properties = message.properties
        reply_to = getattr(properties, "ResponseTopic", "")
        correlation = getattr(properties, "CorrelationData", b"")
        self.requests.append(FeedRequest(bytes(message.payload), reply_to, correlation))
        self._heard()


def _left_to_its_thread(_client: paho.Client, _userdata: object, _socket: object) -> None:
    """With this callback, who publishes only queues, and the connection's thread writes.

    Written by one thread while another one reads, TLS crashes the process (CPython issue 143756).
    """


def _password(file: Path | None) -> str | None:
    """The first line of a file. Raises OSError, ValueError."""
    if file is None:
        return None
    return read_secret(file).decode("utf-8-sig").partition("\n")[0].rstrip("\r")


def _words(error: Exception) -> str:
    """An error of the system or of TLS in one bounded line."""
    words = getattr(error, "strerror", "") or str(error) or type(error).__name__
    return foreign_text(words, 200)
