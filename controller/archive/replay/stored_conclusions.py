"""Reads stored records back as inputs with what was concluded from each, not concluded anew."""

from collections.abc import Iterable, Iterator
from itertools import takewhile

from controller.core.state import Conclusion
from controller.core.tape.entries import Entry
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.encoding import RecordKind, unwrap
from controller.journal.reader import JournalReader
from controller.journal.values import StoredRecord


def conclusions_between(
    journal: JournalReader, after_seq: int, until_seq: int
) -> Iterator[Conclusion]:
    """Those of the records after `after_seq` up to `until_seq`, which end transactions.

    For who follows a table and has to read on: after a start, or where transactions were left out.
    Raises JournalError, EncodingError.
    """
    records = takewhile(lambda one: one.seq <= until_seq, journal.records(after_seq))
    return stored_conclusions(records)


def stored_conclusions(records: Iterable[StoredRecord]) -> Iterator[Conclusion]:
    """Every input from which something was concluded, with its entries, in order.

    Entries before the first input are left out. Raises EncodingError.
    """
    newest = b""
    entries: list[Entry] = []
    for stored in records:
        if unwrap(stored.record)[0] is RecordKind.INPUT:
            yield from _conclusion(newest, entries)
            newest, entries = stored.record, []
            continue
        entry = read_entry(stored.record)
        if entry is not None:
            entries.append(entry)
    yield from _conclusion(newest, entries)


def _conclusion(record: bytes, entries: list[Entry]) -> Iterator[Conclusion]:
    item = read_input(record) if record and entries else None
    if item is not None:
        # Of a run of chunks the last: nothing was concluded from the others.
        yield Conclusion(inputs_in(item)[-1], tuple(entries))
