"""A jump of the clock, and a person's word on the gaming day."""

import pytest
from acts_of_people import acted

from controller.procedure.effects import ActRecord, Prompt, Refusal
from controller.procedure.events import ClockJumped, GamingDayChanged
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.gaming_day import (
    DAY_NS,
    gaming_day_due,
    next_shoe_number,
    state_gaming_day,
)
from controller.rules.actions.actions import SetGamingDay
from controller.system.messages.catalogue import to_words

NOW_NS = 1_795_000_000 * 1_000_000_000
TODAY, LATER = "2026-11-21", "2038-01-19"
WHOLE_SHOE = "burn Ac: 2c; P1 7h; B 7c; P Kd; B Kh; result tie"


def jumped(table, days: int):
    return table.apply(ClockJumped(NOW_NS, NOW_NS + days * DAY_NS))


def state_day(table, day: str, clock_day: str, reason: str = "the battery is new"):
    act = acted(SetGamingDay(day), "Pat Supervisor", reason=reason)
    result = state_gaming_day(table.state, act, day, clock_day)
    table.state = result.state
    return result


def refusal(result) -> str:
    (effect,) = result.effects
    assert isinstance(effect, Refusal)
    return to_words(effect.why)


@pytest.mark.parametrize(("days", "words"), [(4000, "4000 days"), (-3, "3 days")])
def test_a_jump_of_more_than_a_day_waits_for_a_persons_word(new_table, days, words) -> None:
    table = new_table()
    result = jumped(table, days)

    (prompt,) = result.effects
    assert isinstance(prompt, Prompt)
    assert prompt.text == gaming_day_due(table.state)
    assert words in to_words(result.verdicts[0].what)


def test_a_clock_that_is_right_again_asks_nobody(new_table) -> None:
    table = new_table()
    jumped(table, 4000)
    table.apply(ClockJumped(NOW_NS, NOW_NS + DAY_NS))
    assert gaming_day_due(table.state) is None


def test_the_day_that_the_clock_gives_is_stated_on_record(new_table) -> None:
    table = new_table()
    jumped(table, 4000)

    (effect,) = state_day(table, LATER, LATER).effects

    assert isinstance(effect, ActRecord)
    assert effect.what == "set-gaming-day"
    assert gaming_day_due(table.state) is None


def test_a_day_that_the_clock_does_not_give_is_refused(new_table) -> None:
    table = new_table()
    jumped(table, 4000)
    assert LATER in refusal(state_day(table, TODAY, LATER))
    assert gaming_day_due(table.state) is not None


def test_a_day_is_stated_with_a_reason_and_only_if_it_changes_something(new_table) -> None:
    table = new_table()
    table.apply(GamingDayChanged(TODAY))
    assert "reason" in refusal(state_day(table, TODAY, TODAY, reason=" "))
    assert TODAY in refusal(state_day(table, TODAY, TODAY))


def test_a_shoe_opened_before_the_word_is_an_incomplete_opening(new_table) -> None:
    table = new_table()
    jumped(table, 4000)
    assert IrregularityCode.OPENING_INCOMPLETE.value in table.deal("start")


def test_shoes_of_a_day_that_was_put_back_have_numbers_of_their_own(new_table) -> None:
    """The clock said 2038, a shoe was dealt, then the day was put right: twice."""
    table = new_table()
    for first in (1001, 2001):
        table.apply(GamingDayChanged(LATER))
        table.deal(f'start; {WHOLE_SHOE}; close shoe because "end of the day"')
        state_day(table, TODAY, TODAY)
        table.apply(GamingDayChanged(TODAY))
        assert next_shoe_number(table.state) == first
    table.apply(GamingDayChanged("2039-01-01"))
    assert next_shoe_number(table.state) == 1
