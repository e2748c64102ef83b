"""What is plugged into this machine, and what to write into table.toml for each of it.

Responsible for: the URL that names each USB device and serial port, the judgement of the list of
USB devices, and where the devices of a configured table are.
Not responsible for: words and tables for people (cli_device_list), finding and opening devices
(firmware_bridge).
Source: package README, "Devices of a table"; USB-IF, "Defined class codes".
"""

from collections import Counter
from pathlib import Path
from typing import Final

from controller.config.load import TableConfig
from controller.service.device_log import part_of
from firmware_bridge.transport.allow_list import Allowed, AllowList, keyboard_refused
from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.port_url import DevicePath, UsbUrl, parse_port_url
from firmware_bridge.transport.serial_port import SerialPortInfo
from firmware_bridge.transport.usb_identity import HID_CLASS, UsbIdentity, boot_keyboards, usb_id
from firmware_bridge.transport.usb_serial import serial_path_of
from firmware_bridge.transport.usb_sysfs import (
    AttachedDevice,
    device_behind,
    refuse_unless_allowed,
    the_device,
)
from firmware_bridge.values import dataclass

# Kinds of device that are neither a reader nor a scanner: sound, printers, disks, hubs, cameras.
_NO_PORT_OF_OURS: Final = (0x01, 0x06, 0x07, 0x08, 0x09, 0x0E, 0xE0)
_HUB: Final = 0x09


@dataclass(frozen=True, slots=True)
class UsbShown:
    """One USB device: what to write for it, and whether it may be opened; `why` says the rest."""

    url: str
    usb_id: str
    serial_number: str
    place: str
    product: str
    may_be_opened: bool
    why: str


@dataclass(frozen=True, slots=True)
class SerialShown:
    """One serial port; `url` names it by its USB device, empty where it has none."""

    stable_name: str
    device: str
    place: str
    url: str
    usb_id: str
    serial_number: str
    description: str


@dataclass(frozen=True, slots=True)
class PartShown:
    """One device of the configured table, and how it stands."""

    part: str
    port: str
    there: bool
    standing: str


def is_hub(device: UsbIdentity) -> bool:
    interfaces = device.interfaces
    return bool(interfaces) and all(one.class_code == _HUB for one in interfaces)


# --- what is plugged in ---------------------------------------------------------------------------


def usb_shown(
    attached: tuple[AttachedDevice, ...],
    ports: tuple[SerialPortInfo, ...],
    products: dict[tuple[int, int], str],
    allowed: AllowList | None,
) -> tuple[UsbShown, ...]:
    """Every device with the URL that names it and no other."""
    with_port = {port.usb_path for port in ports if port.usb_path}
    shown = []
    for one in attached:
        device = one.identity
        may, why = _judged(device, allowed)
        scheme = "usbserial" if device.path in with_port else _scheme(device)
        # Whatever a keyboard sends is typed into this machine: no table has one.
        ours = bool(scheme) and not boot_keyboards(device)
        if may and not scheme:
            may, why = False, "it is no reader and no scanner"
        shown.append(
            UsbShown(
                url=_url(scheme, device, attached) if ours else "",
                usb_id=usb_id(device.vendor_id, device.product_id),
                serial_number=device.serial_number,
                place=device.path,
                product=products.get((one.address.bus, one.address.address), ""),
                may_be_opened=may,
                why=why,
            )
        )
    return tuple(shown)


def _judged(device: UsbIdentity, allowed: AllowList | None) -> tuple[bool, str]:
    """Whether the device may be opened; with no list, any but a keyboard."""
    before = f"{device.name} is refused: "
    if allowed is None:
        if boot_keyboards(device):
            return False, keyboard_refused(device).reason.removeprefix(before)
        return True, "no list is kept"
    judged = allowed.judge(device)
    if isinstance(judged, Allowed):
        return True, f"allowed by {judged.entry}"
    return False, judged.reason.removeprefix(before)


def _scheme(device: UsbIdentity) -> str:
    """How its bytes are reached; empty for a device that cannot be one of ours."""
    classes = [one.class_code for one in device.interfaces]
    if HID_CLASS in classes:
        return "usbhid"
    return "" if classes and all(one in _NO_PORT_OF_OURS for one in classes) else "usb"


def _url(scheme: str, device: UsbIdentity, attached: tuple[AttachedDevice, ...]) -> str:
    """By serial number where it names this device alone, else by place."""
    numbers = Counter(
        (one.identity.vendor_id, one.identity.product_id, one.identity.serial_number)
        for one in attached
    )
    number = device.serial_number
    alone = numbers[device.vendor_id, device.product_id, number] == 1
    # A question mark stands for a character that is not shown.
    by_number = bool(number) and "?" not in number and alone
    place = "" if by_number else device.path
    number = number if by_number else ""
    return str(UsbUrl(scheme, device.vendor_id, device.product_id, number, place))


def serial_shown(
    ports: tuple[SerialPortInfo, ...], attached: tuple[AttachedDevice, ...]
) -> tuple[SerialShown, ...]:
    """Every serial port; one that is its USB device's only one has a URL by that device, too."""
    devices = {one.identity.path: one.identity for one in attached}
    of_device = Counter(port.usb_path for port in ports)
    shown = []
    for port in ports:
        device = devices.get(port.usb_path)
        alone = device is not None and of_device[port.usb_path] == 1
        known = port.vendor_id >= 0 and port.product_id >= 0
        shown.append(
            SerialShown(
                stable_name=port.stable_path,
                device=port.device,
                place=port.place_path,
                url=_url("usbserial", device, attached) if device and alone else "",
                usb_id=usb_id(port.vendor_id, port.product_id) if known else "",
                serial_number=port.serial_number,
                description=port.description,
            )
        )
    return tuple(shown)


# --- the devices of a table -----------------------------------------------------------------------


def parts_shown(table: TableConfig) -> tuple[PartShown, ...]:
    """Each device of the table: there and allowed, or why not, as its port would say."""
    shown = []
    for port, _ in table.lines:
        there, standing = _standing(port, table.allowed)
        shown.append(PartShown(part_of(table.settings, port), port, there, standing))
    return tuple(shown)


def _standing(port: str, allowed: AllowList | None) -> tuple[bool, str]:
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
                found = the_device(url, allowed).identity
                behind = f", {serial_path_of(url)}" if url.scheme == "usbserial" else ""
                return True, f"there, at {found.path}{behind}"
            case _:
                return True, "a serial server, which is not asked"
    except PortUnavailable as error:
        words = str(error).removeprefix(f"{port} is ").removeprefix(f"{port}: ")
        return False, words.removesuffix("; `smartshoe devices` lists what is")
