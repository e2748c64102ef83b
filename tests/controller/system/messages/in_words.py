"""A value with its messages in words, to be compared with what a person reads."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar, cast

import pytest
from msgspec import Struct
from msgspec.structs import replace

from controller.rules.settlement.vigorish_ledger import LedgerRefusal
from controller.system.messages.catalogue import to_words
from foundation.message import Message, MessageError

Value = TypeVar("Value", bound=Struct | tuple[object, ...])


@contextmanager
def raises_in_words(kind: type[MessageError], pattern: str) -> Iterator[None]:
    """An error of that kind is raised, and its words hold the pattern."""
    with pytest.raises(kind) as caught:
        yield
    assert re.search(pattern, to_words(caught.value.why))


def in_words(value: Value) -> Value:
    """A struct, or a tuple of them, with all messages in it as words."""
    return cast("Value", _in_words(value))


def _in_words(value: object) -> object:
    match value:
        case Message():
            return to_words(value)
        case tuple():
            return tuple(map(_in_words, value))
        case Struct():
            fields = {name: _in_words(getattr(value, name)) for name in value.__struct_fields__}
            return replace(value, **fields)
        case _:
            return value


def why_words(why: Message | None) -> str:
    """The reason of a refusal; empty where there is none."""
    return "" if why is None else to_words(why)


def ledger_refusal_words(refused: LedgerRefusal) -> str:
    """Why, the clauses, and the remedy."""
    cited = f" ({', '.join(refused.clauses)})" if refused.clauses else ""
    return f"{to_words(refused.why)}{cited}. {to_words(refused.remedy)}"
