"""Lumen/1: golden lines, numbers that leave some out, damage, and any bytes."""

from lumen_shoe import LUMEN_1, LumenSettings

from drivers import events
from drivers.faults import DeviceFault
from firmware_bridge.transport.port import Chunk, PortOpened
from foundation.timestamp import Timestamp

AT = Timestamp(1, 1)
BOOT, SEVEN, KEY = b":000 BOOT*06\n", b":001 CARD 7H*5A\n", b":002 KEY P*35\n"
CARD = events.CardRead(events.ClaimedUse.UNCLAIMED, 0, events.Face(7, events.FaceSuit.HEART), False)


def events_after(*chunks: bytes, stored: bytes = b"") -> list[events.DeviceEvent]:
    """What comes after the stages of the first good line."""
    driver = LUMEN_1.build(stored)
    state, _output = driver.receive(driver.initial(), PortOpened("p", AT, bytes(32)))
    found: list[events.DeviceEvent] = []
    for data in chunks:
        for part in driver.split(state, data):
            state, output = driver.receive(state, Chunk("p", AT, part))
            found.extend(output.events)
    return [one for one in found if not isinstance(one, events.StageChanged)]


def test_golden_lines_at_every_split() -> None:
    data = BOOT + SEVEN + KEY
    for at in range(len(data)):
        found = events_after(data[:at], data[at:])
        assert [type(one).__name__ for one in found] == [
            *("DeviceStarted", "CardRead", "ResultButtonPressed")
        ]
        assert found[1] == CARD


def test_numbers_that_leave_some_out_are_a_loss() -> None:
    assert events_after(BOOT + KEY)[1] == events.ReportsLost(events.LossReason.GAP, 1)


def test_damage_is_a_fault_and_the_next_number_shows_the_loss() -> None:
    found = events_after(BOOT + SEVEN.replace(b"7", b"8") + KEY)
    assert [type(one) for one in found[1:3]] == [DeviceFault, events.ReportsLost]
    assert events_after(bytes(range(256)) * 4)[0] == found[1]


def test_keys_that_are_not_used_say_nothing() -> None:
    assert events_after(KEY, stored=LUMEN_1.to_store(LumenSettings(result_keys=False))) == []
