"""Which USB device it is: ids, serial number, place, and what its interfaces claim to be.

Responsible for: the values that tell one device from another, devices that come and go as values,
the interfaces in a device's descriptors, and the one question what types like a keyboard.
Not responsible for: where they are read (usb_sysfs), which devices are allowed (allow_list). All
that stands here was said by the device and proves nothing.
Source: package README, "USB devices"; USB 2.0, section 9.6; HID 1.11, section 4.
"""

from typing import Final, TypeAlias

from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass

TEXT_MAX: Final = 64
HID_CLASS: Final = 0x03
_BOOT_SUBCLASS: Final = 0x01
_KEYBOARD_PROTOCOL: Final = 0x01
_INTERFACE_DESCRIPTOR: Final = 0x04
_INTERFACE_BYTES: Final = 9
_INTERFACES_MAX: Final = 64


@dataclass(frozen=True, slots=True)
class UsbInterface:
    """One interface of a device, as its descriptor claims."""

    number: int
    class_code: int
    subclass: int
    protocol: int


@dataclass(frozen=True, slots=True)
class UsbIdentity:
    """One USB device. `path` is the place it is plugged in (bus-port.port, such as 1-1.2), which
    stays the same when it is plugged in there again. Texts are printable ASCII, other characters
    shown as question marks; `serial_number` is empty where the device has none.
    """

    vendor_id: int
    product_id: int
    serial_number: str
    path: str
    interfaces: tuple[UsbInterface, ...]

    @property
    def name(self) -> str:
        """For people: ids, serial number and place."""
        number = f", serial number {self.serial_number}" if self.serial_number else ""
        return f"USB device {usb_id(self.vendor_id, self.product_id)}{number} at {self.path}"


@dataclass(frozen=True, slots=True)
class DeviceAppeared:
    """A device is there: at the start of the watch, or newly plugged in."""

    at: Timestamp
    device: UsbIdentity


@dataclass(frozen=True, slots=True)
class DeviceGone:
    """A device that was there is unplugged."""

    at: Timestamp
    device: UsbIdentity


DeviceEvent: TypeAlias = DeviceAppeared | DeviceGone


def usb_id(vendor_id: int, product_id: int) -> str:
    """VID:PID as people write it."""
    return f"{vendor_id:04x}:{product_id:04x}"


def harmless(text: str) -> str:
    """A device's own text, bounded, printable ASCII; any other character is a question mark."""
    kept = (char if char.isascii() and char.isprintable() else "?" for char in text[:TEXT_MAX])
    return "".join(kept)


def interfaces_in(descriptors: bytes) -> tuple[UsbInterface, ...]:
    """The interfaces in a chain of descriptors, every alternate setting once, in their order."""
    found: list[UsbInterface] = []
    at = 0
    while at + 1 < len(descriptors) and len(found) < _INTERFACES_MAX:
        length = descriptors[at]
        if length < 2:
            break  # a chain that does not go on
        part = descriptors[at : at + length]
        at += length
        if len(part) < _INTERFACE_BYTES or part[1] != _INTERFACE_DESCRIPTOR:
            continue
        interface = UsbInterface(part[2], part[5], part[6], part[7])
        if interface not in found:
            found.append(interface)
    return tuple(found)


def boot_keyboards(device: UsbIdentity) -> tuple[UsbInterface, ...]:
    """Interfaces that say they are keyboards: what they send would be typed into this machine."""
    return tuple(
        one
        for one in device.interfaces
        if (one.class_code, one.subclass, one.protocol)
        == (HID_CLASS, _BOOT_SUBCLASS, _KEYBOARD_PROTOCOL)
    )
