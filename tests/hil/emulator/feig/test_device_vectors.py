"""Tests the emulated FEIG reader against the golden bytes that the link is tested with."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.emulator.feig.device import Delivery, FeigReader, FeigSettings
from hil.emulator.feig.field import Transponder
from hil.emulator.feig.wire import (
    BufferRecord,
    answer_frame,
    crc16,
    encode_old_data_sets,
    encode_old_record,
    encode_record,
    is_answer,
    split_answers,
)

VECTORS = tomllib.loads(
    (Path(__file__).parents[3] / "vectors" / "feig.toml").read_text(encoding="utf-8")
)
BY_NAME = {vector["name"]: vector for kind in ("answer", "reading") for vector in VECTORS[kind]}
MS = 1_000_000
TAG, SECOND_TAG = bytes.fromhex("E0040150A05F02B7"), bytes.fromhex("E004010866C21D76")
ISO15693 = 0x03
# 0:01:54.464 and 0:01:54.768, the times of the records in the file.
FIRST_NS, SECOND_NS = 114_464 * MS, 114_768 * MS


def request(name: str) -> bytes:
    return bytes.fromhex(next(one["hex"] for one in VECTORS["request"] if one["name"] == name))


def started(**more: object) -> FeigReader:
    """A polled reader whose timer starts at time 0."""
    reader = FeigReader(FeigSettings(delivery=Delivery.POLLED, **more))
    reader.timer_ms(0)
    return reader


def answer_to(name: str, reader: FeigReader, at_ns: int = SECOND_NS) -> bytes:
    return reader.receive(request(name), at_ns)


def with_tags(*tags: Transponder, per_answer: int = 20) -> FeigReader:
    reader = started()
    reader.field.tags = tags
    reader.field.tags_per_answer = per_answer
    return reader


def blocks(count: int) -> bytes:
    reader = with_tags(Transponder(TAG, memory=b"AS-1SPD\0"))
    if count == 2:
        return answer_to("read 2 blocks from block 0, addressed", reader)
    beyond = bytes.fromhex("02 00 13 FF B0 23 01") + TAG + bytes((27, count))
    return reader.receive(beyond + crc16(beyond), 0)


def keep_alive() -> bytes:
    reader = FeigReader(FeigSettings(keep_alive_ns=1))
    reader.tick(0)
    return reader.tick(1)


def overflow_alone() -> bytes:
    reader = started(buffer_records=1)
    reader.tag_read(TAG, ISO15693, 1, FIRST_NS)
    answer_to("read 1 data set", reader)
    reader.tag_read(TAG, ISO15693, 1, FIRST_NS)
    answer_to("clear the data sets read last", reader)
    return answer_to("read 1 data set", reader)


def three_records() -> FeigReader:
    reader = started()
    for _ in range(3):
        reader.tag_read(TAG, ISO15693, 1, FIRST_NS)
    return reader


def tag_while_high() -> bytes:
    reader = started()
    reader.input_changed(1, 0, high=True)
    answer_to("read 1 data set", reader)
    answer_to("clear the data sets read last", reader)
    reader.tag_read(TAG, ISO15693, 1, FIRST_NS)
    return answer_to("read 1 data set", reader)


def fell() -> bytes:
    reader = started()
    reader.input_changed(1, 0, high=True)
    answer_to("read 1 data set", reader)
    answer_to("clear the data sets read last", reader)
    reader.input_changed(1, SECOND_NS, high=False)
    return answer_to("read 1 data set", reader)


def tag_and_rise() -> bytes:
    reader = started(records_per_frame=2)
    reader.tag_read(TAG, ISO15693, 1, FIRST_NS)
    reader.input_changed(1, SECOND_NS, high=True)
    reader.input_changed(1, SECOND_NS, high=False)
    return answer_to("read 255 data sets", reader)


def old_tags() -> bytes:
    moments = [
        BufferRecord(tag, ISO15693, 1, at_ns // MS, 0, 0)
        for tag, at_ns in ((TAG, FIRST_NS), (SECOND_TAG, SECOND_NS))
    ]
    data = encode_old_data_sets(tuple(encode_old_record(one, 0x21) for one in moments), 0x21)
    return answer_frame(0, 0x21, 0, data, advanced=False)


def overflowed() -> bytes:
    moment = BufferRecord(TAG, ISO15693, 1, FIRST_NS // MS, 0, 0)
    data = bytes.fromhex("21 00 01") + encode_record(moment, 0x21)
    return answer_frame(0, 0x22, 0x93, data, advanced=True)


SPOKEN: dict[str, Callable[[], bytes]] = {
    "software version, standard": lambda: answer_to("software version, standard", started()),
    "software version, advanced": lambda: answer_to("software version, advanced", started()),
    "inventory of one ICODE SLIX, of a real tag": lambda: answer_to(
        "inventory, standard", with_tags(Transponder(TAG))
    ),
    "inventory of two tags, and there are more": lambda: answer_to(
        "inventory",
        with_tags(*map(Transponder, (TAG, SECOND_TAG, bytes(8))), per_answer=2),
    ),
    "no transponder": lambda: answer_to("inventory", started()),
    "two blocks of four bytes": lambda: blocks(2),
    "ISO 15693 error 10": lambda: blocks(3),
    "keep-alive": keep_alive,
    "system timer at 1 h 2 min 3.004 s": lambda: answer_to(
        "system timer", started(), 3_723_004 * MS
    ),
    "nothing in the buffer": lambda: answer_to("read 1 data set", started()),
    "buffer overflow without a record": overflow_alone,
    "cleared": lambda: answer_to("clear the data sets read last", started()),
    "a buffer of 600 with 3 data sets from the first on": lambda: answer_to(
        "buffer info", three_records()
    ),
    "a tag at antenna 1, input 1 high": tag_while_high,
    "input 1 fell, no tag": fell,
    "a tag, then input 1 rose; there is more": tag_and_rise,
    "a tag, and the buffer has overflowed": overflowed,
    "older command, two tags": old_tags,
}
# Never recorded by this reader: a MAC address, data blocks, a date, other antennas.
NOT_SPOKEN = {
    "notification of one UHF tag, TIMER and MAC",
    "a tag with two blocks, TIMER, DATE and antenna 2",
    "blocks with the least significant byte first, no TIMER",
    "extended antenna, and two bytes for readers to come",
    "AFI and DSFID before the identity",
    "older command, one tag with two blocks at antenna 1",
}


@pytest.mark.parametrize("name", SPOKEN)
def test_the_reader_sends_the_golden_bytes(name: str) -> None:
    assert SPOKEN[name]().hex(" ").upper() == BY_NAME[name]["hex"]


def test_every_golden_answer_is_tested_or_listed_as_left_out() -> None:
    assert set(BY_NAME) == set(SPOKEN) | NOT_SPOKEN


@pytest.mark.parametrize("vector", VECTORS["request"], ids=lambda vector: vector["name"])
def test_the_reader_understands_every_request(vector: dict[str, str]) -> None:
    reader = FeigReader(
        FeigSettings(address=0x12, delivery=Delivery.POLLED, old_command=vector["command"] == 0x21)
    )
    answer = reader.receive(bytes.fromhex(vector["hex"]), 0)
    at = 4 if vector["form"] == "advanced" else 2

    assert is_answer(answer)
    assert answer[at] == vector["command"]
    assert answer[at + 1] not in (0x80, 0x81)


@pytest.mark.parametrize("vector", VECTORS["damaged"], ids=lambda vector: vector["name"])
def test_damaged_bytes_are_not_a_frame(vector: dict[str, str]) -> None:
    assert not any(is_answer(part) for part in split_answers(bytes.fromhex(vector["hex"])))


def test_the_check_value() -> None:
    (checksum,) = VECTORS["checksum"]
    data = checksum["data"].encode("ascii")

    assert int.from_bytes(crc16(data), "little") == checksum["crc"]
