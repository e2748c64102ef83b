"""Exports a journal: a tape of its records, or coups, irregularities and decisions as JSON rows.

Of the shoe in play only finished coups are exported.
Source: D-8.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from controller.archive.journal_rows import JournalRows, JsonRow, time_text
from controller.archive.shoe_index import find_sealed_files
from controller.core.tape.records import draws_card, ends_coup, ends_shoe
from controller.journal.encoding import is_input
from controller.journal.folder import base_before, read_sealed
from controller.journal.reader import JournalReader
from controller.journal.tape_file import write_tape
from controller.journal.values import Base, JournalError, StoredRecord
from controller.record.reader import RunRules
from controller.rules.profiles.load import load_clauses

Progress: TypeAlias = Callable[[int, int], None]

_PROGRESS_RECORDS: Final = 4096


class RecordSpan(Struct, frozen=True):
    """The records after `base` up to number `last_seq`.

    `withheld`: so many finished coups after it share an input with a card of the coup in play.
    """

    base: Base
    last_seq: int
    withheld: int = 0

    @property
    def count(self) -> int:
        return self.last_seq - self.base.seq


def finished_span(journal: JournalReader) -> RecordSpan:
    """All available records up to the end of the last finished coup. Raises JournalError.

    They end with all conclusions of an input. One that ended a coup and dealt a card of the next
    is not among the last: its bytes name that card.
    """
    last = seq = journal.base.seq
    finished, withheld = False, 0
    for stored in journal.records(after_seq=last):
        if is_input(stored.record):
            if finished:
                last, finished, withheld = seq, False, 0
        elif ends_coup(stored.record):
            finished, withheld = True, withheld + 1
        elif ends_shoe(stored.record):
            finished = True
        elif finished and (draws := draws_card(stored.record)) is not None:
            finished = not draws
        seq = stored.seq
    if finished:
        last, withheld = seq, 0
    begin = Base()
    if journal.first_available_seq > 1:
        begin = journal.base
        for base in journal.bases():
            begin = base
    return RecordSpan(begin, max(last, begin.seq), withheld)


def sealed_span(folder: Path, gaming_day: str, shoe: int | None) -> RecordSpan:
    """The records of a finished gaming day, or of one of its shoes. Raises JournalError."""
    paths = find_sealed_files(folder, gaming_day, shoe)
    first, last = read_sealed(paths[0]), read_sealed(paths[-1])
    return RecordSpan(base_before(first), last.heading.last_seq)


def span_records(
    journal: JournalReader, span: RecordSpan, progress: Progress | None = None
) -> Iterator[StoredRecord]:
    """Stream the records of the span; `progress` is called with records done and total.

    Raises JournalError.
    """
    for stored in journal.records(after_seq=span.base.seq):
        if stored.seq > span.last_seq:
            return
        yield stored
        if progress is not None and stored.seq % _PROGRESS_RECORDS == 0:
            progress(stored.seq - span.base.seq, span.count)


def export_tape(
    journal: JournalReader, span: RecordSpan, path: Path, progress: Progress | None = None
) -> None:
    """Write the tape; an existing file is never overwritten. Raises JournalError."""
    if path.exists() or path.is_symlink():
        raise JournalError(
            f"{path}: this file exists and is not overwritten. Remedy: give another name"
        )
    try:
        write_tape(path, span.base, span_records(journal, span, progress))
    except OSError as error:
        raise JournalError(
            f"{path}: cannot write the tape: {error.strerror}. Remedy: make room, or write"
            " elsewhere"
        ) from error


# --- rows -----------------------------------------------------------------------------------------


def rows(journal: JournalReader, span: RecordSpan) -> Iterator[JsonRow]:
    """One row for each coup, correction, irregularity, decision and shoe's end.

    Raises JournalError.
    """
    builder = JournalRows(RunRules(load_clauses()))
    builder.begin(span.base)
    for stored in span_records(journal, span):
        for row in builder.rows_of(stored):
            yield row | {"at": time_text(builder.reader.at_ns)}


def open_irregularities(journal: JournalReader, span: RecordSpan) -> tuple[JsonRow, ...]:
    """The irregularities after the last finished coup that nobody has decided yet.

    What is raised in a coup in play shows the clauses of its kind alone. Raises JournalError.
    """
    builder = JournalRows(RunRules(load_clauses()))
    builder.begin(span.base)
    undecided: dict[object, JsonRow] = {}
    for stored in journal.records(after_seq=span.base.seq):
        builder.reader.in_play = stored.seq > span.last_seq
        for row in builder.rows_of(stored):
            if row["kind"] == "irregularity" and builder.reader.in_play:
                at = time_text(builder.reader.at_ns)
                undecided[row["number"]] = row | {"at": at, "open": True}
            elif row["kind"] == "decision":
                closed: list[int] = row["closed"]  # type: ignore[assignment]
                for number in closed:
                    undecided.pop(number, None)
    return tuple(undecided.values())
