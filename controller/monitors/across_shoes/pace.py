"""Whether the pace of a table, from coup to coup, is not what it was: slower or faster.

Of each shoe the median time from one coup's first card to the next one's. If the shoes' paces are
as likely in any order, the newest stands at each rank among those before with one chance; what it
bets on is a rank near either end. Ties count as if they were nearer the middle.

Source: controller/monitors/README.md, "Over many shoes"; V. Vovk et al., Algorithmic learning in a
random world, 2005 (conformal test martingales).
"""

from math import isqrt
from statistics import median_low
from typing import Final

from msgspec import Struct

from controller.monitors.across_shoes.growth import GROWTH_BITS, entering, grown
from controller.monitors.advisory import AdvisoryKind, PaceEvidence
from controller.monitors.budget import FRACTION_BITS, Alarm, log2_of, threshold_of_life

LIMIT: Final = threshold_of_life(AdvisoryKind.CADENCE, 1)
COUPS_MIN: Final = 16
# Of a doubling of the time; from a second to about an hour.
_STEPS: Final = 16
_BINS: Final = 12 * _STEPS
_LEAST_MS: Final = 1_000
_ROOT_BITS: Final = 32


class TablePace(Struct, frozen=True):
    """The paces of all shoes by bin, and the capital of the test."""

    shoes: int = 0
    bins: tuple[int, ...] = (0,) * _BINS
    capital: int = 0


def compare_pace(
    before: TablePace, gaps_ms: tuple[int, ...]
) -> tuple[TablePace, Alarm | None, PaceEvidence | None]:
    """The pace after a shoe with these times from coup to coup, and what is said of it."""
    if len(gaps_ms) < COUPS_MIN:
        return before, None, None
    pace_ms = median_low(gaps_ms)
    here, shoes = _bin_of(pace_ms), before.shoes + 1
    bins = (*before.bins[:here], before.bins[here] + 1, *before.bins[here + 1 :])
    growth = (_growth(sum(bins[: here + 1]), shoes) + _growth(sum(bins[here:]), shoes)) // 2
    capital = grown(before.capital, entering(shoes, 1), growth)
    alarm, evidence = None, None
    if capital >= LIMIT:
        alarm = Alarm(AdvisoryKind.CADENCE, capital, LIMIT)
        evidence = PaceEvidence(pace_ms, _usual_ms(before), before.shoes)
        capital = 0
    return TablePace(shoes, bins, capital), alarm, evidence


def _bin_of(pace_ms: int) -> int:
    octaves = log2_of(max(pace_ms, _LEAST_MS)) - log2_of(_LEAST_MS)
    return min(octaves * _STEPS >> FRACTION_BITS, _BINS - 1)


def _growth(rank: int, shoes: int) -> int:
    """Half the root of shoes over rank: over all ranks, a mean of at most one."""
    return isqrt((shoes << 2 * GROWTH_BITS) // rank) // 2


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
