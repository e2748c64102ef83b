"""The writing system calls of the program under test, one by one.

Responsible for: listing every call of a run that writes to the journal's folder, by thread, and
which of them a tool that counts calls by thread can stop at.
Not responsible for: recording them (write_log), stopping there (kills) and what calls mean to a
disk (power).
Source: strace(1); package README, "The crash and damage matrix".
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

# Where a program may die: each call that changes what the disk holds.
WRITING: Final = (
    *("pwrite64", "write", "writev", "pwritev", "fdatasync", "fsync", "ftruncate", "fallocate"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "link", "linkat", "mkdir"),
)
# Which of them a disk may refuse.
REFUSED: Final = (
    *("pwrite64", "write", "writev", "pwritev", "fdatasync", "fsync", "ftruncate", "fallocate"),
    *("rename", "renameat", "renameat2"),
)
_HEX: Final = re.compile(r"(?:\\x[0-9a-f]{2})*")
_LINE: Final = re.compile(r"(\d+) +(\w+)\((.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Call:
    """The `number`-th call of that name by thread `thread`, both counted from 1."""

    name: str
    thread: int
    number: int
    what: str

    def __str__(self) -> str:
        return f"{self.name}.{self.thread}.{self.number}"


def calls_in(log: Iterable[str], folder: str) -> tuple[Call, ...]:
    """The calls in a log of strace that name something at or below `folder`.

    In the log all names and data stand in hexadecimal form (strace -xx).
    """
    threads: dict[str, int] = {}
    counts: Counter[tuple[str, str]] = Counter()
    reached: dict[tuple[str, int], str] = {}
    found: list[Call] = []
    sought = "".join(f"\\x{byte:02x}" for byte in os.fsencode(folder))
    for line in log:
        match = _LINE.match(line)
        if match is None:
            continue
        thread, name, arguments = match.groups()
        threads.setdefault(thread, len(threads) + 1)
        counts[thread, name] += 1
        number = counts[thread, name]
        # Counting is by thread: whoever comes first to this number is stopped.
        first = reached.setdefault((name, number), thread)
        if first == thread and name in WRITING and sought in arguments:
            rest = _HEX.match(arguments.rsplit(sought, 1)[1])
            below = bytes.fromhex(rest[0].replace("\\x", "")) if rest is not None else b""
            what = os.fsdecode(below).strip("/") or "."
            found.append(Call(name, threads[thread], number, what))
    return tuple(found)
