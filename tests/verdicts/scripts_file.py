"""The file of the verdicts' net: text under xz, a block for each script, a line for each statement.

A block is `kind profile decks observed`, then `statement<TAB>answer` lines, then an empty line. A
second file has the answers alone, a block for each script: those of 0.5.0 stay as they were.
"""

import lzma
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PATH: Final = Path(__file__).parent / "scripts.txt.xz"
ANSWERS_PATH: Final = Path(__file__).parent / "answers.txt.xz"
SCRIPTS_COUNT: Final = 2_000
KINDS: Final = ("good", "wrong", "people", "batches", "shuffler")


@dataclass(frozen=True)
class NetScript:
    """One dealing script with an answer for each of its statements."""

    kind: str
    profile: str
    decks: int
    observed: str
    statements: tuple[str, ...]
    answers: tuple[str, ...]


def write(scripts: Iterable[NetScript]) -> None:
    blocks = []
    for one in scripts:
        lines = [f"{one.kind} {one.profile} {one.decks} {one.observed}"]
        pairs = zip(one.statements, one.answers, strict=True)
        lines += [f"{statement}\t{answer}" for statement, answer in pairs]
        blocks.append("\n".join(lines))
    _write(PATH, blocks)


def write_answers(answers: Iterable[Iterable[str]]) -> None:
    _write(ANSWERS_PATH, ["\n".join(one) for one in answers])


def read_answers() -> list[list[str]]:
    """The answers of now, by script."""
    blocks = lzma.decompress(ANSWERS_PATH.read_bytes()).decode().split("\n\n")
    return [block.split("\n") for block in blocks]


def _write(path: Path, blocks: list[str]) -> None:
    path.write_bytes(lzma.compress("\n\n".join(blocks).encode(), preset=9 | lzma.PRESET_EXTREME))


def read() -> list[NetScript]:
    blocks = lzma.decompress(PATH.read_bytes()).decode().split("\n\n")
    return [_script(block.split("\n")) for block in blocks]


def _script(lines: list[str]) -> NetScript:
    kind, profile, decks, observed = lines[0].split(" ")
    pairs = [line.split("\t") for line in lines[1:]]
    statements, answers = zip(*pairs, strict=True)
    return NetScript(kind, profile, int(decks), observed, statements, answers)
