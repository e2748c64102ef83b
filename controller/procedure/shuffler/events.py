"""Events of the shuffler, and a person's clearing of its warnings.

Source: NY-a-4-iv-c; S42-a-4-iv, S42-e-8-ii-A; D-19, D-20, D-32; field practice (SugarHouse).

Decisions. Events are applied as they arrive, whether the table is suspended or not. At a table
without a configured shuffler they are noted and change nothing.
"""

from typing import assert_never

from msgspec.structs import replace

from controller.custody.batch_life.facts import EventsLost, Fact, ShufflerPortLost, WarningAnswered
from controller.custody.batch_life.permissions import clear_refusal
from controller.procedure.acts.recording import begin_act
from controller.procedure.effects import Refusal, WarningClosed
from controller.procedure.events import (
    ShufflerDisconnected,
    ShufflerDomainEvent,
    ShufflerEventsLost,
    ShufflerReported,
    WarningCleared,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import apply_change, next_lineage
from controller.procedure.shuffler.event_text import describe_event
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, accept

CLEAR_WARNING = "clear-warning"


def apply_shuffler_event(book: RuleBook, state: TableState, event: ShufflerDomainEvent) -> Step:
    """Apply an event of the shuffler, or a person's clearing of a warning."""
    match event:
        case ShufflerReported():
            return _apply_report(book, state, event.event, describe_event(event.event), event.at_ns)
        case ShufflerEventsLost():
            count = str(event.count) if event.count else "an unknown number"
            text = f"lost events of the shuffler: {count}"
            return _apply_report(book, state, EventsLost(event.count), text, event.at_ns)
        case ShufflerDisconnected():
            return _apply_report(
                book, state, ShufflerPortLost(), "the shuffler's port is lost", event.at_ns
            )
        case WarningCleared():
            return _clear_warning(book, state, event)
        case _:
            assert_never(event)


def _apply_report(book: RuleBook, state: TableState, fact: Fact, text: str, at_ns: int) -> Step:
    if not book.shuffler:
        return accept(begin_act(state), f"{text}: this table has no shuffler that reports")
    update = next_lineage(book, state, fact, at_ns)
    step = apply_change(book, begin_act(replace(state, shuffler_event_ns=at_ns)), update)
    remarks = "".join(f"; {one.detail}" for one in update.remarks)
    return accept(step, f"{text}{remarks}")


def _clear_warning(book: RuleBook, state: TableState, event: WarningCleared) -> Step:
    """Clear a warning, with a person and a reason, once its cause is gone."""
    why = clear_refusal(state.lineage, event.number)
    if not why and not event.reason.strip():
        why = "give the reason: what the cause was and how it was corrected"
    if why:
        return begin_act(state).with_effect(Refusal(CLEAR_WARNING, why))
    update = next_lineage(book, state, WarningAnswered(event.number), event.at_ns)
    step = apply_change(book, begin_act(state), update)
    for warning in update.closed:
        step = step.with_effect(
            WarningClosed(
                number=warning.number,
                kind=warning.kind.value,
                person=event.person,
                reason=event.reason,
                waited_ns=max(0, event.at_ns - warning.since_ns),
            )
        )
    return accept(step, f"warning {event.number} cleared by {event.person}")
