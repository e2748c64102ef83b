"""The list of USB devices as the system's libusb gives it, through pyusb.

Responsible for: what is plugged in, typed, for `smartshoe devices`.
Not responsible for: opening one (usb_port) and for devices coming and going (hotplug).
Source: package README, "USB devices".
"""

from typing import Final

import usb.backend.libusb1
import usb.core

from firmware_bridge.transport.usb_identity import TEXT_MAX
from firmware_bridge.values import dataclass

LIBUSB_ABSENT: Final = "libusb is not installed; install the Debian package libusb-1.0-0"


class UsbUnavailable(Exception):
    """USB devices cannot be listed; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class UsbDeviceInfo:
    """One USB device. Texts come from the device, are only for show, and are empty where they
    cannot be read (often for want of permission).
    """

    bus: int
    address: int
    vendor_id: int
    product_id: int
    product: str
    serial_number: str


def list_usb_devices() -> tuple[UsbDeviceInfo, ...]:
    """The USB devices of this machine, by bus and address. Raises UsbUnavailable."""
    backend = usb.backend.libusb1.get_backend()
    if backend is None:
        raise UsbUnavailable(LIBUSB_ABSENT)
    try:
        devices = tuple(usb.core.find(find_all=True, backend=backend))
    except usb.core.USBError as error:
        raise UsbUnavailable(f"libusb cannot list devices: {error}") from error
    found = (
        UsbDeviceInfo(
            bus=int(device.bus or 0),
            address=int(device.address or 0),
            vendor_id=int(device.idVendor),
            product_id=int(device.idProduct),
            product=_text(device, "product"),
            serial_number=_text(device, "serial_number"),
        )
        for device in devices
    )
    return tuple(sorted(found, key=lambda info: (info.bus, info.address)))


def _text(device: object, name: str) -> str:
    """A device's own text, made harmless: printable ASCII, bounded, empty if unreadable."""
    try:
        text = getattr(device, name)
    except (usb.core.USBError, ValueError, NotImplementedError):
        return ""
    kept = "".join(char for char in str(text or "") if char.isascii() and char.isprintable())
    return kept[:TEXT_MAX]
