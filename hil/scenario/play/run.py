"""Runs a scenario on a bench: every step with its outcome, its time and its measures."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from hil.scenario.language.reading import Scenario, Step
from hil.scenario.language.statements import (
    BringOut,
    Expect,
    LoadShoe,
    Measure,
    MeasureKind,
    MovePlug,
    ShuffleBatch,
    Subject,
)
from hil.scenario.play.bench import Bench, NotPossible, RigBroken
from hil.scenario.play.expecting import Expectations, NeverSo
from hil.scenario.play.performing import Performer

POLL_NS = 50_000_000
# How long an expectation without a time waits, by the program's clock: a real program takes a
# moment to conclude and to store.
PATIENCE_NS = 10_000_000_000


class StepOutcome(StrEnum):
    """How a step ended. ERROR is a fault of the rig or the scenario, FAIL one of the table."""

    PASS = "PASS"  # noqa: S105 - no password
    FAIL = "FAIL"
    ERROR = "ERROR"
    SKIP = "SKIP"


@dataclass(frozen=True, slots=True)
class StepResult:
    """One step: its statement, its outcome and why, when it began and how long it took in ns.

    `began_ns` counts from the beginning of the scenario by the program's clock; `card` is how many
    cards of the shoe had left after it. `measured_ns` is the figure of a measure, `limit_ns` its
    limit, each 0 where there is none. `stopped` says at which state dealing stopped before its end,
    and why. `facts` are the texts of what the table concluded in it,
    `fact_times_ns` and `card_times_ns` when, and when each card was judged, counted as `began_ns`.
    """

    line: int
    column: int
    text: str
    outcome: StepOutcome
    why: str
    began_ns: int
    took_ns: int
    card: int
    facts: tuple[str, ...] = ()
    measure: str = ""
    measured_ns: int = 0
    limit_ns: int = 0
    caught: bool = False
    fact_times_ns: tuple[int, ...] = ()
    card_times_ns: tuple[int, ...] = ()
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """One scenario on one rig. `caught_card`: 0 where it was caught before the first card.

    `rig_broke`: why the rig cannot go on; empty if it can.
    """

    scenario: Scenario
    rig: str
    seed: int
    steps: tuple[StepResult, ...]
    why_skipped: str = ""
    caught_card: int = 0
    rig_broke: str = ""

    @property
    def outcome(self) -> StepOutcome:
        """The worst of its steps; SKIP where none was run."""
        if self.why_skipped:
            return StepOutcome.SKIP
        found = {one.outcome for one in self.steps}
        for worst in (StepOutcome.ERROR, StepOutcome.FAIL):
            if worst in found:
                return worst
        return StepOutcome.PASS

    @property
    def caught(self) -> bool:
        """Whether each `caught by` came true, and there is one."""
        wanted = sum(map(_is_catch, self.scenario.steps))
        return wanted > 0 and sum(one.caught for one in self.steps) == wanted

    @property
    def caught_step(self) -> StepResult | None:
        """The first step at which an incident was caught that was caught in all its parts."""
        return next((one for one in self.steps if one.caught), None) if self.caught else None


Show = Callable[[StepResult], object]


@dataclass(slots=True)
class ScenarioRun:
    """One run of a scenario on a bench that is ready. `show` is called after each step."""

    scenario: Scenario
    bench: Bench
    rig: str
    seed: int = 0
    show: Show = lambda _: None
    _results: list[StepResult] = field(default_factory=list)
    _stopped: str = ""
    _broke: str = ""
    _unplugged_ns: int = 0
    _exchange_ns: int = 0
    _last_took_ns: int = 0

    def run(self) -> ScenarioResult:
        """Run every step; after an ERROR, or a FAIL, the rest is skipped with that reason."""
        performer = Performer(self.scenario, self.bench, self.seed)
        expectations = Expectations(self.bench.table)
        began_ns = self.bench.table.now_ns()
        for number, step in enumerate(self.scenario.steps):
            after = self.scenario.steps[number + 1 :][:1]
            refusable = any(_expects_refusal(one) for one in after)
            self._step(step, performer, expectations, began_ns, refusable=refusable)
        if not self._stopped and (left := expectations.unexpected()):
            names = ", ".join(one.words[0] for one in left)
            last = self.scenario.steps[-1]
            self._add(
                StepResult(
                    last.line,
                    last.column,
                    "the end of the scenario",
                    StepOutcome.FAIL,
                    f"raised and not expected: {names}",
                    self.bench.table.now_ns() - began_ns,
                    0,
                    self.bench.table.facts.cards_drawn,
                )
            )
        return ScenarioResult(
            self.scenario,
            self.rig,
            self.seed,
            tuple(self._results),
            caught_card=expectations.caught_card or 0,
            rig_broke=self._broke,
        )

    def _add(self, result: StepResult) -> None:
        self._results.append(result)
        self.show(result)

    def _step(
        self,
        step: Step,
        performer: Performer,
        expectations: Expectations,
        began_ns: int,
        *,
        refusable: bool,
    ) -> None:
        table = self.bench.table
        at_ns = table.now_ns()
        facts_before = len(table.facts.facts)
        cards_before = len(table.facts.card_times_ns)
        outcome, why, stopped = StepOutcome.PASS, "", ""
        measured_ns = limit_ns = 0
        measure = ""
        if self._stopped:
            outcome, why = StepOutcome.SKIP, self._stopped
        else:
            try:
                match step.body:
                    case Expect():
                        why = self._await(expectations, step.body)
                    case Measure():
                        measure = step.body.kind.value
                        limit_ns = step.body.limit_ns
                        measured_ns = self._measured_ns(step.body.kind)
                        if limit_ns and measured_ns > limit_ns:
                            why = f"it took {measured_ns / 1e6:.1f} ms"
                    case _:
                        self._note_time(step, at_ns)
                        stopped = performer.perform(step.body)
                        why = "" if refusable else self._refusal_since(facts_before)
                outcome = StepOutcome.FAIL if why else StepOutcome.PASS
            except (NotPossible, RigBroken) as error:
                outcome, why = StepOutcome.ERROR, str(error)
                self._broke = why if isinstance(error, RigBroken) else ""
            if why:
                self._stopped = f"line {step.line} ended in {outcome.value}"
        took_ns = table.now_ns() - at_ns
        if not isinstance(step.body, Measure):
            self._last_took_ns = took_ns
        caught = _is_catch(step) and outcome is StepOutcome.PASS
        self._add(
            StepResult(
                step.line,
                step.column,
                step.text,
                outcome,
                why,
                at_ns - began_ns,
                took_ns,
                table.facts.cards_drawn,
                tuple(one.text for one in table.facts.facts[facts_before:]),
                measure,
                measured_ns,
                limit_ns,
                caught,
                tuple(one.at_ns - began_ns for one in table.facts.facts[facts_before:]),
                tuple(one - began_ns for one in table.facts.card_times_ns[cards_before:]),
                stopped,
            )
        )

    def _refusal_since(self, facts_before: int) -> str:
        """Why the table refused what a person did in this step; empty if it did not."""
        refused = self.bench.table.facts.since(facts_before, Subject.REFUSAL)
        return refused[0].text if refused else ""

    def _await(self, expectations: Expectations, expected: Expect) -> str:
        """Wait until it is so; why it is not, empty if it is."""
        table = self.bench.table
        patience_ns = expected.within_ns or PATIENCE_NS
        if expected.subject is Subject.NOTHING:
            patience_ns = 0
        until_ns = table.now_ns() + patience_ns
        while True:
            table.catch_up()
            try:
                why = expectations.failure(expected)
            except NeverSo as error:
                return str(error)
            if not why or table.now_ns() >= until_ns:
                return why
            table.wait(POLL_NS)

    def _note_time(self, step: Step, at_ns: int) -> None:
        match step.body:
            case MovePlug(plugged=False):
                self._unplugged_ns = at_ns
            case BringOut() | ShuffleBatch():
                self._exchange_ns = at_ns
            case LoadShoe():
                self._exchange_ns = self._exchange_ns or at_ns
            case _:
                pass

    def _measured_ns(self, kind: MeasureKind) -> int:
        table = self.bench.table
        match kind:
            case MeasureKind.STEP:
                return self._last_took_ns
            case MeasureKind.UNPLUG_TO_DETECTED:
                return self._since(self._unplugged_ns, "nothing was unplugged")
            case MeasureKind.EXCHANGE:
                return self._since(self._exchange_ns, "no batch was exchanged")
            case MeasureKind.SCAN_TO_VERDICT:
                return table.scan_to_verdict_ns()

    def _since(self, began_ns: int, otherwise: str) -> int:
        if not began_ns:
            raise NotPossible(otherwise)
        return self.bench.table.now_ns() - began_ns


def _is_catch(step: Step) -> bool:
    return isinstance(step.body, Expect) and step.body.caught


def _expects_refusal(step: Step) -> bool:
    return isinstance(step.body, Expect) and step.body.subject is Subject.REFUSAL
