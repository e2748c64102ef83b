"""What leaves a journal: a tape of its records, or its coups, irregularities and decisions as rows.

Responsible for: which records go onto a tape (of the shoe in play finished coups only), and plain
values (JSON) of what is finished, with disclosure applied.
Not responsible for: the tape's bytes (journal.tape_file) and for printing (cli_journal_files).
Source: package README, "Journal commands", "Disclosure"; D-8.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

from controller.archive.shoe_index import sealed_of
from controller.core.build import core_of
from controller.journal.encoding.codec import CanonicalError
from controller.journal.folder import base_before, read_sealed
from controller.journal.reader import JournalReader
from controller.journal.tape_file import write_tape
from controller.journal.values import Base, JournalError, StoredRecord
from controller.procedure.effects import CoupClosed, ResolutionRecorded, ShoeEnded, ShoeOpened
from controller.procedure.irregularities import CATALOGUE
from controller.procedure.rulebook import RuleBook
from controller.procedure.verdicts import Irregularity
from controller.profiles.clauses import Clause
from controller.profiles.load import load_clauses
from controller.profiles.profile import ProfileError
from controller.tape.entries import Judged, RunBegan, StateDigest
from controller.tape.inputs import Input, Started
from controller.tape.records import ChunkRun, read_older_entry, read_older_input
from controller.views.coup import closed_coup
from controller.views.disclosure import irregularity_disclosed

Plain: TypeAlias = dict[str, object]

Progress: TypeAlias = Callable[[int, int], None]

_NS_PER_S: Final = 1_000_000_000
_PROGRESS_RECORDS: Final = 4096


@dataclass(frozen=True, slots=True)
class Part:
    """The records after `base` up to number `last_seq`."""

    base: Base
    last_seq: int

    @property
    def count(self) -> int:
        return self.last_seq - self.base.seq


def finished_part(journal: JournalReader) -> Part:
    """All that is here, up to the end of the last finished coup. Raises JournalError."""
    last = journal.base.seq
    for stored in journal.records(after_seq=last):
        if b"StateDigest" in stored.record and _is_digest(stored):
            last = stored.seq
    begin = Base()
    if journal.first_available_seq > 1:
        begin = journal.base
        for base in journal.bases():
            begin = base
    return Part(begin, max(last, begin.seq))


def _is_digest(stored: StoredRecord) -> bool:
    return isinstance(read_older_entry(stored.record), StateDigest)


def sealed_span(folder: Path, gaming_day: str, shoe: int | None) -> Part:
    """The records of a finished gaming day, or of one of its shoes. Raises JournalError."""
    paths = sealed_of(folder, gaming_day, shoe)
    first, last = read_sealed(paths[0]), read_sealed(paths[-1])
    return Part(base_before(first), last.heading.last_seq)


def records_of(
    journal: JournalReader, part: Part, progress: Progress | None = None
) -> Iterator[StoredRecord]:
    """They are read as they are asked for; `progress` gets records done and in all.

    Raises JournalError.
    """
    for stored in journal.records(after_seq=part.base.seq):
        if stored.seq > part.last_seq:
            return
        yield stored
        if progress is not None and stored.seq % _PROGRESS_RECORDS == 0:
            progress(stored.seq - part.base.seq, part.count)


def export_tape(
    journal: JournalReader, part: Part, path: Path, progress: Progress | None = None
) -> None:
    """Write the tape; no file is overwritten. Raises JournalError."""
    if path.exists() or path.is_symlink():
        raise JournalError(
            f"{path}: there is a file of this name, and it is not overwritten. Give another name"
        )
    try:
        write_tape(path, part.base, records_of(journal, part, progress))
    except OSError as error:
        raise JournalError(f"{path}: cannot write the tape: {error.strerror}") from error


# --- rows -----------------------------------------------------------------------------------------


def rows(journal: JournalReader, part: Part) -> Iterator[Plain]:
    """A plain value for each coup, irregularity and decision in it. Raises JournalError."""
    telling = _Telling(load_clauses())
    telling.begin(part.base)
    for stored in records_of(journal, part):
        yield from telling.take(stored)


@dataclass(slots=True)
class _Telling:
    """What the records told so far say of the next: the rules, the shoe, the time."""

    clauses: Mapping[str, Clause]
    book: RuleBook | None = None
    table: str = ""
    gaming_day: str = ""
    shoe: int = 0
    at_ns: int = 0

    def begin(self, base: Base) -> None:
        if base.started:
            self._input(base.started)

    def take(self, stored: StoredRecord) -> Iterator[Plain]:
        if self._input(stored.record):
            return
        match read_older_entry(stored.record):
            case RunBegan(table=table):
                self.table = table
            case ShoeOpened(gaming_day=day, shoe=shoe):
                self.gaming_day, self.shoe = day, shoe
            case Judged(verdicts=verdicts):
                for verdict in verdicts:
                    if isinstance(verdict, Irregularity):
                        yield self._row(stored, "irregularity", self._irregularity(verdict))
            case CoupClosed(record=record):
                yield self._row(stored, "coup", self._coup(CoupClosed(record)))
            case ResolutionRecorded() as decision:
                yield self._row(stored, "decision", _decision(decision))
            case ShoeEnded() as ended:
                counted: Plain = {"coups": ended.coups, "cards_drawn": ended.cards_drawn}
                yield self._row(stored, "shoe_ended", counted)
            case _:
                pass

    def _input(self, record: bytes) -> bool:
        """Whether it is an input; its time, and the rules where a run begins."""
        try:
            item = read_older_input(record)
        except CanonicalError:
            # Of another version, in a form that this one has no word for.
            return record.startswith(b"\x82\x62in")
        if item is None:
            return False
        self.at_ns = _at_ns(item)
        if isinstance(item, Started):
            try:
                self.book = core_of(item, self.clauses).book
            except (CanonicalError, ProfileError, ValueError):
                self.book = None
        return True

    def _row(self, stored: StoredRecord, kind: str, values: Plain) -> Plain:
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

    def _coup(self, closed: CoupClosed) -> Plain:
        record = closed.record
        self.gaming_day, self.shoe = record.gaming_day, record.shoe
        shown = closed_coup(self.book, record) if self.book is not None else {}
        return {
            "coup": record.coup,
            "fate": record.fate.value,
            "outcome": record.outcome.value if record.outcome is not None else None,
            "declared": record.declared.value if record.declared is not None else None,
            "player": _joined(shown.get("player")),
            "banker": _joined(shown.get("banker")),
            **{key: shown.get(key) for key in _COUNTED},
            "irregularities": list(record.irregular),
            "ghost": record.ghost,
        }

    def _irregularity(self, one: Irregularity) -> Plain:
        kind = CATALOGUE[one.code]
        clauses: tuple[str, ...] = ()
        if self.book is not None:
            whole = irregularity_disclosed(self.book, None, provisional=one.provisional)
            clauses = one.clauses if whole else self.book.clauses(*kind.points)
        return {
            "number": one.number,
            "coup": one.coup,
            "code": one.code.value,
            "title": kind.title,
            "clauses": list(clauses),
            "suspends": one.suspends,
        }


_COUNTED: Final = ("player_count", "banker_count", "natural", "player_pair", "banker_pair")


def _joined(cards: object) -> str | None:
    return " ".join(map(str, cards)) if isinstance(cards, list) else None


def _decision(one: ResolutionRecorded) -> Plain:
    return {
        "person": one.person,
        "reason": one.reason,
        "decision": one.decision,
        "outcome": one.outcome or None,
        "closed": list(one.closed),
    }


def _at_ns(item: Input | ChunkRun) -> int:
    """When the input came, in UTC: of a run of chunks the last one."""
    if isinstance(item, ChunkRun) and item.chunks:
        return item.at.utc_ns + item.chunks[-1][1]
    return item.at.utc_ns
