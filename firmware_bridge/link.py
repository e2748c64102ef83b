"""The shape of every wire protocol: bytes in, messages out, never a port.

Responsible for: the vocabulary that all links share (output, faults) and the protocol a link
object follows, so that a reader learns it once.
Not responsible for: any one vendor's frames (see the protocol folders) and for ports.
A link object is an immutable set of settings; all it has learnt stands in the frozen state
that is passed in and handed back, so that the state can be stored and put back.
Source: package README, "One shape for every stage".
"""

from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass


class LinkFaultKind(StrEnum):
    """What can be wrong with bytes or frames: a closed set, counted by kind."""

    NOISE = "noise"
    BAD_CHECKSUM = "bad_checksum"
    NO_END = "no_end"
    TRUNCATED = "truncated"
    MALFORMED = "malformed"
    UNKNOWN_CODE = "unknown_code"
    SEQUENCE_GAP = "sequence_gap"
    SEQUENCE_SETTING = "sequence_setting"
    CONTINUITY_UNPROVEN = "continuity_unproven"
    UNEXPECTED_ANSWER = "unexpected_answer"
    COMMAND_REFUSED = "command_refused"
    COMMAND_TIMEOUT = "command_timeout"
    CHECKSUM_READING = "checksum_reading"
    LENGTH = "length"
    NO_ANSWER = "no_answer"
    BUFFER_OVERFLOW = "buffer_overflow"
    UNACKNOWLEDGED = "unacknowledged"
    DEVICE_STATUS = "device_status"


@dataclass(frozen=True, slots=True)
class LinkFault:
    """One thing wrong on the wire; `detail` is a sentence for a technician."""

    kind: LinkFaultKind
    detail: str


ItemT = TypeVar("ItemT")
StateT = TypeVar("StateT")
CommandT = TypeVar("CommandT", contravariant=True)


@dataclass(frozen=True, slots=True)
class LinkOutput(Generic[ItemT]):
    """What one call gave: items and faults in the order they happened, and bytes to write.

    `to_write` waits until the items are stored. `at_once` says nothing about what the device
    reported (a poll, a question for the time) and need not wait.
    """

    items: tuple[ItemT | LinkFault, ...] = ()
    to_write: tuple[bytes, ...] = ()
    at_once: tuple[bytes, ...] = ()


class Link(Protocol[StateT, ItemT, CommandT]):
    """A wire protocol without a port. Total: no input raises."""

    def initial(self) -> StateT:
        """The state before anything was heard."""
        ...

    def opened(self, state: StateT, at: Timestamp) -> tuple[StateT, LinkOutput[ItemT]]:
        """The port is open (again): half-received bytes are gone, continuity is to be proved."""
        ...

    def receive(
        self, state: StateT, data: bytes, at: Timestamp
    ) -> tuple[StateT, LinkOutput[ItemT]]:
        """Take raw bytes as they came, in any fragmentation."""
        ...

    def send(
        self, state: StateT, command: CommandT, at: Timestamp
    ) -> tuple[StateT, LinkOutput[ItemT]]:
        """Send a command or queue it behind the one still unanswered."""
        ...

    def tick(self, state: StateT, at: Timestamp) -> tuple[StateT, LinkOutput[ItemT]]:
        """A deadline may have passed."""
        ...

    def next_deadline_ns(self, state: StateT) -> int | None:
        """Monotonic time of the next deadline, or None."""
        ...
