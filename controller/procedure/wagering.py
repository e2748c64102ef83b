"""Wagers at the table: what stands from when on, what a coup pays, and vigorish that is owed.

Responsible for: taking the wagers people state, letting them stand, paying a finished coup, and
what uncollected vigorish forbids.
Not responsible for: what wins and what it pays (controller.settlement).
Source: NY (b)(2)-(4), (c)(3)(ii), (c)(4), (i)(2); S42 (b)(3)-(5), (c)(3)(ii)-(iv), (j)(2); D-23.
"""

from controller.procedure.effects import CoupRecord, Refused
from controller.procedure.events import (
    SeatVacated,
    VigorishCollected,
    VigorishDocumented,
    WagersStated,
)
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.steps import Step


def wagers_stated(book: RuleBook, state: TableState, event: WagersStated) -> Step:
    """The wagers on the layout as a person or a sensor states them."""
    return Step(state).with_effect(Refused("wagers", "this table is not told of wagers"))


def vigorish_collected(book: RuleBook, state: TableState, event: VigorishCollected) -> Step:
    """The vigorish of a seat was collected."""
    return Step(state).with_effect(Refused("collect-vigorish", f"seat {event.seat} owes nothing"))


def vigorish_documented(book: RuleBook, state: TableState, event: VigorishDocumented) -> Step:
    """The vigorish of a seat was written down as not collected."""
    return Step(state).with_effect(Refused("document-vigorish", f"seat {event.seat} owes nothing"))


def seat_vacated(book: RuleBook, state: TableState, event: SeatVacated) -> Step:
    """The patron of a seat left."""
    return Step(state).with_effect(Refused("seat-vacated", f"nobody is known at seat {event.seat}"))


def wagers_stand(book: RuleBook, step: Step) -> Step:
    """From here on wagers may not change; called when a coup begins."""
    return step


def coup_paid(book: RuleBook, step: Step, record: CoupRecord) -> Step:
    """Pay what was bet on a coup that is counted or void; called when its record is published."""
    return step


def reshuffle_refused(book: RuleBook, state: TableState) -> Refused | None:
    """Why the cards may not be reshuffled or the next shoe opened, if vigorish is owed."""
    return None
