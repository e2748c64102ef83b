"""Tests the TableLink monitor: three levels, and no card while masked."""

import tomllib
from pathlib import Path

import pytest

from controller.system.messages.catalogue import to_words
from drivers.shoes.tablelink_model import TABLELINK_SHOE
from drivers.shufflers.tablelink_model import TABLELINK_SHUFFLER
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")

AT = Timestamp(0, 0)
VECTORS = tomllib.loads(
    (Path(__file__).parents[2] / "vectors" / "tablelink.toml").read_text(encoding="utf-8")
)
GOLDEN = {one["name"]: bytes.fromhex(one["wire"]) for one in VECTORS["frame"]}
CARD = GOLDEN["event 42, CARD_OUT"]
# The card of that event: its tag and its face, as encoded in the frame.
TAG, FACE = bytes.fromhex("e0040150a05f02b7"), bytes.fromhex("02190901")


def crc_32c(data: bytes) -> bytes:
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _bit in range(8):
            register = register >> 1 ^ 0x82F63B78 if register & 1 else register >> 1
    return (register ^ 0xFFFFFFFF).to_bytes(4, "little")


def stuffed(raw: bytes) -> bytes:
    """COBS of a frame shorter than 254 bytes, between zeros."""
    return b"\0" + b"".join(bytes((len(run) + 1,)) + run for run in raw.split(b"\0")) + b"\0"


def card_out(tag: bytes, face: bytes) -> bytes:
    """Event 42 with another card."""
    raw = bytes.fromhex(next(o["raw"] for o in VECTORS["frame"] if "CARD_OUT" in o["name"]))
    body = raw[:-4].replace(TAG, tag).replace(FACE, face)
    return stuffed(body + crc_32c(body))


def watch(*chunks: bytes, masked: bool = True, shuffler: bool = False) -> list[str]:
    if shuffler:
        monitor = TABLELINK_SHUFFLER.build_monitor(to_words, masked=masked)
    else:
        monitor = TABLELINK_SHOE.build_monitor(to_words, masked=masked)  # type: ignore[assignment]
    state, seen = monitor.watch(monitor.initial(), PortOpened("p", AT, bytes(32)))
    lines = list(seen)
    for chunk in chunks:
        state, seen = monitor.watch(state, Chunk("p", AT, chunk))
        lines.extend(seen)
    _state, seen = monitor.watch(state, PortLost("p", AT, UNPLUGGED))
    return [*lines, *seen]


def events(lines: list[str]) -> list[str]:
    return [line.removeprefix("event  ") for line in lines if line.startswith("event")][1:-1]


def test_the_card_built_here_equals_the_golden_one() -> None:
    assert card_out(TAG, FACE) == CARD


@pytest.mark.parametrize("between", [PortOpened("p", AT, bytes(32)), PortLost("p", AT, UNPLUGGED)])
def test_half_a_frame_does_not_live_over_a_reopening(between: PortEvent) -> None:
    monitor = TABLELINK_SHOE.build_monitor(to_words, masked=True)
    opened, _lines = monitor.watch(monitor.initial(), PortOpened("p", AT, bytes(32)))
    _state, whole = monitor.watch(opened, Chunk("p", AT, CARD))
    begun, _lines = monitor.watch(opened, Chunk("p", AT, CARD[:5]))
    reopened, _lines = monitor.watch(begun, between)

    _state, lines = monitor.watch(reopened, Chunk("p", AT, CARD))

    assert [one for one in lines if one.startswith(("bytes", "frame"))] == [
        one for one in whole if one.startswith(("bytes", "frame"))
    ]


def test_three_levels_of_a_card() -> None:
    lines = watch(CARD)

    assert lines[0] == "event  StageChanged stage=opened detail=port open"
    assert [line.split()[0] for line in lines[1:-1]] == ["bytes", "frame", "event"]
    assert lines[-2] == "event  card ??"
    assert lines[-1] == "event  StageChanged stage=lost detail=unplugged"


def test_in_maintenance_everything_is_shown() -> None:
    lines = watch(CARD, masked=False)

    assert lines[1] == f"bytes  {CARD.hex(' ').upper()}"
    assert "event  CardPassed tag=E0040150A05F02B7 sure=yes" in lines


@pytest.mark.parametrize(
    ("tag", "face"),
    [(bytes.fromhex("e0040150a05f02b8"), FACE), (TAG, bytes.fromhex("02190d04"))],
)
def test_all_cards_look_the_same(tag: bytes, face: bytes) -> None:
    other = card_out(tag, face)

    assert watch(other) == watch(CARD)


def test_cards_fragmented_at_any_byte_look_the_same() -> None:
    other = card_out(bytes.fromhex("e0040150a05f02b8"), bytes.fromhex("02190d04"))
    for cut in range(len(CARD)):
        assert watch(other[:cut], other[cut:]) == watch(CARD[:cut], CARD[cut:])


def test_a_card_in_a_damaged_frame_is_not_shown() -> None:
    other = card_out(bytes.fromhex("e0040150a05f02b8"), bytes.fromhex("02190d04"))
    for start in range(1, len(CARD), 7):
        assert watch(other[start:]) == watch(CARD[start:])


def test_a_repeated_event_is_a_frame_and_not_a_second_event() -> None:
    lines = watch(CARD, CARD)

    assert sum(line.startswith("frame") for line in lines) == 2
    assert events(lines) == ["card ??"]


def test_a_hello_shows_the_claimed_identity() -> None:
    assert events(watch(GOLDEN["HELLO of a shuffler, answering"], shuffler=True)) == [
        "shuffler 5eed0000c0ffee01 sent HELLO: firmware 1.0.0, boot 5, events 40 to 42 stored"
    ]
    assert events(watch(GOLDEN["HELLO of a shoe that is new"]))[0].startswith("shoe ")


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("event 43, LID open", "DoorMoved open=yes compartment=0"),
        ("event 44, JAM in compartment 2", "JamReported compartment=2 cleared=no"),
        (
            "event 48, BATCH_ABORTED by power",
            "ShuffleAborted compartment=1 cycle=9 reason=power",
        ),
        (
            "STATUS answered",
            (
                "ShufflerStatus mode=play door_open=no compartments=(1 stored 416 red 7)"
                " (2 empty not known - 0) residual=0 warnings=7"
            ),
        ),
    ],
)
def test_shuffler_events_are_shown(name: str, line: str) -> None:
    assert events(watch(GOLDEN[name], shuffler=True)) == [line]


def test_face_counts_of_a_batch_are_masked() -> None:
    masked, whole = (
        "\n".join(watch(GOLDEN["event 46, BATCH_DONE, signed"], masked=masked, shuffler=True))
        for masked in (True, False)
    )

    assert "08080808" in whole
    assert "08080808" not in masked
    assert "faces=?? " in masked
    assert "ShuffleDone ShuffleProof device=5eed0000c0ffee01" in masked


def test_an_unknown_event_shows_as_a_fault() -> None:
    (line,) = events(watch(GOLDEN["event 67, of a kind nobody knows"], shuffler=True))

    assert line.startswith("DeviceFault kind=malformed detail=event 67 of kind ")


@pytest.mark.parametrize("shuffler", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_every_golden_frame_can_be_monitored(shuffler: bool, masked: bool) -> None:
    for name, frame in GOLDEN.items():
        lines = watch(frame, masked=masked, shuffler=shuffler)

        assert any(line.startswith("frame") for line in lines), name
