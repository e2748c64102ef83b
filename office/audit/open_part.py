"""Audits the open part of a journal: its chain, its replay, what the evidence log says of it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from msgspec.structs import replace

from controller.journal.evidence_log.log import leaves_newest_first
from controller.journal.log_database import LOG_NAME, LogDatabase
from controller.journal.reader import JournalReader
from controller.journal.store import open_read_only
from controller.journal.values import JournalError
from office.audit.findings import AuditMessage, LivePart, PieceReport, Weight, file_finding
from office.audit.replay_check import replay_open_part


def audit_open_part(file: Path) -> PieceReport:
    """What is found in the open part, and where it begins."""
    messages: list[AuditMessage] = []
    live = None
    try:
        # The log first, so that it speaks of no record after those that are read.
        with _log_beside(file) as log, open_read_only(file) as journal:
            base = journal.base
            records = journal.head.seq - base.seq
            live = LivePart(str(file), base.seq, base.chain, base.seal, records)
            messages += _log_messages(file, journal, log)
            broken = journal.verify_all()
            if broken is not None:
                messages.append(file_finding(file, broken.what))
            else:
                messages += _replay_messages(file, journal, records)
    except (JournalError, OSError) as error:
        messages.append(file_finding(file, str(error)))
    return PieceReport(messages=tuple(messages), live=live, files=1)


def _log_beside(file: Path) -> AbstractContextManager[LogDatabase | None]:
    """The evidence log in the same folder, if there is one. Raises JournalError."""
    if file.with_name(LOG_NAME).exists():
        return LogDatabase.open_read_only(file.parent)
    return nullcontext()


def _log_messages(
    file: Path, journal: JournalReader, log: LogDatabase | None
) -> Iterator[AuditMessage]:
    """Where the records are not those of which the log speaks. Raises JournalError."""
    base, head = journal.base.seq, journal.head.seq
    if log is None:
        if head > base:
            words = f"no {LOG_NAME} beside it: whether its records were changed is not checked"
            yield replace(file_finding(file, words), weight=Weight.NOTE)
        return
    spoken: dict[int, bytes] = {}
    for leaf in leaves_newest_first(log):
        if leaf.seq < base:
            break
        spoken[leaf.seq] = leaf.chain
    if (newest := max(spoken, default=0)) > head:
        words = f"records {head + 1} to {newest} are missing: the evidence log speaks of them"
        yield file_finding(file, words)
    for seq, chain in sorted(spoken.items()):
        if seq <= head and journal.chain_at(seq) != chain:
            words = f"record {seq}, or one before it, is not the one of which the log speaks"
            yield file_finding(file, words)
            return  # each later one follows from it


def _replay_messages(file: Path, journal: JournalReader, records: int) -> Iterator[AuditMessage]:
    compared = replay_open_part(journal)
    for words in compared.different:
        yield file_finding(file, words)
    notes = [f"of another version: {words}" for words in compared.other_version]
    if compared.not_replayed and records:
        notes.append(f"not replayed: {compared.not_replayed}")
    for words in notes:
        yield replace(file_finding(file, words), weight=Weight.NOTE)
