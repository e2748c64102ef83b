"""Keeps the counts of a table at its newest record: saved counts, then the journal's records.

After a start, and where transactions were left out, it reads on from the journal, on the thread of
its own queue: no start and no card waits. What was counted once is not counted again. The file of
saved counts is written when a shoe has ended and at an orderly stop, never for a card; without it
the counts begin with the records that are here.
"""

import logging
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.archive.replay.stored_conclusions import conclusions_between
from controller.core.state import Stored
from controller.journal.encoding import EncodingError
from controller.journal.folder import COUNTS_NAME
from controller.journal.reader import JournalReader
from controller.journal.store import open_read_only
from controller.journal.values import Head, JournalError
from controller.outlets.metrics.counts import Carried, TableCounts
from controller.outlets.metrics.samples import Labels, Samples
from controller.system.atomic_file import SmallFileError
from controller.table.saved_projection import DamagedProjection, load_projection, save_projection

_FORM: Final = "smartshoe-counts-1"
LOG: Final = logging.getLogger("smartshoe.metrics")
_NOT_READ: Final = (
    "the metrics count less before record %d: the journal could not be read. Run `smartshoe verify`"
)


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


class FollowedCounts:
    """The counts of one table. `stored` is for one thread, `save` and `now` for any.

    Without a `journal` they count what is given, from 0.
    """

    def __init__(self, devices: Mapping[str, str], journal: Path | None) -> None:
        self._devices = devices
        self._journal = journal
        self._lock = threading.Lock()
        self._counts = TableCounts(devices)
        self._ready = journal is None
        # The newest record that was taken in; None before the first transaction.
        self.head: Head | None = None
        # The same once all up to it is counted.
        self._counted: Head | None = None

    def stored(self, stored: Stored) -> None:
        """Count one transaction, after what is missing before it."""
        # Set first: what cannot be counted is left out, and not read again and again.
        before, self.head, self._counted = self.head, stored.head, None
        if self._journal is not None and (before is None or before.seq != stored.after_seq):
            self._read_on(self._journal, before, stored.after_seq)
        with self._lock:
            for conclusion in stored.conclusions:
                self._counts.take(conclusion)
            self._counted, self._ready = stored.head, True
        if stored.shoe_ended:
            self.save()

    def save(self) -> None:
        """Write the file of counts, if there are some and they are those of a record."""
        with self._lock:
            head, (samples, carried) = self._counted, self._copy()
        if self._journal is None or head is None:
            return
        try:
            save_counts(self._journal, samples, carried, head)
        except SmallFileError as error:
            LOG.warning("the counts are not saved, and a start reads more: %s", error)

    def now(self) -> tuple[Samples, Carried] | None:
        """A copy of the counts; None while a start still reads on: they would only seem to fall."""
        if not self._ready:
            return None
        with self._lock:
            return self._copy()

    def _copy(self) -> tuple[Samples, Carried]:
        samples = {name: dict(values) for name, values in self._counts.samples.items()}
        return samples, self._counts.carried()

    def _read_on(self, journal: Path, before: Head | None, until_seq: int) -> None:
        """Count the journal's records after `before`, None for a start, up to `until_seq`."""
        if until_seq == 0:
            return
        try:
            with open_read_only(journal) as reader:
                after = self._begin(journal, reader) if before is None else before.seq
                for conclusion in conclusions_between(reader, after, until_seq):
                    with self._lock:
                        self._counts.take(conclusion)
        except (JournalError, EncodingError, OSError):
            # Not the error's own message: it may name a card.
            LOG.warning(_NOT_READ, until_seq)

    def _begin(self, journal: Path, reader: JournalReader) -> int:
        """Go on from the saved counts, if they are of this journal; the record up to which."""
        saved = self._load(journal, reader)
        if saved >= reader.base.seq:
            return saved
        first = reader.first_available_seq
        if saved < first - 1:
            LOG.warning("the metrics do not count records %d to %d: not here", saved + 1, first - 1)
        return max(saved, first - 1)

    def _load(self, journal: Path, reader: JournalReader) -> int:
        """The record up to which saved counts go on; 0 without any."""
        file = journal / COUNTS_NAME
        if not file.exists():
            LOG.info("%s is not there: the metrics count the records that are", file)
            return 0
        try:
            return load_counts(journal, self._counts, reader)
        except (SmallFileError, DamagedProjection) as error:
            LOG.warning("%s: %s. The metrics count the records that are here", file, error)
            self._counts = TableCounts(self._devices)
            return 0
