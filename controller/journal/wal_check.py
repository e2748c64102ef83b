"""SQLite's write-ahead log after a crash: does it end where its last commit does?

Responsible for: telling the torn end of one commit, which a power cut leaves, from a log that is
damaged before commits that were durable: SQLite takes both as the end, and says nothing.
Not responsible for: reading what stands in it (SQLite), and for a log that is cut off: then the
newest records are missing, which only a head that was noted shows.
Source: SQLite documentation, "WAL-mode File Format", sections 2.1 (header of the index), 4 (the
log); controller/journal/README.md, "Durability".
"""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Final

_HEADER_BYTES: Final = 32
_FRAME_HEADER_BYTES: Final = 24
_WORD: Final = 1 << 32
# The last frame that SQLite took stands in the index at this place, in the machine's own order.
_TAKEN_AT: Final = 16


class LogEnd(StrEnum):
    """How the log goes on after the last commit that SQLite takes."""

    CLEAN = "clean"
    TORN = "torn"  # parts of one commit, which was never acknowledged
    DAMAGED = "damaged"  # further commits, each durable before the next began


def frames_taken(index: int) -> int:
    """How many frames of the log SQLite took, from a descriptor of its index. Raises OSError."""
    return int.from_bytes(os.pread(index, _TAKEN_AT + 4, 0)[_TAKEN_AT:], sys.byteorder)


def log_end(log: Path, taken: int) -> LogEnd:
    """How the log ends after so many frames. Raises OSError."""
    if not log.exists():
        return LogEnd.CLEAN
    with log.open("rb") as opened:
        header, size = opened.read(_HEADER_BYTES), os.fstat(opened.fileno()).st_size
        if size <= _HEADER_BYTES:
            return LogEnd.CLEAN
        if not _sound(header):
            # It is on the disk before the first frame is written.
            return LogEnd.DAMAGED
        salts, frame = header[16:24], _FRAME_HEADER_BYTES + int.from_bytes(header[8:12], "big")
        end = LogEnd.CLEAN
        commit = False
        for at in range(_HEADER_BYTES + taken * frame, size - _FRAME_HEADER_BYTES + 1, frame):
            opened.seek(at)
            said = opened.read(_FRAME_HEADER_BYTES)
            if said[8:16] != salts:
                continue  # of an earlier log in the same file
            if commit:
                return LogEnd.DAMAGED
            end, commit = LogEnd.TORN, said[4:8] != bytes(4)
    return end


def _sound(header: bytes) -> bool:
    """Whether the header is the one that was written, by its own checksum."""
    order = {0x377F0682: "little", 0x377F0683: "big"}.get(int.from_bytes(header[:4], "big"))
    if order is None:
        return False
    first = second = 0
    for at in range(0, 24, 8):
        first = (first + _word(header, at, order) + second) % _WORD
        second = (second + _word(header, at + 4, order) + first) % _WORD
    return header[24:] == first.to_bytes(4, "big") + second.to_bytes(4, "big")


def _word(data: bytes, at: int, order: str) -> int:
    return int.from_bytes(data[at : at + 4], "little" if order == "little" else "big")
