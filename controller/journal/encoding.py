"""Stored values as MessagePack, the envelope of a record, and the hash chain over records.

Equal values give equal bytes, and other bytes are refused. A struct is a map of its fields in their
order, with its tag as `type` in front where it has one; a tuple is an array, an enum member its
value. Integers are signed and have 64 bits. A record is ["in" | "out", value].
Source: MessagePack specification.
"""

import re
from enum import StrEnum
from hashlib import sha256
from typing import Any, Final, Generic, TypeVar

import msgspec

from foundation.typed_reading import binary_decoder

T = TypeVar("T")

_ENCODER: Final = msgspec.msgpack.Encoder(order="deterministic")
_PLAIN: Final = msgspec.msgpack.Decoder()
# A map of at most 15 fields begins with 0x80 + their number, a larger one with 0xDE and two bytes.
_FIXMAP: Final = 0x80
_MAP_16: Final = 0xDE
_FIXSTR: Final = 0xA0
_TYPE_KEY: Final = b"\xa4type"
# How an integer of 2**63 and more begins; the same bytes may be part of a text.
_UNSIGNED_64: Final = re.compile(rb"\xcf[\x80-\xff]")
_INT64_MAX: Final = 2**63 - 1


class EncodingError(ValueError):
    """Bytes are not the encoding of a value of the expected type; the message says where."""


class Codec(Generic[T]):
    """Encoder and decoder of one type: a struct, or a union of tagged ones.

    Building one walks the whole type once; keep it in a module constant. A union cannot be
    inferred from its alias, so name it: `INPUTS: Codec[Input] = Codec(Input)`.
    """

    __slots__ = ("_decoder",)

    def __init__(self, hint: Any) -> None:
        self._decoder: msgspec.msgpack.Decoder[T] = binary_decoder(hint)

    def encode(self, value: T) -> bytes:
        """The bytes of a value. Raises OverflowError for an integer of more than 64 bits."""
        return _ENCODER.encode(value)

    def decode(self, data: bytes) -> T:
        """The value that `data` encodes. Raises EncodingError, also for another form of it.

        Fields that the type does not have, doubled keys and longer forms of a number do not encode
        again to the same bytes, and are refused with it.
        """
        try:
            value = self._decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise EncodingError(str(error)) from error
        if _ENCODER.encode(value) != data:
            raise EncodingError("these bytes are not the one encoding of their value")
        if _UNSIGNED_64.search(data) and _exceeds_int64(plain_value(data)):
            raise EncodingError("it has an integer of 2**63 or more; a signed one has 64 bits")
        return value


def plain_value(data: bytes) -> object:
    """Maps, arrays, numbers, text and bytes that `data` encodes. Raises EncodingError."""
    try:
        return _PLAIN.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise EncodingError(str(error)) from error


def _exceeds_int64(value: object) -> bool:
    match value:
        case dict():
            return any(map(_exceeds_int64, value.values()))
        case list():
            return any(map(_exceeds_int64, value))
        case _:
            return isinstance(value, int) and value > _INT64_MAX


def tag_of(data: bytes) -> str:
    """The tag of an encoded struct; empty where it has none. Only its first bytes are read."""
    if not data:
        return ""
    key = 3 if data[0] == _MAP_16 else 1 if data[0] & 0xF0 == _FIXMAP else 0
    at = key + len(_TYPE_KEY)
    if not key or data[key:at] != _TYPE_KEY or len(data) <= at or data[at] & 0xE0 != _FIXSTR:
        return ""
    return data[at + 1 : at + 1 + (data[at] & 0x1F)].decode("ascii", "replace")


class RecordKind(StrEnum):
    """An input is what reached the program; an entry is what it concluded from inputs."""

    INPUT = "in"
    ENTRY = "out"


# An array of two items (0x92), then the kind as text (0xA0 + its length).
_INPUT: Final = b"\x92\xa2in"
_ENTRY: Final = b"\x92\xa3out"


def wrap(kind: RecordKind, value: bytes) -> bytes:
    """The record to store for one encoded `value` (one MessagePack item)."""
    return (_INPUT if kind is RecordKind.INPUT else _ENTRY) + value


def is_input(record: bytes) -> bool:
    """Whether a record holds an input, as its first bytes say."""
    return record.startswith(_INPUT)


def unwrap(record: bytes) -> tuple[RecordKind, bytes]:
    """The kind of a record and the encoded value in it. Raises EncodingError."""
    if record.startswith(_INPUT):
        return RecordKind.INPUT, record[len(_INPUT) :]
    if record.startswith(_ENTRY):
        return RecordKind.ENTRY, record[len(_ENTRY) :]
    raise EncodingError(f"a record begins with an input or entry mark, this with {record[:5]!r}")


GENESIS: Final = bytes(32)
"""The chain value before the first record: 32 zero bytes."""


def link(previous: bytes, record: bytes) -> bytes:
    """The chain value (32 bytes) of `record` after a record whose chain value is `previous`.

    The record is hashed after its length, 8 bytes big-endian, so that no two different sequences
    of records hash the same bytes.
    """
    return sha256(previous + len(record).to_bytes(8, "big") + record).digest()
