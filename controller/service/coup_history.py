"""Follows the finished coups of the shoe in play, for roads and lists of coups.

After a start, and where transactions were left out, it reads on from the journal, beside play: no
start and no card waits.
"""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar, Final

from controller.archive.replay.stored_conclusions import conclusions_between
from controller.core.state import Conclusion, Stored
from controller.journal.encoding import EncodingError
from controller.journal.store import open_read_only
from controller.journal.values import JournalError
from controller.procedure.people.setting_changes import effective_book
from controller.record.coup import CoupList
from controller.record.snapshot import FinishedCoupView
from controller.rules.setting_values import DealOption
from controller.service.shoe_monitors import before_earlier_shoes

LOG: Final = logging.getLogger("smartshoe.table")
_NOT_READ: Final = (
    "the list of coups lacks those before record %d: the journal could not be read. Run"
    " `smartshoe verify`"
)


class CoupHistory:
    """A subscriber of one table; calls `announce` when `coups` has changed."""

    name: ClassVar[str] = "coups"

    def __init__(self, journal: Path, announce: Callable[[], object]) -> None:
        self._journal = journal
        self._announce = announce
        self._list = CoupList()
        # The last record that was taken in; None before the first transaction.
        self._seq: int | None = None

    @property
    def coups(self) -> tuple[FinishedCoupView, ...]:
        """Those of the shoe in play or, between shoes, of the last one. For any thread."""
        return self._list.coups

    def stored(self, stored: Stored) -> None:
        """Take one transaction in, after what is missing before it."""
        before = self._list
        book = effective_book(stored.book, stored.state.table)
        face_up = book.values.deal_option is DealOption.FACE_UP
        # Set first: what cannot be taken in is left out, and not read again and again.
        taken, self._seq = self._seq, stored.head.seq
        if taken != stored.after_seq:
            self._read_on(taken, stored.after_seq, face_up=face_up)
        self._take(stored.conclusions, face_up=face_up)
        if self._list is not before:
            self._announce()

    def _take(self, conclusions: Iterable[Conclusion], *, face_up: bool) -> None:
        after = self._list
        for conclusion in conclusions:
            after = after.take(conclusion.entries, face_up=face_up)
        self._list = after

    def _read_on(self, after: int | None, until_seq: int, *, face_up: bool) -> None:
        """Take in the journal's records after `after`, None for a start: the shoe before, too."""
        try:
            with open_read_only(self._journal) as reader:
                if after is None:
                    after = before_earlier_shoes(self._journal, reader.base.seq, 1)
                self._take(conclusions_between(reader, after, until_seq), face_up=face_up)
        except (JournalError, EncodingError, OSError):
            # Not the error's own message: it may name a card.
            LOG.warning(_NOT_READ, until_seq)
