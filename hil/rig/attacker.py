"""Somebody between the program and a TableLink device, who reads, changes and invents frames.

Has no key of the device. Shares no code with the program.
Source: wire document of TableLink/1.
"""

import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from threading import Event, Lock
from typing import TypeAlias

from hil.emulator.tablelink.cbor import Map, decode_map, encode
from hil.emulator.tablelink.memory import CHAIN_BYTES
from hil.emulator.tablelink.wire import Frame, FrameChannel, FrameFinder, encode_frame
from hil.rig.tcp_relay import Relay

CHAIN_KEY = 6
# What becomes of a frame: others in its place, or nothing.
Plan: TypeAlias = Callable[[Frame], Sequence[Frame | bytes]]


def pass_on(frame: Frame) -> Sequence[Frame | bytes]:
    """Change nothing."""
    return (frame,)


class Attacker(Relay):
    """`of_device` and `of_program` decide on each frame; `seen` are all frames of the device."""

    def __init__(self, port: int) -> None:
        super().__init__(port, "attacker")
        self.of_device: Plan = pass_on
        self.of_program: Plan = pass_on
        self.seen: list[Frame] = []
        self._to_program: socket.socket | None = None
        self._to_device: socket.socket | None = None
        self._writing = Lock()

    def tell_program(self, *frames: Frame | bytes) -> None:
        """Send frames to the program, as if they came from the device."""
        self._send(self._to_program, frames)

    def tell_device(self, *frames: Frame | bytes) -> None:
        """Send frames to the device, as if they came from the program."""
        self._send(self._to_device, frames)

    def _carry(self, caller: socket.socket, device: socket.socket) -> None:
        self._to_program, self._to_device = caller, device
        super()._carry(caller, device)

    def _deliver(
        self, data: bytes, sink: socket.socket, broken: Event, *, from_device: bool
    ) -> None:
        plan = self.of_device if from_device else self.of_program
        for frame in FrameFinder().receive(data):
            assert isinstance(frame, Frame), "both sides speak version 1"
            if from_device:
                self.seen.append(frame)
            self._send(sink, plan(frame))

    def _send(self, sink: socket.socket | None, frames: Sequence[Frame | bytes]) -> None:
        assert sink is not None, "nobody is connected"
        data = b"".join(one if isinstance(one, bytes) else encode_frame(one) for one in frames)
        with self._writing:
            sink.sendall(data)


def is_event(frame: Frame, number: int = 0) -> bool:
    """Whether it is an event, of that number if one is given."""
    return frame.channel == FrameChannel.EVENT and number in (0, frame.seq)


def with_content(frame: Frame, chain: bytes = b"", **changed: object) -> Frame:
    """An event with other content; keys are written k1, k5. `chain`: the value that it follows."""
    content: Map = decode_map(frame.payload)
    content.update({int(key[1:]): value for key, value in changed.items()})  # type: ignore[misc]
    if chain:
        content.pop(CHAIN_KEY, None)
        content[CHAIN_KEY] = sha256(chain + encode(content)).digest()[:CHAIN_BYTES]
    number = int(str(content[2]))
    kind = int(str(content[4]))
    return replace(frame, payload=encode(content), seq=number, type=kind)


def chain_of(frame: Frame) -> bytes:
    """The chain value of an event."""
    value = decode_map(frame.payload)[CHAIN_KEY]
    assert isinstance(value, bytes)
    return value
