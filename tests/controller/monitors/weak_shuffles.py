"""Shuffles that leave order, and how many shoes of each it takes until that is said.

Run as a program it prints the table of controller/monitors/measured.md.

Source: D. Bayer and P. Diaconis, Trailing the dovetail shuffle to its lair, 1992; P. Diaconis, J.
Fulman, S. Holmes, Analysis of casino shelf shuffling machines, 2013.
"""

from collections.abc import Callable, Sequence
from random import Random
from statistics import median
from typing import Final

from simulated_shoes import DECKS, PickedUp, coups_of, cut, discards, fair_shoe

from controller.monitors.across_shoes.shufflers import Shuffler, compare
from controller.monitors.past import PastShoe
from controller.rules.advisory import ShufflerEvidence

RUNS: Final = 9
SHOES_MAX: Final = 60
CUT_CARD: Final = 14
Shuffle = Callable[[Random, Sequence[int]], list[int]]


def past_of(faces: Sequence[int]) -> PastShoe:
    """A shoe that was dealt to its end."""
    ends = [0]
    for coup in coups_of(faces):
        ends.append(ends[-1] + len(coup))
    return PastShoe(1, "red", bytes(faces), tuple(ends[1:]))


def _rack(chance: Random, faces: Sequence[int]) -> list[int]:
    rack = discards(chance, coups_of(faces), PickedUp.UNKNOWN, backward=True)
    return [face for coup in rack for face in coup]


def riffles(count: int) -> Shuffle:
    """So many riffles of Gilbert, Shannon and Reeds, and a cut."""

    def shuffle(chance: Random, faces: Sequence[int]) -> list[int]:
        cards = _rack(chance, faces)
        for _ in range(count):
            at = sum(chance.random() < 0.5 for _ in cards)
            left, right = cards[:at][::-1], cards[at:][::-1]
            cards = []
            while left or right:
                of_left = chance.random() * (len(left) + len(right)) < len(left)
                cards.append((left if of_left else right).pop())
        return cut(chance, cards)

    return shuffle


def shelves(count: int) -> Shuffle:
    """A machine with so many shelves: each card on top of or under those of one, and a cut."""

    def shuffle(chance: Random, faces: Sequence[int]) -> list[int]:
        held: list[list[int]] = [[] for _ in range(count)]
        for face in _rack(chance, faces):
            shelf = chance.choice(held)
            shelf.insert(0 if chance.random() < 0.5 else len(shelf), face)
        return cut(chance, [face for shelf in held for face in shelf])

    return shuffle


def by_parts(cards: int) -> Shuffle:
    """Only so many cards at a time are shuffled, and well."""

    def shuffle(chance: Random, faces: Sequence[int]) -> list[int]:
        rack = _rack(chance, faces)
        parts = [rack[at : at + cards] for at in range(0, len(rack), cards)]
        return cut(chance, [face for part in parts for face in chance.sample(part, len(part))])

    return shuffle


def whole_coups(chance: Random, faces: Sequence[int]) -> list[int]:
    """The coups change their places, the cards of each their order, and no more."""
    rack = discards(chance, coups_of(faces), PickedUp.UNKNOWN, backward=False)
    return [face for coup in chance.sample(rack, len(rack)) for face in coup]


def well(chance: Random, _faces: Sequence[int]) -> list[int]:
    """A shuffle that leaves no order."""
    return fair_shoe(chance)


SHUFFLES: Final[dict[str, Shuffle]] = {
    "coups change places, cards inside coups": whole_coups,
    "1 riffle": riffles(1),
    "2 riffles": riffles(2),
    "3 riffles": riffles(3),
    "4 riffles": riffles(4),
    "7 riffles": riffles(7),
    "4 shelves": shelves(4),
    "10 shelves": shelves(10),
    "16 shelves": shelves(16),
    "52 cards at a time": by_parts(52),
    "104 cards at a time": by_parts(104),
    "no order left": well,
}


def shoes_until_said(
    shuffle: Shuffle, seed: int, shoes_max: int = SHOES_MAX
) -> tuple[int, ShufflerEvidence | None]:
    """How many shoes were compared until an advisory, one more than allowed if none came."""
    chance = Random(seed)
    faces, known = fair_shoe(chance), tuple[Shuffler, ...]()
    for shoe in range(1, shoes_max + 1):
        earlier, faces = past_of(faces), shuffle(chance, faces)
        known, _, evidence = compare(known, "SH-1", earlier, bytes(faces[:-CUT_CARD]), DECKS)
        if evidence is not None:
            return shoe, evidence
    return shoes_max + 1, None


def main() -> None:
    print(f"{'median of ' + str(RUNS) + ' runs':42}{'shoes':>8}  said by")
    for name, shuffle in SHUFFLES.items():
        found = [shoes_until_said(shuffle, seed) for seed in range(RUNS)]
        shoes = median(one for one, _ in found)
        tests = sorted({evidence.test.value for _, evidence in found if evidence is not None})
        shown = f"> {SHOES_MAX}" if shoes > SHOES_MAX else f"{shoes:g}"
        print(f"{name:42}{shown:>8}  {', '.join(tests)}".rstrip())


if __name__ == "__main__":
    main()
