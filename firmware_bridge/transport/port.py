"""The Port protocol, its events and errors: the one seam where simulation may replace hardware.

Source: firmware_bridge/README.md, "One seam for simulation: the port".
"""

from enum import StrEnum
from typing import Final, Protocol, TypeAlias, assert_never

from msgspec import Struct

from foundation.message import Message, MessageError
from foundation.recorded_text import Identifier
from foundation.timestamp import Timestamp

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


class PortEnd(StrEnum):
    """What ended an opening of a port.

    After a read error of a local port and an end of stream, all that it brought before was read.
    """

    OTHER = "other"  # a failed write, our own close; also: it could not be opened
    READ_ERROR = "read-error"  # a local port: unplugged, hung up
    END_OF_STREAM = "end-of-stream"  # the other end of a connection closed it in order
    RESET = "reset"
    TIMED_OUT = "timed-out"
    RUN_ENDED = "run-ended"  # of the program; inside the core only


class PortLost(Struct, frozen=True, tag="port-lost", omit_defaults=True):
    """The port is gone or could not be opened; `reason` is for a technician.

    `waited_ns`: for so long before, nobody may have read what arrived (the host was stopped, or its
    queue was full). It and `ended_by` are omitted in records where they say nothing.
    """

    port: Identifier
    at: Timestamp
    reason: Message
    ended_by: PortEnd = PortEnd.OTHER
    waited_ns: int = 0

    @property
    def read_until(self) -> Timestamp | None:
        """Up to when all that the port brought was read; None: nothing proves it."""
        match self.ended_by:
            case PortEnd.READ_ERROR | PortEnd.END_OF_STREAM | PortEnd.RUN_ENDED:
                return self.at.earlier(self.waited_ns)
            case PortEnd.OTHER | PortEnd.RESET | PortEnd.TIMED_OUT:
                return None
            case _:
                assert_never(self.ended_by)


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

    def __init__(self, why: Message, ended_by: PortEnd = PortEnd.OTHER) -> None:
        super().__init__(why)
        self.ended_by = ended_by


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


class SilentServers(Protocol):
    """The serial servers that leave SET-CONTROL of RFC 2217 unanswered, by their URLs."""

    def knows(self, url: str) -> bool: ...

    def add(self, url: str) -> None:
        """Remember one that was just opened without its control lines. Never raises."""
        ...
