"""Exact likelihood-ratio tests that each know one anomaly: the yardstick of a monitor's delay.

A test knows the kind of the anomaly, not what chance chose: not the cut, the run's suit or rank,
nor, where the anomaly lies inside the shoe, its first card. It has the whole alarm budget for
itself. Chance expects each card as often as the cards not yet seen hold it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from simulated_shoes import DECKS

from controller.monitors.budget import BUDGET, BUDGET_SHOES
from controller.monitors.coup_bets import VALUE_OF, VALUES
from controller.monitors.faces import FACES, RANKS, SUITS

LIMIT: Final = BUDGET_SHOES / BUDGET
# The likelihood of each next face after these, in order, of an anomaly that began with the first.
Expected = Callable[[Sequence[int], Counter[int]], float]


def delay(faces: Sequence[int], likelihood: Callable[[Sequence[int], Counter[int]], float]) -> int:
    """Cards until the likelihood ratio of an anomaly from the first card on reaches the limit."""
    ratio, left = 1.0, Counter(dict.fromkeys(range(FACES), DECKS))
    for count, face in enumerate(faces):
        ratio *= likelihood(faces[: count + 1], left) / (left[face] / left.total())
        left[face] -= 1
        if ratio >= LIMIT:
            return count + 1
    return len(faces) + 1


def delay_of_unknown_start(
    faces: Sequence[int], likelihood: Callable[[Sequence[int], Counter[int]], float]
) -> int:
    """The same, with each card of the shoe as likely to be the anomaly's first."""
    left = Counter(dict.fromkeys(range(FACES), DECKS))
    ratios: list[float] = []
    for count, face in enumerate(faces):
        chance = left[face] / left.total()
        ratios.append(1.0)
        ratios = [
            0.0 if ratio == 0 else ratio * likelihood(faces[start : count + 1], left) / chance
            for start, ratio in enumerate(ratios)
        ]
        left[face] -= 1
        if sum(ratios) / len(faces) >= LIMIT:
            return count + 1
    return len(faces) + 1


def delay_of_string(
    faces: Sequence[int],
    blocks: Sequence[Sequence[int]],
    begins: int | None = None,
    earliest: int = 0,
    *,
    cut: bool = False,
) -> int:
    """Cards until the ratio of blocks one after another, in any order inside each, is the limit.

    Any block may be the first, and, unless the string begins at `begins`, any card its first from
    `earliest` on. `cut`: it may begin inside a block, and the first block comes after the last.
    """
    left = Counter(dict.fromkeys(range(FACES), DECKS))
    starts = len(faces) if begins is None else 1
    first = [
        (1.0, at, tuple(block), coming)
        for at, block in enumerate(blocks)
        for coming in (range(1, len(block) + 1) if cut else (len(block),))
    ]
    share = 1 / (starts * len(first))
    alive: list[tuple[float, int, tuple[int, ...], int]] = []
    for count, face in enumerate(faces):
        chance = left[face] / left.total()
        left[face] -= 1
        if count >= earliest if begins is None else count == begins:
            alive += first
        moved = []
        for ratio, at, rest, coming in alive:
            if not coming:
                at = (at + 1) % len(blocks) if cut else at + 1
                rest = tuple(blocks[at]) if at < len(blocks) else ()
                coming = len(rest)
            if face in rest:
                place = rest.index(face)
                expected = rest.count(face) / len(rest) / chance
                others = rest[:place] + rest[place + 1 :]
                moved.append((ratio * expected, at, others, coming - 1))
        alive = moved
        if sum(one[0] for one in alive) * share >= LIMIT:
            return count + 1
    return len(faces) + 1


# --- the likelihood of the newest card, given those before it and what was left before it ---------


def of_order(deck: Sequence[int]) -> Callable[[Sequence[int], Counter[int]], float]:
    """A deck's order after any cut: the first card is any, the others follow."""
    after = dict(zip(deck, [*deck[1:], deck[0]], strict=True))

    def likelihood(faces: Sequence[int], left: Counter[int]) -> float:
        if len(faces) == 1:
            return left[faces[0]] / left.total()
        return float(after[faces[-2]] == faces[-1])

    return likelihood


def of_sorting(deck: Sequence[int]) -> Callable[[Sequence[int], Counter[int]], float]:
    """Eight of a face, then the next: the first face is cut after any of its eight cards."""
    after = dict(zip(deck, [*deck[1:], deck[0]], strict=True))

    def likelihood(faces: Sequence[int], left: Counter[int]) -> float:
        if len(faces) == 1:
            return 1 / FACES
        before = faces[-2]
        together = 0
        for face in reversed(faces[:-1]):
            if face != before:
                break
            together += 1
        first = together == len(faces) - 1
        # Of the first face 1 to 8 cards come, each number as likely; of the others always 8.
        same = (DECKS - together) / (DECKS - together + 1) if first else float(together < DECKS)
        if faces[-1] == before:
            return same
        return 1 - same if faces[-1] == after[before] else 0.0

    return likelihood


def of_set(followers: Callable[[int], set[int]]) -> Callable[[Sequence[int], Counter[int]], float]:
    """A run: the next card is any left whose face may follow the one before."""

    def likelihood(faces: Sequence[int], left: Counter[int]) -> float:
        if len(faces) == 1:
            return left[faces[0]] / left.total()
        allowed = followers(faces[-2])
        if faces[-1] not in allowed:
            return 0.0
        return left[faces[-1]] / sum(left[face] for face in allowed)

    return likelihood


def same_suit(face: int) -> set[int]:
    return {face // RANKS * RANKS + rank for rank in range(RANKS)}


def same_rank(face: int) -> set[int]:
    return {suit * RANKS + face % RANKS for suit in range(len(SUITS))}


def one_rank_up(face: int) -> set[int]:
    return same_rank((face + 1) % RANKS)


# --- a cold deck: each coup of four cards that are drawn at random from those with which it fits --


def of_naturals(hand: str) -> Callable[[Sequence[int], Counter[int]], float]:
    """Each coup a natural: of Player's hand ("player"), of Banker's, or of either ("")."""

    def likelihood(faces: Sequence[int], left: Counter[int]) -> float:
        values = [VALUE_OF[face] for face in faces[(len(faces) - 1) // 4 * 4 :]]
        rest = [0] * VALUES
        for face, count in left.items():
            rest[VALUE_OF[face]] += count
        before = _natural_chance(hand, values[:-1], rest)
        rest[values[-1]] -= 1
        after = _natural_chance(hand, values, rest)
        return after / before * left[faces[-1]] / left.total()

    return likelihood


def _natural_chance(hand: str, values: list[int], rest: list[int]) -> float:
    """That the hand is a natural in a coup that began with these values."""
    player, banker = values[0::2], values[1::2]
    if hand == "banker":
        return _pair_chance(banker, rest)
    if hand == "player":
        return _pair_chance(player, rest)
    both, of_player = 0.0, 0.0
    for chance, pair, others in _pairs_of(player, rest):
        if sum(pair) % 10 >= 8:
            of_player += chance
            both += chance * _pair_chance(banker, others)
    return of_player + _pair_chance(banker, rest) - both


def _pair_chance(known: list[int], rest: list[int]) -> float:
    """That a pair which began so counts eight or nine."""
    return sum(chance for chance, pair, _ in _pairs_of(known, rest) if sum(pair) % 10 >= 8)


def _pairs_of(known: list[int], rest: list[int]) -> Iterator[tuple[float, list[int], list[int]]]:
    """The pairs that may still come of it, each with its chance and the cards left then."""
    if len(known) == 2:
        yield 1.0, known, rest
        return
    total = sum(rest)
    for value, count in enumerate(rest):
        if count:
            others = [*rest[:value], count - 1, *rest[value + 1 :]]
            for chance, pair, left in _pairs_of([*known, value], others):
                yield chance * count / total, pair, left
