"""Runs the shoe monitors of one table behind its store: what they say goes to the log and people.

After a start, and where transactions were left out, it reads on from the journal, on the thread of
its own queue: no start and no card waits. Pauses are looked at by the clock, too: while nobody
deals no input need come.

Source: controller/monitors/README.md, "Where they run"; controller/table/README.md, "Subscribers".
"""

import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar, Final

from msgspec.structs import replace

from controller.core.state import Conclusion, Stored
from controller.journal.encoding import EncodingError
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.store import open_read_only
from controller.journal.values import JournalError
from controller.monitors.advisory import Advisory, AdvisoryKind
from controller.monitors.items import MonitorItem, ShoeOpens, TimePasses
from controller.monitors.state import MonitorState
from controller.monitors.take import take
from controller.procedure.people.setting_changes import effective_book
from controller.replay.stored_conclusions import conclusions_between
from controller.table.monitor import MachineMonitor
from controller.views.build import advisory_view
from controller.views.monitored import Monitored, Shown, monitor_items
from controller.views.snapshot_devices import advisory_words
from firmware_bridge.timestamp import Timestamp

LOG: Final = logging.getLogger("smartshoe.monitors")
# The monitors compare a shoe with so many before it.
EARLIER_SHOES: Final = 4
_NOT_READ: Final = (
    "the monitors know less of the cards before record %d: the journal could not be read."
    " Run `smartshoe verify`"
)


class ShoeMonitors:
    """Follows what a table stores, and says what its monitors say.

    `count` is called with each advisory's kind, `announce` when `advisories` has changed, `suspend`
    with an advisory of a kind that the profile in force lets suspend the table.
    `stored` is for the thread of its queue, `time_passes` for any other.
    """

    name: ClassVar[str] = "monitors"

    def __init__(
        self,
        journal: Path,
        count: Callable[[AdvisoryKind], object],
        announce: Callable[[], object],
        suspend: Callable[[Advisory], object],
    ) -> None:
        self.advisories: tuple[Advisory, ...] = ()
        self._journal = journal
        self._count = count
        self._announce = announce
        self._suspend = suspend
        self._suspending: tuple[AdvisoryKind, ...] = ()
        self._lock = threading.Lock()
        self._state = MonitorState()
        self._monitored = Monitored()
        # The last record that was taken in; None before the first transaction.
        self._seq: int | None = None
        self._of_last_shoe: tuple[Advisory, ...] = ()
        self._of_this_shoe: tuple[Advisory, ...] = ()

    def stored(self, stored: Stored) -> None:
        """Take one transaction in, after what is missing before it."""
        with self._lock:
            self._take_in(stored)

    def time_passes(self, at: Timestamp) -> None:
        """Look at the pause that lasts, if any."""
        with self._lock:
            if self._state.pause is None:
                return
            self._say(self._take_item(TimePasses(at.monotonic_ns)))
            self._show()

    def _take_in(self, stored: Stored) -> None:
        book = effective_book(stored.book, stored.state.table)
        self._suspending = book.values.advisories_suspend
        shown = Shown.by(book)
        # Set first: what cannot be taken in is left out, and not read again and again.
        taken, self._seq = self._seq, stored.head.seq
        if taken != stored.after_seq:
            said = self._read_on(shown, taken, stored.after_seq)
            if taken is None:
                # What was raised before a start was said before it.
                said = ()
                dealers = stored.state.table.staff.dealers
                self._monitored = replace(self._monitored, dealers=dealers)
            self._say(said)
        self._say(self._take(shown, stored.conclusions))
        self._show()

    def _show(self) -> None:
        """Show what was said; last, so that who sees an advisory finds it counted."""
        advisories = (*self._of_last_shoe, *self._of_this_shoe)
        if advisories != self.advisories:
            self.advisories = advisories
            self._announce()

    def _take(self, shown: Shown, conclusions: Iterable[Conclusion]) -> tuple[Advisory, ...]:
        """Take conclusions in; what the monitors say of them."""
        found: list[Advisory] = []
        for conclusion in conclusions:
            self._monitored, items = monitor_items(self._monitored, shown, conclusion)
            for item in items:
                found += self._take_item(item)
        return tuple(found)

    def _take_item(self, item: MonitorItem) -> tuple[Advisory, ...]:
        self._state, said = take(self._state, item)
        self._of_this_shoe += said
        if isinstance(item, ShoeOpens):
            self._of_last_shoe, self._of_this_shoe = self._of_this_shoe, ()
        return said

    def _say(self, said: Iterable[Advisory]) -> None:
        for one in said:
            LOG.warning("%s: %s", one.kind.value, advisory_words(advisory_view(one)))
            self._count(one.kind)
            if one.kind in self._suspending:
                self._suspend(one)

    def _read_on(self, shown: Shown, after: int | None, until_seq: int) -> tuple[Advisory, ...]:
        """Take in the journal's records after `after`, None for a start: earlier shoes, too."""
        try:
            with open_read_only(self._journal) as reader:
                if after is None:
                    after = _before_earlier_shoes(self._journal, reader.base.seq)
                return self._take(shown, conclusions_between(reader, after, until_seq))
        except (JournalError, EncodingError, OSError):
            # Not the error's own message: it may name a card.
            LOG.warning(_NOT_READ, until_seq)
            return ()


class PauseWatch(MachineMonitor[Timestamp]):
    """Tells the monitors the time, again and again."""

    INTERVAL_S: ClassVar[float] = 5.0

    def __init__(self, clock: Callable[[], Timestamp]) -> None:
        super().__init__()
        self._clock = clock

    def check(self, put: Callable[[Timestamp], object]) -> None:
        put(self._clock())


def _before_earlier_shoes(journal: Path, base_seq: int) -> int:
    """The record before the earlier shoes that are here without a gap."""
    before, shoes = base_seq, 0
    for path in reversed(sealed_files(journal)):
        try:
            file = read_sealed(path)
        except JournalError:
            break
        if file.heading.first_seq > before:
            continue  # sealed since `base_seq` was read
        if file.heading.last_seq != before or shoes == EARLIER_SHOES:
            break
        before, shoes = file.heading.first_seq - 1, shoes + 1
    return before
