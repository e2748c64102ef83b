"""Begins a gaming day by the clock of the inputs, or by a person's word after the clock jumped."""

from msgspec import UNSET
from msgspec.structs import replace

from controller.core.gaming_day import GamingCalendar
from controller.core.state import Transition
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import Input, Started
from controller.procedure.events import ClockJumped, GamingDayChanged
from controller.procedure.opening.gaming_day import DAY_NS, state_gaming_day
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.rulebook import RuleBook
from controller.procedure.step import step
from controller.procedure.step_result import Step
from controller.rules.actions.actions import Action, OperatorAction
from foundation.timestamp import Timestamp


def note_jump(book: RuleBook, transition: Transition, item: Input) -> Transition:
    """Note that the clock moved by more than a day, before a gaming day could begin by it.

    Between two boots the time may have passed: the clock alone cannot tell.
    """
    state, at, host = transition.state, item.at, transition.state.host
    if state.day is None or host.ahead_ns is None:
        return transition
    same_boot = not isinstance(item, Started) or item.boot_id == state.boot_id
    expected_ns = at.monotonic_ns + host.ahead_ns if same_boot else host.last_utc_ns
    if -DAY_NS <= at.utc_ns - expected_ns <= DAY_NS:
        return transition
    waiting_ns = state.table.time_before_jump_ns
    before_ns = state.host.last_utc_ns if waiting_ns is UNSET else waiting_ns
    return _apply(book, transition, ClockJumped(before_ns, at.utc_ns))


def begin_due_day(
    book: RuleBook, calendar: GamingCalendar, transition: Transition, at: Timestamp
) -> Transition:
    """Begin the next gaming day when the current one is over.

    A clock that is set back does not bring an earlier day back: its shoe numbers are used.
    """
    state = transition.state
    over = state.day is None or state.day.is_over(at.utc_ns)
    if not over or state.table.time_before_jump_ns is not UNSET:
        return transition
    day = calendar.day_of(at.utc_ns)
    turned = GamingDayChanged(max(day.name, state.table.today, state.table.shoe_day))
    return _apply(book, replace(transition, state=replace(state, day=day)), turned)


def state_day(
    book: RuleBook,
    calendar: GamingCalendar,
    transition: Transition,
    item: OperatorAction[Action],
    stated: str,
) -> Transition:
    """A person states the gaming day; an accepted one is that of the clock."""
    table, day = transition.state.table, calendar.day_of(item.at.utc_ns)
    result = state_gaming_day(table, item, stated, day.name)
    if result.state is table:
        return _with_table(transition, None, result)
    transition = replace(transition, state=replace(transition.state, day=day))
    transition = _with_table(transition, None, result)
    if day.name == table.today:
        return transition
    return _apply(book, transition, GamingDayChanged(day.name))


def _apply(
    book: RuleBook, transition: Transition, event: GamingDayChanged | ClockJumped
) -> Transition:
    table = transition.state.table
    return _with_table(transition, event, step(effective_book(book, table), table, event))


def _with_table(
    transition: Transition, event: GamingDayChanged | ClockJumped | None, result: Step
) -> Transition:
    state = replace(transition.state, table=result.state)
    transition = replace(transition, state=state)
    return transition.with_entries(EventVerdicts(event, result.verdicts), *result.effects)
