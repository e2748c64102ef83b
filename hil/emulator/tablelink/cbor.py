"""Encodes and decodes TableLink payloads: the protocol's subset of deterministic CBOR.

Source: wire document of TableLink/1, "Wire"; RFC 8949, sections 3 and 4.2.1.
"""

from typing import TypeAlias

Value: TypeAlias = "int | bytes | str | bool | tuple[Value, ...] | dict[int, Value] | None"
Map: TypeAlias = dict[int, Value]

DEPTH_MAX = 4
BYTES_MAX, TEXT_BYTES_MAX, ENTRIES_MAX = 400, 64, 32
UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY, MAP, SIMPLE = 0, 1, 2, 3, 4, 5, 7
SIMPLE_VALUES = {20: False, 21: True, 22: None}
SIMPLE_NUMBERS = {False: b"\xf4", True: b"\xf5", None: b"\xf6"}


class WrongPayload(ValueError):
    """Bytes that are not a payload of this protocol; the message says why."""


def encode(value: Value) -> bytes:
    """Encode a value deterministically."""
    if value is None or isinstance(value, bool):
        return SIMPLE_NUMBERS[value]
    if isinstance(value, int):
        return _head(UNSIGNED, value) if value >= 0 else _head(NEGATIVE, -1 - value)
    if isinstance(value, bytes):
        return _head(BYTES, len(value)) + value
    if isinstance(value, str):
        text = value.encode()
        return _head(TEXT, len(text)) + text
    if isinstance(value, dict):
        entries = sorted((encode(key), encode(entry)) for key, entry in value.items())
        return _head(MAP, len(entries)) + b"".join(key + entry for key, entry in entries)
    return _head(ARRAY, len(value)) + b"".join(map(encode, value))


def _head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes((major << 5 | number,))
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number >> 8 * size == 0:
            return bytes((major << 5 | code,)) + number.to_bytes(size, "big")
    raise ValueError(f"{number} has more than 64 bits")


def decode_map(payload: bytes) -> Map:
    """Decode a payload; an empty payload is an empty map. Raises WrongPayload."""
    if not payload:
        return {}
    reader = _Reader(payload)
    value = reader.read_value(1)
    if reader.rest:
        raise WrongPayload("bytes after the map")
    if not isinstance(value, dict):
        raise WrongPayload("the payload is not a map")
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.rest = data

    def _take(self, count: int) -> bytes:
        if count > len(self.rest):
            raise WrongPayload("the payload ends too early")
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def _read_head(self) -> tuple[int, int]:
        """Read the major type and number of the next value."""
        first = self._take(1)[0]
        major, low = first >> 5, first & 0x1F
        if low < 24:
            return major, low
        if low > 27 or major == SIMPLE:
            raise WrongPayload("a float, an indefinite length, or another simple value")
        size = 1 << low - 24
        number = int.from_bytes(self._take(size), "big")
        if low != 27 - (number < 1 << 32) - (number < 1 << 16) - (number < 1 << 8) or number < 24:
            raise WrongPayload("a number longer than it has to be")
        return major, number

    def read_value(self, depth: int) -> Value:
        """Read the next value; `depth` is that of a map or array at this place."""
        major, number = self._read_head()
        if major in (ARRAY, MAP) and (depth > DEPTH_MAX or number > ENTRIES_MAX):
            raise WrongPayload("too deep, or too many entries")
        match major:
            case 0:
                return number
            case 1:
                return -1 - number
            case 2:
                return self._bytes(number)
            case 3:
                return self._text(number)
            case 4:
                return tuple(self.read_value(depth + 1) for _ in range(number))
            case 5:
                return self._map(number, depth + 1)
            case 7 if number in SIMPLE_VALUES:
                return SIMPLE_VALUES[number]
            case _:
                raise WrongPayload("a tag, or another simple value")

    def _bytes(self, size: int) -> bytes:
        if size > BYTES_MAX:
            raise WrongPayload("too many bytes")
        return self._take(size)

    def _text(self, size: int) -> str:
        if size > TEXT_BYTES_MAX:
            raise WrongPayload("too long a text")
        try:
            return self._take(size).decode()
        except UnicodeDecodeError as error:
            raise WrongPayload("a text that is not UTF-8") from error

    def _map(self, count: int, depth: int) -> Map:
        entries: Map = {}
        before = b""
        for _ in range(count):
            start = self.rest
            key = self.read_value(depth)
            if isinstance(key, bool) or not isinstance(key, int) or key < 0:
                raise WrongPayload("a key that is not a number")
            key_bytes = start[: len(start) - len(self.rest)]
            if key_bytes <= before:
                raise WrongPayload("keys out of order")
            before = key_bytes
            entries[key] = self.read_value(depth)
        return entries


def number_at(body: Map, key: int, number_max: int = (1 << 64) - 1) -> int:
    """The unsigned number under a key. Raises WrongPayload."""
    found = body.get(key)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= number_max:
        raise WrongPayload(f"no number under key {key}")
    return found


def bytes_at(body: Map, key: int) -> bytes:
    """The bytes under a key. Raises WrongPayload."""
    found = body.get(key)
    if not isinstance(found, bytes):
        raise WrongPayload(f"no bytes under key {key}")
    return found
