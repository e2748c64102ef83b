"""Replays the inputs of a tape and names the entries that this program concludes otherwise.

    .venv/bin/python tests/tapes/replay_any_build.py FILE ...

leaves the build aside: `Started` counts as it stands in the tape. `smartshoe replay` compares bytes
only of its own build. FILE is a tape, compressed by xz or not. Source: docs/record-format.md.
"""

import lzma
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from controller.archive.replay.replayer import describe_entry
from controller.core.build import build_core
from controller.core.core import Core
from controller.core.state import CoreState
from controller.core.tape.inputs import Input, Started
from controller.core.tape.records import (
    entry_record,
    input_record,
    inputs_in,
    read_entry,
    read_input,
)
from controller.journal.tape_file import TapeReader
from controller.rules.profiles.load import load_clauses

DIFFERENCES_LISTED_MAX = 10


def tape_records(file: Path) -> list[bytes]:
    """The records of a tape, each input by itself; chain and digest are checked."""
    data = file.read_bytes()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "one.tape"
        path.write_bytes(lzma.decompress(data) if file.suffix == ".xz" else data)
        with TapeReader(path) as tape:
            return [part for one in tape.records() for part in _parts(one.record)]


def _parts(record: bytes) -> list[bytes]:
    item = read_input(record)
    return [record] if item is None else [input_record(one) for one in inputs_in(item)]


def concluded_records(inputs: Iterable[Input]) -> Iterator[bytes]:
    """Each input and what this program concludes from it, in the order of a journal."""
    core: Core | None = None
    state: CoreState | None = None
    for item in inputs:
        if isinstance(item, Started):
            core = build_core(item, load_clauses())
            state = core.initial() if state is None else state
        assert core is not None, "a journal begins with Started"
        assert state is not None
        yield input_record(item)
        state, output = core.handle(state, item)
        yield from map(entry_record, output.entries)


def differences(records: list[bytes]) -> list[str]:
    """The entries that this program concludes otherwise; records count from 1."""
    inputs = [one for record in records for one in _inputs(record)]
    concluded = list(concluded_records(inputs))
    found = [
        f"record {place}: stored {_in_words(was)}, concluded {_in_words(now)}"
        for place, (was, now) in enumerate(zip(records, concluded, strict=False), 1)
        if was != now
    ]
    if len(records) != len(concluded):
        found.append(f"{len(records)} records are stored, {len(concluded)} are concluded")
    return found


def _inputs(record: bytes) -> tuple[Input, ...]:
    item = read_input(record)
    return () if item is None else tuple(inputs_in(item))


def _in_words(record: bytes) -> str:
    entry = read_entry(record)
    return "an input" if entry is None else describe_entry(entry)


def main(files: list[str]) -> int:
    """Compare each tape; 1 if an entry differs."""
    differing = 0
    for name in files:
        records = tape_records(Path(name))
        found = differences(records)
        differing += bool(found)
        print(f"{name}: {len(records)} records, {len(found)} differ")
        for one in found[:DIFFERENCES_LISTED_MAX]:
            print(f"  {one}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
