"""What stands in a journal's folder, told from the headings of its sealed shoes alone.

Responsible for: one line of facts a sealed shoe, whether it is archived or held, and finding the
sealed files of a day or of one shoe.
Not responsible for: reading records, checking anything (journal.verify), and for words.
Source: package README, "Journal commands"; controller/journal/README.md, "Folder", "Shoe file".
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.journal.folder import heading_of, sealed_files, shoe_path
from controller.journal.shoe_file import (
    DIGEST_BYTES,
    SIGNATURE_BYTES,
    SUFFIX,
    UNSIGNED,
    ShoeHeading,
)
from controller.journal.values import JournalError

DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SHOE_NAMED: Final = re.compile(r"(\d{4}-\d{2}-\d{2})/0*([1-9]\d{0,8})(?:\.shoe)?", re.ASCII)
_TRAILER_BYTES: Final = DIGEST_BYTES + SIGNATURE_BYTES


@dataclass(frozen=True, slots=True)
class ShoeName:
    """A shoe by its gaming day and its number in it."""

    gaming_day: str
    shoe: int

    def __str__(self) -> str:
        return f"{self.gaming_day}/{self.shoe}"


@dataclass(frozen=True, slots=True)
class SealedShoe:
    """One sealed file as it says of itself; nothing of it is checked."""

    path: Path
    heading: ShoeHeading
    size: int
    digest: bytes
    signed: bool

    @property
    def name(self) -> ShoeName:
        return ShoeName(self.heading.gaming_day, self.heading.shoe)

    @property
    def records(self) -> int:
        return self.heading.last_seq - self.heading.first_seq + 1


def shoe_named(text: str) -> ShoeName:
    """A shoe as people name it, such as 2026-11-21/7. Raises JournalError."""
    found = _SHOE_NAMED.fullmatch(text)
    if found is None:
        raise JournalError(
            f"{text!r} names no shoe. Write its gaming day and its number, such as 2026-11-21/7"
        )
    return ShoeName(found[1], int(found[2]))


def sealed_shoes(folder: Path) -> Iterator[SealedShoe]:
    """The sealed shoes of a folder in order, read one by one. Raises JournalError."""
    for path in _paths(folder):
        yield sealed_shoe(path)


def sealed_shoe(path: Path) -> SealedShoe:
    """What one sealed file says of itself. Raises JournalError."""
    try:
        heading = heading_of(path)
        size = path.stat().st_size
        digest, signature = trailer(path)
    except OSError as error:
        raise JournalError(f"{path}: cannot be read: {error.strerror}") from error
    return SealedShoe(path, heading, size, digest, signature != UNSIGNED)


def trailer(path: Path) -> tuple[bytes, bytes]:
    """Digest and signature as they stand at the end of a sealed file. Raises OSError."""
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _TRAILER_BYTES))
        data = file.read()
    return data[:DIGEST_BYTES], data[DIGEST_BYTES:]


def sealed_of(folder: Path, gaming_day: str, shoe: int | None = None) -> tuple[Path, ...]:
    """The sealed files of a day, or of one of its shoes; at least one. Raises JournalError."""
    if not DAY.fullmatch(gaming_day):
        raise JournalError(f"{gaming_day!r} is no gaming day. Write it as 2026-11-21")
    paths = tuple(path for path in _paths(folder) if path.parent.name == gaming_day)
    if not paths:
        raise JournalError(
            f"{folder}: no shoe of {gaming_day} is sealed here. `smartshoe journal list` shows what"
            " is; the shoe in play is exported when no day is named"
        )
    if shoe is None:
        return paths
    wanted = shoe_path(folder, gaming_day, shoe)
    if wanted not in paths:
        numbers = ", ".join(str(int(path.name.removesuffix(SUFFIX))) for path in paths)
        raise JournalError(f"{folder}: of {gaming_day} shoes {numbers} are sealed here, not {shoe}")
    return (wanted,)


def _paths(folder: Path) -> tuple[Path, ...]:
    if not folder.is_dir():
        raise JournalError(f"{folder}: no such folder. Name a journal's folder, or an archive")
    try:
        return sealed_files(folder)
    except OSError as error:
        raise JournalError(f"{folder}: cannot look for shoes: {error.strerror}") from error
