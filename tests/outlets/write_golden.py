"""Writes what every outlet says now, and prints what changed: python tests/outlets/write_golden.py.

For a change that is meant, and the commit names each difference with its reason; a change of
structure leaves every file as it is.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import golden
from outlet_texts import Texts, masked_texts, parquet_texts, raw_texts, schema_texts
from played_tables import TAPES

from hil.run_guard import memory_folder


def texts_now() -> dict[str, golden.ByTape]:
    """The masked lines of every outlet by tape."""
    found: dict[str, golden.ByTape] = {}
    for tape in TAPES:
        for play in (raw_texts, parquet_texts):
            with TemporaryDirectory(dir=memory_folder()) as folder:
                _add(found, tape, play(tape, Path(folder)))
    _add(found, golden.PUBLISHED, schema_texts())
    return found


def _add(found: dict[str, golden.ByTape], tape: str, texts: Texts) -> None:
    for outlet, lines in masked_texts(texts).items():
        found.setdefault(outlet, {})[tape] = lines


def main() -> None:
    now = texts_now()
    for outlet in sorted({*golden.outlets_stored(), *now}):
        if outlet not in now:
            golden.golden_file(outlet).unlink()
            print(f"{outlet}: is no outlet any more")
            continue
        was = golden.read(outlet)
        if was == now[outlet]:
            continue
        for tape, lines in now[outlet].items():
            if found := golden.difference(outlet, tape, was.get(tape, []), lines):
                print(found)
        golden.write(outlet, now[outlet])
    print(f"{len(now)} outlets", file=sys.stderr)


if __name__ == "__main__":
    main()
