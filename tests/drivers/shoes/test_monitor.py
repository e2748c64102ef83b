"""Tests the Angel Eye II-EX monitor: three levels, and no card while masked."""

import tomllib
from pathlib import Path

import pytest

from controller.system.messages.catalogue import to_words
from drivers.shoes.angel_eye_model import ANGEL_EYE_II_EX
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")

AT = Timestamp(0, 0)
VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "angel_eye.toml").read_text(encoding="utf-8")
)
STAND_BY = bytes.fromhex("05 31 50 03 36 32")


def watch(*chunks: bytes, masked: bool = True) -> list[str]:
    monitor = ANGEL_EYE_II_EX.build_monitor(to_words, masked=masked)
    state, _lines = monitor.watch(monitor.initial(), PortOpened("shoe", AT, bytes(32)))
    seen: list[str] = []
    for chunk in chunks:
        state, lines = monitor.watch(state, Chunk("shoe", AT, chunk))
        seen.extend(lines)
    return seen


def report(payload: bytes) -> bytes:
    body = b"6" + payload + b"\x03"
    check = 0
    for byte in body:
        check ^= byte
    return b"\x05" + body + f"{check:02X}".encode()


@pytest.mark.parametrize(
    "between", [PortOpened("shoe", AT, bytes(32)), PortLost("shoe", AT, UNPLUGGED)]
)
def test_half_a_frame_does_not_live_over_a_reopening(between: PortEvent) -> None:
    monitor = ANGEL_EYE_II_EX.build_monitor(to_words, masked=True)
    opened, _lines = monitor.watch(monitor.initial(), PortOpened("shoe", AT, bytes(32)))
    _state, whole = monitor.watch(opened, Chunk("shoe", AT, STAND_BY))
    begun, _lines = monitor.watch(opened, Chunk("shoe", AT, STAND_BY[:5]))
    reopened, _lines = monitor.watch(begun, between)

    _state, lines = monitor.watch(reopened, Chunk("shoe", AT, STAND_BY))

    assert [one for one in lines if one.startswith(("bytes", "frame"))] == [
        one for one in whole if one.startswith(("bytes", "frame"))
    ]


def test_after_a_reopening_no_byte_is_shown_before_a_frame_begins() -> None:
    """The first bytes may be the rest of a card, whatever the line held before."""
    monitor = ANGEL_EYE_II_EX.build_monitor(to_words, masked=True)
    state, _lines = monitor.watch(monitor.initial(), PortOpened("shoe", AT, bytes(32)))
    for event in (Chunk("shoe", AT, STAND_BY[:1]), PortOpened("shoe", AT, bytes(32))):
        state, _lines = monitor.watch(state, event)

    _state, lines = monitor.watch(state, Chunk("shoe", AT, b"9D"))

    assert lines[0] == "bytes  .. .."


def test_three_levels_of_a_report() -> None:
    assert watch(STAND_BY) == [
        "bytes  05 31 50 03 .. ..",
        "frame  report SEQ '1' code 'P'",
        "event  StageChanged stage=identified detail=the first good frame was received",
        "event  StageChanged stage=online detail=the first report was understood",
        "event  StandByEntered",
    ]


def test_in_maintenance_everything_is_shown() -> None:
    lines = watch(bytes.fromhex("05 36 44 81 B1 03 34 31"), masked=False)

    assert lines[:2] == [
        "bytes  05 36 44 81 B1 03 34 31",
        "frame  report SEQ '6' code 'D' payload 81 B1",
    ]
    assert lines[-1] == "event  CardRead use=player index=1 face=1S repeated=no"


@pytest.mark.parametrize("code", [b"D", b"R", b"d"])
def test_all_cards_at_all_places_look_the_same(code: bytes) -> None:
    targets = (0x81, 0x82, 0x91) if code != b"d" else (0x80, 0x90, 0xA0)
    looks = {
        tuple(watch(STAND_BY, report(code + bytes((target, 0x80 | suit << 4 | rank)))))
        for target in targets
        for suit in range(1, 5)
        for rank in range(1, 14)
    }

    assert len(looks) == 1


def test_cards_fragmented_at_any_byte_look_the_same() -> None:
    ace, king = report(b"D\x81\xb1"), report(b"D\x81\xcd")
    for cut in range(len(ace)):
        assert watch(ace[:cut], ace[cut:]) == watch(king[:cut], king[cut:])


def test_a_card_whose_frame_lost_its_start_or_its_eighth_bits_is_not_shown() -> None:
    for ace, king in (
        (report(b"D\x81\xb1")[1:], report(b"D\x81\xcd")[1:]),
        (report(b"D\x01\x31"), report(b"D\x01\x4d")),
        (report(b"D\x81\xb1")[4:], report(b"D\x81\xcd")[4:]),
    ):
        assert watch(ace) == watch(king)


def test_a_damaged_card_is_not_shown() -> None:
    ace, king = report(b"D\x81\xb1"), report(b"D\x81\xcd")
    for at in (0, 1, 5):  # the start, SEQ and the end; not the payload itself
        bent = [bytes((*frame[:at], frame[at] ^ 0x40, *frame[at + 1 :])) for frame in (ace, king)]
        assert watch(bent[0]) == watch(bent[1])


@pytest.mark.parametrize("pair", [(b"L\x80", b"L\x81"), (b"E\xc1", b"E\xc2"), (b"e\x81", b"e\x82")])
def test_locks_and_errors_look_the_same(pair: tuple[bytes, bytes]) -> None:
    assert watch(report(pair[0])) == watch(report(pair[1]))


@pytest.mark.parametrize("vector", VECTORS["damaged"], ids=[v["name"] for v in VECTORS["damaged"]])
def test_damage_shows_at_the_frame_level(vector: dict[str, str]) -> None:
    lines = watch(bytes.fromhex(vector["hex"]))

    assert lines[0].startswith("bytes  ")
    assert lines[1].startswith(f"frame  {vector['fault']}: ")
    assert lines[2].startswith("event  DeviceFault kind=")
