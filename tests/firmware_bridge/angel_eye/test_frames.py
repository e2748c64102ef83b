"""Frames of the Angel Eye II-EX: golden bytes, fragmentation, damage and garbage."""

import time
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.angel_eye.frames import (
    FRAME_BYTES_MAX,
    AckFrame,
    AngelEyeFrame,
    BccReading,
    NakCode,
    NakFrame,
    ReadReplyFrame,
    ReportFrame,
    encode_command,
    feed,
)
from firmware_bridge.link import LinkFault, LinkFaultKind, Unframed

VECTORS: dict[str, list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "angel_eye.toml").read_text(encoding="utf-8")
)
REPORTS = [
    (bytes.fromhex(v["hex"]), ReportFrame(v["seq"], bytes.fromhex(v["data_hex"])))
    for v in VECTORS["report"]
]
REPORT_NAMES = [v["name"] for v in VECTORS["report"]]
STAND_BY = bytes.fromhex("05 31 50 03 36 32")
STAND_BY_FRAME = ReportFrame("1", b"P")
PENDING_MAX = FRAME_BYTES_MAX + 3


def all_at_once(
    data: bytes, reading: BccReading = BccReading.STX_COUNTED
) -> tuple[AngelEyeFrame | LinkFault, ...]:
    return feed(Unframed(), data, reading)[1]


def in_chunks(chunks: list[bytes]) -> tuple[AngelEyeFrame | LinkFault, ...]:
    unframed, found = Unframed(), []
    for chunk in chunks:
        unframed, some = feed(unframed, chunk)
        assert len(unframed.pending) <= PENDING_MAX
        found.extend(some)
    return tuple(found)


def kinds(found: tuple[AngelEyeFrame | LinkFault, ...]) -> list[LinkFaultKind]:
    return [one.kind for one in found if isinstance(one, LinkFault)]


@pytest.mark.parametrize(("data", "report"), REPORTS, ids=REPORT_NAMES)
def test_golden_report(data: bytes, report: ReportFrame) -> None:
    assert all_at_once(data) == (report,)


@pytest.mark.parametrize(("data", "report"), REPORTS, ids=REPORT_NAMES)
def test_golden_report_cut_anywhere(data: bytes, report: ReportFrame) -> None:
    for cut in range(len(data) + 1):
        assert in_chunks([data[:cut], data[cut:]]) == (report,)


def test_golden_reports_joined_and_byte_by_byte() -> None:
    stream = b"".join(data for data, _report in REPORTS)
    due = tuple(report for _data, report in REPORTS)

    assert all_at_once(stream) == due
    assert in_chunks([stream[at : at + 1] for at in range(len(stream))]) == due


@pytest.mark.parametrize(("data", "report"), REPORTS, ids=REPORT_NAMES)
def test_every_single_bit_flip_is_detected_and_the_next_report_is_received(
    data: bytes, report: ReportFrame
) -> None:
    for bit in range(8 * len(data)):
        bent = bytearray(data)
        bent[bit // 8] ^= 1 << (bit % 8)
        found = all_at_once(bytes(bent) + STAND_BY)
        assert found[-1] == STAND_BY_FRAME
        assert kinds(found)
        assert [one for one in found if isinstance(one, ReportFrame)] == [STAND_BY_FRAME]


@pytest.mark.parametrize("vector", VECTORS["damaged"], ids=[v["name"] for v in VECTORS["damaged"]])
def test_damaged_bytes_give_one_fault(vector: dict[str, str]) -> None:
    data = bytes.fromhex(vector["hex"])

    assert kinds(all_at_once(data)) == [vector["fault"]]
    assert all_at_once(data + STAND_BY)[-1] == STAND_BY_FRAME


@pytest.mark.parametrize(
    "vector", VECTORS["command"], ids=lambda v: f"{v['name']}, {v['bcc_reading']}"
)
def test_golden_command(vector: dict[str, str]) -> None:
    reading = BccReading(vector["bcc_reading"])

    assert encode_command(vector["type"], vector["data"], reading) == bytes.fromhex(vector["hex"])


def test_the_published_lock_command() -> None:
    published = bytes.fromhex("02 4F 50 4C 4B 30 32 03 31 42")

    assert encode_command("LK", "02", BccReading.STX_COUNTED) == published


def frame_of(vector: dict[str, str]) -> AngelEyeFrame:
    match vector["kind"]:
        case "ack":
            return AckFrame()
        case "nak":
            return NakFrame(NakCode(int(vector["code_hex"], 16)))
        case _:
            return ReadReplyFrame(bytes.fromhex(vector["data_hex"]))


@pytest.mark.parametrize("vector", VECTORS["answer"], ids=lambda v: v["name"])
def test_golden_answer_cut_anywhere(vector: dict[str, str]) -> None:
    data = bytes.fromhex(vector["hex"])
    reading = BccReading(vector.get("bcc_reading", "stx_counted"))
    for cut in range(len(data) + 1):
        unframed, early = feed(Unframed(), data[:cut], reading)
        _unframed, late = feed(unframed, data[cut:], reading)
        assert (*early, *late) == (frame_of(vector),)


def test_a_read_reply_in_the_other_bcc_reading_is_a_bad_checksum() -> None:
    reply = bytes.fromhex(next(v["hex"] for v in VECTORS["answer"] if v["kind"] == "read_reply"))

    assert kinds(all_at_once(reply, BccReading.STX_NOT_COUNTED)) == [LinkFaultKind.BAD_CHECKSUM]


def test_every_code_after_nak() -> None:
    for code in range(256):
        found = all_at_once(bytes((0x15, code)) + STAND_BY)
        known = code in set(NakCode)
        assert (
            (NakFrame(NakCode(code)) in found) if known else (LinkFaultKind.NOISE in kinds(found))
        )
        assert found[-1] == STAND_BY_FRAME


def test_a_nak_waits_for_its_code() -> None:
    assert feed(Unframed(), b"\x15") == (Unframed(b"\x15"), ())


def test_a_run_of_noise_is_one_fault_in_any_fragmentation() -> None:
    noise = bytes(range(0x40, 0x80)) * 3

    assert kinds(in_chunks([noise[at : at + 1] for at in range(len(noise))])) == ["noise"]
    assert kinds(all_at_once(noise + STAND_BY + noise)) == ["noise", "noise"]


def test_128_bytes_may_come_before_etx_and_not_one_more() -> None:
    body = b"0D" + b"\x81" * (FRAME_BYTES_MAX - 3)
    # SEQ 30, code 44, an odd number of 81, ETX 03: XOR F6.
    assert all_at_once(b"\x05" + body + b"\x03F6") == (ReportFrame("0", body[1:]),)
    assert kinds(all_at_once(b"\x05" + body + b"\x81\x03F6")) == ["no_end"]


@given(st.binary(max_size=400))
def test_a_report_after_any_garbage_is_received(garbage: bytes) -> None:
    found = all_at_once(garbage + STAND_BY)

    assert found[-1] == STAND_BY_FRAME


NASTY = st.lists(
    st.one_of(
        st.sampled_from([b"\x02", b"\x03", b"\x05", b"\x06", b"\x15", b"0", b"A", b"a", b"\x81"]),
        st.sampled_from([data for data, _report in REPORTS]),
        st.binary(max_size=20),
        st.just(b"\x80" * 140),
    ),
    max_size=30,
).map(b"".join)


@settings(max_examples=300)
@given(NASTY, st.data())
def test_fragmentation_changes_nothing(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    edges = [0, *cuts, len(stream)]
    chunks = [stream[a:b] for a, b in pairwise(edges)]

    assert in_chunks(chunks) == all_at_once(stream)


@pytest.mark.parametrize("start", [b"\xff", b"\x05", b"\x02", b"\x15", b"\x05\x30"])
def test_long_garbage_takes_linear_time(start: bytes) -> None:
    def cpu_seconds(size: int) -> float:
        garbage = start * (size // len(start))
        began = time.process_time()
        in_chunks([garbage])
        in_chunks([garbage[at : at + 1] for at in range(len(garbage) // 8)])
        return time.process_time() - began

    few = min(cpu_seconds(20_000) for _ in range(3))
    # Ten times the bytes: linear is 10, quadratic 100.
    assert cpu_seconds(200_000) < 40 * few
