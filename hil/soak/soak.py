"""Plays one scenario with all checkers, and says what was violated."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from controller.core.state import CoreState
from controller.core.tape.entries import CoreOutput
from controller.core.tape.inputs import Input
from hil.scenario.language.reading import Scenario, Step, parse_scenario
from hil.scenario.play.bench import NotPossible, RigBroken
from hil.soak.checkers import (
    CardsConserved,
    Checker,
    CoupAsDealt,
    EveryCoupCounted,
    LockedWhileSuspended,
    LossOnRecord,
    MistakesOnRecord,
    NoEffectWithoutEntry,
    NoFalseAlarm,
    NothingUndealtShown,
    OneBatchInPlay,
    PersonRefused,
    ReplayIsSame,
    ShoeOverAfterLastHand,
    Violated,
    WarningsInterlock,
)
from hil.soak.generate import scenario_of, swarm_of
from hil.soak.world import SoakWorld

CHECKERS: Final[tuple[type[Checker], ...]] = (
    CardsConserved,
    OneBatchInPlay,
    NoEffectWithoutEntry,
    LockedWhileSuspended,
    CoupAsDealt,
    EveryCoupCounted,
    ShoeOverAfterLastHand,
    MistakesOnRecord,
    NoFalseAlarm,
    WarningsInterlock,
    LossOnRecord,
    PersonRefused,
    NothingUndealtShown,
)
# A fault of the program or of the rig: it ended where it never may.
CRASHED: Final = "the program takes every input"


@dataclass(frozen=True, slots=True)
class Played:
    """What one seed gave. `checker` is empty where nothing was violated.

    `faults` are the names of the faults that were on; `passed_over` statements were not possible
    when they were due. `line` is the statement at which a checker fired.
    """

    seed: int
    shoes: int
    coups: int
    cards: int
    statements: int
    passed_over: int
    faults: tuple[str, ...] = ()
    checker: str = ""
    what: str = ""
    line: int = 0

    @property
    def violated(self) -> bool:
        return bool(self.checker)


def play_seed(seed: int) -> Played:
    """Play the scenario of a seed."""
    scenario = parse_scenario(scenario_of(seed), f"seed {seed}")
    return play(scenario, seed, swarm_of(seed).names)


def play(scenario: Scenario, seed: int, faults: tuple[str, ...] = ()) -> Played:
    """Play a scenario with all checkers; what is not possible when it is due is passed over."""
    world = SoakWorld(scenario, seed)
    checkers = [one(world) for one in CHECKERS]
    replay = ReplayIsSame(world)

    def watch(before: CoreState, item: Input, output: CoreOutput) -> None:
        for one in checkers:
            one.concluded(before, item, output)

    world.table.watches.append(watch)
    counts = _Counts()
    try:
        for step in scenario.steps:
            counts.line = step.line
            _do(world, step, counts)
            for one in (*checkers, replay):
                one.done(step.body)
        replay.replay()
    except Violated as error:
        counts.checker, counts.what = error.checker, error.what
    except Exception as error:  # noqa: BLE001 - whatever the program raises is a finding
        counts.checker, counts.what = CRASHED, f"{type(error).__name__}: {error}"
    dealt = [shoe for shoe in world.shoes if shoe.cards]
    return Played(
        seed,
        len(dealt),
        sum(one.pressed for shoe in dealt for one in shoe.coups),
        sum(shoe.cards for shoe in dealt),
        len(scenario.steps),
        counts.passed_over,
        faults,
        counts.checker,
        counts.what,
        counts.line,
    )


Play = Callable[[Scenario, int], Played]


@dataclass(slots=True)
class _Counts:
    passed_over: int = 0
    checker: str = ""
    what: str = ""
    line: int = 0


def _do(world: SoakWorld, step: Step, counts: _Counts) -> None:
    try:
        world.perform(step.body)
    except (NotPossible, RigBroken):
        counts.passed_over += 1
