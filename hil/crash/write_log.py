"""What the program under test asked of the disk, in order and with all data.

Responsible for: one run of the script under strace, as a row of writes, truncations, names and
syncs, and the acknowledgements between them.
Not responsible for: what of it a power cut leaves (power).
Source: strace(1); open(2), fsync(2), rename(2); package README, "The crash and damage matrix".
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from hil.crash.calls import WRITING
from hil.crash.verdict import Ack, last_ack

_CALLS: Final = (
    *("openat", "pwrite64", "write", "ftruncate", "fdatasync", "fsync"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir"),
)
# Calls that would change a file and that the program does not make: a log with one is not whole.
_NEVER: Final = ("writev", "pwritev", "pwritev2", "fallocate", "link", "linkat", "truncate")
# All that is followed, all that must not be there, and whatever the program may be stopped at.
TRACED: Final = tuple(sorted({*_CALLS, *_NEVER, *WRITING}))
_LINE: Final = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+)(.*)", re.DOTALL)
_FILE: Final = re.compile(r"(\d+)<((?:\\x[0-9a-f]{2})*)>")
_TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(frozen=True, slots=True)
class Put:
    """Bytes of a file at an offset."""

    file: int
    at: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """A file has this length."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Name:
    """Names below the base come to stand for a file, for a folder (FOLDER), or for nothing."""

    names: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SyncFile:
    """What was written to the file is on the disk when this returns."""

    file: int


@dataclass(frozen=True, slots=True)
class SyncFolder:
    """The names in this folder are on the disk when this returns."""

    folder: str


Op: TypeAlias = Put | Cut | Name | SyncFile | SyncFolder | Ack
FOLDER: Final = -1
NOTHING: Final = -2


class LogNotWhole(Exception):
    """The log holds what this reading of it does not know; the message says what."""


def record(base: Path, *, weak: bool = False) -> tuple[str, ...]:
    """Play the script in `base`/table; the lines of what that asked of the system."""
    log = base.with_name(base.name + ".log")
    command = (
        *("strace", "-f", "-qq", "-y", "-xx", "-s", "100000000", "-o", str(log)),
        *("-e", f"trace={','.join(TRACED)}"),
        *(sys.executable, "-m", "hil.crash.writer", str(base / "table")),
        *(("--weak",) if weak else ()),
    )
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    lines = tuple(log.read_text(encoding="ascii").splitlines())
    log.unlink()
    return lines


def ops_in(lines: Iterable[str], base: Path) -> tuple[Op, ...]:
    """What they say was asked of the disk below `base`. Raises LogNotWhole."""
    return tuple(Reading(str(base)).ops(lines))


class Reading:
    """Follows names and files of one log."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._files: dict[str, int] = {"": FOLDER}
        self._ends: dict[tuple[str, str], int] = {}
        self._count = 0

    def ops(self, lines: Iterable[str]) -> Iterator[Op]:
        """What the lines say, in order. Raises LogNotWhole."""
        for line in lines:
            match = _LINE.match(line)
            if match is None:
                if "exited with" in line or "+++" in line or "---" in line:
                    continue
                raise LogNotWhole(line[:200])
            _, name, arguments, result, rest = match.groups()
            if int(result) >= 0:
                yield from self._op(name, arguments, result + rest)

    def _op(self, name: str, arguments: str, result: str) -> Iterator[Op]:
        match name:
            case "openat":
                yield from self._opened(arguments, result)
            case "mkdir":
                path = self._below(_texts(arguments)[0])
                if path is not None:
                    self._files[path] = FOLDER
                    yield Name(((path, FOLDER),))
            case "unlink" | "unlinkat":
                path = self._below(_texts(arguments)[0])
                if path is not None and path in self._files:
                    del self._files[path]
                    yield Name(((path, NOTHING),))
            case "rename" | "renameat" | "renameat2":
                yield from self._renamed(*map(self._below, _texts(arguments)[:2]))
            case _:
                yield from self._on_file(name, arguments)

    def _opened(self, arguments: str, result: str) -> Iterator[Op]:
        path = self._below(_texts(arguments)[0])
        if path is None or "O_DIRECTORY" in arguments:
            return
        number = result.partition("<")[0]
        self._ends[number, path] = 0
        if path not in self._files:
            if "O_CREAT" not in arguments:
                raise LogNotWhole(f"{path} is opened and was never made")
            self._count += 1
            self._files[path] = self._count
            yield Name(((path, self._count),))
        elif "O_TRUNC" in arguments:
            yield Cut(self._files[path], 0)

    def _renamed(self, old: str | None, new: str | None) -> Iterator[Op]:
        if old is None and new is None:
            return
        if old is None or new is None:
            raise LogNotWhole("a file is renamed into or out of the folder")
        self._files[new] = self._files.pop(old)
        yield Name(((old, NOTHING), (new, self._files[new])))

    def _on_file(self, name: str, arguments: str) -> Iterator[Op]:
        match = _FILE.match(arguments)
        path = self._below(_unhex(match[2]).decode(errors="replace")) if match else None
        if match is None or path is None:
            if name == "write" and (told := _told(arguments)) is not None:
                yield told
            return
        if path not in self._files:
            return  # its name is gone: nothing of it survives
        file = self._files[path]
        match name:
            case "fsync" | "fdatasync":
                yield SyncFolder(path) if file == FOLDER else SyncFile(file)
            case "ftruncate":
                yield Cut(file, int(arguments.rsplit(",", 1)[1]))
            case "pwrite64":
                yield Put(file, int(arguments.rsplit(",", 1)[1]), _texts_raw(arguments)[0])
            case "write":
                data = _texts_raw(arguments)[0]
                at = self._ends.get((match[1], path), 0)
                self._ends[match[1], path] = at + len(data)
                yield Put(file, at, data)
            case _:
                raise LogNotWhole(f"{name} is not followed")

    def _below(self, path: str) -> str | None:
        """The path below the base; None for any other."""
        if path == self._base:
            return ""
        return path.removeprefix(self._base + "/") if path.startswith(self._base + "/") else None


def _told(arguments: str) -> Ack | None:
    """An acknowledgement among what is written elsewhere."""
    data = _texts_raw(arguments)[0]
    return last_ack(data) if re.fullmatch(rb"\d+ [0-9a-f]{64}\n", data) else None


def _texts(arguments: str) -> tuple[str, ...]:
    return tuple(os.fsdecode(text) for text in _texts_raw(arguments))


def _texts_raw(arguments: str) -> tuple[bytes, ...]:
    return tuple(map(_unhex, _TEXT.findall(arguments)))


def _unhex(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))
