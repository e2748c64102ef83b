"""URLs and permissions of attached devices, from fixed values."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli.devices import attached_devices as plugged_in
from controller.cli.devices.attached_devices import (
    SerialListing,
    UsbListing,
    is_hub,
    list_serial,
    list_table_parts,
    list_usb,
)
from controller.service.config.load import load_config
from controller.service.config.table_config import TableConfig
from firmware_bridge.transport.allow_list import AllowList, parse_allow_entry
from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.serial_port import SerialPortInfo
from firmware_bridge.transport.usb_identity import UsbIdentity, UsbInterface
from firmware_bridge.transport.usb_sysfs import AttachedDevice, UsbAddress
from foundation.message import Message, message

VENDOR, HID_POS, KEYBOARD, DISK, HUB = (
    UsbInterface(0, *claimed)
    for claimed in ((0xFF, 0, 0), (3, 0, 0), (3, 1, 1), (8, 6, 80), (9, 0, 0))
)


def attached(
    number: str, *interfaces: UsbInterface, path: str = "1-1", ids: tuple[int, int] = (0x0AB1, 2)
) -> AttachedDevice:
    device = UsbIdentity(*ids, number, path, interfaces)
    return AttachedDevice(device, UsbAddress(1, int(path[-1])))


READER = attached("12345678", VENDOR)
ADAPTER = SerialPortInfo(
    "/dev/ttyUSB0", "/dev/serial/by-id/a", "/dev/serial/by-path/p", "", 0x0AB1, 2, "12345678", "1-1"
)
ON_BOARD = SerialPortInfo("/dev/ttyS0", "/dev/ttyS0", "", "", -1, -1, "")


def usb(*devices: AttachedDevice, allowed: AllowList | None = None) -> tuple[UsbListing, ...]:
    return list_usb(devices, (), {}, allowed)


@pytest.mark.parametrize(
    ("device", "url"),
    [
        (READER, "usb://0ab1:0002/12345678"),
        (attached("", VENDOR), "usb://0ab1:0002/@1-1"),
        (attached("A?B", VENDOR), "usb://0ab1:0002/@1-1"),
        (attached("A B", HID_POS), "usbhid://0ab1:0002/A%20B"),
        (attached("7", HID_POS, KEYBOARD), ""),
        (attached("7", DISK), ""),
        (attached("7"), "usb://0ab1:0002/7"),
    ],
    ids=["reader", "no number", "odd number", "scanner", "keyboard", "disk", "says nothing"],
)
def test_a_device_is_named_by_its_kind_and_number(device: AttachedDevice, url: str) -> None:
    assert [one.url for one in usb(device)] == [url]


def test_two_devices_of_one_number_are_named_by_their_places() -> None:
    devices = (attached("7", VENDOR), attached("7", VENDOR, path="1-2"))

    assert [one.url for one in usb(*devices)] == ["usb://0ab1:0002/@1-1", "usb://0ab1:0002/@1-2"]


def test_a_device_with_a_serial_port_is_named_by_that() -> None:
    shown = list_usb((READER,), (ADAPTER,), {(1, 1): "Adapter"}, None)

    assert [(one.url, one.product) for one in shown] == [
        ("usbserial://0ab1:0002/12345678", "Adapter")
    ]


@pytest.mark.parametrize(
    ("entry", "may", "why"),
    [
        (None, True, "there is no allow-list"),
        ("0ab1:0002", True, "allowed by 0ab1:0002"),
        ("1-1", True, "allowed by 1-1"),
        ("0c2e:0b81", False, "it is not on the allow-list; if it belongs to the table, "),
    ],
)
def test_the_allow_list_of_a_table_is_applied(entry: str | None, may: bool, why: str) -> None:
    allowed = None if entry is None else AllowList((parse_allow_entry(entry),))
    (shown,) = usb(READER, allowed=allowed)

    assert (shown.may_be_opened, shown.why[: len(why)]) == (may, why)


def test_a_refused_device_keeps_its_url_since_it_may_be_put_on_the_list() -> None:
    (shown,) = usb(READER, allowed=AllowList())

    assert shown.url == "usb://0ab1:0002/12345678"


@pytest.mark.parametrize("allowed", [None, AllowList((parse_allow_entry("1-1"),))])
def test_a_keyboard_is_refused_whatever_the_allow_list(allowed: AllowList | None) -> None:
    (shown,) = usb(attached("7", HID_POS, KEYBOARD), allowed=allowed)

    assert not shown.may_be_opened
    assert shown.why.startswith("it has a keyboard interface")


@pytest.mark.parametrize(
    ("interfaces", "hub"), [((HUB,), True), ((HUB, HID_POS), False), ((), False)]
)
def test_a_hub_is_recognized(interfaces: tuple[UsbInterface, ...], hub: bool) -> None:
    assert is_hub(attached("", *interfaces).identity) is hub


def urls(*ports: SerialPortInfo) -> list[str]:
    return [one.url for one in list_serial(ports, (READER,))]


def test_a_serial_port_is_named_by_its_usb_device_where_it_is_the_only_one() -> None:
    assert urls(ADAPTER) == ["usbserial://0ab1:0002/12345678"]
    assert urls(ADAPTER, ADAPTER) == ["", ""]


def test_a_port_of_the_machine_itself_has_its_path_alone() -> None:
    assert list_serial((ON_BOARD,), (READER,)) == (
        SerialListing("/dev/ttyS0", "/dev/ttyS0", "", "", "", "", ""),
    )


# --- the devices of a table -----------------------------------------------------------------------


@pytest.fixture
def line() -> Iterator[str]:
    """A serial line of this machine."""
    ours, theirs = os.openpty()
    yield os.ttyname(theirs)
    os.close(ours)
    os.close(theirs)


def table(folder: Path, shoe: str, rest: str = "") -> TableConfig:
    file = folder / "table.toml"
    file.write_text(f'[table]\nname = "M7"\n[shoe]\nport = "{shoe}"\n{rest}')
    return load_config(file)


def test_an_existing_path_is_shown(fast_dir: Path, line: str) -> None:
    (shown,) = list_table_parts(table(fast_dir, line))

    assert (shown.part, shown.there, shown.standing) == ("shoe", True, f"there, {line}")


def test_a_missing_path_is_shown(fast_dir: Path) -> None:
    (shown,) = list_table_parts(table(fast_dir, "/dev/ttyNONE9"))

    assert (shown.there, shown.standing) == (False, "not plugged in")


def test_a_serial_server_is_not_contacted(fast_dir: Path) -> None:
    (shown,) = list_table_parts(table(fast_dir, "socket://192.0.2.10:4001"))

    assert (shown.there, shown.standing) == (True, "a serial server, not contacted")


PORT = "usbhid://0c2e:0b81/S1"
SCANNER = f'[[scanner]]\nport = "{PORT}"\nmodel = "hid-pos"\n'


def test_an_attached_usb_device_is_shown_with_its_place(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugged_in, "find_device", lambda _url, _allowed: READER)
    shown = list_table_parts(table(fast_dir, "/dev/ttyNONE9", SCANNER))[1]

    assert (shown.part, shown.standing) == ("scanner", "there, at 1-1")


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        (message("usb_not_plugged_in", port=PORT), "not plugged in"),
        (
            message(
                "usb_several_such_devices",
                port=PORT,
                number=2,
                places=("1-1", "1-2"),
                example="usb://.../@1-1",
            ),
            "2 such devices are plugged in, at 1-1, 1-2",
        ),
        (
            message(
                "usb_device_refused",
                device=message("usb_device_at", device="046d:c31c", place="1-2"),
                why=message("usb_keyboard_refused"),
            ),
            (
                "USB device 046d:c31c at 1-2 is refused: it has a keyboard interface, and no"
                " keyboard is allowed at a table; unplug it (a bar code scanner must be set to USB"
                " HID POS)"
            ),
        ),
    ],
    ids=["absent", "ambiguous", "refused"],
)
def test_a_usb_device_that_cannot_be_opened_is_shown_with_the_reason(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch, reason: Message, expected: str
) -> None:
    def unavailable(*_: object) -> AttachedDevice:
        raise PortUnavailable(reason)

    monkeypatch.setattr(plugged_in, "find_device", unavailable)
    shown = list_table_parts(table(fast_dir, "/dev/ttyNONE9", SCANNER))[1]

    assert (shown.there, shown.standing) == (False, expected)
