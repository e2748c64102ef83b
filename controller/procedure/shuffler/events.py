"""What the shuffler tells the table, and the clearing of its warnings.

Responsible for: taking its events, the loss of events and of its port, in words for the record, and
a named person's clearing of a warning, with the time it took.
Not responsible for: what it means for the batches (living) and for cards drawn meanwhile
(interlock).
Source: NY-a-4-iv-c; S42-a-4-iv, S42-e-8-ii-A; D-19, D-20, D-32; field practice (SugarHouse).

Decisions. Taken as it comes, whether the table is suspended or not. At a table whose settings name
no shuffler it is noted and nothing follows.
"""

from typing import assert_never

from controller.custody.batch_life.facts import EventsLost, Fact, PortGone, WarningAnswered
from controller.custody.batch_life.permissions import clear_refused
from controller.procedure.acts.recording import begin
from controller.procedure.effects import Refused, WarningClosed
from controller.procedure.events import (
    ShufflerEventsLost,
    ShufflerGone,
    ShufflersEvent,
    ShufflerTold,
    WarningCleared,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.shuffler.batch_life import lived_on, what_follows
from controller.procedure.shuffler.event_text import told_in_words
from controller.procedure.state import TableState
from controller.procedure.step_result import Step, accept
from firmware_bridge.values import replace

CLEARING = "clear-warning"


def of_the_shuffler(book: RuleBook, state: TableState, event: ShufflersEvent) -> Step:
    """Take what the shuffler told, or what a person answers to it."""
    match event:
        case ShufflerTold():
            return _told(book, state, event.event, told_in_words(event.event), event.at_ns)
        case ShufflerEventsLost():
            count = str(event.count) if event.count else "an unknown number of"
            words = f"{count} events of the shuffler are missing"
            return _told(book, state, EventsLost(event.count), words, event.at_ns)
        case ShufflerGone():
            return _told(book, state, PortGone(), "the shuffler's port is lost", event.at_ns)
        case WarningCleared():
            return _cleared(book, state, event)
        case _:
            assert_never(event)


def _told(book: RuleBook, state: TableState, fact: Fact, words: str, at_ns: int) -> Step:
    if not book.shuffler:
        return accept(begin(state), f"{words}: this table has no shuffler that tells")
    followed = what_follows(book, state, fact, at_ns)
    step = lived_on(book, begin(replace(state, told_ns=at_ns)), followed)
    remarks = "".join(f"; {one.detail}" for one in followed.remarks)
    return accept(step, f"{words}{remarks}")


def _cleared(book: RuleBook, state: TableState, event: WarningCleared) -> Step:
    """A warning is cleared by a person with a name and a reason, once its cause is gone."""
    why = clear_refused(state.lineage, event.number)
    if not why and not event.reason.strip():
        why = "say the reason: what it was and how it was put right"
    if why:
        return begin(state).with_effect(Refused(CLEARING, why))
    followed = what_follows(book, state, WarningAnswered(event.number), event.at_ns)
    step = lived_on(book, begin(state), followed)
    for warning in followed.closed:
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
