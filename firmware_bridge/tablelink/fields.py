"""Typed access to the entries of a payload: types, ranges, printable texts.

Source: firmware_bridge/tablelink/README.md, wire.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, TypeVar

from msgspec import Struct

from firmware_bridge import cbor
from firmware_bridge.cbor import CborValue
from foundation.message import MessageError, message
from foundation.recorded_text import ForeignText, foreign_text

U16_END: Final = 1 << 16
U32_END: Final = 1 << 32
U63_END: Final = 1 << 63
FACE_COUNT: Final = 52

MemberT = TypeVar("MemberT", bound=IntEnum)


class FieldMismatch(MessageError):
    """A key is missing or has the wrong type or range; `why` names the key.

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
            raise FieldMismatch(message("field_not_integer", key=key, most=end - 1))
        return value

    def boolean(self, key: int) -> bool:
        value = self.entries.get(key)
        if not isinstance(value, bool):
            raise FieldMismatch(message("field_not_boolean", key=key))
        return value

    def member(self, key: int, of: type[MemberT]) -> MemberT:
        """One of a closed set of numbers."""
        value = self.number(key)
        if value not in tuple(of):
            raise FieldMismatch(message("field_value_unknown", key=key, value=value))
        return of(value)

    def octets(self, key: int, *lengths: int) -> bytes:
        """Bytes, of one of these lengths where any are named."""
        value = self.entries.get(key)
        if isinstance(value, bytes) and (not lengths or len(value) in lengths):
            return value
        if not lengths:
            raise FieldMismatch(message("field_not_bytes", key=key))
        raise FieldMismatch(message("field_not_bytes_of_length", key=key, lengths=lengths))

    def text(self, key: int) -> ForeignText:
        """A text, with a question mark for every character that is not printable ASCII."""
        value = self.entries.get(key)
        if not isinstance(value, str):
            raise FieldMismatch(message("field_not_text", key=key))
        return foreign_text(value)

    def text_or_none(self, key: int) -> ForeignText:
        """A text, empty if the key is missing."""
        return self.text(key) if self.has(key) else ""

    def array(self, key: int) -> tuple[CborValue, ...]:
        value = self.entries.get(key)
        if not isinstance(value, tuple):
            raise FieldMismatch(message("field_not_array", key=key))
        return value

    def map(self, key: int) -> "Fields":
        value = self.entries.get(key)
        if not isinstance(value, Mapping):
            raise FieldMismatch(message("field_not_map", key=key))
        return Fields(value)


def decode_fields(payload: bytes) -> Fields:
    """Decode the map in a payload, empty for no payload. Raises FieldMismatch."""
    entries = cbor.decode_map(payload) if payload else {}
    if entries is None:
        raise FieldMismatch(message("payload_not_a_map"))
    return Fields(entries)


def fields_from_array(values: tuple[CborValue, ...]) -> Fields:
    """The items of an array, with their indexes as keys."""
    return Fields(dict(enumerate(values)))
