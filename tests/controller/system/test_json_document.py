"""JSON from outside: typed values, or a sentence that names place, problem, allowed and remedy."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, field

from controller.system.atomic_file import SmallFileError
from controller.system.json_document import (
    Count,
    Document,
    HexBytes,
    JsonError,
    LongCount,
    Secret,
    UtcTime,
    load_document,
    plain_fields,
    read_document,
    time_text,
)


class Kind(StrEnum):
    SHOE = "shoe"
    SHUFFLER = "shuffler"


class Key(HexBytes):
    SIZES = range(2, 5)


class Image(Document, frozen=True):
    note: str


class Place(Document, frozen=True):
    record: LongCount


class Whole(Document, frozen=True):
    form: Literal["whole-1"]
    name: str
    count: Count
    kind: Kind
    key: Key
    at: UtcTime = field(name="time")
    images: tuple[Image, ...]
    signed: bool
    clauses: tuple[str, ...]
    journal: Place
    ended: UtcTime | None = None


class Order(Struct, frozen=True, tag_field="order", forbid_unknown_fields=True):
    pass


class Load(Order, frozen=True, tag="load"):
    compartment: Count


class Stop(Order, frozen=True, tag="stop"):
    pass


WHOLE = {
    "form": "whole-1",
    "name": "Ann Lee",
    "count": 8,
    "kind": "shuffler",
    "key": "00ff",
    "time": "2026-11-21T10:00:00.000000001Z",
    "images": [{"note": "first"}, {"note": "second"}],
    "signed": True,
    "clauses": ["NY-a-4-iv-b"],
    "journal": {"record": 7},
}


def refused(value: object, kind: object = Whole) -> str:
    with pytest.raises(JsonError) as error:
        read_document(json.dumps(value), kind, "write it again")  # type: ignore[type-var, arg-type]
    return str(error.value)


def test_each_field_has_its_type() -> None:
    whole = read_document(json.dumps(WHOLE), Whole, "write it again")

    assert plain_fields(whole) == {
        "form": "whole-1",
        "name": "Ann Lee",
        "count": 8,
        "kind": Kind.SHUFFLER,
        "key": b"\x00\xff",
        "at": 1_795_255_200_000_000_001,
        "images": (Image("first"), Image("second")),
        "signed": True,
        "clauses": ("NY-a-4-iv-b",),
        "journal": Place(7),
        "ended": None,
    }
    assert type(plain_fields(whole)["key"]) is bytes
    assert type(plain_fields(whole)["at"]) is int


@pytest.mark.parametrize(
    ("place", "change", "problem", "allowed"),
    [
        ("form", {"form": "whole-2"}, '"whole-2"', "whole-1"),
        ("name", {"name": "two\nlines"}, '"two\\nlines"', "one line of text"),
        ("name", {"name": None}, "null", "one line of text"),
        ("count", {"count": 2**32}, "4294967296", "a whole number from 0 to 4294967295"),
        ("count", {"count": True}, "true", "a whole number from 0 to 4294967295"),
        ("count", {"count": 1.5}, "1.5", "a whole number from 0 to 4294967295"),
        ("count", {"count": -1}, "-1", "a whole number from 0 to 4294967295"),
        ("kind", {"kind": "scanner"}, '"scanner"', "shoe, shuffler"),
        ("key", {"key": "00"}, '"00"', "2 to 4 bytes in lower-case hex digits"),
        ("key", {"key": "00FF"}, '"00FF"', "2 to 4 bytes in lower-case hex digits"),
        ("key", {"key": "0ff"}, '"0ff"', "2 to 4 bytes in lower-case hex digits"),
        ("key", {"key": 7}, "7", "2 to 4 bytes in lower-case hex digits"),
        (
            "time",
            {"time": "2026-02-30T10:00:00.000000000Z"},
            '"2026-02-30T10:00:00.000000000Z"',
            "UTC such as 2026-11-21T10:00:00.000000000Z",
        ),
        (
            "ended",
            {"ended": "2999-01-01T10:00:00.000000000Z"},
            '"2999-01-01T10:00:00.000000000Z"',
            "UTC such as 2026-11-21T10:00:00.000000000Z",
        ),
        ("images", {"images": {}}, "{}", "a list, each item an object of note"),
        ("images[1]", {"images": ["first"]}, '"first"', "an object of note"),
        ("images[2].note", {"images": [{"note": "1"}, {"note": 2}]}, "2", "one line of text"),
        ("images[1].note", {"images": [{}]}, "missing", "one line of text"),
        ("signed", {"signed": 1}, "1", "true or false"),
        ("clauses", {"clauses": "NY"}, '"NY"', "a list, each item one line of text"),
        ("clauses", {"clauses": ["a\nb"]}, '["a\\nb"]', "a list, each item one line of text"),
        ("journal", {"journal": 7}, "7", "an object of record"),
        (
            "journal.record",
            {"journal": {"record": "7"}},
            '"7"',
            f"a whole number from 0 to {2**63 - 1}",
        ),
        ("journal.record", {"journal": {}}, "missing", f"a whole number from 0 to {2**63 - 1}"),
    ],
)
def test_a_wrong_field_is_named_with_its_value_and_what_is_allowed(
    place: str, change: dict[str, object], problem: str, allowed: str
) -> None:
    assert refused(WHOLE | change) == (
        f"{place}: it is {problem}. Allowed: {allowed}. Remedy: write it again"
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, "order: it is missing. Allowed: load, stop. Remedy: write it again"),
        ({"order": "go"}, 'order: it is "go". Allowed: load, stop. Remedy: write it again'),
        ({"order": 7}, "order: it is 7. Allowed: load, stop. Remedy: write it again"),
        (
            {"order": "load", "compartment": -1},
            (
                "compartment: it is -1. Allowed: a whole number from 0 to 4294967295."
                " Remedy: write it again"
            ),
        ),
        (
            {"order": "stop", "compartment": 1},
            ("compartment: there is no such field. Allowed: none. Remedy: remove it"),
        ),
        (
            [],
            ("it is []. Allowed: an object with order: load, stop. Remedy: write it again"),
        ),
    ],
)
def test_a_choice_of_objects_is_decided_by_its_tag(value: object, expected: str) -> None:
    assert refused(value, Load | Stop) == expected


@pytest.mark.parametrize(("name", "shown"), [("colour", "colour"), ("a`b\nc", '"a`b\\nc"')])
def test_an_unknown_field_is_named(name: str, shown: str) -> None:
    assert refused(WHOLE | {name: 1}).startswith(
        f"{shown}: there is no such field. Allowed: form, "
    )
    assert refused(WHOLE | {name: 1}).endswith("Remedy: remove it")


@pytest.mark.parametrize("key", ["x - at `$.y", "x` - at `$.name.z", "x` - at `$[0]", "` - at `$"])
def test_an_unknown_field_whose_name_looks_like_a_place_is_refused(key: str) -> None:
    assert refused(WHOLE | {key: 1}).endswith(("Remedy: remove it", "Remedy: write it again"))


class SignOn(Document, frozen=True):
    by: str
    pin: Secret


@pytest.mark.parametrize("pin", [270918, ["270918"], {"pin": "270918"}, None])
def test_a_pin_that_is_no_text_is_not_repeated(pin: object) -> None:
    said = refused({"by": "Ann Lee", "pin": pin}, SignOn)
    assert said == "pin: it is not a text. Allowed: one line of text. Remedy: write it again"
    for value in ([{"pin": pin}], [[pin]], {"by": {"pin": pin}, "pin": "270918"}):
        assert "270918" not in refused(value, SignOn)


def test_a_long_value_is_cut_off() -> None:
    assert len(refused(WHOLE | {"kind": "x" * 10_000})) < 200


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[]", "7", "9" * 5000, "\ud800"])
def test_text_that_is_not_an_object_is_refused(text: str) -> None:
    with pytest.raises(JsonError, match=r"Remedy: fix$"):
        read_document(text, Whole, "fix")


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64, 10**30])
def test_a_number_has_at_most_63_bits(number: int) -> None:
    assert refused(WHOLE | {"journal": {"record": number}}).startswith("journal.record: it is ")
    assert refused(WHOLE | {"count": number}).startswith(f"count: it is {number}. Allowed: ")


def test_a_file_is_named_in_front(fast_dir: Path) -> None:
    path = fast_dir / "whole.json"
    path.write_text("{}")

    with pytest.raises(
        SmallFileError, match=f"^{path}: form: it is missing. Allowed: whole-1. Rem"
    ):
        load_document(path, Whole, "fix")


@given(st.integers(0, 2**63 - 1))
def test_any_time_survives_its_text(utc_ns: int) -> None:
    assert UtcTime.parse(time_text(utc_ns)) == utc_ns


@pytest.mark.parametrize("utc_ns", [-1, 2**63])
def test_a_time_beyond_63_bits_is_shown_as_a_number(utc_ns: int) -> None:
    assert time_text(utc_ns) == f"{utc_ns} ns"
