"""Which texts pass as a bar code's, and what is told of those that do not."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.commands import ClearError, ListTags, LockExit, UnlockExit, Watch
from drivers.events import BarCodeRead, CommandAnswered, CommandOutcome
from drivers.faults import DeviceFault
from drivers.scanners.reading import reading_of, refused_command
from drivers.scanners.symbologies import named_by_aim, named_by_ssi
from firmware_bridge.link import LinkFaultKind


def refused(length: int, why: str) -> DeviceFault:
    detail = f"a scan of {length} characters was refused: {why}"
    return DeviceFault(LinkFaultKind.MALFORMED, detail)


@pytest.mark.parametrize("text", [b"PACK-0001", b" ", b"~!\"#$%&'()*+,-./", b"x" * 64])
def test_printable_ascii_passes_as_it_is(text: bytes) -> None:
    assert reading_of(text, "code-128") == BarCodeRead(text.decode(), "code-128")


@pytest.mark.parametrize("line_end", [b"\r", b"\n", b"\r\n"])
def test_one_line_end_is_the_scanner_s_and_taken_off(line_end: bytes) -> None:
    assert reading_of(b"PACK-0001" + line_end, "x") == BarCodeRead("PACK-0001", "x")
    assert reading_of(b"x" * 64 + line_end, "x") == BarCodeRead("x" * 64, "x")


def test_a_second_line_end_is_not() -> None:
    why = "with characters other than printable ASCII"

    assert reading_of(b"PACK\n\r", "x") == refused(5, why)


@pytest.mark.parametrize("byte", [b for b in range(256) if not 0x20 <= b < 0x7F])
def test_any_other_byte_is_refused(byte: int) -> None:
    text = b"PACK" + bytes((byte,)) + b"0001"

    assert reading_of(text, "x") == refused(9, "with characters other than printable ASCII")


def test_what_is_too_long_or_empty_is_refused() -> None:
    too_long = "longer than the 64 characters a bar code of this table may have"

    assert reading_of(b"x" * 65, "x") == refused(65, too_long)
    assert reading_of(b"", "x") == refused(0, "a bar code without text")
    assert reading_of(b"\r\n", "x") == refused(0, "a bar code without text")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_harmless_text_or_a_fault_without_it(text: bytes) -> None:
    reading = reading_of(text, "x")

    if isinstance(reading, BarCodeRead):
        assert 1 <= len(reading.text) <= 64
        assert reading.text.isascii()
        assert reading.text.isprintable()
    else:
        assert reading.detail.startswith("a scan of ")
        assert set(reading.detail) <= set(string.ascii_letters + string.digits + " :")


@pytest.mark.parametrize("command", [LockExit(), UnlockExit(), ClearError(1), ListTags()])
def test_a_scanner_refuses_every_command(
    command: LockExit | UnlockExit | ClearError | ListTags,
) -> None:
    (answer,) = refused_command(command).events

    assert isinstance(answer, CommandAnswered)
    assert (answer.command, answer.outcome) == (type(command).__name__, CommandOutcome.REFUSED)


def test_being_watched_is_no_matter() -> None:
    assert refused_command(Watch(closely=True)).events == ()


@pytest.mark.parametrize(
    ("aim", "name"),
    [
        ("]C0", "code-128"),
        ("]C1", "gs1-128"),
        ("]A0", "code-39"),
        ("]d2", "gs1-data-matrix"),
        ("]D0", "code-one"),
        ("]X0", "aim ]X0"),
    ],
)
def test_an_aim_identifier_has_a_name(aim: str, name: str) -> None:
    assert named_by_aim(aim) == name


@pytest.mark.parametrize("code_type", range(256))
def test_every_code_type_has_a_printable_name(code_type: int) -> None:
    assert named_by_ssi(code_type).isprintable()


def test_the_same_kind_has_the_same_name_over_both_protocols() -> None:
    assert named_by_ssi(0x03) == named_by_aim("]C0") == "code-128"
    assert named_by_ssi(0x0F) == named_by_aim("]C1") == "gs1-128"
    assert named_by_ssi(0x1C) == named_by_aim("]Q1") == "qr-code"
