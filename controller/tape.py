"""Records of the journal as values: a tape of inputs and entries in one order.

Responsible for: turning inputs and entries into the bytes of a record and back.
Not responsible for: the encoding itself (journal.canonical) and for storing (journal.store).
Source: package README, "Evidence".
"""

from typing import Final

from controller.entries import Entry
from controller.inputs import Input
from controller.journal.canonical import Codec
from controller.journal.record import RecordKind, unwrap, wrap

INPUTS: Final[Codec[Input]] = Codec(Input)
ENTRIES: Final[Codec[Entry]] = Codec(Entry)


def input_record(item: Input) -> bytes:
    return wrap(RecordKind.INPUT, INPUTS.encode(item))


def entry_record(entry: Entry) -> bytes:
    return wrap(RecordKind.ENTRY, ENTRIES.encode(entry))


def read_input(record: bytes) -> Input | None:
    """The input that a record holds; None where it holds an entry. Raises CanonicalError."""
    kind, value = unwrap(record)
    return INPUTS.decode(value) if kind is RecordKind.INPUT else None


def read_entry(record: bytes) -> Entry | None:
    """The entry that a record holds; None where it holds an input. Raises CanonicalError."""
    kind, value = unwrap(record)
    return ENTRIES.decode(value) if kind is RecordKind.ENTRY else None
