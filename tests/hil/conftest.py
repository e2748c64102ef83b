"""A host for the reference firmware, which speaks TableLink/1 over a socket frame by frame.

Written independently; tests/vectors/tablelink.toml holds for the firmware too.

Source: firmware_bridge/tablelink/README.md.
"""

import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cbor2
import pytest
from cobs import cobs
from fastcrc.crc32 import iscsi as crc32c

ACKV, RETX = 8, 2
LINK, EVENT, RPC = 0, 1, 2


@dataclass(frozen=True, slots=True)
class ReceivedFrame:
    """A frame received from the device. `body` is its payload, None if it has none."""

    channel: int
    type: int
    flags: int
    seq: int
    ack: int
    body: Any

    @property
    def event(self) -> tuple[int, int, Any]:
        """Number, kind and body of an event."""
        return self.body[2], self.body[4], self.body[5]


class Host:
    """`line` is a connected socket. `torn`: power may fail in mid-frame; skip torn frames."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self._bytes = b""
        self._ctr = 0
        self._session = 0x10000
        self.torn = False

    def send_frame(
        self, channel: int, kind: int, body: Any = None, *, seq: int = 0, ack: int = -1
    ) -> None:
        flags = ACKV if ack >= 0 else 0
        header = struct.pack("<4B3I", 1, flags, channel, kind, self._ctr, seq, max(ack, 0))
        raw = header + (b"" if body is None else cbor2.dumps(body, canonical=True))
        self._ctr += 1
        self.send(b"\0" + cobs.encode(raw + struct.pack("<I", crc32c(raw))) + b"\0")

    def send(self, data: bytes) -> None:
        self.line.sendall(data)

    def hello(self, session: int, stored: int = 0) -> dict[int, Any]:
        """Open a session; the body of the device's HELLO."""
        self.send_frame(LINK, 1, {1: session})
        hello = self.next_of(LINK, 1, lambda frame: frame.body[7] == session).body
        self.send_frame(LINK, 2, {1: session, 2: stored})
        assert isinstance(hello, dict)
        return hello

    def unused_session(self) -> int:
        self._session += 1
        return self._session

    def ask(self, request: int, argument: int | None = None, *, id: int) -> Any:  # noqa: A002
        """Send a request; the body of its answer."""
        self.send_frame(RPC, request, None if argument is None else {1: argument}, seq=id)
        return self.next_of(RPC, request, lambda frame: frame.seq == id).body

    def next(self) -> ReceivedFrame:
        """The next frame."""
        while True:
            if (found := self._whole()) is not None:
                return found
            more = self.line.recv(4096)
            assert more, "the line was closed"
            self._bytes += more

    def next_of(
        self, channel: int, kind: int, fits: Callable[[ReceivedFrame], bool] = lambda _: True
    ) -> ReceivedFrame:
        """The next frame of that kind that fits; others before it are skipped."""
        while True:
            frame = self.next()
            if (frame.channel, frame.type) == (channel, kind) and fits(frame):
                return frame

    def waiting(self) -> list[ReceivedFrame]:
        """All frames that have arrived, without waiting for more."""
        self.line.setblocking(False)
        try:
            while more := self.line.recv(65536):
                self._bytes += more
        except BlockingIOError:
            pass
        finally:
            self.line.setblocking(True)
        found = []
        while (frame := self._whole()) is not None:
            found.append(frame)
        return found

    def _whole(self) -> ReceivedFrame | None:
        while b"\0" in self._bytes:
            run, self._bytes = self._bytes.split(b"\0", 1)
            if run and not (self.torn and is_torn(run)):
                return read(cobs.decode(run))
        return None


def is_torn(run: bytes) -> bool:
    try:
        raw = cobs.decode(run)
    except cobs.DecodeError:
        return True
    return crc32c(raw[:-4]) != int.from_bytes(raw[-4:], "little")


def read(raw: bytes) -> ReceivedFrame:
    assert crc32c(raw[:-4]) == int.from_bytes(raw[-4:], "little")
    version, flags, channel, kind, _, seq, ack = struct.unpack("<4B3I", raw[:16])
    assert version == 1
    payload = raw[16:-4]
    body = cbor2.loads(payload) if payload else None
    assert not payload or cbor2.dumps(body, canonical=True) == payload
    return ReceivedFrame(channel, kind, flags, seq, ack, body)


@pytest.fixture
def host() -> Callable[[socket.socket], Host]:
    """A host at that socket."""
    return Host
