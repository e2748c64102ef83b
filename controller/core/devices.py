"""The devices of a table in the core: the shoe, and readers and scanners beside it, by their ports.

Responsible for: giving each driver what is for its port, keeping its state and its bytes, and
handing up what it said.
Not responsible for: what follows from that at the table (core) and for a device's ways (drivers).
Source: package README, "The core", "Devices of a table".
"""

from collections.abc import Iterator
from typing import TypeAlias

from controller.core.state import Beside, BesideKept, BesideState, CoreState, Growing
from drivers.catalogue import ShoeState
from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, Stage
from drivers.interface import Driver, DriverOutput
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from firmware_bridge.values import dataclass, replace

Heard: TypeAlias = tuple[Growing, tuple[DeviceEvent, ...]]


@dataclass(frozen=True, slots=True)
class Devices:
    """Their drivers. Where all are asked the shoe comes first, then the others in their order."""

    shoe_port: str
    shoe: Driver[ShoeState]
    beside: tuple[Beside, ...] = ()

    @property
    def ports(self) -> tuple[str, ...]:
        """The ports of all of them."""
        return (self.shoe_port, *(one.port for one in self.beside))

    def initial(self) -> tuple[BesideKept, ...]:
        """The states of the devices beside the shoe before their ports were ever opened."""
        return tuple(BesideKept(one.port, one.driver.initial()) for one in self.beside)

    def next_deadline_ns(self, state: CoreState) -> int | None:
        """Monotonic time at which one of them wants a tick, or None."""
        due = [self.shoe.next_deadline_ns(state.shoe_driver)]
        for one, kept in zip(self.beside, state.beside, strict=True):
            due.append(one.driver.next_deadline_ns(kept.state))
        return min((at_ns for at_ns in due if at_ns is not None), default=None)

    def received(self, growing: Growing, item: PortOpened | Chunk | PortLost) -> Heard:
        """What a port told, at the device that is seated there."""
        if item.port == self.shoe_port:
            return self._of_shoe(growing, self.shoe.receive(growing.state.shoe_driver, item))
        for index, one in self._beside_at(item.port):
            kept = growing.state.beside[index].state
            return self._of_beside(growing, index, one.driver.receive(kept, item))
        return growing, ()

    def ticked(self, growing: Growing, port: str, at: Timestamp) -> Heard:
        """A deadline may have passed."""
        if port == self.shoe_port:
            return self._of_shoe(growing, self.shoe.tick(growing.state.shoe_driver, at))
        for index, one in self._beside_at(port):
            kept = growing.state.beside[index].state
            return self._of_beside(growing, index, one.driver.tick(kept, at))
        return growing, ()

    def commanded(
        self, growing: Growing, port: str, command: DeviceCommand, at: Timestamp
    ) -> Heard:
        """A device is asked for something."""
        if port == self.shoe_port:
            return self._of_shoe(growing, self.shoe.command(growing.state.shoe_driver, command, at))
        for index, one in self._beside_at(port):
            kept = growing.state.beside[index].state
            return self._of_beside(growing, index, one.driver.command(kept, command, at))
        return growing, ()

    def is_open(self, state: CoreState, port: str) -> bool:
        """Whether the device's port is open, as far as its driver knows."""
        if port == self.shoe_port:
            return state.shoe_driver.stage not in (Stage.CLOSED, Stage.LOST)
        return any(
            kept.state.stage not in (Stage.CLOSED, Stage.LOST)
            for kept in state.beside
            if kept.port == port
        )

    def of_this_run(self, state: CoreState) -> CoreState:
        """What is known of a device that is not at its port any more is of no use."""
        known = {one.port: one for one in state.beside}
        beside = []
        for fresh in self.initial():
            kept = known.get(fresh.port)
            same = kept is not None and type(kept.state) is type(fresh.state)
            beside.append(kept if kept is not None and same else fresh)
        shoe = self.shoe.initial()
        if type(shoe) is type(state.shoe_driver):
            shoe = state.shoe_driver
        return replace(state, shoe_driver=shoe, beside=tuple(beside))

    def _beside_at(self, port: str) -> Iterator[tuple[int, Beside]]:
        return ((index, one) for index, one in enumerate(self.beside) if one.port == port)

    def _of_shoe(self, growing: Growing, told: tuple[ShoeState, DriverOutput]) -> Heard:
        after, output = told
        growing = replace(growing, state=replace(growing.state, shoe_driver=after))
        return growing.writing(self.shoe_port, output), output.events

    def _of_beside(
        self, growing: Growing, index: int, told: tuple[BesideState, DriverOutput]
    ) -> Heard:
        after, output = told
        port, states = self.beside[index].port, growing.state.beside
        states = (*states[:index], BesideKept(port, after), *states[index + 1 :])
        growing = replace(growing, state=replace(growing.state, beside=states))
        return growing.writing(port, output), output.events
