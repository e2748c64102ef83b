"""Records of the buffer: golden bytes, malformed data, and the mark of a record.

Source: firmware_bridge README, "FEIG OBID", records.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.system.messages.catalogue import to_words
from firmware_bridge.feig.frames import AnswerFrame, FeigUnframed, feed
from firmware_bridge.feig.items import BufferRecord
from firmware_bridge.feig.messages import MalformedContent
from firmware_bridge.feig.records import (
    MARK_BYTES,
    DeliveredMarks,
    Record,
    deduplicate,
    parse_records,
)
from firmware_bridge.feig.settings import LAYOUT_NAMES, LAYOUTS
from firmware_bridge.link import LinkFaultKind


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


VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "feig.toml").read_text(encoding="utf-8")
)


def named(kind: str) -> list[Any]:
    return [pytest.param(vector, id=vector["name"]) for vector in VECTORS[kind]]


def answer_of(vector: dict[str, Any]) -> AnswerFrame:
    _, (frame,) = feed(FeigUnframed(), bytes.fromhex(vector["hex"]))
    assert isinstance(frame, AnswerFrame)
    return frame


def milliseconds(time: str) -> int:
    hours, minutes, seconds = time.split(":")
    whole, thousandths = seconds.split(".")
    return ((int(hours) * 60 + int(minutes)) * 60 + int(whole)) * 1000 + int(thousandths)


def record_of(given: dict[str, Any]) -> BufferRecord:
    return BufferRecord(
        identity=bytes.fromhex(given["identity_hex"]),
        tr_type=given.get("kind"),
        antenna=given.get("antenna"),
        inputs=given.get("inputs"),
        time_ms=milliseconds(given["time"]) if "time" in given else None,
        blocks=bytes.fromhex(given.get("blocks_hex", "")),
    )


def parsed(command: int, data: bytes, layout: str = "isc.mr102") -> tuple[Record, ...]:
    records = parse_records(command, data, LAYOUTS[layout])
    assert not isinstance(records, MalformedContent)
    return records


@pytest.mark.parametrize("vector", named("reading"))
def test_a_reading_gives_its_records(vector: dict[str, Any]) -> None:
    answer = answer_of(vector)
    records = parsed(answer.command, answer.data, vector["layout"])

    assert [one.item for one in records] == [record_of(one) for one in vector["record"]]


@pytest.mark.parametrize("vector", named("malformed"))
def test_a_malformed_reading_is_refused_as_a_whole(vector: dict[str, Any]) -> None:
    answer = answer_of(vector)

    assert isinstance(
        parse_records(answer.command, answer.data, LAYOUTS[vector["layout"]]), MalformedContent
    )


@pytest.mark.parametrize("vector", named("malformed"))
def test_the_reason_shows_none_of_the_bytes(vector: dict[str, Any]) -> None:
    answer = answer_of(vector)
    refused = parse_records(answer.command, answer.data, LAYOUTS[vector["layout"]])

    assert isinstance(refused, MalformedContent)
    assert not re.search(r"[0-9A-F]{2} ?[0-9A-F]{2}", to_words(refused.reason))


def test_a_long_identity_of_an_older_record_is_recognised_by_its_first_bits() -> None:
    long, short = bytes.fromhex("30" + "11" * 11), bytes.fromhex("40" + "22" * 7)
    records = parsed(0x21, b"\x01\x02\x06" + long + b"\x06" + short, "isc.lr200")

    assert [one.item.identity for one in records] == [long, short]


def test_direction_and_mac_are_skipped() -> None:
    body = bytes.fromhex("03 00 01 AA 1C 9B 07 09 57 37 01")
    (record,) = parsed(0x22, b"\x81\x22\x00\x01\x00" + bytes((2 + len(body),)) + body)

    assert record.item == BufferRecord(b"\xaa", tr_type=3)


# --- the mark ------------------------------------------------------------------------------------


def one_record(time: str = "00 01 D4 C0", antenna: str = "01", inputs: str = "00 00") -> Record:
    body = bytes.fromhex(f"03 00 08 E0040150A05F02B7 {time} {antenna} {inputs}")
    (record,) = parsed(0x22, b"\xb1\x01\x00\x01\x00" + bytes((2 + len(body),)) + body)
    return record


def test_the_same_record_has_the_same_mark() -> None:
    assert one_record().mark == one_record().mark
    assert len(one_record().mark) == MARK_BYTES


def test_an_added_antenna_does_not_change_the_mark() -> None:
    assert one_record(antenna="01").mark == one_record(antenna="03").mark


@pytest.mark.parametrize("other", [{"time": "00 01 D4 C1"}, {"inputs": "01 01"}])
def test_another_time_or_input_changes_the_mark(other: dict[str, str]) -> None:
    assert one_record().mark != one_record(**other).mark


def test_a_record_without_a_time_is_not_timed() -> None:
    (record,) = parsed(0x22, bytes.fromhex("01 00 01 00 06 03 00 01 AA"))

    assert not record.timed
    assert one_record().timed


# --- tag statistics ------------------------------------------------------------------------------

# Seven bytes, as a reader counts: the order of this field and those behind ANT is not published.
STATISTICS = "00 05 00 00 00 00 2A"


def with_statistics(selected: int, *fields: str) -> bytes:
    """A reading of one record that also has these fields, in this order."""
    body = bytes.fromhex(" ".join(("03 00 08 E0040150A05F02B7 00 01 D4 C0 01", *fields)))
    head = bytes((0xB1, 0x08 | selected, 0, 1)) + (2 + len(body)).to_bytes(2, "big")
    return head + body


@pytest.mark.parametrize(
    ("selected", "field"),
    [
        (0x01, "01 01"),
        (0x02, "02 00 5E 10 00 01"),
        (0x10, "01 01 00 00 00 00 00"),
        (0x20, "01"),
        (0x21, "01 01 01"),
    ],
    ids=["inputs", "MAC", "antennas", "direction", "inputs and direction"],
)
@pytest.mark.parametrize("statistics_first", [True, False])
def test_tag_statistics_beside_another_field_are_not_guessed_at(
    selected: int, field: str, *, statistics_first: bool
) -> None:
    fields = (STATISTICS, field) if statistics_first else (field, STATISTICS)
    refused = parse_records(0x22, with_statistics(selected, *fields), LAYOUTS["isc.mr102"])

    assert isinstance(refused, MalformedContent)
    assert refused.kind is LinkFaultKind.CONFIGURATION
    assert "switch tag statistics off in the reader" in to_words(refused.reason)


def test_tag_statistics_alone_are_the_last_of_a_record() -> None:
    (record,) = parsed(0x22, with_statistics(0, STATISTICS))

    assert record.item.identity == bytes.fromhex("E0040150A05F02B7")
    assert record.item.antenna == 1


# --- large spaces --------------------------------------------------------------------------------


@given(
    st.sampled_from([0x21, 0x22]),
    st.sampled_from(LAYOUT_NAMES),
    st.one_of(
        st.binary(max_size=60),
        st.binary(max_size=60).map(lambda rest: b"\xb1\x01\x00\x02" + rest),
    ),
)
def test_no_bytes_raise(command: int, layout: str, data: bytes) -> None:
    parsed_or_not = parse_records(command, data, LAYOUTS[layout])

    assert isinstance(parsed_or_not, tuple | MalformedContent)
