"""Simulated shoes as faces 0 to 51: fair ones, and each with one anomaly; seeded, no clock."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from random import Random
from typing import Final

from controller.monitors.coup_bets import AFTER, START, VALUE_OF
from controller.monitors.faces import FACES, GAP, RANKS, SUITS
from controller.monitors.items import (
    CardSeen,
    CardsUnseen,
    CoupEnds,
    MonitorItem,
    ShoeEnds,
    ShoeOpens,
)
from controller.monitors.state import MonitorState
from controller.monitors.take import take
from controller.rules.advisory import Advisory
from controller.rules.cards import Card, Rank, Suit

DECKS: Final = 8
CARDS: Final = tuple(Card(Rank(face % RANKS + 1), Suit(SUITS[face // RANKS])) for face in range(52))
SEEN: Final = tuple(CardSeen(card) for card in CARDS)
Faces = Sequence[int]


def items_of(faces: Faces, shoe: int = 1, batch: str = "") -> Iterator[MonitorItem]:
    """A whole shoe; `GAP` stands for an unseen card."""
    yield ShoeOpens(shoe, DECKS, batch)
    for face in faces:
        yield CardsUnseen(1) if face == GAP else SEEN[face]
    yield ShoeEnds()


def items_of_coups(coups: Sequence[Faces], shoe: int, batch: str) -> Iterator[MonitorItem]:
    yield ShoeOpens(shoe, DECKS, batch)
    for coup in coups:
        for face in coup:
            yield SEEN[face]
        yield CoupEnds()
    yield ShoeEnds()


def advisories(
    items: Iterable[MonitorItem], state: MonitorState | None = None
) -> tuple[MonitorState, list[Advisory]]:
    state, found = state or MonitorState(), []
    for item in items:
        state, new = take(state, item)
        found += new
    return state, found


def first_advisory(
    items: Iterable[MonitorItem], state: MonitorState | None = None
) -> Advisory | None:
    state = state or MonitorState()
    for item in items:
        state, new = take(state, item)
        if new:
            return new[0]
    return None


# --- shoes ----------------------------------------------------------------------------------------


def fair_shoe(chance: Random) -> list[int]:
    faces = [face for face in range(FACES) for _ in range(DECKS)]
    chance.shuffle(faces)
    return faces


def ordered_shoe(chance: Random, deck: Faces, *, backward: bool) -> list[int]:
    """Deck after deck in one order, after a random cut."""
    faces = list(deck) * DECKS
    return cut(chance, faces[::-1] if backward else faces)


def sorted_shoe(chance: Random, deck: Faces) -> list[int]:
    """All eight of a face together, in a deck's order, after a random cut."""
    return cut(chance, [face for face in deck for _ in range(DECKS)])


def ranked_shoe(chance: Random) -> list[int]:
    """All 32 cards of a rank together, their suits shuffled, after a random cut."""
    suits = [suit * RANKS for suit in range(len(SUITS))] * DECKS
    faces: list[int] = []
    for rank in range(RANKS):
        chance.shuffle(suits)
        faces += [suit + rank for suit in suits]
    return cut(chance, faces)


def one_ordered_deck(chance: Random, deck: Faces, at: int) -> list[int]:
    """One deck as it came from the box, cut, put in at a place among seven shuffled ones."""
    others = [face for face in range(FACES) for _ in range(DECKS - 1)]
    chance.shuffle(others)
    return others[:at] + cut(chance, list(deck)) + others[at:]


def shoe_with_run(chance: Random, run: Faces, at: int) -> list[int]:
    """A fair shoe but that these cards stand together from a place on."""
    rest = fair_shoe(chance)
    for face in run:
        rest.remove(face)
    return rest[:at] + list(run) + rest[at:]


def cold_deck(chance: Random, hand: str, coups: int) -> list[int]:
    """Coups of four cards, each with a natural of Player, of Banker, or of either hand ("")."""
    rest = fair_shoe(chance)
    dealt: list[int] = []
    while len(dealt) < 4 * coups:
        chance.shuffle(rest)
        values = [VALUE_OF[face] for face in rest[:4]]
        naturals = {"player": values[0] + values[2], "banker": values[1] + values[3]}
        if any(sum_ % 10 >= 8 for name, sum_ in naturals.items() if hand in ("", name)):
            dealt += rest[:4]
            del rest[:4]
    return dealt + rest


def cut(chance: Random, faces: list[int]) -> list[int]:
    at = chance.randrange(len(faces))
    return faces[at:] + faces[:at]


# --- coups and slugs ------------------------------------------------------------------------------


def coups_of(faces: Faces) -> list[list[int]]:
    """The coups of a shoe as the tableau deals them; the last cards may be no whole coup."""
    coups: list[list[int]] = [[]]
    place = START
    for face in faces:
        coups[-1].append(face)
        place = AFTER[place][VALUE_OF[face]]
        if place < 0:
            coups.append([])
            place = START
    return coups if coups[-1] else coups[:-1]


def slug_of_coups(
    chance: Random, coups: Sequence[Faces], count: int, *, backward: bool
) -> list[int]:
    """Some coups of a shoe one after another, the cards of each in any order."""
    begin = chance.randrange(len(coups) - count)
    taken = [chance.sample(list(coup), len(coup)) for coup in coups[begin : begin + count]]
    return [face for coup in (taken[::-1] if backward else taken) for face in coup]


class PickedUp(StrEnum):
    """How the dealer takes the cards of a coup off the layout."""

    AS_DEALT = "as dealt"
    REVERSED = "reversed"
    HAND_BY_HAND = "Player's hand, then Banker's"
    BANKER_FIRST = "Banker's hand, then Player's"
    BY_THIRDS = "third cards first"
    UNKNOWN = "order inside coups unknown"


_HANDS = ((0, 2, 4), (1, 3, 5))


def picked_up(chance: Random, coup: Faces, how: PickedUp) -> list[int]:
    """The cards of a coup as they lie in the discard rack."""
    player, banker = ([coup[at] for at in hand if at < len(coup)] for hand in _HANDS)
    match how:
        case PickedUp.AS_DEALT:
            return list(coup)
        case PickedUp.REVERSED:
            return list(coup)[::-1]
        case PickedUp.HAND_BY_HAND:
            return player + banker
        case PickedUp.BANKER_FIRST:
            return banker + player
        case PickedUp.BY_THIRDS:
            return [*coup[4:], *coup[2:4], *coup[:2]]
        case PickedUp.UNKNOWN:
            return chance.sample(list(coup), len(coup))


def discards(
    chance: Random, coups: Sequence[Faces], how: PickedUp, *, backward: bool
) -> list[list[int]]:
    """The coups of a shoe as they lie in the discard rack."""
    taken = [picked_up(chance, coup, how) for coup in coups]
    return taken[::-1] if backward else taken


def slug_of_discards(
    chance: Random, coups: Sequence[Faces], cards: int, *, backward: bool
) -> list[int]:
    """So many cards one after another, from anywhere, the cards of each coup in any order."""
    rack = discards(chance, coups, PickedUp.UNKNOWN, backward=backward)
    faces = [face for coup in rack for face in coup]
    begin = chance.randrange(len(faces) - cards)
    return faces[begin : begin + cards]


def string_of_cards(chance: Random, cards: Faces, count: int, *, backward: bool) -> list[int]:
    begin = chance.randrange(len(cards) - count)
    taken = list(cards[begin : begin + count])
    return taken[::-1] if backward else taken


@cache
def earlier_shoes() -> tuple[MonitorState, tuple[tuple[int, ...], ...]]:
    """The monitors after four fair shoes of two batches, and the coups of the third.

    It is the newest of its batch: the next shoe is dealt from it again.
    """
    chance, state = Random("earlier shoes"), MonitorState()
    dealt = [coups_of(fair_shoe(chance)) for _ in range(4)]
    for number, coups in enumerate(dealt, 1):
        batch = "red" if number % 2 else "blue"
        state, _ = advisories(items_of_coups(coups, number, batch), state)
    return state, tuple(tuple(coup) for coup in dealt[2])


# --- runs -----------------------------------------------------------------------------------------


def suit_run(chance: Random, cards: int) -> list[int]:
    suit = chance.randrange(len(SUITS)) * RANKS
    return chance.sample([suit + rank for rank in range(RANKS)] * DECKS, cards)


def rank_run(chance: Random, cards: int) -> list[int]:
    rank = chance.randrange(RANKS)
    return chance.sample([suit * RANKS + rank for suit in range(len(SUITS))] * DECKS, cards)


def climbing_run(chance: Random, cards: int) -> list[int]:
    """Each card one rank above the card before, in any suit."""
    rank = chance.randrange(RANKS)
    return [chance.randrange(len(SUITS)) * RANKS + (rank + place) % RANKS for place in range(cards)]
