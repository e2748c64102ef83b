"""Records under strace what the program asks of the disk: writes, truncations, names, syncs.

Source: strace(1); open(2), fsync(2), rename(2).
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from hil.crash.calls import WRITING_CALLS
from hil.crash.verdict import Acknowledgement, last_acknowledgement

_CALLS: Final = (
    *("openat", "pwrite64", "write", "ftruncate", "fdatasync", "fsync"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "rmdir"),
)
# Calls that would change a file and that the program does not make: the model lacks them.
_NEVER: Final = ("writev", "pwritev", "pwritev2", "fallocate", "link", "linkat", "truncate")
# All calls that are modelled, that must not occur, and at which the program may be stopped.
TRACED: Final = tuple(sorted({*_CALLS, *_NEVER, *WRITING_CALLS}))
_LINE: Final = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+)(.*)", re.DOTALL)
_FILE: Final = re.compile(r"(\d+)<((?:\\x[0-9a-f]{2})*)>")
_TEXT: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(frozen=True, slots=True)
class FileWrite:
    """Bytes written to a file at an offset."""

    file: int
    at: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncation:
    """A file gets this length."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class NameChange:
    """Names below the base now refer to a file, a folder (FOLDER), or nothing (NOTHING)."""

    names: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SyncFile:
    """What was written to the file is durable."""

    file: int


@dataclass(frozen=True, slots=True)
class SyncFolder:
    """The names in this folder are durable."""

    folder: str


Op: TypeAlias = FileWrite | Truncation | NameChange | SyncFile | SyncFolder | Acknowledgement
_UNFINISHED: Final = "<unfinished ...>"
_RESUMED: Final = re.compile(r"\d+\s+<\.\.\. \w+ resumed>(.*)")
FOLDER: Final = -1
NOTHING: Final = -2


class IncompleteLog(Exception):
    """The log holds something that the model lacks; the message says what."""


def record(base: Path, *, weak: bool = False, start_alone: bool = False) -> tuple[str, ...]:
    """Play the script in `base`/table, or the start alone; the lines of strace."""
    log = base.with_name(base.name + ".log")
    command = (
        *("strace", "-f", "-qq", "-y", "-xx", "-s", "100000000", "-o", str(log)),
        *("-e", f"trace={','.join(TRACED)}"),
        *(sys.executable, "-m", "hil.crash.writer", str(base / "table")),
        *(("--weak",) if weak else ()),
        *(("--start-alone",) if start_alone else ()),
    )
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    lines = tuple(log.read_text(encoding="ascii").splitlines())
    log.unlink()
    return lines


def ops_in(lines: Iterable[str], base: Path) -> tuple[Op, ...]:
    """The operations on the disk below `base` in those lines. Raises IncompleteLog."""
    return tuple(LogReader(str(base)).ops(lines))


class LogReader:
    """Tracks the names and files of one log."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._files: dict[str, int] = {"": FOLDER}
        self._ends: dict[tuple[str, str], int] = {}
        self._count = 0

    def ops(self, lines: Iterable[str]) -> Iterator[Op]:
        """The operations in order. Raises IncompleteLog."""
        for line in _whole_calls(lines):
            match = _LINE.match(line)
            if match is None:
                if "exited with" in line or "+++" in line or "---" in line:
                    continue
                raise IncompleteLog(line[:200])
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
                    yield NameChange(((path, FOLDER),))
            case "unlink" | "unlinkat" | "rmdir":
                path = self._below(_texts(arguments)[0])
                if path is not None and path in self._files:
                    del self._files[path]
                    yield NameChange(((path, NOTHING),))
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
                raise IncompleteLog(f"{path} is opened but was never created")
            self._count += 1
            self._files[path] = self._count
            yield NameChange(((path, self._count),))
        elif "O_TRUNC" in arguments:
            yield Truncation(self._files[path], 0)

    def _renamed(self, old: str | None, new: str | None) -> Iterator[Op]:
        if old is None and new is None:
            return
        if old is None or new is None:
            raise IncompleteLog("a file is renamed into or out of the folder")
        self._files[new] = self._files.pop(old)
        yield NameChange(((old, NOTHING), (new, self._files[new])))

    def _on_file(self, name: str, arguments: str) -> Iterator[Op]:
        match = _FILE.match(arguments)
        path = self._below(_unhex(match[2]).decode(errors="replace")) if match else None
        if match is None or path is None:
            if name == "write" and (ack := _acknowledgement(arguments)) is not None:
                yield ack
            return
        if path not in self._files:
            return  # it was unlinked: nothing of it survives
        file = self._files[path]
        match name:
            case "fsync" | "fdatasync":
                yield SyncFolder(path) if file == FOLDER else SyncFile(file)
            case "ftruncate":
                yield Truncation(file, int(arguments.rsplit(",", 1)[1]))
            case "pwrite64":
                yield FileWrite(file, int(arguments.rsplit(",", 1)[1]), _texts_raw(arguments)[0])
            case "write":
                data = _texts_raw(arguments)[0]
                at = self._ends.get((match[1], path), 0)
                self._ends[match[1], path] = at + len(data)
                yield FileWrite(file, at, data)
            case _:
                raise IncompleteLog(f"{name} is not modelled")

    def _below(self, path: str) -> str | None:
        """The path below the base; None for any other."""
        if path == self._base:
            return ""
        return path.removeprefix(self._base + "/") if path.startswith(self._base + "/") else None


def _whole_calls(lines: Iterable[str]) -> Iterator[str]:
    """The calls in the order in which they ended: another thread's may lie inside one."""
    begun: dict[str, str] = {}
    for line in lines:
        thread = line.partition(" ")[0]
        if line.endswith(_UNFINISHED):
            begun[thread] = line.removesuffix(_UNFINISHED).rstrip()
        elif (ended := _RESUMED.match(line)) is not None:
            yield begun.pop(thread) + ended[1]
        else:
            yield line


def _acknowledgement(arguments: str) -> Acknowledgement | None:
    """The acknowledgement in what is written outside the folder, None if it is not one."""
    data = _texts_raw(arguments)[0]
    return last_acknowledgement(data) if re.fullmatch(rb"\d+ [0-9a-f]{64}\n", data) else None


def _texts(arguments: str) -> tuple[str, ...]:
    return tuple(os.fsdecode(text) for text in _texts_raw(arguments))


def _texts_raw(arguments: str) -> tuple[bytes, ...]:
    return tuple(map(_unhex, _TEXT.findall(arguments)))


def _unhex(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))
