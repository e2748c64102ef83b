"""USB devices that come and go: judged, put to the table, and the ports that wait are woken.

Responsible for: what is put for a device that is allowed, refused, a keyboard, a hub, or gone.
Not responsible for: the list's own judgement (tests/firmware_bridge), the record (test_binding).
Source: controller/README.md, "Devices of a table"; USB 2.0, section 9.6; HID 1.11, section 4.
"""

import pytest

from controller.service.usb_hotplug import DeviceDesk
from controller.tape.inputs import DevicePlugged, DeviceUnplugged
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.allow_list import AllowList, allow_entry
from firmware_bridge.transport.usb_identity import (
    DeviceAppeared,
    DeviceGone,
    UsbIdentity,
    UsbInterface,
)

AT = Timestamp(5, 7)
SERIAL = UsbInterface(0, 0xFF, 0, 0)
KEYBOARD = UsbInterface(1, 0x03, 0x01, 0x01)
SCANNER = UsbInterface(0, 0x03, 0x00, 0x00)
HUB = UsbInterface(0, 0x09, 0, 0)
READER = UsbIdentity(0x0AB1, 0x0002, "12345", "1-1.2", (SERIAL,))


class Port:
    """A port that waits: how often it was woken."""

    def __init__(self) -> None:
        self.woken = 0

    def wake(self) -> None:
        self.woken += 1


class Desk:
    def __init__(self, *entries: str, listed: bool = True) -> None:
        self.put: list[DevicePlugged | DeviceUnplugged] = []
        self.ports = (Port(), Port())
        allowed = AllowList(tuple(map(allow_entry, entries))) if listed else None
        self.desk = DeviceDesk(allowed, self.ports, self.put.append)

    def appears(self, device: UsbIdentity) -> None:
        self.desk.tell(DeviceAppeared(AT, device))

    @property
    def refused(self) -> str:
        (item,) = self.put
        assert isinstance(item, DevicePlugged)
        return item.refused


@pytest.fixture
def desk() -> Desk:
    return Desk("0ab1:0002", "1-1.4")


def test_a_listed_device_is_put_to_the_table_as_it_is(desk: Desk) -> None:
    desk.appears(READER)
    assert desk.put == [DevicePlugged(AT, 0x0AB1, 0x0002, "12345", "1-1.2")]


def test_every_port_that_waits_is_woken(desk: Desk) -> None:
    desk.appears(READER)
    assert [port.woken for port in desk.ports] == [1, 1]


def test_a_device_that_is_not_listed_is_refused_with_what_to_do(desk: Desk) -> None:
    desk.appears(UsbIdentity(0x1234, 0x5678, "", "1-1.3", (SERIAL,)))
    assert "1234:5678" in desk.refused


@pytest.mark.parametrize("place", ["1-1.2", "1-1.4"])
def test_a_keyboard_is_refused_wherever_it_is_plugged_in(desk: Desk, place: str) -> None:
    desk.appears(UsbIdentity(0x0AB1, 0x0002, "", place, (SERIAL, KEYBOARD)))
    assert "keyboard" in desk.refused


def test_with_no_list_a_keyboard_is_refused_all_the_same() -> None:
    desk = Desk(listed=False)
    desk.appears(UsbIdentity(0x0AB1, 0x0002, "", "1-1.2", (SCANNER, KEYBOARD)))
    assert "keyboard" in desk.refused


def test_with_no_list_any_other_device_is_let_in() -> None:
    desk = Desk(listed=False)
    desk.appears(UsbIdentity(0x1234, 0x5678, "", "1-1.2", (SCANNER,)))
    assert desk.refused == ""


def test_an_empty_list_lets_nothing_in() -> None:
    desk = Desk()
    desk.appears(READER)
    assert desk.refused


@pytest.mark.parametrize("event", [DeviceAppeared, DeviceGone])
def test_a_hub_is_left_out(desk: Desk, event: type[DeviceAppeared | DeviceGone]) -> None:
    desk.desk.tell(event(AT, UsbIdentity(0x1D6B, 0x0002, "", "1-1", (HUB, HUB))))
    assert desk.put == []
    assert [port.woken for port in desk.ports] == [0, 0]


def test_a_hub_that_is_something_else_as_well_is_judged(desk: Desk) -> None:
    desk.appears(UsbIdentity(0x1D6B, 0x0002, "", "1-1", (HUB, KEYBOARD)))
    assert "keyboard" in desk.refused


def test_a_device_that_says_nothing_of_itself_is_judged_by_the_list(desk: Desk) -> None:
    desk.appears(UsbIdentity(0x1234, 0x5678, "", "1-1.3", ()))
    assert desk.refused


def test_a_device_that_is_gone_is_told_by_its_place_and_wakes_nobody(desk: Desk) -> None:
    desk.desk.tell(DeviceGone(AT, READER))
    assert desk.put == [DeviceUnplugged(AT, "1-1.2")]
    assert [port.woken for port in desk.ports] == [0, 0]
