"""Reports of a HID POS scanner: golden, damaged and arbitrary bytes."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.system.messages.catalogue import to_words
from firmware_bridge.hid_pos.reports import (
    CUT_OFF,
    REPORT_BYTES,
    HidPosRequest,
    MalformedReport,
    ScanReport,
    encode,
    feed,
)
from firmware_bridge.link import LinkFault

VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "hid_pos.toml").read_text(encoding="utf-8")
)


def whole(report: dict[str, str]) -> bytes:
    data, tail = bytes.fromhex(report["hex"]), bytes.fromhex(report.get("tail", ""))
    return data.ljust(REPORT_BYTES - len(tail), b"\x00") + tail


PACK = whole(VECTORS["scan"][2]["reports"][0])


@pytest.mark.parametrize("scan", VECTORS["scan"], ids=lambda scan: scan["name"])
def test_the_reports_of_a_scan_hold_its_text(scan: dict[str, Any]) -> None:
    _pending, found = feed(b"", b"".join(map(whole, scan["reports"])))

    reports = [one for one in found if isinstance(one, ScanReport)]
    assert len(reports) == len(scan["reports"])
    assert b"".join(one.text for one in reports) == scan["text"].encode()
    assert {(one.aim, one.symbology) for one in reports} == {(scan["aim"], scan.get("symbology"))}
    assert [one.more for one in reports] == [True] * (len(reports) - 1) + [False]


@pytest.mark.parametrize("vector", VECTORS["damaged"], ids=lambda vector: vector["name"])
def test_a_malformed_report_is_a_fault(vector: dict[str, str]) -> None:
    pending, found = feed(b"", whole(vector))

    (one,) = found
    fault = one.fault if isinstance(one, MalformedReport) else one
    assert isinstance(fault, LinkFault)
    assert fault.kind == vector["fault"]
    assert pending == b""


@pytest.mark.parametrize("vector", VECTORS["request"], ids=lambda vector: vector["name"])
def test_a_request_is_the_published_report(vector: dict[str, str]) -> None:
    assert encode(HidPosRequest(vector["name"])) == bytes.fromhex(vector["hex"])


def test_a_report_in_two_pieces_is_one_report() -> None:
    for cut in range(1, REPORT_BYTES):
        pending, before = feed(b"", PACK[:cut])
        pending, after = feed(pending, PACK[cut:])
        assert before == (), f"cut at {cut}"
        assert after == feed(b"", PACK)[1], f"cut at {cut}"
        assert pending == b"", f"cut at {cut}"


def test_a_complete_report_after_half_a_one_is_read_and_the_half_is_reported() -> None:
    pending, _nothing = feed(b"", PACK[:20])

    assert feed(pending, PACK) == (b"", (CUT_OFF, *feed(b"", PACK)[1]))


@pytest.mark.parametrize("length", [1, 2, 8, 63, 64])
def test_a_short_report_of_another_kind_does_not_shift_the_next(length: int) -> None:
    other = b"\x01" + bytes(length - 1)
    pending, _fault = feed(b"", other)

    assert feed(pending, PACK) == (b"", feed(b"", PACK)[1])


def test_the_detail_of_a_fault_contains_none_of_the_text() -> None:
    for vector in VECTORS["damaged"]:
        _pending, (one,) = feed(b"", whole(vector))
        fault = one.fault if isinstance(one, MalformedReport) else one
        assert isinstance(fault, LinkFault)
        assert "PACK" not in to_words(fault.detail)


@given(st.lists(st.binary(max_size=200), max_size=8))
def test_no_bytes_raise_and_less_than_a_report_waits(chunks: list[bytes]) -> None:
    pending = b""
    for chunk in chunks:
        pending, found = feed(pending, chunk)
        assert len(pending) < REPORT_BYTES
        for one in found:
            assert not isinstance(one, ScanReport) or len(one.text) <= 56


@given(st.binary(min_size=REPORT_BYTES - 1, max_size=REPORT_BYTES - 1))
def test_any_report_of_scanned_data_is_read_or_refused(rest: bytes) -> None:
    pending, (one,) = feed(b"", b"\x02" + rest)

    assert pending == b""
    assert isinstance(one, ScanReport | MalformedReport)
