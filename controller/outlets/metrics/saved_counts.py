"""The counts of the metrics as a saved projection: a start reads on instead of counting again.

Without the file the counts begin with the records that are here. It is written when a shoe has
ended and at an orderly stop, never for a card.
"""

from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.journal.folder import COUNTS_NAME
from controller.journal.reader import JournalReader
from controller.journal.values import Head
from controller.outlets.metrics.counts import Carried, TableCounts
from controller.outlets.metrics.samples import Labels, Samples
from controller.table.saved_projection import load_projection, save_projection

_FORM: Final = "smartshoe-counts-1"


class SavedCounts(Struct, frozen=True, forbid_unknown_fields=True):
    """Each sample by its name and the values of its labels, and what counting goes on with."""

    counts: tuple[tuple[str, Labels, float], ...]
    carried: Carried


def save_counts(folder: Path, samples: Samples, carried: Carried, head: Head) -> None:
    """Replace the file: the counts up to this record. Raises SmallFileError."""
    rows = tuple(
        (name, labels, value) for name, kept in samples.items() for labels, value in kept.items()
    )
    save_projection(folder / COUNTS_NAME, _FORM, head, SavedCounts(rows, carried))


def load_counts(folder: Path, counts: TableCounts, journal: JournalReader) -> int:
    """Let fresh counts go on from the file; the record up to which they count then.

    Raises SmallFileError where there is none that can be read, DamagedProjection, JournalError.
    """
    seq, saved = load_projection(folder / COUNTS_NAME, _FORM, SavedCounts, journal)
    samples: Samples = {}
    for name, labels, value in saved.counts:
        samples.setdefault(name, {})[labels] = value
    counts.go_on(samples, saved.carried)
    return seq
