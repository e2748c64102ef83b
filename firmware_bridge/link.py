"""The protocol that every wire link follows, and the values all links share: bytes in, items out.

A link object is an immutable set of settings. Everything it has learned is in the frozen state
that each call takes and returns, so that the state can be stored and restored.
Source: firmware_bridge/README.md, "One shape for every stage".
"""

from collections.abc import Iterable
from enum import StrEnum
from itertools import pairwise
from typing import Final, Generic, Protocol, TypeVar

from msgspec import Struct

from foundation.message import Message, message
from foundation.timestamp import Timestamp


class LinkFaultKind(StrEnum):
    """Kinds of faults in bytes or frames; counted by kind."""

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
    TOO_MANY_REPORTS = "too_many_reports"
    PAYLOAD_SETTING = "payload_setting"
    CONFIGURATION = "configuration"  # the device is set up so that it cannot be read with certainty


class LinkFault(Struct, frozen=True):
    """One thing wrong on the wire; `detail` is for a technician."""

    kind: LinkFaultKind
    detail: Message


# What waits is kept: on a line that was held, the rest may still come.
SILENT_WITHIN_FRAME: Final = LinkFault(LinkFaultKind.TRUNCATED, message("line_silent_within_frame"))


class ContinuityUnproven(Struct, frozen=True):
    """After a time without listening, nothing proves that no report or record was missed."""


class Unframed(Struct, frozen=True):
    """Receive buffer carried from one chunk to the next.

    `pending` may be the start of a frame. `in_noise`: the current run of bytes outside any frame
    has been reported, so that a run gives one fault in any fragmentation.
    """

    pending: bytes = b""
    in_noise: bool = False


def cut_at(data: bytes, ends: Iterable[int]) -> tuple[bytes, ...]:
    """The parts of `data` that end at these places, in order, and what is left after the last."""
    places = [0, *(end for end in ends if 0 < end < len(data)), len(data)]
    return tuple(data[start:end] for start, end in pairwise(places))


ItemT = TypeVar("ItemT")
StateT = TypeVar("StateT")
CommandT = TypeVar("CommandT", contravariant=True)


class LinkOutput(Struct, Generic[ItemT], frozen=True):
    """Result of one call: items and faults in the order they happened, and bytes to write.

    `to_write` is written after the items are stored. `at_once` does not depend on what the device
    reported (a poll, a time request) and is written immediately.
    """

    items: tuple[ItemT | LinkFault, ...] = ()
    to_write: tuple[bytes, ...] = ()
    at_once: tuple[bytes, ...] = ()


class Link(Protocol[StateT, ItemT, CommandT]):
    """A wire protocol without a port. No input raises."""

    def initial(self) -> StateT:
        """The state before anything was received."""
        ...

    def opened(self, state: StateT, at: Timestamp) -> tuple[StateT, LinkOutput[ItemT]]:
        """The port is open (again): half-received bytes are dropped, continuity must be proved."""
        ...

    def receive(
        self, state: StateT, data: bytes, at: Timestamp
    ) -> tuple[StateT, LinkOutput[ItemT]]:
        """Take received bytes, in any fragmentation."""
        ...

    def send(
        self, state: StateT, command: CommandT, at: Timestamp
    ) -> tuple[StateT, LinkOutput[ItemT]]:
        """Send a command or queue it behind the one still unanswered."""
        ...

    def tick(self, state: StateT, at: Timestamp) -> tuple[StateT, LinkOutput[ItemT]]:
        """Handle deadlines that have passed."""
        ...

    def next_deadline_ns(self, state: StateT) -> int | None:
        """Monotonic time of the next deadline, or None."""
        ...
