"""What people may have seen, and the list of every way out of the program.

Responsible for: saying when a card, and what follows from it, is disclosed, and naming each output
that could show one.
Not responsible for: the outputs themselves and for what was turned (controller.procedure.seen).
Source: D-8 (a scan is not disclosure); S42-g-3-i to S42-g-3-iii, NY-f-3-i-a to NY-f-3-ii-e,
S42-e-6-shown, NY-e-1, WA-ov-9-face; package README, "Disclosure".
"""

from enum import StrEnum

from controller.procedure.effects import CoupFate, CoupRecord
from controller.procedure.events import TurnedCards
from controller.procedure.rulebook import RuleBook
from controller.procedure.seen import all_seen, card_seen, errors_seen, is_seen, is_there
from controller.procedure.state import CoupState, DealtCard
from controller.rules.hands import HandName
from controller.rules.words import BurnDisclosure, DealOption

HIDDEN_CARD = "??"

_PARTS = {
    HandName.PLAYER: (TurnedCards.PLAYER_HAND, TurnedCards.PLAYER_THIRD),
    HandName.BANKER: (TurnedCards.BANKER_HAND, TurnedCards.BANKER_THIRD),
}


class WayOut(StrEnum):
    """Every output of the program. One that is not named here does not belong in the program."""

    SNAPSHOT = "snapshot"  # control socket: status and subscriptions, and the views built on it
    ACTION_ANSWER = "action_answer"  # control socket: what an action led to
    METRICS = "metrics"  # counts only, no card at all
    LOG = "log"  # no card at all
    WIRE_LOG = "wire_log"  # masked outside maintenance
    MONITOR = "monitor"  # `smartshoe devices monitor`, masked outside maintenance
    REPLAY_REPORT = "replay_report"  # kinds and codes, no card at all


def card_disclosed(book: RuleBook, coup: CoupState, dealt: DealtCard) -> bool:
    """Whether a card of a hand may be shown; none that was dealt while the table was suspended."""
    return not coup.suspended_cards and card_seen(book, coup, dealt)


def errors_disclosed(coup: CoupState) -> bool:
    """Whether the cards drawn in error during the coup may be shown."""
    return not coup.suspended_cards and errors_seen(coup)


def count_disclosed(book: RuleBook, coup: CoupState, hand: HandName) -> bool:
    """Whether the count of a hand may be told: every card of it has been seen."""
    if coup.suspended_cards or coup.partial:
        return False
    two, third = _PARTS[hand]
    return is_seen(book, coup, two) and (not is_there(coup, third) or is_seen(book, coup, third))


def coup_disclosed(book: RuleBook, coup: CoupState) -> bool:
    """Whether what follows from both hands may be told: who draws, the outcome, the clauses."""
    return not coup.suspended_cards and all_seen(book, coup)


def record_disclosed(book: RuleBook, record: CoupRecord) -> bool:
    """Whether people have seen the cards of a coup that is closed.

    A coup that counts by its cards was turned; one that is void or partial may go face down to
    the discard rack.
    """
    if book.values.deal_option is DealOption.FACE_UP or record.declared is not None:
        return True
    return record.ghost or record.fate is CoupFate.COUNTED


def irregularity_disclosed(book: RuleBook, coup: CoupState | None, *, provisional: bool) -> bool:
    """Whether an irregularity may show the clauses that its cards made apply.

    `coup` is its coup while that is on the table; `provisional`: its cards were dealt while the
    table was suspended.
    """
    if coup is not None:
        return coup_disclosed(book, coup)
    return book.values.deal_option is DealOption.FACE_UP and not provisional


def burn_card_disclosed(book: RuleBook, index: int) -> bool:
    """Whether people have seen burn card `index`, counted from 0."""
    return index == 0 or book.values.burn_cards_disclosed is BurnDisclosure.ALL
