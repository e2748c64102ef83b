"""Identity of a USB device: ids, serial number, place, and the interfaces it declares.

Everything here was stated by the device and proves nothing.
Source: firmware_bridge/transport/README.md, "USB devices"; USB 2.0, section 9.6; HID 1.11, section
4.
"""

from typing import Final, TypeAlias

from msgspec import Struct

from foundation.message import Message, message
from foundation.recorded_text import ForeignText, Identifier
from foundation.timestamp import Timestamp

HID_CLASS: Final = 0x03
_BOOT_SUBCLASS: Final = 0x01
_KEYBOARD_PROTOCOL: Final = 0x01
_INTERFACE_DESCRIPTOR: Final = 0x04
_INTERFACE_BYTES: Final = 9
_INTERFACES_MAX: Final = 64


class UsbInterface(Struct, frozen=True):
    """One interface of a device, as its descriptor declares."""

    number: int
    class_code: int
    subclass: int
    protocol: int


class UsbIdentity(Struct, frozen=True):
    """One USB device. `path` is the place where it is plugged in (bus-port.port, such as 1-1.2).

    Texts are printable ASCII, with question marks for other characters; `serial_number` is empty
    if the device has none.
    """

    vendor_id: int
    product_id: int
    serial_number: ForeignText
    path: Identifier
    interfaces: tuple[UsbInterface, ...]

    @property
    def name(self) -> Message:
        """For people: ids, serial number and place."""
        ids, number = usb_id(self.vendor_id, self.product_id), self.serial_number
        if not number:
            return message("usb_device_at", device=ids, place=self.path)
        return message(
            "usb_device_with_serial_number_at", device=ids, foreign=number, place=self.path
        )


class DeviceAppeared(Struct, frozen=True):
    """A device is present: at the start of the watch, or newly plugged in."""

    at: Timestamp
    device: UsbIdentity


class DeviceGone(Struct, frozen=True):
    """A device was unplugged."""

    at: Timestamp
    device: UsbIdentity


UsbDeviceEvent: TypeAlias = DeviceAppeared | DeviceGone


def usb_id(vendor_id: int, product_id: int) -> str:
    """Format ids as VID:PID."""
    return f"{vendor_id:04x}:{product_id:04x}"


def interfaces_in(descriptors: bytes) -> tuple[UsbInterface, ...]:
    """The interfaces in a chain of descriptors, each alternate setting once, in order."""
    found: list[UsbInterface] = []
    at = 0
    while at + 1 < len(descriptors) and len(found) < _INTERFACES_MAX:
        length = descriptors[at]
        if length < 2:
            break  # a broken chain
        part = descriptors[at : at + length]
        at += length
        if len(part) < _INTERFACE_BYTES or part[1] != _INTERFACE_DESCRIPTOR:
            continue
        interface = UsbInterface(part[2], part[5], part[6], part[7])
        if interface not in found:
            found.append(interface)
    return tuple(found)


def boot_keyboards(device: UsbIdentity) -> tuple[UsbInterface, ...]:
    """Interfaces that declare themselves keyboards: their input is typed into this machine."""
    return tuple(
        one
        for one in device.interfaces
        if (one.class_code, one.subclass, one.protocol)
        == (HID_CLASS, _BOOT_SUBCLASS, _KEYBOARD_PROTOCOL)
    )
