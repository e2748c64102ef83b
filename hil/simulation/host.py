"""A simulated table whose computer stands still, stores slowly, has a full disk or wrong clock."""

from typing import Final

from msgspec.structs import replace

from controller.core.tape.entries import Entry
from controller.core.tape.inputs import Input, Started
from firmware_bridge.transport.port import Chunk
from hil.simulation.power import PoweredTable

# How long a slow disk takes for one transaction.
SLOW_STORE_NS: Final = 400_000_000


class HostTable(PoweredTable):
    """A PoweredTable whose computer has faults. All end when its power is cut."""

    _stopped_until_ns: int = 0
    _slow_until_ns: int = 0
    _waiting: tuple[Input, ...] = ()
    _late: tuple[tuple[int, str, bytes], ...] = ()

    def stop(self, ns: int) -> None:
        """The program stands still for that time; what comes meanwhile it takes in afterwards."""
        self._stopped_until_ns = self.clock_ns + ns

    def slow_down(self, ns: int) -> None:
        """For that time the disk is slow: what is written after a store comes late."""
        self._slow_until_ns = self.clock_ns + ns

    def fill_disk(self) -> None:
        """The next transaction cannot be stored: the program ends, and none of it is stored."""
        self.cut_after(1, stored=False)

    def take(self, item: Input) -> tuple[Entry, ...]:
        """Give the core one input, or keep it while the program stands still."""
        if self._stopped_until_ns and self.is_on and not isinstance(item, Started):
            self._waiting = (*self._waiting, item)
            return ()
        return super().take(item)

    def _write(self, writes: tuple[tuple[str, bytes], ...]) -> None:
        if self.clock_ns >= self._slow_until_ns and not self._late:
            super()._write(writes)
            return
        due_ns = self.clock_ns + SLOW_STORE_NS
        self._late = (*self._late, *((due_ns, port, data) for port, data in writes))

    def _off(self) -> None:
        self._stopped_until_ns = self._slow_until_ns = 0
        self._waiting = self._late = ()
        super()._off()

    def _next_ns(self) -> int | None:
        dues = [super()._next_ns(), self._stopped_until_ns or None]
        dues += [due_ns for due_ns, _, _ in self._late[:1]]
        return min((due for due in dues if due is not None), default=None)

    def _deadline_ns(self) -> int | None:
        return None if self._stopped_until_ns else super()._deadline_ns()

    def _moment(self) -> None:
        if self._stopped_until_ns and self.clock_ns >= self._stopped_until_ns:
            self._go_on()
        while self._late and self._late[0][0] <= self.clock_ns:
            (_, port, data), *rest = self._late
            self._late = tuple(rest)
            self._to_device(port, data)
        super()._moment()

    def _go_on(self) -> None:
        """Take in what came while the program stood still: the bytes of a port in one piece."""
        self._stopped_until_ns = 0
        waiting, self._waiting = self._waiting, ()
        joined: list[Input] = []
        for item in waiting:
            last = joined[-1] if joined else None
            if isinstance(item, Chunk) and isinstance(last, Chunk) and item.port == last.port:
                joined[-1] = replace(last, data=last.data + item.data)
            else:
                joined.append(item)
        for item in joined:
            self.take(replace(item, at=self.at))
