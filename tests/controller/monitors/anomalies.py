"""The anomalies that are measured: the shoe, the exact test that knows it, our delay beside its.

Run as a program it prints the table of controller/monitors/README.md.

Source: controller/monitors/README.md, "Measured".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Final

from exact_tests import (
    delay,
    delay_of_unknown_start,
    of_order,
    of_set,
    of_sorting,
    one_rank_up,
    same_rank,
    same_suit,
)
from simulated_shoes import (
    climbing_run,
    first_advisory,
    items_of,
    one_ordered_deck,
    ordered_shoe,
    rank_run,
    ranked_shoe,
    shoe_with_run,
    sorted_shoe,
    suit_run,
)

from controller.monitors.advisory import AdvisoryKind
from controller.monitors.succession import FOURNIER, USPC, USPC_OLD

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

    def measure(self, shoes: int = SHOES) -> Delays:
        ours, exact, other = [], [], 0
        for seed in range(shoes):
            faces = self.shoe(Random(f"{self.name} {seed}"))
            said = first_advisory(items_of(faces))
            ours.append(len(faces) + 1 if said is None else said.card - self.begins)
            other += said is not None and said.kind not in self.kinds
            exact.append(self.exact(faces) - self.begins)
        missed = sum(one > len(faces) for one in ours)
        return Delays(median(ours), median(exact), missed, other)


_ORDER, _RUN = (AdvisoryKind.ORDER,), (AdvisoryKind.RUN, AdvisoryKind.ORDER)


def _orders(name: str, deck: Sequence[int]) -> tuple[Anomaly, ...]:
    return tuple(
        Anomaly(
            f"{name}, {'backward' if backward else 'forward'}",
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
)


def main() -> None:
    print(f"{'median of ' + str(SHOES) + ' shoes, in cards':44}{'ours':>6}{'exact':>7}")
    for anomaly in ANOMALIES:
        found = anomaly.measure()
        print(f"{anomaly.name:44}{found.ours:>6g}{found.exact:>7g}")


if __name__ == "__main__":
    main()
