"""What a port is, and what it tells: the one seam where simulation may enter.

Responsible for: the Port protocol (open, read, write, close), the settings of a serial line, the
events a port gives rise to, and the errors it may raise.
Not responsible for: which library is underneath (serial_port, usb_port, and the bench's cable)
and for threads (pump).
Source: package README, "One seam for simulation: the port".
"""

from enum import StrEnum
from typing import Protocol, TypeAlias

from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class PortOpened:
    """The port is open. `entropy` is 32 random bytes, the only randomness the core ever sees."""

    port: str
    at: Timestamp
    entropy: bytes


@dataclass(frozen=True, slots=True)
class Chunk:
    """Raw bytes as they were read, with the moment the read returned."""

    port: str
    at: Timestamp
    data: bytes


@dataclass(frozen=True, slots=True)
class PortLost:
    """The port is gone or could not be opened; `reason` is a sentence for a technician."""

    port: str
    at: Timestamp
    reason: str


class Parity(StrEnum):
    """The parity bit of a serial line."""

    NONE = "N"
    EVEN = "E"
    ODD = "O"


@dataclass(frozen=True, slots=True)
class LineSettings:
    """How a serial line is set: bits a second and parity; always 8 data bits and 1 stop bit."""

    baud: int
    parity: Parity = Parity.NONE


PortEvent: TypeAlias = PortOpened | Chunk | PortLost


class PortUnavailable(Exception):
    """The port cannot be opened now; the message says why and what to do."""


class PortGone(Exception):
    """An open port broke: unplugged, connection closed, device error."""


class Port(Protocol):
    """Blocking byte transport. `read` and `write` may be called from two threads."""

    def open(self) -> None:
        """Open exclusively without discarding waiting bytes. Raises PortUnavailable."""
        ...

    def read(self) -> bytes:
        """Block for bytes; return all that waits (at least one), or b"" after a time-out.

        Raises PortGone.
        """
        ...

    def write(self, data: bytes) -> None:
        """Write all of it. Raises PortGone."""
        ...

    def close(self) -> None:
        """Close and wake a blocked read. Never raises; may be called twice."""
        ...
