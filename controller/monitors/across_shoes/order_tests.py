"""What order of its batch's earlier shoe a shoe still has: the growth of a unit in each test.

Each test expects, before each card, some faces more than chance does, and puts a part of its
capital on them at the odds of the cards not yet seen; so no test is better than fair, whatever the
earlier order was.

Source: D. Bayer and P. Diaconis, Trailing the dovetail shuffle to its lair, 1992 (rising sequences,
guessing with feedback).
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from controller.monitors.across_shoes.batch_order import PARTS, BatchOrder
from controller.monitors.across_shoes.growth import GROWTH_BITS, ONE
from controller.monitors.faces import FACES, GAP
from controller.rules.advisory import OrderTest

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
