"""Values are frozen structs; stored ones have explicit tags and fields with one encoding."""

import types
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import pytest
from import_configuration import settings_of
from import_contracts import graph
from msgspec import Raw, Struct, UnsetType

from controller.archive.replay.upgrade import UpgradeLedger
from controller.core.settings import Settings
from controller.core.state import StoredState
from controller.core.stored_settings import Settings1
from controller.core.tape.entries import Entry
from controller.core.tape.records import RecordedInput
from controller.custody.manifest import Manifest
from controller.custody.receipt import ReceiptStatement
from controller.journal.shoe_file import ShoeHeading
from controller.journal.values import Base
from controller.service.commissioning.firmware_list import ApprovedStatement
from drivers.catalogue import find_model, model_names
from drivers.model import DeviceKind

pytestmark = pytest.mark.needs("import-linter")

MODELS = [find_model(kind, name) for kind in DeviceKind for name in model_names(kind)]
OF_MODELS = [hint for one in MODELS for hint in (one.settings, one.state)]
STORED = (
    *OF_MODELS,
    RecordedInput,
    Entry,
    StoredState,
    Settings,
    Settings1,
    ShoeHeading,
    Base,
    Manifest,
    UpgradeLedger,
)
SIGNED = (ReceiptStatement, ApprovedStatement)
PLAIN = (int, str, bytes, bool, type(None), UnsetType, Raw)


def pure_modules() -> Iterator[str]:
    pure = tuple(settings_of("pure")["source_modules"])
    for module in sorted(graph().modules):
        if module in pure or module.startswith(tuple(f"{one}." for one in pure)):
            yield module


def structs_of(module: str) -> Iterator[type[Struct]]:
    for value in vars(import_module(module)).values():
        if isinstance(value, type) and issubclass(value, Struct) and value.__module__ == module:
            yield value


class Reachable:
    """Structs that a stored type is built of, and what must not be in one."""

    def __init__(self) -> None:
        self.structs: dict[type[Struct], None] = {}
        self.in_unions: dict[type[Struct], None] = {}
        self.others: list[str] = []

    def add(self, hint: Any, place: str) -> None:
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (Union, types.UnionType):
            structs = [get_origin(one) or one for one in arguments]
            structs = [one for one in structs if is_struct(one)]
            self.in_unions |= dict.fromkeys(structs if len(structs) > 1 else [])
        if origin in (Union, types.UnionType, tuple):
            for one in arguments:
                if one is not Ellipsis:
                    self.add(one, place)
        elif is_struct(hint):
            self._add_struct(hint)
        elif is_struct(origin):  # a generic struct with its argument
            self._add_struct(origin)
            for one in arguments:
                self.add(one, place)
        elif not (isinstance(hint, TypeVar) or hint in PLAIN or is_enum(hint)):
            self.others.append(f"{place}: {hint}")

    def _add_struct(self, struct: type[Struct]) -> None:
        if struct not in self.structs:
            self.structs[struct] = None
            hints = get_type_hints(struct)
            for name in struct.__struct_fields__:
                self.add(hints[name], f"{struct.__module__}.{struct.__qualname__}.{name}")


def is_struct(hint: object) -> bool:
    return isinstance(hint, type) and issubclass(hint, Struct)


def is_enum(hint: object) -> bool:
    return isinstance(hint, type) and issubclass(hint, Enum)


def stored() -> Reachable:
    found = Reachable()
    for hint in (*STORED, *SIGNED):
        found.add(hint, str(hint))
    return found


def test_every_value_of_a_pure_package_is_a_frozen_struct() -> None:
    structs = [one for module in pure_modules() for one in structs_of(module)]

    assert len(structs) > 450
    assert [one for one in structs if not one.__struct_config__.frozen] == []


def test_no_module_of_the_program_uses_dataclasses() -> None:
    users = graph().find_modules_that_directly_import("dataclasses")

    assert {one for one in users if not one.startswith("hil")} == set()


def test_a_stored_value_has_neither_sets_nor_maps_nor_fractions() -> None:
    found = stored()

    assert len(found.structs) > 200
    assert found.others == []


def test_the_members_of_a_stored_union_have_explicit_tags_that_are_no_class_names() -> None:
    found = stored()
    tagged = [*found.in_unions, *SIGNED]
    tags = [one.__struct_config__.tag for one in tagged]

    assert len(found.in_unions) > 100
    assert [one for one in tags if not isinstance(one, str) or one != one.lower()] == []
    assert [one for one in tags if tags.count(one) > 1] == []


def test_the_tag_is_the_field_type_in_front() -> None:
    assert {one.__struct_config__.tag_field for one in stored().in_unions} == {"type"}
