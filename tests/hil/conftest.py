"""A host for the reference firmware, of the tests' own making.

Responsible for: saying and hearing TableLink/1 over a socket, frame by frame.
Not responsible for: being right of itself; tests/vectors/tablelink.toml holds the firmware too.
Source: firmware_bridge/README.md, "TableLink/1".
"""

import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cbor2
import pytest
from cobs import cobs
from fastcrc.crc32 import iscsi as crc32c

HEARD_S_MAX = 30.0
ACKV, RETX = 8, 2
LINK, EVENT, RPC = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame of the device. `body` is its payload, None where it has none."""

    channel: int
    type: int
    flags: int
    seq: int
    ack: int
    body: Any

    @property
    def told(self) -> tuple[int, int, Any]:
        """Number, kind and body of an event."""
        return self.body[2], self.body[4], self.body[5]


class Host:
    """`line` is a connected socket. `torn`: power may fail in mid-frame, such are passed over."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.line.settimeout(HEARD_S_MAX)
        self._bytes = b""
        self._ctr = 0
        self._session = 0x10000
        self.torn = False

    def say(
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
        """Open a session; what the device said of itself."""
        self.say(LINK, 1, {1: session})
        told = self.next_of(LINK, 1, lambda heard: heard.body[7] == session).body
        self.say(LINK, 2, {1: session, 2: stored})
        assert isinstance(told, dict)
        return told

    def unused_session(self) -> int:
        self._session += 1
        return self._session

    def ask(self, request: int, argument: int | None = None, *, id: int) -> Any:  # noqa: A002
        """The answer to a request."""
        self.say(RPC, request, None if argument is None else {1: argument}, seq=id)
        return self.next_of(RPC, request, lambda heard: heard.seq == id).body

    def next(self) -> Heard:
        """The next frame; fails when there is none."""
        deadline = time.monotonic() + HEARD_S_MAX
        while True:
            if (found := self._whole()) is not None:
                return found
            assert time.monotonic() < deadline, "the device says nothing more"
            more = self.line.recv(4096)
            assert more, "the line was closed"
            self._bytes += more

    def next_of(
        self, channel: int, kind: int, fits: Callable[[Heard], bool] = lambda _: True
    ) -> Heard:
        """The next frame of that kind; others before it are passed over."""
        while True:
            heard = self.next()
            if (heard.channel, heard.type) == (channel, kind) and fits(heard):
                return heard

    def waiting(self) -> list[Heard]:
        """All frames that have come, without waiting for more."""
        self.line.setblocking(False)
        try:
            while more := self.line.recv(65536):
                self._bytes += more
        except BlockingIOError:
            pass
        finally:
            self.line.settimeout(HEARD_S_MAX)
        found = []
        while (heard := self._whole()) is not None:
            found.append(heard)
        return found

    def _whole(self) -> Heard | None:
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


def read(raw: bytes) -> Heard:
    assert crc32c(raw[:-4]) == int.from_bytes(raw[-4:], "little")
    version, flags, channel, kind, _, seq, ack = struct.unpack("<4B3I", raw[:16])
    assert version == 1
    payload = raw[16:-4]
    body = cbor2.loads(payload) if payload else None
    assert not payload or cbor2.dumps(body, canonical=True) == payload
    return Heard(channel, kind, flags, seq, ack, body)


@pytest.fixture
def host() -> Callable[[socket.socket], Host]:
    """A host at that socket."""
    return Host
