"""Defines the interface that a served line needs of any emulated device."""

from typing import Protocol

from hil.emulator.lines.reports import Copy
from hil.emulator.lines.transmission import SentLog


class ServedDevice(Protocol):
    """A device without clock and thread: time comes in with each call."""

    @property
    def log(self) -> SentLog:
        """The log of what was sent and what arrived."""
        ...

    @property
    def idle(self) -> bool:
        """Whether everything was sent at least once."""
        ...

    @property
    def next_due_ns(self) -> int | None:
        """When `due` or `overdue_answer` has something to do; None: only after an input."""
        ...

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Take bytes of the host; returns the answers to requests completed by them."""
        ...

    def overdue_answer(self, at_ns: int) -> bytes:
        """The answer to a request whose rest did not arrive in time."""
        ...

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """The reports to send unasked at that time, removed from the device."""
        ...

    def host_appeared(self, at_ns: int) -> None:
        """A host has connected; called only by lines that notice it."""
        ...
