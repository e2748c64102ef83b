"""A simulated table whose program may lose power, before or after it has stored.

Source: D-22.
"""

from msgspec import Struct
from msgspec.structs import replace

from controller.core.state import CoreState, encode_state
from controller.core.tape.entries import Entry
from controller.core.tape.inputs import Input, Started
from firmware_bridge.transport.port import PortOpened
from hil.simulation.table import SimulatedTable


class OpenTransaction(Struct, frozen=True):
    """The stored state, entries and inputs before a transaction that is still open.

    `left` inputs remain until power fails; `stored`: just after the store, else before it.
    """

    state: CoreState
    entries: int
    inputs: int
    left: int
    stored: bool


class PoweredTable(SimulatedTable):
    """A SimulatedTable whose power can be cut. `boots` counts the boots of its computer."""

    is_on: bool = True
    boots: int = 1
    _open: OpenTransaction | None = None
    _pulled: frozenset[str] = frozenset()  # cables that were pulled, power or not

    def cut_after(self, inputs: int, *, stored: bool) -> None:
        """The next `inputs` inputs are one transaction, and power fails when it is to be stored.

        `stored`: just after the store, so that only the writes after it are lost.
        """
        assert self.is_on, "the program has no power"
        assert inputs > 0, "a transaction holds an input"
        counts = len(self.entries), len(self.inputs)
        self._open = OpenTransaction(self.state, *counts, inputs, stored)

    def cut_now(self) -> None:
        """Power fails now: the open transaction is not stored."""
        assert self.is_on, "the program has no power"
        self._off()

    def turn_on(self, *, same_boot: bool) -> None:
        """The next run starts from what was stored, and all ports open."""
        assert not self.is_on, "the program runs"
        started = next(one for one in self.inputs if isinstance(one, Started))
        if not same_boot:
            self.boots += 1
            self.booted_ns = self.clock_ns - 1
        self.is_on = True
        self.state = self.core.devices.read_state(encode_state(self.state))
        self.take(replace(started, at=self.at, boot_id=f"boot {self.boots}"))
        for port in self._devices:
            if port not in self._pulled:
                self.plug(port)

    def take(self, item: Input) -> tuple[Entry, ...]:
        """Give the core one input; without power it is ignored."""
        if not self.is_on:
            return ()
        return super().take(item) if self._open is None else self._take_in_open(item)

    def plug(self, port: str) -> None:
        """Open the port, once there is power; its entropy differs each time."""
        self._pulled -= {port}
        if not self.is_on:
            return
        assert not self._plugged[port], f"{port} is plugged in"
        self._plugged[port] = True
        self._devices[port].host_appeared(self.clock_ns)
        self.take(PortOpened(port, self.at, self.clock_ns.to_bytes(32, "big")))

    def unplug(self, port: str) -> None:
        """Pull the cable, whether there is power or not."""
        self._pulled |= {port}
        if self.is_on:
            super().unplug(port)

    def is_plugged(self, port: str) -> bool:
        """Whether its cable is plugged in."""
        return port not in self._pulled

    def _take_in_open(self, item: Input) -> tuple[Entry, ...]:
        assert self._open is not None
        self._open = replace(self._open, left=self._open.left - 1)
        over = self._open.left == 0
        output = self._stored_output(item)
        if over:
            stored = self._open.stored
            self._off()
            return output.entries if stored else ()
        for port, data in output.at_once:
            self._to_device(port, data)
        return output.entries

    def _off(self) -> None:
        before, self._open = self._open, None
        self.is_on = False
        for port in self._devices:
            self._plugged[port] = False
        for line in self.lines.values():
            line.clear()
        if before is not None and not before.stored:
            self.state = before.state
            del self.entries[before.entries :]
            del self.inputs[before.inputs :]

    def _deadline_ns(self) -> int | None:
        return super()._deadline_ns() if self.is_on else None
