"""Typed access to the entries of a payload: types, ranges, printable texts.

Source: firmware_bridge/README.md, "TableLink/1", wire.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, TypeVar

from msgspec import Struct

from firmware_bridge import cbor
from firmware_bridge.cbor import CborValue

U16_END: Final = 1 << 16
U32_END: Final = 1 << 32
U63_END: Final = 1 << 63
FACE_COUNT: Final = 52

MemberT = TypeVar("MemberT", bound=IntEnum)


class FieldMismatch(Exception):
    """A key is missing or has the wrong type or range; the message names the key.

    It never leaves this package: messages turns it into a fault.
    """


class Fields(Struct, frozen=True):
    """The entries of one map. Each accessor raises FieldMismatch if the entry does not match."""

    entries: Mapping[int, CborValue]

    def has(self, key: int) -> bool:
        """Whether the key is there and not null."""
        return self.entries.get(key) is not None

    def number(self, key: int, end: int = U63_END) -> int:
        """An integer from 0 up to, not including, `end`."""
        value = self.entries.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < end:
            raise FieldMismatch(f"key {key} must be an integer from 0 to {end - 1}")
        return value

    def boolean(self, key: int) -> bool:
        value = self.entries.get(key)
        if not isinstance(value, bool):
            raise FieldMismatch(f"key {key} must be true or false")
        return value

    def member(self, key: int, of: type[MemberT]) -> MemberT:
        """One of a closed set of numbers."""
        return _member(self.number(key), of, f"key {key}")

    def octets(self, key: int, *lengths: int) -> bytes:
        """Bytes, of one of these lengths where any are named."""
        value = self.entries.get(key)
        if not isinstance(value, bytes) or (lengths and len(value) not in lengths):
            allowed = " or ".join(map(str, lengths))
            raise FieldMismatch(f"key {key} must be {allowed} bytes".replace("  ", " "))
        return value

    def text(self, key: int) -> str:
        """A text, with a question mark for every unprintable character."""
        value = self.entries.get(key)
        if not isinstance(value, str):
            raise FieldMismatch(f"key {key} must be a text")
        return printable(value)

    def text_or_none(self, key: int) -> str:
        """A text, empty if the key is missing."""
        return self.text(key) if self.has(key) else ""

    def array(self, key: int) -> tuple[CborValue, ...]:
        value = self.entries.get(key)
        if not isinstance(value, tuple):
            raise FieldMismatch(f"key {key} must be an array")
        return value

    def map(self, key: int) -> "Fields":
        value = self.entries.get(key)
        if not isinstance(value, Mapping):
            raise FieldMismatch(f"key {key} must be a map")
        return Fields(value)


def printable(text: str) -> str:
    """Replace unprintable characters by question marks."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else "?" for one in text)


def decode_fields(payload: bytes) -> Fields:
    """Decode the map in a payload, empty for no payload. Raises FieldMismatch."""
    entries = cbor.decode_map(payload) if payload else {}
    if entries is None:
        raise FieldMismatch("its payload is not a map in deterministic encoding")
    return Fields(entries)


def fields_from_array(values: tuple[CborValue, ...]) -> Fields:
    """The items of an array, with their indexes as keys."""
    return Fields(dict(enumerate(values)))


def _member(value: int, of: type[MemberT], where: str) -> MemberT:
    if value not in tuple(of):
        raise FieldMismatch(f"{where} is {value}, which is unknown")
    return of(value)
