"""Any event in any state, and long random orders: nothing raises, the invariants hold."""

import random

import pytest
from acts_of_people import acted
from recorded_rows import recorded, witnesses

from controller.custody.findings import Finding, FindingCode
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    CoupForcedOut,
    CustodyFindingRaised,
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
from controller.procedure.irregularities.catalogue import (
    BATCH_IRREGULARITIES,
    CONDUCT_IRREGULARITIES,
)
from controller.procedure.phases import (
    ABANDONED_PHASES,
    BEFORE_A_COUP,
    BURNS_BEGUN,
    COUP_ENDS,
    RESUMABLE_PHASES,
    Phase,
)
from controller.procedure.rulebook import ObservableFact
from controller.procedure.step_result import MACHINE
from controller.procedure.table.table import MOVE_ROWS
from controller.rules.actions.actions import (
    CallNoMoreBets,
    CloseShoe,
    LockShoe,
    ReportFaceUp,
    ReportTurned,
    Resolution,
)
from controller.rules.actions.choices import FloorDecision, LayoutPart, Provisional
from controller.rules.cards import Card, Rank, Suit
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from controller.rules.setting_values import BurnMode
from foundation.message import message

ALL_FACTS = tuple(ObservableFact)
OPENED = "start; burn Ac: 2c"
STANDS = "P 7h; B 2c; P Kd"
BANKER_DUE = f"{STANDS}; B Kh"
PLAYER_DUE = "P 2h; B 2c; P Kd; B Kh"
COMPLETE = "P 7h; B 7c; P Kd; B Kh"
NATURAL = "P 9h; B 7c; P Kd; B Kh"

# A way into every phase, whole and broken.
WAYS = {
    "nothing": "",
    "opened": "start",
    "burning": "start; burn 3c: 2c",
    "first burn card unread": "start; burn ??",
    "burn without a count": "start; burn ??; resolve continue",
    "burn with the cut card": "start; burn 3c: 2c; cut card",
    "both cut cards in the burn": "start; burn 3c: 2c; cut card; cut card",
    "burned": OPENED,
    "betting closed": f"{OPENED}; no more bets",
    "one card": f"{OPENED}; P 7h",
    "two cards": f"{OPENED}; P 7h; B 2c",
    "three cards": f"{OPENED}; {STANDS}",
    "Banker's third due": f"{OPENED}; {BANKER_DUE}",
    "Player's third due": f"{OPENED}; {PLAYER_DUE}",
    "Player's third due and Banker stands": f"{OPENED}; P 2h; B 7c; P Kd; B Kh",
    "complete": f"{OPENED}; {COMPLETE}",
    "natural": f"{OPENED}; {NATURAL}",
    "after a coup": f"{OPENED}; {COMPLETE}; result tie",
    "first cut card between coups": f"{OPENED}; {COMPLETE}; result tie; cut card",
    "first cut card in a coup": f"{OPENED}; P 7h; B 2c; cut card",
    "last coup complete": f"{OPENED}; P 7h; cut card; B 7c; P Kd; B Kh; result tie; {COMPLETE}",
    "second cut card in a coup": f"{OPENED}; P 7h; B 2c; cut card; cut card",
    "second cut card after a complete coup": f"{OPENED}; {COMPLETE}; cut card; cut card",
    "shoe over": f"{OPENED}; close shoe",
    "shoe over by cut cards": f"{OPENED}; cut card; cut card",
    "card after the shoe": f"{OPENED}; close shoe; P1 7h",
    "joined by a first card": "P1 7h",
    "joined by a second card": "B2 7h",
    "joined by a further card": "more 7h",
    "joined in the burn": "burned 7h",
    "joined outside play": "out 7h",
    "joined by a cut card": "cut card",
    "lost in a coup": f"{OPENED}; P 7h; lost 2; B1 2c",
    "lost between coups": f"{OPENED}; lost unproven",
    "lost in the burn": "start; burn 3c: 2c; lost unreadable",
    "lost before the burn": "start; lost 1",
    "unread first card": f"{OPENED}; P ??",
    "unread second card": f"{OPENED}; P 7h; B ??",
    "unread card of the four": f"{OPENED}; P 7h; B 2c; P ??",
    "unread fourth card": f"{OPENED}; {STANDS}; B ??",
    "unread third of Player": f"{OPENED}; {PLAYER_DUE}; P ??",
    "unread third card": f"{OPENED}; {BANKER_DUE}; B ??",
    "overdrawn": f"{OPENED}; {NATURAL}; P 4h",
    "mismatched": f"{OPENED}; {COMPLETE}; result player",
    "mismatched and gone on": f"{OPENED}; {COMPLETE}; result player; P1 7h",
    "outside play in the third card": f"{OPENED}; P 7h; B 2c; out 4d",
    "outside play in the fourth card": f"{OPENED}; {STANDS}; out 4d",
    "outside play before Player's third": f"{OPENED}; {PLAYER_DUE}; out 4d",
    "outside play before Banker's third": f"{OPENED}; {BANKER_DUE}; out 4d",
    "outside play before the first card": f"{OPENED}; no more bets; out 4d",
    "outside play before the burn": "start; out 4d",
    "missing card": f"{OPENED}; {PLAYER_DUE}; result tie",
    "missing card and gone on": f"{OPENED}; {PLAYER_DUE}; result tie; P1 2h",
    "forced out": f"{OPENED}; P 7h; forced exit",
    "forced out complete": f"{OPENED}; {COMPLETE}; forced exit",
    "left before its first card": (
        f"{OPENED}; P 2h; found face up; resolve continue; burned 3c; burned 3d; result tie"
    ),
    "left after two cards": f"{OPENED}; P 7h; B 2c; result tie",
    "left after three cards": f"{OPENED}; {STANDS}; forced exit",
    "left before Banker's third": f"{OPENED}; {BANKER_DUE}; result player",
    "left in the burn": f"{OPENED}; P 7h; B 2d; found face up; resolve continue; result tie",
    "left and one card to burn": (
        f"{OPENED}; P 7h; B 2d; found face up; resolve continue; burned 3c; result tie"
    ),
    "changed early": f"{OPENED}; cut card; start",
    "changed early in a coup": f"{OPENED}; cut card; P 7h; start",
    "changed early and burning": f"{OPENED}; cut card; start; burn 2c: 3c",
    "another shoe's first card": f"{OPENED}; {COMPLETE}; result tie; burn 3h",
    "next shoe announced": f"{OPENED}; close shoe; P1 7h; start",
    "next shoe begun": f"{OPENED}; close shoe; P1 7h; start; burn Ac: 2c",
    "two partial coups": f"{OPENED}; P 7h; lost 1; P1 2c; B ??; P1 3c",
    "carried": f"{OPENED}; {NATURAL}; P 4h; resolve carry-card; result player",
    "carried and begun": f"{OPENED}; {NATURAL}; P 4h; resolve carry-card; result player; P1 7h",
    "carried and betting closed": (
        f"{OPENED}; {NATURAL}; P 4h; resolve carry-card; result player; no more bets"
    ),
    "an unread card carried": (
        f"{OPENED}; {NATURAL}; P ??; resolve carry-card; result player; no more bets"
    ),
    "burned for an error": f"{OPENED}; {NATURAL}; P 4h; resolve burn-card; result player",
    "burn for an error owed": f"{OPENED}; {NATURAL}; P 4h; resolve burn-card",
    "burn of an unread card": f"{OPENED}; {NATURAL}; P ??; resolve burn-card; result player",
    "burned with betting closed": f"{OPENED}; no more bets; out 4d; resolve burn-card",
    "burn after the last hand": (
        f"{OPENED}; P 7h; cut card; B 7c; P Kd; B Kh; result tie; {COMPLETE}; P 4h; "
        "resolve burn-card; result tie"
    ),
    "first burn card face up": "start; burn Ac; found face up; resolve continue",
    "burn card face up": "start; burn 3c: 2c; found face up; resolve continue",
    "first card face up": f"{OPENED}; P 7h; found face up; resolve continue",
    "second card face up": f"{OPENED}; P 7h; B 7c; found face up",
    "third card face up": f"{OPENED}; P 7h; B 7c; P 2d; found face up",
    "fourth card face up": f"{OPENED}; P 7h; B 2c; P Kd; B 7h; found face up",
    "Player's third face up": f"{OPENED}; {PLAYER_DUE}; P 4d; found face up; resolve continue",
    "Player's third face up, Banker stands": (
        f"{OPENED}; P 2h; B 7c; P Kd; B Kh; P 3d; found face up; resolve continue"
    ),
    "Banker's third face up": f"{OPENED}; {BANKER_DUE}; B 4d; found face up",
    "face up and left": f"{OPENED}; P 2d; found face up; forced exit",
    "face up with betting closed": f"{OPENED}; no more bets; out 2d; found face up",
    "face up outside play": f"{OPENED}; P 7h; out 2d; found face up",
    "back at the first card": (
        f"{OPENED}; P 2h; found face up; resolve continue; burned 3c; burned 3d"
    ),
    "outside play at the first card": (
        f"{OPENED}; P 2h; found face up; resolve continue; burned 3c; burned 3d; out 4d"
    ),
    "burn for an error of one card": (
        f"{OPENED}; {NATURAL}; P Ah; resolve burn-card; result player"
    ),
    "burn of an unread card with betting closed": (
        f"{OPENED}; no more bets; out ??; resolve burn-card"
    ),
    "lost in the burn of an unread card": (
        f"{OPENED}; {NATURAL}; P ??; resolve burn-card; result player; lost 2"
    ),
    "one card to burn with betting closed": (f"{OPENED}; no more bets; out Ad; resolve burn-card"),
    "outside play and dealt on": f"{OPENED}; out 4d; P1 7h",
    "lost in the last coup": f"{OPENED}; cut card; {COMPLETE}; result tie; P 7h; lost 2",
    "first burn card face up, not decided": "start; burn Ac; found face up",
    "coup begun in the burn": "start; burn 3c: 2c; P1 3d",
    "burned, cut card in it": f"{OPENED}; P 3h; found face up; resolve continue; cut card",
}
SETTINGS = ((), ALL_FACTS)
A_STEP = message("before_first_card_of_shoe")


def plain_events() -> list[StepInput]:
    """Each event once: every place, read and unread, every loss, every result."""
    seven = Card.parse("7h")
    return [
        *(
            kind(card, place)
            for kind in (CardDrawn, CardRepeated)
            for place in Place
            for card in (seven, None)
        ),
        CutCardDrawn(),
        *(ResultDeclared(outcome, False, pair) for outcome in Outcome for pair in (False, True)),
        CoupForcedOut(),
        ShoeStandsBy(),
        ShoeDeviceStarted(),
        *(ReportsMissing(loss, count) for loss in Loss for count in (0, 2)),
        acted(CallNoMoreBets()),
        acted(ReportFaceUp(), "Cy Orr"),
        acted(ReportTurned(LayoutPart.ERROR_CARD)),
        ProgramReplaced("2.0"),
        acted(CloseShoe(), "Ann Lee", reason="dead table"),
        GamingDayChanged("2026-11-22"),
    ]


def resolutions() -> list[StepInput]:
    """Every decision, with every choice for cards dealt while suspended."""
    return [
        acted(
            Resolution(
                decision,
                provisional,
                Outcome.TIE if decision is FloorDecision.STATE_OUTCOME else None,
            ),
            "Bo Ray",
            reason="seen",
        )
        for decision in FloorDecision
        for provisional in (None, *Provisional)
    ]


@pytest.mark.parametrize("observed", SETTINGS, ids=["nothing observed", "all observed"])
@pytest.mark.parametrize("way", WAYS)
def test_every_event_in_every_situation_then_every_decision(new_table, way, observed) -> None:
    table = new_table(WAYS[way], observed=observed)
    start = table.state
    afterwards = {}
    for event in (*plain_events(), *resolutions()):
        table.state, table.effects, table.verdicts = start, [], []
        table.apply(event)
        afterwards[table.state] = event
    met = {state.phase for state in afterwards}
    table.encoded = False
    for after in afterwards:
        for decision in resolutions() if after.open_irregularities else ():
            table.state, table.effects, table.verdicts = after, [], []
            table.apply(decision)
            met.add(table.phase)
    assert met - {Phase.SUSPENDED}, "from everywhere there is a way on"


def test_the_situations_reach_every_phase_and_every_phase_suspended(new_table) -> None:
    """Opening passes at once; a coup that was left or is partial always waits for a decision.

    So does a result declared, unless it ends its coup.
    """
    reached, resumable = set(), set()
    for way in WAYS.values():
        state = new_table(way).state
        reached.add(state.phase)
        resumable.update([state.suspension.resume_to] if state.suspension is not None else [])
    waiting = {Phase.DECLARED, *ABANDONED_PHASES, Phase.PARTIAL}
    assert set(Phase) - reached == {Phase.OPENING, *waiting}
    assert set(RESUMABLE_PHASES) == resumable


def test_no_move_is_there_for_nothing(new_table) -> None:
    with recorded() as (_, answered):
        for way in WAYS.values():
            table = new_table(encoded=False)
            table.deal(way or "stand-by")
            start = table.state
            for event in (*plain_events(), *resolutions()):
                table.state, table.effects, table.verdicts = start, [], []
                table.apply(event)
        new_table(burn_mode=BurnMode.NONE).deal("start")
    walked = {id(row) for one in witnesses() for row in one.answered}
    walked.update(map(id, answered))
    moves = {trigger for one in MOVE_ROWS for trigger in one.on}
    left = {
        (move, Phase[one.source])
        for move in moves
        for one in MACHINE.get_transitions(move)
        if id(one) not in walked
    }
    assert left == set()


DUE = {
    **dict.fromkeys(BURNS_BEGUN, Place.BURN),
    **dict.fromkeys((*BEFORE_A_COUP, *COUP_ENDS), Place.PLAYER_1),
}


class Chance:
    """A dealer who mostly deals in order, and sometimes does anything."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def event(self, table) -> StepInput:
        """The next event. Weights are in percent."""
        chance = self.random
        kind = chance.choices(
            ("card", "repeat", "cut", "result", "decide", "other"), (60, 4, 2, 14, 10, 10)
        )[0]
        card = None if chance.random() < 0.03 else self._card()
        match kind:
            case "card":
                return CardDrawn(card, self._place(table))
            case "repeat":
                return CardRepeated(card, chance.choice(list(Place)))
            case "cut":
                return CutCardDrawn()
            case "result":
                pairs = chance.random() < 0.1, chance.random() < 0.1
                return ResultDeclared(chance.choice(list(Outcome)), *pairs)
            case "decide":
                return chance.choice(resolutions())
            case _ if chance.random() < 0.1:
                code = chance.choice(list(FindingCode))
                return CustodyFindingRaised(
                    Finding(code, A_STEP, message("tag_in_no_manifest"), card)
                )
            case _:
                return chance.choice(plain_events()[-18:])

    def _card(self) -> Card:
        return Card(Rank(self.random.randint(1, 13)), self.random.choice(list(Suit)))

    def _place(self, table) -> Place:
        if self.random.random() < 0.15:
            return self.random.choice(list(Place))
        state = table.state
        phase = state.due_phase
        if phase in DUE:
            return DUE[phase]
        named = phase.value in list(Place)
        return Place(phase.value) if named else Place.BURN_FIRST


def play_by_chance(new_table, seed: int, events: int) -> set[str]:
    chance = Chance(seed)
    table = new_table(
        profile=chance.random.choice(["ny-mini", "s42-mini"]),
        decks=chance.random.choice([1, 6, 8]),
        observed=tuple(fact for fact in ObservableFact if chance.random.random() < 0.5),
    )
    for number in range(events):
        table.encoded = number % 40 == 0
        event = chance.event(table)
        try:
            table.apply(event)
        except BaseException as error:
            error.add_note(f"seed {seed}, event {number}: {event}")
            raise
    return {one.code.value for one in table.irregularities}


def test_twenty_thousand_random_events(new_table, code) -> None:
    met = set()
    for seed in range(50):
        met |= play_by_chance(new_table, seed, 400)
    of_others = {*CONDUCT_IRREGULARITIES, *BATCH_IRREGULARITIES}
    assert len(set(code) - of_others - met) <= 5, "chance meets nearly all that can be met"


@pytest.mark.full
@pytest.mark.parametrize("block", range(10))
def test_a_million_random_events(new_table, block) -> None:
    for seed in range(1000 + block * 100, 1100 + block * 100):
        assert play_by_chance(new_table, seed, 1000)


def test_a_value_that_is_not_an_event_is_an_internal_error(table) -> None:
    with pytest.raises(AssertionError):
        table.apply("a card")
    with pytest.raises(AssertionError):
        table.apply(acted(LockShoe()))
