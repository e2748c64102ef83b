"""The device's clock against this machine's: offset, uncertainty and drift, all integers.

Source: firmware_bridge/tablelink/README.md, time and heartbeat.
"""

from operator import attrgetter
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

_BILLION: Final = 1_000_000_000
# Drift assumed until two exchanges far apart give a better bound; any quartz is better.
_DRIFT_PPB_MAX: Final = 100_000
# Allowance on a measured drift: temperature changes a quartz within minutes.
_WANDER_PPB: Final = 1_000
# Exchanges closer together bound the drift less than is known of any quartz.
_SPAN_US_MIN: Final = 30_000_000
# Beyond this a clock was set or a device is broken: earlier exchanges do not count.
_DRIFT_PPB_BROKEN: Final = 1_000_000
_DISTANCE_US_MAX: Final = 1 << 50
_round_trip_ns: Final = attrgetter("round_trip_ns")


class TimeExchange(Struct, frozen=True):
    """One time request and answer: the middle on both clocks, and the round-trip time.

    The device's clock read `device_us` at some moment within half of `round_trip_ns` of `host_ns`.
    """

    device_us: int
    host_ns: int
    round_trip_ns: int


class DeviceClock(Struct, frozen=True):
    """The last time exchanges, oldest first. Empty: nothing is known."""

    exchanges: tuple[TimeExchange, ...] = ()


class HostTime(Struct, frozen=True):
    """A moment by this machine's monotonic clock, and its uncertainty."""

    host_ns: int
    uncertainty_ns: int


def add_exchange(
    clock: DeviceClock,
    *,
    sent_ns: int,
    received_us: int,
    replied_us: int,
    answered_ns: int,
    window: int,
) -> DeviceClock:
    """Add an answer to a time request: an impossible one is dropped, a jump starts again."""
    round_trip_ns = (answered_ns - sent_ns) - (replied_us - received_us) * 1_000
    if replied_us < received_us or round_trip_ns < 0:
        return clock
    one = TimeExchange((received_us + replied_us) // 2, (sent_ns + answered_ns) // 2, round_trip_ns)
    if clock.exchanges and _is_discontinuous(clock.exchanges[-1], one):
        return DeviceClock((one,))
    return replace(clock, exchanges=(*clock.exchanges, one)[-window:])


def drift_ppb(clock: DeviceClock) -> int | None:
    """Drift of the device's clock in parts per billion, above 0 if slow; None if unknown."""
    pair = _best_pair(clock)
    return None if pair is None else _drift(*pair)


def host_time(clock: DeviceClock, device_us: int) -> HostTime | None:
    """Convert a device uptime to host time; None if nothing is known of the clock."""
    if not clock.exchanges:
        return None
    best = min(clock.exchanges, key=_round_trip_ns)
    since_us = device_us - best.device_us
    if abs(since_us) > _DISTANCE_US_MAX:
        return None
    pair = _best_pair(clock)
    drift, drift_uncertainty = (
        (0, _DRIFT_PPB_MAX) if pair is None else (_drift(*pair), _drift_uncertainty(*pair))
    )
    since_ns = since_us * 1_000
    host_ns = best.host_ns + since_ns + since_ns * drift // _BILLION
    # The timestamps themselves have a resolution of one microsecond.
    uncertainty_ns = best.round_trip_ns // 2 + abs(since_ns) * drift_uncertainty // _BILLION + 1_000
    return HostTime(host_ns, uncertainty_ns)


def _best_pair(clock: DeviceClock) -> tuple[TimeExchange, TimeExchange] | None:
    """The best exchange of each half of the window, if they are far enough apart."""
    half = len(clock.exchanges) // 2
    if not half:
        return None
    early, late = (
        min(clock.exchanges[:half], key=_round_trip_ns),
        min(clock.exchanges[half:], key=_round_trip_ns),
    )
    return (early, late) if late.device_us - early.device_us >= _SPAN_US_MIN else None


def _drift(early: TimeExchange, late: TimeExchange) -> int:
    """Parts per billion by which this machine's clock moved more than the device's."""
    device_ns = (late.device_us - early.device_us) * 1_000
    return (late.host_ns - early.host_ns - device_ns) * _BILLION // device_ns


def _drift_uncertainty(early: TimeExchange, late: TimeExchange) -> int:
    device_ns = (late.device_us - early.device_us) * 1_000
    ways_ns = (early.round_trip_ns + late.round_trip_ns) // 2
    return min(ways_ns * _BILLION // device_ns + _WANDER_PPB, _DRIFT_PPB_MAX)


def _is_discontinuous(before: TimeExchange, after: TimeExchange) -> bool:
    """Whether the two exchanges cannot belong to one clock that runs steadily."""
    device_ns = (after.device_us - before.device_us) * 1_000
    apart_ns = abs(after.host_ns - before.host_ns - device_ns)
    tolerance_ns = (before.round_trip_ns + after.round_trip_ns) // 2 + 1_000
    return device_ns < 0 or apart_ns > tolerance_ns + device_ns * _DRIFT_PPB_BROKEN // _BILLION
