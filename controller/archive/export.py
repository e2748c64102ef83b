"""Exports a journal: a tape of its records, or coups, irregularities and decisions as JSON rows.

Disclosure is applied; of the shoe in play only finished coups are exported.
Source: controller/archive/README.md, "Journal commands"; controller/views/README.md, "Disclosure";
D-8.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from controller.actions.actions import Action, OperatorAction
from controller.archive.shoe_index import find_sealed_files
from controller.core.build import read_rules
from controller.journal.encoding import EncodingError
from controller.journal.folder import base_before, read_sealed
from controller.journal.reader import JournalReader
from controller.journal.record import is_input
from controller.journal.tape_file import write_tape
from controller.journal.values import Base, JournalError, StoredRecord
from controller.messages.catalogue import to_words
from controller.procedure.effects import (
    CoupClosed,
    CoupCorrected,
    ResolutionRecorded,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.rulebook import RuleBook
from controller.procedure.verdicts import Irregularity
from controller.profiles.borrowing import with_borrowed
from controller.profiles.clauses import Clause
from controller.profiles.load import load_clauses
from controller.profiles.profile import ProfileError
from controller.tape.entries import EventVerdicts, RunBegan
from controller.tape.inputs import Started
from controller.tape.records import holds, read_as, read_entry, read_input, received_ns
from controller.views.coup import closed_coup_view
from controller.views.disclosure import irregularity_withheld
from controller.views.snapshot import cards_words
from firmware_bridge.message import Message

JsonRow: TypeAlias = dict[str, object]

Progress: TypeAlias = Callable[[int, int], None]

_NS_PER_S: Final = 1_000_000_000
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
        elif holds(stored.record, CoupClosed):
            finished, withheld = True, withheld + 1
        elif holds(stored.record, ShoeEnded):
            finished = True
        elif finished and (judged := read_as(stored.record, EventVerdicts)) is not None:
            finished = not isinstance(judged.event, CardDrawn)
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
    builder = _RowBuilder(load_clauses())
    builder.begin(span.base)
    for stored in span_records(journal, span):
        yield from builder.rows_of(stored)


class _RowBuilder(Struct):
    """Builds rows from records in order; keeps the rules, table, shoe, time and act they need."""

    clauses: Mapping[str, Clause]
    book: RuleBook | None = None
    table: str = ""
    gaming_day: str = ""
    shoe: int = 0
    at_ns: int = 0
    act: OperatorAction[Action] | None = None

    def begin(self, base: Base) -> None:
        """Continue after records that may be archived: rules and table are in the base."""
        if base.started:
            self._read_input(base.started)

    def rows_of(self, stored: StoredRecord) -> Iterator[JsonRow]:
        if self._read_input(stored.record):
            return
        match read_entry(stored.record):
            case RunBegan(table=table):
                self.table = table
            case ShoeOpened(gaming_day=day, shoe=shoe):
                self.gaming_day, self.shoe = day, shoe
            case EventVerdicts(verdicts=verdicts):
                for verdict in verdicts:
                    if isinstance(verdict, Irregularity):
                        yield self._row(stored, "irregularity", self._irregularity(verdict))
            case CoupClosed(record=record):
                yield self._row(stored, "coup", self._coup(CoupClosed(record)))
            case ResolutionRecorded() as decision:
                yield self._row(stored, "decision", {**_decision(decision), **self._proofs()})
            case CoupCorrected() as corrected:
                yield self._row(stored, "correction", {**_correction(corrected), **self._proofs()})
            case ShoeEnded() as ended:
                counted: JsonRow = {"coups": ended.coups, "cards_drawn": ended.cards_drawn}
                yield self._row(stored, "shoe_ended", counted)
            case _:
                pass

    def _read_input(self, record: bytes) -> bool:
        """Take time and, where a run begins, rules from an input; False if it is not an input."""
        item = read_input(record)
        if item is None:
            return False
        self.at_ns = received_ns(item)
        self.act = item if isinstance(item, OperatorAction) else None
        if isinstance(item, Started):
            try:
                settings, self.book = read_rules(item, self.clauses)
                self.table = settings.table
            except (EncodingError, ProfileError, ValueError):
                self.book = None
        return True

    def _proofs(self) -> JsonRow:
        """How it is known who took the action that the entry was concluded from."""
        if self.act is None:
            return {}
        return {"proof": self.act.proof.value, "second_proof": self.act.second_proof.value}

    def _row(self, stored: StoredRecord, kind: str, values: JsonRow) -> JsonRow:
        moment = datetime.fromtimestamp(self.at_ns // _NS_PER_S, UTC)
        return {
            "kind": kind,
            "record": stored.seq,
            "at": f"{moment:%Y-%m-%dT%H:%M:%S}.{self.at_ns % _NS_PER_S:09}Z",
            "table": self.table,
            "gaming_day": self.gaming_day,
            "shoe": self.shoe,
            **values,
        }

    def _coup(self, closed: CoupClosed) -> JsonRow:
        record = closed.record
        self.gaming_day, self.shoe = record.gaming_day, record.shoe
        seen = closed_coup_view(self.book, record) if self.book is not None else None
        return {
            "coup": record.coup,
            "fate": record.fate.value,
            "outcome": record.outcome.value if record.outcome is not None else None,
            "declared": record.declared.value if record.declared is not None else None,
            "player": seen and cards_words(seen.player.cards),
            "banker": seen and cards_words(seen.banker.cards),
            "player_count": seen and seen.player.count.value,
            "banker_count": seen and seen.banker.count.value,
            "natural": seen and bool(seen.natural.value),
            "player_pair": seen and bool(seen.player_pair.value),
            "banker_pair": seen and bool(seen.banker_pair.value),
            "irregularities": list(record.irregular),
            "ghost": record.ghost,
        }

    def _irregularity(self, one: Irregularity) -> JsonRow:
        kind = CATALOGUE[one.code]
        clauses: tuple[str, ...] = ()
        if self.book is not None:
            withheld = irregularity_withheld(self.book, None, provisional=one.provisional)
            clauses = one.clauses if withheld is None else self.book.clauses(*kind.points)
        row: JsonRow = {
            "number": one.number,
            "coup": one.coup,
            "code": one.code.value,
            "title": to_words(Message(one.code.value)),
            "clauses": list(clauses),
            "suspends": one.suspends,
        }
        return with_borrowed(self.book.document, row) if self.book is not None else row


def _decision(one: ResolutionRecorded) -> JsonRow:
    return {
        "person": one.person,
        "second": one.second or None,
        "reason": one.reason,
        "decision": one.decision.value,
        "outcome": one.outcome,
        "closed": list(one.closed),
    }


def _correction(one: CoupCorrected) -> JsonRow:
    return {
        "gaming_day": one.gaming_day,
        "shoe": one.shoe,
        "coup": one.coup,
        "counted": one.counted.value,
        "before": one.before.value,
        "outcome": one.outcome.value,
        "person": one.person,
        "second": one.second,
        "reason": one.reason,
        "owed": [{"seat": each.seat, "cents": each.cents} for each in one.owed],
    }
