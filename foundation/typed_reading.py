"""Reads values of a given type by msgspec; one thread at a time lets it look at a type.

msgspec notes the fields of a struct class on the class, one after another, at its first use; a
thread that reads with such an unfinished note crashes the process (msgspec 0.22.0). Tables start on
threads of their own.
"""

import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

# The notes are the process's, so the lock is. Reentrant: a `dec_hook` may read a value, too.
_LOOKING: Final = threading.RLock()


def binary_decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]:
    """A decoder of MessagePack as values of this type, for any thread."""
    with _LOOKING:
        return msgspec.msgpack.Decoder(kind)


def json_decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    """A decoder of JSON as values of this type, for any thread."""
    with _LOOKING:
        return msgspec.json.Decoder(kind)


def convert(
    value: object,
    kind: type[T],
    *,
    strict: bool = True,
    dec_hook: Callable[[type, Any], Any] | None = None,
) -> T:
    """Plain values as a value of this type. Raises msgspec.ValidationError."""
    with _LOOKING:
        return msgspec.convert(value, kind, strict=strict, dec_hook=dec_hook)
