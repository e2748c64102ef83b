"""Lines of `status` about the shuffler: blocking warnings, the device, both batches."""

import pytest

from controller.cli.table.status_shuffler import describe_identity, shuffler_lines, warning_lines
from controller.cli.table.status_tasks import CommandHints
from controller.cli.table.status_text import status_block
from controller.views.snapshot_reader import SnapshotPart

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


def table(**more: object) -> SnapshotPart:
    return SnapshotPart({"shuffler": {**SHUFFLER, **more}})


def test_a_table_without_a_shuffler_has_no_lines() -> None:
    assert shuffler_lines(SnapshotPart({"shuffler": None})) == []
    assert warning_lines(SnapshotPart({"shuffler": None}), TYPED) == []


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
    shown = table(mode="sort", door_open=True, residual=16, commands_allowed=True)
    assert shuffler_lines(shown, width=200)[0] == (
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
    assert describe_identity(SnapshotPart({"identity": identity})).startswith(words)
