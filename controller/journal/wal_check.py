"""Distinguishes a torn last commit of SQLite's write-ahead log from damage before it.

SQLite takes both for the end of the log and reports neither. A log that was cut off is not
detected here: only a head noted elsewhere shows that.
Source: SQLite documentation, "WAL-mode File Format", sections 2.1 (header of the index), 4 (the
log).
"""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Final

from controller.system.named_file import open_file

_HEADER_BYTES: Final = 32
_FRAME_HEADER_BYTES: Final = 24
_WORD: Final = 1 << 32
# The index holds the number of valid frames (mxFrame) here, in the machine's own byte order.
_VALID_FRAMES_AT: Final = 16


class LogEnd(StrEnum):
    """What follows the last commit that SQLite accepts."""

    CLEAN = "clean"
    TORN = "torn"  # parts of one commit, which was never acknowledged
    DAMAGED = "damaged"  # further commits, each durable before the next began


def valid_frames(index: int) -> int:
    """Number of frames that SQLite accepted, read from its index's descriptor. Raises OSError."""
    head = os.pread(index, _VALID_FRAMES_AT + 4, 0)
    return int.from_bytes(head[_VALID_FRAMES_AT:], sys.byteorder)


def log_end(log: Path, valid: int) -> LogEnd:
    """Classify what follows the first `valid` frames of the log. Raises OSError."""
    if not log.exists():
        return LogEnd.CLEAN
    with open_file(log) as opened:
        header, size = opened.read(_HEADER_BYTES), os.fstat(opened.fileno()).st_size
        if size <= _HEADER_BYTES:
            return LogEnd.CLEAN
        if not _checksum_holds(header):
            # The header is on the disk before the first frame is written.
            return LogEnd.DAMAGED
        salts, frame = header[16:24], _FRAME_HEADER_BYTES + int.from_bytes(header[8:12], "big")
        end = LogEnd.CLEAN
        commit = False
        for at in range(_HEADER_BYTES + valid * frame, size - _FRAME_HEADER_BYTES + 1, frame):
            opened.seek(at)
            frame_header = opened.read(_FRAME_HEADER_BYTES)
            if frame_header[8:16] != salts:
                continue  # left over from an earlier log in the same file
            if commit:
                return LogEnd.DAMAGED
            end, commit = LogEnd.TORN, frame_header[4:8] != bytes(4)
    return end


def _checksum_holds(header: bytes) -> bool:
    """Whether the log's header matches its own checksum."""
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
