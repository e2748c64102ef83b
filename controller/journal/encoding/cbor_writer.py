"""The canonical bytes of values, put together by one function a class, written out field by field.

Responsible for: the CBOR of numbers, texts, bytes, arrays and maps, and for the function of a class
that joins its fields' bytes with keys that are encoded once. What a type does not allow raises
`Misfit`, which says nothing: who asks then goes the way that names the place (forms).
Not responsible for: which forms there are and what is wrong with a value (forms), reading bytes.
Source: RFC 8949, sections 3 and 4.2.1; controller/journal/README.md, "Encoding".

A card is some seven values of some forty fields. To build a map of each, field by field, and have
it encoded cost a third of all that is done with a card besides storing it.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, TypeAlias

Write: TypeAlias = Callable[[object], bytes]

_NEGATIVE, _BYTES, _TEXT, _ARRAY, _MAP = 0x20, 0x40, 0x60, 0x80, 0xA0
_ONE_BYTE: Final = tuple(bytes((value,)) for value in range(256))
_NUMBER_MAX: Final = 2**64 - 1
NONE: Final = b"\xf6"
_FALSE, _TRUE = b"\xf4", b"\xf5"
EMPTY_ARRAY: Final = _ONE_BYTE[_ARRAY]


class Misfit(Exception):
    """A value that its type does not allow."""


def head(major: int, number: int) -> bytes:
    """The head of an item: its major type (as bits) and a number of 64 bits at most."""
    if number < 24:
        return _ONE_BYTE[major + number]
    if number < 0x100:
        return _ONE_BYTE[major + 24] + _ONE_BYTE[number]
    if number < 0x10000:
        return _ONE_BYTE[major + 25] + number.to_bytes(2, "big")
    if number < 0x100000000:
        return _ONE_BYTE[major + 26] + number.to_bytes(4, "big")
    return _ONE_BYTE[major + 27] + number.to_bytes(8, "big")


def number(value: object) -> bytes:
    """An integer of 64 bits and a sign."""
    if type(value) is not int:
        raise Misfit
    if value < 0:
        value = -1 - value
        if value > _NUMBER_MAX:
            raise Misfit
        return head(_NEGATIVE, value)
    if value > _NUMBER_MAX:
        raise Misfit
    return head(0, value)


def text(value: object) -> bytes:
    if type(value) is not str:
        raise Misfit
    data = value.encode()
    return head(_TEXT, len(data)) + data


def octets(value: object) -> bytes:
    if type(value) is not bytes:
        raise Misfit
    return head(_BYTES, len(value)) + value


def truth(value: object) -> bytes:
    if value is True:
        return _TRUE
    if value is False:
        return _FALSE
    raise Misfit


def nothing(value: object) -> bytes:
    if value is not None:
        raise Misfit
    return NONE


def members(cls: type[Enum]) -> Write:
    """The members of an enum by their values, which are all texts or all numbers."""
    plain = {
        member: text(member.value) if type(member.value) is str else number(member.value)
        for member in cls
    }

    def write(value: object) -> bytes:
        if type(value) is not cls:
            raise Misfit
        return plain[value]

    return write


def array(item: Write) -> Write:
    """A tuple of any number of these."""

    def write(value: object) -> bytes:
        if type(value) is not tuple:
            raise Misfit
        if not value:
            return EMPTY_ARRAY
        return head(_ARRAY, len(value)) + b"".join(map(item, value))

    return write


def row(items: tuple[Write, ...]) -> Write:
    """A tuple of exactly these."""
    length, start = len(items), head(_ARRAY, len(items))

    def write(value: object) -> bytes:
        if type(value) is not tuple or len(value) != length:
            raise Misfit
        return start + b"".join([item(part) for item, part in zip(items, value, strict=True)])

    return write


def one_of(known: Mapping[type, Write]) -> Write:
    """A value of one of these exact types."""
    writers = dict(known)

    def write(value: object) -> bytes:
        writer = writers.get(type(value))
        if writer is None:
            raise Misfit
        return writer(value)

    return write


def later(found: Callable[[], Write]) -> Write:
    """What `found` gives when the first value is written: a program uses few of its classes."""
    known: list[Write] = []

    def write(value: object) -> bytes:
        if not known:
            known.append(found())
        return known[0](value)

    return write


def written_out(cls: type, fields: Mapping[str, Write]) -> Write:
    """The map of a class: its fields and its name as "type", by length of key, then bytewise."""
    ordered = sorted(("type", *fields), key=lambda key: (len(key.encode()), key.encode()))
    known: dict[str, object] = {"cls": cls, "Misfit": Misfit, "join": b"".join}
    fixed, pieces = head(_MAP, len(ordered)), []
    for key in ordered:
        fixed += text(key)
        if key == "type":
            fixed += text(cls.__name__)
            continue
        pieces.append(f"{fixed!r}, write_{key}(value.{key})")
        known[f"write_{key}"] = fields[key]
        fixed = b""
    pieces += [repr(fixed)] if fixed else []
    source = "\n".join(
        (
            "def write(value):",
            "    if type(value) is not cls:",
            "        raise Misfit",
            f"    return join(({', '.join(pieces)},))",
        )
    )
    exec(source, known)  # noqa: S102 - names of fields are all that goes in
    write: Write = known["write"]  # type: ignore[assignment]
    return write
