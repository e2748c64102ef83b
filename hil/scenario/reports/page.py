"""Results as one page that needs nothing else: a time line, no script, no other file.

Source: Jinja documentation, "Autoescaping".
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from controller.version import software_identifier
from hil.scenario.play.run import StepOutcome, StepResult
from hil.scenario.reports.played import PlayedScenario, duration

AXIS_WIDTH: Final = 540.0
ROW_HEIGHT: Final = 20.0
FACT_HEIGHT: Final = 14.0
# Each step is seen, and none hides the others.
STEP_MIN: Final = 5.0
STEP_SHARE_MAX: Final = 0.5
FACTS_MAX: Final = 5
LABEL_GAP: Final = 56.0
TEXT_MAX: Final = 44
CHARACTER: Final = 6.3
MARK: Final = 8.0


@dataclass(frozen=True, slots=True)
class DrawnFact:
    """What the table concluded: where, its text, and whether the text stands left of it."""

    x: float
    y: float
    text: str
    left: bool
    kind: str


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """A row: its bar, the cards within it, the facts below it. `cut`: drawn shorter."""

    step: StepResult
    y: float
    height: float
    x: float
    width: float
    cut: bool
    text: str
    cards: tuple[float, ...]
    facts: tuple[DrawnFact, ...]


@dataclass(frozen=True, slots=True)
class AxisLabel:
    x: float
    text: str


@dataclass(frozen=True, slots=True)
class TimeLine:
    """A drawing: rows of steps on a time axis, cards, facts; lengths are units of the drawing.

    A step that lasts longer than all others together is drawn shorter, and marked so. `height` is
    without the axis's labels.
    """

    steps: tuple[DrawnStep, ...]
    labels: tuple[AxisLabel, ...]
    height: float


def time_line(steps: Sequence[StepResult]) -> TimeLine:
    """The drawing of the steps that were run."""
    run = [one for one in steps if one.outcome is not StepOutcome.SKIP]
    widths, cuts = _widths(run)
    drawn: list[DrawnStep] = []
    x = y = 0.0
    edges = [(0.0, 0)]
    for step, width, cut in zip(run, widths, cuts, strict=True):
        drawn.append(_drawn(step, x, y, width, cut=cut))
        x, y = x + width, y + drawn[-1].height
        edges.append((x, step.began_ns + step.took_ns))
    return TimeLine(tuple(drawn), tuple(_labels(edges)), y)


def _widths(steps: Sequence[StepResult]) -> tuple[list[float], list[bool]]:
    """How wide each step is drawn, and whether it is drawn shorter than its time."""
    if not steps:
        return [], []
    least = min(STEP_MIN, AXIS_WIDTH / 2 / len(steps))
    room = AXIS_WIDTH - least * len(steps)
    shown = [float(one.took_ns) for one in steps]
    cuts = [False] * len(steps)
    for at in sorted(range(len(steps)), key=lambda at: -steps[at].took_ns):
        rest = sum(shown) - shown[at]
        most = rest * STEP_SHARE_MAX / (1 - STEP_SHARE_MAX)
        if rest and shown[at] > most and shown[at] > 4 * _next_longest(shown, at):
            shown[at], cuts[at] = max(most, _next_longest(shown, at)), True
    total = sum(shown) or 1.0
    return [least + room * one / total for one in shown], cuts


def _next_longest(shown: Sequence[float], at: int) -> float:
    return max((one for n, one in enumerate(shown) if n != at), default=0.0)


def _drawn(step: StepResult, x: float, y: float, width: float, *, cut: bool) -> DrawnStep:
    def place(at_ns: int) -> float:
        """Where a moment of this step is; the clock may have been stepped within it."""
        share = (at_ns - step.began_ns) / step.took_ns if step.took_ns else 1.0
        return x + width * min(max(share, 0.0), 1.0)

    said = _facts_said(step)
    facts = tuple(
        DrawnFact(
            place(at_ns),
            y + ROW_HEIGHT + FACT_HEIGHT * row,
            text,
            place(at_ns) + MARK + len(text) * CHARACTER > AXIS_WIDTH,
            text.partition(" ")[0].rstrip(":"),
        )
        for row, (at_ns, text) in enumerate(said)
    )
    return DrawnStep(
        step=step,
        y=y,
        height=ROW_HEIGHT + FACT_HEIGHT * len(facts),
        x=x,
        width=width,
        cut=cut,
        text=step.text if len(step.text) <= TEXT_MAX else f"{step.text[: TEXT_MAX - 1]}…",
        cards=tuple(place(one) for one in step.card_times_ns),
        facts=facts,
    )


def _facts_said(step: StepResult) -> list[tuple[int, str]]:
    """The facts of a step with their times; several coups are one line, and so is what is left."""
    end_ns = step.began_ns + step.took_ns
    times = step.fact_times_ns or (end_ns,) * len(step.facts)
    both = list(zip(times, step.facts, strict=True))
    coups = [one for one in both if one[1].startswith("coup ")]
    others = [one for one in both if one not in coups]
    if len(coups) > 1:
        first, last = (one[1].split()[1].rstrip(":") for one in (coups[0], coups[-1]))
        coups = [(coups[-1][0], f"coups {first} to {last}")]
    said = sorted((*others[:FACTS_MAX], *coups))
    if len(others) > FACTS_MAX:
        said.append((others[-1][0], f"and {len(others) - FACTS_MAX} more"))
    if step.why and step.outcome in (StepOutcome.FAIL, StepOutcome.ERROR):
        said.append((end_ns, f"{step.outcome.value} {step.why}"))
    return said


def _labels(edges: Sequence[tuple[float, int]]) -> list[AxisLabel]:
    """Times below the edges of steps, as many as there is room for, the end among them."""
    found: list[AxisLabel] = []
    last_x, last_ns = edges[-1]
    for x, at_ns in edges[:-1]:
        before = found[-1].x if found else -LABEL_GAP
        if x - before >= LABEL_GAP and last_x - x >= 1.6 * LABEL_GAP:
            found.append(AxisLabel(x, duration(at_ns) if at_ns else "0"))
    found.append(AxisLabel(last_x, duration(last_ns)))
    return found


TEXT_WIDTH: Final = 360


def results_page(runs: Sequence[PlayedScenario], rig: str) -> str:
    """The page as HTML."""
    counted = Counter(one.result.outcome for one in runs)
    return (
        _environment()
        .get_template("results.html")
        .render(
            runs=runs,
            rig=rig,
            seed=runs[0].result.seed if runs else 0,
            version=software_identifier(),
            counts=[(one.value, counted[one]) for one in StepOutcome if counted[one]],
            incidents=[one for one in runs if one.result.scenario.control],
            axis_width=AXIS_WIDTH,
            text_width=TEXT_WIDTH,
            skip=StepOutcome.SKIP,
            error=StepOutcome.ERROR,
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hil.scenario.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["duration"] = duration
    environment.globals["time_line"] = time_line
    return environment
