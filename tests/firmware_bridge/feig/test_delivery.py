"""Records delivered once more are known again, and only those.

Responsible for: every way in which a reading can overlap with what was given before.
Not responsible for: clearing (test_link) and whole runs (test_exactly_once).
Source: firmware_bridge README, "FEIG OBID", delivery.
"""

from dataclasses import replace

import pytest

from firmware_bridge.feig.delivery import Delivered, sift
from firmware_bridge.feig.items import BufferRecord
from firmware_bridge.feig.records import Record


def records(names: str, *, timed: bool = True) -> tuple[Record, ...]:
    return tuple(Record(BufferRecord(name.encode()), name.encode() * 8, timed) for name in names)


def names(given: tuple[Record, ...]) -> str:
    return "".join(record.item.identity.decode() for record in given)


def after(*readings: str, cleared: bool = False) -> Delivered:
    delivered = Delivered()
    for reading in readings:
        delivered = sift(delivered, records(reading)).delivered
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
def test_what_was_given_before_is_dropped(before: tuple[str, ...], reading: str, new: str) -> None:
    assert names(sift(after(*before), records(reading)).new) == new


def test_the_dropped_ones_are_counted() -> None:
    assert sift(after("abc"), records("bcd")).repeats == 2


def test_a_reading_waits_to_be_cleared() -> None:
    assert not sift(Delivered(), records("a")).delivered.cleared


def test_a_reading_of_nothing_changes_nothing() -> None:
    assert sift(after("abc", cleared=True), ()).delivered == after("abc", cleared=True)


def test_after_clearing_the_last_ones_are_still_known() -> None:
    assert names(sift(after("ab", cleared=True), records("b")).new) == ""


def test_after_clearing_a_record_without_time_is_a_new_one() -> None:
    reading = records("b", timed=False)

    assert names(sift(after("ab", cleared=True), reading).new) == "b"
    assert names(sift(after("ab"), reading).new) == ""


def test_once_cleared_and_something_new_came_the_old_ones_are_forgotten() -> None:
    delivered = sift(after("ab", cleared=True), records("cd")).delivered

    assert delivered.marks == b"c" * 8 + b"d" * 8


def test_what_is_kept_is_bounded() -> None:
    delivered = Delivered()
    for number in range(400):
        many = tuple(
            Record(BufferRecord(b""), index.to_bytes(8, "big"), timed=True)
            for index in range(number * 10, number * 10 + 20)
        )
        delivered = sift(delivered, many).delivered

    assert len(delivered.marks) == 2048 * 8
