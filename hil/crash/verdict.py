"""Checks a journal after a crash: no acknowledged record lost, none doubled, damage reported."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

from controller.journal.database import FILE_NAME
from controller.journal.folder import sealed_files
from controller.journal.shoe_file import ShoeFileError
from controller.journal.values import JournalError, StoredRecord
from controller.journal.verify import CannotRead, verify
from hil.crash.program import TableEnded
from hil.crash.records import facts_in, stored_records
from hil.crash.world import DeviceWrite
from hil.crash.writer import make_start, resume_script

WORDS_MAX: Final = 300


class Defect(StrEnum):
    """What must never happen; the columns of the table."""

    LOST = "lost"  # an acknowledged record is missing, or the program cannot continue
    DOUBLED = "doubled"  # something was concluded twice, or differently than before
    UNDETECTED = "undetected"  # damage was not reported, or without a message


class CrashFinding(NamedTuple):
    defect: Defect
    words: str


class Acknowledgement(NamedTuple):
    """The newest record reported as durable: its number (0 before the first) and chain value."""

    seq: int
    chain: str


NOTHING_ACKNOWLEDGED: Final = Acknowledgement(0, "")


@dataclass(frozen=True, slots=True)
class ReferenceRun:
    """An undisturbed run of the script, or of a first start alone."""

    records: tuple[StoredRecord, ...]
    facts: tuple[bytes, ...]
    seals: int
    start_alone: bool = False

    @staticmethod
    def read(folder: Path, *, start_alone: bool = False) -> "ReferenceRun":
        """Read a folder where the script was played to its end."""
        records = stored_records(folder)
        return ReferenceRun(records, facts_in(records), len(sealed_files(folder)), start_alone)


def last_acknowledgement(output: bytes) -> Acknowledgement:
    """The newest complete acknowledgement in a writer's output."""
    stores = [words for words in _lines(output) if words[0] != b">"]
    return (
        Acknowledgement(int(stores[-1][0]), stores[-1][1].decode())
        if stores
        else NOTHING_ACKNOWLEDGED
    )


def arrived_writes(output: bytes) -> tuple[DeviceWrite, ...]:
    """What the devices received, by a writer's output."""
    writes = (words for words in _lines(output) if words[0] == b">")
    return tuple((words[1].decode(), bytes.fromhex(words[2].decode())) for words in writes)


def _lines(output: bytes) -> list[list[bytes]]:
    """The words of each complete line."""
    return [line.split() for line in output[: output.rfind(b"\n") + 1].splitlines()]


def check_stopped(
    folder: Path, ack: Acknowledgement, reference: ReferenceRun
) -> tuple[CrashFinding, ...]:
    """Check a folder as the first run left it, before the next start."""
    if not (folder / FILE_NAME).exists() or not (folder / FILE_NAME).stat().st_size:
        return (
            (CrashFinding(Defect.LOST, f"no journal, and {ack.seq} acknowledged"),)
            if ack.seq
            else ()
        )
    if ack == NOTHING_ACKNOWLEDGED and (folder / f"{FILE_NAME}-journal").exists():
        return ()  # the journal was being created; the next start creates it again
    try:
        records = stored_records(folder)
    except (JournalError, OSError) as error:
        return (CrashFinding(Defect.LOST, f"cannot be read: {error}"),)
    return (*compare_records(records, ack, reference.records), *_verify(folder))


def compare_records(
    records: Sequence[StoredRecord], ack: Acknowledgement, undisturbed: Sequence[StoredRecord]
) -> tuple[CrashFinding, ...]:
    """The records of an interrupted run must be the first records of the undisturbed run."""
    if len(records) < ack.seq:
        return (CrashFinding(Defect.LOST, f"{ack.seq} acknowledged, {len(records)} found"),)
    if ack.seq and records[ack.seq - 1].chain.hex() != ack.chain:
        return (
            CrashFinding(Defect.LOST, f"record {ack.seq} is not the one that was acknowledged"),
        )
    for found, expected in zip(records, undisturbed, strict=False):
        if found != expected:
            return (
                CrashFinding(Defect.DOUBLED, f"record {found.seq} is not the undisturbed run's"),
            )
    if len(records) > len(undisturbed):
        return (
            CrashFinding(Defect.DOUBLED, f"{len(records)} records, {len(undisturbed)} expected"),
        )
    return ()


def check_resumed(
    folder: Path,
    ack: Acknowledgement,
    reference: ReferenceRun,
    boot_id: str,
    arrived: Sequence[tuple[DeviceWrite, ...]] = (),
) -> tuple[CrashFinding, ...]:
    """Start again, play the script to its end, and check the folder.

    `arrived` is what the devices received of each earlier run.
    """
    try:
        if reference.start_alone:
            make_start(folder, boot_id)
        else:
            resume_script(folder, boot_id, arrived)
    except (TableEnded, JournalError) as ended:
        return (CrashFinding(Defect.LOST, f"does not continue: {str(ended)[:WORDS_MAX]}"),)
    return check_finished(folder, ack, reference)


def check_finished(
    folder: Path, ack: Acknowledgement, reference: ReferenceRun
) -> tuple[CrashFinding, ...]:
    """Check a folder where the script was played to its end, however often it was interrupted."""
    try:
        records = stored_records(folder)
    except (JournalError, OSError) as error:
        return (CrashFinding(Defect.LOST, f"cannot be read at the end: {error}"),)
    found: list[CrashFinding] = [*compare_records(records[: ack.seq], ack, reference.records)]
    facts = facts_in(records)
    if facts != reference.facts:
        found.extend(_compare_facts(Counter(facts), Counter(reference.facts)))
        if not found:
            found.append(CrashFinding(Defect.DOUBLED, "the same conclusions are in another order"))
    seals = len(sealed_files(folder))
    if seals != reference.seals:
        defect = Defect.LOST if seals < reference.seals else Defect.DOUBLED
        found.append(CrashFinding(defect, f"{seals} sealed, {reference.seals} expected"))
    return (*found, *_verify(folder))


def _compare_facts(facts: Counter[bytes], expected: Counter[bytes]) -> list[CrashFinding]:
    missing, extra = expected - facts, facts - expected
    found = []
    if missing:
        found.append(
            CrashFinding(Defect.LOST, f"{missing.total()} conclusions are missing at the end")
        )
    if extra:
        found.append(
            CrashFinding(Defect.DOUBLED, f"{extra.total()} conclusions are recorded twice")
        )
    return found


def _verify(folder: Path) -> tuple[CrashFinding, ...]:
    """What the regulator's verifier finds wrong with the folder."""
    try:
        report = verify(folder)
    except (CannotRead, ShoeFileError) as error:
        return (CrashFinding(Defect.LOST, f"verify: {error}"),)
    if report.intact:
        return ()
    return (CrashFinding(Defect.LOST, f"verify: {report.problems[0].what}"),)
