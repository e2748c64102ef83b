"""Guards the running process: what it refuses to run as, and who may look into it.

Source: prctl(2), PR_SET_DUMPABLE; ptrace(2), "Ptrace access mode checking";
controller/table/README.md, "Running a table".
"""

import ctypes
import os
from typing import Final

_PR_SET_DUMPABLE: Final = 4
_NOT_DUMPABLE: Final = 0


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
