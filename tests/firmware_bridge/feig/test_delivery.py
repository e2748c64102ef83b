"""Repeated buffer records are recognised: every overlap of a reading with earlier records.

Source: firmware_bridge README, "FEIG OBID", delivery.
"""

import pytest
from msgspec.structs import replace

from firmware_bridge.feig.delivery import DeliveredMarks, deduplicate
from firmware_bridge.feig.items import BufferRecord
from firmware_bridge.feig.records import Record


def records(names: str, *, timed: bool = True) -> tuple[Record, ...]:
    return tuple(Record(BufferRecord(name.encode()), name.encode() * 8, timed) for name in names)


def names(given: tuple[Record, ...]) -> str:
    return "".join(record.item.identity.decode() for record in given)


def after(*readings: str, cleared: bool = False) -> DeliveredMarks:
    delivered = DeliveredMarks()
    for reading in readings:
        delivered = deduplicate(delivered, records(reading)).delivered
    return replace(delivered, cleared=cleared)


@pytest.mark.parametrize(
    ("before", "reading", "new"),
    [
        (("abc",), "abc", ""),
        (("abc",), "abcde", "de"),
        (("abc",), "ab", ""),
        (("abc",), "bcd", "d"),
        (("abc",), "c", ""),
        (("abc",), "d", "d"),
        (("abc",), "dab", "dab"),
        (("abc",), "", ""),
        (("ab", "abcd"), "abcde", "e"),
        (("ab", "abcd"), "cde", "e"),
        (("ab", "cd"), "cde", "e"),
        ((), "ab", "ab"),
    ],
)
def test_repeated_records_are_dropped(before: tuple[str, ...], reading: str, new: str) -> None:
    assert names(deduplicate(after(*before), records(reading)).new) == new


def test_repeated_records_are_counted() -> None:
    assert deduplicate(after("abc"), records("bcd")).repeats == 2


def test_a_reading_waits_to_be_cleared() -> None:
    assert not deduplicate(DeliveredMarks(), records("a")).delivered.cleared


def test_an_empty_reading_changes_nothing() -> None:
    assert deduplicate(after("abc", cleared=True), ()).delivered == after("abc", cleared=True)


def test_after_clearing_the_last_records_are_still_recognised() -> None:
    assert names(deduplicate(after("ab", cleared=True), records("b")).new) == ""


def test_after_clearing_a_record_without_time_is_a_new_one() -> None:
    reading = records("b", timed=False)

    assert names(deduplicate(after("ab", cleared=True), reading).new) == "b"
    assert names(deduplicate(after("ab"), reading).new) == ""


def test_new_records_after_a_clearing_replace_the_old_marks() -> None:
    delivered = deduplicate(after("ab", cleared=True), records("cd")).delivered

    assert delivered.marks == b"c" * 8 + b"d" * 8


def test_the_remembered_marks_are_bounded() -> None:
    delivered = DeliveredMarks()
    for number in range(400):
        many = tuple(
            Record(BufferRecord(b""), index.to_bytes(8, "big"), timed=True)
            for index in range(number * 10, number * 10 + 20)
        )
        delivered = deduplicate(delivered, many).delivered

    assert len(delivered.marks) == 2048 * 8
