"""What people may have seen, and the list of every way out of the program.

Responsible for: saying when a card is disclosed, and naming each output that could show one.
Not responsible for: the outputs themselves.
Source: D-8 (a scan is not disclosure); S42-g-3-i to S42-g-3-iii, NY-f-3-i-a to NY-f-3-ii-e,
S42-e-6-shown, NY-e-1; package README, "Disclosure".
"""

from enum import StrEnum

from controller.procedure.effects import CoupFate, CoupRecord
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState
from controller.rules.words import BurnDisclosure, DealOption

HIDDEN_CARD = "??"


class WayOut(StrEnum):
    """Every output of the program. One that is not named here does not belong in the program."""

    SNAPSHOT = "snapshot"  # control socket: status and subscriptions, and the views built on it
    ACTION_ANSWER = "action_answer"  # control socket: what an action led to
    METRICS = "metrics"  # counts only, no card at all
    LOG = "log"  # no card at all
    WIRE_LOG = "wire_log"  # masked outside maintenance
    MONITOR = "monitor"  # `smartshoe devices monitor`, masked outside maintenance
    REPLAY_REPORT = "replay_report"  # kinds and codes, no card at all


def hands_disclosed(book: RuleBook, coup: CoupState) -> bool:
    """Whether people have seen the cards of this coup.

    Dealt face up they are seen at the draw; otherwise when the result was declared, since this
    table cannot sense that they were turned.
    """
    if book.values.deal_option is DealOption.FACE_UP:
        return True
    return coup.declared is not None


def record_disclosed(book: RuleBook, record: CoupRecord) -> bool:
    """Whether people have seen the cards of a coup that is closed.

    A coup that counts by its cards was turned; one that is void or partial may go face down to
    the discard rack.
    """
    if book.values.deal_option is DealOption.FACE_UP or record.declared is not None:
        return True
    return record.fate is CoupFate.COUNTED


def irregularity_disclosed(book: RuleBook, coup: CoupState | None) -> bool:
    """Whether an irregularity may show the clauses that its cards made apply.

    `coup` is its coup while that is on the table.
    """
    if coup is not None:
        return hands_disclosed(book, coup)
    return book.values.deal_option is DealOption.FACE_UP


def burn_card_disclosed(book: RuleBook, index: int) -> bool:
    """Whether people have seen burn card `index`, counted from 0."""
    return index == 0 or book.values.burn_cards_disclosed is BurnDisclosure.ALL
