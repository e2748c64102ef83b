"""The folder of a journal beside live.db: where finished shoes stand, and how one gets there.

Responsible for: the names of sealed files and their order, which records each holds, and making
one so that it is on the disk, whole, before anybody relies on it.
Not responsible for: what stands in one (shoe_file), and for the records that move (store).
Source: controller/journal/README.md, "Folder"; POSIX.1-2017, rename() and fsync().
"""

import contextlib
import os
import re
from pathlib import Path
from typing import Final

from controller.journal.database import FILE_MODE, FOLDER_MODE
from controller.journal.shoe_file import (
    MAGIC,
    SUFFIX,
    ShoeFile,
    ShoeFileError,
    ShoeHeading,
    heading_end,
    read_heading,
    read_shoe,
)
from controller.journal.values import Base, Head

SHOES_NAME: Final = "shoes"
# One name for every file in the making, so that what a crash leaves is found without a search. It
# stands in the same file system as the finished ones, or it could not be renamed to one.
PART_NAME: Final = "sealing.part"
_BEGINNING_BYTES: Final = 4096

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SHOE: Final = re.compile(rf"(\d{{4}}|[1-9]\d{{4,8}}){re.escape(SUFFIX)}", re.ASCII)


def shoe_path(folder: Path, gaming_day: str, shoe: int) -> Path:
    """Where the sealed file of that shoe stands in a journal's folder."""
    assert _DAY.fullmatch(gaming_day)
    return folder / SHOES_NAME / gaming_day / f"{shoe:04}{SUFFIX}"


def sealed_files(folder: Path) -> tuple[Path, ...]:
    """The sealed files of a journal's folder in order; none is opened. Raises OSError.

    What has another name than a sealed file can have is passed over.
    """
    return tuple(
        Path(day.path, name)
        for day in _entries(folder / SHOES_NAME, _DAY)
        for name in sorted((one.name for one in _entries(day.path, _SHOE)), key=_number)
    )


def _entries(folder: "Path | str", name: re.Pattern[str]) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return sorted((one for one in found if name.fullmatch(one.name)), key=_name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _name(entry: "os.DirEntry[str]") -> str:
    return entry.name


def _number(name: str) -> int:
    return int(name.removesuffix(SUFFIX))


def read_sealed(path: Path) -> ShoeFile:
    """A sealed file, its digest checked. Raises ShoeFileError naming it, OSError."""
    try:
        return read_shoe(path.read_bytes())
    except ShoeFileError as error:
        raise ShoeFileError(f"{path}: {error}") from error


def heading_of(path: Path) -> ShoeHeading:
    """What a sealed file says of itself, only its beginning read; nothing else of it is checked.

    Raises ShoeFileError naming it, OSError.
    """
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING_BYTES)
        try:
            wanted = heading_end(beginning)
            return read_heading(beginning + file.read(max(0, wanted - len(beginning))))
        except ShoeFileError as error:
            raise ShoeFileError(f"{path}: {error}") from error


def is_sealed(path: Path) -> bool:
    """Whether a file begins as a sealed one does. Raises OSError."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def base_before(sealed: ShoeFile) -> Base:
    """Where the records of a sealed file begin. Raises ShoeFileError."""
    said, parts = sealed.heading, sealed.parts()
    return Base.of(
        Head(said.first_seq - 1, said.chain_before),
        said.previous,
        (said.started_seq, parts.started),
        (said.state_software, parts.state),
    )


def base_after(sealed: ShoeFile) -> Base:
    """Where the live part begins after a sealed file, as far as the file itself says."""
    said = sealed.heading
    return Base(said.last_seq, said.chain_after, sealed.digest)


# --- putting one there ---------------------------------------------------------------------------


def put_sealed(folder: Path, path: Path, data: bytes) -> None:
    """Make the file `path` under `folder`: whole and on the disk, or not there. Raises OSError."""
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
        # Its name may be on the disk or not, and asking again would not tell.
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def sync_names(folder: Path, path: Path) -> None:
    """Put the names of `path` and of the folders it stands in on the disk. Raises OSError.

    Also of a file that is there already: a program that ended may have made it and no more.
    """
    for one in (path.parent, folder / SHOES_NAME, folder):
        _sync(one)


def sync_file(path: Path) -> None:
    """Put what stands in the file on the disk. Raises OSError."""
    _sync(path)


def _write(part: Path, data: bytes) -> None:
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, FILE_MODE)
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
    """Remove what a crash left of a file in the making. Raises OSError."""
    (folder / SHOES_NAME / PART_NAME).unlink(missing_ok=True)
