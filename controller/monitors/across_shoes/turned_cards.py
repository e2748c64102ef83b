"""Whether the way round in which a batch's cards lie goes with their rank.

High cards turned end for end keep their orientation through a machine. The test learns from each
card, for both orientations, how often each rank comes so, and bets on the next card's rank by what
it learned before; chance expects the ranks that are left, whichever way the card lies.
"""

from typing import Final

from msgspec import Struct

from controller.monitors.budget import ONE, Alarm, entering, grown, threshold_of_life
from controller.monitors.faces import GAP, RANKS
from controller.rules.advisory import AdvisoryKind, TurnedEvidence
from foundation.recorded_text import Identifier

BATCHES_MAX: Final = 4
LIMIT: Final = threshold_of_life(AdvisoryKind.ORIENTATION, BATCHES_MAX)
# Before anything is learned, a rank comes turned as often as not: as if so many had each way.
_BEFORE: Final = 8
_LEARNED_MAX: Final = 1 << 20
_FINE: Final = 1 << 20


class BatchTurned(Struct, frozen=True):
    """The test on one batch: its shoes, its capital, and cards by rank, straight and turned."""

    batch: Identifier
    shoes: int = 0
    capital: int = 0
    straight: tuple[int, ...] = (0,) * RANKS
    turned: tuple[int, ...] = (0,) * RANKS


def compare_turned(
    known: tuple[BatchTurned, ...], batch: Identifier, cards: bytes, turned: bytes, decks: int
) -> tuple[tuple[BatchTurned, ...], Alarm | None, TurnedEvidence | None]:
    """The batches after a shoe of this one, and what is said of it.

    `turned` has for each card 1 if it lay the other way round, 0 if not, `GAP` if not reported.
    """
    before = next((one for one in known if one.batch == batch), BatchTurned(batch))
    shoes = before.shoes + 1
    growth, learned = _growth(before, cards, turned, decks)
    capital = grown(before.capital, entering(shoes, 1), growth)
    straight, other = (tuple(min(one, _LEARNED_MAX) for one in row) for row in learned)
    after = BatchTurned(batch, shoes, capital, straight, other)
    alarm, evidence = None, None
    if capital >= LIMIT:
        alarm = Alarm(AdvisoryKind.ORIENTATION, capital, LIMIT)
        evidence = _evidence(after)
        after = BatchTurned(batch, shoes)
    others = tuple(one for one in known if one.batch != batch)
    return (*others, after)[-BATCHES_MAX:], alarm, evidence


def _growth(
    before: BatchTurned, cards: bytes, turned: bytes, decks: int
) -> tuple[int, tuple[list[int], list[int]]]:
    """What a unit becomes over the cards of a shoe, and the counts after it."""
    learned = (list(before.straight), list(before.turned))
    left = [4 * decks] * RANKS
    growth = ONE
    for face, way in zip(cards, turned, strict=False):
        if face == GAP:
            continue
        rank = face % RANKS
        if not left[rank]:
            continue
        if way != GAP:
            row = learned[way]
            hopes = [
                _FINE * (of_way + _BEFORE) // (one + two + 2 * _BEFORE)
                for of_way, one, two in zip(row, *learned, strict=True)
            ]
            expected = sum(count * hope for count, hope in zip(left, hopes, strict=True))
            fair = 4 * expected
            # A quarter of what it holds stays out of the bet.
            growth = growth * (expected + 3 * hopes[rank] * sum(left)) // fair
            row[rank] += 1
        left[rank] -= 1
    return growth, learned


def _evidence(batch: BatchTurned) -> TurnedEvidence:
    totals = [one + two for one, two in zip(batch.straight, batch.turned, strict=True)]
    # The rank whose cards most often lie one way, beside how often all do.
    rank = max(range(RANKS), key=lambda at: batch.turned[at] * 1_000 // max(totals[at], 1))
    return TurnedEvidence(
        batch.batch,
        batch.shoes,
        sum(batch.turned),
        sum(totals),
        batch.turned[rank],
        totals[rank],
    )
