"""Shrinks a scenario that violates something to the statements that it takes, and writes them.

Source: Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, 2002 (ddmin).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import singledispatch
from typing import Final, TypeVar

from controller.core.script.statement_forms import unparse
from hil.scenario.language import statements as said
from hil.scenario.language.reading import Scenario
from hil.soak.soak import Played, play

_UNITS: Final = (("h", 3600 * 10**9), ("min", 60 * 10**9), ("s", 10**9), ("ms", 10**6))
# The longest number that stands before a unit of time.
_DIGITS_MAX: Final = 999_999


def written(body: said.ScenarioBody) -> str:
    """The text of one statement, of the dealing language or of a scenario's own."""
    text = _written(body)
    return unparse(body) if text is None else text  # type: ignore[arg-type]


def quoted(text: str) -> str:
    """A text in quotes, as the language reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def time_text(ns: int) -> str:
    """A time in the largest unit that gives a whole number."""
    for unit, size in _UNITS:
        if ns % size == 0 and 0 < ns // size <= _DIGITS_MAX:
            return f"{ns // size}{unit}"
    raise ValueError(f"{ns} ns cannot be written as a time of the language")


@singledispatch
def _written(body: object) -> str | None:
    return None


# --- the heading ----------------------------------------------------------------------------------


@_written.register
def _(body: said.Named) -> str:
    return f"scenario {quoted(body.name)} {quoted(body.title)}"


@_written.register
def _(body: said.Source) -> str:
    return f"source {quoted(body.text)}"


@_written.register
def _(body: said.FirstKnown) -> str:
    return f"known {quoted(body.text)}"


@_written.register
def _(body: said.Control) -> str:
    return f"control {', '.join(map(quoted, body.names))}"


@_written.register
def _(body: said.ProfileUsed) -> str:
    return f"profile {quoted(body.name)}"


@_written.register
def _(body: said.ObservedFacts) -> str:
    return f"observed {', '.join(body.facts)}"


@_written.register
def _(body: said.DeviceWanted) -> str:
    return f"device {body.part} {body.model}"


# --- cards and the dealer -------------------------------------------------------------------------


@_written.register
def _(body: said.HandShuffle) -> str:
    return f"hand-shuffle {body.back}" + (f" keeping {body.keeping}" if body.keeping else "")


@_written.register
def _(body: said.PutInOrder) -> str:
    return f"sort {body.back}"


@_written.register
def _(body: said.SwapCard) -> str:
    other = "other back" if body.other_batch else str(body.face or "??")
    return f"swap {body.back} {body.old or body.position} for {other}"


@_written.register
def _(body: said.SwapAll) -> str:
    return f"swap {body.back} all"


@_written.register
def _(body: said.RemoveCards) -> str:
    return f"remove {body.cards} from {body.back}"


@_written.register
def _(body: said.CutCardAt) -> str:
    return f"insert cut card at {body.from_back}"


@_written.register
def _(body: said.LoadShoe) -> str:
    return f"load {body.back}"


@_written.register
def _(_body: said.EmptyShoe) -> str:
    return "unload"


@_written.register
def _(_body: said.DealBurn) -> str:
    return "deal burn"


@_written.register
def _(body: said.DealCoups) -> str:
    return f"deal {body.coups} coups" if body.coups else "deal to the end"


@_written.register
def _(body: said.Err) -> str:
    return f"err {body.mistake}"


@_written.register
def _(body: said.DrawNext) -> str:
    return "draw" if body.card is None else f"draw {body.card}"


@_written.register
def _(body: said.NextCardDoes) -> str:
    return f"next card {body.fault}"


@_written.register
def _(_body: said.FloorDecides) -> str:
    return "floor decides"


@_written.register
def _(_body: said.FloorClears) -> str:
    return "floor clears warnings"


# --- the shuffler ---------------------------------------------------------------------------------


@_written.register
def _(body: said.PutIn) -> str:
    return f"put in {body.back}"


@_written.register
def _(body: said.TakeOut) -> str:
    return f"take out {body.back}"


@_written.register
def _(body: said.Press) -> str:
    return f"press {body.button} {body.compartment}" + (" at once" if body.at_once else "")


@_written.register
def _(body: said.ShuffleBatch) -> str:
    return f"shuffle {body.back}"


@_written.register
def _(body: said.BringOut) -> str:
    return f"bring out {body.back}"


@_written.register
def _(body: said.MoveDoor) -> str:
    return f"door {body.compartment} {'open' if body.is_open else 'closed'}"


@_written.register
def _(body: said.JamMechanism) -> str:
    return f"jam {body.compartment}" + ("" if body.jammed else " cleared")


@_written.register
def _(body: said.StickSensor) -> str:
    what = "gate" if body.compartment is None else f"door {body.compartment}"
    return f"stuck {what}" + ("" if body.stuck else " cleared")


@_written.register
def _(body: said.LeaveCards) -> str:
    return f"residual {body.cards} in {body.compartment}" if body.cards else "residual taken"


@_written.register
def _(body: said.ReachIn) -> str:
    return f"reach in {body.back}"


@_written.register
def _(body: said.TurnModeKey) -> str:
    return f"mode {body.mode}"


@_written.register
def _(body: said.Lamp) -> str:
    return f"lamp {body.code} " + (f"on {quoted(body.text)}" if body.on else "off")


@_written.register
def _(body: said.Interfere) -> str:
    return f"interfere {body.part} {body.how}"


# --- cables, power, the program's computer, lines, time -------------------------------------------


@_written.register
def _(body: said.MovePlug) -> str:
    return f"{'plug' if body.plugged else 'unplug'} {body.part}"


@_written.register
def _(body: said.SwitchPower) -> str:
    return f"power {body.part} {'on' if body.on else 'off'}"


@_written.register
def _(body: said.Befall) -> str:
    return f"host {body.fault}" + (f" {time_text(body.ns)}" if body.ns else "")


@_written.register
def _(body: said.Disturb) -> str:
    how = f" {body.permille // 10}%" if body.permille else ""
    how = f" {time_text(body.ns)}" if body.ns else how
    return f"wire {body.part} {body.fault}{how}"


@_written.register
def _(body: said.Wait) -> str:
    return f"wait {time_text(body.ns)}"


# --- what is expected and measured ----------------------------------------------------------------


@_written.register
def _(body: said.Expect) -> str:
    words = list(body.words)
    if body.subject is said.Subject.IRREGULARITY:
        words = [", ".join(words)]
    elif body.subject is said.Subject.REFUSAL:
        words = [quoted(one) for one in words]
    parts = ["caught by" if body.caught else "expect", body.subject.value, *words]
    of_face = f" of {body.face}" if body.face else ""
    parts += [f"by card {body.card}{of_face}"] * bool(body.card)
    parts += [f"within {time_text(body.within_ns)}"] if body.within_ns else []
    parts += ["among others"] * body.others
    return " ".join(parts)


@_written.register
def _(body: said.Measure) -> str:
    limit = f" at most {time_text(body.limit_ns)}" if body.limit_ns else ""
    return f"measure {body.kind}{limit}"


# A scenario is played at most so often while it is shrunk.
PLAYS_MAX = 400

PartT = TypeVar("PartT")


def shrink(scenario: Scenario, played: Played) -> Scenario:
    """The scenario with as few statements as still violate the same checker."""
    plays = 0

    def fails(steps: tuple[object, ...]) -> bool:
        nonlocal plays
        plays += 1
        if plays > PLAYS_MAX:
            return False
        tried = replace(scenario, steps=steps)  # type: ignore[arg-type]
        return play(tried, played.seed).checker == played.checker

    before = tuple(one for one in scenario.steps if one.line <= played.line)
    start = before if fails(before) else scenario.steps
    return replace(scenario, steps=minimised(start, fails))


def minimised(
    parts: tuple[PartT, ...], fails: Callable[[tuple[PartT, ...]], bool]
) -> tuple[PartT, ...]:
    """As few of the parts, in their order, as still fail: none of them can be left out."""
    size = 2
    while len(parts) > 1:
        step = max(1, len(parts) // size)
        for at in range(0, len(parts), step):
            left = parts[:at] + parts[at + step :]
            if left and fails(left):
                parts, size = left, max(2, size - 1)
                break
        else:
            if step == 1:
                break
            size = min(len(parts), size * 2)
    return parts


def scenario_text(scenario: Scenario, played: Played) -> str:
    """The scenario as a file, with how it is played again."""
    lines = [
        f"# violates: {played.checker}: {played.what}",
        f"# with the checkers: smartshoe-hil soak --scenario FILE --seed {played.seed}",
        f"# without: smartshoe-hil run FILE --rig simulated --seed {played.seed}",
        f'scenario {scenario.name} "{played.checker}"',
        f"profile {scenario.profile}",
        f"device shoe {scenario.shoe}",
        *(["device shuffler tablelink"] if scenario.shuffler else []),
        *(written(one.body) for one in scenario.steps),
    ]
    return "".join(f"{line}\n" for line in lines)
