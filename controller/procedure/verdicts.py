"""Verdicts: the procedure's answer to one domain event.

Source: controller/procedure/README.md, "Verdicts".
"""

from typing import TypeAlias

from msgspec import Struct

from controller.procedure.irregularities import IrregularityCode
from firmware_bridge.message import Wording


class Accepted(Struct, frozen=True, tag="accepted"):
    """The event is in order. `what` describes it, `clauses` are the rules that allow it."""

    what: Wording
    clauses: tuple[str, ...] = ()
    provisional: bool = False


class Irregularity(Struct, frozen=True, tag="irregularity"):
    """The event breaches the procedure.

    `number` counts the irregularities of this table and is never reused. `coup` is the coup it
    occurred in, 0 between coups. `detail` says what was found, beside the title of the code.
    """

    code: IrregularityCode
    number: int
    coup: int
    detail: Wording
    clauses: tuple[str, ...]
    permitted: tuple[Wording, ...]
    forbidden: tuple[Wording, ...]
    decisions: tuple[str, ...]
    suspends: bool
    provisional: bool = False


Verdict: TypeAlias = Accepted | Irregularity
