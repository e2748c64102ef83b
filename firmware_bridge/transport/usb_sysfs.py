"""The USB devices the kernel sees, read from /sys without opening one.

Source: firmware_bridge/transport/README.md, "USB devices"; Linux
Documentation/ABI/stable/sysfs-bus-usb.
"""

import stat
from pathlib import Path
from typing import Final

from msgspec import Struct

from firmware_bridge.transport.allow_list import PLACE, AllowList, UsbDeviceRefused, refuse_keyboard
from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.port_url import UsbUrl
from firmware_bridge.transport.usb_identity import (
    UsbIdentity,
    boot_keyboards,
    interfaces_in,
)
from foundation.message import message
from foundation.recorded_text import ForeignText, foreign_text

SYSFS: Final = Path("/sys")
# 18 bytes of the device and every configuration; the kernel reads at most 64 KiB of one.
_DESCRIPTOR_BYTES_MAX: Final = 65536 * 2
_TEXT_BYTES_MAX: Final = 1024


class UsbAddress(Struct, frozen=True):
    """The kernel's address of a device; it changes each time the device is plugged in."""

    bus: int
    address: int


class AttachedDevice(Struct, frozen=True):
    """A device that is plugged in; root hubs (usb1, ...) are left out."""

    identity: UsbIdentity
    address: UsbAddress


def attached_devices(sysfs: Path = SYSFS) -> tuple[AttachedDevice, ...]:
    """All USB devices, by place; one that disappears while it is read is left out."""
    found = (device_at(path, sysfs) for path in occupied_places(sysfs))
    return tuple(device for device in found if device is not None)


def address_at(path: str, sysfs: Path = SYSFS) -> UsbAddress | None:
    """The address of the device at a place; None if there is none."""
    folder = sysfs / "bus/usb/devices" / path
    try:
        return UsbAddress(_number(folder, "busnum"), _number(folder, "devnum"))
    except (OSError, ValueError):
        return None


def occupied_places(sysfs: Path = SYSFS) -> tuple[str, ...]:
    """The places where a device is plugged in."""
    try:
        names = sorted(entry.name for entry in (sysfs / "bus/usb/devices").iterdir())
    except OSError:
        return ()  # a machine without USB
    return tuple(name for name in names if PLACE.fullmatch(name))


def device_at(path: str, sysfs: Path = SYSFS) -> AttachedDevice | None:
    """The device at a place; None if there is none."""
    return _read(sysfs / "bus/usb/devices" / path)


def device_behind(port: str, sysfs: Path = SYSFS) -> UsbIdentity | None:
    """The USB device that a serial port belongs to; None if it does not belong to one."""
    try:
        status = Path(port).stat()
        if not stat.S_ISCHR(status.st_mode):
            return None
        name = Path(port).resolve().name
        folder = (sysfs / "class/tty" / name / "device").resolve(strict=True)
    except OSError:
        return None
    for place in folder.parents:
        if PLACE.fullmatch(place.name) and (device := _read(place)) is not None:
            return device.identity
    return None


def find_device(url: UsbUrl, allowed: AllowList | None, sysfs: Path = SYSFS) -> AttachedDevice:
    """Find the only device a URL names, if it may be opened. Raises PortUnavailable."""
    ids = (url.vendor_id, url.product_id)
    same = tuple(
        device
        for device in attached_devices(sysfs)
        if (device.identity.vendor_id, device.identity.product_id) == ids
    )
    named = tuple(
        device
        for device in same
        if url.serial_number in ("", device.identity.serial_number)
        and url.path in ("", device.identity.path)
    )
    if len(named) > 1:
        places = tuple(device.identity.path for device in named)
        raise PortUnavailable(
            message(
                "usb_several_such_devices",
                port=str(url),
                number=len(named),
                places=places,
                example=f"{url.scheme}://.../@{places[0]}",
            )
        )
    if not named and same:
        others = tuple(device.identity.name for device in same)
        raise PortUnavailable(message("usb_others_plugged_in", port=str(url), others=others))
    if not named:
        raise PortUnavailable(message("usb_not_plugged_in", port=str(url)))
    refuse_unless_allowed(named[0].identity, allowed)
    return named[0]


def refuse_unless_allowed(device: UsbIdentity, allowed: AllowList | None) -> None:
    """Raise PortUnavailable with the reason; without a list, only keyboards are refused."""
    if allowed is not None:
        decision = allowed.check(device)
        if isinstance(decision, UsbDeviceRefused):
            raise PortUnavailable(decision.reason)
    elif boot_keyboards(device):
        raise PortUnavailable(refuse_keyboard(device).reason)


def _read(folder: Path) -> AttachedDevice | None:
    try:
        identity = UsbIdentity(
            vendor_id=int(_text(folder, "idVendor"), 16),
            product_id=int(_text(folder, "idProduct"), 16),
            serial_number=_serial_number(folder),
            path=folder.name,
            interfaces=interfaces_in(_bytes(folder / "descriptors", _DESCRIPTOR_BYTES_MAX)),
        )
        address = UsbAddress(_number(folder, "busnum"), _number(folder, "devnum"))
    except (OSError, ValueError):
        return None
    return AttachedDevice(identity, address)


def _serial_number(folder: Path) -> ForeignText:
    try:
        return foreign_text(_text(folder, "serial"))
    except FileNotFoundError:
        return ""  # the device has none


def _number(folder: Path, name: str) -> int:
    return int(_text(folder, name))


def _text(folder: Path, name: str) -> str:
    data = _bytes(folder / name, _TEXT_BYTES_MAX)
    return data.decode("utf-8", "replace").removesuffix("\n")


def _bytes(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)
