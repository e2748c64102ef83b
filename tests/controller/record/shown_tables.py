"""Snapshots and their parts for tests: what a test does not state is empty.

A card is written as people read it: "7h", "??" for one that lies face down, "unread".
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar, get_origin

from msgspec import Struct, convert, inspect

from controller.record.snapshot import CardFact, ShownCard, Snapshot, Withheld, card_words

Part = TypeVar("Part", bound=Struct)
HIDDEN = {"??": Withheld.FACE_DOWN, "unread": Withheld.UNREAD, None: Withheld.FACE_DOWN}


def shown(**parts: object) -> Snapshot:
    """The snapshot of a table with these parts."""
    return part(Snapshot, **parts)


def part(kind: type[Part], **values: object) -> Part:
    """A part of a snapshot with these values."""
    return convert(whole(inspect.type_info(kind), values), kind)


def faces(cards: Iterable[ShownCard]) -> list[str]:
    """The cards as people read them."""
    return list(map(card_words, cards))


def whole(kind: inspect.Type, given: object) -> object:
    """The plain value, completed by what is empty. A name that the schema lacks is an error."""
    match kind:
        case inspect.StructType() if get_origin(kind.cls) is CardFact:
            hidden = HIDDEN.get(given) if given is None or isinstance(given, str) else None
            return {"value": None if hidden else given, "withheld": hidden}
        case inspect.StructType():
            assert isinstance(given, Mapping), given
            types = {field.name: field.type for field in kind.fields}
            assert not set(given) - set(types), set(given) - set(types)
            return {
                name: whole(one, given[name]) if name in given else empty(one)
                for name, one in types.items()
            }
        case inspect.VarTupleType():
            assert isinstance(given, list | tuple), given
            return [whole(kind.item_type, one) for one in given]
        case inspect.UnionType() if given is not None:
            (inner,) = (one for one in kind.types if not isinstance(one, inspect.NoneType))
            return whole(inner, given)
        case _:
            return given


def empty(kind: inspect.Type) -> object:
    """The value of what a test does not state."""
    match kind:
        case inspect.StructType() if get_origin(kind.cls) is CardFact:
            return whole(kind, None)
        case inspect.StructType():
            return whole(kind, {})
        case inspect.VarTupleType():
            return []
        case inspect.UnionType():
            return None
        case inspect.EnumType(cls=cls):
            return next(iter(cls))
        case inspect.LiteralType(values=values):
            return values[0]
        case inspect.DictType():
            return {}
        case inspect.BoolType():
            return False
        case inspect.IntType():
            return 0
        case _:
            return ""
