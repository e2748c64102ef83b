"""Verdicts: the procedure's answer to one domain event.

Responsible for: the two kinds of verdict as values.
Not responsible for: reaching them (judging) and for showing them.
Source: package README, "Verdicts".
"""

from typing import TypeAlias

from controller.procedure.irregularities import IrregularityCode
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Accepted:
    """The event is in order. `what` says how it was understood, `clauses` which rules allow it."""

    what: str
    clauses: tuple[str, ...] = ()
    provisional: bool = False


@dataclass(frozen=True, slots=True)
class Irregularity:
    """The event breaks the procedure. `number` counts irregularities of this table for ever.

    `coup` is the coup it happened in, 0 between coups. `detail` is the sentence a person reads.
    """

    code: IrregularityCode
    number: int
    coup: int
    detail: str
    clauses: tuple[str, ...]
    permitted: tuple[str, ...]
    forbidden: tuple[str, ...]
    decisions: tuple[str, ...]
    suspends: bool
    provisional: bool = False


Verdict: TypeAlias = Accepted | Irregularity
