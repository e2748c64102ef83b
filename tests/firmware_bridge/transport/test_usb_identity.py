"""Identity of USB devices, and the allow-list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.system.messages.catalogue import to_words
from firmware_bridge.transport.allow_list import (
    AllowedId,
    AllowedPlace,
    AllowList,
    UsbDeviceAllowed,
    UsbDeviceRefused,
    parse_allow_entry,
)
from firmware_bridge.transport.usb_identity import (
    UsbIdentity,
    UsbInterface,
    boot_keyboards,
    interfaces_in,
)
from foundation.message import message
from foundation.recorded_text import foreign_text

VENDOR = UsbInterface(0, 0xFF, 0, 0)
KEYBOARD = UsbInterface(1, 3, 1, 1)
# A device, one configuration, a vendor's interface with two endpoints, a boot keyboard.
DESCRIPTORS = bytes.fromhex(
    "12 01 0002 00000040 B10A 0200 0001 01 02 03 01"
    "09 02 3900 02 01 00 80 32"
    "09 04 00 00 02 FF 00 00 00  07 05 81 02 4000 00  07 05 02 02 4000 00"
    "09 04 01 00 01 03 01 01 00  09 21 1101 00 01 22 3F00  07 05 83 03 0800 0A"
)


def reader(serial_number: str = "SN-1", path: str = "1-1", *more: UsbInterface) -> UsbIdentity:
    return UsbIdentity(0x0AB1, 0x0002, serial_number, path, (VENDOR, *more))


# --- interfaces -----------------------------------------------------------------------------------


def test_the_interfaces_are_read_from_the_descriptors() -> None:
    assert interfaces_in(DESCRIPTORS) == (VENDOR, KEYBOARD)


def test_a_setting_that_repeats_an_interface_counts_once() -> None:
    alternate = bytes.fromhex("09 04 00 01 00 FF 00 00 00")

    assert interfaces_in(DESCRIPTORS + alternate) == (VENDOR, KEYBOARD)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_as_descriptors(data: bytes) -> None:
    assert len(interfaces_in(data)) <= 64


def test_truncated_descriptors_are_read_as_far_as_possible() -> None:
    for size in range(len(DESCRIPTORS)):
        found = interfaces_in(DESCRIPTORS[:size])
        assert found == (VENDOR, KEYBOARD)[: len(found)], f"{size} bytes"


@pytest.mark.parametrize(
    ("interface", "expected"),
    [
        (UsbInterface(0, 3, 1, 1), True),
        (UsbInterface(0, 3, 1, 2), False),  # a mouse
        (UsbInterface(0, 3, 0, 0), False),  # a scanner
        (UsbInterface(0, 0xFF, 1, 1), False),
    ],
)
def test_a_keyboard_is_known_by_its_boot_interface(interface: UsbInterface, expected: bool) -> None:
    device = UsbIdentity(1, 2, "", "1-1", (interface,))

    assert bool(boot_keyboards(device)) is expected


def test_the_text_of_a_device_is_made_printable() -> None:
    assert foreign_text("SN\x1b[31m\u2603-1" + "x" * 100) == ("SN?[31m?-1" + "x" * 100)[:64]


# --- the allow-list -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("0ab1:0002", AllowedId(0x0AB1, 0x0002)),
        ("0AB1:0002:SN-1", AllowedId(0x0AB1, 0x0002, "SN-1")),
        ("0ab1:0002:a:b c", AllowedId(0x0AB1, 0x0002, "a:b c")),
        ("1-1.2", AllowedPlace("1-1.2")),
        ("12-4", AllowedPlace("12-4")),
    ],
)
def test_an_entry_is_read_and_written(text: str, entry: AllowedId | AllowedPlace) -> None:
    assert parse_allow_entry(text) == entry
    assert parse_allow_entry(str(entry)) == entry


@pytest.mark.parametrize(
    "text", ["", "0ab1", "ab1:2", "0ab1:000g", "1-", "-1", "1-1.", "usb://0ab1:0002", "0ab1:0002:"]
)
def test_an_invalid_entry_is_refused_with_the_allowed_forms(text: str) -> None:
    with pytest.raises(ValueError, match=r"does not name a USB device. Remedy: write VID:PID"):
        parse_allow_entry(text)


@pytest.mark.parametrize("number", ["a?b", "\u2603", "\x07", "x" * 65])
def test_an_ambiguous_serial_number_is_refused(number: str) -> None:
    with pytest.raises(
        ValueError, match=r"this is not a serial number. Allowed: 1 to 64 printable ASCII"
    ):
        parse_allow_entry(f"0ab1:0002:{number}")


@pytest.mark.parametrize("entry", ["0ab1:0002", "0ab1:0002:SN-1", "1-1"])
def test_a_device_on_the_list_is_allowed_by_its_entry(entry: str) -> None:
    allowed = AllowList((parse_allow_entry("1234:5678"), parse_allow_entry(entry)))

    assert allowed.check(reader()) == UsbDeviceAllowed(parse_allow_entry(entry))


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ((), "allow 0ab1:0002:SN-1, else unplug it"),
        (("1-1.1", "0ab1:0003"), "is not on the allow-list"),
        (("0ab1:0002:SN-2",), "with another serial number only"),
    ],
)
def test_a_device_that_is_not_on_the_list_is_refused(
    entries: tuple[str, ...], expected: str
) -> None:
    refused = AllowList(tuple(map(parse_allow_entry, entries))).check(reader())

    assert isinstance(refused, UsbDeviceRefused)
    words = to_words(refused.reason)
    assert words.startswith("USB device 0ab1:0002, serial number SN-1 at 1-1 is refused")
    assert expected in words


def test_an_unprintable_serial_number_is_not_offered_as_an_entry() -> None:
    refused = AllowList().check(reader("S?"))

    assert isinstance(refused, UsbDeviceRefused)
    assert "allow 0ab1:0002, else" in to_words(refused.reason)


@pytest.mark.parametrize("entry", ["0ab1:0002", "0ab1:0002:SN-1", "1-1"])
def test_no_list_allows_a_keyboard(entry: str) -> None:
    refused = AllowList((parse_allow_entry(entry),)).check(reader("SN-1", "1-1", KEYBOARD))

    assert isinstance(refused, UsbDeviceRefused)
    assert refused.why == message("usb_keyboard_refused")
