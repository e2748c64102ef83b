"""The field's words for a table: cards are dealt, results declared, a floorperson decides.

Responsible for: turning a line of such words into domain events, taking them one by one, and
holding the table, at every step of every test, to what must always be true.
Not responsible for: what any single test expects.
Source: controller/README.md, "The procedure".

    table.deal("burn Ac: 2c")               first burn card, then the counted ones
    table.deal("P 7h, B 2c, P 9s, B Kd")    cards with the shoe's belief, numbered by it
    table.deal("P1 7h")                     ... or with the number it gives
    table.deal("more 7h, out 7h, extra 7h") a further one, outside play, burned outside the count
    table.deal("P ??")                      a card the shoe could not read
    table.deal("again P1 7h")               the shoe repeats itself
    table.deal("cut card, result tie, result player P-pair, forced exit, stand-by")
    table.deal("start, lost 2, lost unproven, lost unreadable, no more bets, program 2.0")
    table.deal("P 4h, decide carry-card")   a decision on the way
    table.deal("day 2026-11-22, close shoe, found face up, error card turned")
    table.decide("void-coup take-over")     a floorperson's resolution
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import pytest

from controller.journal.encoding.codec import Codec
from controller.procedure.act_kinds import ActKind
from controller.procedure.decisions import Decision, Provisional, Resolution
from controller.procedure.effects import (
    CoupClosed,
    CoupRecord,
    Effect,
    Recorded,
    Refused,
    ShoeEnded,
)
from controller.procedure.events import (
    ActRecorded,
    CardDrawn,
    CardRepeated,
    CardsTurned,
    CoupForcedOut,
    CutCardDrawn,
    DomainEvent,
    FoundFaceUp,
    GamingDayTurned,
    IrregularityResolved,
    Loss,
    NoMoreBetsCalled,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeClosedByPerson,
    ShoeDeviceStarted,
    ShoeStandsBy,
    TurnedCards,
)
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.people.suspension import permitted_decisions
from controller.procedure.phases import Phase
from controller.procedure.rulebook import Fact, RuleBook
from controller.procedure.state import ShoeState, TableState
from controller.procedure.step import step
from controller.procedure.step_result import Step
from controller.procedure.verdicts import Accepted, Irregularity
from controller.profiles.load import load_clauses, load_profile
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from controller.rules.setting_values import CutRoundStart, DealOption
from controller.script.events import ShoeCount, happenings, place_due
from controller.script.parser import parse
from controller.script.player import BEGINS_AT_NS

DAY = "2026-11-21"
STATES = Codec(TableState)
CLAUSES = load_clauses()
PROFILES = {name: load_profile(name) for name in ("ny-mini", "s42-mini")}
HANDS = {"P": "player", "B": "banker"}
CARD = re.compile(r"(P|B)([123]?) (\S+)")
OTHER_PLACES = {"out": Place.OUTSIDE, "extra": Place.BURN_EXTRA, "burned": Place.BURN}


def book_of(
    profile: str = "s42-mini",
    decks: int = 8,
    observed: tuple[Fact, ...] = (),
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


class ShoeDevice:
    """The shoe's own belief: it numbers the cards of each hand until the coup has its result."""

    def __init__(self) -> None:
        self.dealt = {"P": 0, "B": 0}

    def place(self, hand: str, number: str) -> Place:
        if number:
            self.dealt = {"P": 0, "B": 0} if (hand, number) == ("P", "1") else self.dealt
            self.dealt[hand] = int(number)
        else:
            self.dealt[hand] += 1
        index = self.dealt[hand]
        return Place(f"{HANDS[hand]}_{index if index <= 3 else 'more'}")

    def forget(self) -> None:
        self.dealt = {"P": 0, "B": 0}


def card_of(text: str) -> Card | None:
    return None if text == "??" else Card.parse(text)


def events_of(words: str, device: ShoeDevice) -> Iterator[DomainEvent]:
    """The happenings a line of the field's words tells, in order."""
    for said in (part.strip() for part in words.split(",")):
        yield from _events(said, device)


def _events(said: str, device: ShoeDevice) -> Iterator[DomainEvent]:
    if match := CARD.fullmatch(said):
        hand, number, text = match.groups()
        yield CardDrawn(card_of(text), device.place(hand, number))
        return
    first, _, rest = said.partition(" ")
    match first, rest:
        case "burn", _:
            opening, _, counted = rest.partition(":")
            yield CardDrawn(card_of(opening), Place.BURN_FIRST)
            yield from (CardDrawn(card_of(text), Place.BURN) for text in counted.split())
        case (("out" | "extra" | "burned"), _):
            yield CardDrawn(card_of(rest), OTHER_PLACES[first])
        case "more", _:
            yield CardDrawn(card_of(rest), Place.PLAYER_MORE)
        case "again", _:
            place, text = rest.rsplit(" ", 1)
            yield CardRepeated(card_of(text), _place(place))
        case "cut", "card":
            yield CutCardDrawn()
        case "result", _:
            outcome, *pairs = rest.split()
            device.forget()
            yield ResultDeclared(Outcome(outcome), "P-pair" in pairs, "B-pair" in pairs)
        case "lost", ("unproven" | "unreadable"):
            yield ReportsMissing(Loss(rest), 0)
        case "lost", _:
            yield ReportsMissing(Loss.GAP, int(rest))
        case "program", _:
            yield ProgramReplaced(rest)
        case "day", _:
            yield GamingDayTurned(rest)
        case _:
            yield _of_a_person(said) or _plain_event(said, device)


def _of_a_person(said: str) -> DomainEvent | None:
    first, _, rest = said.partition(" ")
    match said:
        case "found face up":
            return FoundFaceUp("Cy Orr")
        case "error card turned":
            return CardsTurned(TurnedCards.ERROR_CARD)
        case "close shoe":
            return ShoeClosedByPerson("Ann Lee", "dead table")
    if first == "decide":
        return IrregularityResolved("Bo Ray", "seen on the layout", resolution(rest))
    return None


def _plain_event(said: str, device: ShoeDevice) -> DomainEvent:
    match said:
        case "forced exit":
            device.forget()
            return CoupForcedOut()
        case "stand-by":
            device.forget()
            return ShoeStandsBy()
        case "start":
            device.forget()
            return ShoeDeviceStarted()
        case "no more bets":
            return NoMoreBetsCalled()
        case _:
            raise ValueError(f"the field does not say {said!r}")


def _place(text: str) -> Place:
    if text in OTHER_PLACES:
        return OTHER_PLACES[text]
    hand, number = text[0], text[1:]
    return Place(f"{HANDS[hand]}_{number}")


@dataclass
class Table:
    """A table of play: takes events, remembers what was concluded, and checks what always holds."""

    book: RuleBook
    state: TableState = field(default_factory=TableState)
    device: ShoeDevice = field(default_factory=ShoeDevice)
    verdicts: list[Accepted | Irregularity] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    encoded: bool = True

    # --- what happens -----------------------------------------------------------------------

    def deal(self, words: str) -> list[str]:
        """Let these happen; the codes of the irregularities they gave, in order."""
        before = len(self.verdicts)
        for event in events_of(words, self.device):
            self.take(event)
        return codes(self.verdicts[before:])

    def say(self, script: str) -> list[str]:
        """Let this happen, in the words of a dealing script; the irregularities it gave."""
        before = len(self.verdicts)
        for statement in parse(script):
            events, _ = happenings(statement.said, ShoeCount(), place_due(self.state), BEGINS_AT_NS)
            for event in events:
                self.take(event)
        return codes(self.verdicts[before:])

    def deal_up_to(self, cards: int) -> None:
        """Clean coups of four, five and six cards until so many have left the shoe."""
        while (left := cards - self.shoe.cards_drawn) > 0:
            if left == 5:
                self.deal("P1 7h, B 5c, P Kd, B Qh, B 3c, result banker")
            elif left == 6:
                self.deal("P1 2h, B 2c, P Kd, B Kh, P Qc, B Js, result tie")
            else:
                assert left >= 4
                self.deal("P1 9h, B Kc, P Qd, B Jh, result player")

    def decide(self, words: str) -> str:
        """A floorperson decides; why it was refused, empty where it was carried out."""
        taken = self.take(IrregularityResolved("Bo Ray", "seen on the layout", resolution(words)))
        refused = [effect.why for effect in taken.effects if isinstance(effect, Refused)]
        return refused[0] if refused else ""

    def take(self, event: DomainEvent) -> Step:
        before = self.state
        taken = step(self.book, before, event)
        self.state = taken.state
        self.verdicts += taken.verdicts
        self.effects += taken.effects
        holds_always(self, before, taken)
        return taken

    # --- what came of it --------------------------------------------------------------------

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
        return [decision.value for decision in permitted_decisions(self.state)]

    def of(self, kind: type) -> list:
        return [effect for effect in self.effects if isinstance(effect, kind)]

    def prompts(self) -> list[str]:
        return [effect.call.value for effect in self.effects if hasattr(effect, "call")]


def codes(verdicts: list[Accepted | Irregularity]) -> list[str]:
    return [one.code.value for one in verdicts if isinstance(one, Irregularity)]


def resolution(words: str) -> Resolution:
    decision, *rest = words.split()
    provisional = next((Provisional(word) for word in rest if word in list(Provisional)), None)
    outcome = next((Outcome(word) for word in rest if word in list(Outcome)), None)
    return Resolution(Decision(decision), provisional, outcome)


# --- what must always hold ----------------------------------------------------------------------


def holds_always(table: Table, before: TableState, taken: Step) -> None:
    """Everything the procedure promises of any step from any state."""
    state = taken.state
    suspended = state.suspension is not None
    assert (state.phase is Phase.SUSPENDED) is suspended
    assert any(one.suspends for one in state.open_irregularities) is suspended
    assert bool(permitted_decisions(state)) is bool(state.open_irregularities)
    assert (state.shoe is None) is (state.phase is Phase.CLOSED)
    assert taken.verdicts or taken.effects, "every event is answered"
    _verdicts_hold(table, before, taken)
    _shoe_holds(before, taken)
    _no_card_is_lost(before, taken)
    _closings_hold(table, before, taken)
    if table.encoded:
        assert STATES.decode(STATES.encode(state)) == state


def _verdicts_hold(table: Table, before: TableState, taken: Step) -> None:
    raised = [one for one in taken.verdicts if isinstance(one, Irregularity)]
    numbers = [one.number for one in raised]
    first = before.irregularities + 1
    assert numbers == list(range(first, first + len(raised)))
    assert taken.state.irregularities == before.irregularities + len(raised)
    own = {clause for one in table.book.citations.values() for clause in one}
    for verdict in taken.verdicts:
        assert all(clause in CLAUSES and clause in own for clause in verdict.clauses)
        assert len(set(verdict.clauses)) == len(verdict.clauses)
    for one in raised:
        assert one.clauses
        assert one.permitted
        assert one.forbidden
        assert one.decisions
        # With no shoe there is no play to stop.
        assert one.suspends is (CATALOGUE[one.code].suspends and taken.state.shoe is not None)


def _shoe_holds(before: TableState, taken: Step) -> None:
    shoe, was = taken.state.shoe, before.shoe
    if shoe is None:
        return
    tally = shoe.tally
    closed = tally.player + tally.banker + tally.tie + tally.void
    held = taken.state.suspension.held if taken.state.suspension is not None else ()
    still_open = 0 if shoe.coup is None else 1
    assert closed + len(held) + still_open == shoe.coups_begun
    assert shoe.coup is None or shoe.coup.number == shoe.coups_begun
    if shoe.coup is not None and shoe.coup.partial:
        assert taken.state.suspension is not None, "a partial coup waits for a floorperson"
    if was is not None and (was.gaming_day, was.number) == (shoe.gaming_day, shoe.number):
        assert shoe.cards_drawn >= was.cards_drawn
        assert shoe.coups_begun >= was.coups_begun
    assert shoe.ended is (taken.state.phase is Phase.SHOE_OVER) or taken.state.suspension


def _no_card_is_lost(before: TableState, taken: Step) -> None:
    """Every card that left the shoe stands in exactly one place, and moves as a whole."""
    shoe = taken.state.shoe
    if shoe is None or shoe.cards_drawn > shoe.cards_total:
        return
    name = (shoe.gaming_day, shoe.number)
    was = before.shoe
    same = was is not None and (was.gaming_day, was.number) == name
    closed = [effect.record for effect in taken.effects if isinstance(effect, CoupClosed)]
    recorded = sum(len(r.cards) + len(r.aside) for r in closed if (r.gaming_day, r.shoe) == name)
    cards = _cards_of(taken.state) + recorded - (_cards_of(before) if same else 0)
    assert cards == shoe.cards_drawn - (was.cards_drawn if same else 0), "a card is lost or doubled"
    if shoe.ended:
        held = shoe.remedy.carried + shoe.remedy.waiting
        assert held == (), "no card is held beyond its shoe"


def _cards_of(state: TableState) -> int:
    shoe = state.shoe
    held = state.suspension.held if state.suspension is not None else ()
    in_records = sum(len(record.cards) + len(record.aside) for record in held)
    return in_records + len(shoe.burn_cards) + len(shoe.aside) + shoe.cards_on_table()


def _closings_hold(table: Table, before: TableState, taken: Step) -> None:
    closed = [effect.record for effect in taken.effects if isinstance(effect, CoupClosed)]
    ended = [effect for effect in taken.effects if isinstance(effect, ShoeEnded)]
    if before.suspension is not None and taken.state.suspension is before.suspension:
        assert not closed, "a refused decision counts nothing"
    following = before.suspension is not None and taken.state.suspension is not None
    if following and not any(hasattr(effect, "closed") for effect in taken.effects):
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
    """Lay out a table on which the given words have already happened."""

    def lay_out(words: str = "", *, encoded: bool = True, **settings: object) -> Table:
        table = Table(book_of(**settings), encoded=encoded)
        table.take(GamingDayTurned(DAY))
        if words:
            table.deal(words)
        return table

    return lay_out


OPENED = "start, burn Ac: 2c"


@pytest.fixture
def table(new_table: NewTable) -> Table:
    """Section 42, eight decks, nothing observed; the first shoe is opened and burned."""
    return new_table(OPENED)


@pytest.fixture(params=sorted(PROFILES))
def profile(request: pytest.FixtureRequest) -> str:
    """Each profile the program comes with."""
    return str(request.param)


@pytest.fixture
def code() -> type[IrregularityCode]:
    return IrregularityCode


# --- people around the shoe ---------------------------------------------------------------------

FLOOR = {"role": "floorperson", "person": "Bo Ray"}
SAID_WITH = {
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
        """Let them record these acts; why the last one was refused, empty where it was taken."""
        why = ""
        for said in words.split(", "):
            why = self._act(said, more)
        return why

    def _act(self, said: str, more: dict[str, object]) -> str:
        kind, *rest = said.split()
        values: dict[str, object] = {"person": "Ann Lee", "role": "dealer"}
        values.update(SAID_WITH.get(ActKind(kind), {}))
        if "seat" in rest:
            place = rest.index("seat")
            values["seat"] = int(rest[place + 1])
            del rest[place : place + 2]
        for word in rest:
            values.update({"amount": int(word)} if word.isdigit() else {"batch": word})
        before = len(self.table.of(Refused))
        self.table.take(ActRecorded(ActKind(kind), **{**values, **more}))
        return "".join(one.why for one in self.table.of(Refused)[before:])

    @property
    def refused(self) -> Refused:
        return self.table.of(Refused)[-1]

    @property
    def noted(self) -> Recorded:
        return self.table.of(Recorded)[-1]


@pytest.fixture
def new_people(new_table: NewTable) -> Callable[..., People]:
    """People at a new table; `rules` are values of the profile that are changed for it."""

    def called(
        profile: str = "s42-mini",
        observed: tuple[Fact, ...] = (),
        seats: tuple[int, ...] = (),
        **rules: object,
    ) -> People:
        table = new_table(profile=profile, observed=observed)
        chosen = load_profile(profile)
        chosen = replace(chosen, rules=replace(chosen.rules, **rules))
        table.book = RuleBook.of(chosen, 8, observed, seats)
        return People(table)

    return called


# --- a shuffler that tells ----------------------------------------------------------------------


class ByShuffler(People):
    """A table whose shuffler tells what it does; red lies in compartment 1, blue in 2."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.place = {"red": 1, "blue": 2}
        self.cycle = 0
        self.say("shuffler proven at +1s")

    def say(self, script: str) -> list[str]:
        return self.table.say(script)

    def put_in(self, back: str, cards: int = 416) -> list[str]:
        place = self.place[back]
        goes_in = f"record into-shuffler batch {back}; shuffler {place} loading 0 of {back}"
        return self.say(f"{goes_in}; shuffler {place} counted {cards} of {back}")

    def begin(self, back: str) -> list[str]:
        self.cycle += 1
        return self.say(f"shuffler {self.place[back]} began {self.cycle}")

    def finish(self, back: str, words: str = "") -> list[str]:
        done = f"shuffler {self.place[back]} done {max(1, self.cycle)} 416 of {back} {words}"
        return self.say(f"{done}; shuffler {self.place[back]} stored 416 of {back}")

    def shuffle(self, back: str) -> list[str]:
        """Loaded, counted, shuffled and stored."""
        return self.put_in(back) + self.begin(back) + self.finish(back)

    def release(self, back: str) -> list[str]:
        place = self.place[back]
        return self.say(f"shuffler {place} released 416 of {back}; shuffler {place} empty 0")

    def deal_first(self, back: str = "red") -> list[str]:
        """Both batches are shuffled, this one is released, and the shoe is opened and burned."""
        other = "blue" if back == "red" else "red"
        return self.shuffle(other) + self.shuffle(back) + self.release(back) + self.open_shoe()

    def open_shoe(self) -> list[str]:
        return self.table.deal("start, burn Ac: 2c")

    def end_shoe(self, coup: str = "P1 7h, B 7c, P Kd, B Kh, result tie") -> list[str]:
        return self.table.deal(f"{coup}, close shoe" if coup else "close shoe")

    def stage(self, back: str) -> str:
        life = self.table.state.lineage.life(back)
        assert life is not None
        return life.stage.value


@pytest.fixture
def by_shuffler(new_table: NewTable) -> Callable[..., ByShuffler]:
    """A new table with a shuffler that tells; `rules` are values of the profile that change."""

    def connected(
        profile: str = "s42-mini", observed: tuple[Fact, ...] = (), **rules: object
    ) -> ByShuffler:
        table = new_table(profile=profile, observed=observed)
        chosen = load_profile(profile)
        chosen = replace(chosen, rules=replace(chosen.rules, **rules))
        table.book = RuleBook.of(chosen, 8, observed, shuffler=True)
        return ByShuffler(table)

    return connected
