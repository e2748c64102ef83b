"""Random dealing scripts at a table of every profile, mostly in order, with mistakes.

Cards are conserved, patrons and house together gain nothing, and a script gives the same verdicts
twice, across a restart, and after printing and parsing it.
Source: D-15, D-22, D-24.
"""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import pytest
from acts_of_people import acted, untimed
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.script.parser import parse
from controller.core.script.player import BEGINS_AT_NS, DAY, ShoeCount, due_place, step_inputs
from controller.core.script.statement_forms import unparse
from controller.core.script.statements import Burn, DueCard, HandCard, StatementBody
from controller.journal.encoding import Codec
from controller.procedure.effects import CoupClosed, CoupPayment, CoupRecord
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CutCardDrawn,
    GamingDayChanged,
    Loss,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
    StepInput,
)
from controller.procedure.people.permitted import permitted_decisions
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import StandingWagers, TableState
from controller.procedure.step import step
from controller.procedure.step_result import Step
from controller.procedure.wagering.wagers import standing_wagers
from controller.rules.actions.actions import (
    CallNoMoreBets,
    ChangeSetting,
    CloseShoe,
    CollectVigorish,
    CorrectCoup,
    GiveNotice,
    OperatorAction,
    RecordAct,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolution,
    StateWagers,
    VacateSeat,
)
from controller.rules.actions.choices import ActKind, FloorDecision, LayoutPart, Provisional
from controller.rules.cards import Card, Rank, Suit, point_value
from controller.rules.coup import Place
from controller.rules.hands import HandName
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_profile, profile_names
from controller.rules.setting_values import VigorishMode
from controller.rules.settlement.payment_order import PaymentAct
from controller.rules.settlement.payout import PayoutLine
from controller.rules.settlement.wagers import Wager, WagerKind
from hil.dealing import tableau

STATES = Codec(TableState)
SEATS = (1, 2, 3, 4, 5)
# Every vigorish of 4 or 5 percent and of a quarter is whole and needs no rounding.
CHIP_CENTS = 2000
MINUTE_NS = 60 * 10**9
PROFILES = profile_names()


# --- people at a table ---------------------------------------------------------------------------


@dataclass
class Dealing:
    """A dealer with a shuffled shoe who mostly deals in order; every statement is recorded."""

    book: RuleBook
    chance: random.Random
    state: TableState = field(default_factory=TableState)
    count: ShoeCount = field(default_factory=ShoeCount)
    shoe: list[Card] = field(default_factory=list)
    script: list[StatementBody] = field(default_factory=list)
    history: list[tuple[TableState, StepInput, Step]] = field(default_factory=list)

    def begin(self) -> "Dealing":
        self.state = step(self.book, self.state, GamingDayChanged(DAY)).state
        self.apply_statement(ShoeDeviceStarted())
        return self

    def go_on(self, move: int) -> None:
        """Add a statement; the lower `move`, the more it is in order."""
        self.apply_statement(
            self.in_order() if move < 70 else self.beside() if move < 85 else self.mistake()
        )

    def apply_statement(self, statement: StatementBody) -> None:
        self.script.append(statement)
        due = due_place(self.state)
        events, self.count = step_inputs(statement, self.count, due, BEGINS_AT_NS)
        for event in events:
            before = self.state
            stepped = step(effective_book(self.book, before), before, event)
            self.history.append((before, event, stepped))
            self.state = stepped.state

    # --- statements -------------------------------------------------------------------------

    def in_order(self) -> StatementBody:
        if self.state.suspension is not None:
            return self.decision()
        if self.state.phase in (Phase.SHOE_OVER, Phase.CLOSED):
            return ShoeDeviceStarted()
        if self.state.phase is Phase.RESULT:
            return self.result()
        between = self.state.phase is Phase.BETWEEN_COUPS
        if between and not self.state.wagering.wagers and self.chance.random() < 0.7:
            return self.wagers()
        return DueCard(self.card())

    def card(self) -> Card:
        if not self.shoe:
            self.shoe = [Card(rank, suit) for rank in Rank for suit in Suit] * self.book.decks
            self.chance.shuffle(self.shoe)
        return self.shoe.pop()

    def decision(self) -> OperatorAction:
        """A permitted resolution, with an outcome where one may be stated."""
        dealt = self.state.suspension is not None and self.state.suspension.dealt
        provisional = self.chance.choice(list(Provisional)) if dealt else None
        permitted = permitted_decisions(self.book, self.state, provisional) or tuple(FloorDecision)
        decision = self.chance.choice(permitted)
        stated = (
            self.chance.choice(list(Outcome)) if decision is FloorDecision.STATE_OUTCOME else None
        )
        return acted(Resolution(decision, provisional, stated), "Bo Ray", reason="seen")

    def result(self) -> ResultDeclared:
        coup = self.state.shoe.coup
        cards = [(one.place.value.startswith("player"), one.card) for one in coup.cards if one.card]
        player, banker = (tuple(c for who, c in cards if who is mine) for mine in (True, False))
        outcome = tableau.winner(values(player), values(banker))
        return ResultDeclared(Outcome(outcome), tableau.is_pair(player), tableau.is_pair(banker))

    def beside(self) -> StatementBody:
        """What people do beside the cards."""
        seat, now = self.chance.choice(SEATS), len(self.script) * MINUTE_NS
        rate = self.chance.choice(("4", "5"))
        return self.chance.choice(
            (
                self.wagers(),
                self.wagers(),
                self.wagers(),
                acted(CallNoMoreBets(), "Dee Dealer", role="dealer"),
                CutCardDrawn(),
                ShoeStandsBy(),
                acted(
                    ReportTurned(self.chance.choice(list(LayoutPart))), "Dee Dealer", role="dealer"
                ),
                acted(CollectVigorish(seat), "Dee Dealer", role="dealer"),
                acted(VacateSeat(seat), "Dee Dealer", role="dealer"),
                acted(RequestGhostHand(), "Dee Dealer", role="dealer"),
                self.correction(),
                acted(GiveNotice("vig_rate", rate, "players"), "Ann Lee", at_ns=now),
                acted(ChangeSetting("vig_rate", rate), "Ann Lee", reason="agreed", at_ns=now),
                acted(
                    RecordAct(self.chance.choice(list(ActKind))),
                    "Ann Lee",
                    reason="stated",
                ),
            )
        )

    def correction(self) -> OperatorAction:
        number = self.chance.randint(1, 12)
        outcome = self.chance.choice(list(Outcome))
        return acted(CorrectCoup(number, outcome, "Bo Ray"), "Ann Lee", reason="seen on the film")

    def wagers(self) -> OperatorAction:
        """Wagers of every kind, sometimes one that is not offered or has no base."""
        spots = self.chance.sample([(s, kind) for s in SEATS for kind in WagerKind], k=6)
        cents = [CHIP_CENTS * self.chance.randint(1, 50) for _ in spots]
        wagers = (Wager(*spot, amount) for spot, amount in zip(spots, cents, strict=True))
        return acted(StateWagers(tuple(wagers)), "Dee Dealer", role="dealer")

    def mistake(self) -> StatementBody:
        """Anything else that people or the shoe do."""
        place, right = self.chance.choice(list(Place)), ResultDeclared(Outcome.TIE, False, False)
        return self.chance.choice(
            (
                CardDrawn(self.card(), Place.OUTSIDE),
                card_for(place, self.card()),
                card_for(Place.PLAYER_1, self.card()),
                card_for(Place.PLAYER_3, self.card()),
                DueCard(self.card()),
                DueCard(None),
                CardRepeated(self.card(), place),
                right,
                CoupForcedOut(),
                ShoeDeviceStarted(),
                ReportsMissing(Loss.GAP, self.chance.randint(1, 3)),
                ReportsMissing(Loss.UNPROVEN, 0),
                acted(ReportFaceUp(), "Cy Orr", role="dealer"),
                acted(ReportFaceUp(), "Cy Orr", role="dealer"),
                acted(ReportTurned(LayoutPart.ERROR_CARD), "Dee Dealer", role="dealer"),
                acted(CloseShoe(), "Ann Lee", reason="dead table"),
                ProgramReplaced("2.0"),
                self.decision(),
            )
        )


def card_for(place: Place, card: Card) -> StatementBody:
    """A card as a script says it: the shoe's claim is a hand and a number, or another place."""
    hand, _, number = place.value.partition("_")
    if place is Place.BURN_FIRST:
        return Burn(card, ())
    return (
        HandCard(HandName(hand), int(number), card) if number.isdigit() else CardDrawn(card, place)
    )


def values(cards: tuple[Card, ...]) -> tuple[int, ...]:
    return tuple(point_value(card) for card in cards)


@cache
def profile_of(name: str) -> object:
    return load_profile(name)


def dealt(name: str, seed: int, moves: list[int]) -> Dealing:
    """A script dealt at a table of that profile that observes wagers and random other facts."""
    chance = random.Random(seed)
    others = [
        fact
        for fact in ObservableFact
        if fact is not ObservableFact.WAGERS and chance.random() < 0.4
    ]
    profile = profile_of(name)
    ghosts = replace(profile.rules, ghost_hands_max=2)
    profile = replace(profile, rules=ghosts) if chance.random() < 0.3 else profile
    book = RuleBook.of(profile, 1, (ObservableFact.WAGERS, *others), SEATS)
    dealing = Dealing(book, chance).begin()
    for move in moves:
        dealing.go_on(move)
    return dealing


# --- what must hold ------------------------------------------------------------------------------


def cards_are_conserved(dealing: Dealing) -> None:
    """What was drawn from a shoe lies in one place: burned, dealt, aside, held or in a record."""
    drawn: Counter[object] = Counter()
    recorded: Counter[object] = Counter()
    for before, event, stepped in dealing.history:
        shoe, was = stepped.state.shoe, before.shoe
        same = shoe is not None and was is not None and name_of(shoe) == name_of(was)
        for record in closed(stepped):
            if same or (was is not None and (record.gaming_day, record.shoe) == name_of(was)):
                recorded.update(one.card for one in (*record.cards, *record.aside))
        if not same:
            drawn, recorded = Counter(), Counter()
        if shoe is None:
            continue
        new = shoe.cards_drawn - (was.cards_drawn if same else 0)
        if new and shoe.cards_drawn <= shoe.cards_total:
            assert new == 1
            assert isinstance(event, CardDrawn)
            drawn[event.card] += 1
        there = on_table(stepped.state) + recorded
        assert there.total() == drawn.total(), "a card is lost or counted twice"
        if isinstance(event, CardRepeated):
            drawn = there
        assert there == drawn


def name_of(shoe: object) -> tuple[str, int]:
    return shoe.gaming_day, shoe.number


def closed(stepped: Step) -> list[CoupRecord]:
    return [effect.record for effect in stepped.effects if isinstance(effect, CoupClosed)]


def on_table(state: TableState) -> Counter[object]:
    shoe = state.shoe
    held = state.suspension.held if state.suspension is not None else ()
    there: Counter[object] = Counter((*shoe.burn_cards, *shoe.aside))
    there.update(one.card for one in (*shoe.remedy.waiting, *shoe.remedy.carried))
    for coup in (shoe.coup, *held):
        if coup is not None:
            there.update(one.card for one in (*coup.cards, *coup.aside))
    return there


def payments(
    dealing: Dealing,
) -> Iterator[tuple[RuleBook, StandingWagers, CoupRecord, CoupPayment]]:
    """Every payment with the terms at its time, the wagers that stood, and the coup's record."""
    for before, _, stepped in dealing.history:
        records = {(one.gaming_day, one.shoe, one.coup): one for one in closed(stepped)}
        for paid in (one for one in stepped.effects if isinstance(one, CoupPayment)):
            stood = standing_wagers(before.wagering, paid.coup)
            assert stood is not None, "they stood before the event that ended the coup"
            record = records[paid.gaming_day, paid.shoe, paid.coup]
            yield effective_book(dealing.book, before), stood, record, paid


def payments_sum_to_nothing(dealing: Dealing) -> int:
    """House and seats together win nothing, and every stake is settled or comes back."""
    found = 0
    for book, stood, record, paid in payments(dealing):
        found += 1
        settled = paid.settlement
        assert settled.house_gain + sum(map(settled.seat_gain, settled.seats)) == 0
        assert all(act.act is PaymentAct.RETURN for act in paid.returned)
        staked = sum(line.stake for line in settled.lines)
        back = sum(act.cents for act in paid.returned)
        assert staked + back == sum(wager.cents for wager in stood.wagers)
        if record.outcome is None or stood.ghost:
            assert all(line.gain == 0 for line in settled.lines)
            continue
        for line in settled.lines:
            if line.kind in BASE_WAGERS:
                assert line.gain == base_gain(book, record, line), (record, line)
    return found


BASE_WAGERS = (WagerKind.BANKER, WagerKind.PLAYER, WagerKind.TIE)


def base_gain(book: RuleBook, record: CoupRecord, line: PayoutLine) -> Fraction:
    """What the rules pay on the three wagers, by the cards as they lie in the record."""
    tie, own = record.outcome is Outcome.TIE, record.outcome.value == line.kind.value
    if line.kind is WagerKind.TIE:
        odds = book.values.odds_tie
        return Fraction(odds.pays * line.stake, odds.to) if tie else Fraction(-line.stake)
    if tie:
        return Fraction(0)
    if not own:
        return Fraction(-line.stake)
    if line.kind is WagerKind.PLAYER:
        return Fraction(line.stake)
    if book.values.vig_mode is VigorishMode.EZ_NONE:
        return Fraction(0 if dragon_7(record) else line.stake)
    assert book.values.vig_mode is VigorishMode.COMMISSION
    return line.stake - Fraction(line.stake * book.values.vig_rate, 100)


def dragon_7(record: CoupRecord) -> bool:
    banker = [one.card for one in record.cards if one.place.value.startswith("banker")]
    return len(banker) == 3 and tableau.points(values(tuple(banker))) == 7


def replayed(dealing: Dealing, script: list[StatementBody], restart_at: int) -> list[Step]:
    """The same script from the beginning, with one restart of the table."""
    again = Dealing(dealing.book, random.Random(0))
    again.state = step(again.book, again.state, GamingDayChanged(DAY)).state
    for number, statement in enumerate(script):
        if number == restart_at:
            again.state = STATES.decode(STATES.encode(again.state))
        again.apply_statement(statement)
    return [stepped for _, _, stepped in again.history]


def holds(name: str, seed: int, moves: list[int]) -> tuple[int, int]:
    """Check one script; return how many coups it ended, and how many of them were paid."""
    dealing = dealt(name, seed, moves)
    cards_are_conserved(dealing)
    paid = payments_sum_to_nothing(dealing)
    steps = [stepped for _, _, stepped in dealing.history]
    words = "\n".join(unparse(statement) for statement in dealing.script)
    script = [statement.body for statement in parse(words)]
    same = list(map(untimed, script)) == list(map(untimed, dealing.script))
    assert same, "a printed script parses back to itself"
    assert replayed(dealing, script, len(script) // 2) == steps
    return sum(len(closed(stepped)) for stepped in steps), paid


MOVES = st.integers(0, 99)
SCRIPTS = (st.integers(0, 2**32), st.lists(MOVES, min_size=40, max_size=120))


@pytest.mark.parametrize("name", PROFILES)
def test_random_scripts(name) -> None:
    coups = []

    @settings(max_examples=20)
    @given(*SCRIPTS)
    def check_any_script(seed: int, moves: list[int]) -> None:
        coups.append(holds(name, seed, moves))

    check_any_script()
    ended, paid = (sum(each) for each in zip(*coups, strict=True))
    assert ended > 40, "the scripts come to something"
    assert paid > 8


@pytest.mark.full
@pytest.mark.parametrize("name", PROFILES)
def test_many_random_scripts(name) -> None:
    @settings(max_examples=500)
    @given(st.integers(0, 2**32), st.lists(MOVES, min_size=40, max_size=300))
    def check_any_script(seed: int, moves: list[int]) -> None:
        holds(name, seed, moves)

    check_any_script()
