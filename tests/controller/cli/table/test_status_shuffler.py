"""The shuffler in words: what stops the next card and what to type, the device, both batches."""

import pytest

from controller.cli.table.status_shuffler import identity_words, shuffler_lines, warning_lines
from controller.cli.table.status_tasks import Typed
from controller.cli.table.status_text import status_block
from controller.views.snapshot_reader import Shown

SINCE_NS = 1_763_715_600 * 10**9
TYPED = Typed(("--config", "table.toml"))
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


def table(**more: object) -> Shown:
    return Shown({"shuffler": {**SHUFFLER, **more}})


def test_a_table_without_a_shuffler_has_no_lines() -> None:
    assert shuffler_lines(Shown({"shuffler": None})) == []
    assert warning_lines(Shown({"shuffler": None}), TYPED) == []


def test_a_table_without_a_warning_has_no_lines_of_it() -> None:
    assert warning_lines(table(warnings=[]), TYPED) == []


def test_a_warning_tells_how_long_it_waits_and_what_to_type() -> None:
    at_ns = SINCE_NS + 185 * 10**9
    clear = "smartshoe act clear-warning number=4 --config table.toml --by NAME --reason WHY"
    assert warning_lines(table(warnings=[JAM]), TYPED, at_ns=at_ns) == [
        "WARNING    4 jam: cards are jammed in compartment 1",
        " since     2025-11-21 09:00:00 UTC, 3 min 05 s ago",
        f" clear     {clear}",
        "           no next card may be drawn before",
    ]


@pytest.mark.parametrize("at_ns", [0, SINCE_NS - 1])
def test_without_a_clock_nobody_says_how_long_ago(at_ns) -> None:
    lines = warning_lines(table(warnings=[JAM]), TYPED, at_ns=at_ns)
    assert lines[1] == " since     2025-11-21 09:00:00 UTC"


def test_a_warning_whose_cause_lasts_offers_no_command() -> None:
    lines = warning_lines(table(warnings=[DOOR]), TYPED)
    assert lines[0] == "WARNING    5 broken off: broken off"
    assert lines[2] == " clear     not before its cause is gone: it is still so"


def test_warnings_come_before_what_the_table_is_about() -> None:
    block = status_block(table(warnings=[JAM]), TYPED)
    assert block.index("WARNING    4 jam") < block.index("shoe       none")
    assert block.index("shoe       none") < block.index("shuffler   tablelink at")


def test_the_device_is_told_with_who_it_is() -> None:
    assert shuffler_lines(table()) == [
        "shuffler   tablelink at usb://1209:5a01/7: online; play mode; it is only listened to",
        "           device 5A01 firmware 1.4.0, trusted",
    ]


def test_a_device_that_proved_nothing_is_told_to_count_for_nothing() -> None:
    assert shuffler_lines(table(trusted=False, stage="opened"))[1] == (
        "           NOT TRUSTED: it has not proven who it is, and nothing it tells counts"
    )


def test_a_bare_device_is_told_loudly() -> None:
    assert "BARE: it proves nothing of itself" in shuffler_lines(table(bare=True))[1]


def test_what_keeps_it_from_play_is_told() -> None:
    told = table(mode="sort", door_open=True, residual=16, commands_allowed=True)
    assert shuffler_lines(told, width=200)[0] == (
        "shuffler   tablelink at usb://1209:5a01/7: online; sort mode; a door is open;"
        " 16 cards left inside"
    )


def test_each_batch_is_told_where_it_stands() -> None:
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
            " green     held: it begins anew by counting; 415 cards;"
            " may NOT be dealt from: short, not released"
        ),
    ]


def test_a_shuffle_without_its_proof_is_told_to_be_one() -> None:
    shuffle = {"cycle": 31, "result": "count_differs", "count": 415, "took_s": 9, "genuine": False}
    batches = [{"back": "red", "stage": "held", "shuffle": shuffle}]
    line = shuffler_lines(table(batches=batches), width=200)[2]
    assert "shuffle 31: count differs, not proven, 415 cards, 9 s" in line


@pytest.mark.parametrize(
    ("identity", "words"),
    [
        (None, ""),
        ({"device": "5A01", "version": "2.0", "trusted": True}, "; device 5A01 firmware 2.0, tr"),
        ({"bare": True}, "; device without a name; BARE: it proves nothing of itself"),
        ({"refused": "unknown key"}, "; REFUSED: unknown key: nothing it tells is taken"),
        ({}, "; NOT TRUSTED: it has not proven who it is"),
    ],
)
def test_a_shoe_with_an_identity_says_who_it_is(identity, words) -> None:
    assert identity_words(Shown({"identity": identity})).startswith(words)
