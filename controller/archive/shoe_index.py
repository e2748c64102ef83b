"""Lists the sealed shoes of a folder by their headings, and counts corrections of their coups."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.core.tape.records import read_as
from controller.journal.database import FILE_NAME
from controller.journal.encoding import EncodingError
from controller.journal.folder import (
    read_heading_of_file,
    read_sealed,
    sealed_files,
    shoe_path,
)
from controller.journal.shoe_file import (
    SUFFIX,
    TRAILER_BYTES,
    UNSIGNED,
    ShoeFileError,
    ShoeHeading,
    read_trailer,
)
from controller.journal.store import open_read_only
from controller.journal.values import JournalError, StoredRecord
from controller.procedure.effects import CoupCorrected
from controller.system.named_file import open_file

DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SHOE_NAMED: Final = re.compile(r"(\d{4}-\d{2}-\d{2})/0*([1-9]\d{0,8})(?:\.shoe)?", re.ASCII)


class ShoeName(Struct, frozen=True):
    """A shoe by its gaming day and its number on that day."""

    gaming_day: str
    shoe: int

    def __str__(self) -> str:
        return f"{self.gaming_day}/{self.shoe}"


class ShoeSummary(Struct, frozen=True):
    """One sealed file by its own heading, size and trailer; nothing of it is checked."""

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


def parse_shoe_name(text: str) -> ShoeName:
    """Parse a shoe's name as people write it, such as 2026-11-21/7. Raises JournalError."""
    found = _SHOE_NAMED.fullmatch(text)
    if found is None:
        raise JournalError(
            f"SHOE: {text!r} is not the name of a shoe. Allowed: a gaming day and a number. Remedy:"
            " write it as 2026-11-21/7"
        )
    return ShoeName(found[1], int(found[2]))


def shoe_summaries(folder: Path) -> Iterator[ShoeSummary]:
    """The sealed shoes of a folder in order, read one by one. Raises JournalError."""
    for path in _paths(folder):
        yield shoe_summary(path)


def shoe_summary(path: Path) -> ShoeSummary:
    """The summary of one sealed file, by its own heading. Raises JournalError."""
    try:
        heading = read_heading_of_file(path)
        size = path.stat().st_size
        digest, signature = trailer(path)
    except OSError as error:
        raise JournalError(
            f"{path}: cannot be read: {error.strerror}. Remedy: check the disk, and that this"
            " account may read it"
        ) from error
    return ShoeSummary(path, heading, size, digest, signature != UNSIGNED)


def correction_counts(folder: Path) -> dict[ShoeName, int | None]:
    """How many corrections of a shoe's coups there are, for each shoe that has one.

    A correction is sealed with the shoe in play when it was made, or not yet. None for a shoe whose
    file cannot be read. Raises JournalError.
    """
    counts: Counter[ShoeName] = Counter()
    unreadable: list[ShoeName] = []
    for path in _paths(folder):
        try:
            counts.update(_corrected_shoes(read_sealed(path).records()))
        except (ShoeFileError, EncodingError, OSError):
            unreadable.append(parse_shoe_name(f"{path.parent.name}/{path.name}"))
    if (folder / FILE_NAME).is_file():
        with open_read_only(folder) as live:
            counts.update(_corrected_shoes(live.records(live.base.seq)))
    return {**counts, **dict.fromkeys(unreadable)}


def _corrected_shoes(records: Iterable[StoredRecord]) -> Iterator[ShoeName]:
    """The shoe of each correction among the records."""
    for stored in records:
        corrected = read_as(stored.record, CoupCorrected)
        if corrected is not None:
            yield ShoeName(corrected.gaming_day, corrected.shoe)


def trailer(path: Path) -> tuple[bytes, bytes]:
    """Digest and signature at the end of a sealed file. Raises OSError."""
    with open_file(path) as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - TRAILER_BYTES))
        data = file.read()
    digest, _, signature = read_trailer(data.rjust(TRAILER_BYTES, b"\0"))
    return digest, signature


def find_sealed_files(folder: Path, gaming_day: str, shoe: int | None = None) -> tuple[Path, ...]:
    """The sealed files of a day, or of one of its shoes; at least one. Raises JournalError."""
    if not DAY.fullmatch(gaming_day):
        raise JournalError(
            f"--day: {gaming_day!r} is not a gaming day. Allowed: year, month and day. Remedy:"
            " write it as 2026-11-21"
        )
    paths = tuple(path for path in _paths(folder) if path.parent.name == gaming_day)
    if not paths:
        raise JournalError(
            f"{folder}: no shoe of {gaming_day} is sealed here. Remedy: name a day that `smartshoe"
            " journal list` shows; to export the shoe in play, name no day"
        )
    if shoe is None:
        return paths
    wanted = shoe_path(folder, gaming_day, shoe)
    if wanted not in paths:
        numbers = ", ".join(str(int(path.name.removesuffix(SUFFIX))) for path in paths)
        raise JournalError(
            f"{folder}: shoe {shoe} of {gaming_day} is not sealed here. Allowed: {numbers}."
            " Remedy: name one of them"
        )
    return (wanted,)


def _paths(folder: Path) -> tuple[Path, ...]:
    if not folder.is_dir():
        raise JournalError(
            f"{folder}: no such folder. Remedy: name a journal's folder, or an archive"
        )
    try:
        return sealed_files(folder)
    except OSError as error:
        raise JournalError(
            f"{folder}: cannot look for shoes: {error.strerror}. Remedy: let this account read it"
        ) from error
