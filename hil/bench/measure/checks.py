"""Goals held against what was measured.

Responsible for: the shape of one line of the report, and met, MISSED or not judged.
Not responsible for: measuring, and for layout (report).
Source: package README, "What is judged".
"""

from dataclasses import dataclass
from enum import StrEnum

from hil.bench.measure.figures import DISTURBED_PER_MILLE_MAX, Unit, shown


class Judgement(StrEnum):
    MET = "met"
    MISSED = "MISSED"
    NOT_JUDGED = "not judged"
    SHOWN = "shown"  # a figure without a goal


class CannotMeasure(Exception):
    """A measurement is not possible here; the message says why."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a figure must not exceed, or with `at_least` not fall below."""

    must: float
    stretch: float | None = None
    at_least: bool = False

    def holds(self, value: float, limit: float) -> bool:
        return value >= limit if self.at_least else value <= limit

    def words(self, limit: float, unit: Unit) -> str:
        return f"{'>=' if self.at_least else '<='} {shown(limit, unit)}"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. `value` is in `unit`; `beside` is what it was measured against."""

    goal: str
    what: str
    value: float
    unit: Unit
    judgement: Judgement
    must: str = ""
    stretch: str = ""
    stretch_met: bool = False
    beside: str = ""
    why: str = ""


def judged(goal: str, what: str, value: float, unit: Unit, bound: Bound, beside: str = "") -> Check:
    """A figure against its goal."""
    return Check(
        goal=goal,
        what=what,
        value=value,
        unit=unit,
        judgement=Judgement.MET if bound.holds(value, bound.must) else Judgement.MISSED,
        must=bound.words(bound.must, unit),
        stretch="" if bound.stretch is None else bound.words(bound.stretch, unit),
        stretch_met=bound.stretch is not None and bound.holds(value, bound.stretch),
        beside=beside,
    )


def judged_if(
    reason_not: str, goal: str, what: str, value: float, unit: Unit, bound: Bound, beside: str = ""
) -> Check:
    """As `judged`, unless there is a reason not to."""
    check = judged(goal, what, value, unit, bound, beside)
    if not reason_not:
        return check
    return Check(
        goal=goal,
        what=what,
        value=value,
        unit=unit,
        judgement=Judgement.NOT_JUDGED,
        must=check.must,
        stretch=check.stretch,
        beside=beside,
        why=reason_not,
    )


def told(goal: str, what: str, value: float, unit: Unit, beside: str = "") -> Check:
    """A figure without a goal."""
    return Check(goal, what, value, unit, Judgement.SHOWN, beside=beside)


def impossible(goal: str, why: str) -> Check:
    """A goal that could not be measured."""
    return Check(goal, "could not be measured", 0, Unit.COUNT, Judgement.NOT_JUDGED, why=why)


def too_few(samples: int, samples_min: int) -> str:
    """Why a percentile over so many samples is not judged; empty where it is."""
    if samples >= samples_min:
        return ""
    return f"{samples} samples, {samples_min} are needed"


def disturbed(times: int, samples: int) -> str:
    """Why a tail is not judged where other work took the processor away so often; else empty."""
    if times * 1_000 <= DISTURBED_PER_MILLE_MAX * samples:
        return ""
    return f"other work took the processor away {times} times in {samples} samples"
