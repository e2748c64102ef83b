"""The file of counts in a journal's folder: so that a start reads on instead of counting anew.

It says nothing that the records do not say: without it the counts begin with the records that are
here. It is written when a shoe has ended and at an orderly stop, never for a card.
Source: controller/metrics/README.md, "Over restarts"; performance goal P18 (flash wear).
"""

from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from controller.journal.folder import COUNTS_NAME
from controller.journal.values import Head
from controller.metrics.counts import Carried, TableCounts
from controller.metrics.samples import Labels, Samples
from controller.system.atomic_file import read_text, store_text

_FORM: Final = "smartshoe-counts-1"
_MODE: Final = 0o600


class DamagedCounts(Exception):
    """The file of counts is not what was written; the message says what is wrong."""


class _Saved(Struct, frozen=True, forbid_unknown_fields=True):
    """The content: the counts up to the record of this number and chain value."""

    form: str
    record: int
    chain: str
    counts: tuple[tuple[str, Labels, float], ...]
    carried: Carried


def save_counts(folder: Path, samples: Samples, carried: Carried, head: Head) -> None:
    """Replace the file: the counts up to this record. Raises SmallFileError."""
    rows = tuple(
        (name, labels, value) for name, kept in samples.items() for labels, value in kept.items()
    )
    saved = _Saved(_FORM, head.seq, head.chain.hex(), rows, carried)
    body = msgspec.json.encode(saved)
    text = f"{body.decode()}\n{sha256(body).hexdigest()}\n"
    store_text(folder / COUNTS_NAME, text, _MODE)


def load_counts(folder: Path, counts: TableCounts) -> Head:
    """Let fresh counts go on from the file; returns the record up to which they count then.

    Raises SmallFileError where there is none that can be read, and DamagedCounts.
    """
    body, _, digest = read_text(folder / COUNTS_NAME).rstrip("\n").partition("\n")
    if sha256(body.encode()).hexdigest() != digest:
        raise DamagedCounts("its digest does not fit")
    try:
        saved = msgspec.json.decode(body, type=_Saved)
        head = Head(saved.record, bytes.fromhex(saved.chain))
    except ValueError as error:  # msgspec's own errors are ValueErrors, too
        raise DamagedCounts(str(error)) from error
    if saved.form != _FORM:
        raise DamagedCounts("it is of another version of this program")
    samples: Samples = {}
    for name, labels, value in saved.counts:
        samples.setdefault(name, {})[labels] = value
    counts.go_on(samples, saved.carried)
    return head
