"""Tests the emulated HID POS scanner against the golden bytes that the driver is tested with."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.emulator.scanners.hid_pos import REPORT_DESCRIPTOR, HidPosDevice, HidPosSettings

VECTORS = tomllib.loads(
    (Path(__file__).parents[3] / "vectors" / "hid_pos.toml").read_text(encoding="utf-8")
)
REQUESTS = {request["name"]: bytes.fromhex(request["hex"]) for request in VECTORS["request"]}


def whole(report: dict[str, str]) -> bytes:
    data, tail = bytes.fromhex(report["hex"]), bytes.fromhex(report.get("tail", ""))
    return data.ljust(64 - len(tail), b"\x00") + tail


def ready(**settings: bool) -> HidPosDevice:
    device = HidPosDevice(HidPosSettings(**settings))
    device.receive(REQUESTS["pos_mode"], 0)
    return device


@pytest.mark.parametrize("scan", VECTORS["scan"], ids=lambda scan: scan["name"])
def test_a_text_gives_the_reports_of_the_vector(scan: dict[str, Any]) -> None:
    device = ready(aim_late=scan.get("aim_late", False))
    device.send(scan["text"].encode(), scan["aim"].encode(), scan.get("symbology", 0))

    assert device.tick(0) == b"".join(map(whole, scan["reports"]))


def test_an_endpoint_gets_one_report_after_the_other() -> None:
    device = ready()
    device.scan(b"0" * 58, "data-matrix")

    first, second, nothing = (device.next_report() for _ in range(3))
    assert (len(first), len(second), nothing) == (64, 64, b"")
    assert (first[63], second[63]) == (1, 0)


@pytest.mark.parametrize("length", [0, 1, 55, 56, 57, 112, 113])
def test_a_report_holds_its_text_length(length: int) -> None:
    device = ready()
    device.scan(b"x" * length)
    reports = device.tick(0)

    assert sum(reports[1::64]) == length
    assert len(reports) == 64 * max(1, -(-length // 56))


def test_outside_pos_mode_a_scan_is_lost() -> None:
    device = HidPosDevice()

    assert not device.scan(b"PACK-0001")
    assert device.tick(0) == b""


def test_unplugging_loses_unread_reports_and_the_mode() -> None:
    device = ready()
    device.scan(b"PACK-0001")
    device.power_on()

    assert device.tick(0) == b""
    assert not device.scan(b"PACK-0001")


def test_the_mode_is_a_feature_report() -> None:
    device = HidPosDevice()

    assert device.get_feature(0xFE) == b"\x00"
    assert device.set_feature(0xFE, b"\x01")
    assert device.get_feature(0xFE) == b"\x01"


def test_other_feature_reports_are_stalled() -> None:
    device = HidPosDevice()

    assert not device.set_feature(0x03, b"\x01")
    assert device.get_feature(0x03) is None
    assert not HidPosDevice(HidPosSettings(needs_mode=False)).set_feature(0xFE, b"\x01")


def test_trigger_and_beep_are_executed_without_an_answer() -> None:
    device = ready()
    answers = [device.receive(REQUESTS[name], 0) for name in ("trigger", "beep")]

    assert answers == [b"", b""]
    assert (device.triggers, device.beeps) == (1, 1)
    assert device.next_due_ns is None


def test_the_identity_request_is_answered_as_in_the_capture() -> None:
    device = ready()
    device.receive(REQUESTS["identity"], 0)
    reports = device.tick(0)

    done = whole(VECTORS["scan"][1]["reports"][0])
    assert reports[2:17] == b"]X0Product Name"
    assert reports[-64:] == done


# --- the descriptor -------------------------------------------------------------------------------


def items_of(descriptor: bytes) -> list[tuple[int, int]]:
    """Each short item: its tag and kind, and its value."""
    found, at = [], 0
    while at < len(descriptor):
        size = (0, 1, 2, 4)[descriptor[at] & 3]
        value = int.from_bytes(descriptor[at + 1 : at + 1 + size], "little")
        found.append((descriptor[at] & 0xFC, value))
        at += 1 + size
    return found


def test_the_descriptor_opens_with_the_usage_of_a_bar_code_scanner() -> None:
    assert items_of(REPORT_DESCRIPTOR)[:3] == [(0x04, 0x8C), (0x08, 0x02), (0xA0, 0x01)]


def test_the_collections_of_the_descriptor_are_closed() -> None:
    kinds = [kind for kind, _value in items_of(REPORT_DESCRIPTOR)]

    assert kinds.count(0xA0) == kinds.count(0xC0) == 2
    assert kinds[-1] == 0xC0


def test_the_reports_of_the_descriptor_have_the_lengths_that_are_sent() -> None:
    bits: dict[tuple[int, int], int] = {}
    size = count = report_id = 0
    for kind, value in items_of(REPORT_DESCRIPTOR):
        match kind:
            case 0x74:
                size = value
            case 0x94:
                count = value
            case 0x84:
                report_id = value
            case 0x80 | 0x90 | 0xB0:
                bits[kind, report_id] = bits.get((kind, report_id), 0) + size * count

    # Input 02, output FD, feature FE; the number itself is one byte more.
    assert bits == {(0x80, 0x02): 63 * 8, (0x90, 0xFD): 63 * 8, (0xB0, 0xFE): 8}


@given(st.lists(st.binary(max_size=70), max_size=6))
def test_no_bytes_of_the_host_raise(chunks: list[bytes]) -> None:
    device = HidPosDevice()
    for chunk in chunks:
        assert device.receive(chunk, 0) == b""
    assert len(device.tick(0)) % 64 == 0
