"""A TCP peer that is no sound device: it floods its client, or sends half a frame and hangs up."""

import contextlib
import socket
import string
from collections.abc import Iterator
from enum import StrEnum
from itertools import cycle
from random import Random
from threading import Event
from typing import Self

from hil.emulator.angel_eye.wire import report_frame
from hil.rig.loopback_server import POLL_S, LoopbackServer

BLOCK_BYTES = 65_536
SEQUENCE = string.digits + "ABCDEF"
_CARD = bytes((0x44, 0x81, 0xC9))


class Flood(StrEnum):
    """What a flooding peer sends."""

    GARBAGE = "garbage"
    ZEROS = "zeros"
    ONE_REPORT = "one report"
    CARDS = "cards"


def flood_block(flood: Flood) -> bytes:
    """The bytes that are sent again and again."""
    match flood:
        case Flood.GARBAGE:
            return Random(19).randbytes(BLOCK_BYTES)  # noqa: S311 - reproducible
        case Flood.ZEROS:
            return bytes(BLOCK_BYTES)
        case Flood.ONE_REPORT:
            return _repeated(cycle("4"))
        case Flood.CARDS:
            return _repeated(cycle(SEQUENCE))


def _repeated(sequence: Iterator[str]) -> bytes:
    """Whole rounds of the sequence, so that the block can follow itself."""
    round_bytes = b"".join(report_frame(next(sequence), _CARD) for _ in SEQUENCE)
    return round_bytes * (BLOCK_BYTES // len(round_bytes))


class FloodPeer(LoopbackServer):
    """Use as a context manager; serves one client at a time at `url`.

    Sends nothing before `begin()`, nor after `pause()` until it begins again. `sent`
    counts the bytes that clients' connections took, `connections` the clients. With `hangs_up` the
    block is sent once and the connection closed.
    """

    def __init__(self, block: bytes, *, hangs_up: bool = False) -> None:
        super().__init__("flood peer")
        self.sent = 0
        self.connections = 0
        self._block = block
        self._hangs_up = hangs_up
        self._begun = Event()

    def begin(self) -> Self:
        """Start sending."""
        self._begun.set()
        return self

    def pause(self) -> None:
        """Stop sending; the connection stays."""
        self._begun.clear()

    def _serve(self, client: socket.socket) -> None:
        self.connections += 1
        client.settimeout(POLL_S)
        with contextlib.suppress(OSError):  # the client is gone
            self._flood(client)

    def _flood(self, client: socket.socket) -> None:
        at = 0
        while not self._ended.is_set():
            if not self._begun.wait(POLL_S):
                continue
            with contextlib.suppress(TimeoutError):
                taken = client.send(self._block[at:])
                self.sent += taken
                at += taken
            if at == len(self._block):
                at = 0
                if self._hangs_up:
                    return
