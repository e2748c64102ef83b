"""The table of play as it holds at one rule book, in all phases or in one.

Conditions that read the rule book alone are decided: a row that can never answer there is left out.
"""

from typing import NamedTuple

from msgspec.structs import replace

from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.step_result import Play, Step
from controller.procedure.table.facts import RULE_BOOK_CONDITIONS
from controller.procedure.table.row import Condition, Row, answers_whenever
from controller.procedure.table.table import ROWS


class OmittedRow(NamedTuple):
    """A row that never answers at a rule book: there the condition always holds, or never.

    Without a condition: one of the earlier rows always answers.
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
    earlier: dict[tuple[Trigger, Phase], list[Row]] = {}
    rows, omitted = [], []
    for written in ROWS:
        one = replace(written, at=tuple(each for each in written.at if only in (None, each)))
        if not one.at:
            continue
        if play is not None:
            condition = _never(one, play)
            left = _without_decided(one)
            pairs = [(trigger, each) for trigger in one.on for each in one.at]
            asked = [earlier.setdefault(pair, []) for pair in pairs]
            if condition is not None or all(_answered(before, left) for before in asked):
                omitted.append(OmittedRow(one, condition, condition in one.unless))
                continue
            one = left
            for before in asked:
                before.append(one)
        rows.append(one)
    return BookTable(tuple(rows), tuple(omitted))


def _answered(earlier: list[Row], one: Row) -> bool:
    """Whether one of the earlier rows answers wherever this one would."""
    for other in earlier:
        if set(other.when) & set(one.unless) or set(other.unless) & set(one.when):
            continue
        if answers_whenever(other, one):
            return True
        undecided = (*(set(other.when) - set(one.when)), *(set(other.unless) - set(one.unless)))
        # Whatever the next fact is, one of them answers.
        holds = replace(one, when=(*one.when, undecided[0]))
        fails = replace(one, unless=(*one.unless, undecided[0]))
        return _answered(earlier, holds) and _answered(earlier, fails)
    return False


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
