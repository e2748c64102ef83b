"""Ways into every phase, the events that meet it there, and the words of their answers.

The answers are in phase_event_pairs.txt; how they read: test_phase_event_pairs.py.
"""

from pathlib import Path

from controller.core.script.parser import parse
from controller.core.script.player import ShoeCount, due_place, step_inputs
from controller.procedure.effects import Refusal
from controller.procedure.events import StepInput
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.state import TableState
from controller.procedure.step_result import Step
from controller.procedure.verdicts import Irregularity

BURNED = "start; burn Ac: 2c"
ERROR = "P1 9h; B1 7c; P2 Kd; B2 Kh; P3"
BURN = "turn error; resolve burn-card; result player"
COUP = "P1 7h; B 7c; P Kd; B Kh; result tie"
COMPLETE = "P1 7h; B1 7c; P2 Kd; B2 Kh"
WAYS = {
    "cl": "",
    "b1": "start",
    "br": "start; burn 3c: 2c",
    "bc": f"{BURNED}; {COUP}",
    "nb": f"{BURNED}; {COUP}; no more bets",
    "ov": f"{BURNED}; {COUP}; close shoe",
    "bu": "start; burn ??; resolve continue",
    "bb": "start; burn 3c; found face up; resolve continue",
    "rb": f"{BURNED}; {ERROR} 4h; {BURN}",
    "ru": f"{BURNED}; {ERROR} ??; {BURN}",
    "cb": f"{BURNED}; P1 2h; B1 3c; found face up; resolve continue",
    "P1": f"{BURNED}; P1 Ac; found face up; resolve continue; burned 5c",
    "pa": f"{BURNED}; P1 2h; B1 ??",
    "B1": f"{BURNED}; P1 2h",
    "P2": f"{BURNED}; P1 2h; B1 2c",
    "B2": f"{BURNED}; P1 2h; B1 2c; P2 Kd",
    "P3": f"{BURNED}; P1 2h; B1 2c; P2 Kd; B2 Kh",
    "B3": f"{BURNED}; P1 7h; B1 2c; P2 Kd; B2 Kh",
    "re": f"{BURNED}; {COMPLETE}",
    "de": f"{BURNED}; {COMPLETE}; result player",
    "ab": f"{BURNED}; P1 2h; forced exit",
    "ac": f"{BURNED}; {COMPLETE}; forced exit",
    "su": f"{BURNED}; {COMPLETE}; P3 4h",
}
PHASES = {
    "cl": Phase.CLOSED,
    "b1": Phase.BURN_FIRST,
    "br": Phase.BURN_REST,
    "bu": Phase.BURN_UNCOUNTED,
    "bb": Phase.BOXED_BURN,
    "rb": Phase.REMEDY_BURN,
    "ru": Phase.REMEDY_BURN_UNCOUNTED,
    "cb": Phase.COUP_BURN,
    "bc": Phase.BETWEEN_COUPS,
    "nb": Phase.BETTING_CLOSED,
    "P1": Phase.PLAYER_1,
    "B1": Phase.BANKER_1,
    "P2": Phase.PLAYER_2,
    "B2": Phase.BANKER_2,
    "P3": Phase.PLAYER_3,
    "B3": Phase.BANKER_3,
    "re": Phase.RESULT,
    "de": Phase.DECLARED,
    "ab": Phase.ABANDONED,
    "ac": Phase.ABANDONED_COMPLETE,
    "pa": Phase.PARTIAL,
    "ov": Phase.SHOE_OVER,
    "su": Phase.SUSPENDED,
}
# A statement too long for the table.
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
    "FAIL": "JUDGING_FAILED",
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


def read_answers(text: str) -> dict[str, dict[str, str]]:
    """The answers of one table, by event and phase; none is missing."""
    (_, head), *rows = [line.split("|") for line in text.strip("\n").splitlines()]
    phases = head.split()
    return {event.strip(): dict(zip(phases, row.split(), strict=True)) for event, row in rows}


TABLES = Path(__file__).with_name("phase_event_pairs.txt").read_text("utf-8").split("\n\n")
BY_BOOK = [read_answers(text) for text in TABLES]
ANSWERS = {
    event: {phase: answer for one in BY_BOOK for phase, answer in one[event].items()}
    for event in BY_BOOK[0]
}


def parse_events(statements: str, state: TableState) -> list[StepInput]:
    """What the statements of a script say happened; unnumbered cards are counted from here on."""
    count, found = ShoeCount(), []
    for statement in parse(IN_FULL.get(statements, statements)):
        events, count = step_inputs(statement.body, count, due_place(state))
        found += events
    return found


def answer(before: TableState, result: Step) -> str:
    """What the table answers, in the words of phase_event_pairs.txt."""
    raised = [one.code.value for one in result.verdicts if isinstance(one, Irregularity)]
    refused = any(isinstance(effect, Refusal) for effect in result.effects)
    short = {code: word for word, code in CODES.items()}
    answer_text = "+".join(short.get(code, code) for code in raised)
    answer_text = answer_text or ("no" if refused else "ok" if result.verdicts else "done")
    was, now = before.suspension is not None, result.state.suspension is not None
    answer_text += "!" if now and not was else "~" if was and not now else ""
    due = result.state.play_phase
    same = due is before.play_phase
    return (
        answer_text
        if same
        else f"{answer_text}>{next(key for key, one in PHASES.items() if one is due)}"
    )
