"""The text of `status` and `resolve` for a snapshot."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from shown_tables import part, shown

from controller.archive.replay.recovery import recover
from controller.cli.table.status_tasks import CommandHints, irregularity_lines, resolve_commands
from controller.cli.table.status_text import (
    auxiliary_device_lines,
    batch_card_lines,
    conclusion_lines,
    describe_identity,
    shuffler_lines,
    status_block,
    warning_lines,
    watch_block,
)
from controller.custody.card_states import CardPlace
from controller.journal.store import open_read_only
from controller.outlets.control.answer_schema import (
    CommandResultAnswer,
    CommandSentAnswer,
    CoupCorrectedAnswer,
    ResolutionAnswer,
)
from controller.procedure.state import DecisionCount, StaffState
from controller.record.build import build_snapshot
from controller.record.custody import disclosed_places
from controller.record.people import people_view
from controller.record.snapshot import Health, Snapshot
from controller.record.snapshot_devices import AdvisoryView, IdentityView, PauseView, SealsView
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


SINCE_NS = 1_763_715_600 * 10**9
TYPED = CommandHints(("--config", "table.toml"))
SHUFFLER = {
    "model": "tablelink",
    "port": "usb://1209:5a01/7",
    "stage": "online",
    "commands_allowed": False,
    "device": "5A01",
    "version": "1.4.0",
    "trusted": True,
    "mode": "play",
}
JAM = {
    "number": 4,
    "kind": "jam",
    "text": "cards are jammed in compartment 1",
    "since_ns": SINCE_NS,
    "active": False,
}
DOOR = {"number": 5, "kind": "broken_off", "text": "broken off", "since_ns": 0, "active": True}


def table(**more: object) -> Snapshot:
    return shown(shuffler={**SHUFFLER, **more})


def test_a_table_without_a_shuffler_has_no_lines() -> None:
    assert shuffler_lines(shown(shuffler=None)) == []
    assert warning_lines(shown(shuffler=None), TYPED) == []


def test_a_table_without_a_warning_has_no_lines_of_it() -> None:
    assert warning_lines(table(warnings=[]), TYPED) == []


def test_a_warning_has_its_age_and_its_command() -> None:
    at_ns = SINCE_NS + 185 * 10**9
    clear = "smartshoe act clear-warning number=4 --config table.toml --by NAME --reason WHY"
    assert warning_lines(table(warnings=[JAM]), TYPED, at_ns=at_ns) == [
        "WARNING    4 jam: cards are jammed in compartment 1",
        " since     2025-11-21 09:00:00 UTC, 3 min 05 s ago",
        f" clear     {clear}",
        "           until then no card may be drawn",
    ]


@pytest.mark.parametrize("at_ns", [0, SINCE_NS - 1])
def test_without_a_time_a_warning_has_no_age(at_ns) -> None:
    lines = warning_lines(table(warnings=[JAM]), TYPED, at_ns=at_ns)
    assert lines[1] == " since     2025-11-21 09:00:00 UTC"


def test_a_warning_whose_cause_lasts_offers_no_command() -> None:
    lines = warning_lines(table(warnings=[DOOR]), TYPED)
    assert lines[0] == "WARNING    5 broken off: broken off"
    assert lines[2] == " clear     only when its cause is gone; it is still present"


def test_warnings_come_before_what_the_table_is_about() -> None:
    block = status_block(table(warnings=[JAM]), TYPED)
    assert block.index("WARNING    4 jam") < block.index("shoe       none")
    assert block.index("shoe       none") < block.index("shuffler   tablelink at")


def test_the_device_is_shown_with_its_identity() -> None:
    assert shuffler_lines(table()) == [
        "shuffler   tablelink at usb://1209:5a01/7: online; play mode; listen-only",
        "           device 5A01 firmware 1.4.0, trusted",
    ]


def test_an_unproven_device_is_shown_as_not_trusted() -> None:
    assert shuffler_lines(table(trusted=False, stage="opened"))[1] == (
        "           NOT TRUSTED: it has not proven its identity, and its reports are ignored"
    )


def test_a_bare_device_is_shown_in_capitals() -> None:
    assert "BARE: it proves no identity" in shuffler_lines(table(bare=True))[1]


def test_block_reasons_are_shown() -> None:
    cleaning = table(mode="sort", door_open=True, residual=16, commands_allowed=True)
    assert shuffler_lines(cleaning, width=200)[0] == (
        "shuffler   tablelink at usb://1209:5a01/7: online; sort mode; a door is open;"
        " 16 cards left inside"
    )


def test_each_batch_is_shown_with_its_stage() -> None:
    shuffle = {"cycle": 31, "result": "good", "count": 416, "took_s": 313, "genuine": True}
    batches = [
        {"back": "red", "stage": "stored", "compartment": 1, "cards": 416, "shuffle": shuffle},
        {"back": "blue", "stage": "in_play", "by_hand": True},
        {"back": "green", "stage": "held", "cards": 415, "bars": ["short", "not_released"]},
    ]
    assert shuffler_lines(table(batches=batches), width=200)[2:] == [
        " red       stored, compartment 1; 416 cards; shuffle 31: good, 416 cards, 313 s",
        " blue      in play; shuffled by hand",
        (
            " green     held: it must be counted again; 415 cards;"
            " may NOT be dealt from: short, not released"
        ),
    ]


def test_a_shuffle_without_proof_is_shown_as_not_proven() -> None:
    shuffle = {"cycle": 31, "result": "count_differs", "count": 415, "took_s": 9, "genuine": False}
    batches = [{"back": "red", "stage": "held", "shuffle": shuffle}]
    line = shuffler_lines(table(batches=batches), width=200)[2]
    assert "shuffle 31: count differs, not proven, 415 cards, 9 s" in line


@pytest.mark.parametrize(
    ("identity", "words"),
    [
        (None, ""),
        ({"device": "5A01", "version": "2.0", "trusted": True}, "; device 5A01 firmware 2.0, tr"),
        ({"bare": True}, "; device without a name; BARE: it proves no identity"),
        ({"refused": "unknown key"}, "; REFUSED: unknown key: its reports are ignored"),
        ({}, "; NOT TRUSTED: it has not proven its identity"),
    ],
)
def test_the_identity_of_a_shoe_is_shown(identity, words) -> None:
    device = None if identity is None else part(IdentityView, **identity)
    assert describe_identity(device).startswith(words)


# --- cards, readers and scanners ------------------------------------------------------------------

RED = {
    "batch": "RED-0001",
    "back": "red",
    "in_play": True,
    "blocked": "",
    "cards": {"shoe": 390, "hands": 5, "aside": 1, "burn": 9, "discard_rack": 11},
}
BLUE = {
    "batch": "BLUE-0001",
    "back": "blue",
    "in_play": False,
    "blocked": "a damaged card was set apart: sun-bleached",
    "cards": {"carton": 415, "quarantine": 1},
}
TAGS = {"device": {"reads_tags": True}}


def custody(*batches: dict[str, object]) -> dict[str, object]:
    return {"custody": {"batches": list(batches), "unread": 0}, **TAGS}


def test_a_table_that_reads_no_tags_and_has_no_batch_has_no_lines() -> None:
    assert batch_card_lines(shown()) == []


def test_the_cards_of_each_batch_are_counted_by_place() -> None:
    assert batch_card_lines(shown(**custody(RED)), width=60) == [
        "cards      RED-0001 (red, in play): 390 in the shoe, 6 on",
        "           the table, 9 burned, 11 in the discard rack",
    ]


def test_every_card_place_has_a_text() -> None:
    places = [place for place, _ in disclosed_places((place, 1) for place in CardPlace)]
    batch = {"batch": "RED-1", "back": "red", "cards": dict.fromkeys(places, 1)}

    line = batch_card_lines(shown(custody={"batches": [batch]}), width=300)[0]
    assert sum(int(number) for number in re.findall(r" (\d+) ", line)) == len(places)


def test_a_blocked_batch_is_shown_with_its_reason() -> None:
    assert batch_card_lines(shown(**custody(BLUE)), width=200) == [
        "cards      BLUE-0001 (blue): 415 in the carton, 1 set apart",
        " blocked   BLUE-0001 may not be dealt from: a damaged card was set apart: sun-bleached",
    ]


def test_for_a_shoe_that_reads_tags_a_missing_batch_is_shown() -> None:
    lines = batch_card_lines(shown(**custody()))

    assert lines[0].startswith("cards      no batch is bound: every card is foreign until ")
    assert lines[1:] == ["           `smartshoe act bind-batch` names it"]


def named(number: int, batch: str, refused: str) -> dict[str, object]:
    return {"number": number, "batch": batch, "named_by": "D. Dealer", "refused": refused}


def test_a_refused_batch_is_shown() -> None:
    answers = [named(1, "GREEN-1", "batch GREEN-1: there is no such file"), named(2, "RED-1", "")]
    lines = batch_card_lines(shown(**custody(RED), batches_named=answers))

    assert lines[-1] == " refused   batch GREEN-1: there is no such file"


def test_the_last_answer_about_a_batch_counts() -> None:
    answers = [named(1, "RED-1", "batch RED-1: there is no such file"), named(2, "RED-1", "")]

    assert batch_card_lines(shown(batches_named=answers)) == []


def test_readers_and_scanners_are_shown_with_their_stage() -> None:
    rack = {"kind": "reader", "seat": "discard_rack", "model": "", "port": "/dev/a"}
    scanner = {"kind": "scanner", "seat": "", "model": "hid-pos", "port": "usbhid://0c2e:0b81"}
    beside = [{**rack, "stage": "online"}, {**scanner, "stage": "lost"}]

    assert auxiliary_device_lines(shown(beside=beside)) == [
        "reader     discard rack at /dev/a: online",
        "scanner    hid-pos at usbhid://0c2e:0b81: lost",
    ]


def test_a_shoe_alone_has_no_lines_of_other_devices() -> None:
    assert auxiliary_device_lines(shown(beside=[])) == []
