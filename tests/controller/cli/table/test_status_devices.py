"""Lines of `status` about cards by place, the shuffler, its warnings, readers and scanners."""

import re

import pytest
from shown_tables import part, shown

from controller.cli.table.status_devices import (
    auxiliary_device_lines,
    batch_card_lines,
    describe_identity,
    shuffler_lines,
    warning_lines,
)
from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import status_block
from controller.custody.card_states import CardPlace
from controller.record.custody import disclosed_places
from controller.record.snapshot import Snapshot
from controller.record.snapshot_devices import IdentityView

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
