"""Fields of small JSON files: typed values, or problems that name the field."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.system.json_document import JsonFields, time_text

WHOLE = {
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


def read(fields: JsonFields) -> tuple[object, ...]:
    return (
        fields.text("name"),
        fields.number("count"),
        fields.choice("kind", ("shoe", "shuffler")),
        fields.hex("key", 2, 4),
        fields.time("time"),
        tuple(one.text("note") for one in fields.each("images")),
        fields.truth("signed"),
        fields.texts("clauses"),
        fields.inner("journal").number("record"),
    )


def test_each_field_has_its_type() -> None:
    fields = JsonFields.of(json.dumps(WHOLE), "write it again")

    assert read(fields) == (
        "Ann Lee",
        8,
        "shuffler",
        b"\x00\xff",
        1_795_255_200_000_000_001,
        ("first", "second"),
        True,
        ("NY-a-4-iv-b",),
        7,
    )
    assert fields.problems() == ()


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("name", "two\nlines", "one line of text"),
        ("count", 2**32, "a whole number of at most 4294967295"),
        ("count", True, "a whole number of at most 4294967295"),
        ("kind", "scanner", "shoe, shuffler"),
        ("key", "00", "2 to 4 bytes in lower-case hex digits"),
        ("key", "00FF", "2 to 4 bytes in lower-case hex digits"),
        ("key", "0ff", "2 to 4 bytes in lower-case hex digits"),
        ("time", "2026-11-21", "UTC such as 2026-11-21T10:00:00.000000000Z"),
        ("images", {}, "a list of objects"),
        ("signed", 1, "true or false"),
        ("clauses", "NY-a-4-iv-b", "a list of lines of text"),
        ("clauses", ["two\nlines"], "a list of lines of text"),
    ],
)
def test_a_wrong_field_is_reported_with_allowed_values_and_remedy(
    name: str, value: object, allowed: str
) -> None:
    fields = JsonFields.of(json.dumps(WHOLE | {name: value}), "write it again")
    read(fields)

    assert fields.problems() == (
        f"{name}: it is missing or wrong. Allowed: {allowed}. Remedy: write it again",
    )


def test_a_field_in_a_list_is_reported_with_its_path() -> None:
    fields = JsonFields.of(json.dumps(WHOLE | {"images": [{"note": "first"}, {"note": 2}]}), "fix")
    read(fields)

    (problem,) = fields.problems()
    assert problem.startswith("images[2].note: it is missing or wrong")


def test_a_list_item_that_is_not_an_object_is_one_problem() -> None:
    fields = JsonFields.of(json.dumps(WHOLE | {"images": ["first"]}), "fix")
    read(fields)

    assert fields.problems() == ("images[1] is not a JSON object. Remedy: fix",)


def test_a_field_in_a_nested_object_is_reported_with_its_path() -> None:
    fields = JsonFields.of(json.dumps(WHOLE | {"journal": {"record": "7"}}), "fix")
    read(fields)

    (problem,) = fields.problems()
    assert problem.startswith("journal.record: it is missing or wrong")


@pytest.mark.parametrize("journal", [{}, {"journal": 7}])
def test_a_nested_value_that_is_not_an_object_is_one_problem(journal: dict[str, object]) -> None:
    rest = {name: value for name, value in WHOLE.items() if name != "journal"}
    fields = JsonFields.of(json.dumps(rest | journal), "fix")
    read(fields)

    (problem,) = fields.problems()
    assert problem.startswith("journal")


def test_an_unknown_field_is_named() -> None:
    fields = JsonFields.of(json.dumps(WHOLE | {"colour": 1}), "fix")
    read(fields)

    assert fields.problems() == ("'colour': there is no such field. Remedy: remove it",)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[]", "7", "9" * 5000])
def test_text_that_is_not_an_object_is_one_problem(text: str) -> None:
    fields = JsonFields.of(text, "fix")
    read(fields)

    assert len(fields.problems()) == 1


@given(st.integers(0, 250_000_000_000 * 10**9))
def test_any_time_survives_its_text(utc_ns: int) -> None:
    fields = JsonFields({"time": time_text(utc_ns)}, "")

    assert fields.time("time") == utc_ns


def test_a_time_after_the_year_9999_is_shown_as_a_number() -> None:
    assert time_text(-1) == "-1 ns"
