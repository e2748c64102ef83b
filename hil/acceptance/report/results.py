"""What one step of an acceptance found: its outcome, its figures, and what differed."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

Figure: TypeAlias = int | str | bool | tuple[int | str, ...] | None


class WalkOutcome(StrEnum):
    """What a step showed."""

    PASS = "PASS"  # noqa: S105 - no password
    DIFFERS = "DIFFERS"  # it works, and not as the wire document says
    FAIL = "FAIL"
    NOT_DONE = "NOT DONE"


class Departure(Struct, frozen=True):
    """What differed from the wire document; `data` are the bytes it is about, in hex."""

    section: str
    stated: str
    found: str
    data: str = ""


class WalkStep(Struct, frozen=True):
    """One step of a part: cable, levels, protocol, timing or tape.

    `reason` says why it failed or was not done; `answer` is what the person said.
    """

    part: str
    name: str
    title: str
    outcome: WalkOutcome
    figures: tuple[tuple[str, Figure], ...] = ()
    differences: tuple[Departure, ...] = ()
    reason: str = ""
    answer: str = ""


def worst(outcomes: tuple[WalkOutcome, ...]) -> WalkOutcome:
    """The outcome of several parts: a failure counts more than a difference."""
    for one in (WalkOutcome.FAIL, WalkOutcome.DIFFERS, WalkOutcome.NOT_DONE):
        if one in outcomes:
            return one
    return WalkOutcome.PASS
