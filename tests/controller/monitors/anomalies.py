"""The anomalies that are measured: the shoe, the exact test that knows it, our delay beside its.

Run as a program it prints the tables of controller/monitors/measured.md.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Final

from exact_tests import (
    delay,
    delay_of_string,
    delay_of_unknown_start,
    of_naturals,
    of_order,
    of_set,
    of_sorting,
    one_rank_up,
    same_rank,
    same_suit,
)
from simulated_shoes import (
    PickedUp,
    climbing_run,
    cold_deck,
    cut,
    discards,
    earlier_shoes,
    fair_shoe,
    first_advisory,
    items_of,
    one_ordered_deck,
    ordered_shoe,
    rank_run,
    ranked_shoe,
    shoe_with_run,
    slug_of_coups,
    slug_of_discards,
    sorted_shoe,
    string_of_cards,
    suit_run,
)

from controller.monitors.state import MonitorState
from controller.monitors.succession import FOURNIER, USPC, USPC_OLD
from controller.rules.advisory import AdvisoryKind

SHOES: Final = 200
MORE_CARDS_MAX: Final = 4
PLAIN: Final = tuple(range(52))
INSIDE: Final = 150


@dataclass(frozen=True)
class Delays:
    """Medians, in cards from the anomaly's first one on; how many shoes were missed or earlier."""

    ours: float
    exact: float
    missed: int
    other: int


@dataclass(frozen=True)
class Anomaly:
    """`shoe` deals one; `exact` is the delay of the test that knows it; both in cards."""

    name: str
    kinds: tuple[AdvisoryKind, ...]
    shoe: Callable[[Random], Sequence[int]]
    exact: Callable[[Sequence[int]], int]
    begins: int = 0
    before: Callable[[], MonitorState] = MonitorState

    def measure(self, shoes: int = SHOES) -> Delays:
        ours, exact, other = [], [], 0
        for seed in range(shoes):
            faces = self.shoe(Random(f"{self.name} {seed}"))
            said = first_advisory(items_of(faces, 5, "red"), self.before())
            ours.append(len(faces) + 1 if said is None else said.card - self.begins)
            other += said is not None and said.kind not in self.kinds
            exact.append(self.exact(faces) - self.begins)
        missed = sum(one > len(faces) for one in ours)
        return Delays(median(ours), median(exact), missed, other)


_ORDER, _RUN = (AdvisoryKind.ORDER,), (AdvisoryKind.RUN, AdvisoryKind.ORDER)


def _orders(name: str, deck: Sequence[int]) -> tuple[Anomaly, ...]:
    return tuple(
        Anomaly(
            f"{name}, {_direction(backward)}",
            _ORDER,
            lambda chance, backward=backward: ordered_shoe(chance, deck, backward=backward),
            lambda faces, backward=backward: delay(
                faces, of_order(deck[::-1] if backward else deck)
            ),
        )
        for backward in (False, True)
    )


def _run(
    name: str,
    cards: Callable[[Random, int], list[int]],
    follows: Callable[[int], set[int]],
    begins: int,
) -> Anomaly:
    look = delay if begins == 0 else delay_of_unknown_start
    return Anomaly(
        f"{name}, from card {begins + 1} on",
        _RUN,
        lambda chance: shoe_with_run(chance, cards(chance, 24), begins),
        lambda faces: look(faces, of_set(follows)),
        begins,
    )


def _earlier() -> MonitorState:
    return earlier_shoes()[0]


def _slug(begins: int, *, backward: bool) -> Anomaly:
    """Twelve coups of the shoe dealt last from this batch, in order, each one's cards in any."""
    coups = earlier_shoes()[1]
    return Anomaly(
        f"slug of coups, {_direction(backward)}, from card {begins + 1} on",
        (AdvisoryKind.SHARED,),
        lambda chance: shoe_with_run(
            chance, slug_of_coups(chance, coups, 12, backward=backward), begins
        ),
        lambda faces: delay_of_string(
            faces, coups[::-1] if backward else coups, 0 if begins == 0 else None
        ),
        begins,
        _earlier,
    )


def _string(*, backward: bool) -> Anomaly:
    """Thirty cards of the shoe dealt last from this batch, in order."""
    cards = [face for coup in earlier_shoes()[1] for face in coup]
    return Anomaly(
        f"string of cards, {_direction(backward)}, from card {INSIDE + 1} on",
        (AdvisoryKind.SHARED,),
        lambda chance: shoe_with_run(
            chance, string_of_cards(chance, cards, 30, backward=backward), INSIDE
        ),
        lambda faces: delay_of_string(faces, [[one] for one in cards[:: -1 if backward else 1]]),
        INSIDE,
        _earlier,
    )


def _own_string(*, backward: bool) -> Anomaly:
    """Thirty of the shoe's own first cards again."""

    def shoe(chance: Random) -> list[int]:
        while True:
            faces = fair_shoe(chance)
            again = string_of_cards(chance, faces[:INSIDE], 30, backward=backward)
            rest = Counter(faces[INSIDE:])
            if all(rest[face] >= count for face, count in Counter(again).items()):
                behind = list((rest - Counter(again)).elements())
                chance.shuffle(behind)
                return [*faces[:INSIDE], *again, *behind]

    return Anomaly(
        f"its own cards again, {_direction(backward)}, from card {INSIDE + 1} on",
        (AdvisoryKind.REPEAT,),
        shoe,
        lambda faces: delay_of_string(
            faces,
            [[one] for one in faces[:INSIDE][:: -1 if backward else 1]],
            earliest=INSIDE,
        ),
        INSIDE,
    )


def _slug_of_cards(cards: int, begins: int, *, backward: bool) -> Anomaly:
    """Some cards of the shoe dealt last from this batch, from anywhere in its coups."""
    coups = earlier_shoes()[1]
    return Anomaly(
        f"{cards} cards of an earlier shoe, {_direction(backward)}, from card {begins + 1} on",
        (AdvisoryKind.SHARED,),
        lambda chance: shoe_with_run(
            chance, slug_of_discards(chance, coups, cards, backward=backward), begins
        ),
        lambda faces: delay_of_string(
            faces, coups[:: -1 if backward else 1], 0 if begins == 0 else None, cut=True
        ),
        begins,
        _earlier,
    )


def _redealt(how: PickedUp, *, backward: bool) -> Anomaly:
    """The whole batch dealt again after a cut; the exact test knows how coups are picked up."""
    coups = earlier_shoes()[1]

    def blocks() -> list[list[int]]:
        rack = discards(Random(0), coups, how, backward=backward)
        if how is PickedUp.UNKNOWN:
            return rack
        return [[face] for coup in rack for face in coup]

    return Anomaly(
        f"the same batch, {_direction(backward)}, {how}",
        (AdvisoryKind.SHARED,),
        lambda chance: cut(
            chance,
            [face for coup in discards(chance, coups, how, backward=backward) for face in coup],
        ),
        lambda faces: delay_of_string(faces, blocks(), 0, cut=True),
        0,
        _earlier,
    )


def _cold_deck(name: str, hand: str) -> Anomaly:
    return Anomaly(
        f"cold deck, {name}",
        (AdvisoryKind.NATURALS,),
        lambda chance: cold_deck(chance, hand, 20),
        lambda faces: delay(faces, of_naturals(hand)),
    )


def _direction(backward: bool) -> str:
    return "backward" if backward else "forward"


ANOMALIES: Final = (
    *_orders("USPC new decks", USPC),
    *_orders("USPC new decks, older", USPC_OLD),
    *_orders("Fournier new decks", FOURNIER),
    *_orders("decks suit by suit", PLAIN),
    Anomaly(
        "eight of a face together",
        _ORDER,
        lambda chance: sorted_shoe(chance, PLAIN),
        lambda faces: delay(faces, of_sorting(PLAIN)),
    ),
    Anomaly(
        "sorted by rank alone",
        _RUN,
        ranked_shoe,
        lambda faces: delay(faces, of_set(same_rank)),
    ),
    Anomaly(
        "one new deck among shuffled ones",
        _ORDER,
        lambda chance: one_ordered_deck(chance, USPC, INSIDE),
        lambda faces: delay_of_unknown_start(faces, of_order(USPC)),
        INSIDE,
    ),
    *(
        _run(name, cards, follows, begins)
        for name, cards, follows in (
            ("one rank", rank_run, same_rank),
            ("one suit", suit_run, same_suit),
            ("rank after rank", climbing_run, one_rank_up),
        )
        for begins in (0, INSIDE)
    ),
    *(_slug(begins, backward=backward) for begins in (0, INSIDE) for backward in (True, False)),
    *(_string(backward=backward) for backward in (False, True)),
    *(_own_string(backward=backward) for backward in (False, True)),
    *(
        _slug_of_cards(cards, begins, backward=backward)
        for cards in (12, 20, 40)
        for begins in (0, INSIDE)
        for backward in (True, False)
    ),
    *(_redealt(how, backward=backward) for how in PickedUp for backward in (True, False)),
    _cold_deck("each coup a natural", ""),
    _cold_deck("each coup Player's natural", "player"),
    _cold_deck("each coup Banker's natural", "banker"),
)


def main() -> None:
    print(f"{'median of ' + str(SHOES) + ' shoes, in cards':64}{'ours':>6}{'exact':>7}")
    for anomaly in ANOMALIES:
        found = anomaly.measure()
        print(f"{anomaly.name:64}{found.ours:>6g}{found.exact:>7g}")


if __name__ == "__main__":
    main()
