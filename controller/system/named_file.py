"""Opens files that people name, or that others may have put: regular ones, without waiting.

A pipe, a device or a folder in the place of a file is refused with a sentence: no signal would end
the wait for the other end of a pipe. Only a secret may come through one, in a few seconds.
Source: open(2), O_NONBLOCK; inode(7).
"""

import contextlib
import errno
import io
import os
import select
import stat
import sys
from pathlib import Path
from typing import IO, Final

from firmware_bridge.transport.clock import now

# What people write: configurations, profiles, lists, scripts.
TEXT_BYTES_MAX: Final = 1 << 20
# Firmware, packages.
IMAGE_BYTES_MAX: Final = 256 << 20
SECRET_BYTES_MAX: Final = 4096
SECRET_S: Final = 5.0
_PIECE_BYTES: Final = 1 << 20
STANDARD_INPUT: Final = "-"
_AT_ONCE: Final = os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK
_KINDS: Final = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_file(path: Path, *, links: bool = True) -> io.BufferedReader:
    """A regular file, open for reading. `links` False: not through a symbolic link.

    Raises OSError, whose `strerror` is a sentence for people.
    """
    # Before it is opened: that alone may wind a tape or start a watchdog.
    _require_regular(path.stat(follow_symlinks=links).st_mode, path, links=links)
    descriptor = os.open(path, os.O_RDONLY | _AT_ONCE | (0 if links else os.O_NOFOLLOW))
    try:
        _require_regular(os.fstat(descriptor).st_mode, path)
        return io.open(descriptor, "rb")  # noqa: UP020 - the name of what it returns
    except BaseException:
        os.close(descriptor)
        raise


def require_regular(*paths: Path) -> None:
    """Raise OSError for what is there and is no regular file; what is not there may be made.

    For files that a library opens by their name.
    """
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            _require_regular(path.stat().st_mode, path)


def sqlite_files(path: Path) -> tuple[Path, ...]:
    """A database and the files that SQLite opens beside it."""
    return (path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm", "-journal")))


def read_file(path: Path, most: int = TEXT_BYTES_MAX) -> bytes:
    """All of a regular file. Raises OSError, for one that is longer than `most` as well."""
    with open_file(path) as file:
        data = _read(file, most)
    if len(data) > most:
        raise too_long(path, most)
    return data


def read_given(name: str, most: int = TEXT_BYTES_MAX) -> bytes:
    """All of the file of that name, or of standard input for "-". Raises OSError."""
    if name != STANDARD_INPUT:
        return read_file(Path(name), most)
    data = _read(sys.stdin.buffer, most)
    if len(data) > most:
        raise too_long("standard input", most)
    return data


def _read(file: IO[bytes], most: int) -> bytes:
    """All of it, or one byte more than `most`.

    By pieces: a read of so many bytes makes room for all of them first, however short the file is.
    """
    pieces: list[bytes] = []
    left = most + 1
    while left and (piece := file.read(min(left, _PIECE_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def read_secret(path: Path) -> bytes:
    """A secret: of a regular file, or of a pipe whose other end writes it and hangs up in time.

    Raises OSError.
    """
    if not stat.S_ISFIFO(path.stat().st_mode):
        return read_file(path, SECRET_BYTES_MAX)
    descriptor = os.open(path, os.O_RDONLY | _AT_ONCE)
    try:
        return _read_pipe(descriptor, path)
    finally:
        os.close(descriptor)


def too_long(place: object, most: int) -> OSError:
    """The error of a file with more bytes than are read of one of its kind."""
    return OSError(errno.EFBIG, f"it is longer than {most} bytes", str(place))


def _read_pipe(descriptor: int, path: Path) -> bytes:
    data, until_ns = b"", now().monotonic_ns + int(SECRET_S * 1e9)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    while (left_ns := until_ns - now().monotonic_ns) > 0:
        # Without a writer it is at its end, though nobody has written yet: then there is no event.
        if not poll.poll(left_ns / 1e6):
            break
        part = os.read(descriptor, SECRET_BYTES_MAX + 1 - len(data))
        data += part
        if len(data) > SECRET_BYTES_MAX:
            raise too_long(path, SECRET_BYTES_MAX)
        if not part:
            return data
    why = f"it is a pipe, and nobody wrote it to its end within {SECRET_S:g} s"
    raise OSError(errno.ETIMEDOUT, why, str(path))


def _require_regular(mode: int, path: Path, *, links: bool = True) -> None:
    if stat.S_ISREG(mode) or (not links and stat.S_ISLNK(mode)):
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    kind = next((words for is_kind, words in _KINDS if is_kind(mode)), "no file")
    raise OSError(errno.EINVAL, f"it is {kind}, and only a regular file is read", str(path))
