"""Guards the running process: what it refuses to run as, who may look into it, heap, end.

Source: prctl(2), PR_SET_DUMPABLE; ptrace(2), "Ptrace access mode checking"; mallopt(3),
malloc_trim(3).
"""

import contextlib
import ctypes
import os
import sys
from typing import Final, NoReturn

_PR_SET_DUMPABLE: Final = 4
_NOT_DUMPABLE: Final = 0
# mallopt(3): blocks of at least this size are mapped, and unmapped when they are freed.
_M_MMAP_THRESHOLD: Final = -3
_MAPPED_BYTES_MIN: Final = 1 << 20
# mallopt(3): threads get their heaps from so many arenas.
_M_ARENA_MAX: Final = -8


def runs_as_root() -> bool:
    """Whether the process may do everything on this machine."""
    return os.geteuid() == 0


def make_undumpable() -> None:
    """Leave no core dump, and let no other program of this account read memory or attach to it.

    Memory holds cards that nobody has seen, and keys. Raises OSError.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, _NOT_DUMPABLE, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl: {os.strerror(number)}")


def leave_at_once(code: int) -> NoReturn:
    """End the process with that code, and leave its memory and daemon threads to the system."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            # A process that was given none has None there.
            if stream is not None:
                stream.flush()
    os._exit(code)


def map_large_blocks() -> None:
    """From now on a block of a mebibyte or more goes back to the system when it is freed."""
    ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES_MIN)


def share_heap() -> None:
    """Before the first thread: all have one heap.

    Python runs one of them at a time, and what one gives back another takes.
    """
    ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def trim_heap() -> None:
    """Give pages back that hold nothing; takes some milliseconds, off the global lock."""
    ctypes.CDLL(None).malloc_trim(0)
