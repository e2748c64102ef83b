"""A small file in a journal's folder: what a subscriber made of all records up to one.

So a start reads on from there instead of all the journal again. It says nothing that the records
do not say: one that is damaged, of another version or of other records is left aside.
Source: performance goal P18 (flash wear).
"""

from hashlib import sha256
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from controller.journal.reader import JournalReader
from controller.journal.values import Head
from controller.system.atomic_file import read_text, store_text
from foundation.typed_reading import json_decoder

_MODE: Final = 0o600
_Value = TypeVar("_Value", bound=Struct)


class DamagedProjection(Exception):
    """A file is not what was written for these records; the message says what is wrong."""


class _Saved(Struct, frozen=True, forbid_unknown_fields=True):
    """What is made of the records up to the one of this number and chain value."""

    form: str
    record: int
    chain: bytes
    value: msgspec.Raw


def save_projection(path: Path, form: str, head: Head, value: Struct) -> None:
    """Replace the file; `form` names what `value` is, with its version. Raises SmallFileError."""
    raw = msgspec.Raw(msgspec.json.encode(value))
    body = msgspec.json.encode(_Saved(form, head.seq, head.chain, raw))
    store_text(path, f"{body.decode()}\n{sha256(body).hexdigest()}\n", _MODE)


def load_projection(
    path: Path, form: str, kind: type[_Value], journal: JournalReader
) -> tuple[int, _Value]:
    """The number of the record up to which it was made, and the value.

    Raises SmallFileError where none can be read, DamagedProjection, JournalError.
    """
    body, _, digest = read_text(path).rstrip("\n").partition("\n")
    if sha256(body.encode()).hexdigest() != digest:
        raise DamagedProjection("its digest does not fit")
    try:
        saved = json_decoder(_Saved).decode(body)
        if saved.form != form:
            raise DamagedProjection("it is of another version of this program")
        value = json_decoder(kind).decode(saved.value)
    except ValueError as error:  # msgspec's own errors are ValueErrors, too
        raise DamagedProjection("it is not what this program writes") from error
    _require_same_record(journal, saved.record, saved.chain)
    return saved.record, value


def _require_same_record(journal: JournalReader, seq: int, chain: bytes) -> None:
    """Raises DamagedProjection if the journal has another record of that number, or not yet one.

    A record that was archived away is not compared.
    """
    if seq > journal.head.seq:
        raise DamagedProjection("it is of records that are not here")
    found = journal.chain_at(seq)
    if found is None and seq >= journal.first_available_seq:
        found = next(journal.records(seq - 1)).chain
    if found not in (None, chain):
        raise DamagedProjection("it is of other records than those that are here")
