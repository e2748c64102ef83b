"""Lists the writing system calls of the program under test, by thread, from a log of strace.

Only calls are listed at which strace, which counts them by thread, can stop the program.

Source: strace(1).
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

# Where the program is killed: each call that changes what the disk holds.
WRITING_CALLS: Final = (
    *("pwrite64", "write", "writev", "pwritev", "fdatasync", "fsync", "ftruncate", "fallocate"),
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "link", "linkat", "mkdir", "rmdir"),
)
# Those of them that a disk may fail.
FAILABLE_CALLS: Final = (
    *("pwrite64", "write", "writev", "pwritev", "fdatasync", "fsync", "ftruncate", "fallocate"),
    *("rename", "renameat", "renameat2"),
)
_HEX: Final = re.compile(r"(?:\\x[0-9a-f]{2})*")
_LINE: Final = re.compile(r"(\d+) +(\w+)\((.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SystemCall:
    """The `number`-th call of that name by thread `thread`, both counted from 1.

    `file` is the path below the journal's folder that it writes to.
    """

    name: str
    thread: int
    number: int
    file: str

    def __str__(self) -> str:
        return f"{self.name}.{self.thread}.{self.number}"


def calls_in(log: Iterable[str], folder: str) -> tuple[SystemCall, ...]:
    """The calls in a log of strace that name a path at or below `folder`.

    In the log all names and data are in hexadecimal form (strace -xx).
    """
    threads: dict[str, int] = {}
    counts: Counter[tuple[str, str]] = Counter()
    reached: dict[tuple[str, int], str] = {}
    found: list[SystemCall] = []
    sought = "".join(f"\\x{byte:02x}" for byte in os.fsencode(folder))
    for line in log:
        match = _LINE.match(line)
        if match is None:
            continue
        thread, name, arguments = match.groups()
        threads.setdefault(thread, len(threads) + 1)
        counts[thread, name] += 1
        number = counts[thread, name]
        # strace counts by thread: the first thread to reach this number is stopped.
        first = reached.setdefault((name, number), thread)
        if first == thread and name in WRITING_CALLS and sought in arguments:
            rest = _HEX.match(arguments.rsplit(sought, 1)[1])
            below = bytes.fromhex(rest[0].replace("\\x", "")) if rest is not None else b""
            file = os.fsdecode(below).strip("/") or "."
            found.append(SystemCall(name, threads[thread], number, file))
    return tuple(found)
