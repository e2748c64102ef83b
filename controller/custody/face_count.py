"""The multiset of ranks and suits of one shoe, where the shoe reads no tags.

Responsible for: counting the cards of each rank and suit that were drawn, and the one too many.
Not responsible for: how many cards a shoe has (the procedure) and for physical cards (passing).
Source: NY-a-4-i-decks, S42-a-1-decks; field practice (Parx 2018: a queen missing, an extra jack,
and the count right).
"""

from typing import Final

from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import in_a_shoe
from controller.custody.state import CustodyState
from controller.rules.cards import Card, Suit
from firmware_bridge.values import replace

_SUITS: Final = tuple(Suit)
_COUNTED_MAX: Final = 255


def face_drawn(
    state: CustodyState, card: Card | None, decks: int, step: str
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """A card of that rank and suit was drawn; None where it could not be read."""
    state, shoe = in_a_shoe(state)
    if card is None or shoe.endless:
        return state, ()
    at = 13 * _SUITS.index(card.suit) + card.rank - 1
    count = shoe.faces[at] + 1
    kept = bytes((min(count, _COUNTED_MAX),))
    faces = shoe.faces[:at] + kept + shoe.faces[at + 1 :]
    state = replace(state, shoe=replace(shoe, faces=faces))
    if count <= decks:
        return state, ()
    detail = f"this is number {count} of its rank and suit, and the shoe holds {decks} decks"
    return state, (Finding(FindingCode.TOO_MANY_OF_A_CARD, step, detail, card),)
