"""Canonical CBOR of frozen dataclasses: equal values always give equal bytes.

Responsible for: turning values into bytes and back by their type hints, and for refusing, with
the path to the place, whatever does not fit: unknown, missing or extra fields, another type,
bytes that are not the one canonical form.
Not responsible for: what the values mean, and for the chain.
Source: RFC 8949, section 4.2.1 (core deterministic encoding); controller/journal/README.md,
"Encoding". A dataclass is a map of its fields and "type" (its class name), an enum member its
value, a tuple an array; None, bool, int (of at most 64 bits and a sign), str and bytes are
themselves. Floats, sets and dicts do not exist here.
"""

from typing import Generic, TypeVar, cast

import cbor2

from controller.journal.encoding.cbor_writer import Misfit
from controller.journal.encoding.type_forms import CanonicalError, Plain, form_of

__all__ = ["CanonicalError", "Codec", "OlderCodec", "Plain", "plain_of"]

T = TypeVar("T")


class Codec(Generic[T]):
    """Encoder and decoder of one type: a frozen dataclass, or a union of them.

    Building one walks the whole type once; keep it in a module constant. A union cannot be
    inferred from its alias, so name it: `INPUTS: Codec[Input] = Codec(Input)`.
    """

    __slots__ = ("_form",)

    def __init__(self, hint: object) -> None:
        """Raises CanonicalError where `hint` holds something that cannot be stored."""
        self._form = form_of(hint)

    def encode(self, value: T) -> bytes:
        """The canonical bytes of a value. Raises CanonicalError."""
        try:
            return self._form.to_bytes(value)
        except Misfit:
            self.to_plain(value)
            raise AssertionError("what cannot be written has a place that does not fit") from None
        except UnicodeEncodeError as error:
            raise CanonicalError(f"text that is not valid Unicode: {error.object!r}") from error

    def decode(self, data: bytes) -> T:
        """The value that `data` encodes. Raises CanonicalError, also where it has another form."""
        value = self.from_plain(plain_of(data))
        if self.encode(value) != data:
            raise CanonicalError("these bytes are not the canonical form of what they say")
        return value

    def to_plain(self, value: T) -> Plain:
        """The value as maps, arrays, numbers, text and bytes. Raises CanonicalError."""
        return self._form.encode(value)

    def from_plain(self, plain: object) -> T:
        """The value that `to_plain` gave `plain` for. Raises CanonicalError."""
        return cast("T", self._form.decode(plain))


class OlderCodec(Generic[T]):
    """Reader of what another version of this software wrote; it writes nothing.

    A field that version did not have takes its default, one that this version has no more is
    passed over. What it cannot be read as at all raises CanonicalError.
    """

    __slots__ = ("_form",)

    def __init__(self, hint: object) -> None:
        self._form = form_of(hint, older=True)

    def decode(self, data: bytes) -> T:
        """The value as this version would say it. Raises CanonicalError."""
        return cast("T", self._form.decode(plain_of(data)))


def plain_of(data: bytes) -> object:
    """Maps, arrays, numbers, text and bytes that `data` encodes. Raises CanonicalError."""
    try:
        return cbor2.loads(data)
    except (cbor2.CBORDecodeError, ValueError, TypeError, OverflowError) as error:
        raise CanonicalError(f"not CBOR: {error}") from error
