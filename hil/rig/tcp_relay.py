"""Relays TCP to a device: a bad line, or an attacker who reads, changes and invents frames.

The attacker has no key of the device. Shares no code with the program.
Source: wire document of TableLink/1.
"""

import contextlib
import socket
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from random import Random
from threading import Event, Lock, Thread
from typing import TypeAlias

from hil.emulator.lines.faults import FaultPlan
from hil.emulator.tablelink.cbor import Map, decode_map, encode
from hil.emulator.tablelink.memory import CHAIN_BYTES
from hil.emulator.tablelink.wire import Frame, FrameChannel, FrameFinder, encode_frame
from hil.rig.loopback_server import LOOPBACK, POLL_S, LoopbackServer

NS_PER_S = 1_000_000_000
READ_BYTES_MAX = 4096


class Relay(LoopbackServer):
    """Use as a context manager. `url` relays one client at a time to that port, frame by frame."""

    def __init__(self, port: int, name: str) -> None:
        super().__init__(name)
        self._port = port
        self._name = name

    @abstractmethod
    def _deliver(
        self, data: bytes, sink: socket.socket, broken: Event, *, from_device: bool
    ) -> None:
        """Pass whole frames on, each of which ends with a zero byte, or something else."""

    def _serve(self, client: socket.socket) -> None:
        with socket.create_connection((LOOPBACK, self._port)) as device:
            self._carry(client, device)

    def _carry(self, caller: socket.socket, device: socket.socket) -> None:
        broken = Event()
        threads = [
            Thread(
                target=self._relay,
                args=(source, sink, broken, source is device),
                name=f"{self._name}, one direction",
            )
            for source, sink in ((caller, device), (device, caller))
        ]
        for end in (caller, device):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            end.settimeout(POLL_S)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _relay(
        self, source: socket.socket, sink: socket.socket, broken: Event, from_device: bool
    ) -> None:
        waiting = b""
        with contextlib.suppress(OSError):
            while not broken.is_set() and not self._ended.is_set():
                try:
                    data = source.recv(READ_BYTES_MAX)
                except TimeoutError:
                    continue
                if not data:
                    break
                whole, zero, waiting = (waiting + data).rpartition(b"\0")
                self._deliver(whole + zero, sink, broken, from_device=from_device)
        broken.set()


class BadLine(Relay):
    """`bytes_between_cuts`: the minimum and maximum of bytes, both ways, before it breaks."""

    def __init__(
        self, port: int, plan: FaultPlan, seed: int, bytes_between_cuts: tuple[int, int]
    ) -> None:
        super().__init__(port, "bad line")
        self.cuts = 0
        self._plan: FaultPlan | None = plan
        self._source = Random(seed)  # noqa: S311 - reproducible
        self._between = bytes_between_cuts
        self._until_cut = self._source.randint(*self._between)
        self._counting = Lock()

    def mend(self) -> None:
        """Stop all faults: from now on every byte arrives."""
        self._plan = None

    def _deliver(
        self, data: bytes, sink: socket.socket, broken: Event, *, from_device: bool
    ) -> None:
        """Apply the plan to whole frames, which end with a zero byte, and send the result."""
        plan = self._plan
        if plan is None:
            sink.sendall(data)
            return
        for piece, delay_ns in plan.apply(data, time.monotonic_ns()):
            self._ended.wait(delay_ns / NS_PER_S)
            sink.sendall(piece[: self._allowed(len(piece), broken)])
            if broken.is_set():
                return

    def _allowed(self, size: int, broken: Event) -> int:
        """How many of these bytes pass before the line breaks."""
        with self._counting:
            allowed = min(size, self._until_cut)
            self._until_cut -= allowed
            if not self._until_cut:
                self._until_cut = self._source.randint(*self._between)
                self.cuts += 1
                broken.set()
            return allowed


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
