"""A record holds ids alone: every text in it has a kind, and an identifier has no white space."""

from collections.abc import Iterator
from functools import cache

import pytest
import scripts_file
from msgspec import Struct, inspect
from verdict_answers import rule_book

from controller.script.parser import parse
from controller.script.player import play
from controller.tape.entries import TapeItem
from firmware_bridge.message import Message, message
from firmware_bridge.recorded_text import (
    FREE_TEXT_PARAMETERS,
    IDENTIFIER_PATTERN,
    Identifier,
    TypedText,
)

# What still has texts without a kind, or with white space; the lists only become shorter.
LEFT = (
    "controller.custody.batch_life.facts",
    "controller.custody.findings",
    "controller.tape.entries",
    "controller.tape.inputs",
)
LEFT_FIELDS = ("Refusal.why", "WarningOpened.text")
LEFT_PARAMETERS = (
    "detail",
    "remedy",
    "step",
    "text",
    "texts",
    "what",
)
# The id of a person, for which a script has the name.
PERSONS = ("person", "second", "staff", "patron", "dealer", "pit_boss", "pit_clerk")


# --- the types of the record ----------------------------------------------------------------------


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


RECORD = texts_in(TapeItem)
UNKNOWN = [place for place, kinds in RECORD.items() if "" in kinds]


def module_of(struct: str) -> str:
    return struct.rpartition(".")[0]


def is_left(struct: str, field: str) -> bool:
    return module_of(struct) in LEFT or f"{struct.rpartition('.')[2]}.{field}" in LEFT_FIELDS


def test_every_text_of_the_record_has_a_kind() -> None:
    assert len(RECORD) > 100
    assert [place for place in UNKNOWN if not is_left(*place)] == []


@pytest.mark.parametrize("module", LEFT)
def test_a_module_that_is_left_still_has_texts_without_a_kind(module: str) -> None:
    assert module in {module_of(struct) for struct, _ in UNKNOWN}


@pytest.mark.parametrize("left", LEFT_FIELDS)
def test_a_field_that_is_left_still_has_no_kind(left: str) -> None:
    assert left in {f"{struct.rpartition('.')[2]}.{field}" for struct, field in UNKNOWN}


class Kinds(Struct):
    """A struct of each way to hold a text."""

    plain: str
    id: Identifier
    nested: tuple[dict[Identifier, str | None], ...]
    several: int | TypedText | Message


def test_a_text_without_a_kind_is_found_wherever_it_is() -> None:
    own = {field: kinds for (struct, field), kinds in texts_in(Kinds).items() if "Kinds" in struct}
    assert own.pop("nested") in (("", "identifier"), ("identifier", ""))
    assert own == {"plain": ("",), "id": ("identifier",), "several": ("typed",)}


# --- the values that are stored -------------------------------------------------------------------


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
                free = (*FREE_TEXT_PARAMETERS, *LEFT_PARAMETERS, *PERSONS)
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


def test_identifiers_of_the_nets_scripts_have_no_white_space() -> None:
    found = {
        place: text
        for one in scripts_file.read()
        for played in play(
            rule_book(one.profile, one.decks, one.observed), parse("\n".join(one.statements))
        )
        for value in (*played.verdicts, *played.effects)
        for place, text in wrong_identifiers(value)
    }
    assert found == {}


def test_a_sentence_among_identifiers_is_found() -> None:
    inner = message("act_by_person", act="two words", person="Ann Lee")
    sentence = message("one_after_another", texts=(inner, message("as_typed", typed="two words")))
    assert list(wrong_identifiers(sentence)) == [("act_by_person.act", "two words")]
