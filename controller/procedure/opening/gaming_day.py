"""The gaming day of the table: its change, a jump of the clock, and a person's word on it.

Not: which day the clock gives (controller.core.gaming_day).

Decisions. A jump of the clock of more than a day changes no gaming day before a named person states
which day it is: a machine with an empty battery may claim any year. Back within a day of the time
before, the clock is right again and nobody is asked. Nobody states a day that the clock does not
give, so a wrong clock is set first. Where a day is put back, shoes of the days that may have had
some begin at 1001, after the next time at 2001: no two shoes have one name.
"""

from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from controller.procedure.effects import ActRecord, Prompt, PromptKind, Refusal
from controller.procedure.events import ClockJumped
from controller.procedure.state import DaysPutBack, TableState
from controller.procedure.step_result import Step, accept
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.actions.declaration import name_of
from foundation.message import Message, message

DAY_NS: Final = 24 * 3600 * 1_000_000_000
# More than any table deals.
SHOES_A_DAY: Final = 1000
NEVER_PUT_BACK: Final = DaysPutBack(0, "")


def begin_gaming_day(step: Step, day: str) -> Step:
    """Another gaming day: the coups of the day before are corrected no more."""
    state, shoe = step.state, step.state.shoe
    if shoe is not None and shoe.finished and day != state.today:
        last = shoe.finished[-1].number
        shoe = replace(shoe, finished=(), coups_of_earlier_days=last)
    if day != state.today:
        state = replace(state, earlier_shoes=(), payment_rules=())
    return accept(
        step.with_state(replace(state, today=day, shoe=shoe)), message("gaming_day_began", day=day)
    )


def clock_jumped(state: TableState, event: ClockJumped) -> Step:
    """The gaming day waits for a person's word, unless the clock is right again."""
    by_ns = event.utc_ns - event.before_ns
    if abs(by_ns) <= DAY_NS:
        step = Step(replace(state, time_before_jump_ns=UNSET))
        return accept(step, message("clock_is_right_again"))
    what = message("clock_jumped_back", count=-by_ns // DAY_NS)
    if by_ns > 0:
        what = message("clock_jumped_forward", count=by_ns // DAY_NS)
    step = accept(Step(replace(state, time_before_jump_ns=event.before_ns)), what)
    due = gaming_day_due(step.state)
    assert due is not None, "the jump waits"
    return step.with_effect(Prompt(PromptKind.OPENING, due, (), observed=True))


def gaming_day_due(state: TableState) -> Message | None:
    """What is due from a person after a jump of the clock; None if nothing is."""
    if state.time_before_jump_ns is UNSET:
        return None
    return message("gaming_day_is_to_be_stated", day=state.today)


def state_gaming_day(
    state: TableState, act: OperatorAction[Action], stated: str, clock_day: str
) -> Step:
    """A named person states the gaming day; `clock_day` is the one that the clock gives."""
    refused = _refusal(state, act.reason, stated, clock_day)
    if refused is not None:
        return Step(state).with_effect(Refusal(name_of(act.action), refused))
    detail = message("gaming_day_stated", day=clock_day, before=state.today)
    state = replace(state, time_before_jump_ns=UNSET)
    if state.shoe_day > clock_day:
        before = NEVER_PUT_BACK if state.days_put_back is UNSET else state.days_put_back
        put_back = DaysPutBack(before.times + 1, max(before.used_until, state.shoe_day))
        state = replace(state, shoe_day="", days_put_back=put_back)
    return Step(state).with_effect(ActRecord(name_of(act.action), act.person, detail, ()))


def next_shoe_number(state: TableState) -> int:
    """The number of the next shoe: from 1 each day, but never one that the day has had."""
    if state.shoe_day == state.today:
        return state.shoe_number + 1
    put_back = NEVER_PUT_BACK if state.days_put_back is UNSET else state.days_put_back
    return put_back.times * SHOES_A_DAY + 1 if state.today <= put_back.used_until else 1


def _refusal(state: TableState, reason: str, stated: str, clock_day: str) -> Message | None:
    """Why the gaming day cannot be stated so, and what to do; None where it can."""
    if not reason.strip():
        return message("gaming_day_needs_reason")
    if stated.strip() != clock_day:
        return message("clock_gives_another_gaming_day", day=clock_day, typed=stated)
    if state.time_before_jump_ns is UNSET and clock_day == state.today:
        return message("it_is_that_gaming_day", day=clock_day)
    return None
