"""Every phase and every kind of event: the table's answer, and what is due then.

Source: controller/procedure/README.md, "The procedure", "Domain events".

The table plays by Section 42, observes results, turning and wagers, and allows two ghost hands a
shoe. An event is a statement of a dealing script. An answer reads:

    ok            in order: only accepted                 no      refused
    done          recorded                                 SHORT   an irregularity, by CODES below
    SHORT!        ... and play stops for a floorperson     ok~     play continues after a decision
    ok>br         ... and another card or call is due, by PHASES below; while play is stopped, it
                  is what will be due
"""

from typing import get_args

import pytest
from msgspec import Struct

from controller.procedure.decisions import FloorDecision
from controller.procedure.effects import Refusal
from controller.procedure.events import DomainEvent, LayoutPart, Loss
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.verdicts import Irregularity
from controller.rules.coup import Place
from controller.script.events import ShoeCount, domain_events, due_place
from controller.script.parser import parse

BURNED = "start; burn Ac: 2c"
COUP = "P1 7h; B 7c; P Kd; B Kh; result tie"
WAYS = {
    "cl": "",
    "b1": "start",
    "br": "start; burn 3c: 2c",
    "bc": f"{BURNED}; {COUP}",
    "P1": f"{BURNED}; {COUP}; no more bets",
    "ov": f"{BURNED}; {COUP}; close shoe",
    "B1": f"{BURNED}; P1 2h",
    "P2": f"{BURNED}; P1 2h; B1 2c",
    "B2": f"{BURNED}; P1 2h; B1 2c; P2 Kd",
    "P3": f"{BURNED}; P1 2h; B1 2c; P2 Kd; B2 Kh",
    "B3": f"{BURNED}; P1 7h; B1 2c; P2 Kd; B2 Kh",
    "re": f"{BURNED}; P1 7h; B1 7c; P2 Kd; B2 Kh",
    "su": f"{BURNED}; P1 7h; B1 7c; P2 Kd; B2 Kh; P3 4h",
}
PHASES = {
    "cl": Phase.CLOSED,
    "b1": Phase.BURN_FIRST,
    "br": Phase.BURN_REST,
    "bc": Phase.BETWEEN_COUPS,
    "P1": Phase.PLAYER_1,
    "B1": Phase.BANKER_1,
    "P2": Phase.PLAYER_2,
    "B2": Phase.BANKER_2,
    "P3": Phase.PLAYER_3,
    "B3": Phase.BANKER_3,
    "re": Phase.RESULT,
    "ov": Phase.SHOE_OVER,
    "su": Phase.SUSPENDED,
}
AROUND = """
                             | cl      b1       br     bc       P1       ov    su
card 4d                      | MET!>B1 ok>br    ok     ok>B1    ok>B1    LATE! MUTE+SUSP>P1
card ??                      | MET!>re DARK!>br ok     DARK!>re DARK!>re LATE! MUTE+DARK+SUSP>P1
burn 4d                      | ok>br   ok>br    SAYS!  SWAP!    SWAP!    ok>br MUTE+SWAP+SUSP>bc
burned 4d                    | MET!>br SAYS!>br ok     OVER!    OVER!    LATE! SUSP
extra 4d                     | MET!>br SAYS!>br ok     OVER!    OVER!    LATE! SUSP
P1 4d                        | MET!>B1 SKIP!>br SHORT! ok>B1    ok>B1    LATE! MUTE+SUSP>P1
B1 4d                        | MET!>re SAYS!>br SAYS!  SAYS!>B1 SAYS!>B1 LATE! DRAWN+SUSP
P2 4d                        | MET!>re SAYS!>br SAYS!  MID!>re  MID!>re  LATE! DRAWN+SUSP
B2 4d                        | MET!>re SAYS!>br SAYS!  MID!>re  MID!>re  LATE! DRAWN+SUSP
P3 4d                        | MET!>re SAYS!>br SAYS!  DRAWN!   DRAWN!   LATE! DRAWN+SUSP
B3 4d                        | MET!>re SAYS!>br SAYS!  DRAWN!   DRAWN!   LATE! DRAWN+SUSP
more 4d                      | MET!>re SAYS!>br SAYS!  DRAWN!   DRAWN!   LATE! DRAWN+SUSP
more banker 4d               | MET!>re SAYS!>br SAYS!  DRAWN!   DRAWN!   LATE! DRAWN+SUSP
out 4d                       | MET!>bc OUT!     OUT!   OUT!     OUT!     LATE! DRAWN+SUSP
unclaimed 4d                 | ok>br   ok>br    ok     ok>B1    ok>B1    LATE! DRAWN+SUSP
custody                      | ALIEN   ALIEN!   ALIEN! ALIEN!   ALIEN!   ALIEN! ALIEN
again P1 2h                  | ok      ok       ok     ok       ok       ok    OTHER
again P1 9s                  | ok      ok       ok     ok       ok       ok    OTHER
again P1 ??                  | ok      ok       ok     ok       ok       ok    ok
again B3 4d                  | ok      ok       ok     ok       ok       ok    LOST
again burned 2c              | ok      ok       ok     ok       ok       ok    ok
cut                          | MET!>bc CUT      CUT    ok       ok       ok    ok
result tie                   | ok      ok       ok     ALONE    ALONE    ok    ok>bc
result player                | ok      ok       ok     ALONE    ALONE    ok    WRONG
result tie P-pair            | ok      ok       ok     ALONE    ALONE    ok    ok>bc
forced exit                  | ok      ok       ok     ok       ok       ok    LEFT
stand-by                     | ok      ok       ok     ok       ok       ok    ok
start                        | ok>b1   ok       BOOT!  ok       ok       ok>b1 MUTE>bc
lost 2                       | ok      LOST!>br LOST!  LOST!    LOST!    LOST! LOST
lost unproven                | ok      GAP!>br  GAP!   GAP!     GAP!     ok    GAP
lost unreadable              | ok      LOST!>br LOST!  LOST!    LOST!    LOST! LOST
no more bets                 | ok      ok       ok     ok>P1    ok       ok    MUTE>P1
program 2.0                  | ok      NEW!>br  NEW!   NEW!     NEW!     ok    NEW
found face up                | no      no       BOXED! no       no       no    BOXED
turn player                  | ok      ok       ok     ok       ok       ok    ok
turn banker                  | ok      ok       ok     ok       ok       ok    ok
turn player third            | ok      ok       ok     ok       ok       ok    ok
turn banker third            | ok      ok       ok     ok       ok       ok    ok
turn error                   | ok      ok       ok     ok       ok       ok    ok
give up player               | no      no       no     no       no       no    no
ghost hand                   | no      no       no     done     no       no    no
record odds-posted           | ok      ok       ok     ok       ok       ok    ok
record cut amount 200        | ok      ok       no     no       no       ok    no
record loaded batch red      | no      no       no     no       no       no    no
record cards-touched         | TOUCH   TOUCH    TOUCH  TOUCH    TOUCH    TOUCH TOUCH
record discard-counted       | no      ok       RACK!  RACK!    RACK!    RACK! RACK
wagers 5 banker 100          | no      ok       ok     ok       BETS     no    BETS
wagers none                  | no      ok       ok     ok       ok       no    ok
collect 5                    | no      no       no     no       no       no    no
document 5 form 7            | no      no       no     no       no       no    no
leave 5                      | ok      ok       ok     ok       ok       ok    ok
notice vig_rate 4 to players | ok      ok       ok     ok       ok       ok    ok
set vig_rate 4               | ok      ok       ok     ok       no       ok    no
correct coup 1 to player     | no      no       no     ok       ok       ok    no
shuffler 1 jam               | ok      ok      ok     ok       ok       ok    ok
shuffler lost 2              | ok      ok      ok     ok       ok       ok    ok
shuffler gone                | ok      ok      ok     ok       ok       ok    ok
clear warning 1              | no      no      no     no       no       no    no
resolve continue             | no      no       no     no       no       no    no
resolve carry-card           | no      no       no     no       no       no    ok~
resolve burn-card            | no      no       no     no       no       no    no
resolve void-coup            | no      no       no     no       no       no    no
resolve state-outcome tie    | no      no       no     no       no       no    no
resolve close-shoe           | no      no       no     no       no       no    ok~>ov
close shoe                   | no      ok>ov    ok>ov  ok>ov    ok>ov    no    no
day 2026-11-22               | ok      ok       ok     ok       ok       ok    ok
"""
IN_A_COUP = """
                             | B1        P2        B2        P3        B3        re
card 4d                      | ok>P2     ok>B2     ok>P3     ok>B3     ok>re     MUTE>B1
card ??                      | DARK!>re  DARK!>re  DARK!>re  DARK!>re  DARK!>re  MUTE+DARK!
burn 4d                      | OVER!     OVER!     OVER!     OVER!     OVER!     MUTE+SWAP!>bc
burned 4d                    | OVER!     OVER!     OVER!     OVER!     OVER!     DRAWN!
extra 4d                     | OVER!     OVER!     OVER!     OVER!     OVER!     DRAWN!
P1 4d                        | SAYS!>P2  SAYS!>B2  SAYS!>P3  SAYS!>B3  SAYS!>re  MUTE>B1
B1 4d                        | ok>P2     SAYS!>B2  SAYS!>P3  SAYS!>B3  SAYS!>re  DRAWN!
P2 4d                        | SAYS!>P2  ok>B2     SAYS!>P3  SAYS!>B3  SAYS!>re  DRAWN!
B2 4d                        | SAYS!>P2  SAYS!>B2  ok>P3     SAYS!>B3  SAYS!>re  DRAWN!
P3 4d                        | SAYS!>P2  SAYS!>B2  SAYS!>P3  ok>B3     THIRD!>re DRAWN!
B3 4d                        | SAYS!>P2  SAYS!>B2  SAYS!>P3  SAYS!>B3  ok>re     DRAWN!
more 4d                      | SAYS!>P2  SAYS!>B2  SAYS!>P3  SAYS!>B3  SAYS!>re  DRAWN!
more banker 4d               | SAYS!>P2  SAYS!>B2  SAYS!>P3  SAYS!>B3  SAYS!>re  DRAWN!
out 4d                       | OUT!      OUT!      OUT!      OUT!      OUT!      DRAWN!
unclaimed 4d                 | ok>P2     ok>B2     ok>P3     ok>B3     ok>re     DRAWN!
custody                      | ALIEN!    ALIEN!    ALIEN!    ALIEN!    ALIEN!    ALIEN!
again P1 2h                  | ok        ok        ok        ok        OTHER!    OTHER!
again P1 9s                  | OTHER!    OTHER!    OTHER!    OTHER!    OTHER!    OTHER!
again P1 ??                  | ok        ok        ok        ok        ok        ok
again B3 4d                  | LOST!>re  LOST!>re  LOST!>re  LOST!>re  LOST!>re  LOST!
again burned 2c              | ok        ok        ok        ok        ok        ok
cut                          | ok        ok        ok        ok        ok        ok
result tie                   | MISSED!   MISSED!   MISSED!   MISSED!   MISSED!   ok>bc
result player                | MISSED!   MISSED!   MISSED!   MISSED!   MISSED!   WRONG!
result tie P-pair            | MISSED!   MISSED!   MISSED!   MISSED!   MISSED!   ok>bc
forced exit                  | LEFT!     LEFT!     LEFT!     LEFT!     LEFT!     LEFT!
stand-by                     | ok        ok        ok        ok        ok        ok
start                        | BOOT!>re  BOOT!>re  BOOT!>re  BOOT!>re  BOOT!>re  MUTE>bc
lost 2                       | LOST!>re  LOST!>re  LOST!>re  LOST!>re  LOST!>re  LOST!
lost unproven                | GAP!>re   GAP!>re   GAP!>re   GAP!>re   GAP!>re   GAP!
lost unreadable              | LOST!>re  LOST!>re  LOST!>re  LOST!>re  LOST!>re  LOST!
no more bets                 | ok        ok        ok        ok        ok        MUTE>P1
program 2.0                  | NEW!>re   NEW!>re   NEW!>re   NEW!>re   NEW!>re   NEW!
found face up                | BOXED!>br BOXED!>br BOXED!>br BOXED!>br BOXED!>br BOXED!>br
turn player                  | ok        ok        ok        ok        ok        ok
turn banker                  | ok        ok        ok        ok        ok        ok
turn player third            | ok        ok        ok        ok        ok        ok
turn banker third            | ok        ok        ok        ok        ok        ok
turn error                   | ok        ok        ok        ok        ok        ok
give up player               | no        no        no        no        no        no
ghost hand                   | no        no        no        no        no        done
record odds-posted           | ok        ok        ok        ok        ok        ok
record cut amount 200        | no        no        no        no        no        no
record loaded batch red      | no        no        no        no        no        no
record cards-touched         | TOUCH     TOUCH     TOUCH     TOUCH     TOUCH     TOUCH
record discard-counted       | RACK!     RACK!     RACK!     RACK!     RACK!     RACK!
wagers 5 banker 100          | BETS      BETS      BETS      BETS      BETS      BETS
wagers none                  | ok        ok        ok        ok        ok        ok
collect 5                    | no        no        no        no        no        no
document 5 form 7            | no        no        no        no        no        no
leave 5                      | ok        ok        ok        ok        ok        ok
notice vig_rate 4 to players | ok        ok        ok        ok        ok        ok
set vig_rate 4               | no        no        no        no        no        no
correct coup 1 to player     | no        no        no        no        no        no
shuffler 1 jam               | ok        ok        ok        ok        ok        ok
shuffler lost 2              | ok        ok        ok        ok        ok        ok
shuffler gone                | ok        ok        ok        ok        ok        ok
clear warning 1              | no        no        no        no        no        no
resolve continue             | no        no        no        no        no        no
resolve carry-card           | no        no        no        no        no        no
resolve burn-card            | no        no        no        no        no        no
resolve void-coup            | no        no        no        no        no        no
resolve state-outcome tie    | no        no        no        no        no        no
resolve close-shoe           | no        no        no        no        no        no
close shoe                   | no        no        no        no        no        no
day 2026-11-22               | ok        ok        ok        ok        ok        ok
"""
# A statement too long for the grid.
IN_FULL = {"custody": 'custody FOREIGN_CARD ?? tag E004 at "card 9" because "in no manifest"'}
CODES = {
    "ALIEN": "FOREIGN_CARD",
    "ALONE": "RESULT_WITHOUT_COUP",
    "BETS": "WAGER_CHANGED_LATE",
    "BOOT": "SHOE_RESTARTED",
    "BOXED": "FOUND_FACE_UP",
    "CUT": "CUT_CARD_IN_BURN",
    "DARK": "CARD_UNREADABLE",
    "DRAWN": "OVERDRAW",
    "GAP": "CONTINUITY_UNPROVEN",
    "LATE": "CARD_AFTER_LAST_COUP",
    "LEFT": "FORCED_EXIT",
    "LOST": "REPORTS_LOST",
    "MET": "SHOE_JOINED",
    "MID": "COUP_JOINED",
    "MISSED": "MISSING_CARD",
    "MUTE": "RESULT_NOT_DECLARED",
    "NEW": "PROGRAM_REPLACED",
    "OTHER": "RETRANSMISSION_CONFLICT",
    "OUT": "CARD_OUTSIDE_PLAY",
    "OVER": "BURN_OVER",
    "RACK": "DISCARD_DIFFERS",
    "SAYS": "CLAIM_DIFFERS",
    "SHORT": "BURN_SHORT",
    "SKIP": "BURN_SKIPPED",
    "SUSP": "DEALT_WHILE_SUSPENDED",
    "SWAP": "SHOE_CHANGED_EARLY",
    "THIRD": "PLAYER_THIRD_UNAUTHORISED",
    "TOUCH": "CARDS_TOUCHED",
    "WRONG": "RESULT_MISMATCH",
}


OBSERVED = (ObservableFact.RESULT_BUTTON, ObservableFact.TURNED, ObservableFact.WAGERS)


def grid(text: str) -> dict[str, dict[str, str]]:
    """The answers of one table, by event and phase; every cell is there."""
    (_, head), *rows = [line.split("|") for line in text.strip("\n").splitlines()]
    phases = head.split()
    return {event.strip(): dict(zip(phases, row.split(), strict=True)) for event, row in rows}


ANSWERS = {event: {**around, **grid(IN_A_COUP)[event]} for event, around in grid(AROUND).items()}


def parse_events(statements: str, state: object) -> list[DomainEvent]:
    """What the statements of a script say happened; unnumbered cards are counted from here on."""
    count, found = ShoeCount(), []
    for statement in parse(IN_FULL.get(statements, statements)):
        events, count = domain_events(statement.body, count, due_place(state))
        found += events
    return found


def play_due(state) -> Phase:
    return state.suspension.resume_to if state.suspension is not None else state.phase


def answer(table, event: DomainEvent) -> str:
    """What the table answers, in the words of the grid."""
    before = table.state
    result = table.apply(event)
    raised = [one.code.value for one in result.verdicts if isinstance(one, Irregularity)]
    refused = any(isinstance(effect, Refusal) for effect in result.effects)
    short = {code: word for word, code in CODES.items()}
    answer_text = "+".join(short.get(code, code) for code in raised)
    answer_text = answer_text or ("no" if refused else "ok" if result.verdicts else "done")
    was, now = before.suspension is not None, table.state.suspension is not None
    answer_text += "!" if now and not was else "~" if was and not now else ""
    due = play_due(table.state)
    same = due is play_due(before)
    return (
        answer_text
        if same
        else f"{answer_text}>{next(key for key, one in PHASES.items() if one is due)}"
    )


@pytest.fixture
def table_in_phase(new_table):
    """A factory of tables that were dealt into a phase."""

    def at(phase: str):
        table = new_table(observed=OBSERVED, ghost_hands_max=2)
        for event in parse_events(WAYS[phase], table.state):
            table.apply(event)
        assert table.phase is PHASES[phase]
        return table

    return at


@pytest.mark.parametrize("phase", WAYS)
def test_every_event_has_its_answer(table_in_phase, phase) -> None:
    table = table_in_phase(phase)
    start, answers = table.state, {}
    for words in ANSWERS:
        table.state, table.effects, table.verdicts = start, [], []
        (event,) = parse_events(words, start)
        answers[words] = answer(table, event)
    assert answers == {words: row[phase] for words, row in ANSWERS.items()}


def kinds(union: object) -> set[type]:
    return {one for part in get_args(union) for one in (kinds(part) or {part})}


def test_no_phase_and_no_kind_of_event_is_without_an_answer(table_in_phase) -> None:
    """The opening is no phase to be met in: it passes with the event that leads there."""
    assert set(Phase) - {Phase.OPENING} == set(PHASES.values())
    assert all(set(row) == set(PHASES) for row in ANSWERS.values())
    state = table_in_phase("bc").state
    events = [parse_events(words, state)[0] for words in ANSWERS]
    assert {type(event) for event in events} == kinds(DomainEvent)
    met = {
        value
        for event in events
        for value in (*field_values(event), *field_values(getattr(event, "resolution", None)))
    }
    for closed_set in (Place, Loss, LayoutPart, FloorDecision):
        assert set(closed_set) <= met, "every sub-kind of an event is there"


def field_values(value: object) -> list[object]:
    if not isinstance(value, Struct):
        return []
    return [getattr(value, name) for name in value.__struct_fields__ if name != "wagers"]
