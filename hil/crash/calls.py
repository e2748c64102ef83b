"""The writing system calls of the program under test, one by one.

Responsible for: listing every call of a run that writes to the journal's folder, by thread, and
which of them a tool that counts calls by thread can stop at.
Not responsible for: stopping there (kills) and what calls mean to a disk (power_log).
Source: strace(1); package README, "The crash and damage matrix".
"""

import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
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


def list_calls(folder: Path) -> tuple[Call, ...]:
    """Play the script in a process of its own, and list what it writes below `folder`."""
    log = folder.with_name(folder.name + ".calls")
    strace = (
        *("strace", "-f", "-qq", "-y", "-s", "0", "-o", str(log)),
        *("-e", f"trace={','.join(WRITING)}"),
    )
    writer = (sys.executable, "-m", "hil.crash.writer", str(folder))
    subprocess.run((*strace, *writer), check=True, stdout=subprocess.DEVNULL)
    return calls_in(log.read_text(errors="replace"), str(folder))


def calls_in(log: str, folder: str) -> tuple[Call, ...]:
    """The calls in a log of strace that name something at or below `folder`."""
    threads: dict[str, int] = {}
    counts: Counter[tuple[str, str]] = Counter()
    reached: dict[tuple[str, int], str] = {}
    found: list[Call] = []
    for line in log.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        thread, name, arguments = match.groups()
        threads.setdefault(thread, len(threads) + 1)
        counts[thread, name] += 1
        number = counts[thread, name]
        # Counting is by thread: whoever comes first to this number is stopped.
        first = reached.setdefault((name, number), thread)
        if first == thread and folder in arguments:
            found.append(Call(name, threads[thread], number, _what(arguments, folder)))
    return tuple(found)


def _what(arguments: str, folder: str) -> str:
    """The file's name below the folder."""
    return arguments.rsplit(folder, 1)[1].partition(">")[0].partition('"')[0].strip("/") or "."
