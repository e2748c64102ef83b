"""Whether the shuffles of one device leave order, shoe after shoe; what it holds of each.

The order in which a batch was dealt before, as far as a poor shuffle leaves it, is for each face:
the faces that came after its copies, before them, beside them, and in the same coup or the next.
Discards are picked up coup by coup, so the order inside a coup need not stay.

Each test expects, before each card, some faces more than chance does, and puts a part of its
capital on them at the odds of the cards not yet seen; so no test is better than fair, whatever the
earlier order was.

Source: D. Bayer and P. Diaconis, Trailing the dovetail shuffle to its lair, 1992 (rising sequences,
guessing with feedback).
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from controller.monitors.budget import GROWTH_BITS, ONE, Alarm, entering, grown, threshold_of_life
from controller.monitors.faces import FACES, GAP
from controller.monitors.past import PastShoe, blocks_of
from controller.rules.advisory import AdvisoryKind, OrderTest, ShufflerEvidence
from foundation.recorded_text import Identifier

PARTS: Final = 8
# A card of the same coup counts three times one of the coups beside.
_SAME_COUP: Final = 3
# For each face, how often each other one is expected.
Table: TypeAlias = tuple[tuple[int, ...], ...]


class BatchOrder(Struct, frozen=True):
    """What a shoe of a batch says of its next one.

    `after`, `before` and `mates` count for each face the faces expected with it; `parts` the faces
    in each of eight equal parts of the shoe.
    """

    after: Table
    before: Table
    mates: Table
    parts: Table


def batch_order(shoe: PastShoe) -> BatchOrder:
    """What this shoe says of the next one of its batch."""
    after = [[0] * FACES for _ in range(FACES)]
    for first, second in zip(shoe.cards, shoe.cards[1:], strict=False):
        if GAP not in (first, second):
            after[first][second] += 1
    before = [list(column) for column in zip(*after, strict=True)]
    parts = [[0] * FACES for _ in range(PARTS)]
    for at, face in enumerate(shoe.cards):
        if face != GAP:
            parts[at * PARTS // len(shoe.cards)][face] += 1
    return BatchOrder(_frozen(after), _frozen(before), _frozen(_mates(shoe)), _frozen(parts))


def _mates(shoe: PastShoe) -> list[list[int]]:
    mates = [[0] * FACES for _ in range(FACES)]
    blocks = [block for _, block in blocks_of(shoe)]
    for at, block in enumerate(blocks):
        beside = b"".join((*blocks[at + 1 : at + 2], *(blocks[at - 1 : at] if at else ())))
        for place, face in enumerate(block):
            row = mates[face]
            for other in block[:place] + block[place + 1 :]:
                row[other] += _SAME_COUP
            for other in beside:
                row[other] += 1
    return mates


def _frozen(table: list[list[int]]) -> Table:
    return tuple(tuple(row) for row in table)


# The cards of which the next may be the successor: as many packets may be riffled together.
WINDOW: Final = 8
# The parts of a unit that a test puts on what it expects, of 1,024: for a trace of order and for
# much. One guess wins fifty times its stake, a part of a shoe hardly more than it.
_OF_STAKES: Final = 1_024
_STAKES: Final = (4, 16, 64)
_GUESS_STAKES: Final = (1, 4, 16)
_POSITION_STAKES: Final = (16, 96, 384)
STAKES: Final = len(_STAKES)


class OrderFound(Struct, frozen=True):
    """What a shoe made of one unit with each stake, and what the test counted.

    `found` is what the cards had of the expected, `chance_thousandths` what chance has of it.
    """

    growth: tuple[int, ...]
    found: int
    chance_thousandths: int


class _Wager:
    """A test along a shoe: what it won so far; `misses` are settled at the end."""

    def __init__(self, stakes: Sequence[int] = _STAKES) -> None:
        self._stakes = stakes
        self._growth = [ONE] * len(stakes)
        self._misses = 0
        self._found = 0
        self._chance = 0

    def settle(self, count: int, of: int, left: int, of_face: int) -> None:
        """A face came that had `count` of the `of` expected; `of_face` of `left` cards had it."""
        if not of:
            return
        self._chance += of
        if not count:
            self._misses += 1
            return
        self._found += count
        won, fair = count * left, of * of_face
        # Of 1,024 parts the stake is at the odds, the others stay.
        gain, whole, growth = won - fair, _OF_STAKES * fair, self._growth
        for at, stake in enumerate(self._stakes):
            growth[at] = growth[at] * (whole + stake * gain) // whole

    def result(self) -> OrderFound:
        lost = self._misses
        growth = tuple(
            one * (_OF_STAKES - stake) ** lost // _OF_STAKES**lost
            for one, stake in zip(self._growth, self._stakes, strict=True)
        )
        return OrderFound(growth, self._found, 1_000 * self._chance // FACES)


def order_tests(earlier: BatchOrder, cards: bytes, decks: int) -> dict[OrderTest, OrderFound]:
    """Each test over the cards of a shoe; `GAP` for those that nobody saw."""
    neighbours = tuple(
        tuple(map(sum, zip(*rows, strict=True)))
        for rows in zip(earlier.after, earlier.before, strict=True)
    )
    walked = _walk(cards, decks)
    after, before = earlier.after, earlier.before
    return {
        OrderTest.ADJACENCY: _by_window(walked, neighbours, 1),
        OrderTest.COUPS: _by_window(walked, earlier.mates, 1),
        OrderTest.RISING: _by_window(walked, after, WINDOW),
        OrderTest.FALLING: _by_window(walked, before, WINDOW),
        OrderTest.GUESSING: _guessing(walked, after, decks),
        OrderTest.POSITIONS: _positions(walked, earlier.parts, decks * FACES),
    }


class _Step(Struct, frozen=True):
    """A card that was seen: its place, how many were not yet seen, and of its face."""

    at: int
    face: int
    left: int
    of_face: int
    window: bytes


def _walk(cards: bytes, decks: int) -> tuple[_Step, ...]:
    counts, left = [decks] * FACES, decks * FACES
    steps: list[_Step] = []
    for at, face in enumerate(cards):
        # More of a face, or more cards, than the decks have are custody's finding.
        if face == GAP or not counts[face]:
            continue
        window = cards[max(at - WINDOW, 0) : at]
        # What came before a card that nobody saw is no neighbour.
        window = window[window.rfind(GAP) + 1 :]
        steps.append(_Step(at, face, left, counts[face], window))
        counts[face] -= 1
        left -= 1
    return tuple(steps)


def _by_window(steps: tuple[_Step, ...], table: Sequence[Sequence[int]], size: int) -> OrderFound:
    """Expects what the table has for the last so many cards."""
    wager, of_row = _Wager(), [sum(row) for row in table]
    for step in steps:
        window, face = step.window[-size:], step.face
        count = of = 0
        for one in window:
            count += table[one][face]
            of += of_row[one]
        wager.settle(count, of, step.left, step.of_face)
    return wager.result()


def _guessing(steps: tuple[_Step, ...], after: Sequence[Sequence[int]], decks: int) -> OrderFound:
    """Guesses one face for each card: the likeliest successor of the last ones that is left."""
    follows = [[other for other, count in enumerate(row) if count] for row in after]
    counts = [decks] * FACES
    growth, misses, hits, chance = [ONE] * STAKES, 0, 0, 0
    for step in steps:
        hopes: dict[int, int] = {}
        for one in step.window:
            for other in follows[one]:
                if counts[other]:
                    hopes[other] = hopes.get(other, 0) + after[one][other]
        if hopes:
            guess = max(hopes, key=hopes.__getitem__)
            chance += 1_000 * counts[guess] // step.left
            if guess == step.face:
                hits += 1
                for at, stake in enumerate(_GUESS_STAKES):
                    upper = (_OF_STAKES - stake) * step.of_face + stake * step.left
                    growth[at] = growth[at] * upper // (_OF_STAKES * step.of_face)
            else:
                misses += 1
        counts[step.face] -= 1
    lost = tuple(
        one * (_OF_STAKES - stake) ** misses // _OF_STAKES**misses
        for one, stake in zip(growth, _GUESS_STAKES, strict=True)
    )
    return OrderFound(lost, hits, chance)


# --- positions ------------------------------------------------------------------------------------

_HALF: Final = PARTS // 2
# What may come in a part of the new shoe: one part of the earlier one, or one of each half riffled.
_SOURCES: Final = (
    *((part,) for part in range(PARTS)),
    *((part, _HALF + part) for part in range(_HALF)),
)


def _maps() -> tuple[tuple[int, ...], ...]:
    """For each part of the new shoe its source: in order, backward, or halves riffled; any cut."""
    ways: list[tuple[int, ...]] = []
    for cut in range(PARTS):
        turned = [(part + cut) % PARTS for part in range(PARTS)]
        ways.append(tuple(turned))
        ways.append(tuple(PARTS - 1 - part for part in turned))
        ways.append(tuple(PARTS + part // 2 for part in turned))
    return tuple(ways)


_MAPS: Final = _maps()


def _positions(steps: tuple[_Step, ...], parts: Sequence[Sequence[int]], cards: int) -> OrderFound:
    """Expects the faces of the part that would come here, with every map alike."""
    wagers = [[_Wager(_POSITION_STAKES) for _ in _SOURCES] for _ in range(PARTS)]
    sizes = [sum(sum(parts[part]) for part in source) for source in _SOURCES]
    counts = [
        [sum(parts[part][face] for part in source) for source in _SOURCES] for face in range(FACES)
    ]
    for step in steps:
        here = wagers[min(step.at * PARTS // cards, PARTS - 1)]
        left, of_face = step.left, step.of_face
        for wager, count, of in zip(here, counts[step.face], sizes, strict=True):
            wager.settle(count, of, left, of_face)
    results = [[wager.result() for wager in row] for row in wagers]
    mapped = [
        _together([row[source] for row, source in zip(results, way, strict=True)]) for way in _MAPS
    ]
    best = max(mapped, key=lambda one: one.growth[1])
    growth = tuple(
        sum(column) // len(_MAPS) for column in zip(*(one.growth for one in mapped), strict=True)
    )
    return OrderFound(growth, best.found, best.chance_thousandths)


def _together(results: Sequence[OrderFound]) -> OrderFound:
    """One test over the parts of a shoe."""
    growth = [ONE] * STAKES
    for one in results:
        growth = [have * more >> GROWTH_BITS for have, more in zip(growth, one.growth, strict=True)]
    found = sum(one.found for one in results)
    return OrderFound(tuple(growth), found, sum(one.chance_thousandths for one in results))


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
