"""Plays scenarios on a rig: opens it for each one; a rig that broke stays broken."""

import shutil
import sys
import weakref
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from hil.scenario.benches.emulated_bench import emulated_bench
from hil.scenario.benches.firmware_shuffler import firmware_shuffler
from hil.scenario.benches.labgrid_place import RESOURCE, HeldPlace, PlaceUnavailable, held_place
from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import Scenario
from hil.scenario.play.bench import Bench, RigBroken
from hil.scenario.play.run import ScenarioResult, ScenarioRun, Show, StepOutcome, StepResult
from hil.scenario.rigs.bench_program import person_bench
from hil.scenario.rigs.capabilities import needs_by_line
from hil.scenario.rigs.rig_file import PTY, RigFile, RigKind


def reason_left_out(scenario: Scenario, rig: RigFile) -> str:
    """Why `rig` cannot play the scenario; empty if it can."""
    can = rig.can
    for one in needs_by_line(scenario):
        if one.capability not in can:
            where = f"at line {one.line}" if one.line else "in its heading"
            return f"rig {rig.name} has no {one.capability.value}: `{one.text}` {where}"
    return ""


def at_place(rig: RigFile, place: HeldPlace) -> RigFile:
    """The rig with a URL for each port of the place, and a command for each of its switches.

    Raises PlaceUnavailable.
    """

    def port(line: str) -> str:
        return place.port(line.removeprefix(RESOURCE)) if line.startswith(RESOURCE) else line

    def command(words: str) -> str:
        if not words.startswith(RESOURCE):
            return words
        return place.power_command(words.removeprefix(RESOURCE))

    shuffler = rig.shuffler
    if shuffler is not None:
        shuffler = replace(shuffler, device=port(shuffler.device))
    return replace(
        rig,
        shoe=replace(rig.shoe, line=port(rig.shoe.line)),
        shuffler=shuffler,
        power=replace(
            rig.power, shoe=command(rig.power.shoe), shuffler=command(rig.power.shuffler)
        ),
    )


INTERRUPTED: Final = "interrupted by Ctrl-C"


def open_bench(rig: RigFile, scenario: Scenario, folder: Path) -> AbstractContextManager[Bench]:
    """The rig, ready for that scenario. Raises RigBroken.

    `folder` is new; what serves every scenario of a run is beside it.
    """
    line = rig.shoe.line or PTY
    match rig.kind:
        case RigKind.SIMULATED:
            return nullcontext(SimulatedBench(scenario))
        case RigKind.EMULATED:
            return emulated_bench(scenario, folder, line=line)
        case RigKind.FIRMWARE:
            return emulated_bench(scenario, folder, line=line, shuffler=firmware_shuffler)
        case RigKind.BENCH:
            return person_bench(rig, scenario, folder)


class Interrupted(Exception):
    """Ctrl-C during a scenario; `result` has the steps that were run."""

    def __init__(self, result: ScenarioResult) -> None:
        super().__init__(INTERRUPTED)
        self.result = result


@dataclass(slots=True, weakref_slot=True)
class PlayedRig:
    """A rig on which one scenario after the other is played. `broke`: the first cause.

    What is played is stored below `folder` while it is. A place of labgrid is held from the
    first scenario on, and released with this object.
    """

    rig: RigFile
    folder: Path
    broke: str = ""
    _steps: list[StepResult] = field(default_factory=list)
    _place: HeldPlace | None = None

    def play(
        self, scenario: Scenario, seed: int = 0, show: Show = lambda _: None
    ) -> ScenarioResult:
        """Play it; `show` is called after each step. Raises Interrupted."""
        if why := reason_left_out(scenario, self.rig):
            return ScenarioResult(scenario, self.rig.name, seed, (), why_skipped=why)

        def note(step: StepResult) -> None:
            self._steps.append(step)
            show(step)

        self._steps = []
        if self.broke:
            return self._ended(scenario, seed, f"rig {self.rig.name} broke: {self.broke}", note)
        folder = self.folder / "scenario"
        try:
            with open_bench(self._opened(), scenario, folder) as bench:
                result = ScenarioRun(scenario, bench, self.rig.name, seed, note).run()
        except RigBroken as error:
            self.broke = str(error)
            return self._ended(scenario, seed, self.broke, note)
        except KeyboardInterrupt:
            raise Interrupted(self._ended(scenario, seed, INTERRUPTED, note)) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        self.broke = result.rig_broke
        return result

    def _opened(self) -> RigFile:
        """The rig with the ports and switches of its place. Raises PlaceUnavailable."""
        if self.rig.labgrid is None:
            return self.rig
        if self._place is None:
            held = ExitStack()
            self._place = held.enter_context(held_place(self.rig.labgrid))
            weakref.finalize(self, _let_go, held)
        return at_place(self.rig, self._place)

    def _ended(self, scenario: Scenario, seed: int, why: str, note: Show) -> ScenarioResult:
        """What was run; the next step is an ERROR for that reason, and the rest is skipped."""
        last = self._steps[-1] if self._steps else None
        at_ns = last.began_ns + last.took_ns if last else 0
        card = last.card if last else 0
        following, *rest = scenario.steps[len(self._steps) :] or (None,)
        line, column = (following.line, following.column) if following else (1, 1)
        text = following.text if following else "the end of the scenario"
        note(StepResult(line, column, text, StepOutcome.ERROR, why, at_ns, 0, card))
        why = f"line {line} ended in ERROR"
        for step in rest:
            assert step is not None, "only the one that follows may be none"
            note(
                StepResult(step.line, step.column, step.text, StepOutcome.SKIP, why, at_ns, 0, card)
            )
        return ScenarioResult(
            scenario, self.rig.name, seed, tuple(self._steps), rig_broke=self.broke
        )


def _let_go(held: ExitStack) -> None:
    """Release the place; the run is over, and has nobody to raise to."""
    try:
        held.close()
    except PlaceUnavailable as error:
        print(f"smartshoe-hil: {error}", file=sys.stderr)
