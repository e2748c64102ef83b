"""The journal's folder beside live.db: made and locked, its sealed files, and writing one durably.

Source: POSIX.1-2017, rename() and fsync(); flock(2).
"""

import contextlib
import fcntl
import os
import re
from pathlib import Path
from typing import Final

from controller.journal.database import FILE_MODE, FOLDER_MODE, describe_error
from controller.journal.shoe_file import (
    MAGIC,
    NO_SEAL,
    SHOE_BYTES_MAX,
    SUFFIX,
    ShoeFile,
    ShoeFileError,
    ShoeHeading,
    heading_end,
    read_heading,
    read_shoe,
)
from controller.journal.values import Base, Head, JournalError
from controller.system.named_file import open_file, read_file, require_regular

SHOES_NAME: Final = "shoes"
# The counts of the metrics, with the record up to which they count.
COUNTS_NAME: Final = "counts.json"
# What the shoe monitors know at the end of a shoe, with the record up to which.
MONITORS_NAME: Final = "monitors.json"
# One name for every unfinished file, so that what a crash leaves is found without a search. It
# is in the same file system as the finished ones, or it could not be renamed to one.
PART_NAME: Final = "sealing.part"
_BEGINNING_BYTES: Final = 4096

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SHOE: Final = re.compile(rf"(\d{{4}}|[1-9]\d{{4,8}}){re.escape(SUFFIX)}", re.ASCII)


def shoe_path(folder: Path, gaming_day: str, shoe: int) -> Path:
    """The path of that shoe's sealed file in a journal's folder."""
    assert _DAY.fullmatch(gaming_day)
    return folder / SHOES_NAME / gaming_day / f"{shoe:04}{SUFFIX}"


def sealed_files(folder: Path) -> tuple[Path, ...]:
    """The sealed files of a journal's folder in the order of their records. Raises OSError.

    That is the order of their names, and none is opened, unless a gaming day was put back: then a
    day has shoes from before and after a day of a later name. Files whose names do not fit are
    ignored.
    """
    days = [
        [
            Path(day.path, name)
            for name in sorted((one.name for one in _entries(day.path, _SHOE)), key=_shoe_number)
        ]
        for day in _entries(folder / SHOES_NAME, _DAY)
    ]
    paths = tuple(path for day in days for path in day)
    ends = [_first_seq(path) for day in days if day for path in (day[0], day[-1])]
    known = [seq for seq in ends if seq]
    return paths if known == sorted(known) else tuple(sorted(paths, key=_first_seq))


def _first_seq(path: Path) -> int:
    """The first record of a sealed file; 0 where it cannot be read: its reader says so."""
    try:
        return read_heading_of_file(path).first_seq
    except (ShoeFileError, OSError):
        return 0


def _entries(folder: "Path | str", name: re.Pattern[str]) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return sorted((one for one in found if name.fullmatch(one.name)), key=_entry_name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _entry_name(entry: "os.DirEntry[str]") -> str:
    return entry.name


def _shoe_number(name: str) -> int:
    return int(name.removesuffix(SUFFIX))


def read_sealed(path: Path) -> ShoeFile:
    """A sealed file, its digest checked. Raises ShoeFileError naming it, OSError."""
    try:
        return read_shoe(read_file(path, SHOE_BYTES_MAX))
    except ShoeFileError as error:
        raise ShoeFileError(f"{path}: {error}") from error


def read_heading_of_file(path: Path) -> ShoeHeading:
    """The heading of a sealed file; only its beginning is read, and nothing else is checked.

    Raises ShoeFileError naming it, OSError.
    """
    with open_file(path) as file:
        beginning = file.read(_BEGINNING_BYTES)
        try:
            wanted = heading_end(beginning)
            return read_heading(beginning + file.read(max(0, wanted - len(beginning))))
        except ShoeFileError as error:
            raise ShoeFileError(f"{path}: {error}") from error


def is_sealed(path: Path) -> bool:
    """Whether a file begins like a sealed one. Raises OSError."""
    if not path.is_file():
        return False
    with open_file(path) as file:
        return file.read(len(MAGIC)) == MAGIC


def base_before(sealed: ShoeFile) -> Base:
    """The base that the records of a sealed file follow, without a seal. Raises ShoeFileError."""
    heading, parts = sealed.heading, sealed.parts()
    return Base.of(
        Head(heading.first_seq - 1, heading.chain_before),
        NO_SEAL,
        (heading.started_seq, parts.started),
        (heading.state_software, parts.state),
    )


def base_after(sealed: ShoeFile) -> Base:
    """The base after a sealed file, as far as the file itself shows: without run and state."""
    heading = sealed.heading
    return Base(heading.last_seq, heading.chain_after, sealed.digest)


# --- writing a sealed file -----------------------------------------------------------------------


def write_sealed(folder: Path, path: Path, data: bytes) -> None:
    """Create `path` under `folder`: complete and durable, or not at all. Raises OSError."""
    shoes = folder / SHOES_NAME
    part = shoes / PART_NAME
    for one in (shoes, path.parent):
        one.mkdir(FOLDER_MODE, exist_ok=True)
    try:
        _write(part, data)
        part.rename(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    try:
        sync_names(folder, path)
    except OSError:
        # Its name may be on the disk or not, and a second fsync would not show which.
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def sync_names(folder: Path, path: Path) -> None:
    """Make the names of `path` and of its folders durable. Raises OSError.

    Needed for an existing file, too: the program that created it may have ended before its fsync.
    """
    for one in (path.parent, folder / SHOES_NAME, folder):
        _sync(one)


def sync_file(path: Path) -> None:
    """Make the file's content durable. Raises OSError."""
    _sync(path)


def _write(part: Path, data: bytes) -> None:
    descriptor = os.open(
        part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE
    )
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def drop_part(folder: Path) -> None:
    """Remove the unfinished file that a crash may have left. Raises OSError."""
    (folder / SHOES_NAME / PART_NAME).unlink(missing_ok=True)


LOCK_NAME: Final = "lock"
_OF_OTHERS: Final = 0o077


def narrow_modes(folder: Path) -> bool:
    """Take a journal from every account but its own; False where it was so already.

    Raises JournalError.
    """
    try:
        if not folder.stat().st_mode & _OF_OTHERS:
            return False
        # The folder first: then nobody else comes to what is in it.
        for one in (folder, *folder.rglob("*")):
            if not one.is_symlink():
                one.chmod(one.stat().st_mode & ~_OF_OTHERS & 0o7777)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise JournalError(
            f"{folder}: other accounts may read it, and that cannot be changed:"
            f" {describe_error(error)}. Remedy: make it, and what is in it, belong to the account"
            " that runs the table"
        ) from error
    return True


class FolderLock:
    """The lock on a journal's folder; held until released or the process ends."""

    __slots__ = ("_descriptor",)

    def __init__(self, folder: Path) -> None:
        """Raises JournalError naming the process that holds the lock."""
        path = folder / LOCK_NAME
        try:
            require_regular(path)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            self._descriptor = os.open(path, flags, FILE_MODE)
            # Versions to 0.7 made one that everybody could open, and hold.
            with contextlib.suppress(PermissionError):
                os.fchmod(self._descriptor, FILE_MODE)
        except OSError as error:
            raise JournalError(
                f"{path}: cannot create the lock file: {error.strerror}. Remedy: check that the"
                " folder belongs to this program's account and is not read-only."
            ) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._descriptor, 32).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            raise JournalError(
                f"{folder}: process {holder or 'unknown'} already writes this journal. Allowed: one"
                " program at a time. Remedy: stop the other one first"
            ) from error
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, b"%d\n" % os.getpid(), 0)

    def release(self) -> None:
        """Let the next program in. The file stays: removing it would let two in at once."""
        os.close(self._descriptor)


def make_folder(folder: Path) -> None:
    """Create the folder durably. Raises JournalError."""
    try:
        folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(folder.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise JournalError(
            f"{folder}: cannot create the journal's folder: {error.strerror}. Remedy: create it by"
            " hand and give it to this program's account."
        ) from error
