"""Tests the RFID shoe monitor: three levels, and no tag while masked."""

import pytest

from controller.system.messages.catalogue import to_words
from drivers import events
from drivers.events import DeviceEvent, Spot
from drivers.monitor import event_text
from drivers.shoes.rfid_model import FEIG_RFID
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

UNPLUGGED = message("usb_unplugged")

AT = Timestamp(0, 0)
VERSION = bytes.fromhex("02 00 0F 00 65 00 03 03 00 44 53 0D 30 74 69")
ACE = bytes.fromhex(
    "02 00 20 00 22 00 B1 01 00 0100 14 03 00 08 E0 04 01 50 12 34 56 01 00 00 17 70 01 00 00 EF 10"
)


def crc(data: bytes) -> bytes:
    register = 0xFFFF
    for byte in data:
        register ^= byte
        for _bit in range(8):
            register = register >> 1 ^ 0x8408 if register & 1 else register >> 1
    return register.to_bytes(2, "little")


# The same record of another card.
TWO = ACE[:22] + b"\xf2" + ACE[23:-2]
TWO += crc(TWO)


def watch(*chunks: bytes, masked: bool = True) -> list[str]:
    monitor = FEIG_RFID.build_monitor(to_words, masked=masked)
    state, _lines = monitor.watch(monitor.initial(), PortOpened("shoe", AT, bytes(32)))
    seen: list[str] = []
    for chunk in chunks:
        state, lines = monitor.watch(state, Chunk("shoe", AT, chunk))
        seen.extend(lines)
    _state, lines = monitor.watch(state, PortLost("shoe", AT, UNPLUGGED))
    return [*seen, *lines]


@pytest.mark.parametrize(
    "between", [PortOpened("shoe", AT, bytes(32)), PortLost("shoe", AT, UNPLUGGED)]
)
def test_half_a_frame_does_not_live_over_a_reopening(between: PortEvent) -> None:
    monitor = FEIG_RFID.build_monitor(to_words, masked=True)
    opened, _lines = monitor.watch(monitor.initial(), PortOpened("shoe", AT, bytes(32)))
    _state, whole = monitor.watch(opened, Chunk("shoe", AT, ACE))
    begun, _lines = monitor.watch(opened, Chunk("shoe", AT, ACE[:5]))
    reopened, _lines = monitor.watch(begun, between)

    _state, lines = monitor.watch(reopened, Chunk("shoe", AT, ACE))

    assert [one for one in lines if one.startswith(("bytes", "frame"))] == [
        one for one in whole if one.startswith(("bytes", "frame"))
    ]


def test_three_levels_of_a_card() -> None:
    lines = watch(VERSION, ACE)

    levels = [line.split()[0] for line in lines]
    assert levels[:4] == ["bytes", "frame", "event", "bytes"]
    assert "event  card ??" in lines
    assert lines[-1] == "event  StageChanged stage=lost detail=unplugged"


def test_in_maintenance_the_tag_is_shown() -> None:
    lines = watch(ACE, masked=False)

    assert lines[0] == f"bytes  {ACE.hex(' ').upper()}"
    assert "event  CardPassed tag=E004015012345601 sure=yes" in lines


def test_all_cards_look_the_same() -> None:
    assert TWO[-2:] != ACE[-2:]
    assert watch(VERSION, ACE) == watch(VERSION, TWO)


def test_a_masked_card_shows_no_part_of_its_tag() -> None:
    text = " ".join(watch(VERSION, ACE)).replace(" ", "")

    assert "E00401" not in text
    assert "123456" not in text


def test_cards_fragmented_at_any_byte_look_the_same() -> None:
    for cut in range(len(ACE)):
        assert watch(ACE[:cut], ACE[cut:]) == watch(TWO[:cut], TWO[cut:])


def test_a_damaged_card_is_not_shown() -> None:
    for place in (0, 2, 5, 10):
        bent = [
            bytes((*frame[:place], frame[place] ^ 0x40, *frame[place + 1 :]))
            for frame in (ACE, TWO)
        ]
        assert watch(bent[0]) == watch(bent[1])


MASKED: tuple[tuple[DeviceEvent, DeviceEvent], ...] = (
    (events.CardPassed("E0"), events.CardPassed(None, sure=False)),
    (events.TagReadAgain("E0"), events.TagReadAgain("E1")),
    (events.TagsTogether(("E0", "E1")), events.TagsTogether(("E2", "E3", "E4"))),
    (events.TagPulledBack("E0"), events.TagPulledBack("E1")),
    (events.TagSeen(Spot.PLAYER, "E0"), events.TagSeen(Spot.BANKER, "E1")),
    (events.TagListed("E0", b"\x01"), events.TagListed("E1", b"")),
)


@pytest.mark.parametrize("pair", MASKED, ids=lambda pair: type(pair[0]).__name__)
def test_masked_events_reveal_nothing_of_their_tag(pair: tuple[DeviceEvent, DeviceEvent]) -> None:
    one, other = pair

    assert event_text(one, to_words, masked=True) == event_text(other, to_words, masked=True)
    assert event_text(one, to_words, masked=False) != event_text(other, to_words, masked=False)


@pytest.mark.parametrize(
    "event",
    [events.SlowCard(1000), events.OtherTransponder("ISO 14443 A (04)"), events.ListingDone(52)],
)
def test_events_without_cards_are_shown(event: DeviceEvent) -> None:
    assert event_text(event, to_words, masked=True) == event_text(event, to_words, masked=False)


def test_unmasked_tags_and_memory_are_shown() -> None:
    together = event_text(events.TagsTogether(("E0", "E1")), to_words, masked=False)
    listed = event_text(events.TagListed("E0", b"\x01\x0a"), to_words, masked=False)

    assert together == "TagsTogether tags=E0+E1"
    assert listed == "TagListed tag=E0 memory=010A"
