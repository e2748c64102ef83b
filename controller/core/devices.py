"""The drivers of a table's devices, by port: the shoe and the auxiliary devices."""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Raw, Struct
from msgspec.structs import asdict, replace

from controller.core.state import (
    STORED_STATES,
    AuxiliaryState,
    CoreState,
    Transition,
    encode_state,
)
from controller.core.tape.inputs import Input
from controller.journal.encoding import Codec, EncodingError
from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, Stage
from drivers.interface import Driver, DriverOutput, DriverState
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.timestamp import Timestamp

DeviceResult: TypeAlias = tuple[Transition, tuple[DeviceEvent, ...]]
DriverCall: TypeAlias = Callable[
    [Driver[DriverState], DriverState], tuple[DriverState, DriverOutput]
]


class Device(Struct, frozen=True):
    """One device: its port, its driver, and the encoding of its driver's states."""

    port: str
    driver: Driver[DriverState]
    states: Codec[DriverState]

    def read_state(self, stored: Raw, *, strict: bool) -> DriverState:
        """The driver's state; of other bytes a fresh one. Raises EncodingError if `strict`."""
        try:
            return self.states.decode(bytes(stored))
        except EncodingError:
            if strict:
                raise
            return self.driver.initial()


class Devices(Struct, frozen=True):
    """The drivers of all devices: the shoe first, then the auxiliary devices in their order."""

    shoe: Device
    auxiliary: tuple[Device, ...] = ()

    @property
    def ports(self) -> tuple[str, ...]:
        """The ports of all devices, the shoe's first."""
        return (self.shoe.port, *(one.port for one in self.auxiliary))

    def initial(self) -> tuple[AuxiliaryState[DriverState], ...]:
        """The states of the auxiliary devices before their ports were ever opened."""
        return tuple(AuxiliaryState(one.port, one.driver.initial()) for one in self.auxiliary)

    def next_deadline_ns(self, state: CoreState) -> int | None:
        """Monotonic time in nanoseconds of the earliest tick that is due, or None."""
        due = [self.shoe.driver.next_deadline_ns(state.shoe_driver)]
        for one, current in zip(self.auxiliary, state.auxiliary, strict=True):
            due.append(one.driver.next_deadline_ns(current.state))
        return min((at_ns for at_ns in due if at_ns is not None), default=None)

    def split(self, state: CoreState, item: Input) -> tuple[Input, ...]:
        """Cut the shoe's bytes so that each input completes at most one frame.

        What is concluded then does not depend on how the bytes were cut by the reads.
        """
        if not isinstance(item, Chunk) or item.port != self.shoe.port:
            return (item,)
        parts = self.shoe.driver.split(state.shoe_driver, item.data)
        return tuple(replace(item, data=part) for part in parts) if len(parts) > 1 else (item,)

    def receive(self, transition: Transition, item: PortOpened | Chunk | PortLost) -> DeviceResult:
        """Give an input of a port to the driver of the device there."""
        return self._call(transition, item.port, lambda driver, own: driver.receive(own, item))

    def tick(self, transition: Transition, port: str, at: Timestamp) -> DeviceResult:
        """Let the driver at a port act on a deadline that may have passed."""
        return self._call(transition, port, lambda driver, own: driver.tick(own, at))

    def command(
        self, transition: Transition, port: str, command: DeviceCommand, at: Timestamp
    ) -> DeviceResult:
        """Give a command to the driver at a port."""
        return self._call(transition, port, lambda driver, own: driver.command(own, command, at))

    def is_open(self, state: CoreState, port: str) -> bool:
        """Whether the driver at a port has seen it opened and not lost."""
        if port == self.shoe.port:
            return state.shoe_driver.stage not in (Stage.CLOSED, Stage.LOST)
        return any(
            one.state.stage not in (Stage.CLOSED, Stage.LOST)
            for one in state.auxiliary
            if one.port == port
        )

    def read_state(self, data: bytes, *, same_run: bool = False) -> CoreState:
        """A stored state. A driver that cannot read its own, being another's, starts fresh.

        Raises EncodingError, in the `same_run` also for that.
        """
        stored = STORED_STATES.decode(data)
        known = {one.port: one.state for one in stored.auxiliary}
        values = asdict(stored)
        values["shoe_driver"] = self.shoe.read_state(stored.shoe_driver, strict=same_run)
        values["auxiliary"] = tuple(
            AuxiliaryState(one.port, one.read_state(known.get(one.port, Raw()), strict=same_run))
            for one in self.auxiliary
        )
        return CoreState(**values)

    def match_states(self, state: CoreState) -> CoreState:
        """Keep the states of devices still configured; the others start fresh."""
        return self.read_state(encode_state(state))

    def _call(self, transition: Transition, port: str, call: DriverCall) -> DeviceResult:
        """Call the driver at a port with its state, and take over what it returns."""
        state = transition.state
        if port == self.shoe.port:
            after, output = call(self.shoe.driver, state.shoe_driver)
            if after is not state.shoe_driver:
                transition = replace(transition, state=replace(state, shoe_driver=after))
            return transition.with_writes(port, output), output.events
        for index, one in enumerate(self.auxiliary):
            if one.port == port:
                own, states = state.auxiliary[index].state, state.auxiliary
                after, output = call(one.driver, own)
                if after is not own:
                    states = (*states[:index], AuxiliaryState(port, after), *states[index + 1 :])
                    transition = replace(transition, state=replace(state, auxiliary=states))
                return transition.with_writes(port, output), output.events
        return transition, ()
