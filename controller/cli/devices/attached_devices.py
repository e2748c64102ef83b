"""Finds the URL and the permission of each attached USB device, serial port and table device.

Source: USB-IF, "Defined class codes".
"""

from collections import Counter
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.service.config.table_config import TableConfig
from controller.service.table_log import device_role
from controller.system.command_line.errors import parse_reports
from controller.system.messages.catalogue import to_words
from firmware_bridge.transport.allow_list import AllowList, UsbDeviceAllowed, refuse_keyboard
from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.port_url import DevicePath, UsbUrl, parse_port_url
from firmware_bridge.transport.serial_port import SerialPortInfo
from firmware_bridge.transport.usb_identity import HID_CLASS, UsbIdentity, boot_keyboards, usb_id
from firmware_bridge.transport.usb_serial import find_serial_path
from firmware_bridge.transport.usb_sysfs import (
    AttachedDevice,
    device_behind,
    find_device,
    refuse_unless_allowed,
)

# Classes that are neither reader nor scanner: sound, image, printer, disk, hub, video, wireless.
_UNUSABLE_CLASSES: Final = (0x01, 0x06, 0x07, 0x08, 0x09, 0x0E, 0xE0)
_HUB: Final = 0x09


class UsbListing(Struct, frozen=True):
    """One USB device: its URL for table.toml, whether it may be opened, and why."""

    url: str
    usb_id: str
    serial_number: str
    place: str
    product: str
    may_be_opened: bool
    why: str


class SerialListing(Struct, frozen=True):
    """One serial port; `url` names its USB device, empty if it has none."""

    stable_name: str
    device: str
    place: str
    url: str
    usb_id: str
    serial_number: str
    description: str


class TablePartListing(Struct, frozen=True):
    """One device of the configured table, and its state in words."""

    part: str
    port: str
    there: bool
    standing: str


def is_hub(device: UsbIdentity) -> bool:
    interfaces = device.interfaces
    return bool(interfaces) and all(one.class_code == _HUB for one in interfaces)


# --- what is plugged in ---------------------------------------------------------------------------


def list_usb(
    attached: tuple[AttachedDevice, ...],
    ports: tuple[SerialPortInfo, ...],
    products: dict[tuple[int, int], str],
    allowed: AllowList | None,
) -> tuple[UsbListing, ...]:
    """Every USB device with the URL that names it and no other device."""
    with_port = {port.usb_path for port in ports if port.usb_path}
    listings = []
    for one in attached:
        device = one.identity
        may, why = _may_open(device, allowed)
        scheme = "usbserial" if device.path in with_port else _scheme(device)
        # A keyboard types into this machine: it is never a table device.
        ours = bool(scheme) and not boot_keyboards(device)
        if may and not scheme:
            may, why = False, "it is neither a reader nor a scanner"
        listings.append(
            UsbListing(
                url=_url(scheme, device, attached) if ours else "",
                usb_id=usb_id(device.vendor_id, device.product_id),
                serial_number=device.serial_number,
                place=device.path,
                product=products.get((one.address.bus, one.address.address), ""),
                may_be_opened=may,
                why=why,
            )
        )
    return tuple(listings)


def _may_open(device: UsbIdentity, allowed: AllowList | None) -> tuple[bool, str]:
    """Whether the device may be opened, and why; without a list any device but a keyboard."""
    if allowed is None:
        if boot_keyboards(device):
            return False, to_words(refuse_keyboard(device).why)
        return True, "there is no allow-list"
    decision = allowed.check(device)
    if isinstance(decision, UsbDeviceAllowed):
        return True, f"allowed by {decision.entry}"
    return False, to_words(decision.why)


def _scheme(device: UsbIdentity) -> str:
    """The URL scheme of the device; empty if it cannot be a reader or scanner."""
    classes = [one.class_code for one in device.interfaces]
    if HID_CLASS in classes:
        return "usbhid"
    return "" if classes and all(one in _UNUSABLE_CLASSES for one in classes) else "usb"


def _url(scheme: str, device: UsbIdentity, attached: tuple[AttachedDevice, ...]) -> str:
    """By serial number if that is unique, else by place."""
    numbers = Counter(
        (one.identity.vendor_id, one.identity.product_id, one.identity.serial_number)
        for one in attached
    )
    number = device.serial_number
    alone = numbers[device.vendor_id, device.product_id, number] == 1
    # A question mark stands for an unprintable character.
    by_number = bool(number) and "?" not in number and alone
    place = "" if by_number else device.path
    number = number if by_number else ""
    return str(UsbUrl(scheme, device.vendor_id, device.product_id, number, place))


def list_serial(
    ports: tuple[SerialPortInfo, ...], attached: tuple[AttachedDevice, ...]
) -> tuple[SerialListing, ...]:
    """Every serial port, with the URL of its USB device if it is that device's only port."""
    devices = {one.identity.path: one.identity for one in attached}
    of_device = Counter(port.usb_path for port in ports)
    listings = []
    for port in ports:
        device = devices.get(port.usb_path)
        alone = device is not None and of_device[port.usb_path] == 1
        known = port.vendor_id >= 0 and port.product_id >= 0
        listings.append(
            SerialListing(
                stable_name=port.stable_path,
                device=port.device,
                place=port.place_path,
                url=_url("usbserial", device, attached) if device and alone else "",
                usb_id=usb_id(port.vendor_id, port.product_id) if known else "",
                serial_number=port.serial_number,
                description=port.description,
            )
        )
    return tuple(listings)


# --- the devices of a table -----------------------------------------------------------------------


def list_table_parts(table: TableConfig) -> tuple[TablePartListing, ...]:
    """Each device of the table: present and allowed, or the reason its port would give."""
    listings = []
    for port, _ in table.lines:
        there, standing = _port_state(port, table.allowed)
        listings.append(TablePartListing(device_role(table.settings, port), port, there, standing))
    return tuple(listings)


def _port_state(port: str, allowed: AllowList | None) -> tuple[bool, str]:
    url = parse_port_url(port)
    try:
        match url:
            case DevicePath(path=path):
                if not Path(path).exists():
                    return False, "not plugged in"
                device = device_behind(path)
                if device is not None:
                    refuse_unless_allowed(device, allowed)
                return True, f"there, {Path(path).resolve()}"
            case UsbUrl():
                found = find_device(url, allowed).identity
                behind = f", {find_serial_path(url)}" if url.scheme == "usbserial" else ""
                return True, f"there, at {found.path}{behind}"
            case _:
                return True, "a serial server, not contacted"
    except PortUnavailable as error:
        return False, parse_reports(to_words(error.why))[0].problem.removeprefix("it is ")
