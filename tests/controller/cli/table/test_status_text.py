"""A snapshot in words: what status and resolve show."""

from pathlib import Path

from controller.cli.table.status_tasks import Typed, irregularity_lines, resolve_commands
from controller.cli.table.status_text import status_block
from controller.journal.store import open_read_only
from controller.profiles.load import load_clauses
from controller.replay.recovery import recover
from controller.views.snapshot import snapshot
from controller.views.snapshot_reader import Shown


def shown_of(folder: Path) -> Shown:
    """What a table would show that goes on from this journal."""
    with open_read_only(folder) as journal:
        recovered = recover(journal, load_clauses())
    assert recovered.run is not None
    assert recovered.state is not None
    return Shown(snapshot(recovered.run.core, recovered.state, "running", ""))


def test_a_status_tells_table_shoe_coup_and_what_is_due(three_coups: Path) -> None:
    block = status_block(shown_of(three_coups), Typed())

    assert "table      M7, pit 3, running, profile s42-mini, gaming day 2025-11-21" in block
    assert "1: 14 of 416 cards drawn, 402 left; coup 3" in block
    assert "Player 3, Banker 0, Tie 0, void 0, irregularities 0" in block
    assert "3: Player 9h Kc (9), Banker 2d 5s (7), player, natural" in block
    assert "due        the next coup" in block


def test_a_status_tells_the_device_and_that_it_is_only_listened_to(three_coups: Path) -> None:
    block = status_block(shown_of(three_coups), Typed())

    assert "angel-eye-ii-ex at /dev/ttyUSB0: online; it is only listened to" in block


def test_a_suspended_table_tells_what_is_open_with_clauses(suspended: Path) -> None:
    block = status_block(shown_of(suspended), Typed())

    assert "OPEN       1 OVERDRAW, coup 2: a card was drawn that no hand is due" in block
    assert "\n clauses   S42-h-4, " in block
    assert "\n permitted let the coup end with the cards it is due\n" in block
    assert "\n forbidden adding the card to either hand\n" in block


def test_a_suspended_table_tells_the_commands_that_decide(suspended: Path) -> None:
    lines = status_block(shown_of(suspended), Typed(("--config", "table.toml"))).splitlines()

    asked = lines.index(
        "decide     nobody saw the card: it is held face down as the next hand's first card"
    )
    typed = "smartshoe resolve --config table.toml --by NAME --reason WHY --decision"
    assert lines[asked + 1] == f"             {typed} carry-card"
    assert f"             {typed} close-shoe" in lines
    assert "\n done      1 card drawn in error set aside\n" in "\n".join(lines)


def test_a_table_that_never_ran_has_no_shoe() -> None:
    assert "shoe       none" in status_block(Shown({"table": "M7", "health": "running"}), Typed())


def test_nothing_open_has_no_lines(three_coups: Path) -> None:
    assert irregularity_lines(shown_of(three_coups), Typed()) == []


def test_the_exact_commands_are_offered(suspended: Path) -> None:
    commands = resolve_commands(shown_of(suspended), Typed(("--config", "a b.toml"), "A. Floor"))

    words = "--by 'A. Floor' --reason WHY --decision burn-card"
    typed = f"smartshoe resolve --config 'a b.toml' {words}"
    assert typed in commands


def test_cards_dealt_while_suspended_double_the_choice() -> None:
    table = Shown({"decisions": ["void-coup"], "provisional_needed": True})

    commands = resolve_commands(table, Typed(("--socket", "s")))

    assert [command.split("--decision ")[1] for command in commands] == [
        "void-coup --provisional take-over",
        "void-coup --provisional void",
    ]


def test_an_outcome_is_offered_for_each_hand_and_the_tie() -> None:
    table = Shown({"decisions": ["state-outcome"], "provisional_needed": False})

    commands = resolve_commands(table, Typed(("--socket", "s")))

    assert [command.split()[-1] for command in commands] == ["player", "banker", "tie"]


def with_seals(folder: Path, **seals: object) -> Shown:
    usual = {"problem": "", "unsigned": "", "day": "", "code": ""}
    return Shown({**shown_of(folder).values, "seals": {**usual, **seals}})


def test_a_status_tells_the_short_code_of_the_day(three_coups: Path) -> None:
    shown = with_seals(three_coups, day="2025-11-21", code="ABCDE-FGHIJ-KLMNO-PQRST")
    block = status_block(shown, Typed())
    assert block.endswith("seals      of 2025-11-21: code ABCDE-FGHIJ-KLMNO-PQRST")


def test_a_status_tells_what_is_not_sealed_and_why_nobody_signs(three_coups: Path) -> None:
    shown = with_seals(three_coups, problem="shoe 7 is not sealed: why", unsigned="no key")
    lines = status_block(shown, Typed()).splitlines()
    assert lines[-2:] == ["UNSEALED   shoe 7 is not sealed: why", "UNSIGNED   no key"]
