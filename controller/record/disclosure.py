"""Decides whether a card, and what follows from it, is disclosed, and withholds what is not.

Source: D-8 (a scan is not disclosure); S42-g-3-i to S42-g-3-iii, NY-f-3-i-a to NY-f-3-ii-e,
S42-e-6-shown, NY-e-1, WA-ov-9-face.
"""

from typing import TypeVar

from controller.procedure.calls.visibility import (
    all_seen,
    card_seen,
    error_cards_seen,
    hands_seen,
    is_on_layout,
    is_seen,
)
from controller.procedure.effects import CoupRecord
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import CoupState, DealtCard, ErrorCard, OpenIrregularity, TableState
from controller.procedure.verdicts import Irregularity
from controller.record.snapshot import CardFact, ShownCard, Withheld
from controller.rules.actions.choices import LayoutPart
from controller.rules.cards import Card
from controller.rules.hands import HandName
from controller.rules.outcome import CoupFate
from controller.rules.setting_values import BurnDisclosure, DealOption

ValueT = TypeVar("ValueT")

_PARTS = {
    HandName.PLAYER: (LayoutPart.PLAYER_HAND, LayoutPart.PLAYER_THIRD),
    HandName.BANKER: (LayoutPart.BANKER_HAND, LayoutPart.BANKER_THIRD),
}


def card_fact(value: ValueT | None, withheld: Withheld | None) -> CardFact[ValueT]:
    """The one way by which what follows from a card goes into a snapshot: withheld, or shown.

    A value that is None although nothing withholds it is incomplete.
    """
    if withheld is None and value is None:
        withheld = Withheld.INCOMPLETE
    return CardFact(value if withheld is None else None, withheld)


def shown_card(card: Card | None, withheld: Withheld | None) -> ShownCard:
    """A card as far as people have seen it; None is one that the device could not read."""
    unread = Withheld.UNREAD if card is None else None
    return card_fact(str(card), withheld or unread)


def card_withheld(book: RuleBook, coup: CoupState, dealt: DealtCard) -> Withheld | None:
    """Why a card of a hand is not shown; never one dealt while the table was suspended."""
    return _withheld(coup, seen=card_seen(book, coup, dealt))


def errors_withheld(coup: CoupState) -> Withheld | None:
    """Why the cards drawn in error during the coup and set aside are not shown."""
    seen = error_cards_seen(coup)
    return _withheld(coup, seen=seen, otherwise=Withheld.DRAWN_IN_ERROR)


def waiting_card_withheld(coup: CoupState, error: ErrorCard) -> Withheld | None:
    """Why a card drawn in error that waits for a decision is not shown."""
    return _withheld(coup, seen=error.turned, otherwise=Withheld.DRAWN_IN_ERROR)


def count_withheld(book: RuleBook, coup: CoupState, hand: HandName) -> Withheld | None:
    """Why a hand's point count is not shown: a card of it has not been seen, or is missing."""
    two, third = _PARTS[hand]
    seen = is_seen(book, coup, two) and (
        not is_on_layout(coup, third) or is_seen(book, coup, third)
    )
    return Withheld.INCOMPLETE if coup.partial else _withheld(coup, seen=seen)


def coup_withheld(book: RuleBook, coup: CoupState) -> Withheld | None:
    """Why what follows from both hands is not shown: who draws, the outcome, the clauses."""
    return _withheld(coup, seen=all_seen(book, coup))


def _withheld(
    coup: CoupState, *, seen: bool, otherwise: Withheld = Withheld.FACE_DOWN
) -> Withheld | None:
    if coup.suspended_cards:
        return Withheld.DEALT_WHILE_SUSPENDED
    return None if seen else otherwise


def third_place_disclosed(book: RuleBook, coup: CoupState) -> bool:
    """Whether the hand of a third card may be shown; it follows from the cards of both hands.

    At a table that does not observe turning, the card lies at its hand for everybody to see.
    """
    return not book.observes(ObservableFact.TURNED) or hands_seen(book, coup)


def record_withheld(book: RuleBook, record: CoupRecord) -> Withheld | None:
    """Why the cards of a closed coup are not shown."""
    seen = record_seen(record, face_up=book.values.deal_option is DealOption.FACE_UP)
    return None if seen else Withheld.NEVER_TURNED


def record_seen(record: CoupRecord, *, face_up: bool) -> bool:
    """Whether people have seen the cards of a closed coup, without its rule book.

    The cards of a counted coup were turned; a void or partial coup may have gone to the discard
    rack face down.
    """
    if face_up or record.declared is not None:
        return True
    return record.ghost or record.fate is CoupFate.COUNTED


def irregularity_withheld(
    book: RuleBook, coup: CoupState | None, *, provisional: bool
) -> Withheld | None:
    """Why an irregularity does not show the clauses that its cards made apply.

    `coup` is its coup while it is on the table. `provisional`: its cards were dealt while the table
    was suspended.
    """
    if coup is not None:
        return coup_withheld(book, coup)
    face_up = book.values.deal_option is DealOption.FACE_UP
    if irregularity_seen(face_up=face_up, provisional=provisional):
        return None
    return Withheld.DEALT_WHILE_SUSPENDED if provisional else Withheld.FACE_DOWN


def irregularity_seen(*, face_up: bool, provisional: bool) -> bool:
    """Whether people have seen the cards of an irregularity whose coup is not on the table."""
    return face_up and not provisional


def clauses_withheld(
    book: RuleBook, table: TableState, one: OpenIrregularity | Irregularity
) -> Withheld | None:
    """Why an irregularity of this table shows the clauses of its kind only."""
    coup = table.shoe.coup if table.shoe is not None else None
    on_table = coup if coup is not None and one.number in coup.irregular else None
    return irregularity_withheld(book, on_table, provisional=one.provisional)


def disclosed_clauses(
    book: RuleBook, table: TableState, one: OpenIrregularity | Irregularity
) -> tuple[str, ...]:
    """The clauses of an irregularity, without those that undisclosed cards made apply.

    Those come after the clauses of its kind.
    """
    if clauses_withheld(book, table, one) is None:
        return one.clauses
    return book.clauses(*CATALOGUE[one.code].points)


def burn_card_withheld(book: RuleBook, index: int) -> Withheld | None:
    """Why burn card `index`, counted from 0, is not shown."""
    seen = index == 0 or book.values.burn_cards_disclosed is BurnDisclosure.ALL
    return None if seen else Withheld.NOT_EXPOSED
