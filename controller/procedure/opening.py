"""From the cards' arrival to the first burn card: what people record, what is due, what is missing.

Responsible for: recording acts and naming those that are due.
Not responsible for: the cards themselves (drawing, burning) and for the shoe's life (shoe).
Source: NY (a)(2), (a)(4)(iv), (d); S42 (a)(4), (d), (e); WA shuffle.
"""

from controller.procedure.effects import Recorded
from controller.procedure.events import ActRecorded
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import TableState
from controller.procedure.steps import Step, accept


def act_recorded(book: RuleBook, state: TableState, event: ActRecorded) -> Step:
    """A named person's act goes into the record."""
    step = accept(Step(state), f"{event.kind.value}: {event.person}")
    return step.with_effect(Recorded(event.kind.value, event.person, event.reason, ()))
