"""Tests which texts are accepted as a bar code, and how symbologies are named."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_words import in_words

from controller.system.messages.catalogue import to_words
from drivers.commands import ClearError, ListTags, LockExit, SetPolling, UnlockExit
from drivers.events import BarCodeRead, CommandAnswered, CommandOutcome
from drivers.faults import DeviceFault
from drivers.scanners.scan_text import parse_scan, refuse_command
from drivers.scanners.symbologies import aim_symbology, ssi_symbology
from firmware_bridge.link import LinkFaultKind


def refused(length: int, why: str) -> DeviceFault:
    detail = f"a scan of {length} characters was refused: {why}"
    return DeviceFault(LinkFaultKind.MALFORMED, detail)


@pytest.mark.parametrize("text", [b"PACK-0001", b" ", b"~!\"#$%&'()*+,-./", b"x" * 64])
def test_printable_ascii_is_accepted_unchanged(text: bytes) -> None:
    assert parse_scan(text, "code-128") == BarCodeRead(text.decode(), "code-128")


@pytest.mark.parametrize("line_end", [b"\r", b"\n", b"\r\n"])
def test_one_line_end_is_removed(line_end: bytes) -> None:
    assert parse_scan(b"PACK-0001" + line_end, "x") == BarCodeRead("PACK-0001", "x")
    assert parse_scan(b"x" * 64 + line_end, "x") == BarCodeRead("x" * 64, "x")


def test_a_second_line_end_is_refused() -> None:
    why = "with characters other than printable ASCII"

    assert in_words(parse_scan(b"PACK\n\r", "x")) == refused(5, why)


def test_unprintable_bytes_are_refused() -> None:
    fault = refused(9, "with characters other than printable ASCII")
    for byte in (*range(0x20), *range(0x7F, 256)):
        text = b"PACK" + bytes((byte,)) + b"0001"

        assert in_words(parse_scan(text, "x")) == fault, f"byte {byte:02X}"


def test_empty_and_too_long_texts_are_refused() -> None:
    too_long = "longer than the 64 characters a bar code of this table may have"

    assert in_words(parse_scan(b"x" * 65, "x")) == refused(65, too_long)
    assert in_words(parse_scan(b"", "x")) == refused(0, "a bar code without text")
    assert in_words(parse_scan(b"\r\n", "x")) == refused(0, "a bar code without text")


@given(st.binary(max_size=200))
def test_any_bytes_give_printable_text_or_a_fault_without_it(text: bytes) -> None:
    reading = parse_scan(text, "x")

    if isinstance(reading, BarCodeRead):
        assert 1 <= len(reading.text) <= 64
        assert reading.text.isascii()
        assert reading.text.isprintable()
    else:
        assert to_words(reading.detail).startswith("a scan of ")
        assert set(to_words(reading.detail)) <= set(string.ascii_letters + string.digits + " :")


@pytest.mark.parametrize("command", [LockExit(), UnlockExit(), ClearError(1), ListTags()])
def test_a_scanner_refuses_every_command(
    command: LockExit | UnlockExit | ClearError | ListTags,
) -> None:
    answer = refuse_command(command)

    assert isinstance(answer, CommandAnswered)
    assert (answer.command, answer.outcome) == (type(command).__name__, CommandOutcome.REFUSED)


def test_set_polling_is_ignored() -> None:
    assert refuse_command(SetPolling(closely=True)) is None


@pytest.mark.parametrize(
    ("aim", "name"),
    [
        ("]C0", "code-128"),
        ("]C1", "gs1-128"),
        ("]A0", "code-39"),
        ("]d2", "gs1-data-matrix"),
        ("]D0", "code-one"),
        ("]X0", "aim-]X0"),
    ],
)
def test_aim_identifiers_are_named(aim: str, name: str) -> None:
    assert aim_symbology(aim) == name


# Zebra, Simple Serial Interface programmer's guide, code types.
SSI_CODE_TYPES = {
    0x01: "code-39",
    0x02: "codabar",
    0x03: "code-128",
    0x04: "straight-2-of-5",
    0x06: "interleaved-2-of-5",
    0x07: "code-93",
    0x08: "upc-a",
    0x09: "upc-e",
    0x0A: "ean-8",
    0x0B: "ean-13",
    0x0C: "code-11",
    0x0E: "msi",
    0x0F: "gs1-128",
    0x11: "pdf417",
    0x1A: "micro-pdf417",
    0x1B: "data-matrix",
    0x1C: "qr-code",
    0x25: "maxicode",
    0x2C: "micro-qr-code",
    0x2D: "aztec",
    0x30: "gs1-databar",
    0xB7: "han-xin",
}


def test_every_ssi_code_type_is_named_by_the_guide() -> None:
    known = {code: ssi_symbology(code) for code in SSI_CODE_TYPES}

    assert known == SSI_CODE_TYPES


def test_every_code_type_has_a_printable_name() -> None:
    for code_type in range(256):
        assert ssi_symbology(code_type).isprintable(), code_type


def test_both_protocols_give_the_same_symbology_name() -> None:
    assert ssi_symbology(0x03) == aim_symbology("]C0") == "code-128"
    assert ssi_symbology(0x0F) == aim_symbology("]C1") == "gs1-128"
    assert ssi_symbology(0x1C) == aim_symbology("]Q1") == "qr-code"
