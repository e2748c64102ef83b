"""Masked wire of an Angel Eye II-EX: structure is shown, no byte reveals a card."""

import pytest

from firmware_bridge.angel_eye.frames import (
    AckFrame,
    AngelEyeFrame,
    NakCode,
    NakFrame,
    ReadReplyFrame,
    ReportFrame,
)
from firmware_bridge.angel_eye.masking import MaskPlace, frame_text, mask_raw


@pytest.mark.parametrize(
    ("data", "expected_text"),
    [
        ("05 30 44 81 B1 03 34 31", "05 30 44 .. .. 03 .. .."),
        ("05 30 4D 30 37 30 31 32 33 03 34 31", "05 30 4D .. .. .. .. .. .. 03 .. .."),
        ("05 30 44 81 05 31 50 03 36 32", "05 30 44 .. 05 31 50 03 .. .."),
        ("05 31 50 03 36 32 06", "05 31 50 03 .. .. 06"),
        ("05 31 50 03 36 32 15 02", "05 31 50 03 .. .. 15 02"),
        ("05 31 50 03 36 32 02 47 50 03 31 37", "05 31 50 03 .. .. 02 .. .. 03 .. .."),
        ("81 B1 03 34 31", ".. .. 03 .. .."),
        ("30 44 11 31 03 34 31", ".. .. .. .. 03 .. .."),
        ("05 81 B1 03 34 31", "05 .. .. 03 .. .."),
        ("FF FF", ".. .."),
    ],
)
def test_raw_bytes(data: str, expected_text: str) -> None:
    assert mask_raw(bytes.fromhex(data))[0] == expected_text


def test_the_position_is_passed_on_from_chunk_to_chunk() -> None:
    place, expected_text = MaskPlace.UNKNOWN, []
    for byte in bytes.fromhex("05 30 44 81 B1 03 34 31 06"):
        text, place = mask_raw(bytes((byte,)), place)
        expected_text.append(text)

    assert " ".join(expected_text) == "05 30 44 .. .. 03 .. .. 06"


@pytest.mark.parametrize(
    ("frame", "masked", "unmasked"),
    [
        (
            ReportFrame("6", b"D\x81\xb1"),
            "report SEQ '6' code 'D' payload .. ..",
            "report SEQ '6' code 'D' payload 81 B1",
        ),
        (
            ReportFrame("6", b"G\x90"),
            "report SEQ '6' code 'G' payload 90",
            "report SEQ '6' code 'G' payload 90",
        ),
        (ReportFrame("6", b"X\x90"), "report SEQ '6' code 'X' payload ..", None),
        (ReportFrame("6", b"P"), "report SEQ '6' code 'P'", None),
        (AckFrame(), "ACK", "ACK"),
        (NakFrame(NakCode.BUSY), "NAK 21", "NAK 21"),
        (ReadReplyFrame(b"GP"), "read reply payload .. ..", "read reply payload 47 50"),
    ],
)
def test_frames(frame: AngelEyeFrame, masked: str, unmasked: str | None) -> None:
    assert frame_text(frame, masked=True) == masked
    if unmasked is not None:
        assert frame_text(frame, masked=False) == unmasked
