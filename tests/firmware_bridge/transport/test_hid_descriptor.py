"""Report descriptors of HID devices: scanner, keyboard, report ids, broken descriptors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.transport.hid_descriptor import HidReports, read_report_descriptor

# Usage page 8C, usage 02, application; report 02 in, report FD out, report FE feature.
SCANNER = bytes.fromhex(
    "05 8C 09 02 A1 01"
    " 85 02 09 12 A1 02 15 00 26 FF 00 75 08 95 3F 09 FE 81 02 C0"
    " 85 FD 95 3F 09 FE 91 02"
    " 85 FE 95 01 09 FE B1 02 C0"
)
# The boot keyboard of HID 1.11, appendix B.1.
KEYBOARD = bytes.fromhex(
    "05 01 09 06 A1 01 05 07 19 E0 29 E7 15 00 25 01 75 01 95 08 81 02 95 01 75 08 81 01"
    " 95 05 75 01 05 08 19 01 29 05 91 02 95 01 75 03 91 01 95 06 75 08 15 00 25 65 05 07"
    " 19 00 29 65 81 00 C0"
)


def test_a_point_of_sale_scanner_is_known_by_its_usage() -> None:
    reports = read_report_descriptor(SCANNER)

    assert reports == HidReports(((0x8C, 0x02),), (0xFD,), (0xFE,), whole=True)
    assert reports.is_bar_code_scanner
    assert not reports.is_keyboard


def test_a_keyboard_is_known_by_its_usage() -> None:
    reports = read_report_descriptor(KEYBOARD)

    assert reports.is_keyboard
    assert not reports.is_bar_code_scanner


def test_a_keyboard_behind_a_scanner_is_a_keyboard() -> None:
    assert read_report_descriptor(SCANNER + KEYBOARD).is_keyboard


def test_a_usage_of_four_bytes_contains_its_own_page() -> None:
    hidden = bytes.fromhex("05 8C 09 02 A1 01 C0 0B 06 00 01 00 A1 01 C0")

    assert read_report_descriptor(hidden).is_keyboard


def test_a_pushed_page_is_restored_by_pop() -> None:
    pushed = bytes.fromhex("05 8C A4 05 01 B4 09 02 A1 01 C0")

    assert read_report_descriptor(pushed).is_bar_code_scanner


@pytest.mark.parametrize(
    "broken",
    ["", "05", "05 8C 09 02 A1 01 C0 26 FF", "05 8C 09 02 A1 01 C0 B4", "05 8C 09 02 A1 01 FE 09"],
)
def test_a_broken_descriptor_is_not_a_scanner(broken: str) -> None:
    assert not read_report_descriptor(bytes.fromhex(broken)).is_bar_code_scanner


def test_a_long_item_is_skipped() -> None:
    long = bytes.fromhex("FE 03 F0 05 01 09") + SCANNER

    assert read_report_descriptor(long).is_bar_code_scanner


@given(st.binary(max_size=200) | st.integers(0, len(SCANNER)).map(lambda n: SCANNER[:n]))
def test_any_bytes_are_read(data: bytes) -> None:
    reports = read_report_descriptor(data)

    assert not (reports.is_bar_code_scanner and not reports.whole)
