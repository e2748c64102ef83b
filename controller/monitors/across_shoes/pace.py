"""Whether the pace of a table, from coup to coup, is not what it was: slower or faster.

Of each shoe the median time from one coup's first card to the next one's. If the shoes' paces are
as likely in any order, the newest stands at each rank among those before with one chance. Four
bets, each with a capital of its own: among the slowest or fastest quarter, or sixteenth. Ties count
as if they were nearer the middle.

Source: V. Vovk et al., Algorithmic learning in a random world, 2005 (conformal test martingales).
"""

from math import isqrt
from statistics import median_low
from typing import Final

from msgspec import Struct

from controller.monitors.budget import (
    FRACTION_BITS,
    ONE,
    Alarm,
    entering,
    grown,
    log2_of,
    threshold_of_life,
)
from controller.rules.advisory import AdvisoryKind, PaceEvidence

LIMIT: Final = threshold_of_life(AdvisoryKind.CADENCE, 1)
COUPS_MIN: Final = 16
# Of a doubling of the time; from a second to about an hour.
_STEPS: Final = 16
_BINS: Final = 12 * _STEPS
_LEAST_MS: Final = 1_000
_ROOT_BITS: Final = 32


# What a bet puts three quarters of its capital on: to be among one in so many.
_ENDS: Final = (4, 16)
_BETS: Final = 2 * len(_ENDS)


class TablePace(Struct, frozen=True):
    """The paces of all shoes by bin, and the capital of each bet: on fast shoes, then on slow."""

    shoes: int = 0
    bins: tuple[int, ...] = (0,) * _BINS
    capital: tuple[int, ...] = (0,) * _BETS


def compare_pace(
    before: TablePace, gaps_ms: tuple[int, ...]
) -> tuple[TablePace, Alarm | None, PaceEvidence | None]:
    """The pace after a shoe with these times from coup to coup, and what is said of it."""
    if len(gaps_ms) < COUPS_MIN:
        return before, None, None
    if (len(before.bins), len(before.capital)) != (_BINS, _BETS):
        before = TablePace()  # what other bets held starts again
    pace_ms = median_low(gaps_ms)
    here, shoes = _bin_of(pace_ms), before.shoes + 1
    bins = (*before.bins[:here], before.bins[here] + 1, *before.bins[here + 1 :])
    ranks = (sum(bins[: here + 1]), sum(bins[here:]))
    growth = [_growth(rank, shoes, one_in) for rank in ranks for one_in in _ENDS]
    enters = entering(shoes, _BETS)
    capital = tuple(
        grown(one, enters, more) for one, more in zip(before.capital, growth, strict=True)
    )
    held, alarm, evidence = sum(capital), None, None
    if held >= LIMIT:
        alarm = Alarm(AdvisoryKind.CADENCE, held, LIMIT)
        evidence = PaceEvidence(pace_ms, _usual_ms(before), before.shoes)
        capital = (0,) * _BETS
    return TablePace(shoes, bins, capital), alarm, evidence


def _bin_of(pace_ms: int) -> int:
    octaves = log2_of(max(pace_ms, _LEAST_MS)) - log2_of(_LEAST_MS)
    return min(octaves * _STEPS >> FRACTION_BITS, _BINS - 1)


def _growth(rank: int, shoes: int, one_in: int) -> int:
    """What a unit becomes that bets on a rank among the first of so many shoes."""
    out = ONE // 4
    return out + (ONE - out) * one_in if rank * one_in <= shoes else out


def _usual_ms(pace: TablePace) -> int:
    """The lower end of the bin in which half the shoes are reached."""
    below = 0
    for at, count in enumerate(pace.bins):
        below += count
        if 2 * below >= pace.shoes:
            return _least_of(at)
    return 0


def _least_of(at: int) -> int:
    """The lower end of a bin: the sixteenth root of a power of two, by four square roots."""
    root = 1 << (at + _STEPS * _ROOT_BITS)
    for _ in range(4):
        root = isqrt(root)
    return _LEAST_MS * root >> _ROOT_BITS
