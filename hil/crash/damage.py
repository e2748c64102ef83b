"""Damage to what lies on the disk: files cut short, and single bits turned, at every page.

Responsible for: two folders to damage (ended cleanly; killed, with its log), every place of
damage in each file, and whether what is damaged is told: in words, by the verifier or at the start.
Not responsible for: crashes that leave files whole (kills, power).
Source: SQLite documentation, "Database File Format"; controller/journal/README.md; package README,
"The crash and damage matrix".
"""

import shutil
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Final

from controller.journal.database import LOCK_NAME
from controller.journal.values import JournalError, StoredRecord
from controller.journal.verify import CannotRead, verify
from controller.table.table import Health
from controller.tape.inputs import Started
from controller.tape.records import read_input
from firmware_bridge.timestamp import Timestamp
from hil.crash.program import Ended, Program, key_beside
from hil.crash.records import stored_records
from hil.crash.verdict import Finding, Wrong

PAGE: Final = 4096
# A sealed file is small: it is damaged in smaller steps.
SEALED_STEP: Final = 512
IN_WORDS: Final = (Health.REFUSED, Health.STORE_FAILED)
LATER_NS: Final = 60 * 1_000_000_000


@dataclass(frozen=True, slots=True)
class Damage:
    """One bit of a file turned, or the file cut to `at` bytes (`bit` None)."""

    folder: str
    file: str
    at: int
    bit: int | None

    def __str__(self) -> str:
        how = "cut" if self.bit is None else f"bit{self.bit}"
        return f"{self.folder}:{self.file}:{how}:{self.at}"

    def do(self, folder: Path) -> None:
        """Damage that file."""
        path = folder / self.file
        data = bytearray(path.read_bytes())
        if self.bit is None:
            del data[self.at :]
        else:
            data[self.at] ^= 1 << self.bit
        path.write_bytes(data)


@dataclass(frozen=True, slots=True)
class Whole:
    """A folder before it is damaged, and what it holds."""

    name: str
    folder: Path
    records: tuple[StoredRecord, ...]

    @staticmethod
    def of(name: str, folder: Path) -> "Whole":
        """Of a folder that nobody writes."""
        return Whole(name, folder, stored_records(folder))

    def damages(self, seed: int) -> Iterator[Damage]:
        """At every page of every file: the end of the file there, and within it, and bits."""
        for path in sorted(self.folder.rglob("*")):
            if not path.is_file() or path.name == LOCK_NAME or path.name.endswith("-shm"):
                continue
            file, size = str(path.relative_to(self.folder)), path.stat().st_size
            step = SEALED_STEP if path.suffix == ".shoe" else PAGE
            for start in range(0, size, step):
                lot = Random(f"{seed} {self.name} {file} {start}")  # noqa: S311  # not a secret
                last = min(start + step, size) - 1
                yield Damage(self.name, file, start, None)
                yield Damage(self.name, file, lot.randint(start, last), None)
                for _ in range(2):
                    yield Damage(self.name, file, lot.randint(start, last), lot.randrange(8))


@dataclass(frozen=True, slots=True)
class Told:
    """What was said of a damaged folder: by the verifier, and at a start; empty where nothing.

    `head`: the verifier's head is not the one that was noted before.
    """

    verifier: str
    start: str
    head: bool


class Became(StrEnum):
    """What became of one damage."""

    HARMLESS = "harmless: every record is there and verifies"
    TOLD = "told in words"
    ENDS_EARLIER = "seen by the noted head alone: the newest records are cut off"
    UNTOLD = "not told"


def judge(damage: Damage, whole: Whole, work: Path) -> tuple[Became, tuple[Finding, ...]]:
    """Damage a copy, have it verified, start on it, and read it."""
    folder = work / "table"
    shutil.rmtree(folder, ignore_errors=True)
    # The index of the log is made anew at a start on a machine that was off.
    shutil.copytree(whole.folder, folder, ignore=shutil.ignore_patterns("*-shm"))
    if key_beside(whole.folder).exists():
        shutil.copy(key_beside(whole.folder), key_beside(folder))
    damage.do(folder)
    try:
        told, found = _told(folder, whole)
    except Exception:  # noqa: BLE001  # a traceback is what this looks for
        lines = traceback.format_exc().strip().splitlines()
        untold = Finding(Wrong.UNDETECTED, f"traceback: {lines[-3].strip()}: {lines[-1]}")
        return Became.UNTOLD, (untold,)
    if told.verifier or told.start:
        return Became.TOLD, ()
    if found == whole.records:
        return Became.HARMLESS, ()
    if told.head and found == whole.records[: len(found)]:
        return Became.ENDS_EARLIER, ()
    words = f"{len(found)} of {len(whole.records)} records, and nobody was told"
    return Became.UNTOLD, (Finding(Wrong.UNDETECTED, words),)


def _told(folder: Path, whole: Whole) -> tuple[Told, tuple[StoredRecord, ...]]:
    """What is told of the folder, and what it is read as. Raises what must not be raised."""
    verified, head = _verifier_says(folder, whole)
    try:
        found = stored_records(folder)
    except JournalError as error:
        verified, found = verified or str(error), ()
    started = _start_says(folder, whole)
    return Told(verified, started, head), found


def _verifier_says(folder: Path, whole: Whole) -> tuple[str, bool]:
    """Its words, and whether its head is another one than was noted outside."""
    try:
        report = verify(folder)
    except CannotRead as error:
        return str(error), False
    words = report.problems[0].what if report.problems else ""
    return words, report.head_hex != whole.records[-1].chain.hex()


def _start_says(folder: Path, whole: Whole) -> str:
    """The program's words where it does not start. Raises Ended where it has none."""
    begun = [read_input(stored.record) for stored in whole.records if b"Started" in stored.record]
    started = next(one for one in reversed(begun) if isinstance(one, Started))
    at = Timestamp(started.at.monotonic_ns + LATER_NS, started.at.utc_ns + LATER_NS)
    try:
        Program(folder, replace(started, at=at, boot_id="boot-3")).end()
    except Ended as ended:
        if ended.health not in IN_WORDS:
            raise
        return str(ended)
    return ""
