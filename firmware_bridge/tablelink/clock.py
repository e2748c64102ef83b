"""The device's clock beside this machine's: offset, uncertainty and drift, all integers.

Responsible for: the exchanges of the last while, the best of them, and when by this machine's
monotonic clock something happened that the device stamped with its uptime.
Not responsible for: asking (link), and for which boot a stamp is of (delivery).
Source: package README, "TableLink/1", time and heartbeat.
"""

from typing import Final

from firmware_bridge.values import dataclass, replace

_BILLION: Final = 1_000_000_000
# A quartz is off by less; until two exchanges far apart tell more, it may be off by this.
_DRIFT_PPB_MAX: Final = 100_000
# What two exchanges cannot tell: temperature changes a quartz within minutes.
_WANDER_PPB: Final = 1_000
# Nearer together they tell less of the drift than is known of any quartz.
_SPAN_US_MIN: Final = 30_000_000
# Further off, a clock was set or a device is broken: nothing of before is comparable.
_DRIFT_PPB_BROKEN: Final = 1_000_000
_DISTANCE_US_MAX: Final = 1 << 50


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question for the time: the middle of it on both clocks, and how long its way was.

    The device's clock stood at `device_us` at some moment within half of `way_ns` of `host_ns`.
    """

    device_us: int
    host_ns: int
    way_ns: int


@dataclass(frozen=True, slots=True)
class Clock:
    """The last exchanges, the oldest first. Empty: nothing is known."""

    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """When it was by this machine's monotonic clock, and how far that may be off."""

    host_ns: int
    uncertainty_ns: int


def heard(
    clock: Clock, *, sent_ns: int, came_us: int, left_us: int, back_ns: int, window: int
) -> Clock:
    """One more answer. One that cannot be true is dropped; after a jump it stands alone."""
    way_ns = (back_ns - sent_ns) - (left_us - came_us) * 1_000
    if left_us < came_us or way_ns < 0:
        return clock
    one = Exchange((came_us + left_us) // 2, (sent_ns + back_ns) // 2, way_ns)
    if clock.exchanges and _broken(clock.exchanges[-1], one):
        return Clock((one,))
    return replace(clock, exchanges=(*clock.exchanges, one)[-window:])


def drift_ppb(clock: Clock) -> int | None:
    """How much longer than true the device's seconds last; None where it cannot be told yet."""
    pair = _pair(clock)
    return None if pair is None else _drift(*pair)


def when(clock: Clock, device_us: int) -> Moment | None:
    """The moment of a stamp; None where nothing is known of the clock."""
    if not clock.exchanges:
        return None
    best = min(clock.exchanges, key=_way)
    since_us = device_us - best.device_us
    if abs(since_us) > _DISTANCE_US_MAX:
        return None
    pair = _pair(clock)
    drift, doubt = (0, _DRIFT_PPB_MAX) if pair is None else (_drift(*pair), _doubt(*pair))
    since_ns = since_us * 1_000
    host_ns = best.host_ns + since_ns + since_ns * drift // _BILLION
    # One microsecond is what the stamps themselves leave open.
    uncertainty_ns = best.way_ns // 2 + abs(since_ns) * doubt // _BILLION + 1_000
    return Moment(host_ns, uncertainty_ns)


def _way(exchange: Exchange) -> int:
    return exchange.way_ns


def _pair(clock: Clock) -> tuple[Exchange, Exchange] | None:
    """The best exchange of each half of the window, if they lie far enough apart."""
    half = len(clock.exchanges) // 2
    if not half:
        return None
    early, late = min(clock.exchanges[:half], key=_way), min(clock.exchanges[half:], key=_way)
    return (early, late) if late.device_us - early.device_us >= _SPAN_US_MIN else None


def _drift(early: Exchange, late: Exchange) -> int:
    """Parts per billion by which this machine's clock moved more than the device's."""
    device_ns = (late.device_us - early.device_us) * 1_000
    return (late.host_ns - early.host_ns - device_ns) * _BILLION // device_ns


def _doubt(early: Exchange, late: Exchange) -> int:
    device_ns = (late.device_us - early.device_us) * 1_000
    ways_ns = (early.way_ns + late.way_ns) // 2
    return min(ways_ns * _BILLION // device_ns + _WANDER_PPB, _DRIFT_PPB_MAX)


def _broken(before: Exchange, after: Exchange) -> bool:
    """Whether the two cannot be of one clock that runs as clocks run."""
    device_ns = (after.device_us - before.device_us) * 1_000
    apart_ns = abs(after.host_ns - before.host_ns - device_ns)
    doubt_ns = (before.way_ns + after.way_ns) // 2 + 1_000
    return device_ns < 0 or apart_ns > doubt_ns + device_ns * _DRIFT_PPB_BROKEN // _BILLION
