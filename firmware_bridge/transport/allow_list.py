"""Which USB devices may be opened at this table.

Responsible for: the allow-list as a value, its entries as text, and the judgement of one device.
Not responsible for: seeing devices come (hotplug), opening them (usb_port), recording a refusal.
A device says itself what it is: the list keeps out what was plugged in by mistake or on a whim,
and a keyboard in any disguise it admits to. It is no proof of identity.
Source: package README, "Allow-list"; Linux Documentation/usb/authorization.rst.
"""

import re
from enum import StrEnum
from typing import Final, TypeAlias, assert_never

from firmware_bridge.transport.usb_identity import TEXT_MAX, UsbIdentity, boot_keyboards, usb_id
from firmware_bridge.values import dataclass

PLACE: Final = re.compile(r"[0-9]{1,3}-[0-9]{1,3}(?:\.[0-9]{1,3}){0,5}")
_IDS: Final = re.compile(r"([0-9a-fA-F]{4}):([0-9a-fA-F]{4})(?::(.+))?")
ENTRY_FORMS: Final = "VID:PID, VID:PID:SERIAL (such as 0ab1:0002:12345678) or a place such as 1-1.2"


@dataclass(frozen=True, slots=True)
class AllowedId:
    """A kind of device, or with a serial number one device; empty: any serial number."""

    vendor_id: int
    product_id: int
    serial_number: str = ""

    def __str__(self) -> str:
        number = f":{self.serial_number}" if self.serial_number else ""
        return f"{usb_id(self.vendor_id, self.product_id)}{number}"


@dataclass(frozen=True, slots=True)
class AllowedPlace:
    """Whatever is plugged in at this place, keyboards excepted."""

    path: str

    def __str__(self) -> str:
        return self.path


AllowEntry: TypeAlias = AllowedId | AllowedPlace


class RefusalCode(StrEnum):
    """Why a device is refused."""

    KEYBOARD = "keyboard"
    SERIAL_NUMBER = "serial_number"
    NOT_LISTED = "not_listed"


@dataclass(frozen=True, slots=True)
class Allowed:
    """The device may be opened, by this entry of the list."""

    entry: AllowEntry


@dataclass(frozen=True, slots=True)
class Refused:
    """The device may not be opened; `reason` is a sentence with the remedy."""

    code: RefusalCode
    reason: str


@dataclass(frozen=True, slots=True)
class AllowList:
    """The devices that may be opened. Empty: none."""

    entries: tuple[AllowEntry, ...] = ()

    def judge(self, device: UsbIdentity) -> Allowed | Refused:
        """May this device be opened?"""
        if boot_keyboards(device):
            return keyboard_refused(device)
        for entry in self.entries:
            if _names(entry, device):
                return Allowed(entry)
        ids = usb_id(device.vendor_id, device.product_id)
        if any(_is_kind(entry, device) for entry in self.entries):
            return Refused(
                RefusalCode.SERIAL_NUMBER,
                f"{device.name} is refused: {ids} is allowed with another serial number only;"
                f" if this one belongs to the table, allow {_entry_for(device)}",
            )
        return Refused(
            RefusalCode.NOT_LISTED,
            f"{device.name} is refused: it is not on the allow-list; if it belongs to the table,"
            f" allow {_entry_for(device)}, else unplug it",
        )


def keyboard_refused(device: UsbIdentity) -> Refused:
    """No list allows a keyboard: what it sends is typed into this machine."""
    return Refused(
        RefusalCode.KEYBOARD,
        f"{device.name} is refused: it has a keyboard interface, and no keyboard is allowed at a"
        " table; unplug it (a bar code scanner must be set to USB HID POS)",
    )


def allow_entry(text: str) -> AllowEntry:
    """An entry as it is written. Raises ValueError with a sentence."""
    if PLACE.fullmatch(text):
        return AllowedPlace(text)
    ids = _IDS.fullmatch(text)
    if ids is None:
        raise ValueError(f"{text!r} names no USB device; write {ENTRY_FORMS}")
    vendor, product, number = ids.groups()
    if number is not None and not _is_plain(number):
        raise ValueError(
            f"{text!r}: a serial number is 1 to {TEXT_MAX} printable ASCII characters, no '?'"
        )
    return AllowedId(int(vendor, 16), int(product, 16), number or "")


def _is_plain(number: str) -> bool:
    # A question mark stands for any character that is not shown, so it names no one device.
    fits = len(number) <= TEXT_MAX and number.isascii() and number.isprintable()
    return fits and "?" not in number


def _names(entry: AllowEntry, device: UsbIdentity) -> bool:
    match entry:
        case AllowedPlace():
            return entry.path == device.path
        case AllowedId():
            return _is_kind(entry, device) and entry.serial_number in ("", device.serial_number)
        case _:
            assert_never(entry)


def _is_kind(entry: AllowEntry, device: UsbIdentity) -> bool:
    return isinstance(entry, AllowedId) and (entry.vendor_id, entry.product_id) == (
        device.vendor_id,
        device.product_id,
    )


def _entry_for(device: UsbIdentity) -> str:
    number = device.serial_number if _is_plain(device.serial_number) else ""
    return str(AllowedId(device.vendor_id, device.product_id, number))
