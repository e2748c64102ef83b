"""The text of `status` and `resolve` for a snapshot."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from shown_tables import part, shown

from controller.archive.replay.recovery import recover
from controller.cli.table.status_tasks import CommandHints, irregularity_lines, resolve_commands
from controller.cli.table.status_text import conclusion_lines, status_block, watch_block
from controller.journal.store import open_read_only
from controller.outlets.control.answer_schema import (
    CommandResultAnswer,
    CommandSentAnswer,
    CoupCorrectedAnswer,
    ResolutionAnswer,
)
from controller.procedure.state import DecisionCount, StaffState
from controller.record.build import build_snapshot
from controller.record.people import people_view
from controller.record.snapshot import Health, Snapshot
from controller.record.snapshot_devices import AdvisoryView, PauseView, SealsView
from controller.rules.actions.actions import CorrectCoup
from controller.rules.advisory import AdvisoryKind, PersonEvidence, RuleEvidence, RuleName
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_clauses


def shown_of(folder: Path) -> Snapshot:
    """What a table would show that goes on from this journal."""
    with open_read_only(folder) as journal:
        recovered = recover(journal, load_clauses())
    assert recovered.run is not None
    assert recovered.state is not None
    return build_snapshot(recovered.run.core, recovered.state)


def test_status_shows_table_shoe_coup_and_what_is_due(three_coups: Path) -> None:
    block = status_block(shown_of(three_coups), CommandHints())

    assert "table      M7, pit 3, running, profile s42-mini, gaming day 2025-11-21" in block
    assert "1: 14 of 416 cards drawn, 402 left; coup 3" in block
    assert "Player 3, Banker 0, Tie 0, void 0, irregularities 0" in block
    assert "3: Player 9h Kc (9), Banker 2d 5s (7), player, natural" in block
    assert "due        the next coup" in block


def test_status_shows_a_listen_only_device(three_coups: Path) -> None:
    block = status_block(shown_of(three_coups), CommandHints())

    assert "angel-eye-ii-ex at /dev/ttyUSB0: online; listen-only" in block


@pytest.mark.parametrize(
    ("accounts", "words"),
    [(0, "no accounts are set up: who acts is not proved"), (2, "2 accounts")],
)
def test_status_says_who_deals_who_decided_and_whether_that_is_proved(
    three_coups: Path, accounts: int, words: str
) -> None:
    staff = StaffState(("Dee",), (), (DecisionCount("Ann Lee", "void-coup", 12),))
    table = replace(shown_of(three_coups), people=people_view(staff, accounts))

    lines = status_block(table, CommandHints()).splitlines()

    assert lines[-3:] == [
        f"people     {words}",
        "dealers    Dee",
        "decided    Ann Lee: void-coup 12",
    ]


def test_status_of_a_suspended_table_shows_what_is_open_with_clauses(suspended: Path) -> None:
    block = status_block(shown_of(suspended), CommandHints())

    assert "OPEN       1 OVERDRAW, coup 2: a card was drawn that no hand is due" in block
    assert "\n clauses   S42-h-4, " in block
    assert "\n permitted if nobody saw the card: hold it face down" in block
    assert "\n forbidden adding the card to either hand\n" in block


def test_status_of_a_suspended_table_shows_the_commands_that_decide(suspended: Path) -> None:
    lines = status_block(shown_of(suspended), CommandHints(("--config", "table.toml"))).splitlines()

    asked = lines.index("decide     nobody saw the card: it is held face down for the next hand")
    typed = "smartshoe resolve --config table.toml --by NAME --reason WHY --decision"
    assert lines[asked + 1] == f"             {typed} carry-card"
    assert f"             {typed} close-shoe" in lines
    assert "\n done      1 card drawn in error set aside\n" in "\n".join(lines)


def test_a_table_that_never_ran_has_no_shoe() -> None:
    table = shown(table="M7", health=Health.RUNNING)

    assert "shoe       none" in status_block(table, CommandHints())


def test_nothing_open_has_no_lines(three_coups: Path) -> None:
    assert irregularity_lines(shown_of(three_coups), CommandHints()) == []


def test_the_exact_commands_are_offered(suspended: Path) -> None:
    commands = resolve_commands(
        shown_of(suspended), CommandHints(("--config", "a b.toml"), "A. Floor")
    )

    words = "--by 'A. Floor' --reason WHY --decision burn-card"
    typed = f"smartshoe resolve --config 'a b.toml' {words}"
    assert typed in commands


def test_a_decision_is_offered_with_each_choice_that_permits_it() -> None:
    both = {"decision": "void-coup", "provisional": ["take-over", "void"]}
    one = {"decision": "continue", "provisional": ["void"]}
    table = shown(remedy={"decisions": [one, both]})

    commands = resolve_commands(table, CommandHints(("--socket", "s")))

    assert [command.split("--decision ")[1] for command in commands] == [
        "continue --provisional void",
        "void-coup --provisional take-over",
        "void-coup --provisional void",
    ]


def test_an_outcome_is_offered_for_each_hand_and_the_tie() -> None:
    table = shown(remedy={"decisions": [{"decision": "state-outcome"}]})

    commands = resolve_commands(table, CommandHints(("--socket", "s")))

    assert [command.split()[-1] for command in commands] == ["player", "banker", "tie"]


@pytest.mark.parametrize(
    ("cards", "words"),
    [(0, ""), (5, "; take-over: 5 cards in 2 coups dealt while suspended")],
)
def test_a_decision_is_confirmed_with_what_was_dealt_on(cards: int, words: str) -> None:
    dealt = {"coups": 2, "cards": cards}
    decided = part(
        ResolutionAnswer, closed=[1, 2], provisional="take-over", dealt_while_suspended=dealt
    )

    assert conclusion_lines((decided,)) == [f"closed irregularities: 1, 2{words}"]


def with_seals(folder: Path, **seals: object) -> Snapshot:
    return replace(shown_of(folder), seals=part(SealsView, **seals))


def test_status_shows_the_short_code_of_the_day(three_coups: Path) -> None:
    table = with_seals(three_coups, day="2025-11-21", code="ABCDE-FGHIJ-KLMNO-PQRST")
    block = status_block(table, CommandHints())
    assert block.endswith("seals      of 2025-11-21: code ABCDE-FGHIJ-KLMNO-PQRST")


def test_status_shows_problems_of_sealing_and_signing(three_coups: Path) -> None:
    table = with_seals(three_coups, problem="shoe 7 is not sealed: why", unsigned="no key")
    lines = status_block(table, CommandHints()).splitlines()
    assert lines[-2:] == ["UNSEALED   shoe 7 is not sealed: why", "UNSIGNED   no key"]


def test_status_shows_the_corrections_of_the_shoe(script, record) -> None:
    opening = ("53", "50", "44 C0 91", "44 D1 C7")
    coup = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
    table = script().begun().reported(*opening, *coup, *coup)
    table.acted(CorrectCoup(1, Outcome.BANKER, "S. Veil"))
    table.acted(CorrectCoup(2, Outcome.TIE, "S. Veil"))

    block = status_block(shown_of(record(table)), CommandHints())

    assert "corrected  coup 1 banker (was player), coup 2 tie (was player)" in block
    assert "2: Player 9h Kc (9), Banker 2d 5s (7), tie by correction, was player, natural" in block


def test_an_answer_says_what_a_corrected_coup_counts_as() -> None:
    answer = part(CoupCorrectedAnswer, coup=3, before="player", outcome="tie")

    assert conclusion_lines((answer,)) == ["coup 3 counts as tie, was player"]


def test_an_answer_says_which_command_was_sent_and_what_the_device_said() -> None:
    sent = CommandSentAnswer("lock the exit", "it is asked for")
    answered = CommandResultAnswer("lock the exit", "refused", "it has no lock")

    assert conclusion_lines((sent, answered)) == [
        "sent to the shoe: lock the exit",
        "the shoe: lock the exit refused, it has no lock",
    ]


def test_status_shows_advisories_with_the_person_they_are_about(three_coups: Path) -> None:
    of_person = PersonEvidence("person-1", "floorperson", 9, 40, 1, 300)
    of_order = RuleEvidence(RuleName.SORTED, 3, 5, 5)
    advisories = (
        AdvisoryView(AdvisoryKind.ORDER, 7, 8, "cards in order", 900, of_order),
        AdvisoryView(AdvisoryKind.PERSON, 7, 90, "often", 900, of_person),
    )
    table = replace(shown_of(three_coups), advisories=advisories)
    lines = status_block(table, CommandHints(), width=200).splitlines()
    assert [line for line in lines if line.startswith("advisory")] == [
        "advisory   order: cards in order; shoe 7, after card 8; an advisory, no verdict",
        "advisory   person: person-1: often; shoe 7, after card 90; an advisory, no verdict",
    ]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (AdvisoryKind.STALL_CUT, "no coup since the cut card was put in"),
        (AdvisoryKind.STALL_LAST, "no coup since the cut card came out"),
    ],
)
def test_status_shows_a_pause_since_when_and_how_long_it_may_be(
    three_coups: Path, kind: AdvisoryKind, words: str
) -> None:
    since_ns = 1_763_715_600 * 10**9
    table = replace(shown_of(three_coups), pause=PauseView(kind, since_ns, 5))
    at_ns = since_ns + 250 * 10**9
    since = "2025-11-21 09:00:00 UTC, 4 min 10 s ago"
    line = f"pause      {words}: {since}; an advisory after 5 minutes"
    assert line in status_block(table, CommandHints(), width=200, at_ns=at_ns).splitlines()
    assert line in watch_block(table, CommandHints(), width=200, height=99, at_ns=at_ns)
