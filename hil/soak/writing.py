"""Writes the statements of a scenario back as text that reads as the same statement.

Source: controller/core/script/README.md, `unparse`.
"""

from functools import singledispatch
from typing import Final

from controller.core.script.statement_forms import unparse
from hil.scenario.language import statements as said

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
