"""The entries of a payload, read by key and by what has to stand there.

Responsible for: the types and ranges of single entries, and for harmless texts.
Not responsible for: which keys a message has (messages, event_bodies).
Source: package README, "TableLink/1", wire.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, TypeVar

from firmware_bridge import cbor
from firmware_bridge.cbor import Value
from firmware_bridge.values import dataclass

U16_END: Final = 1 << 16
U32_END: Final = 1 << 32
U64_END: Final = 1 << 64
FACES: Final = 52

MemberT = TypeVar("MemberT", bound=IntEnum)


class Misfit(Exception):
    """A key is missing, or what stands there does not fit; the message says which.

    It never leaves this package: messages makes a fault of it.
    """


@dataclass(frozen=True, slots=True)
class Fields:
    """The entries of one map. Every reader raises Misfit where an entry does not fit."""

    entries: Mapping[int, Value]

    def has(self, key: int) -> bool:
        """Whether the key is there and not null."""
        return self.entries.get(key) is not None

    def number(self, key: int, end: int = U64_END) -> int:
        """An integer from 0 up to, not including, `end`."""
        value = self.entries.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < end:
            raise Misfit(f"key {key} has to be an integer from 0 to {end - 1}")
        return value

    def truth(self, key: int) -> bool:
        value = self.entries.get(key)
        if not isinstance(value, bool):
            raise Misfit(f"key {key} has to be true or false")
        return value

    def member(self, key: int, of: type[MemberT]) -> MemberT:
        """One of a closed set of numbers."""
        return _member(self.number(key), of, f"key {key}")

    def octets(self, key: int, *lengths: int) -> bytes:
        """Bytes, of one of these lengths where any are named."""
        value = self.entries.get(key)
        if not isinstance(value, bytes) or (lengths and len(value) not in lengths):
            allowed = " or ".join(map(str, lengths))
            raise Misfit(f"key {key} has to be {allowed} bytes".replace("  ", " "))
        return value

    def text(self, key: int) -> str:
        """A text, with a question mark for every character that cannot be shown."""
        value = self.entries.get(key)
        if not isinstance(value, str):
            raise Misfit(f"key {key} has to be a text")
        return harmless(value)

    def text_or_none(self, key: int) -> str:
        """A text, empty where there is none."""
        return self.text(key) if self.has(key) else ""

    def array(self, key: int) -> tuple[Value, ...]:
        value = self.entries.get(key)
        if not isinstance(value, tuple):
            raise Misfit(f"key {key} has to be an array")
        return value

    def map(self, key: int) -> "Fields":
        value = self.entries.get(key)
        if not isinstance(value, Mapping):
            raise Misfit(f"key {key} has to be a map")
        return Fields(value)


def harmless(text: str) -> str:
    """What a device says, fit to be shown."""
    return "".join(one if one.isprintable() else "?" for one in text)


def fields_of(payload: bytes) -> Fields:
    """The map a payload holds, empty for none. Raises Misfit."""
    entries = cbor.decode_map(payload) if payload else {}
    if entries is None:
        raise Misfit("its payload is no map in the one deterministic encoding")
    return Fields(entries)


def numbered(values: tuple[Value, ...]) -> Fields:
    """An array as if its places were keys."""
    return Fields(dict(enumerate(values)))


def _member(value: int, of: type[MemberT], where: str) -> MemberT:
    if value not in tuple(of):
        raise Misfit(f"{where} is {value}, which is not in use")
    return of(value)
