"""Compares a measured figure with its goal: met, MISSED or not judged."""

from dataclasses import dataclass
from enum import StrEnum

from hil.measure.figures import DISTURBED_PER_MILLE_MAX, Unit, format_figure


class GoalResult(StrEnum):
    MET = "met"
    MISSED = "MISSED"
    NOT_JUDGED = "not judged"
    SHOWN = "shown"  # a figure without a goal


class CannotMeasure(Exception):
    """A measurement is not possible here, for the reason in the message."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a figure must not exceed, or with `at_least` not fall below."""

    must: float
    stretch: float | None = None
    at_least: bool = False

    def holds(self, value: float, limit: float) -> bool:
        return value >= limit if self.at_least else value <= limit

    def describe(self, limit: float, unit: Unit) -> str:
        return f"{'>=' if self.at_least else '<='} {format_figure(limit, unit)}"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report. `value` is in `unit`; `beside` is what it was measured against."""

    goal: str
    what: str
    value: float
    unit: Unit
    judgement: GoalResult
    must: str = ""
    stretch: str = ""
    stretch_met: bool = False
    beside: str = ""
    why: str = ""


def check_goal(
    goal: str, what: str, value: float, unit: Unit, bound: Bound, beside: str = ""
) -> Check:
    """Compare a figure with its goal."""
    return Check(
        goal=goal,
        what=what,
        value=value,
        unit=unit,
        judgement=GoalResult.MET if bound.holds(value, bound.must) else GoalResult.MISSED,
        must=bound.describe(bound.must, unit),
        stretch="" if bound.stretch is None else bound.describe(bound.stretch, unit),
        stretch_met=bound.stretch is not None and bound.holds(value, bound.stretch),
        beside=beside,
    )


def check_goal_unless(
    reason: str, goal: str, what: str, value: float, unit: Unit, bound: Bound, beside: str = ""
) -> Check:
    """Like `check_goal`, but not judged where a reason against it is given."""
    check = check_goal(goal, what, value, unit, bound, beside)
    if not reason:
        return check
    return Check(
        goal=goal,
        what=what,
        value=value,
        unit=unit,
        judgement=GoalResult.NOT_JUDGED,
        must=check.must,
        stretch=check.stretch,
        beside=beside,
        why=reason,
    )


def report_figure(goal: str, what: str, value: float, unit: Unit, beside: str = "") -> Check:
    """A figure without a goal."""
    return Check(goal, what, value, unit, GoalResult.SHOWN, beside=beside)


def not_measured(goal: str, why: str) -> Check:
    """A goal that could not be measured."""
    return Check(goal, "could not be measured", 0, Unit.COUNT, GoalResult.NOT_JUDGED, why=why)


def too_few_reason(samples: int, samples_min: int) -> str:
    """Why a percentile over so many samples is not judged; empty if it is."""
    if samples >= samples_min:
        return ""
    return f"{samples} samples, {samples_min} are needed"


def disturbed_reason(times: int, samples: int) -> str:
    """Why a tail is not judged after so many preemptions by other work; empty if it is."""
    if times * 1_000 <= DISTURBED_PER_MILLE_MAX * samples:
        return ""
    return f"other work took the processor away {times} times in {samples} samples"
