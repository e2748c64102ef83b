"""The drivers of a table's devices, by port: the shoe and the auxiliary devices.

Source: controller/core/README.md, "The core"; controller/config/README.md, "Devices of a table".
"""

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from controller.core.state import (
    AuxiliaryDevice,
    AuxiliaryDriverState,
    AuxiliaryState,
    CoreState,
    Transition,
)
from controller.tape.inputs import Input
from drivers.catalogue import ShoeDriverState
from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, Stage
from drivers.interface import DriverOutput, ShoeDriver
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened

DeviceResult: TypeAlias = tuple[Transition, tuple[DeviceEvent, ...]]


class Devices(Struct, frozen=True):
    """The drivers of all devices: the shoe first, then the auxiliary devices in their order."""

    shoe_port: str
    shoe: ShoeDriver[ShoeDriverState]
    auxiliary: tuple[AuxiliaryDevice, ...] = ()

    @property
    def ports(self) -> tuple[str, ...]:
        """The ports of all devices, the shoe's first."""
        return (self.shoe_port, *(one.port for one in self.auxiliary))

    def initial(self) -> tuple[AuxiliaryState, ...]:
        """The states of the auxiliary devices before their ports were ever opened."""
        return tuple(AuxiliaryState(one.port, one.driver.initial()) for one in self.auxiliary)

    def next_deadline_ns(self, state: CoreState) -> int | None:
        """Monotonic time in nanoseconds of the earliest tick that is due, or None."""
        due = [self.shoe.next_deadline_ns(state.shoe_driver)]
        for one, current in zip(self.auxiliary, state.auxiliary, strict=True):
            due.append(one.driver.next_deadline_ns(current.state))
        return min((at_ns for at_ns in due if at_ns is not None), default=None)

    def split(self, state: CoreState, item: Input) -> tuple[Input, ...]:
        """Cut the shoe's bytes so that each input completes at most one frame.

        What is concluded then does not depend on how the bytes were cut by the reads.
        """
        if not isinstance(item, Chunk) or item.port != self.shoe_port:
            return (item,)
        parts = self.shoe.split(state.shoe_driver, item.data)
        return tuple(replace(item, data=part) for part in parts) if len(parts) > 1 else (item,)

    def receive(self, transition: Transition, item: PortOpened | Chunk | PortLost) -> DeviceResult:
        """Give an input of a port to the driver of the device there."""
        if item.port == self.shoe_port:
            return self._update_shoe(
                transition, self.shoe.receive(transition.state.shoe_driver, item)
            )
        index = self._auxiliary_index(item.port)
        if index is None:
            return transition, ()
        driver, current = self.auxiliary[index].driver, transition.state.auxiliary[index].state
        return self._update_auxiliary(transition, index, driver.receive(current, item))

    def tick(self, transition: Transition, port: str, at: Timestamp) -> DeviceResult:
        """Let the driver at a port act on a deadline that may have passed."""
        if port == self.shoe_port:
            return self._update_shoe(transition, self.shoe.tick(transition.state.shoe_driver, at))
        index = self._auxiliary_index(port)
        if index is None:
            return transition, ()
        driver, current = self.auxiliary[index].driver, transition.state.auxiliary[index].state
        return self._update_auxiliary(transition, index, driver.tick(current, at))

    def command(
        self, transition: Transition, port: str, command: DeviceCommand, at: Timestamp
    ) -> DeviceResult:
        """Give a command to the driver at a port."""
        if port == self.shoe_port:
            return self._update_shoe(
                transition, self.shoe.command(transition.state.shoe_driver, command, at)
            )
        index = self._auxiliary_index(port)
        if index is None:
            return transition, ()
        driver, current = self.auxiliary[index].driver, transition.state.auxiliary[index].state
        return self._update_auxiliary(transition, index, driver.command(current, command, at))

    def is_open(self, state: CoreState, port: str) -> bool:
        """Whether the driver at a port has seen it opened and not lost."""
        if port == self.shoe_port:
            return state.shoe_driver.stage not in (Stage.CLOSED, Stage.LOST)
        return any(
            one.state.stage not in (Stage.CLOSED, Stage.LOST)
            for one in state.auxiliary
            if one.port == port
        )

    def match_states(self, state: CoreState) -> CoreState:
        """Keep the stored states of devices still configured; the others start fresh."""
        known = {one.port: one for one in state.auxiliary}
        auxiliary = []
        for fresh in self.initial():
            stored = known.get(fresh.port)
            same = stored is not None and type(stored.state) is type(fresh.state)
            auxiliary.append(stored if stored is not None and same else fresh)
        shoe = self.shoe.initial()
        if type(shoe) is type(state.shoe_driver):
            shoe = state.shoe_driver
        return replace(state, shoe_driver=shoe, auxiliary=tuple(auxiliary))

    def _auxiliary_index(self, port: str) -> int | None:
        """The index of the auxiliary device at that port, None where there is none."""
        for index, one in enumerate(self.auxiliary):
            if one.port == port:
                return index
        return None

    def _update_shoe(
        self, transition: Transition, result: tuple[ShoeDriverState, DriverOutput]
    ) -> DeviceResult:
        after, output = result
        if after is not transition.state.shoe_driver:
            transition = replace(transition, state=replace(transition.state, shoe_driver=after))
        return transition.with_writes(self.shoe_port, output), output.events

    def _update_auxiliary(
        self, transition: Transition, index: int, result: tuple[AuxiliaryDriverState, DriverOutput]
    ) -> DeviceResult:
        after, output = result
        port, states = self.auxiliary[index].port, transition.state.auxiliary
        if after is not states[index].state:
            states = (*states[:index], AuxiliaryState(port, after), *states[index + 1 :])
            transition = replace(transition, state=replace(transition.state, auxiliary=states))
        return transition.with_writes(port, output), output.events
