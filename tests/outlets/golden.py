"""The golden files: for each outlet its masked lines over every tape, as text under xz."""

import lzma
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

GOLDEN: Final = Path(__file__).parent / "golden"
_SECTION: Final = "## "
# What follows from no tape: the schemas.
PUBLISHED: Final = "published"

# The lines of an outlet by the tape.
ByTape = dict[str, list[str]]


def golden_file(outlet: str) -> Path:
    return GOLDEN / f"{outlet}.txt.xz"


def outlets_stored() -> list[str]:
    return sorted(one.name.removesuffix(".txt.xz") for one in GOLDEN.glob("*.txt.xz"))


def read(outlet: str) -> ByTape:
    """The lines of an outlet by tape; none where it has no file."""
    found: ByTape = {}
    lines: list[str] = []
    if not golden_file(outlet).exists():
        return found
    for line in lzma.decompress(golden_file(outlet).read_bytes()).decode().split("\n"):
        if line.startswith(_SECTION):
            found[line.removeprefix(_SECTION)] = lines = []
        else:
            lines.append(line)
    return found


def write(outlet: str, texts: Mapping[str, Iterable[str]]) -> None:
    lines = [one for tape, of_tape in texts.items() for one in (f"{_SECTION}{tape}", *of_tape)]
    data = lzma.compress("\n".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME)
    golden_file(outlet).write_bytes(data)


def difference(outlet: str, tape: str, was: list[str], now: list[str]) -> str:
    """The first line that an outlet says otherwise, with its place; empty where all are equal."""
    if was == now:
        return ""
    place = next(
        (number for number, (old, new) in enumerate(zip(was, now, strict=False)) if old != new),
        min(len(was), len(now)),
    )
    old, new = ((*lines[place:], "(no line)")[0] for lines in (was, now))
    column = next(
        (number for number, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), 0
    )
    begin = max(0, column - _BEFORE)
    shown = [f"{'...' if begin else ''}{one[begin : column + _AFTER]}" for one in (old, new)]
    return (
        f"{outlet} of {tape}: {len(was)} lines, now {len(now)}; line {place + 1}\n"
        f"  was {shown[0]}\n  now {shown[1]}"
    )


_BEFORE: Final = 60
_AFTER: Final = 100
