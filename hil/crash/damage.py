"""Damages stored files (cut short, single bits flipped, at every page), checks that it is reported.

Not: crashes that leave files intact (kills, power).

Source: SQLite documentation, "Database File Format".
"""

import shutil
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Final

from msgspec.structs import replace

from controller.core.tape.inputs import Started
from controller.core.tape.records import holds, read_input
from controller.journal.folder import LOCK_NAME
from controller.journal.values import JournalError, StoredRecord
from controller.journal.verify import CannotRead, verify
from controller.record.snapshot import Health
from foundation.timestamp import Timestamp
from hil.crash.program import SteppedProgram, TableEnded, key_path
from hil.crash.records import stored_records
from hil.crash.verdict import CrashFinding, Defect

PAGE: Final = 4096
# A sealed file is small, so it is damaged in smaller steps.
SEALED_STEP: Final = 512
REPORTED_HEALTH: Final = (Health.REFUSED, Health.STORE_FAILED)
LATER_NS: Final = 60 * 1_000_000_000


@dataclass(frozen=True, slots=True)
class Damage:
    """One bit of a file flipped, or the file cut to `at` bytes (`bit` None)."""

    folder: str
    file: str
    at: int
    bit: int | None

    def __str__(self) -> str:
        how = "cut" if self.bit is None else f"bit{self.bit}"
        return f"{self.folder}:{self.file}:{how}:{self.at}"

    def apply(self, folder: Path) -> None:
        """Damage the file below `folder`."""
        path = folder / self.file
        data = bytearray(path.read_bytes())
        if self.bit is None:
            del data[self.at :]
        else:
            data[self.at] ^= 1 << self.bit
        path.write_bytes(data)


@dataclass(frozen=True, slots=True)
class IntactFolder:
    """A folder before it is damaged, and its records."""

    name: str
    folder: Path
    records: tuple[StoredRecord, ...]

    @staticmethod
    def read(name: str, folder: Path) -> "IntactFolder":
        """Read a folder that nobody writes to."""
        return IntactFolder(name, folder, stored_records(folder))

    def damages(self, seed: int) -> Iterator[Damage]:
        """At every page of every file: the file cut there and within the page, and two bits."""
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
class DamageReport:
    """What the verifier and a start report of a damaged folder; empty where they report nothing.

    `head_differs`: the verifier's head is not the one that was noted before.
    """

    verifier: str
    start: str
    head_differs: bool


class DamageOutcome(StrEnum):
    """The outcome of one damage."""

    HARMLESS = "harmless: every record is there and verifies"
    REPORTED = "reported"
    ENDS_EARLIER = "seen by the noted head alone: the newest records are cut off"
    UNREPORTED = "not reported"


def check_damage(
    damage: Damage, intact: IntactFolder, work: Path
) -> tuple[DamageOutcome, tuple[CrashFinding, ...]]:
    """Damage a copy, have it verified, start on it, and read it."""
    folder = work / "table"
    shutil.rmtree(folder, ignore_errors=True)
    # After a power cut the index of the write-ahead log does not exist; SQLite rebuilds it.
    shutil.copytree(intact.folder, folder, ignore=shutil.ignore_patterns("*-shm"))
    if key_path(intact.folder).exists():
        shutil.copy(key_path(intact.folder), key_path(folder))
    damage.apply(folder)
    try:
        report, found = _inspect(folder, intact)
    except Exception:  # noqa: BLE001  # a traceback is what this looks for
        lines = traceback.format_exc().strip().splitlines()
        finding = CrashFinding(Defect.UNDETECTED, f"traceback: {lines[-3].strip()}: {lines[-1]}")
        return DamageOutcome.UNREPORTED, (finding,)
    if report.verifier or report.start:
        return DamageOutcome.REPORTED, ()
    if found == intact.records:
        return DamageOutcome.HARMLESS, ()
    if report.head_differs and found == intact.records[: len(found)]:
        return DamageOutcome.ENDS_EARLIER, ()
    words = f"{len(found)} of {len(intact.records)} records, and nothing was reported"
    return DamageOutcome.UNREPORTED, (CrashFinding(Defect.UNDETECTED, words),)


def _inspect(folder: Path, intact: IntactFolder) -> tuple[DamageReport, tuple[StoredRecord, ...]]:
    """What is reported of the folder, and its records as read. Unexpected errors pass through."""
    problem, head_differs = _verifier_report(folder, intact)
    try:
        found = stored_records(folder)
    except JournalError as error:
        problem, found = problem or str(error), ()
    failure = _start_failure(folder, intact)
    return DamageReport(problem, failure, head_differs), found


def _verifier_report(folder: Path, intact: IntactFolder) -> tuple[str, bool]:
    """The verifier's first problem, and whether its head differs from the one noted before."""
    try:
        report = verify(folder)
    except CannotRead as error:
        return str(error), False
    words = report.problems[0].what if report.problems else ""
    return words, report.head_hex != intact.records[-1].chain.hex()


def _start_failure(folder: Path, intact: IntactFolder) -> str:
    """Why the program does not start; empty if it does. Raises TableEnded if it gives no reason."""
    records = (stored.record for stored in intact.records)
    inputs = [read_input(record) for record in records if holds(record, Started)]
    started = next(one for one in reversed(inputs) if isinstance(one, Started))
    at = Timestamp(started.at.monotonic_ns + LATER_NS, started.at.utc_ns + LATER_NS)
    try:
        SteppedProgram(folder, replace(started, at=at, boot_id="boot-3")).end()
    except TableEnded as ended:
        if ended.health not in REPORTED_HEALTH:
            raise
        return str(ended)
    return ""
