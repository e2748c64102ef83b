"""What a line asks of the device it serves, whatever device that is.

Responsible for: the shape every emulated device has.
Not responsible for: any device, and for lines (line, serve, hil.simulation.cable).
Source: package README, "Serving an emulator".
"""

from typing import Protocol

from hil.emulator.lines.batch import Log
from hil.emulator.lines.reports import Copy


class Served(Protocol):
    """A device without clock and thread: time comes in with each call."""

    @property
    def log(self) -> Log:
        """Where it is noted what became of all that was sent."""
        ...

    @property
    def idle(self) -> bool:
        """Whether all there was to send has been given out once."""
        ...

    @property
    def next_due_ns(self) -> int | None:
        """When `due` or `overdue_answer` have something to do; None: only after an input."""
        ...

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Take bytes of the host; the answers to what ended in them."""
        ...

    def overdue_answer(self, at_ns: int) -> bytes:
        """What is said because the rest of a question did not come."""
        ...

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """What is sent unasked at that moment, taken from the device."""
        ...

    def host_appeared(self, at_ns: int) -> None:
        """The other end has just come; told only by lines that can tell."""
        ...
