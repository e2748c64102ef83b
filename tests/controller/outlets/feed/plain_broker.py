"""A broker of MQTT 5 with nothing in it: it notes what comes, acknowledges it or not, and forgets.

It shares no code with the program or its library. What a real broker does is tested at Mosquitto.
Source: OASIS MQTT 5.0, sections 2 and 3.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from msgspec import Struct

_CONNACK, _PINGRESP = b"\x20\x03\x00\x00\x00", b"\xd0\x00"


class Published(Struct, frozen=True):
    """A PUBLISH packet as it came."""

    topic: str
    payload: bytes
    retain: bool
    qos: int


class PlainBroker:
    """Listens on a port of its own. `refuses`: it ends each connection before it is one."""

    def __init__(self) -> None:
        self.acknowledges = True
        self.refuses = False
        self.connections = 0
        self.received: list[Published] = []
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def cut(self) -> None:
        """End every connection."""
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        self.refuses = True
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            if self.refuses:
                connection.close()
                continue
            self._open.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as packets:
            while first := packets.read(1):
                body = packets.read(_length(packets))
                match first[0] >> 4:
                    case 1:
                        connection.sendall(_CONNACK)
                    case 3:
                        self._publish(connection, first[0] & 0x0F, body)
                    case 8:
                        connection.sendall(b"\x90\x04" + body[:2] + b"\x00\x01")
                    case 12:
                        connection.sendall(_PINGRESP)
                    case _:
                        return

    def _publish(self, connection: socket.socket, flags: int, body: bytes) -> None:
        topic_end = 2 + int.from_bytes(body[:2], "big")
        number = body[topic_end : topic_end + 2]
        rest = body[topic_end + 2 :]
        of_properties = rest[0]
        assert of_properties < 0x80, "the program's properties are short"
        self.received.append(
            Published(
                topic=body[2:topic_end].decode(),
                payload=rest[1 + of_properties :],
                retain=bool(flags & 1),
                qos=flags >> 1 & 3,
            )
        )
        if self.acknowledges:
            connection.sendall(b"\x40\x02" + number)


def _length(packets) -> int:
    """A variable byte integer (section 1.5.5)."""
    value, shift = 0, 0
    while True:
        (byte,) = packets.read(1)
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
        shift += 7


@contextmanager
def plain_broker() -> Iterator[PlainBroker]:
    broker = PlainBroker()
    try:
        yield broker
    finally:
        broker.stop()
