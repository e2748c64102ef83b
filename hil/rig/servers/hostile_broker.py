"""A broker of MQTT 5 that keeps no bound: too large messages, too many, or nothing read any more.

It takes a connection and a subscription as any broker does, and then attacks its client.
Source: OASIS MQTT 5.0, 3.1 to 3.9.
"""

import contextlib
import socket
import struct
from collections.abc import Iterator
from enum import StrEnum
from itertools import cycle

from hil.rig.loopback_server import POLL_S, LoopbackServer

_CONNECT, _SUBSCRIBE = 0x10, 0x80
_CONNACK = bytes((0x20, 3, 0, 0, 0))
_PUBLISH = 0x30
_RELEASE = bytes((0x62, 2, 0, 1))
_RECEIVE_MAXIMUM, _MAXIMUM_PACKET_SIZE = 0x21, 0x27
# The sizes of the properties of CONNECT that are a number.
_SIZES = {0x11: 4, 0x17: 1, 0x19: 1, _RECEIVE_MAXIMUM: 2, 0x22: 2, _MAXIMUM_PACKET_SIZE: 4}
_MESSAGES_AT_ONCE = 256
_READ_BYTES = 65_536
_BLOCK = bytes(65_536)
_FLOOD_PAYLOAD = bytes(64)


class Attack(StrEnum):
    """What it sends once its client has subscribed; the deaf ones read nothing from then on."""

    LARGE = "one retained message of 100 MB"
    QOS_1 = "messages at QoS 1"
    QOS_2 = "messages at QoS 2, none released"
    QOS_1_DEAF = "messages at QoS 1, no answer read"
    RELEASES_DEAF = "releases messages that it never sent, no answer read"
    DEAF = "reads nothing"

    @property
    def is_deaf(self) -> bool:
        return self in (Attack.QOS_1_DEAF, Attack.RELEASES_DEAF, Attack.DEAF)


class HostileBroker(LoopbackServer):
    """Use as a context manager; serves one client at a time at `port`.

    `sent` counts the bytes that clients took after they had subscribed, `connections` the clients;
    `allowed` are the numbers of the newest CONNECT's properties.
    """

    def __init__(self, attack: Attack, size: int = 100_000_000) -> None:
        """`size`: of the payload of the large message."""
        super().__init__("hostile broker")
        self.port: int = self._listener.getsockname()[1]
        self.sent = 0
        self.connections = 0
        self.allowed: dict[int, int] = {}
        self._attack = attack
        self._size = size
        if attack.is_deaf:
            # Less is kept between the two, so that what is not read shows soon.
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)

    @property
    def receive_maximum(self) -> int:
        """How many messages the client takes before it answers; 65,535 where it does not say."""
        return self.allowed.get(_RECEIVE_MAXIMUM, 65_535)

    @property
    def packet_maximum(self) -> int | None:
        """The largest packet that the client takes; None where it does not say."""
        return self.allowed.get(_MAXIMUM_PACKET_SIZE)

    def _serve(self, client: socket.socket) -> None:
        self.connections += 1
        client.settimeout(POLL_S)
        with contextlib.suppress(OSError):  # the client is gone
            for kind, body in self._packets(client):
                if kind & 0xF0 == _CONNECT:
                    self.allowed = _connect_properties(body)
                    client.sendall(_CONNACK)
                elif kind & 0xF0 == _SUBSCRIBE:
                    client.sendall(bytes((0x90, 4, *body[:2], 0, 1)))
                    self._run_attack(client, _topic(body))
                    return

    def _packets(self, client: socket.socket) -> Iterator[tuple[int, bytes]]:
        """What the client sends, until it is gone."""
        received = b""
        while not self._ended.is_set():
            with contextlib.suppress(TimeoutError):
                data = client.recv(_READ_BYTES)
                if not data:
                    return
                received += data
            while (packet := _first_packet(received)) is not None:
                yield received[0], packet[0]
                received = received[packet[1] :]

    def _run_attack(self, client: socket.socket, topic: bytes) -> None:
        for data in self._attack_bytes(topic):
            while data and not self._ended.is_set():
                with contextlib.suppress(TimeoutError):
                    taken = client.send(data)
                    data = data[taken:]
                    self.sent += taken
                if not self._attack.is_deaf:
                    _read_away(client)
            if self._ended.is_set():
                return
        while not self._ended.is_set():
            if self._attack.is_deaf:
                self._ended.wait(POLL_S)
                continue
            with contextlib.suppress(TimeoutError):
                if not client.recv(_READ_BYTES):
                    return

    def _attack_bytes(self, topic: bytes) -> Iterator[bytes]:
        match self._attack:
            case Attack.LARGE:
                yield _publish_header(topic, self._size, retain=True)
                for _ in range(self._size // len(_BLOCK)):
                    yield _BLOCK
                yield bytes(self._size % len(_BLOCK))
            case Attack.QOS_1 | Attack.QOS_1_DEAF:
                yield from cycle(_floods(topic, qos=1))
            case Attack.QOS_2:
                yield from cycle(_floods(topic, qos=2))
            case Attack.RELEASES_DEAF:
                yield from cycle((_RELEASE * _MESSAGES_AT_ONCE,))
            case Attack.DEAF:
                return


def _floods(topic: bytes, qos: int) -> tuple[bytes, ...]:
    """Messages with every number there is, some of them in one piece."""
    return tuple(
        b"".join(
            _publish_header(topic, len(_FLOOD_PAYLOAD), qos=qos, number=number) + _FLOOD_PAYLOAD
            for number in range(first, first + _MESSAGES_AT_ONCE)
        )
        for first in range(1, 65_536 - _MESSAGES_AT_ONCE, _MESSAGES_AT_ONCE)
    )


def _publish_header(
    topic: bytes, size: int, *, qos: int = 0, number: int = 0, retain: bool = False
) -> bytes:
    head = struct.pack("!H", len(topic)) + topic
    if qos:
        head += struct.pack("!H", number)
    head += b"\0"  # no properties
    first = _PUBLISH | qos << 1 | retain
    return bytes((first,)) + _variable_integer(len(head) + size) + head


def _variable_integer(number: int) -> bytes:
    found = bytearray()
    while True:
        number, low = divmod(number, 128)
        found.append(low | (0x80 if number else 0))
        if not number:
            return bytes(found)


def _first_packet(data: bytes) -> tuple[bytes, int] | None:
    """The body of the first packet, and where it ends; None before it is whole."""
    length = 0
    for at, byte in enumerate(data[1:5]):
        length |= (byte & 0x7F) << 7 * at
        if not byte & 0x80:
            begin = at + 2
            return (
                (data[begin : begin + length], begin + length)
                if (len(data) >= begin + length)
                else None
            )
    return None


def _connect_properties(body: bytes) -> dict[int, int]:
    """The properties of CONNECT that are a number, up to the first one that is not."""
    at = 2 + len("MQTT") + 1 + 1 + 2
    length, begin = body[at], at + 1  # a table's properties are less than 128 bytes
    found: dict[int, int] = {}
    at = begin
    while at < begin + length and (size := _SIZES.get(body[at])):
        found[body[at]] = int.from_bytes(body[at + 1 : at + 1 + size], "big")
        at += 1 + size
    return found


def _topic(body: bytes) -> bytes:
    """The first topic of SUBSCRIBE."""
    at = 3 + body[2]
    (length,) = struct.unpack_from("!H", body, at)
    return body[at + 2 : at + 2 + length]


def _read_away(client: socket.socket) -> None:
    client.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while client.recv(_READ_BYTES):
            pass
    client.settimeout(POLL_S)
