"""Makes records that together have every struct, alternative and member of a closed set.

    .venv/bin/python tests/tapes/golden_records.py --add

adds records of forms that records-1.txt does not have; what stands there is never changed.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from msgspec import Struct, inspect

from controller.core.tape.entries import Entry
from controller.core.tape.records import (
    RecordedInput,
    entry_record,
    input_record,
    read_entry,
    read_input,
)

RECORDS = Path(__file__).parent / "records-1.txt"
TEXTS = {
    "identifier": "S42-k-2",
    "person": "person-00112233aabb",
    "typed": "the patron disputes it",
    "configured": "Player wins",
    "foreign": "Input/output error",
    "parameter": "red",
}
DEPTH_MAX = 2


def examples(one: inspect.Type, depth: int = 0) -> list[Any]:
    """Values of a type that together show each of its forms once."""
    match one:
        case inspect.Metadata(type=inspect.StrType(), extra=extra):
            return [TEXTS[str((extra or {}).get("text", "identifier"))]]
        case inspect.Metadata(type=inner):
            return examples(inner, depth)
        case inspect.StructType():
            return structs(one, depth)
        case inspect.EnumType(cls=cls):
            return list(cls)
        case inspect.UnionType(types=types):
            return [value for each in types for value in examples(each, depth)]
        case inspect.VarTupleType(item_type=item):
            return [(), *((each,) for each in examples(item, depth))] if depth < DEPTH_MAX else [()]
        case inspect.TupleType(item_types=items):
            return rows([examples(item, depth) for item in items])
        case inspect.IntType(ge=low, le=high):
            return [high if high is not None else 2**40, *([low] if low is not None else [-7, 0])]
        case inspect.BoolType():
            return [True, False]
        case inspect.BytesType():
            return [b"\x05\x00\xff", b""]
        case inspect.NoneType():
            return [None]
        case _:
            assert isinstance(one, inspect.StrType)
            return ["text"]


def structs(one: inspect.StructType, depth: int) -> list[Any]:
    names = [field.name for field in one.fields]
    # A message has messages as parameters: those of its own kind end somewhere.
    deeper = depth + (one.cls.__name__ == "Message")
    fields = [examples(field.type, deeper) for field in one.fields]
    return [one.cls(**dict(zip(names, row, strict=True))) for row in rows(fields)] or [one.cls()]


def rows(columns: Sequence[list[Any]]) -> list[tuple[Any, ...]]:
    """As many rows as the longest column has values; the others start over."""
    longest = max(map(len, columns), default=0)
    return [
        row for row, _ in zip(zip(*map(cycle, columns), strict=False), range(longest), strict=False)
    ]


def records() -> Iterator[bytes]:
    for hint, wrap in ((RecordedInput, input_record), (Entry, entry_record)):
        for value in examples(inspect.type_info(hint)):
            yield wrap(value)


def stored() -> list[bytes]:
    return [bytes.fromhex(line) for line in RECORDS.read_text().splitlines()]


def entry_or_input(record: bytes) -> Struct:
    found = read_input(record) or read_entry(record)
    assert found is not None
    return found


def record_of(one: Struct) -> bytes:
    """The record of an entry or an input."""
    return entry_record(one) if isinstance(one, Entry) else input_record(one)  # type: ignore[arg-type]


if __name__ == "__main__" and "--add" in sys.argv:
    there = stored() if RECORDS.exists() else []
    added = [one for one in dict.fromkeys(records()) if one not in there]
    with RECORDS.open("a") as file:
        file.writelines(f"{one.hex()}\n" for one in added)
    print(f"{RECORDS.name}: {len(there)} records, {len(added)} added")
