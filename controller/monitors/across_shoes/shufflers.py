"""Whether the shuffles of one device leave order, shoe after shoe; what it holds of each."""

from typing import Final

from msgspec import Struct

from controller.monitors.across_shoes.batch_order import batch_order
from controller.monitors.across_shoes.growth import entering, grown
from controller.monitors.across_shoes.order_tests import STAKES, order_tests
from controller.monitors.budget import Alarm, threshold_of_life
from controller.monitors.past import PastShoe
from controller.rules.advisory import AdvisoryKind, OrderTest, ShufflerEvidence
from foundation.recorded_text import Identifier

SHUFFLERS_MAX: Final = 8
LIMIT: Final = threshold_of_life(AdvisoryKind.SHUFFLER, SHUFFLERS_MAX)
# What is compared has at least so many cards.
CARDS_MIN: Final = 52
# In this order what the tests hold is stored: a further one goes to the end.
TESTS: Final = (
    OrderTest.ADJACENCY,
    OrderTest.COUPS,
    OrderTest.RISING,
    OrderTest.FALLING,
    OrderTest.GUESSING,
    OrderTest.POSITIONS,
)
_CAPITALS: Final = len(TESTS) * STAKES


class Counted(Struct, frozen=True):
    """What a test counted over the shoes since it last spoke, beside what chance has."""

    found: int = 0
    chance_thousandths: int = 0


class Shuffler(Struct, frozen=True):
    """The tests on one device, or on shuffles by hand.

    It shuffled `shoes` that could be compared, `since` of them after its newest advisory.
    `capital` is that of each test with each of its stakes.
    """

    device: Identifier
    shoes: int = 0
    since: int = 0
    capital: tuple[int, ...] = (0,) * _CAPITALS
    counted: tuple[Counted, ...] = (Counted(),) * len(TESTS)


def compare(
    known: tuple[Shuffler, ...], device: Identifier, earlier: PastShoe, cards: bytes, decks: int
) -> tuple[tuple[Shuffler, ...], Alarm | None, ShufflerEvidence | None]:
    """The shufflers after a shoe that this one shuffled, and what is said of it.

    `earlier` is the shoe before of the same batch. Of too many devices the first is forgotten.
    """
    if min(len(earlier.cards), len(cards)) < CARDS_MIN:
        return known, None, None
    # What other tests held, or with other stakes, starts again.
    same = (one for one in known if one.device == device and len(one.capital) == _CAPITALS)
    before = next(same, Shuffler(device))
    results = order_tests(batch_order(earlier), cards, decks)
    shoes = before.shoes + 1
    growth = [one for test in TESTS for one in results[test].growth]
    enters = entering(shoes, _CAPITALS)
    capital = tuple(
        grown(one, enters, more) for one, more in zip(before.capital, growth, strict=True)
    )
    counted = tuple(
        Counted(
            one.found + results[test].found,
            one.chance_thousandths + results[test].chance_thousandths,
        )
        for one, test in zip(before.counted, TESTS, strict=True)
    )
    after = Shuffler(device, shoes, before.since + 1, capital, counted)
    held, alarm, evidence = sum(capital), None, None
    if held >= LIMIT:
        alarm, evidence = Alarm(AdvisoryKind.SHUFFLER, held, LIMIT), shuffler_evidence(after)
        # What was said is not said again of the same shoes.
        after = Shuffler(device, shoes)
    others = tuple(one for one in known if one.device != device)
    return (*others, after)[-SHUFFLERS_MAX:], alarm, evidence


def shuffler_evidence(shuffler: Shuffler) -> ShufflerEvidence:
    """What the leading test of a device counted."""
    by_test = [sum(shuffler.capital[at * STAKES : (at + 1) * STAKES]) for at in range(len(TESTS))]
    leading = max(range(len(by_test)), key=by_test.__getitem__)
    counted = shuffler.counted[leading]
    return ShufflerEvidence(
        shuffler.device,
        TESTS[leading],
        shuffler.since,
        counted.found,
        counted.chance_thousandths // 1_000,
    )
