"""A count held against a whole batch: how many are missing or too many, and which faces.

Responsible for: the bar of a count or of faces that differ, and the words that name them.
Not responsible for: what becomes of the batch (compartments, shuffles).
Source: NY-a-4-iv-a, S42-a-4-ii, D-19; field practice (Parx 2018: a queen missing, an extra jack,
and the count right).
"""

from typing import Final

from controller.custody.lineage.state import Bar
from controller.rules.cards import Card, Rank, Suit
from firmware_bridge.values import dataclass

# The order of a device's counts: suit by suit, ace to king.
FACES: Final = tuple(Card(rank, suit) for suit in Suit for rank in Rank)


@dataclass(frozen=True, slots=True)
class Differs:
    """A batch is not whole; `detail` is a piece of a sentence."""

    bar: Bar
    detail: str


def differs(counted: int | None, faces: bytes, cards: int, decks: int) -> Differs | None:
    """What is wrong with a count (None: not counted) and its faces (empty: not read)."""
    wrong = _faces_differ(faces, decks) if faces else ""
    named = f": {wrong}" if wrong else ""
    if counted is not None and counted != cards:
        off = counted - cards
        many = f"{abs(off)} cards" if abs(off) > 1 else "1 card"
        lacks = f"{many} too many" if off > 0 else f"{many} missing"
        return Differs(Bar.LONG if off > 0 else Bar.SHORT, f"{counted} of {cards}, {lacks}{named}")
    if wrong:
        return Differs(Bar.FOREIGN, f"faces that are not of {decks} decks: {wrong}")
    return None


def _faces_differ(faces: bytes, decks: int) -> str:
    """The faces of which there are not as many as decks; in words, empty where there are."""
    if len(faces) != len(FACES):
        return f"{len(faces)} faces are told of {len(FACES)}"
    missing = _named([(card, decks - told) for card, told in zip(FACES, faces, strict=True)])
    extra = _named([(card, told - decks) for card, told in zip(FACES, faces, strict=True)])
    told = [f"missing {missing}"] if missing else []
    told += [f"too many {extra}"] if extra else []
    return "; ".join(told)


def _named(off: list[tuple[Card, int]]) -> str:
    return ", ".join(f"{many} of {card}" for card, many in off if many > 0)
