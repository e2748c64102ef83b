"""Lists USB devices through pyusb and the system's libusb, for `smartshoe devices`.

Source: firmware_bridge/transport/README.md, "USB devices".
"""

from typing import Final

import usb.backend.libusb1
import usb.core
from msgspec import Struct

from firmware_bridge.transport.system_error import system_error
from foundation.message import MessageError, message
from foundation.recorded_text import TEXT_MAX

LIBUSB_ABSENT: Final = message("libusb_absent")


class UsbUnavailable(MessageError):
    """USB devices cannot be listed; `why` gives cause and remedy."""


class UsbDeviceInfo(Struct, frozen=True):
    """One USB device. Texts come from the device and are for display only.

    A text is empty if it cannot be read, often because of missing permission.
    """

    bus: int
    address: int
    vendor_id: int
    product_id: int
    product: str
    serial_number: str


def list_usb_devices() -> tuple[UsbDeviceInfo, ...]:
    """List the USB devices of this machine, by bus and address. Raises UsbUnavailable."""
    backend = usb.backend.libusb1.get_backend()
    if backend is None:
        raise UsbUnavailable(LIBUSB_ABSENT)
    try:
        devices = tuple(usb.core.find(find_all=True, backend=backend))
    except usb.core.USBError as error:
        raise UsbUnavailable(message("libusb_cannot_list", why=system_error(error))) from error
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
    """A text from a device: printable ASCII, bounded, empty if unreadable."""
    try:
        text = getattr(device, name)
    except (usb.core.USBError, ValueError, NotImplementedError):
        return ""
    printable = "".join(char for char in str(text or "") if char.isascii() and char.isprintable())
    return printable[:TEXT_MAX]
