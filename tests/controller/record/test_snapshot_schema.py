"""docs/schemas holds the schema of the snapshot; a version of it gains optional fields only.

The schema of this version is written if it is compatible or new.
"""

import json
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from controller.record.snapshot import SCHEMA_VERSION, Snapshot
from controller.system.json_document import schemas_of

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "docs" / "schemas" / f"snapshot-{SCHEMA_VERSION}.json"
DESCRIBING = ("title", "description")
REMEDY = "raise SCHEMA_VERSION, or run: make generate"


def generated() -> dict[str, Any]:
    made = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": "#/$defs/Snapshot",
        "$defs": schemas_of([Snapshot], "#/$defs/{name}"),
    }
    return dict(json.loads(json.dumps(made)))


def breaks(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Where a reader of the schema before cannot read what the schema after describes."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        if before != after:
            yield f"{place}: it was {before}, and is {after}"
        return
    for name in sorted({*before, *after} - set(DESCRIBING)):
        old, new, here = before.get(name), after.get(name), f"{place}/{name}"
        if name in ("properties", "$defs"):
            yield from (f"{here}/{one}: it is gone" for one in sorted(set(old) - set(new)))
            for one in sorted(set(old) & set(new)):
                yield from breaks(old[one], new[one], f"{here}/{one}")
        elif name == "required":
            added = set(after["properties"]) - set(before["properties"])
            yield from (f"{here}: {one} is added" for one in sorted(added & set(new)))
            yield from (f"{here}: {one} is optional" for one in sorted(set(old) - set(new)))
        else:
            yield from breaks(old, new, here)


def test_the_committed_schema_is_that_of_the_types() -> None:
    committed = json.loads(FILE.read_text(encoding="utf-8"))

    assert list(breaks(committed, generated())) == [], REMEDY
    assert committed == generated(), REMEDY


def edited(path: str, value: object) -> dict[str, Any]:
    """The schema with a value in another form; None removes it."""
    made = deepcopy(generated())
    *parents, last = path.split("/")
    part = made
    for name in parents:
        part = part[name]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return made


def test_an_optional_field_may_be_added_and_words_may_change() -> None:
    shoe = "$defs/ShoeView/"

    assert not list(breaks(generated(), edited(f"{shoe}properties/colour", {"type": "string"})))
    assert not list(breaks(generated(), edited(f"{shoe}description", "better words")))
    assert not list(breaks(generated(), edited("$defs/LightView", {"type": "object"})))


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("$defs/ShoeView/properties/number", None, "/$defs/ShoeView/properties/number"),
        ("$defs/ShoeView/properties/number", {"type": "string"}, "/$defs/ShoeView/properties/num"),
        ("$defs/ShoeView/required", ["number"], "/$defs/ShoeView/required"),
        ("$defs/ShoeView", None, "/$defs/ShoeView"),
        ("$defs/Withheld/enum", ["face_down", "new_reason"], "/$defs/Withheld/enum"),
        ("$defs/CardFact_int_/properties/value", {"type": "integer"}, "/$defs/CardFact_int_/prop"),
    ],
)
def test_every_other_change_is_found(path: str, value: object, place: str) -> None:
    assert any(one.startswith(place) for one in breaks(generated(), edited(path, value)))


def test_a_field_that_is_added_as_required_is_found() -> None:
    made = edited("$defs/ShoeView/properties/colour", {"type": "string"})
    made["$defs"]["ShoeView"]["required"].append("colour")

    assert list(breaks(generated(), made)) == ["/$defs/ShoeView/required: colour is added"]


def text(made: dict[str, Any]) -> str:
    """The schema as JSON, each definition on a line."""
    head = json.dumps({name: value for name, value in made.items() if name != "$defs"})
    parts = (f"{json.dumps(name)}: {json.dumps(one)}" for name, one in made["$defs"].items())
    return head.removesuffix("}") + ', "$defs": {\n' + ",\n".join(parts) + "\n}}\n"


def write_generated() -> None:
    if FILE.exists():
        found = list(breaks(json.loads(FILE.read_text(encoding="utf-8")), generated()))
        if found:
            sys.exit("\n".join([*found, "Remedy: raise SCHEMA_VERSION"]))
    FILE.write_text(text(generated()), encoding="utf-8")
