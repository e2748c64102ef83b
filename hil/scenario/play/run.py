"""Runs a scenario on a bench: every step with its time and outcome, also of what it expects."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from controller.procedure.phases import Phase
from controller.record.snapshot import Snapshot
from drivers.events import Stage
from hil.scenario.language.expectation_forms import COUNTED
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
from hil.scenario.play.bench import Bench, NotPossible, RigBroken, TableSide
from hil.scenario.play.facts import Fact
from hil.scenario.play.performing import Performer

# Subjects that are compared with what is so now, not with what was concluded.
_STANDING: Final = (
    Subject.PHASE,
    Subject.STAGE,
    Subject.LINK,
    Subject.LOCK,
    Subject.METRIC,
    Subject.ADVISORY,
)
_DOWN: Final = (None, Stage.CLOSED, Stage.LOST)


class NeverSo(Exception):
    """The expectation cannot come true any more; the message says why."""


class Expectations:
    """Checks expectations one after the other; each irregularity is expected once."""

    def __init__(self, table: TableSide) -> None:
        self._table = table
        self._checked = 0  # facts before it were expected, or judged as unexpected
        self.caught_card: int | None = None  # of the first catch

    def failure(self, expected: Expect) -> str:
        """Why it is not so; empty if it is. Takes what it finds as expected. Raises NeverSo."""
        if expected.subject in _STANDING:
            return self._standing(expected)
        return self._concluded(expected)

    def unexpected(self) -> tuple[Fact, ...]:
        """Irregularities that no expectation named."""
        return tuple(self._table.facts.since(self._checked, Subject.IRREGULARITY))

    def _concluded(self, expected: Expect) -> str:
        facts = self._table.facts
        new = facts.since(self._checked, Subject.IRREGULARITY)
        if expected.subject is Subject.NOTHING:
            return "" if not new else f"raised: {_names(new)}"
        if expected.subject is Subject.IRREGULARITY:
            found = tuple(one.words[0] for one in new)
            wanted = expected.words
            right = set(wanted) <= set(found) if expected.others else found == wanted
            if not expected.others and found != wanted[: len(found)]:
                raise NeverSo(f"raised: {_names(new)}")
            if not right:
                return f"raised: {_names(new) or 'nothing'}"
            at = next(one for one in new if one.words[0] == wanted[0])
            return self._in_time(expected, at, lambda: self._take_all(facts.facts))
        later = facts.facts[self._checked_of(expected) :]
        matching = [one for one in later if _matches(expected, one)]
        if not matching:
            same = [one.text for one in later if one.subject is expected.subject]
            return f"not concluded; there is: {', '.join(same) or 'nothing'}"
        return self._in_time(expected, matching[0], lambda: None)

    def _checked_of(self, expected: Expect) -> int:
        """Coups and findings stay true: the whole run is searched for them."""
        return self._checked if expected.subject is Subject.REFUSAL else 0

    def _take_all(self, facts: list[Fact]) -> None:
        self._checked = len(facts)

    def _in_time(self, expected: Expect, found: Fact, take: Callable[[], None]) -> str:
        if expected.card and found.card > self._latest(expected):
            return f"it was known at card {found.card} only"
        take()
        if expected.caught:
            self._catch(found.card)
        return ""

    def _catch(self, card: int) -> None:
        if self.caught_card is None:
            self.caught_card = card

    def _latest(self, expected: Expect) -> int:
        """The last card of the shoe at which it may have come to be known."""
        return self._table.facts.card_of(expected.card, expected.face)

    def _standing(self, expected: Expect) -> str:
        if expected.subject is Subject.METRIC:
            return _metric_failure(expected, self._table)
        shown = self._table.snapshot()
        if expected.subject is Subject.ADVISORY:
            said = [one for one in shown.advisories if one.kind.value == expected.words[0]]
            if not said:
                return f"said: {', '.join(one.kind.value for one in shown.advisories) or 'nothing'}"
            if expected.card and said[0].card > self._latest(expected):
                return f"it was said at card {said[0].card} only"
            if expected.caught:
                self._catch(said[0].card)
            return ""
        seen = _standing_words(expected, shown)
        if seen != expected.words:
            return f"it is {' '.join(seen) or 'not known'}"
        if expected.caught:
            self._catch(self._table.facts.cards_drawn)
        return ""


def _matches(expected: Expect, fact: Fact) -> bool:
    if fact.subject is not expected.subject:
        return False
    if expected.subject is Subject.REFUSAL:
        return set(expected.words) <= set(fact.words)
    if expected.words[1:] == (COUNTED,):
        return fact.words[0] == expected.words[0] and fact.words[1] != "void"
    return fact.words == expected.words


def _names(facts: Sequence[Fact]) -> str:
    return ", ".join(one.words[0] for one in facts)


def _standing_words(expected: Expect, shown: Snapshot) -> tuple[str, ...]:
    """What is so now of the thing that is expected."""
    match expected.subject:
        case Subject.PHASE:
            value = shown.phase.value
            return (value.value,) if isinstance(value, Phase) else ()
        case Subject.LOCK:
            locked = shown.device.locked
            return () if locked is None else ("locked" if locked else "free",)
        case Subject.LINK:
            part = expected.words[0]
            stage = shown.device.stage if part == "shoe" else _shuffler_stage(shown)
            return (part, "down" if stage in _DOWN else "up")
        case _:
            back = expected.words[0]
            batches = shown.shuffler.batches if shown.shuffler is not None else ()
            known = next((one.stage for one in batches if one.back == back), "unknown")
            return (back, str(known))


def _shuffler_stage(shown: Snapshot) -> Stage | None:
    return shown.shuffler.stage if shown.shuffler is not None else None


def _metric_failure(expected: Expect, table: TableSide) -> str:
    name, how, number = expected.words
    value = table.metric(name)
    if value is None:
        return "there is no such metric"
    wanted = float(number)
    met = {
        "is": value == wanted,
        "at-least": value >= wanted,
        "at-most": value <= wanted,
    }[how]
    return "" if met else f"it is {value:g}"


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
