"""The allow-list: which USB devices may be opened at this table.

A device states its own identity: the list keeps out what was plugged in by mistake or on a whim,
and any keyboard that declares itself one. It is not proof of identity.
Source: firmware_bridge/transport/README.md, "Allow-list"; Linux
Documentation/usb/authorization.rst.
"""

import re
from typing import Final, TypeAlias, assert_never

from msgspec import Struct

from firmware_bridge.transport.usb_identity import UsbIdentity, boot_keyboards, usb_id
from foundation.message import Message, message
from foundation.recorded_text import TEXT_MAX

PLACE: Final = re.compile(r"[0-9]{1,3}-[0-9]{1,3}(?:\.[0-9]{1,3}){0,5}")
_IDS: Final = re.compile(r"([0-9a-fA-F]{4}):([0-9a-fA-F]{4})(?::(.+))?")
ENTRY_FORMS: Final = "VID:PID, VID:PID:SERIAL (such as 0ab1:0002:12345678) or a place such as 1-1.2"


class AllowedId(Struct, frozen=True):
    """A device type, or one device with a serial number; empty: any serial number."""

    vendor_id: int
    product_id: int
    serial_number: str = ""

    def __str__(self) -> str:
        number = f":{self.serial_number}" if self.serial_number else ""
        return f"{usb_id(self.vendor_id, self.product_id)}{number}"


class AllowedPlace(Struct, frozen=True):
    """Any device at this place, except keyboards."""

    path: str

    def __str__(self) -> str:
        return self.path


AllowEntry: TypeAlias = AllowedId | AllowedPlace


class UsbDeviceAllowed(Struct, frozen=True):
    """The device may be opened, because of this entry."""

    entry: AllowEntry


class UsbDeviceRefused(Struct, frozen=True):
    """The device may not be opened; `why` ends with the remedy."""

    device: UsbIdentity
    why: Message

    @property
    def reason(self) -> Message:
        """Which device is refused, and why."""
        return message("usb_device_refused", device=self.device.name, why=self.why)


class AllowList(Struct, frozen=True):
    """The devices that may be opened. Empty: none."""

    entries: tuple[AllowEntry, ...] = ()

    def check(self, device: UsbIdentity) -> UsbDeviceAllowed | UsbDeviceRefused:
        """Whether this device may be opened, and why."""
        if boot_keyboards(device):
            return refuse_keyboard(device)
        for entry in self.entries:
            if _matches(entry, device):
                return UsbDeviceAllowed(entry)
        entry_for = _entry_for(device)
        if any(_has_ids(entry, device) for entry in self.entries):
            ids = usb_id(device.vendor_id, device.product_id)
            why = message("usb_allowed_with_other_number", device=ids, foreign=entry_for)
        else:
            why = message("usb_not_on_allow_list", foreign=entry_for)
        return UsbDeviceRefused(device, why)


def refuse_keyboard(device: UsbIdentity) -> UsbDeviceRefused:
    """The refusal of a keyboard, which no list allows: its input is typed into this machine."""
    return UsbDeviceRefused(device, message("usb_keyboard_refused"))


def parse_allow_entry(text: str) -> AllowEntry:
    """Parse an entry of the list. Raises ValueError with a sentence."""
    if PLACE.fullmatch(text):
        return AllowedPlace(text)
    ids = _IDS.fullmatch(text)
    if ids is None:
        raise ValueError(f"{text!r} does not name a USB device. Remedy: write {ENTRY_FORMS}")
    vendor, product, number = ids.groups()
    if number is not None and not _is_plain(number):
        raise ValueError(
            f"{text!r}: this is not a serial number. Allowed: 1 to {TEXT_MAX} printable ASCII"
            " characters, no '?'. Remedy: copy it from `smartshoe devices`"
        )
    return AllowedId(int(vendor, 16), int(product, 16), number or "")


def _is_plain(number: str) -> bool:
    # A question mark replaces unprintable characters, so it does not identify a device.
    fits = len(number) <= TEXT_MAX and number.isascii() and number.isprintable()
    return fits and "?" not in number


def _matches(entry: AllowEntry, device: UsbIdentity) -> bool:
    match entry:
        case AllowedPlace():
            return entry.path == device.path
        case AllowedId():
            return _has_ids(entry, device) and entry.serial_number in ("", device.serial_number)
        case _:
            assert_never(entry)


def _has_ids(entry: AllowEntry, device: UsbIdentity) -> bool:
    return isinstance(entry, AllowedId) and (entry.vendor_id, entry.product_id) == (
        device.vendor_id,
        device.product_id,
    )


def _entry_for(device: UsbIdentity) -> str:
    number = device.serial_number if _is_plain(device.serial_number) else ""
    return str(AllowedId(device.vendor_id, device.product_id, number))
