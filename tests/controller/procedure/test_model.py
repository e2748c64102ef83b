"""A small shoe explored exhaustively: every state that any order of events leads to.

No state is a dead end, no card is lost or counted twice, no coup counts with a card that the rules
do not give it, and every remedy has one owner.
Source: controller/procedure/README.md, "The procedure";
controller/procedure/irregularities/README.md, "Suspension"; D-13, D-14, D-32.

The shoe is a real one except for the number of its cards. States are compared by what the procedure
can still act on (`Essence`): numbers and lists that only a record shows are cut to a fixed form,
so the graph is finite and is explored to its end. The exploration stops at the next shoe.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import pytest
from acts_of_people import acted
from msgspec.structs import replace

from controller.procedure.effects import CoupClosed, CoupRecord, RecordedCard, Refusal
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CutCardDrawn,
    Loss,
    ProgramReplaced,
    ReportsMissing,
    ResultDeclared,
    ShoeDeviceStarted,
    ShoeStandsBy,
    StepInput,
)
from controller.procedure.irregularities import CATALOGUE, IrregularityCode
from controller.procedure.people.permitted import is_own_void, permitted_decisions
from controller.procedure.phases import (
    ABANDONED_PHASES,
    BEFORE_A_COUP,
    BURNS_BEGUN,
    COUP_PHASES,
    DUE_PHASES,
    REMEDY_BURNS,
    UNCOUNTED_BURNS,
    Phase,
)
from controller.procedure.places import phase_by_cards
from controller.procedure.rulebook import ObservableFact, RuleBook
from controller.procedure.state import (
    NOBODY_YET,
    NOTHING_TO_REMEDY,
    CoupState,
    ErrorCard,
    LastDrawn,
    OpenIrregularity,
    ShoeState,
    ShoeTally,
    TableState,
)
from controller.procedure.step import step
from controller.procedure.step_result import Step
from controller.procedure.verdicts import Irregularity
from controller.rules.actions.actions import (
    Action,
    CallNoMoreBets,
    CloseShoe,
    OperatorAction,
    ReportFaceUp,
    ReportTurned,
    RequestGhostHand,
    Resolution,
)
from controller.rules.actions.choices import FloorDecision, LayoutPart, Provisional
from controller.rules.cards import Card, point_value
from controller.rules.coup import Place
from controller.rules.outcome import CoupFate, Outcome
from controller.rules.profiles.rule_points import RulePoint
from controller.rules.setting_values import DealOption
from hil.dealing import tableau

KING = Card.parse("Kd")
IN_ORDER = {
    Phase.BURN_FIRST: Place.BURN_FIRST,
    **dict.fromkeys(BURNS_BEGUN, Place.BURN),
    **{Phase(place): place for place in list(Place) if place in list(Phase)},
}
CLOSED = acted(CloseShoe(), "Ann Lee", reason="no card is left")
CLAIMS = (
    Place.BURN_FIRST,
    Place.BURN,
    Place.PLAYER_1,
    Place.PLAYER_3,
    Place.BANKER_MORE,
    Place.OUTSIDE,
)
DECISIONS = (
    *(
        Resolution(decision, provisional, outcome)
        for decision, provisional in product(FloorDecision, (None, *Provisional))
        for outcome in ((None, Outcome.TIE) if decision is FloorDecision.STATE_OUTCOME else (None,))
    ),
    Resolution(FloorDecision.CONTINUE, None, Outcome.TIE),
    Resolution(FloorDecision.VOID_COUP, Provisional.TAKE_OVER, None, "Cy Lee"),
)


# --- the procedure's state, cut to what it can still act on --------------------------------------


def essence(state: TableState) -> TableState:
    """The state with a fixed form of everything that only records use."""
    state, shoe = replace(state, earlier_shoes=(), staff=NOBODY_YET), state.shoe
    if shoe is None:
        return replace(state, irregularities=0, open_irregularities=())
    listed = _listed(state.open_irregularities)
    shift = _coups_before(state, shoe)
    suspension, wagering = state.suspension, state.wagering
    if suspension is not None:
        held = tuple(_held(record, shift) for record in suspension.held)
        coup = suspension.coup - shift if suspension.coup else 0
        suspension = replace(suspension, coup=coup, held=held)
    standing = tuple(replace(one, coup=one.coup - shift) for one in wagering.standing)
    return replace(
        state,
        shoe=_shoe(shoe, shift),
        suspension=suspension,
        open_irregularities=listed,
        irregularities=len(listed),
        wagering=replace(wagering, standing=standing),
    )


def _listed(opened: tuple[OpenIrregularity, ...]) -> tuple[OpenIrregularity, ...]:
    """One irregularity for each effect of its kind on the permitted decisions."""
    kinds = {(one.suspends, _bearing(one.code)) for one in opened}
    ways = sorted(kinds, key=lambda kind: (not kind[0], kind[1].value))
    return tuple(
        OpenIrregularity(number + 1, code, (), 0, suspends, provisional=False)
        for number, (suspends, code) in enumerate(ways)
    )


def _bearing(code: IrregularityCode) -> IrregularityCode:
    """The first kind that bears on decisions as this one does."""
    if code is IrregularityCode.CUT_CARD_IN_BURN:
        return code
    decisions = CATALOGUE[code].decisions
    if decisions == (FloorDecision.CLOSE_SHOE,):
        return IrregularityCode.CARDS_EXCEED_DECKS
    voids = FloorDecision.VOID_COUP in decisions
    if CATALOGUE[code].prescribed:
        return IrregularityCode.OVERDRAW
    return IrregularityCode.MISSING_CARD if voids else IrregularityCode.BURN_SKIPPED


def _coups_before(state: TableState, shoe: ShoeState) -> int:
    """How many numbers of coups nothing looks back to any more."""
    suspension = state.suspension
    numbers = [shoe.coups_begun]
    numbers += [one.coup for one in (*shoe.remedy.waiting, *shoe.remedy.carried) if one.coup]
    numbers += [one.coup for one in state.wagering.standing]
    if suspension is not None:
        numbers += [one.coup for one in suspension.held]
        numbers += [suspension.coup] if suspension.coup else []
    return max(0, min(numbers) - 1)


def _held(record: CoupRecord, shift: int) -> CoupRecord:
    record = replace(record, coup=record.coup - shift, aside=(), irregular=(), declared=None)
    if record.fate is CoupFate.COUNTED:
        return record
    cards = (RecordedCard(Place.PLAYER_1, KING),)
    return replace(record, cards=cards, result=None)


def _shoe(shoe: ShoeState, shift: int) -> ShoeState:
    cut, remedy = shoe.cut, shoe.remedy
    last = max(0, cut.last_coup - shift) if cut.last_coup is not None else None
    if shoe.drawn_last is not LastDrawn.BURN:
        burned = (KING,) * min(2, len(shoe.burn_cards))
    else:
        burned = (KING,) * (len(shoe.burn_cards) > 1) + shoe.burn_cards[-1:]
    return replace(
        shoe,
        cards_drawn=min(shoe.cards_drawn, shoe.cards_total + 1),
        burn_cards=burned,
        remedy=replace(
            remedy,
            waiting=tuple(_error(one, shift) for one in remedy.waiting),
            carried=tuple(_error(one, shift) for one in remedy.carried),
            burn_taken=0,
            burn_points=(RulePoint.ERROR_BURNED,) if remedy.burn_points else (),
        ),
        aside=shoe.aside[-1:] if shoe.drawn_last is LastDrawn.BURN and not burned else (),
        coups_begun=shoe.coups_begun - shift,
        coup=_coup(shoe.coup, shift) if shoe.coup is not None else None,
        cut=replace(cut, seen=min(cut.seen, 3), last_coup=last),
        tally=ShoeTally(void=shoe.coups_begun - shift),
        last_coup=None,
        finished=(),
        irregularities=0,
    )


def _error(error: ErrorCard, shift: int) -> ErrorCard:
    coup = error.coup - shift if error.coup else 0
    return replace(error, coup=coup, third=False, claimed=Place.BANKER_MORE)


def _coup(coup: CoupState, shift: int) -> CoupState:
    """A coup with complete cards: its result is checked when it is over."""
    turned = tuple(sorted(what for what in set(coup.reveal.turned) if what != "error_card"))
    return replace(
        coup,
        number=coup.number - shift,
        cards=tuple(
            replace(one, claimed=one.place, carried_from=one.carried_from and 0)
            for one in coup.cards
        ),
        aside=(),
        irregular=(),
        missing=min(coup.missing, 7),
        reveal=replace(coup.reveal, turned=turned),
    )


# --- everything that can happen ------------------------------------------------------------------


def due_place(state: TableState) -> Place:
    return IN_ORDER.get(state.due_phase, Place.PLAYER_1)


def right_result(state: TableState) -> ResultDeclared:
    """What the cards on the table say by the second reading; a tie where they say nothing."""
    coup = state.shoe.coup if state.shoe is not None else None
    player, banker = hands_of(coup.cards) if coup is not None else ((), ())
    outcome = tableau.winner(values(player), values(banker))
    return ResultDeclared(Outcome(outcome), tableau.is_pair(player), tableau.is_pair(banker))


def hands_of(cards: tuple) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    known = [one for one in cards if one.card is not None]
    player = tuple(one.card for one in known if one.place.value.startswith("player"))
    return player, tuple(one.card for one in known if not one.place.value.startswith("player"))


def values(cards: tuple[Card, ...]) -> tuple[int, ...]:
    return tuple(point_value(card) for card in cards)


def in_order(state: TableState, cards: tuple[Card, ...]) -> Iterator[StepInput]:
    """The events of a table without mistakes, and every decision.

    A shoe without a card is closed by a person, unless the table knows that it is over.
    """
    if state.suspension is None:
        if state.shoe.cards_left() and not state.shoe.cut.exhausted:
            yield from due_cards(state, cards)
        else:
            yield CLOSED
        yield from other_events(state)
    decisions = DECISIONS if state.open_irregularities else DECISIONS[:1]
    yield from (acted(decision, "Bo Ray", reason="seen") for decision in decisions)


def due_cards(state: TableState, cards: tuple[Card, ...]) -> Iterator[StepInput]:
    yield from (CardDrawn(card, due_place(state)) for card in cards)


def other_events(state: TableState) -> Iterator[StepInput]:
    yield right_result(state)
    yield from (CutCardDrawn(), ShoeStandsBy(), acted(CallNoMoreBets()))
    if state.phase is Phase.SHOE_OVER:
        yield ShoeDeviceStarted()


def mistakes(state: TableState, cards: tuple[Card, ...]) -> Iterator[StepInput]:
    """What else people and the shoe can do, in every form that can make a difference.

    Dealing on while suspended, or from a shoe that is empty, is among it.
    """
    due, right = due_place(state), right_result(state)
    yield from due_cards(state, cards)
    if state.suspension is not None:
        yield from other_events(state)
    yield CardDrawn(None, due)
    yield from (CardDrawn(cards[0], claim) for claim in CLAIMS if claim != due)
    yield from (CardDrawn(card, Place.OUTSIDE) for card in (*cards[1:], None))
    yield CardRepeated(cards[0], Place.PLAYER_1)
    yield CardRepeated(cards[-1], Place.BANKER_MORE)
    yield replace(right, player_pair=not right.player_pair)
    yield from (CoupForcedOut(), ShoeDeviceStarted(), ProgramReplaced("2.0"))
    yield from (ReportsMissing(Loss.GAP, 1), ReportsMissing(Loss.UNPROVEN, 0))
    yield acted(ReportFaceUp(), "Cy Orr")
    yield from (acted(ReportTurned(what)) for what in LayoutPart)
    yield acted(RequestGhostHand(), "Bo Ray")
    yield CLOSED


# --- the exploration -----------------------------------------------------------------------------


@dataclass
class Explored:
    """The graph of all play from one state on in which so many mistakes are made at most.

    `away`: how many it takes at least to come to a state. `onward` are the ways on from each that
    make none and close no shoe that could go on; `arrived` are the states from which one of them
    leads to a coup that counts, or to the end of the shoe, at once.
    """

    book: RuleBook
    cards: tuple[Card, ...]
    mistakes: int
    away: dict[TableState, int] = field(default_factory=dict)
    onward: dict[TableState, list[TableState]] = field(default_factory=dict)
    arrived: set[TableState] = field(default_factory=set)
    waiting: deque[TableState] = field(default_factory=deque)
    steps: int = 0
    met: Counter[str] = field(default_factory=Counter)

    def explore(self, start: TableState) -> "Explored":
        """All states from here on, those with fewer mistakes first."""
        self.found(essence(start), 0)
        while self.waiting:
            state = self.waiting.popleft()
            if state in self.onward:
                continue
            self.onward[state] = []
            if state.shoe is None or state.shoe.number != 1:
                self.arrived.add(state)
                continue
            for event in in_order(state, self.cards):
                self.follow(state, event, 0)
            if self.away[state] < self.mistakes:
                for event in mistakes(state, self.cards):
                    self.follow(state, event, 1)
        return self

    def follow(self, state: TableState, event: StepInput, cost: int) -> None:
        self.steps += 1
        stepped = step(self.book, state, event)
        try:
            holds(self.book, state, event, stepped)
        except AssertionError as error:
            error.add_note(f"{event}\nin {state}\ngave {stepped}")
            raise
        if stepped.state == state:
            return
        self.met.update(one.code for one in stepped.verdicts if isinstance(one, Irregularity))
        after = essence(stepped.state)
        self.found(after, self.away[state] + cost)
        if not cost and goes_on(self.book, state, event):
            self.onward[state].append(after)
            if is_progress(stepped) or stepped.state.phase is Phase.SHOE_OVER:
                self.arrived.add(state)

    def found(self, state: TableState, away: int) -> None:
        known = self.away.get(state)
        if known is not None and known <= away:
            return
        self.away[state] = away
        if self.waiting and away > self.away[self.waiting[0]]:
            self.waiting.append(state)
        else:
            self.waiting.appendleft(state)

    def dead_ends(self) -> list[TableState]:
        """States from which no play in order leads to a coup that counts or to the shoe's end."""
        came_from: dict[TableState, list[TableState]] = {state: [] for state in self.onward}
        for state, after in self.onward.items():
            for one in after:
                came_from[one].append(state)
        good, todo = set(self.arrived), list(self.arrived)
        while todo:
            new = [one for one in came_from[todo.pop()] if one not in good]
            good.update(new)
            todo += new
        return [state for state in self.onward if state not in good]


def is_progress(stepped: Step) -> bool:
    closed = [one.record for one in stepped.effects if isinstance(one, CoupClosed)]
    return any(record.outcome is not None for record in closed)


def is_act(event: StepInput, kind: type[Action]) -> bool:
    return isinstance(event, OperatorAction) and isinstance(event.action, kind)


def goes_on(book: RuleBook, state: TableState, event: StepInput) -> bool:
    """Whether the step closes no shoe that could continue."""
    if is_act(event, Resolution):
        resolution = event.action
        closes = resolution.decision is FloorDecision.CLOSE_SHOE
        only = permitted_decisions(book, state, resolution.provisional) == (
            FloorDecision.CLOSE_SHOE,
        )
        return only or not closes
    return True


# --- invariants of every step --------------------------------------------------------------------


def holds(book: RuleBook, before: TableState, event: StepInput, stepped: Step) -> None:
    state = stepped.state
    assert stepped.verdicts or stepped.effects, "every event is answered"
    if is_act(event, Resolution):
        decided(book, before, event, stepped)
    if state == before:
        return
    check_one_owner(book, state)
    if state.shoe is None or before.shoe is None or state.shoe.number != before.shoe.number:
        return
    check_no_card_lost(before, event, stepped)
    check_order(before, event, stepped)
    for record in new_records(before, stepped):
        check_counts(record)


def check_one_owner(book: RuleBook, state: TableState) -> None:
    """An irregularity that stops play waits for one person's decision, and there is one to make."""
    suspended = state.suspension is not None
    assert suspended is (state.phase is Phase.SUSPENDED)
    assert suspended is any(one.suspends for one in state.open_irregularities)
    dealt = state.suspension is not None and state.suspension.dealt
    for provisional in Provisional if dealt else (None,):
        permitted = permitted_decisions(book, state, provisional)
        assert bool(permitted) is bool(state.open_irregularities)
        assert len(set(permitted)) == len(permitted)
    shoe = state.shoe
    if shoe is None:
        return
    remedy = shoe.remedy
    assert suspended or not remedy.waiting, "a card drawn in error waits for a decision"
    waits = state.play_phase in (Phase.DECLARED, *ABANDONED_PHASES, Phase.PARTIAL)
    assert suspended or not waits, "such a coup waits for a decision"
    check_burn(shoe, state.play_phase)
    check_coup(shoe, state.play_phase)
    if shoe.ended:
        assert remedy == NOTHING_TO_REMEDY


def check_burn(shoe: ShoeState, phase: Phase) -> None:
    """The phase of play says which burn is in progress, and where play goes on after it."""
    remedy = shoe.remedy
    after = {
        Phase.BOXED_BURN: (Phase.BURN_FIRST,),
        **dict.fromkeys(REMEDY_BURNS, BEFORE_A_COUP),
        Phase.COUP_BURN: (*DUE_PHASES, Phase.ABANDONED),
    }
    assert remedy.burn_return_phase in after.get(phase, (None,)), "a burn after which play resumes"
    if phase is not Phase.SHOE_OVER:
        counted = phase in BURNS_BEGUN and phase not in UNCOUNTED_BURNS
        assert (shoe.burn_owed > 0) is counted, "a counted burn owes cards, and nothing else does"
    if phase in BEFORE_A_COUP:
        assert not remedy.owes_burn, "what is owed is burned before the next coup"


def check_coup(shoe: ShoeState, phase: Phase) -> None:
    """The phase of play says whether a coup is on the table, and how it stands."""
    coup, back = shoe.coup, shoe.remedy.burn_return_phase
    assert (coup is not None) is (phase in (Phase.COUP_BURN, *COUP_PHASES))
    if coup is None:
        return
    assert coup.partial is (phase is Phase.PARTIAL)
    assert not coup.forced_out or coup.partial, "elsewhere the phase says that it was left"
    assert phase is not Phase.DECLARED or coup.declared is not None
    left = Phase.ABANDONED in (phase, back) or phase is Phase.ABANDONED_COMPLETE
    keeps = left or phase in (Phase.DECLARED, Phase.PARTIAL)
    assert coup.declared is None or keeps, "where the coup goes on, no result is declared"
    if coup.partial:
        return
    due = phase_by_cards(coup.faces())
    if Phase.ABANDONED in (phase, back):
        assert due in DUE_PHASES, "a card was due when it was left"
    elif phase is Phase.COUP_BURN:
        assert due is back, "after the burn the deal goes on at its place"
    elif phase in DUE_PHASES:
        assert due is phase
    else:
        assert due is Phase.RESULT, "the hands are complete"


def decided(book: RuleBook, before: TableState, event: OperatorAction, stepped: Step) -> None:
    """What is permitted is carried out, everything else is refused and changes nothing."""
    resolution = event.action
    refused = any(isinstance(effect, Refusal) for effect in stepped.effects)
    dealt = before.suspension is not None and before.suspension.dealt
    answered = resolution.provisional is not None or not dealt
    stated = resolution.decision is FloorDecision.STATE_OUTCOME
    complete = answered and stated is (resolution.outcome is not None)
    permitted = permitted_decisions(book, before, resolution.provisional)
    own = bool(resolution.second) and is_own_void(book, before, resolution)
    assert refused is not (complete and (own or resolution.decision in permitted))
    fates = [effect.record.fate for effect in stepped.effects if isinstance(effect, CoupClosed)]
    assert fates.count(CoupFate.FLOOR_DECIDED) <= 1, "one statement is for one coup"
    if refused:
        assert stepped.state == before
    elif stepped.state.shoe is not None:
        new = {one.number for one in stepped.verdicts if isinstance(one, Irregularity)}
        assert {one.number for one in stepped.state.open_irregularities} == new
        assert not stepped.state.shoe.remedy.waiting, "one decision is for every card that waits"


def cards_of(state: TableState) -> Counter[Card | None]:
    """Every card that left the shoe, by its face, in the one place where it is."""
    shoe = state.shoe
    held = state.suspension.held if state.suspension is not None else ()
    there = Counter((*shoe.burn_cards, *shoe.aside))
    there.update(one.card for one in (*shoe.remedy.waiting, *shoe.remedy.carried))
    for coup in (shoe.coup, *held):
        if coup is not None:
            there.update(one.card for one in (*coup.cards, *coup.aside))
    return there


def check_no_card_lost(before: TableState, event: StepInput, stepped: Step) -> None:
    """Every drawn card is in one place: burned, in a hand, aside, held, or in a record."""
    shoe, was = stepped.state.shoe, before.shoe
    drawn = shoe.cards_drawn - was.cards_drawn
    assert drawn in ((0, 1) if isinstance(event, CardDrawn) else (0,))
    there, expected = cards_of(stepped.state), cards_of(before)
    for effect in stepped.effects:
        if isinstance(effect, CoupClosed):
            there.update(one.card for one in (*effect.record.cards, *effect.record.aside))
    if drawn and shoe.cards_drawn <= shoe.cards_total:
        expected[event.card] += 1
    assert there.total() == expected.total(), "a card is lost or counted twice"
    assert there == expected or isinstance(event, CardRepeated)


def check_order(before: TableState, event: StepInput, stepped: Step) -> None:
    """Hands only grow at their end: by the card that is drawn, or by those held for them."""
    was, now = before.shoe.coup, stepped.state.shoe.coup
    records = {record.coup: record for record in new_records(before, stepped)}
    remedy = before.shoe.remedy
    carried = [one.card for one in remedy.carried]
    if is_act(event, Resolution):
        # Those that waited may begin the coup as well; some of them go to the rack.
        racked = Counter(stepped.state.shoe.aside) - Counter(before.shoe.aside)
        for one in remedy.waiting:
            if racked[one.card]:
                racked[one.card] -= 1
            else:
                carried.append(one.card)
    if was is not None:
        same = now if now is not None and now.number == was.number else records.get(was.number)
        assert same is not None, "a coup ends in a record"
        old, new = [[one.card for one in each.cards] for each in (was, same)]
        taken_out = is_act(event, ReportFaceUp) and new == old[:-1]
        read = isinstance(event, CardRepeated) and len(new) == len(old)
        drawn = isinstance(event, CardDrawn) and new == [*old, event.card]
        assert new == old or taken_out or read or drawn
    if now is not None and (was is None or now.number != was.number):
        assert not stepped.state.shoe.remedy.owes_burn, (
            "what is owed is burned before the next coup"
        )
        first = [one.card for one in now.cards]
        drawn = [event.card] if isinstance(event, CardDrawn) else []
        rest = [one.card for one in stepped.state.shoe.remedy.carried]
        aside = [one.card for one in now.aside]
        assert first + aside + rest in (carried + drawn, carried), "held cards come first"


def new_records(before: TableState, stepped: Step) -> list[CoupRecord]:
    """Coups that ended here; a record held before is published unchanged."""
    suspension = stepped.state.suspension
    held = before.suspension.held if before.suspension is not None else ()
    known = {record.coup: record for record in held}
    ended = [effect.record for effect in stepped.effects if isinstance(effect, CoupClosed)]
    ended += suspension.held if suspension is not None else ()
    for record in ended:
        if record.coup in known:
            assert record.cards == known[record.coup].cards
    return [record for record in ended if record.coup not in known]


def check_counts(record: CoupRecord) -> None:
    """A coup that counts by its cards holds those that are due, in order, and no other."""
    if record.fate is not CoupFate.COUNTED:
        assert (record.outcome is None) is (record.fate is not CoupFate.FLOOR_DECIDED)
        return
    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()
    for dealt in record.cards:
        due = tableau.next_hand(values(player), values(banker))
        assert due is not None, "a card that no hand was due"
        assert dealt.place.value == f"{due}_{len(player if due == 'player' else banker) + 1}"
        player += (dealt.card,) if due == "player" else ()
        banker += (dealt.card,) if due == "banker" else ()
    assert tableau.next_hand(values(player), values(banker)) is None, "a card is still due"
    assert record.outcome.value == tableau.winner(values(player), values(banker)).value


# --- small shoes ---------------------------------------------------------------------------------


def small_shoe(state: TableState, cards: int) -> TableState:
    """The table with so few cards in its shoe that it ends soon."""
    shoe = replace(state.shoe, cards_total=state.shoe.cards_drawn + cards)
    return replace(state, shoe=shoe)


def faces(words: str) -> tuple[Card, ...]:
    return tuple(Card.parse(word) for word in words.split())


FACTS = (ObservableFact.RESULT_BUTTON, ObservableFact.TURNED, ObservableFact.NO_MORE_BETS)
BURNED = "start; burn Ac: 2c"
THIRD_DUE = f"{BURNED}; P 2h; B 2c; P Kd; B Kh"


@dataclass(frozen=True)
class Small:
    """A small shoe: what was dealt of it, how many cards are left, their faces, the mistakes.

    At least so many `states` are there to be met: an exploration that stops early proves nothing.
    """

    words: str
    left: int
    faces: str
    mistakes: int
    states: int


def explored(new_table, small: Small, observed=(), ghost_hands=0, **rules) -> Explored:
    table = new_table(small.words, observed=observed, **rules)
    values = replace(table.book.values, ghost_hands_max=ghost_hands)
    book = replace(table.book, profile=replace(table.book.profile, rules=values))
    graph = Explored(book, faces(small.faces), small.mistakes)
    return graph.explore(small_shoe(table.state, small.left))


SMALL_SHOES = {
    "from the burn": (Small("start", 2, "Ac 2d", 1, 1200), {}),
    "in order": (
        Small(BURNED, 5, "Kd 4c", 0, 1300),
        {"deal_option": DealOption.PLAYERS_REVEAL},
    ),
    "third cards": (Small(THIRD_DUE, 2, "Kd 5c", 0, 200), {"observed": FACTS}),
    "New York": (Small(BURNED, 2, "Ad Kd", 1, 1500), {"profile": "ny-mini", "observed": FACTS}),
    "Washington": (Small(THIRD_DUE, 1, "Kd", 1, 750), {"profile": "wa-mini", "ghost_hands": 1}),
}
LARGER_SHOES = {
    "two mistakes": (Small(BURNED, 1, "Kd", 2, 1600), {}),
    "two mistakes, all observed": (Small(THIRD_DUE, 1, "Kd", 2, 3400), {"observed": FACTS}),
    "two mistakes from the burn": (Small("start", 2, "Ad", 2, 3900), {}),
    "two mistakes in a hand": (Small(BURNED, 2, "Ad", 2, 4000), {"profile": "wa-mini"}),
    "three mistakes": (Small("start", 1, "Ad", 3, 2000), {}),
    "a burn for an irregularity": (Small(BURNED, 6, "Ad", 1, 5000), {}),
    "a Washington coup": (
        Small(THIRD_DUE, 5, "4d", 1, 5000),
        {"profile": "wa-mini", "ghost_hands": 1},
    ),
    "players reveal": (
        Small(THIRD_DUE, 2, "Kd 5c", 1, 2000),
        {"deal_option": DealOption.PLAYERS_REVEAL, "observed": FACTS},
    ),
    "New York in order": (Small(BURNED, 6, "Kd 3c", 0, 2800), {"profile": "ny-mini"}),
}


@pytest.mark.parametrize("name", SMALL_SHOES)
def test_a_small_shoe_explored_whole(new_table, name) -> None:
    explore_exhaustively(new_table, *SMALL_SHOES[name])


@pytest.mark.full
@pytest.mark.parametrize("name", LARGER_SHOES)
def test_a_larger_shoe_explored_whole(new_table, name) -> None:
    explore_exhaustively(new_table, *LARGER_SHOES[name])


def explore_exhaustively(new_table, small: Small, settings: dict[str, object]) -> None:
    graph = explored(new_table, small, **settings)
    assert graph.dead_ends() == []
    assert len(graph.onward) >= small.states, graph.steps


@pytest.mark.parametrize("profile", ["s42-mini", "wa-mini"])
def test_a_held_card_that_was_seen_is_not_found_face_up_as_well(new_table, profile) -> None:
    table = new_table(f"{BURNED}; out 4d; resolve carry-card; turn error", profile=profile)
    assert table.deal("found face up") == []
    assert table.shoe.burn_owed == 4, "its amount is owed once"


def test_a_burn_owed_since_before_the_first_coup_is_not_skipped(new_table) -> None:
    owed = "start; out 4d; resolve burn-card; burn ??; resolve continue"
    table = new_table(f"{owed}; no more bets")
    assert (table.phase, table.shoe.burn_owed) == ("remedy_burn", 4)
    table = new_table(owed)
    assert table.deal("P1 7h") == ["BURN_SHORT"], "the card is the first of the four"
    assert table.shoe.burn_owed == 3


def test_two_burn_cards_found_face_up_one_after_the_other(new_table) -> None:
    table = new_table("start; burn Ac; found face up; resolve continue; burned 2c")
    assert table.phase == "burn_first", "the burn before play starts again"
    assert table.deal("found face up") == ["FOUND_FACE_UP"]
    assert (table.resumes_to, table.shoe.burn_owed) == ("boxed_burn", 1 + 2)
