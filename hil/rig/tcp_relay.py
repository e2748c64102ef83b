"""A TCP relay to a device; one loses, doubles and delays bytes and breaks the connection."""

import contextlib
import socket
import time
from abc import abstractmethod
from random import Random
from threading import Event, Lock, Thread

from hil.emulator.lines.faults import FaultPlan
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
