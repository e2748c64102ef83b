"""What is said of the machine's clock and disk: in the snapshot, in the log, at the end of a run.

Responsible for: plain values (JSON) and sentences that name the number, the limit and the remedy.
Not responsible for: finding it out (host_state, disk_watch).
Source: package README, "The clock", "Disk space".
"""

from datetime import UTC, datetime
from typing import Final, TypeAlias

from controller.core.host_state import HostState
from controller.tape.entries import ClockEvidence, ClockStepped, DiskNoted
from controller.tape.inputs import DiskLevel

Plain: TypeAlias = dict[str, object]

MAKE_ROOM: Final = (
    "Make room: copy finished shoes elsewhere with `smartshoe journal archive`, then take them"
    " from this disk with `smartshoe journal prune`, or remove what is not of the table"
)
_EVIDENCE: Final = {
    ClockEvidence.SAME_BOOT: "its other clock went on evenly, or it slept",
    ClockEvidence.OTHER_BOOT: "it is earlier than when the machine was last on",
}
_NS_PER_S: Final = 1_000_000_000
_NS_PER_MS: Final = 1_000_000
# A step is shown for so long; the journal has it for ever.
SHOWN_NS: Final = 24 * 3600 * _NS_PER_S
_UNITS: Final = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def host_view(host: HostState) -> Plain:
    """`disk` is null while there is room enough, `clock` while it was not set of late."""
    disk, step = host.disk, host.stepped
    low = disk is not None and disk.level is not DiskLevel.ENOUGH
    late = step is not None and host.last_utc_ns - step.utc_ns < SHOWN_NS
    return {
        "disk": _disk(disk) if disk is not None and low else None,
        "clock": _clock(host, step) if step is not None and late else None,
    }


def _disk(disk: DiskNoted) -> Plain:
    return {
        "level": disk.level.value,
        "free_bytes": disk.free_bytes,
        "limit_bytes": disk.limit_bytes,
        "text": disk_words(disk),
    }


def _clock(host: HostState, step: ClockStepped) -> Plain:
    return {
        "steps": host.steps,
        "by_ms": step.by_ns // _NS_PER_MS,
        "at_ns": step.utc_ns,
        "evidence": step.evidence.value,
        "text": clock_words(step),
    }


def disk_words(disk: DiskNoted) -> str:
    """One sentence: what is left, what the limit is, what to do."""
    free, limit = size_words(disk.free_bytes), size_words(disk.limit_bytes)
    match disk.level:
        case DiskLevel.ENOUGH:
            return f"{free} are free on the disk of the journal: enough again"
        case DiskLevel.LOW:
            return f"only {free} are free on the disk of the journal (limit {limit}). {MAKE_ROOM}"
        case DiskLevel.STOP:
            return (
                f"{free} are free on the disk of the journal, and below {limit} no table runs: what"
                f" it is told could not be kept. {MAKE_ROOM}; then start the table again"
            )


def clock_words(step: ClockStepped) -> str:
    """One sentence: by how much, which way, since when, and what shows it."""
    back = step.by_ns < 0
    at_least = "at least " if step.evidence is ClockEvidence.OTHER_BOOT else ""
    way = "back" if back else "forward"
    moment = datetime.fromtimestamp(step.utc_ns // _NS_PER_S, UTC).strftime("%Y-%m-%d %H:%M:%S")
    kept = "; the gaming day does not turn back" if back else ""
    return (
        f"the machine's clock was set {way} by {at_least}{_span(abs(step.by_ns))}, to {moment} UTC:"
        f" {_EVIDENCE[step.evidence]}{kept}"
    )


def size_words(count: int) -> str:
    """Bytes as people read them, rounded down."""
    for unit, name in _UNITS:
        if count >= unit:
            tenths = count * 10 // unit
            return f"{tenths // 10}.{tenths % 10} {name}"
    return f"{count} bytes"


def _span(ns: int) -> str:
    """A length of time in its two largest parts; under a minute in seconds and tenths."""
    seconds = ns // _NS_PER_S
    if seconds < 60:
        return f"{seconds}.{ns // (_NS_PER_S // 10) % 10} s"
    parts = (
        (seconds // 86400, "d"),
        (seconds // 3600 % 24, "h"),
        (seconds // 60 % 60, "min"),
        (seconds % 60, "s"),
    )
    told = [f"{count} {name}" for count, name in parts if count]
    return " ".join(told[:2])
