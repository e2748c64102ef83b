"""The live view: what is on the screen in each situation, and that it fits."""

from dataclasses import replace
from io import StringIO

import pytest
from msgspec.structs import replace as replace_struct
from rich.console import Console
from shown_tables import shown as shown_table

from controller.procedure.effects import (
    CoupClosed,
    CoupCorrected,
    CoupRecord,
    ResolutionRecorded,
    ShoeOpened,
)
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.verdicts import Irregularity, PermittedDecision
from controller.rules.actions.choices import FloorDecision
from controller.rules.outcome import CoupFate, Outcome
from controller.rules.profiles.load import load_clauses, load_profile
from foundation.message import message
from hil.demo.card_glyphs import ASCII, UNICODE, Glyphs
from hil.demo.floor_view import shown_clauses
from hil.demo.follow import JournalEvent
from hil.demo.view import Scene, render

CLAUSES = shown_clauses(load_profile("s42-mini"), load_clauses())
SIZES = [(80, 24), (100, 32), (140, 45), (60, 22), (59, 24), (80, 21), (40, 12), (20, 5)]
OVERDRAWN = {
    "number": 3,
    "code": "OVERDRAW",
    "title": "a card was drawn that no hand is due",
    "clauses": ["S42-h-4", "S42-k-2-carry", "S42-k-2-burn"],
    "coup": 12,
    "suspends": True,
    "provisional": False,
    "permitted": ["let the coup end with the cards it is due", "burn it if it was seen"],
    "forbidden": ["adding the card to either hand", "paying any wager before the decision"],
}
SHOE = {
    "gaming_day": "2026-11-21",
    "number": 1,
    "cards_total": 416,
    "cards_drawn": 66,
    "coups_begun": 12,
    "player": 5,
    "banker": 4,
    "tie": 2,
    "void": 0,
    "irregularities": 0,
    "burn": ["7h", "10d"],
    "burn_owed": 0,
    "cut_card_seen": False,
    "last_coup_number": None,
    "ended": False,
}
DECISIONS = [{"decision": name} for name in ("carry-card", "burn-card", "void-coup", "close-shoe")]
TABLE: dict[str, object] = {
    "table": "DEMO-1",
    "profile": "s42-mini",
    "gaming_day": "2026-11-21",
    "phase": "banker_3",
    "due": "Banker's third card",
    "shoe": SHOE,
    "coup": {
        "number": 12,
        "player": {"cards": ["Kh", "3s", "10d"], "count": 3},
        "banker": {"cards": ["4c", "As"], "count": 5},
    },
    "last_coup": {
        "number": 11,
        "player": {"cards": ["8d", "Qc"], "count": 8},
        "banker": {"cards": ["7h", "7s"], "count": 4},
        "natural": True,
        "player_pair": False,
        "banker_pair": True,
        "outcome": "player",
        "fate": "counted",
    },
    "irregularities": [],
    "device": {"model": "angel-eye-ii-ex", "stage": "online"},
}
BETWEEN: dict[str, object] = {**TABLE, "phase": "between_coups", "due": "a coup", "coup": None}
SUSPENDED: dict[str, object] = {
    **TABLE,
    "phase": "suspended",
    "due": "a floorperson's decision",
    "irregularities": [OVERDRAWN],
    "suspension": {"resume_to": "banker_3"},
    "remedy": {"decisions": DECISIONS},
}
OPENED = ShoeOpened("2026-11-21", 1, 8, joined=False)


def closed(coup: int, outcome: Outcome | None) -> CoupClosed:
    fate = CoupFate.VOID if outcome is None else CoupFate.COUNTED
    return CoupClosed(
        CoupRecord(
            "2026-11-21", 1, coup, (), (), None, None, outcome, fate, suspended_cards=False,
            irregular=(),
        )
    )  # fmt: skip


_CONTINUE = (PermittedDecision(FloorDecision.CONTINUE),)


def raised(detail: str = "claimed for Player") -> Irregularity:
    code, clauses = IrregularityCode.OVERDRAW, ("S42-h-4",)
    return Irregularity(
        code, 3, 12, message("as_typed", typed=detail), clauses, _CONTINUE, suspends=True
    )


def scene(table: dict[str, object], *history: JournalEvent) -> Scene:
    return Scene(shown_table(**table), (OPENED, *history), 2, "seed 7   Ctrl-C stops")


def rendered(
    shown: Scene, width: int = 80, height: int = 24, glyphs: Glyphs = UNICODE
) -> list[str]:
    console = Console(file=StringIO(), width=width, height=height, color_system=None)
    console.print(render(shown, CLAUSES, glyphs, width, height), end="")
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().rstrip("\n").split("\n")


def test_a_coup_in_play() -> None:
    screen = "\n".join(rendered(scene(TABLE, closed(1, Outcome.BANKER), closed(2, None))))

    assert "DEMO-1  s42-mini  2026-11-21  shoe 1 of 2" in screen
    assert "angel-eye-ii-ex ● online" in screen
    assert "PLAYER  3" in screen
    assert "BANKER  5" in screen
    assert "│ 10  │" in screen
    assert "due  Banker's third card" in screen
    assert "last coup 11: Player, Player 8, Banker 4, natural, Banker pair" in screen
    assert "66 of 416 cards" in screen
    assert "Player 5   Banker 4   Tie 2   void 0   irregularities 0" in screen
    assert "burn 7♥ 10♦" in screen
    assert "│ B x " in screen
    assert "No irregularity so far." in screen
    assert "seed 7   Ctrl-C stops" in screen


CALLED = {**TABLE, "due_calls": ["announce: Player 3", "announce: Banker 5; draw"]}


def test_calls_that_are_due_have_a_line() -> None:
    screen = "\n".join(rendered(scene(CALLED), height=26))

    assert " now  announce: Player 3; announce: Banker 5; draw" in screen
    assert "last coup 11: " in screen


def test_on_a_low_terminal_calls_replace_the_last_coup() -> None:
    screen = "\n".join(rendered(scene(CALLED)))

    assert " now  announce: Player 3; announce: Banker 5; draw" in screen
    assert "last coup 11: " not in screen


def test_in_words_only_calls_come_before_the_due_card() -> None:
    screen = rendered(scene(CALLED), 78, 12)

    assert "due: announce: Player 3; announce: Banker 5; draw; Banker's third card" in screen


def test_undisclosed_cards_are_face_down() -> None:
    coup = {**TABLE["coup"], "player": {"cards": ["??", "??"]}}  # type: ignore[dict-item]
    screen = "\n".join(rendered(scene({**TABLE, "coup": coup})))

    assert "│░░░░░│" in screen
    assert "PLAYER ─" in screen


def test_a_finished_coup_shows_its_winner_and_calls() -> None:
    screen = "\n".join(rendered(scene(BETWEEN)))

    assert "PLAYER  8  wins" in screen
    assert "BANKER  4 " in screen
    assert "━ natural ━" in screen
    assert "─ pair ─" in screen


def test_a_tie_has_no_winner() -> None:
    last = {**BETWEEN["last_coup"], "outcome": "tie"}  # type: ignore[dict-item]
    screen = "\n".join(rendered(scene({**BETWEEN, "last_coup": last})))

    assert "PLAYER  8  tie" in screen
    assert "BANKER  4  tie" in screen
    assert "wins" not in screen


def test_a_void_coup_is_marked() -> None:
    last = {**BETWEEN["last_coup"], "outcome": None, "fate": "void", "player": {}}  # type: ignore[dict-item]
    screen = "\n".join(rendered(scene({**BETWEEN, "last_coup": last})))

    assert "PLAYER  void" in screen
    assert "last coup 11: void" in screen


def test_an_irregularity_is_shown_with_clauses_and_decision() -> None:
    screen = "\n".join(rendered(scene(SUSPENDED, raised()), 100, 34))

    assert " SUSPENDED  a floorperson's decision" in screen
    assert "━ OVERDRAW ━" in screen
    assert "coup 12    a card was drawn that no hand is due: claimed for Player" in screen
    assert "S42-h-4: Neither hand gets more than one extra card." in screen
    assert "S42-k-2-burn: If disclosed the burn procedure of (k)(1) applies." in screen
    assert "permitted  let the coup end with the cards it is due" in screen
    assert "forbidden  adding the card to either hand" in screen
    assert (
        "scripted floorperson: burn-card, the extra card was seen: its amount is burned" in screen
    )


REMEDY = {
    "decisions": DECISIONS,
    "done": ["1 card drawn in error set aside"],
    "owed": [
        {"step": "decision", "count": 1, "text": "a floorperson's decision"},
        {"step": "burn", "count": 6, "text": "burn 6 cards, face up, before the next hand"},
    ],
}


def test_a_remedy_shows_steps_done_and_owed() -> None:
    screen = "\n".join(rendered(scene({**SUSPENDED, "remedy": REMEDY}, raised()), 100, 36))

    assert "done       1 card drawn in error set aside" in screen
    assert "owed       burn 6 cards, face up, before the next hand" in screen


def test_owed_steps_are_above_past_decisions() -> None:
    screen = "\n".join(rendered(scene({**TABLE, "remedy": REMEDY}, raised())))

    assert "owed       burn 6 cards, face up, before the next hand" in screen
    assert "coup 12    OVERDRAW" in screen


def test_a_low_terminal_keeps_the_first_of_everything() -> None:
    screen = "\n".join(rendered(scene(SUSPENDED, raised())))

    for words in (
        "claimed for Player",
        "S42-h-4: ",
        "let the coup end",
        "adding the card",
        "burn-card",
    ):
        assert words in screen


def test_what_a_careless_dealer_deals_is_not_shown() -> None:
    coup = {
        **TABLE["coup"],  # type: ignore[dict-item]
        "player": {"cards": ["??"]},
        "banker": {},
        "provisional": True,
    }
    shown = replace(scene({**SUSPENDED, "coup": coup}, raised()), careless=True)
    screen = "\n".join(rendered(shown, 100, 36))

    assert "│░░░░░│" in screen
    assert "dealt while suspended  coup 12" in screen
    assert "The careless dealer deals on" in screen


def test_a_decided_irregularity_is_listed_with_its_decision() -> None:
    decided = ResolutionRecorded(
        "scripted floorperson", "demonstration: set aside", FloorDecision.CONTINUE, None, None, (3,)
    )
    screen = "\n".join(rendered(scene(TABLE, raised(), decided)))

    assert "coup 12    OVERDRAW  a card was drawn that no hand is due" in screen
    assert "S42-h-4: Neither hand gets more than one extra card." in screen
    assert "→ continue  scripted floorperson: set aside" in screen


@pytest.mark.parametrize("phase", ["burn_rest", "boxed_burn", "remedy_burn", "coup_burn"])
def test_the_burn_is_shown_card_by_card(phase: str) -> None:
    shoe = {**SHOE, "burn": ["3h", "Qs"], "burn_owed": 2}
    table = {**TABLE, "phase": phase, "due": "2 more burn cards", "shoe": shoe, "coup": None}
    screen = "\n".join(rendered(scene(table)))

    assert "BURN  2 of 4" in screen
    assert "│ Q   │" in screen
    assert "due  2 more burn cards" in screen


def test_the_last_hand_is_announced() -> None:
    shoe = {**SHOE, "cut_card_seen": True, "last_coup_number": 13}
    screen = "\n".join(rendered(scene({**TABLE, "shoe": shoe})))

    assert "cut card out, last hand is coup 13" in screen


def test_both_batches_are_shown_under_the_shoe() -> None:
    batches = [{"back": "red", "stage": "in_play"}, {"back": "blue", "stage": "shuffling"}]
    shuffler = {"batches": batches, "warnings": [{"number": 1}], "bare": True}
    lines = rendered(scene({**TABLE, "shuffler": shuffler}))

    line = next(one for one in lines if "shuffling" in one)
    assert "red in play   blue shuffling   1 warning   bare device" in line


def test_beads_run_down_the_plate_on_a_high_terminal() -> None:
    outcomes = [Outcome.PLAYER, Outcome.BANKER, Outcome.TIE] * 3
    history = [closed(number, outcome) for number, outcome in enumerate(outcomes, 1)]
    screen = rendered(scene(TABLE, *history), 100, 32)
    first = next(row for row, line in enumerate(screen) if line.startswith("│ P P "))

    assert [line[2:5] for line in screen[first : first + 6]] == [
        "P P", "B B", "T T", "P  ", "B  ", "T  ",
    ]  # fmt: skip


def test_a_corrected_coup_is_marked_on_the_plate(corrected_coup: CoupCorrected) -> None:
    correction = replace_struct(corrected_coup, coup=2)
    unseen = replace_struct(correction, coup=9)
    history = [closed(number, Outcome.PLAYER) for number in (1, 2)]
    screen = "\n".join(rendered(scene(TABLE, *history, correction, unseen)))

    assert "│ P T' " in screen


def test_the_view_before_the_first_shoe() -> None:
    screen = "\n".join(rendered(Scene(shown_table(), (), 1, "seed 7")))

    assert "no shoe" in screen


@pytest.mark.parametrize(
    "table", [TABLE, BETWEEN, SUSPENDED, CALLED], ids=["coup", "between", "held", "called"]
)
def test_it_fits_every_terminal(table: dict[str, object]) -> None:
    history = [closed(number, Outcome.PLAYER) for number in range(1, 90)]
    for width, height in SIZES:
        lines = rendered(scene(table, *history, raised()), width, height)

        assert len(lines) <= height, (width, height)
        assert max(map(len, lines)) <= width, (width, height)


def test_the_ascii_view_has_only_ascii() -> None:
    console = Console(file=StringIO(), width=80, height=24, color_system=None, safe_box=True)
    view = render(scene(SUSPENDED, raised()), CLAUSES, ASCII, 80, 24)
    console.print(view)
    assert isinstance(console.file, StringIO)
    frames = set("╭╮╰╯─│┏┓┗┛━┃╸╺")

    assert {sign for sign in console.file.getvalue() if not sign.isascii()} <= frames
