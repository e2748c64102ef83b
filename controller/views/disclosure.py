"""Decides whether a card, and what follows from it, is disclosed.

Source: D-8 (a scan is not disclosure); S42-g-3-i to S42-g-3-iii, NY-f-3-i-a to NY-f-3-ii-e,
S42-e-6-shown, NY-e-1, WA-ov-9-face; controller/views/README.md, "Disclosure".
"""

from controller.actions.choices import LayoutPart
from controller.procedure.calls.visibility import (
    all_seen,
    card_seen,
    error_cards_seen,
    hands_seen,
    is_on_layout,
    is_seen,
)
from controller.procedure.effects import CoupFate, CoupRecord
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import CoupState, DealtCard, OpenIrregularity, TableState
from controller.procedure.verdicts import Irregularity
from controller.rules.hands import HandName
from controller.rules.setting_values import BurnDisclosure, DealOption

HIDDEN_CARD = "??"

_PARTS = {
    HandName.PLAYER: (LayoutPart.PLAYER_HAND, LayoutPart.PLAYER_THIRD),
    HandName.BANKER: (LayoutPart.BANKER_HAND, LayoutPart.BANKER_THIRD),
}


def card_disclosed(book: RuleBook, coup: CoupState, dealt: DealtCard) -> bool:
    """Whether a card of a hand may be shown; never one dealt while the table was suspended."""
    return not coup.suspended_cards and card_seen(book, coup, dealt)


def errors_disclosed(coup: CoupState) -> bool:
    """Whether the cards drawn in error during the coup may be shown."""
    return not coup.suspended_cards and error_cards_seen(coup)


def count_disclosed(book: RuleBook, coup: CoupState, hand: HandName) -> bool:
    """Whether a hand's point count may be shown: every card of it has been seen."""
    if coup.suspended_cards or coup.partial:
        return False
    two, third = _PARTS[hand]
    return is_seen(book, coup, two) and (
        not is_on_layout(coup, third) or is_seen(book, coup, third)
    )


def third_place_disclosed(book: RuleBook, coup: CoupState) -> bool:
    """Whether the hand of a third card may be shown; it follows from the cards of both hands.

    At a table that does not observe turning, the card lies at its hand for everybody to see.
    """
    return not book.observes(ObservableFact.TURNED) or hands_seen(book, coup)


def coup_disclosed(book: RuleBook, coup: CoupState) -> bool:
    """Whether what follows from both hands may be shown: who draws, the outcome, the clauses."""
    return not coup.suspended_cards and all_seen(book, coup)


def record_disclosed(book: RuleBook, record: CoupRecord) -> bool:
    """Whether people have seen the cards of a closed coup."""
    return record_seen(record, face_up=book.values.deal_option is DealOption.FACE_UP)


def record_seen(record: CoupRecord, *, face_up: bool) -> bool:
    """Whether people have seen the cards of a closed coup, without its rule book.

    The cards of a counted coup were turned; a void or partial coup may have gone to the discard
    rack face down.
    """
    if face_up or record.declared is not None:
        return True
    return record.ghost or record.fate is CoupFate.COUNTED


def irregularity_disclosed(book: RuleBook, coup: CoupState | None, *, provisional: bool) -> bool:
    """Whether an irregularity may show the clauses that its cards made apply.

    `coup` is its coup while it is on the table. `provisional`: its cards were dealt while the table
    was suspended.
    """
    if coup is not None:
        return coup_disclosed(book, coup)
    return book.values.deal_option is DealOption.FACE_UP and not provisional


def disclosed_clauses(
    book: RuleBook, table: TableState, one: OpenIrregularity | Irregularity
) -> tuple[str, ...]:
    """The clauses of an irregularity, without those that undisclosed cards made apply.

    Those come after the clauses of its kind.
    """
    coup = table.shoe.coup if table.shoe is not None else None
    on_table = coup if coup is not None and one.number in coup.irregular else None
    if irregularity_disclosed(book, on_table, provisional=one.provisional):
        return one.clauses
    return book.clauses(*CATALOGUE[one.code].points)


def burn_card_disclosed(book: RuleBook, index: int) -> bool:
    """Whether people have seen burn card `index`, counted from 0."""
    return index == 0 or book.values.burn_cards_disclosed is BurnDisclosure.ALL
