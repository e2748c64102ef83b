"""Encodes the USB and HID descriptors of an emulated device.

Source: USB 2.0, section 9.6; HID 1.11, section 6.2 and appendix B.
"""

import struct
from dataclasses import dataclass

IN = 0x80
BULK, INTERRUPT = 0x02, 0x03
VENDOR_CLASS, HID_CLASS = 0xFF, 0x03
BOOT_SUBCLASS, KEYBOARD_PROTOCOL = 0x01, 0x01
DEVICE, CONFIGURATION, STRING, INTERFACE, ENDPOINT, HID, REPORT = 1, 2, 3, 4, 5, 0x21, 0x22
US_ENGLISH = bytes([4, STRING, 0x09, 0x04])
BUS_POWERED = 0x80
POWER_2_MA = 50
MANUFACTURER_STRING, PRODUCT_STRING, SERIAL_STRING = 1, 2, 3

KEYBOARD_REPORTS = bytes.fromhex(
    "05 01 09 06 A1 01 05 07 19 E0 29 E7 15 00 25 01 75 01 95 08 81 02 95 01 75 08 81 01"
    "95 05 75 01 05 08 19 01 29 05 91 02 95 01 75 03 91 01 95 06 75 08 15 00 25 65 05 07"
    "19 00 29 65 81 00 C0"
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`address` with its direction bit; `kind` BULK or INTERRUPT."""

    address: int
    kind: int
    packet_bytes: int = 64
    interval: int = 0

    def encode(self) -> bytes:
        return struct.pack(
            "<BBBBHB", 7, ENDPOINT, self.address, self.kind, self.packet_bytes, self.interval
        )


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface without alternate settings. `reports`: a HID report descriptor, or empty;
    `class_descriptors`: further descriptors that its class requires.
    """

    class_code: int
    subclass: int
    protocol: int
    endpoints: tuple[Endpoint, ...]
    reports: bytes = b""
    class_descriptors: bytes = b""

    def encode(self, number: int) -> bytes:
        codes = (self.class_code, self.subclass, self.protocol)
        head = bytes([9, INTERFACE, number, 0, len(self.endpoints), *codes, 0])
        endpoints = b"".join(one.encode() for one in self.endpoints)
        return head + self.hid() + self.class_descriptors + endpoints

    def hid(self) -> bytes:
        """The HID descriptor, which holds the length of the report descriptor."""
        if not self.reports:
            return b""
        return struct.pack("<BBHBBBH", 9, HID, 0x0111, 0, 1, REPORT, len(self.reports))


@dataclass(frozen=True, slots=True)
class UsbIdentity:
    """The ids and strings of a device descriptor. An empty string is left out."""

    vendor_id: int
    product_id: int
    serial_number: str
    product: str = "emulated device"
    manufacturer: str = "emulated"
    release: int = 0x0100

    def strings(self) -> dict[int, str]:
        texts = {
            MANUFACTURER_STRING: self.manufacturer,
            PRODUCT_STRING: self.product,
            SERIAL_STRING: self.serial_number,
        }
        return {index: text for index, text in texts.items() if text}

    def device_descriptor(self) -> bytes:
        strings = self.strings()
        return struct.pack(
            "<BBHBBBBHHHBBBB",
            *(18, DEVICE, 0x0200, 0, 0, 0, 64),
            *(self.vendor_id, self.product_id, self.release),
            *(index if index in strings else 0 for index in (1, 2, 3)),
            1,
        )


def configuration_descriptor(interfaces: tuple[Interface, ...]) -> bytes:
    """The only configuration with all its interfaces and endpoints."""
    parts = b"".join(one.encode(number) for number, one in enumerate(interfaces))
    head = struct.pack(
        *("<BBHBBBBB", 9, CONFIGURATION, 9 + len(parts)),
        *(len(interfaces), 1, 0, BUS_POWERED, POWER_2_MA),
    )
    return head + parts


def string_descriptor(text: str) -> bytes:
    data = text.encode("utf-16-le")[:252]
    return bytes([2 + len(data), STRING]) + data
