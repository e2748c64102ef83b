"""The table of play as it holds at one rule book, in all phases or in one.

Conditions that read the rule book alone are decided: a row that can never answer there is left out.
Source: controller/procedure/README.md, "The procedure".
"""

from typing import NamedTuple

from msgspec.structs import replace

from controller.procedure.phases import Phase, Trigger
from controller.procedure.play import Play
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Step
from controller.procedure.table.facts import RULE_BOOK_CONDITIONS
from controller.procedure.table.row import Condition, Row
from controller.procedure.table.table import ROWS


class OmittedRow(NamedTuple):
    """A row that never answers at a rule book: there the condition always holds, or never.

    Without a condition: an earlier row always answers.
    """

    row: Row
    condition: Condition | None = None
    holds: bool = True


class BookTable(NamedTuple):
    """The rows that may answer at a rule book, without the conditions that it decides."""

    rows: tuple[Row, ...]
    omitted: tuple[OmittedRow, ...]


def table_at(book: RuleBook | None, only: Phase | None = None) -> BookTable:
    """The rows in their order, of all phases or only of one; without a book nothing is decided."""
    play = None if book is None else Play(book, Step(TableState()))
    answered: set[tuple[Trigger, Phase]] = set()
    rows, omitted = [], []
    for written in ROWS:
        one = replace(written, at=tuple(each for each in written.at if only in (None, each)))
        if not one.at:
            continue
        condition = None if play is None else _never(one, play)
        free = {(trigger, each) for trigger in one.on for each in one.at} - answered
        if condition is not None or not free:
            omitted.append(OmittedRow(one, condition, condition in one.unless))
            continue
        if play is not None:
            one = _without_decided(one)
        if not (one.when or one.unless):
            answered.update(free)
        rows.append(one)
    return BookTable(tuple(rows), tuple(omitted))


def _never(one: Row, play: Play) -> Condition | None:
    """The condition by which the rule book never lets the row answer."""
    for conditions, wanted in ((one.when, True), (one.unless, False)):
        for condition in conditions:
            if condition in RULE_BOOK_CONDITIONS and condition(play) is not wanted:
                return condition
    return None


def _without_decided(one: Row) -> Row:
    when, unless = (
        tuple(each for each in conditions if each not in RULE_BOOK_CONDITIONS)
        for conditions in (one.when, one.unless)
    )
    return replace(one, when=when, unless=unless)
