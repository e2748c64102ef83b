"""Bounded reads and atomic writes of small text files: a power cut leaves the old or new file."""

import contextlib
import errno
import os
from collections.abc import Callable
from pathlib import Path

from controller.system.named_file import read_file, read_secret


class SmallFileError(Exception):
    """A file cannot be read or written; the message says why and what to do."""


def read_text(path: Path) -> str:
    """The text of a file. Raises SmallFileError."""
    return _text(path, read_file)


def read_secret_text(path: Path) -> str:
    """The text of a file or pipe with a secret, such as a PIN. Raises SmallFileError."""
    return _text(path, read_secret)


def _text(path: Path, read: Callable[[Path], bytes]) -> str:
    try:
        return decode_text(read(path), str(path))
    except FileNotFoundError:
        raise SmallFileError(f"{path}: there is no such file. Remedy: correct the path") from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise SmallFileError(f"{path}: {error.strerror}. Remedy: name the right file") from None
        raise SmallFileError(
            f"{path}: cannot be read: {error.strerror}. Remedy: name a file that this account may"
            " read"
        ) from error


def decode_text(data: bytes, place: str) -> str:
    """Text that a person or another program wrote, without the byte order mark of spreadsheets.

    Raises SmallFileError for any other text, such as UTF-16.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wrong = error.start
    else:
        if "\0" not in text:
            return text
        # UTF-16 without its mark: every other byte of plain letters is 0.
        wrong = data.index(0)
    line = data.count(b"\n", 0, wrong) + 1
    raise SmallFileError(f"{place}, line {line}: not UTF-8 text. Remedy: save the file as UTF-8")


def require_new(path: Path) -> None:
    """Raise SmallFileError if a file of that name exists."""
    if path.exists() or path.is_symlink():
        raise SmallFileError(
            f"{path}: there is a file of this name, and it is not overwritten. Remedy: move it"
            " away, or give another name"
        )


def store_text(path: Path, text: str, mode: int = 0o666) -> None:
    """Create or replace a file atomically. Raises SmallFileError.

    `mode` is that of the new file, less the account's umask.
    """
    fresh = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_synced(fresh, text.encode(), mode)
        fresh.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise SmallFileError(
            f"{path}: cannot be written: {error.strerror}. Remedy: make room, and let this account"
            " write into the folder"
        ) from error


def write_synced(path: Path, data: bytes, mode: int) -> None:
    """Write a file and fsync its data, but not its folder. Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Fsync a folder, that is the names of its files. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
