"""The C library's heap: large blocks are given back when freed, the rest on request.

Source: mallopt(3), malloc_trim(3); controller/metrics/README.md, "Beyond this machine".
"""

import ctypes
from typing import Final

# mallopt(3): blocks of at least this size are mapped, and unmapped when they are freed.
_M_MMAP_THRESHOLD: Final = -3
_MAPPED_BYTES_MIN: Final = 1 << 20


def map_large_blocks() -> None:
    """From now on a block of a mebibyte or more goes back to the system when it is freed."""
    ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES_MIN)


def trim() -> None:
    """Give pages back that hold nothing; takes some milliseconds, off the global lock."""
    ctypes.CDLL(None).malloc_trim(0)
