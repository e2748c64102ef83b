"""The shape of every device driver.

Responsible for: the protocol a driver follows, so that the table treats all devices alike.
Not responsible for: any one device model.
A driver object is an immutable set of settings. All it has learnt stands in a frozen state that
is passed in and handed back. Total: no input raises.
Source: package README, "One shape for every driver".
"""

from typing import Protocol, TypeVar

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortEvent
from firmware_bridge.values import dataclass

StateT = TypeVar("StateT")


@dataclass(frozen=True, slots=True)
class DriverOutput:
    """What one call gave: events and faults in the order they happened, and bytes to write.

    `to_write` waits until the events are stored. `at_once` says nothing about the table (a poll, a
    question for the time) and need not wait.
    """

    events: tuple[DeviceEvent, ...] = ()
    to_write: tuple[bytes, ...] = ()
    at_once: tuple[bytes, ...] = ()


class Driver(Protocol[StateT]):
    """One device model."""

    def initial(self) -> StateT: ...

    def receive(self, state: StateT, event: PortEvent) -> tuple[StateT, DriverOutput]:
        """Take what the port tells."""
        ...

    def command(
        self, state: StateT, command: DeviceCommand, at: Timestamp
    ) -> tuple[StateT, DriverOutput]:
        """Ask the device for something; refused with CommandAnswered where not allowed."""
        ...

    def tick(self, state: StateT, at: Timestamp) -> tuple[StateT, DriverOutput]:
        """A deadline may have passed."""
        ...

    def next_deadline_ns(self, state: StateT) -> int | None:
        """Monotonic time of the next deadline, or None."""
        ...
