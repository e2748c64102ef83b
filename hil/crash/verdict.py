"""What became of a journal: nothing acknowledged lost, nothing concluded twice, damage told.

Responsible for: comparing a folder after a crash, and after the script was played on to its end,
with an undisturbed run of the same script and with what was acknowledged.
Not responsible for: bringing the crash about (kills, power, uml, damage).
Source: package README, "The crash and damage matrix".
"""

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
from hil.crash.program import Ended
from hil.crash.records import facts_in, stored_records
from hil.crash.writer import go_on

WORDS_MAX: Final = 300


class Wrong(StrEnum):
    """What must never be; the columns of the table."""

    LOST = "lost"  # what was acknowledged is not there, or nobody can go on from what is there
    DOUBLED = "doubled"  # something was concluded twice, or otherwise than before
    UNDETECTED = "undetected"  # damage was not told, or not in words


class Finding(NamedTuple):
    wrong: Wrong
    words: str


class Ack(NamedTuple):
    """The newest record that counts as durable; 0 before the first."""

    seq: int
    chain: str


NO_ACK: Final = Ack(0, "")


@dataclass(frozen=True, slots=True)
class Reference:
    """An undisturbed run of the script."""

    records: tuple[StoredRecord, ...]
    facts: tuple[bytes, ...]
    seals: int

    @staticmethod
    def of(folder: Path) -> "Reference":
        """Of a folder where the script was played to its end."""
        records = stored_records(folder)
        return Reference(records, facts_in(records), len(sealed_files(folder)))


def last_ack(told: bytes) -> Ack:
    """The newest whole line of what a writer told."""
    lines = told[: told.rfind(b"\n") + 1].split()
    return Ack(int(lines[-2]), lines[-1].decode()) if lines else NO_ACK


def after_stop(folder: Path, ack: Ack, reference: Reference) -> tuple[Finding, ...]:
    """Judge a folder as the end of a first run left it, before anybody starts again."""
    if not (folder / FILE_NAME).exists() or not (folder / FILE_NAME).stat().st_size:
        return (Finding(Wrong.LOST, f"no journal, and {ack.seq} acknowledged"),) if ack.seq else ()
    if ack == NO_ACK and (folder / f"{FILE_NAME}-journal").exists():
        return ()  # it was being made: the next start makes it, and till then it holds nothing
    try:
        records = stored_records(folder)
    except (JournalError, OSError) as error:
        return (Finding(Wrong.LOST, f"cannot be read: {error}"),)
    return (*against(records, ack, reference.records), *_verified(folder))


def against(
    records: Sequence[StoredRecord], ack: Ack, undisturbed: Sequence[StoredRecord]
) -> tuple[Finding, ...]:
    """The records of a run that was cut short are the first of the undisturbed run's."""
    if len(records) < ack.seq:
        return (Finding(Wrong.LOST, f"{ack.seq} acknowledged, {len(records)} found"),)
    if ack.seq and records[ack.seq - 1].chain.hex() != ack.chain:
        return (Finding(Wrong.LOST, f"record {ack.seq} is not the one that was acknowledged"),)
    for found, expected in zip(records, undisturbed, strict=False):
        if found != expected:
            return (Finding(Wrong.DOUBLED, f"record {found.seq} is not the undisturbed run's"),)
    if len(records) > len(undisturbed):
        return (Finding(Wrong.DOUBLED, f"{len(records)} records, {len(undisturbed)} expected"),)
    return ()


def played_on(folder: Path, ack: Ack, reference: Reference, boot_id: str) -> tuple[Finding, ...]:
    """Start again, play to the end, and judge what then is there."""
    try:
        go_on(folder, boot_id)
    except (Ended, JournalError) as ended:
        return (Finding(Wrong.LOST, f"does not go on: {str(ended)[:WORDS_MAX]}"),)
    return after_end(folder, ack, reference)


def after_end(folder: Path, ack: Ack, reference: Reference) -> tuple[Finding, ...]:
    """Judge a folder where the script was played to its end, however often it was cut short."""
    try:
        records = stored_records(folder)
    except (JournalError, OSError) as error:
        return (Finding(Wrong.LOST, f"cannot be read at the end: {error}"),)
    found: list[Finding] = [*against(records[: ack.seq], ack, reference.records)]
    facts = facts_in(records)
    if facts != reference.facts:
        found.extend(_differing(Counter(facts), Counter(reference.facts)))
        if not found:
            found.append(Finding(Wrong.DOUBLED, "the same conclusions stand in another order"))
    seals = len(sealed_files(folder))
    if seals != reference.seals:
        wrong = Wrong.LOST if seals < reference.seals else Wrong.DOUBLED
        found.append(Finding(wrong, f"{seals} shoes are sealed, {reference.seals} expected"))
    return (*found, *_verified(folder))


def _differing(facts: Counter[bytes], expected: Counter[bytes]) -> list[Finding]:
    missing, extra = expected - facts, facts - expected
    found = []
    if missing:
        found.append(Finding(Wrong.LOST, f"{missing.total()} conclusions are missing at the end"))
    if extra:
        found.append(Finding(Wrong.DOUBLED, f"{extra.total()} conclusions stand there once more"))
    return found


def _verified(folder: Path) -> tuple[Finding, ...]:
    """The regulator's verifier finds the folder intact."""
    try:
        report = verify(folder)
    except (CannotRead, ShoeFileError) as error:
        return (Finding(Wrong.LOST, f"verify: {error}"),)
    if report.intact:
        return ()
    return (Finding(Wrong.LOST, f"verify: {report.problems[0].what}"),)
