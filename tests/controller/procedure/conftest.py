"""Tables, people and shufflers to play with, and the invariants of every step.

Tables play dealing scripts (controller/core/script); every step is checked by `check_invariants`.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

import pytest
from acts_of_people import acted
from msgspec.structs import replace

from controller.core.script.parser import parse
from controller.core.script.player import BEGINS_AT_NS, ShoeCount, due_place, step_inputs
from controller.journal.encoding import Codec
from controller.procedure.effects import (
    ActRecord,
    CoupClosed,
    CoupRecord,
    Effect,
    Prompt,
    Refusal,
    ShoeEnded,
)
from controller.procedure.events import GamingDayChanged, StepInput
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.people.permitted import named_decisions, permitted_decisions
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import ABANDONED_PHASES, Phase
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import ShoeState, TableState
from controller.procedure.step import step
from controller.procedure.step_result import Step
from controller.procedure.verdicts import Accepted, Irregularity
from controller.record.irregularity import forbidden_words, permitted_words
from controller.rules.actions.actions import RecordAct, Resolution
from controller.rules.actions.choices import ActKind, FloorDecision, Provisional
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_clauses, load_profile
from controller.rules.setting_values import CutRoundStart, DealOption
from controller.system.messages.catalogue import to_words

DAY = "2026-11-21"
STATES = Codec(TableState)
CLAUSES = load_clauses()
PROFILES = {name: load_profile(name) for name in ("ny-mini", "s42-mini")}


def book_of(
    profile: str = "s42-mini",
    decks: int = 8,
    observed: tuple[ObservableFact, ...] = (),
    cut_card_at_round_start: CutRoundStart = CutRoundStart.CURRENT_COUP,
    cut_cards: int = 2,
    deal_option: DealOption = DealOption.FACE_UP,
    **others: object,
) -> RuleBook:
    """The rules of a table; settings of the profile can be changed."""
    chosen = PROFILES[profile] if profile in PROFILES else load_profile(profile)
    rules = replace(
        chosen.rules,
        cut_card_at_round_start=cut_card_at_round_start,
        cut_cards_per_shoe=cut_cards,
        deal_option=deal_option,
        **others,
    )
    return RuleBook.of(replace(chosen, rules=rules), decks, observed)


@dataclass
class Table:
    """A table of play: applies events, collects conclusions, and checks the invariants."""

    book: RuleBook
    state: TableState = field(default_factory=TableState)
    count: ShoeCount = field(default_factory=ShoeCount)
    verdicts: list[Accepted | Irregularity] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    encoded: bool = True

    # --- events ---------------------------------------------------------------------------

    def deal(self, script: str) -> list[str]:
        """Apply a dealing script; return the codes of the irregularities raised, in order."""
        before = len(self.verdicts)
        for statement in parse(script):
            events, self.count = step_inputs(
                statement.body, self.count, due_place(self.state), BEGINS_AT_NS
            )
            for event in events:
                self.apply(event)
        return codes(self.verdicts[before:])

    def deal_up_to(self, cards: int) -> None:
        """Deal coups in order, of four to six cards, until so many cards have left the shoe."""
        while (left := cards - self.shoe.cards_drawn) > 0:
            if left == 5:
                self.deal("P1 7h; B 5c; P Kd; B Qh; B 3c; result banker")
            elif left == 6:
                self.deal("P1 2h; B 2c; P Kd; B Kh; P Qc; B Js; result tie")
            else:
                assert left >= 4
                self.deal("P1 9h; B Kc; P Qd; B Jh; result player")

    def decide(self, words: str) -> str:
        """Decide as a floorperson; the reason of a refusal, empty where it was carried out."""
        result = self.apply(acted(resolution(words), "Bo Ray", reason="seen on the layout"))
        refused = [to_words(effect.why) for effect in result.effects if isinstance(effect, Refusal)]
        return refused[0] if refused else ""

    def apply(self, event: StepInput) -> Step:
        before = self.state
        result = step(effective_book(self.book, before), before, event)
        self.state = result.state
        self.verdicts += result.verdicts
        self.effects += result.effects
        check_invariants(self, before, result)
        return result

    # --- conclusions ----------------------------------------------------------------------

    @property
    def phase(self) -> Phase:
        return self.state.phase

    @property
    def resumes_to(self) -> Phase:
        assert self.state.suspension is not None, "the table is not suspended"
        return self.state.suspension.resume_to

    @property
    def shoe(self) -> ShoeState:
        assert self.state.shoe is not None
        return self.state.shoe

    @property
    def last(self) -> Accepted | Irregularity:
        return self.verdicts[-1]

    @property
    def irregularities(self) -> list[Irregularity]:
        return [one for one in self.verdicts if isinstance(one, Irregularity)]

    @property
    def records(self) -> list[CoupRecord]:
        return [one.record for one in self.of(CoupClosed)]

    @property
    def tally(self) -> tuple[int, int, int, int]:
        """Player, Banker, tie, void."""
        tally = self.shoe.tally
        return (tally.player, tally.banker, tally.tie, tally.void)

    @property
    def permitted(self) -> list[str]:
        """The decisions permitted if cards dealt while suspended are taken over."""
        taken_over = Provisional.TAKE_OVER
        return [one.value for one in permitted_decisions(self.book, self.state, taken_over)]

    def of(self, kind: type) -> list:
        return [effect for effect in self.effects if isinstance(effect, kind)]

    def prompts(self) -> list[str]:
        return [effect.kind.value for effect in self.effects if isinstance(effect, Prompt)]


def codes(verdicts: list[Accepted | Irregularity]) -> list[str]:
    return [one.code.value for one in verdicts if isinstance(one, Irregularity)]


def resolution(words: str) -> Resolution:
    decision, *rest = words.split()
    provisional = next((Provisional(word) for word in rest if word in list(Provisional)), None)
    outcome = next((Outcome(word) for word in rest if word in list(Outcome)), None)
    second = "Cy Lee" if "second" in rest else ""
    return Resolution(FloorDecision(decision), provisional, outcome, second)


# --- invariants --------------------------------------------------------------------------------

# A coup in one of these phases waits for a decision.
WAITING = (Phase.DECLARED, *ABANDONED_PHASES, Phase.PARTIAL)


def check_invariants(table: Table, before: TableState, result: Step) -> None:
    """Check the invariants of any step from any state."""
    state = result.state
    suspended = state.suspension is not None
    assert (state.phase is Phase.SUSPENDED) is suspended
    assert any(one.suspends for one in state.open_irregularities) is suspended
    assert bool(permitted_decisions(table.book, state)) is bool(state.open_irregularities)
    assert (state.shoe is None) is (state.phase is Phase.CLOSED)
    assert result.verdicts or result.effects, "every event is answered"
    _check_verdicts(table, before, result)
    _check_shoe(before, result)
    _check_cards(before, result)
    _check_closings(table, before, result)
    if table.encoded:
        assert STATES.decode(STATES.encode(state)) == state


def _check_verdicts(table: Table, before: TableState, result: Step) -> None:
    state = result.state
    raised = [one for one in result.verdicts if isinstance(one, Irregularity)]
    numbers = [one.number for one in raised]
    first = before.irregularities + 1
    assert numbers == list(range(first, first + len(raised)))
    assert result.state.irregularities == before.irregularities + len(raised)
    own = {clause for one in table.book.citations.values() for clause in one}
    for verdict in result.verdicts:
        assert all(clause in CLAUSES and clause in own for clause in verdict.clauses)
        assert len(set(verdict.clauses)) == len(verdict.clauses)
    for one in raised:
        # No document speaks of statistics (D-31).
        silent = one.code is IrregularityCode.ADVISORY_GIVEN
        assert one.clauses or silent or table.book.document != "S42"
        assert permitted_words(one)
        assert one.decisions == named_decisions(table.book, state)
        assert forbidden_words(one)
        assert one.decisions
        # With no shoe there is no play to stop; a cut card stops it when the burn is complete.
        at_once = one.code is not IrregularityCode.CUT_CARD_IN_BURN
        shoe = result.state.shoe
        assert one.suspends is (CATALOGUE[one.code].suspends and at_once and shoe is not None)


def _check_shoe(before: TableState, result: Step) -> None:
    shoe, was = result.state.shoe, before.shoe
    if shoe is None:
        return
    tally = shoe.tally
    closed = tally.player + tally.banker + tally.tie + tally.void
    held = result.state.suspension.held if result.state.suspension is not None else ()
    still_open = 0 if shoe.coup is None else 1
    assert closed + len(held) + still_open == shoe.coups_begun
    assert shoe.coup is None or shoe.coup.number == shoe.coups_begun
    if result.state.phase is not Phase.SUSPENDED:
        assert result.state.phase not in WAITING, "such a coup waits for a floorperson"
    if was is not None and (was.gaming_day, was.number) == (shoe.gaming_day, shoe.number):
        assert shoe.cards_drawn >= was.cards_drawn
        assert shoe.coups_begun >= was.coups_begun
    assert shoe.ended is (result.state.phase is Phase.SHOE_OVER) or result.state.suspension


def _check_cards(before: TableState, result: Step) -> None:
    """Every card that left the shoe is in exactly one place."""
    shoe = result.state.shoe
    if shoe is None or shoe.cards_drawn > shoe.cards_total:
        return
    name = (shoe.gaming_day, shoe.number)
    was = before.shoe
    same = was is not None and (was.gaming_day, was.number) == name
    closed = [effect.record for effect in result.effects if isinstance(effect, CoupClosed)]
    recorded = sum(len(r.cards) + len(r.aside) for r in closed if (r.gaming_day, r.shoe) == name)
    cards = _cards_of(result.state) + recorded - (_cards_of(before) if same else 0)
    assert cards == shoe.cards_drawn - (was.cards_drawn if same else 0), "a card is lost or doubled"
    if shoe.ended:
        held = shoe.remedy.carried + shoe.remedy.waiting
        assert held == (), "no card is held beyond its shoe"


def _cards_of(state: TableState) -> int:
    shoe = state.shoe
    held = state.suspension.held if state.suspension is not None else ()
    in_records = sum(len(record.cards) + len(record.aside) for record in held)
    return in_records + len(shoe.burn_cards) + len(shoe.aside) + shoe.cards_on_table()


def _check_closings(table: Table, before: TableState, result: Step) -> None:
    closed = [effect.record for effect in result.effects if isinstance(effect, CoupClosed)]
    ended = [effect for effect in result.effects if isinstance(effect, ShoeEnded)]
    if before.suspension is not None and result.state.suspension is before.suspension:
        assert not closed, "a refused decision counts nothing"
    following = before.suspension is not None and result.state.suspension is not None
    if following and not any(hasattr(effect, "closed") for effect in result.effects):
        assert not closed, "nothing is counted or published while suspended"
        assert not ended
    if closed:
        records = table.records
        names = [(one.gaming_day, one.shoe, one.coup) for one in records]
        assert len(set(names)) == len(names), "each coup is closed once"
        for record in closed:
            assert (record.outcome is None) is (record.fate.value in ("void", "partial"))
    if ended:
        ends = [(one.gaming_day, one.shoe) for one in table.of(ShoeEnded)]
        assert len(set(ends)) == len(ends), "each shoe ends once"
        assert ended[-1].coups == sum(
            (ended[-1].player, ended[-1].banker, ended[-1].tie, ended[-1].void)
        )


# --- tables to play at --------------------------------------------------------------------------

NewTable = Callable[..., Table]


@pytest.fixture
def new_table() -> NewTable:
    """A factory of tables on which the given words were already dealt."""

    def make_table(words: str = "", *, encoded: bool = True, **settings: object) -> Table:
        table = Table(book_of(**settings), encoded=encoded)
        table.apply(GamingDayChanged(DAY))
        if words:
            table.deal(words)
        return table

    return make_table


OPENED = "start; burn Ac: 2c"


@pytest.fixture
def table(new_table: NewTable) -> Table:
    """Section 42, eight decks, nothing observed; the first shoe is opened and burned."""
    return new_table(OPENED)


@pytest.fixture(params=sorted(PROFILES))
def profile(request: pytest.FixtureRequest) -> str:
    """Each profile the program comes with."""
    return str(request.param)


@contextmanager
def naming_case(case: object) -> Iterator[None]:
    """Name the case of a loop in the report of its failure."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"case: {case}")
        raise


@pytest.fixture
def naming() -> Callable[[object], AbstractContextManager[None]]:
    return naming_case


@pytest.fixture
def code() -> type[IrregularityCode]:
    return IrregularityCode


# --- people around the shoe ---------------------------------------------------------------------

FLOOR = {"role": "floorperson", "person": "Bo Ray"}
ACT_DEFAULTS = {
    ActKind.VERIFIED: FLOOR,
    ActKind.RECUT: {**FLOOR, "reason": "the cut was improper"},
    ActKind.RELEASED: {"reference": "staff 17"},
    ActKind.PRESHUFFLED: {"reference": "package 9"},
    ActKind.LAYOUT_APPROVED: {"reference": "approval 4"},
}


class People:
    """A table whose people record their acts: "loaded red 416, cut 200 seat 3"."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def do(self, words: str, **more: object) -> str:
        """Record these acts; the reason the last one was refused, empty where it was accepted."""
        why = ""
        for part in words.split(", "):
            why = self._act(part, more)
        return why

    def _act(self, part: str, more: dict[str, object]) -> str:
        kind, *rest = part.split()
        values: dict[str, object] = {"person": "Ann Lee", "role": "dealer"}
        values.update(ACT_DEFAULTS.get(ActKind(kind), {}))
        if "seat" in rest:
            place = rest.index("seat")
            values["seat"] = int(rest[place + 1])
            del rest[place : place + 2]
        for word in rest:
            values.update({"amount": int(word)} if word.isdigit() else {"batch": word})
        before = len(self.table.of(Refusal))
        values.update(more)
        by = {name: values.pop(name) for name in ("person", "role", "reason") if name in values}
        self.table.apply(acted(RecordAct(ActKind(kind), **values), **by))
        return "".join(to_words(one.why) for one in self.table.of(Refusal)[before:])

    @property
    def refused(self) -> Refusal:
        return self.table.of(Refusal)[-1]

    @property
    def record(self) -> ActRecord:
        return self.table.of(ActRecord)[-1]


@pytest.fixture
def new_people(new_table: NewTable) -> Callable[..., People]:
    """People at a new table; `rules` are values of the profile that are changed for it."""

    def called(
        profile: str = "s42-mini",
        observed: tuple[ObservableFact, ...] = (),
        seats: tuple[int, ...] = (),
        **rules: object,
    ) -> People:
        table = new_table(profile=profile, observed=observed)
        chosen = load_profile(profile)
        chosen = replace(chosen, rules=replace(chosen.rules, **rules))
        table.book = RuleBook.of(chosen, 8, observed, seats)
        return People(table)

    return called


# --- a table with a shuffler ----------------------------------------------------------------------


class ShufflerPeople(People):
    """People at a table with a shuffler; red is in compartment 1, blue in 2."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.place = {"red": 1, "blue": 2}
        self.cycle = 0
        self.run_script("shuffler proven at +1s")

    def run_script(self, script: str) -> list[str]:
        return self.table.deal(script)

    def put_in(self, back: str, cards: int = 416) -> list[str]:
        place = self.place[back]
        goes_in = f"record into-shuffler batch {back}; shuffler {place} loading 0 of {back}"
        return self.run_script(f"{goes_in}; shuffler {place} counted {cards} of {back}")

    def begin(self, back: str) -> list[str]:
        self.cycle += 1
        return self.run_script(f"shuffler {self.place[back]} began {self.cycle}")

    def finish(self, back: str, words: str = "") -> list[str]:
        done = f"shuffler {self.place[back]} done {max(1, self.cycle)} 416 of {back} {words}"
        return self.run_script(f"{done}; shuffler {self.place[back]} stored 416 of {back}")

    def shuffle(self, back: str) -> list[str]:
        """Loaded, counted, shuffled and stored."""
        return self.put_in(back) + self.begin(back) + self.finish(back)

    def release(self, back: str) -> list[str]:
        place = self.place[back]
        return self.run_script(f"shuffler {place} released 416 of {back}; shuffler {place} empty 0")

    def deal_first(self, back: str = "red") -> list[str]:
        """Both batches are shuffled, this one is released, and the shoe is opened and burned."""
        other = "blue" if back == "red" else "red"
        return self.shuffle(other) + self.shuffle(back) + self.release(back) + self.open_shoe()

    def open_shoe(self) -> list[str]:
        return self.table.deal("start; burn Ac: 2c")

    def end_shoe(self, coup: str = "P1 7h; B 7c; P Kd; B Kh; result tie") -> list[str]:
        return self.table.deal(f"{coup}; close shoe" if coup else "close shoe")

    def stage(self, back: str) -> str:
        life = self.table.state.lineage.life(back)
        assert life is not None
        return life.stage.value


@pytest.fixture
def new_shuffler_table(new_table: NewTable) -> Callable[..., ShufflerPeople]:
    """People at a new table with a shuffler; `rules` are values of the profile that change."""

    def connected(
        profile: str = "s42-mini", observed: tuple[ObservableFact, ...] = (), **rules: object
    ) -> ShufflerPeople:
        table = new_table(profile=profile, observed=observed)
        chosen = load_profile(profile)
        chosen = replace(chosen, rules=replace(chosen.rules, **rules))
        table.book = RuleBook.of(chosen, 8, observed, shuffler=True)
        return ShufflerPeople(table)

    return connected
