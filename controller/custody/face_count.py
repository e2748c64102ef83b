"""Counts drawn cards by rank and suit, for shoes that read no tags; finds one too many.

Source: NY-a-4-i-decks, S42-a-1-decks; field practice (Parx 2018: a queen missing, an extra jack,
and the count right).
"""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from controller.custody.findings import Finding, FindingCode
from controller.custody.shoe import ensure_shoe
from controller.custody.state import CustodyState
from controller.rules.cards import Card, face_number
from foundation.message import Message, message

_COUNTED_MAX: Final = 255


def count_face(
    state: CustodyState, card: Card | None, decks: int, describe_step: Callable[[], Message]
) -> tuple[CustodyState, tuple[Finding, ...]]:
    """Count a drawn card, None where it was not read; a finding where it is one too many.

    `describe_step` gives the step of play that the finding names.
    """
    state, shoe = ensure_shoe(state)
    if card is None or shoe.endless:
        return state, ()
    index = face_number(card)
    count = shoe.faces[index] + 1
    stored = bytes((min(count, _COUNTED_MAX),))
    faces = shoe.faces[:index] + stored + shoe.faces[index + 1 :]
    state = replace(state, shoe=replace(shoe, faces=faces))
    if count <= decks:
        return state, ()
    size = message("number_of_decks", count=decks)
    detail = message("number_of_its_rank_and_suit", number=count, decks=size)
    return state, (Finding(FindingCode.TOO_MANY_OF_A_CARD, describe_step(), detail, card),)
