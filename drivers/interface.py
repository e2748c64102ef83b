"""Defines the protocol that every device driver implements.

A driver object is an immutable set of settings. Everything it has learnt is in a frozen state that
is passed in and returned. No input raises.
"""

from typing import Protocol, TypeVar

from msgspec import Struct

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, Stage
from firmware_bridge.transport.port import PortEvent
from foundation.message import Message
from foundation.timestamp import Timestamp

StateT = TypeVar("StateT")


class DriverState(Protocol):
    """What the table knows of any driver's state; each driver has a frozen struct of its own."""

    @property
    def stage(self) -> Stage: ...


class DriverOutput(Struct, frozen=True):
    """The result of one call: events and faults in the order they happened, and bytes to write.

    `to_write` waits until the events are stored. `at_once` reveals nothing about the table (a poll,
    a time request) and need not wait.
    """

    events: tuple[DeviceEvent, ...] = ()
    to_write: tuple[bytes, ...] = ()
    at_once: tuple[bytes, ...] = ()


class Driver(Protocol[StateT]):
    """The driver of one device. Total: no input raises."""

    def initial(self) -> StateT: ...

    def receive(self, state: StateT, event: PortEvent) -> tuple[StateT, DriverOutput]:
        """Process one event of the port."""
        ...

    def command(
        self, state: StateT, command: DeviceCommand, at: Timestamp
    ) -> tuple[StateT, DriverOutput]:
        """Send a command; refused with CommandAnswered where it is not allowed."""
        ...

    def tick(self, state: StateT, at: Timestamp) -> tuple[StateT, DriverOutput]:
        """Process deadlines that have passed."""
        ...

    def next_deadline_ns(self, state: StateT) -> int | None:
        """Monotonic time of the next deadline, or None."""
        ...

    def split(self, state: StateT, data: bytes) -> tuple[bytes, ...]:
        """Cut received bytes so that each part completes at most one frame."""
        ...


def remarks_of(state: DriverState) -> tuple[Message, ...]:
    """What people have to know of the device as it is; empty where there is nothing to say."""
    remarks: tuple[Message, ...] = getattr(state, "remarks", ())
    return remarks


def locked_of(state: DriverState) -> bool | None:
    """The exit's lock as last reported; None while it is unknown, and where there is none."""
    locked: bool | None = getattr(state, "locked", None)
    return locked
