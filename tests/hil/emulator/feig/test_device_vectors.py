"""The emulated FEIG reader against the golden bytes that the link is held to as well."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.emulator.feig.device import FeigReader, FeigSettings, Way
from hil.emulator.feig.field import Transponder
from hil.emulator.feig.wire import (
    Moment,
    answer_frame,
    check,
    is_answer,
    old_data_sets,
    old_record,
    record,
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
    """A polled reader whose timer begins at the moment 0."""
    reader = FeigReader(FeigSettings(way=Way.POLLED, **more))
    reader.timer_ms(0)
    return reader


def asked(name: str, reader: FeigReader, at_ns: int = SECOND_NS) -> bytes:
    return reader.receive(request(name), at_ns)


def with_tags(*tags: Transponder, per_answer: int = 20) -> FeigReader:
    reader = started()
    reader.field.tags = tags
    reader.field.tags_per_answer = per_answer
    return reader


def blocks(count: int) -> bytes:
    reader = with_tags(Transponder(TAG, memory=b"AS-1SPD\0"))
    if count == 2:
        return asked("read 2 blocks from block 0, addressed", reader)
    beyond = bytes.fromhex("02 00 13 FF B0 23 01") + TAG + bytes((27, count))
    return reader.receive(beyond + check(beyond), 0)


def keep_alive() -> bytes:
    reader = FeigReader(FeigSettings(keep_alive_ns=1))
    reader.tick(0)
    return reader.tick(1)


def overflow_alone() -> bytes:
    reader = started(buffer_records=1)
    reader.tag_read(TAG, ISO15693, 1, FIRST_NS)
    asked("read 1 data set", reader)
    reader.tag_read(TAG, ISO15693, 1, FIRST_NS)
    asked("clear the data sets read last", reader)
    return asked("read 1 data set", reader)


def three_records() -> FeigReader:
    reader = started()
    for _ in range(3):
        reader.tag_read(TAG, ISO15693, 1, FIRST_NS)
    return reader


def tag_while_high() -> bytes:
    reader = started()
    reader.input_changed(1, 0, high=True)
    asked("read 1 data set", reader)
    asked("clear the data sets read last", reader)
    reader.tag_read(TAG, ISO15693, 1, FIRST_NS)
    return asked("read 1 data set", reader)


def fell() -> bytes:
    reader = started()
    reader.input_changed(1, 0, high=True)
    asked("read 1 data set", reader)
    asked("clear the data sets read last", reader)
    reader.input_changed(1, SECOND_NS, high=False)
    return asked("read 1 data set", reader)


def tag_and_rise() -> bytes:
    reader = started(records_per_frame=2)
    reader.tag_read(TAG, ISO15693, 1, FIRST_NS)
    reader.input_changed(1, SECOND_NS, high=True)
    reader.input_changed(1, SECOND_NS, high=False)
    return asked("read 255 data sets", reader)


def old_tags() -> bytes:
    moments = [
        Moment(tag, ISO15693, 1, at_ns // MS, 0, 0)
        for tag, at_ns in ((TAG, FIRST_NS), (SECOND_TAG, SECOND_NS))
    ]
    data = old_data_sets(tuple(old_record(one, 0x21) for one in moments), 0x21)
    return answer_frame(0, 0x21, 0, data, advanced=False)


def overflowed() -> bytes:
    moment = Moment(TAG, ISO15693, 1, FIRST_NS // MS, 0, 0)
    data = bytes.fromhex("21 00 01") + record(moment, 0x21)
    return answer_frame(0, 0x22, 0x93, data, advanced=True)


SPOKEN: dict[str, Callable[[], bytes]] = {
    "software version, standard": lambda: asked("software version, standard", started()),
    "software version, advanced": lambda: asked("software version, advanced", started()),
    "inventory of one ICODE SLIX, of a real tag": lambda: asked(
        "inventory, standard", with_tags(Transponder(TAG))
    ),
    "inventory of two tags, and there are more": lambda: asked(
        "inventory",
        with_tags(*map(Transponder, (TAG, SECOND_TAG, bytes(8))), per_answer=2),
    ),
    "no transponder": lambda: asked("inventory", started()),
    "two blocks of four bytes": lambda: blocks(2),
    "ISO 15693 error 10": lambda: blocks(3),
    "keep-alive": keep_alive,
    "system timer at 1 h 2 min 3.004 s": lambda: asked("system timer", started(), 3_723_004 * MS),
    "nothing in the buffer": lambda: asked("read 1 data set", started()),
    "buffer overflow without a record": overflow_alone,
    "cleared": lambda: asked("clear the data sets read last", started()),
    "a buffer of 600 with 3 data sets from the first on": lambda: asked(
        "buffer info", three_records()
    ),
    "a tag at antenna 1, input 1 high": tag_while_high,
    "input 1 fell, no tag": fell,
    "a tag, then input 1 rose; there is more": tag_and_rise,
    "a tag, and the buffer has overflowed": overflowed,
    "older command, two tags": old_tags,
}
# What this reader is never set up to record: a MAC address, data blocks, a date, other antennas.
NOT_SPOKEN = {
    "notification of one UHF tag, TIMER and MAC",
    "a tag with two blocks, TIMER, DATE and antenna 2",
    "blocks with the least significant byte first, no TIMER",
    "extended antenna, and two bytes for readers to come",
    "AFI and DSFID before the identity",
    "older command, one tag with two blocks at antenna 1",
}


@pytest.mark.parametrize("name", SPOKEN)
def test_the_reader_says_it_as_written(name: str) -> None:
    assert SPOKEN[name]().hex(" ").upper() == BY_NAME[name]["hex"]


def test_every_answer_of_the_file_is_said_or_named_as_left_out() -> None:
    assert set(BY_NAME) == set(SPOKEN) | NOT_SPOKEN


@pytest.mark.parametrize("vector", VECTORS["request"], ids=lambda vector: vector["name"])
def test_the_reader_understands_every_request(vector: dict[str, str]) -> None:
    reader = FeigReader(
        FeigSettings(address=0x12, way=Way.POLLED, old_command=vector["command"] == 0x21)
    )
    answer = reader.receive(bytes.fromhex(vector["hex"]), 0)
    at = 4 if vector["form"] == "advanced" else 2

    assert is_answer(answer)
    assert answer[at] == vector["command"]
    assert answer[at + 1] not in (0x80, 0x81)


@pytest.mark.parametrize("vector", VECTORS["damaged"], ids=lambda vector: vector["name"])
def test_what_is_damaged_is_no_frame(vector: dict[str, str]) -> None:
    assert not any(is_answer(part) for part in split_answers(bytes.fromhex(vector["hex"])))


def test_the_check_value() -> None:
    (checksum,) = VECTORS["checksum"]
    data = checksum["data"].encode("ascii")

    assert int.from_bytes(check(data), "little") == checksum["crc"]
