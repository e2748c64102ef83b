"""The machine that the program runs on, as inputs tell of it: its clock, and room on its disk.

Responsible for: finding from the stamps of inputs alone that the clock was set, and keeping the
newest that is known of both.
Not responsible for: the gaming day, which never turns back (core), reading clock and disk
(firmware_bridge.timestamp, disk_watch), and words for people (host_words).
Source: package README, "The clock", "Disk space".
"""

from dataclasses import dataclass
from typing import Final

from controller.tape.entries import ClockEvidence, ClockStepped, DiskNoted
from controller.tape.inputs import DiskLevel, DiskSpace
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import replace

_NS_PER_S: Final = 1_000_000_000
# Both clocks are disciplined alike; what moves one alone by more was a person, a program or sleep.
STEP_NS_MIN: Final = 2 * _NS_PER_S
# The newest stamp is kept this roughly, so that not every input changes the state.
KEPT_EVERY_NS: Final = _NS_PER_S


@dataclass(frozen=True, slots=True)
class HostState:
    """`ahead_ns` is how far UTC is ahead of the monotonic clock, None before the first input.

    `last_utc_ns` is the newest stamp, less than KEPT_EVERY_NS too early. `steps` counts how often
    the clock was found set since the table first ran, `stepped` is the newest. `disk` is the
    newest crossing of a limit in this run.
    """

    ahead_ns: int | None = None
    last_utc_ns: int = 0
    steps: int = 0
    stepped: ClockStepped | None = None
    disk: DiskNoted | None = None


NOTHING_TOLD: Final = HostState()


def clock_read(known: HostState, at: Timestamp) -> HostState:
    """The state after an input of the same boot; the very same one where nothing is new."""
    if known.ahead_ns is None:
        return _from_here(known, at)
    by_ns = at.utc_ns - at.monotonic_ns - known.ahead_ns
    if -STEP_NS_MIN <= by_ns <= STEP_NS_MIN:
        if at.utc_ns - known.last_utc_ns < KEPT_EVERY_NS:
            return known
        return replace(known, last_utc_ns=at.utc_ns)
    return _stepped(known, at, by_ns, ClockEvidence.SAME_BOOT)


def begun(known: HostState, at: Timestamp, *, same_boot: bool) -> HostState:
    """The state after the first input of a run: of the disk nothing is known any more."""
    known = replace(known, disk=None)
    if known.ahead_ns is None or same_boot:
        return clock_read(known, at)
    by_ns = at.utc_ns - known.last_utc_ns
    if by_ns < 0:
        return _stepped(known, at, by_ns, ClockEvidence.OTHER_BOOT)
    return _from_here(known, at)


def disk_told(known: HostState, item: DiskSpace) -> HostState:
    """The room left has come to another level."""
    return replace(known, disk=disk_noted(item))


def disk_noted(item: DiskSpace) -> DiskNoted:
    """What is recorded of it: the limit is that of stopping there, else that of warning."""
    stop = item.level is DiskLevel.STOP
    return DiskNoted(item.level, item.free_bytes, item.stop_bytes if stop else item.warn_bytes)


def _from_here(known: HostState, at: Timestamp) -> HostState:
    return replace(known, ahead_ns=at.utc_ns - at.monotonic_ns, last_utc_ns=at.utc_ns)


def _stepped(known: HostState, at: Timestamp, by_ns: int, evidence: ClockEvidence) -> HostState:
    step = ClockStepped(by_ns, at.utc_ns, evidence)
    return replace(_from_here(known, at), steps=known.steps + 1, stepped=step)
