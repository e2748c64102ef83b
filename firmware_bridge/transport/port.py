"""The Port protocol, its events and errors: the one seam where simulation may replace hardware.

Source: firmware_bridge/README.md, "One seam for simulation: the port".
"""

from enum import StrEnum
from typing import Final, Protocol, TypeAlias

from msgspec import Struct

from firmware_bridge.message import Message, MessageError
from firmware_bridge.recorded_text import Identifier
from firmware_bridge.timestamp import Timestamp

# The longest time that a read waits for bytes; a longer one shows that the host was stopped.
READ_TIMEOUT_S: Final = 1.0


class PortOpened(Struct, frozen=True, tag="port-opened"):
    """The port is open. `entropy` is 32 random bytes, the only randomness the core ever sees."""

    port: Identifier
    at: Timestamp
    entropy: bytes


class Chunk(Struct, frozen=True, tag="chunk", omit_defaults=True):
    """Raw bytes, and the moment the read returned.

    `waited_ns`: the bytes may have waited so long, because the host did not read meanwhile (it was
    stopped, or its queue was full); 0 while it reads. Omitted in records where it is 0.
    """

    port: Identifier
    at: Timestamp
    data: bytes
    waited_ns: int = 0


class PortLost(Struct, frozen=True, tag="port-lost"):
    """The port is gone or could not be opened; `reason` is for a technician."""

    port: Identifier
    at: Timestamp
    reason: Message


class Parity(StrEnum):
    """The parity bit of a serial line."""

    NONE = "N"
    EVEN = "E"
    ODD = "O"


class LineSettings(Struct, frozen=True):
    """Bits per second and parity of a serial line; always 8 data bits and 1 stop bit."""

    baud: int
    parity: Parity = Parity.NONE


PortEvent: TypeAlias = PortOpened | Chunk | PortLost


class PortUnavailable(MessageError):
    """The port cannot be opened now; `why` gives cause and remedy."""


class PortGone(MessageError):
    """An open port failed: unplugged, connection closed, device error."""


class PortShut(PortGone):
    """Whoever takes a port's events wants it closed, and not opened again before `pause_s`."""

    def __init__(self, why: Message, pause_s: float) -> None:
        super().__init__(why)
        self.pause_s = pause_s


class Port(Protocol):
    """Blocking byte transport. `read` and `write` may be called from two threads."""

    def open(self) -> None:
        """Open exclusively without discarding waiting bytes. Raises PortUnavailable."""
        ...

    def read(self) -> bytes:
        """Block for bytes; return all that wait, or b"" after at most READ_TIMEOUT_S.

        Raises PortGone.
        """
        ...

    def write(self, data: bytes) -> None:
        """Write all of it. Raises PortGone."""
        ...

    def close(self) -> None:
        """Close and wake a blocked read. Never raises; may be called twice."""
        ...
