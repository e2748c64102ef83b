"""The table of play at a rule book: the machine's rows, without those that never answer there."""

from types import SimpleNamespace

import pytest
from script_tables import book_named
from transitions import Transition

from controller.cli.rules.table_text import omission_text
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.step_result import MACHINE
from controller.procedure.table.book_table import table_at
from controller.procedure.table.facts import RULE_BOOK_CONDITIONS
from controller.procedure.table.row import Row, answers_whenever
from controller.procedure.table.table import ROWS
from controller.rules.profiles.load import load_profile


def test_without_a_book_every_row_is_shown_as_written() -> None:
    table = table_at(None)
    assert table.rows == ROWS
    assert table.omitted == ()


def shown(rows: tuple[Row, ...], trigger: Trigger, phase: Phase) -> list[tuple[object, ...]]:
    """The rows of a pair, without those whose conditions an earlier one always meets."""
    found: list[Row] = []
    for one in rows:
        if trigger in one.on and phase in one.at:
            hidden = any(answers_whenever(earlier, one) for earlier in found)
            found += [] if hidden else [one]
    return [(one.when, one.unless, None if one.to is None else one.to.name) for one in found]


def made(one: Transition) -> tuple[object, ...]:
    def held(wanted: bool) -> tuple[object, ...]:
        return tuple(each.func for each in one.conditions if each.target is wanted)

    return held(wanted=True), held(wanted=False), one.dest


@pytest.mark.parametrize("phase", Phase)
def test_the_rows_of_a_phase_are_those_of_the_running_machine(phase: Phase) -> None:
    rows = table_at(None, phase).rows
    for trigger in Trigger:
        of_machine = [made(one) for one in MACHINE.get_transitions(trigger, source=phase)]
        assert shown(rows, trigger, phase) == of_machine, trigger


def test_a_condition_of_the_rule_book_reads_nothing_else() -> None:
    """... and every other condition reads more."""
    book_alone = SimpleNamespace(book=book_named("results+calls"))
    every = {condition for one in ROWS for condition in (*one.when, *one.unless)}
    reads_book_alone = set()
    for condition in every:
        try:
            condition(book_alone)
        except AttributeError:
            continue
        reads_book_alone.add(condition)
    assert reads_book_alone == set(RULE_BOOK_CONDITIONS) & every
    assert every >= RULE_BOOK_CONDITIONS, "one that no row has"


@pytest.mark.parametrize(
    ("book", "reasons"),
    [
        ("results+calls", {"no more bets is observed", "no continuous shuffler feeds the shoe"}),
        ("results", {"no more bets is not observed", "no continuous shuffler feeds the shoe"}),
        (
            "nothing+continuous",
            {
                *("no more bets is not observed", "results are not observed"),
                "neither results nor no more bets are observed",
                "a continuous shuffler feeds the shoe",
            },
        ),
    ],
)
def test_a_row_that_never_answers_is_left_out_with_the_reason(book: str, reasons: set[str]) -> None:
    table = table_at(book_named(book))
    assert len(table.rows) + len(table.omitted) == len(ROWS)
    assert {*map(omission_text, table.omitted)} - {"an earlier row always answers"} == reasons
    conditions = {each for one in table.rows for each in (*one.when, *one.unless)}
    assert not conditions & RULE_BOOK_CONDITIONS, "decided, so not shown"


def test_a_row_behind_one_that_always_answers_at_the_table_is_left_out() -> None:
    omitted = [one for one in table_at(book_named("continuous")).omitted if one.condition is None]
    assert omitted
    assert table_at(None).omitted == ()
    assert {omission_text(one) for one in omitted} == {"an earlier row always answers"}


@pytest.mark.parametrize("observed", [(), (ObservableFact.RESULT_BUTTON,)])
def test_where_no_call_is_observed_no_card_is_before_it(
    observed: tuple[ObservableFact, ...],
) -> None:
    """Four rows before that one share out all that may hold there: only together they hide it."""
    book = RuleBook.of(load_profile("ny-mini"), 8, observed)
    raised = {code for one in table_at(book).rows for code in one.raises}
    assert IrregularityCode.CARD_BEFORE_NO_MORE_BETS not in raised
    every = {code for one in ROWS for code in one.raises}
    assert every - raised == {IrregularityCode.CARD_BEFORE_NO_MORE_BETS}
