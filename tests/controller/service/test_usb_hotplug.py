"""USB hot plug: inputs for allowed, refused and removed devices, and waking of ports.

Source: USB 2.0, section 9.6; HID 1.11, section 4.
"""

import pytest
from in_words import why_words
from msgspec.structs import replace

from controller.core.tape.inputs import DevicePlugged, DeviceUnplugged
from controller.service.usb_hotplug import UsbHotplug
from firmware_bridge.transport.allow_list import AllowList, parse_allow_entry
from firmware_bridge.transport.usb_identity import (
    DeviceAppeared,
    DeviceGone,
    UsbIdentity,
    UsbInterface,
)
from foundation.timestamp import Timestamp

AT = Timestamp(5, 7)
SERIAL = UsbInterface(0, 0xFF, 0, 0)
KEYBOARD = UsbInterface(1, 0x03, 0x01, 0x01)
SCANNER = UsbInterface(0, 0x03, 0x00, 0x00)
HUB = UsbInterface(0, 0x09, 0, 0)
READER = UsbIdentity(0x0AB1, 0x0002, "12345", "1-1.2", (SERIAL,))


class Port:
    """A waiting port that counts its wake-ups."""

    def __init__(self) -> None:
        self.woken = 0

    def wake(self) -> None:
        self.woken += 1


class HotplugBench:
    def __init__(self, *entries: str, listed: bool = True) -> None:
        self.put: list[DevicePlugged | DeviceUnplugged] = []
        self.ports = (Port(), Port())
        allowed = AllowList(tuple(map(parse_allow_entry, entries))) if listed else None
        self.hotplug = UsbHotplug(allowed, self.ports, self.put.append)

    def appears(self, device: UsbIdentity) -> None:
        self.hotplug.on_device_event(DeviceAppeared(AT, device))

    @property
    def refused(self) -> str:
        (item,) = self.put
        assert isinstance(item, DevicePlugged)
        return why_words(item.refused)


@pytest.fixture
def bench() -> HotplugBench:
    return HotplugBench("0ab1:0002", "1-1.4")


def test_a_listed_device_is_put_to_the_table(bench: HotplugBench) -> None:
    bench.appears(READER)
    assert bench.put == [DevicePlugged(AT, 0x0AB1, 0x0002, "12345", "1-1.2")]


def test_a_second_device_with_the_serial_number_of_a_present_one_is_refused_and_said(
    bench: HotplugBench,
) -> None:
    bench.appears(READER)
    bench.put.clear()
    bench.appears(replace(READER, path="1-1.3"))

    assert bench.refused == (
        "USB device 0ab1:0002, serial number 12345 at 1-1.3: a device with the same serial number"
        " is plugged in at 1-1.2, and the two cannot be told apart. Remedy: unplug the one that is"
        " not the table's"
    )


def test_a_device_that_was_plugged_in_elsewhere_is_the_same_one(bench: HotplugBench) -> None:
    bench.appears(READER)
    bench.hotplug.on_device_event(DeviceGone(AT, READER))
    bench.put.clear()
    bench.appears(replace(READER, path="1-1.3"))

    assert bench.put == [DevicePlugged(AT, 0x0AB1, 0x0002, "12345", "1-1.3")]


def test_devices_without_a_serial_number_are_not_compared(bench: HotplugBench) -> None:
    bench.appears(replace(READER, serial_number=""))
    bench.put.clear()
    bench.appears(replace(READER, serial_number="", path="1-1.3"))

    assert bench.put == [DevicePlugged(AT, 0x0AB1, 0x0002, "", "1-1.3")]


def test_every_port_that_waits_is_woken(bench: HotplugBench) -> None:
    bench.appears(READER)
    assert [port.woken for port in bench.ports] == [1, 1]


def test_a_device_that_is_not_listed_is_refused_with_what_to_do(bench: HotplugBench) -> None:
    bench.appears(UsbIdentity(0x1234, 0x5678, "", "1-1.3", (SERIAL,)))
    assert "1234:5678" in bench.refused


@pytest.mark.parametrize("place", ["1-1.2", "1-1.4"])
def test_a_keyboard_is_refused_wherever_it_is_plugged_in(bench: HotplugBench, place: str) -> None:
    bench.appears(UsbIdentity(0x0AB1, 0x0002, "", place, (SERIAL, KEYBOARD)))
    assert "keyboard" in bench.refused


def test_without_a_list_a_keyboard_is_refused() -> None:
    bench = HotplugBench(listed=False)
    bench.appears(UsbIdentity(0x0AB1, 0x0002, "", "1-1.2", (SCANNER, KEYBOARD)))
    assert "keyboard" in bench.refused


def test_without_a_list_any_other_device_is_allowed() -> None:
    bench = HotplugBench(listed=False)
    bench.appears(UsbIdentity(0x1234, 0x5678, "", "1-1.2", (SCANNER,)))
    assert bench.refused == ""


def test_an_empty_list_refuses_every_device() -> None:
    bench = HotplugBench()
    bench.appears(READER)
    assert bench.refused


@pytest.mark.parametrize("event", [DeviceAppeared, DeviceGone])
def test_a_hub_is_ignored(bench: HotplugBench, event: type[DeviceAppeared | DeviceGone]) -> None:
    bench.hotplug.on_device_event(event(AT, UsbIdentity(0x1D6B, 0x0002, "", "1-1", (HUB, HUB))))
    assert bench.put == []
    assert [port.woken for port in bench.ports] == [0, 0]


def test_a_hub_with_another_interface_is_checked(bench: HotplugBench) -> None:
    bench.appears(UsbIdentity(0x1D6B, 0x0002, "", "1-1", (HUB, KEYBOARD)))
    assert "keyboard" in bench.refused


def test_a_device_without_interfaces_is_checked_by_the_list(bench: HotplugBench) -> None:
    bench.appears(UsbIdentity(0x1234, 0x5678, "", "1-1.3", ()))
    assert bench.refused


def test_a_removed_device_is_put_by_its_path_and_wakes_no_port(bench: HotplugBench) -> None:
    bench.hotplug.on_device_event(DeviceGone(AT, READER))
    assert bench.put == [DeviceUnplugged(AT, "1-1.2")]
    assert [port.woken for port in bench.ports] == [0, 0]
