"""The texts of the record: which kind each has by its type, and which stored values are wrong."""

from collections.abc import Iterator
from functools import cache

from msgspec import Struct, inspect

from controller.core.tape.entries import TapeItem
from controller.core.tape.records import ChunkRun
from foundation.message import Message
from foundation.recorded_text import FREE_TEXT_PARAMETERS, IDENTIFIER_PATTERN

# The id of a person, for which a script has the name.
PERSONS = ("person", "second", "staff", "patron", "dealer", "pit_boss", "pit_clerk")


def texts_in(kind: object) -> dict[tuple[str, str], tuple[str, ...]]:
    """Struct and field of every text in the type, with its kinds; no kind is "".

    Structs are named with their module.
    """
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    waiting: list[tuple[inspect.Type, tuple[str, str]]] = [(inspect.type_info(kind), ("", ""))]
    seen: set[type] = set()
    while waiting:
        one, place = waiting.pop()
        if isinstance(one, inspect.Metadata) and "text" in (one.extra or {}):
            found[place] = (*found.get(place, ()), one.extra["text"])
        elif isinstance(one, inspect.StrType | inspect.AnyType):
            found[place] = (*found.get(place, ()), "")
        elif isinstance(one, inspect.StructType) and one.cls not in seen:
            seen.add(one.cls)
            name = f"{one.cls.__module__}.{one.cls.__name__}"
            waiting += ((field.type, (name, field.name)) for field in one.fields)
        else:
            waiting += ((each, place) for each in parts_of(one))
    return found


def parts_of(one: inspect.Type) -> tuple[inspect.Type, ...]:
    match one:
        case inspect.Metadata():
            return (one.type,)
        case inspect.UnionType():
            return one.types
        case inspect.TupleType():
            return one.item_types
        case inspect.VarTupleType():
            return (one.item_type,)
        case inspect.DictType():
            return (one.key_type, one.value_type)
        case _:
            return ()


RECORD = texts_in(TapeItem | ChunkRun)


@cache
def kinds_of(kind: type[Struct]) -> dict[str, tuple[str, ...]]:
    """The texts of a struct by field, with their kinds."""
    name = f"{kind.__module__}.{kind.__name__}"
    return {field: kinds for (struct, field), kinds in RECORD.items() if struct == name}


def wrong_identifiers(value: object, kinds: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Every text that is no identifier where one must stand, with where it stands."""
    if isinstance(value, Message):
        for name, parameter in value.parameters:
            for one in parameter if isinstance(parameter, tuple) else (parameter,):
                named = (f"{value.id}.{name}", str(one))
                free = (*FREE_TEXT_PARAMETERS, *PERSONS)
                yield from ([named] if not name.startswith(free) and is_no_identifier(one) else ())
                yield from wrong_identifiers(one)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            own = kinds_of(type(value)).get(name, ())
            for place, text in wrong_identifiers(getattr(value, name), own):
                yield place or f"{type(value).__name__}.{name}", text
    elif isinstance(value, tuple):
        for one in value:
            yield from wrong_identifiers(one, kinds)
    elif kinds == ("identifier",) and is_no_identifier(value):
        yield "", str(value)


def is_no_identifier(value: object) -> bool:
    return isinstance(value, str) and not IDENTIFIER_PATTERN.fullmatch(value)
