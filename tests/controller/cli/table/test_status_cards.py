"""Lines of `status` about cards by place, readers and scanners."""

import re

from controller.cli.table.status_cards import auxiliary_device_lines, batch_card_lines
from controller.custody.card_states import CardPlace
from controller.views.custody import disclosed_places
from controller.views.snapshot_reader import SnapshotPart

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
    table = {"custody": {"batches": [], "unread": 0}, "device": {"reads_tags": False}}

    assert batch_card_lines(SnapshotPart(table)) == []


def test_a_table_before_its_first_state_has_no_lines() -> None:
    assert batch_card_lines(SnapshotPart({})) == []


def test_the_cards_of_each_batch_are_counted_by_place() -> None:
    assert batch_card_lines(SnapshotPart(custody(RED)), width=60) == [
        "cards      RED-0001 (red, in play): 390 in the shoe, 6 on",
        "           the table, 9 burned, 11 in the discard rack",
    ]


def test_every_card_place_has_a_text() -> None:
    places = [place for place, _ in disclosed_places((place, 1) for place in CardPlace)]
    batch = {"batch": "RED-1", "back": "red", "cards": dict.fromkeys(places, 1)}

    line = batch_card_lines(SnapshotPart({"custody": {"batches": [batch]}}), width=300)[0]
    assert sum(int(number) for number in re.findall(r" (\d+) ", line)) == len(places)


def test_a_blocked_batch_is_shown_with_its_reason() -> None:
    assert batch_card_lines(SnapshotPart(custody(BLUE)), width=200) == [
        "cards      BLUE-0001 (blue): 415 in the carton, 1 set apart",
        " blocked   BLUE-0001 may not be dealt from: a damaged card was set apart: sun-bleached",
    ]


def test_for_a_shoe_that_reads_tags_a_missing_batch_is_shown() -> None:
    lines = batch_card_lines(SnapshotPart(custody()))

    assert lines[0].startswith("cards      no batch is bound: every card is foreign until ")
    assert lines[1:] == ["           `smartshoe act bind-batch` names it"]


def named(number: int, batch: str, refused: str) -> dict[str, object]:
    return {"number": number, "batch": batch, "named_by": "D. Dealer", "refused": refused}


def test_a_refused_batch_is_shown() -> None:
    answers = [named(1, "GREEN-1", "batch GREEN-1: there is no such file"), named(2, "RED-1", "")]
    lines = batch_card_lines(SnapshotPart({**custody(RED), "batches_named": answers}))

    assert lines[-1] == " refused   batch GREEN-1: there is no such file"


def test_the_last_answer_about_a_batch_counts() -> None:
    answers = [named(1, "RED-1", "batch RED-1: there is no such file"), named(2, "RED-1", "")]

    assert (
        batch_card_lines(SnapshotPart({"custody": {"batches": []}, "batches_named": answers})) == []
    )


def test_readers_and_scanners_are_shown_with_their_stage() -> None:
    rack = {"kind": "reader", "seat": "discard_rack", "model": "", "port": "/dev/a"}
    scanner = {"kind": "scanner", "seat": "", "model": "hid-pos", "port": "usbhid://0c2e:0b81"}
    beside = [{**rack, "stage": "online"}, {**scanner, "stage": "lost"}]

    assert auxiliary_device_lines(SnapshotPart({"beside": beside})) == [
        "reader     discard rack at /dev/a: online",
        "scanner    hid-pos at usbhid://0c2e:0b81: lost",
    ]


def test_a_shoe_alone_has_no_lines_of_other_devices() -> None:
    assert auxiliary_device_lines(SnapshotPart({"beside": []})) == []
