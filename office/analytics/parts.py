"""Reads one part of a journal, the sealed shoes of a day or the shoe in play, into its tables."""

from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.archive.export import RecordSpan, finished_span, span_records
from controller.archive.finished_shoe import ShoeCollector, shoe_records
from controller.journal.folder import base_before, read_sealed
from controller.journal.shoe_file import ShoeFile
from controller.journal.store import open_read_only
from controller.journal.values import StoredRecord
from controller.record.reader import RunRules
from office.analytics.card_table import ShoeCards, card_batch
from office.analytics.parquet_folder import OPEN_NAME, TablesPart
from office.analytics.piece_rows import Found, PieceRows, ShoeFacts, holds_rows
from office.analytics.schema import TableName

# Rows of so many shoes at most wait to become columns.
_SHOES_WAITING: Final = 16


class SealedDay(Struct, frozen=True):
    """The sealed shoes of a table's gaming day in their order; `made_of` is the digest of all."""

    table: str
    day: str
    files: tuple[Path, ...]
    made_of: str

    @property
    def path(self) -> Path:
        return self.files[0].parent


def read_day(day: SealedDay, rules: RunRules) -> TablesPart:
    """The tables of a day's sealed shoes. Raises JournalError, OSError."""
    part = TablesPart(day.table, day.day, f"sealed-{day.day}")
    rows: PieceRows | None = None
    last_seq = -1
    for number, path in enumerate(day.files, 1):
        shoe = read_sealed(path)
        heading = shoe.heading
        if rows is None or heading.first_seq != last_seq + 1:
            rows = PieceRows.of(rules, base_before(shoe))
        last_seq = heading.last_seq
        cards = ShoeCards(shoe.rows)
        records = shoe.parts().records
        rows.begin_shoe(_facts_of(shoe, cards, holds_rows=holds_rows(b"".join(records))))
        # The digest of the file has been compared: the chain need not be computed again.
        for seq, record in enumerate(records, heading.first_seq):
            for name, row in rows.rows_of(StoredRecord(seq, record, b"")):
                part.add(name, row)
        # Its cards come after its records, which say what people have seen.
        _add_cards(part, rows, cards, (heading.gaming_day, heading.shoe))
        if number % _SHOES_WAITING == 0:
            part.pack()
    return part


def _facts_of(shoe: ShoeFile, cards: ShoeCards, *, holds_rows: bool) -> ShoeFacts:
    heading = shoe.heading
    of_batch = (heading.back, heading.batch, heading.decks)
    return ShoeFacts(*of_batch, heading.clean, cards.by_coup(), holds_rows)


def _add_cards(part: TablesPart, rows: PieceRows, cards: ShoeCards, shoe: tuple[str, int]) -> None:
    settings = rows.settings
    day, number = shoe
    batch = card_batch(
        cards,
        number,
        settings.shoe.model if settings is not None else "",
        rows.shown.__contains__,
        burn_shown=rows.reader.state.burn_shown,
    )
    part.add_batch(TableName.CARDS, day, batch)


def read_open_part(path: Path, rules: RunRules) -> TablesPart | None:
    """The tables of what is finished and not sealed yet; None where there is nothing.

    The records of one shoe, or of those whose seal failed, are in memory. Raises JournalError.
    """
    with open_read_only(path) as journal:
        base, span = journal.base, finished_span(journal)
        span = RecordSpan(base, max(base.seq, span.last_seq))
        records = tuple(span_records(journal, span))
    rows = PieceRows.of(rules, base)
    part = TablesPart(rows.reader.table, "", OPEN_NAME)
    found: list[Found] = []
    while records:
        piece = shoe_records(records) or records
        records = records[len(piece) :]
        collector = ShoeCollector(base)
        for stored in piece:
            collector.add_record(stored)
        cards = ShoeCards(collector.rows.packed).until(span.last_seq)
        facts = ShoeFacts(collector.back, collector.batch, collector.decks, None, cards.by_coup())
        rows.begin_shoe(facts)
        found += (one for stored in piece for one in rows.rows_of(stored))
        part.table = rows.reader.table
        part.day = part.day or rows.reader.state.gaming_day
        _add_cards(part, rows, cards, rows.shoe)
    for name, row in found:
        part.add(name, row)
    return part if part.day else None
