"""The host machine's state from inputs alone: clock steps, and room on the disk."""

from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from controller.core.tape.entries import ClockEvidence, ClockStepped, DiskLevelRecorded
from controller.core.tape.inputs import ClockSync, DiskLevel, DiskSpace
from foundation.timestamp import Timestamp

_NS_PER_S: Final = 1_000_000_000
# NTP disciplines both clocks alike; a larger difference means that UTC was set, or sleep.
STEP_NS_MIN: Final = 2 * _NS_PER_S
# The newest timestamp is updated at most this often, so that not every input changes the state.
UTC_UPDATE_NS: Final = _NS_PER_S


class HostState(Struct, frozen=True):
    """`ahead_ns` is how far UTC is ahead of the monotonic clock, None before the first input.

    `last_utc_ns` is the newest timestamp, less than UTC_UPDATE_NS too early. `steps` counts the
    clock steps since the table first ran. `disk` is the newest change of level in this run, `sync`
    whether the clock is synchronised, left out of stored states before the kernel said so.
    """

    ahead_ns: int | None = None
    last_utc_ns: int = 0
    steps: int = 0
    last_step: ClockStepped | None = None
    disk: DiskLevelRecorded | None = None
    sync: ClockSync | UnsetType = UNSET


UNKNOWN_HOST: Final = HostState()


def after_clock_reading(known: HostState, at: Timestamp) -> HostState:
    """The state after a timestamp of the same boot; the same object if nothing changed."""
    if known.ahead_ns is None:
        return _with_clock(known, at)
    by_ns = at.utc_ns - at.monotonic_ns - known.ahead_ns
    if -STEP_NS_MIN <= by_ns <= STEP_NS_MIN:
        if at.utc_ns - known.last_utc_ns < UTC_UPDATE_NS:
            return known
        return replace(known, last_utc_ns=at.utc_ns)
    return _with_step(known, at, by_ns, ClockEvidence.SAME_BOOT)


def after_start(known: HostState, at: Timestamp, *, same_boot: bool) -> HostState:
    """The state after the first input of a run, which clears the disk level and `sync`."""
    known = replace(known, disk=None, sync=UNSET)
    if known.ahead_ns is None or same_boot:
        return after_clock_reading(known, at)
    by_ns = at.utc_ns - known.last_utc_ns
    if by_ns < 0:
        return _with_step(known, at, by_ns, ClockEvidence.OTHER_BOOT)
    return _with_clock(known, at)


def sync_state(known: HostState) -> ClockSync:
    """Whether the clock is synchronised, as far as this run knows."""
    return ClockSync.UNKNOWN if known.sync is UNSET else known.sync


def with_disk_space(known: HostState, item: DiskSpace) -> HostState:
    """The state after a change of the disk level."""
    return replace(known, disk=disk_entry(item))


def disk_entry(item: DiskSpace) -> DiskLevelRecorded:
    """The entry for a disk level; its limit is the stop limit at STOP, else the warning limit."""
    stop = item.level is DiskLevel.STOP
    return DiskLevelRecorded(
        item.level, item.free_bytes, item.stop_bytes if stop else item.warn_bytes
    )


def _with_clock(known: HostState, at: Timestamp) -> HostState:
    return replace(known, ahead_ns=at.utc_ns - at.monotonic_ns, last_utc_ns=at.utc_ns)


def _with_step(known: HostState, at: Timestamp, by_ns: int, evidence: ClockEvidence) -> HostState:
    step = ClockStepped(by_ns, at.utc_ns, evidence)
    return replace(_with_clock(known, at), steps=known.steps + 1, last_step=step)
