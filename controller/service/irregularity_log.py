"""Logs irregularities, decisions, corrections, suspensions and changed accounts of a table.

Clauses only as far as they are disclosed.

Not: the sentence of an irregularity and the reason of a person, which may name a card.
"""

import logging
from collections.abc import Iterator
from typing import Final

from controller.core.state import Conclusion, Stored
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import AccountChanged, Input
from controller.procedure.effects import ActRecord, CoupCorrected, ResolutionRecorded
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import Suspension, TableState
from controller.procedure.verdicts import Irregularity
from controller.record.disclosure import disclosed_clauses
from controller.record.people import proof_words
from controller.rules.actions.actions import OperatorAction
from controller.rules.profiles.borrowing import citation_words
from controller.system.messages.catalogue import to_words
from controller.system.messages.quantity import cards_in_coups, counted
from foundation.message import Message

LOG: Final = logging.getLogger("smartshoe.irregularities")
_SUSPENDED: Final = (
    "the table is suspended: no further card until a floorperson decides; `smartshoe resolve`"
    " lists what is open"
)
_STILL_SUSPENDED: Final = "the table is still suspended: %s open, %s dealt while suspended"
_PLAYING_AGAIN: Final = "the table is no longer suspended"


class IrregularityLog:
    """Logs one table's irregularities and decisions."""

    def __init__(self) -> None:
        self._suspended: bool | None = None

    def stored(self, stored: Stored) -> None:
        """Log what the transaction raised, what a person decided, and whether play stops."""
        book, table = stored.book, stored.state.table
        stopped = decided = False
        for conclusion in stored.conclusions:
            for decision in _decisions(conclusion):
                LOG.warning("%s", describe_decision(decision, conclusion.item))
                decided = True
            for corrected in _corrections(conclusion):
                LOG.warning("%s", describe_correction(corrected, conclusion.item))
            for changed in _account_changes(conclusion):
                LOG.warning("account of %s: %s", changed.person, to_words(changed.detail))
            for raised in _raised(conclusion):
                in_force = effective_book(book, table)
                LOG.warning("%s", describe_irregularity(in_force, table, raised))
                stopped = stopped or raised.suspends
        self._log_suspension(table, stopped=stopped, decided=decided)

    def _log_suspension(self, table: TableState, *, stopped: bool, decided: bool) -> None:
        before, suspension = self._suspended, table.suspension
        self._suspended = suspension is not None
        if suspension is None:
            if before or (stopped and decided):
                LOG.warning(_PLAYING_AGAIN)
        elif before is None and not stopped:
            _log_still_suspended(table, suspension)
        elif decided or not before:
            LOG.warning(_SUSPENDED)


def _log_still_suspended(table: TableState, suspension: Suspension) -> None:
    """Log at a start that the table was left suspended."""
    many = counted(len(table.open_irregularities), "irregularity", "irregularities")
    cards = cards_in_coups(suspension.cards_dealt, suspension.coups_dealt)
    LOG.warning(_STILL_SUSPENDED, many, cards)


def _decisions(conclusion: Conclusion) -> Iterator[ResolutionRecorded]:
    return (one for one in conclusion.entries if isinstance(one, ResolutionRecorded))


def _corrections(conclusion: Conclusion) -> Iterator[CoupCorrected]:
    return (one for one in conclusion.entries if isinstance(one, CoupCorrected))


def _account_changes(conclusion: Conclusion) -> Iterator[ActRecord]:
    if isinstance(conclusion.item, AccountChanged):
        yield from (one for one in conclusion.entries if isinstance(one, ActRecord))


def _raised(conclusion: Conclusion) -> Iterator[Irregularity]:
    for entry in conclusion.entries:
        if isinstance(entry, EventVerdicts):
            yield from (one for one in entry.verdicts if isinstance(one, Irregularity))


def describe_irregularity(book: RuleBook, table: TableState, one: Irregularity) -> str:
    """Number, code, coup and disclosed clauses of an irregularity, and whether play stops."""
    place = f"coup {one.coup}" if one.coup else "between coups"
    clauses = citation_words(book.document, disclosed_clauses(book, table, one)) or "none"
    effect = "suspends the table" if one.suspends else "does not suspend the table"
    if one.provisional:
        effect = "raised while the table is suspended"
    title = to_words(Message(one.code.value))
    return f"irregularity {one.number} {one.code}, {place}: {title}; clauses {clauses}; {effect}"


def describe_decision(decided: ResolutionRecorded, item: Input) -> str:
    """Who decided what, which irregularities it closes, and what was dealt while suspended."""
    words = " ".join(filter(None, (decided.decision, decided.outcome)))
    first, last = decided.closed[0], decided.closed[-1]
    closed = f"irregularity {first}" if first == last else f"irregularities {first} to {last}"
    cards = cards_in_coups(decided.cards_dealt, decided.coups_dealt)
    dealt = f"{cards} dealt while suspended"
    if decided.cards_dealt:
        dealt = f"{decided.provisional}: {dealt}"
    second = f" and {decided.second}{_second_proof(item)}" if decided.second else ""
    return f"{words} decided by {decided.person}{_role(item)}{second}, closes {closed}; {dealt}"


def describe_correction(corrected: CoupCorrected, item: Input) -> str:
    """Which coup counts as what from now on, and who decided it."""
    coup = f"coup {corrected.coup} of shoe {corrected.shoe} of {corrected.gaming_day}"
    people = f"{corrected.person}{_role(item)} and {corrected.second}{_second_proof(item)}"
    return f"{coup} corrected to {corrected.outcome} by {people}, was {corrected.before}"


def _role(item: Input) -> str:
    """The role of the person who acted, and how the person is known, in parentheses."""
    if not isinstance(item, OperatorAction):
        return ""
    return f" ({item.role.replace('_', ' ')}, {proof_words(item.proof)})"


def _second_proof(item: Input) -> str:
    return f" ({proof_words(item.second_proof)})" if isinstance(item, OperatorAction) else ""
