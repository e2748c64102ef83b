"""The part of CBOR that TableLink uses, bounded, and only in its deterministic form.

A general CBOR library does not fit here: it accepts dates, sets and fractions from a device, and
every longer encoding of the same value.
Not: the encoding of the journal.
Source: firmware_bridge/tablelink/README.md, "Wire"; RFC 8949, 4.2.1 (core deterministic
encoding).
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

CborValue: TypeAlias = (
    "int | bytes | str | bool | Sequence[CborValue] | Mapping[int, CborValue] | None"
)

DEPTH_MAX: Final = 4
BYTES_MAX: Final = 400
TEXT_MAX: Final = 64
ENTRIES_MAX: Final = 32

_UINT, _NEGATIVE, _BYTES, _TEXT, _ARRAY, _MAP, _SIMPLE = 0, 1, 2, 3, 4, 5, 7
_FALSE: Final = 20
_TRUE: Final = 21
_NULL: Final = 22
_INLINE_MAX: Final = 23
# Additional information 24 to 27: bytes of the number that follow, and its minimum.
_LONGER: Final = {24: (1, 24), 25: (2, 1 << 8), 26: (4, 1 << 16), 27: (8, 1 << 32)}


class _InvalidCborError(Exception):
    pass


def decode(data: bytes) -> tuple[CborValue, ...]:
    """Decode exactly one value; return it in a tuple, or an empty tuple for any other data.

    (None is a value, so it cannot mark the failure.) Arrays become tuples, maps become dicts in
    ascending order of their keys.
    """
    reader = _CborReader(data)
    try:
        value = reader.value(0)
    except _InvalidCborError:
        return ()
    return (value,) if reader.at == len(data) else ()


def decode_map(data: bytes) -> Mapping[int, CborValue] | None:
    """Decode exactly one map; None for any other data."""
    found = decode(data)
    if found and isinstance(found[0], Mapping):
        return found[0]
    return None


def encode(value: CborValue) -> bytes:
    """Encode a value in its deterministic form; the caller keeps the bounds."""
    match value:
        case None:
            return _head(_SIMPLE, _NULL)
        case bool():
            return _head(_SIMPLE, _TRUE if value else _FALSE)
        case int():
            return _head(_UINT, value) if value >= 0 else _head(_NEGATIVE, -1 - value)
        case bytes():
            return _head(_BYTES, len(value)) + value
        case str():
            text = value.encode()
            return _head(_TEXT, len(text)) + text
        case Mapping():
            pairs = sorted((encode(key), encode(item)) for key, item in value.items())
            return _head(_MAP, len(pairs)) + b"".join(key + item for key, item in pairs)
        case _:
            return _head(_ARRAY, len(value)) + b"".join(encode(item) for item in value)


def _head(major: int, number: int) -> bytes:
    if number <= _INLINE_MAX:
        return bytes((major << 5 | number,))
    for information, (size, _) in _LONGER.items():
        if number < 1 << 8 * size:
            return bytes((major << 5 | information,)) + number.to_bytes(size, "big")
    raise AssertionError(f"{number} does not fit into 64 bits")


class _CborReader:
    """Reads values from bytes; `at` is the position."""

    __slots__ = ("_data", "at")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def value(self, depth: int) -> CborValue:
        if self.at == len(self._data):
            raise _InvalidCborError
        first = self._data[self.at]
        self.at += 1
        major, number = first >> 5, first & 0x1F
        if number > _INLINE_MAX:
            number = self._long_number(major, number)
        match major:
            case 0:
                return number
            case 1:
                return -1 - number
            case 2:
                return self._take(number, BYTES_MAX)
            case 3:
                return self._text(number)
            case 4:
                self._check_bounds(number, depth)
                return tuple(self.value(depth + 1) for _ in range(number))
            case 5:
                self._check_bounds(number, depth)
                return self._map(number, depth + 1)
            case _:
                return self._simple(major, number)

    def _long_number(self, major: int, information: int) -> int:
        """The number of a head that does not hold it in its first byte."""
        size, least = _LONGER.get(information, (0, 0))
        if size == 0 or major == _SIMPLE:  # indefinite or reserved; a float or a long simple value
            raise _InvalidCborError
        number = int.from_bytes(self._take(size, size), "big")
        if number < least:
            raise _InvalidCborError
        return number

    def _take(self, count: int, count_max: int) -> bytes:
        data = self._data[self.at : self.at + count] if count <= count_max else b""
        if len(data) != count:
            raise _InvalidCborError
        self.at += count
        return data

    def _text(self, count: int) -> str:
        try:
            return self._take(count, TEXT_MAX).decode()
        except UnicodeDecodeError:
            raise _InvalidCborError from None

    def _check_bounds(self, entries: int, depth: int) -> None:
        if entries > ENTRIES_MAX or depth >= DEPTH_MAX:
            raise _InvalidCborError

    def _map(self, entries: int, depth: int) -> dict[int, CborValue]:
        found: dict[int, CborValue] = {}
        previous = b""
        for _ in range(entries):
            start = self.at
            key = self.value(depth)
            key_bytes = self._data[start : self.at]
            if type(key) is not int or key < 0 or key_bytes <= previous:
                raise _InvalidCborError
            found[key] = self.value(depth)
            previous = key_bytes
        return found

    def _simple(self, major: int, number: int) -> bool | None:
        if major != _SIMPLE or number not in (_FALSE, _TRUE, _NULL):
            raise _InvalidCborError
        return None if number == _NULL else number == _TRUE
