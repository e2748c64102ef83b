"""Verdicts: the procedure's answer to one domain event."""

from typing import TypeAlias

from msgspec import Struct

from controller.procedure.irregularities import IrregularityCode
from controller.rules.actions.choices import FloorDecision, Provisional
from foundation.message import Message
from foundation.recorded_text import Identifier


class Accepted(Struct, frozen=True, tag="accepted"):
    """The event is in order. `what` describes it, `clauses` are the rules that allow it."""

    what: Message
    clauses: tuple[Identifier, ...] = ()
    provisional: bool = False


class PermittedDecision(Struct, frozen=True, omit_defaults=True):
    """A decision that a floorperson may take.

    `provisional` is the one choice for the cards dealt while suspended that permits it, None where
    there is no such choice or any will do.
    """

    decision: FloorDecision
    provisional: Provisional | None = None

    @property
    def as_accepted(self) -> str:
        """The decision as `resolve` accepts it."""
        return " ".join(filter(None, (self.decision, self.provisional)))


class Irregularity(Struct, frozen=True, tag="irregularity"):
    """The event breaches the procedure.

    `number` counts the irregularities of this table and is never reused. `coup` is the coup it
    occurred in, 0 between coups. `detail` says what was found, beside the title of the code.
    What is permitted and forbidden follows from the code and the decisions.
    """

    code: IrregularityCode
    number: int
    coup: int
    detail: Message
    clauses: tuple[Identifier, ...]
    decisions: tuple[PermittedDecision, ...]
    suspends: bool
    provisional: bool = False


Verdict: TypeAlias = Accepted | Irregularity
