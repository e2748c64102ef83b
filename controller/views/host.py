"""The machine's disk and clock as snapshot values and as sentences with number, limit and remedy.

Source: controller/table/README.md, "The clock", "Disk space".
"""

from datetime import UTC, datetime
from typing import Final

from controller.core.host_state import HostState, sync_state
from controller.tape.entries import ClockEvidence, ClockStepped, DiskLevelRecorded
from controller.tape.inputs import DiskLevel
from controller.views.snapshot_devices import ClockView, DiskView, HostView

MAKE_ROOM: Final = (
    "Remedy: make room: copy finished shoes elsewhere with `smartshoe journal archive`, then "
    "delete them from this disk with `smartshoe journal prune`, or remove files that are not the "
    "table's"
)
_EVIDENCE: Final = {
    ClockEvidence.SAME_BOOT: "its monotonic clock ran on evenly, or the machine slept",
    ClockEvidence.OTHER_BOOT: "it is earlier than when the machine last ran",
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
    free, limit = format_size(disk.free_bytes), format_size(disk.limit_bytes)
    match disk.level:
        case DiskLevel.UNKNOWN:
            return (
                "the free space on the journal's disk cannot be read, and no limit warns before the"
                " disk is full. Remedy: check the disk, and that this account may read the folder"
            )
        case DiskLevel.ENOUGH:
            return f"{free} are free on the journal's disk: enough"
        case DiskLevel.LOW:
            return f"only {free} are free on the journal's disk (limit {limit}). {MAKE_ROOM}"
        case DiskLevel.STOP:
            return (
                f"{free} are free on the journal's disk, and below {limit} no table runs: its"
                f" inputs could not be stored. {MAKE_ROOM}; then start the table again"
            )


def describe_clock_step(step: ClockStepped) -> str:
    """One sentence: amount, direction, new time, and the evidence."""
    back = step.by_ns < 0
    at_least = "at least " if step.evidence is ClockEvidence.OTHER_BOOT else ""
    way = "back" if back else "forward"
    moment = datetime.fromtimestamp(step.utc_ns // _NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M:%S")
    gaming_day = "; the gaming day does not change back" if back else ""
    return (
        f"the machine's clock was set {way} by {at_least}{_span(abs(step.by_ns))}, to {moment} UTC:"
        f" {_EVIDENCE[step.evidence]}{gaming_day}"
    )


def format_size(count: int) -> str:
    """A number of bytes in its largest unit with one decimal, rounded down."""
    for unit, name in _UNITS:
        if count >= unit:
            tenths = count * 10 // unit
            return f"{tenths // 10}.{tenths % 10} {name}"
    return f"{count} bytes"


def _span(ns: int) -> str:
    """A duration in its two largest units; under a minute in seconds and tenths."""
    seconds = ns // _NS_PER_S
    if seconds < 60:
        return f"{seconds}.{ns // (_NS_PER_S // 10) % 10} s"
    parts = (
        (seconds // 86400, "d"),
        (seconds // 3600 % 24, "h"),
        (seconds // 60 % 60, "min"),
        (seconds % 60, "s"),
    )
    units = [f"{count} {name}" for count, name in parts if count]
    return " ".join(units[:2])
