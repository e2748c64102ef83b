"""The machine's disk and clock as snapshot values and sentences with number, limit, remedy."""

from datetime import UTC, datetime
from typing import Final

from controller.core.state import HostState, sync_state
from controller.core.tape.entries import ClockStepped, DiskLevelRecorded
from controller.core.tape.inputs import ClockEvidence, DiskLevel
from controller.record.snapshot_devices import ClockView, DiskView, HostView
from controller.system.messages.catalogue import to_words
from foundation.message import Message, message

_MAKE_ROOM: Final = message("disk_make_room")
_EVIDENCE: Final = {
    ClockEvidence.SAME_BOOT: message("clock_ran_on_evenly"),
    ClockEvidence.OTHER_BOOT: message("clock_earlier_than_last_run"),
}
_NS_PER_S: Final = 1_000_000_000
_NS_PER_MS: Final = 1_000_000
# A step is shown for one day; the journal keeps it.
SHOWN_NS: Final = 24 * 3600 * _NS_PER_S
_UNITS: Final = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def host_view(host: HostState) -> HostView:
    """`disk` is None with enough space or unchecked, `clock` while no step is recent."""
    disk, step = host.disk, host.last_step
    low = disk is not None and disk.level is not DiskLevel.ENOUGH
    recent = step is not None and host.last_utc_ns - step.utc_ns < SHOWN_NS
    return HostView(
        disk=_disk(disk) if disk is not None and low else None,
        clock=_clock(host, step) if step is not None and recent else None,
        clock_sync=sync_state(host).value,
    )


def _disk(disk: DiskLevelRecorded) -> DiskView:
    return DiskView(disk.level.value, disk.free_bytes, disk.limit_bytes, describe_disk(disk))


def _clock(host: HostState, step: ClockStepped) -> ClockView:
    return ClockView(
        steps=host.steps,
        by_ms=step.by_ns // _NS_PER_MS,
        at_ns=step.utc_ns,
        evidence=step.evidence.value,
        text=describe_clock_step(step),
    )


def describe_disk(disk: DiskLevelRecorded) -> str:
    """One sentence: free space, limit, remedy."""
    return to_words(_disk_message(disk))


def _disk_message(disk: DiskLevelRecorded) -> Message:
    free, limit = format_size(disk.free_bytes), format_size(disk.limit_bytes)
    match disk.level:
        case DiskLevel.UNKNOWN:
            return message("disk_space_unknown")
        case DiskLevel.ENOUGH:
            return message("disk_space_enough", free=free)
        case DiskLevel.LOW:
            return message("disk_space_low", free=free, limit=limit, remedy=_MAKE_ROOM)
        case DiskLevel.STOP:
            return message("disk_space_too_low", free=free, limit=limit, remedy=_MAKE_ROOM)


def describe_clock_step(step: ClockStepped) -> str:
    """One sentence: amount, direction, new time, and the evidence."""
    back = step.by_ns < 0
    span = _span(abs(step.by_ns))
    if step.evidence is ClockEvidence.OTHER_BOOT:
        span = message("at_least_number", least=span)
    moment = datetime.fromtimestamp(step.utc_ns // _NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M:%S")
    evidence = _EVIDENCE[step.evidence]
    if back:
        return to_words(message("clock_set_back", span=span, moment=moment, evidence=evidence))
    return to_words(message("clock_set_forward", span=span, moment=moment, evidence=evidence))


def format_size(count: int) -> str:
    """A number of bytes in its largest unit with one decimal, rounded down."""
    for unit, name in _UNITS:
        if count >= unit:
            tenths = count * 10 // unit
            return f"{tenths // 10}.{tenths % 10} {name}"
    return to_words(message("size_in_bytes", number=count))


def _span(ns: int) -> Message:
    """A duration in its two largest units; under a minute in seconds and tenths."""
    seconds = ns // _NS_PER_S
    if seconds < 60:
        return message("span_seconds", number=f"{seconds}.{ns // (_NS_PER_S // 10) % 10}")
    parts = (
        message("span_days", number=seconds // 86400),
        message("span_hours", number=seconds // 3600 % 24),
        message("span_minutes", number=seconds // 60 % 60),
        message("span_seconds", number=seconds % 60),
    )
    units = [one for one in parts if one.parameters != (("number", 0),)]
    return message("span_of_units", units=tuple(units[:2]))
