"""Runs the shoe monitors of one table behind its store: what they say goes to the log and people.

After a start, and where transactions were left out, it reads on from the journal, on the thread of
its own queue: no start and no card waits. What shows only over months is saved at a shoe's end, so
a start reads what came after; without that file, the last four shoes. Pauses are looked at by the
clock, too: while nobody deals no input need come.
"""

import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.replay.stored_conclusions import conclusions_between
from controller.core.state import Conclusion, Stored
from controller.journal.encoding import EncodingError
from controller.journal.folder import (
    MONITORS_NAME,
    read_heading_of_file,
    read_sealed,
    sealed_files,
)
from controller.journal.reader import JournalReader
from controller.journal.store import open_read_only
from controller.journal.values import Base, Head, JournalError
from controller.monitors.items import MonitorItem, ShoeOpens, TimePasses
from controller.monitors.stall import allowed_minutes
from controller.monitors.state import MonitorState
from controller.monitors.take import Said
from controller.procedure.people.setting_changes import effective_book
from controller.record.build import advisory_view
from controller.record.monitored import Monitored, Shown, TableWatch
from controller.record.snapshot_devices import PauseView, advisory_words
from controller.rules.advisory import Advisory, AdvisoryKind
from controller.system.atomic_file import SmallFileError
from controller.table.monitor import MachineMonitor
from controller.table.saved_projection import (
    DamagedProjection,
    load_projection,
    save_projection,
)
from foundation.timestamp import Timestamp

LOG: Final = logging.getLogger("smartshoe.monitors")
_FORM: Final = "smartshoe-monitors-1"
# The monitors compare a shoe with so many before it.
EARLIER_SHOES: Final = 4
_NOT_READ: Final = (
    "the monitors know less of the cards before record %d: the journal could not be read."
    " Run `smartshoe verify`"
)


class SavedMonitors(Struct, frozen=True):
    """What the monitors know at the end of a shoe, and what they said of it and the one before."""

    state: MonitorState
    monitored: Monitored
    of_last_shoe: tuple[Advisory, ...]
    of_this_shoe: tuple[Advisory, ...]


class ShoeMonitors:
    """Follows what a table stores, and says what its monitors say.

    `count` is called with each advisory's kind, `announce` when what is shown has changed,
    `suspend` with an advisory of a kind that the profile in force lets suspend the table.
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
        self.pause: PauseView | None = None
        self._journal = journal
        self._count = count
        self._announce = announce
        self._suspend = suspend
        self._suspending: tuple[AdvisoryKind, ...] = ()
        self._lock = threading.Lock()
        self._watch = TableWatch()
        # The last record that was taken in; None before the first transaction.
        self._seq: int | None = None
        # Since when a coup is awaited, by both clocks.
        self._paused: Timestamp | None = None
        self._of_last_shoe: tuple[Advisory, ...] = ()
        self._of_this_shoe: tuple[Advisory, ...] = ()

    def stored(self, stored: Stored) -> None:
        """Take one transaction in, after what is missing before it."""
        with self._lock:
            self._take_in(stored)

    def time_passes(self, at: Timestamp) -> None:
        """Look at the pause that lasts, if any."""
        with self._lock:
            if self._watch.state.pause is None:
                return
            item = TimePasses(at.monotonic_ns)
            self._watch, said = self._watch.take_item(item)
            self._say(self._keep(item, said))
            self._follow_pause(at)
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
                monitored = replace(self._watch.monitored, dealers=dealers)
                self._watch = replace(self._watch, monitored=monitored)
            self._say(said)
        self._say(self._take(shown, stored.conclusions))
        self._show()
        if stored.shoe_ended:
            self._save(stored.head)

    def _save(self, head: Head) -> None:
        """Keep what is known, unless the next shoe has begun, with cards that nobody saw yet."""
        watch = self._watch
        if watch.state.shoe is not None or watch.monitored.waiting:
            return
        saved = SavedMonitors(watch.state, watch.monitored, self._of_last_shoe, self._of_this_shoe)
        try:
            save_projection(self._journal / MONITORS_NAME, _FORM, head, saved)
        except SmallFileError as error:
            LOG.warning("what the monitors know is not saved: %s", error)

    def _show(self) -> None:
        """Show what was said; last, so that who sees an advisory finds it counted."""
        advisories, pause = (*self._of_last_shoe, *self._of_this_shoe), self._pause()
        if (advisories, pause) != (self.advisories, self.pause):
            self.advisories, self.pause = advisories, pause
            self._announce()

    def _follow_pause(self, at: Timestamp) -> None:
        """Note by the clock of the day when the pause began, if it is another than before."""
        pause, noted = self._watch.state.pause, self._paused
        if pause is None:
            self._paused = None
        elif noted is None or noted.monotonic_ns != pause.since_ns:
            since_utc_ns = at.utc_ns - (at.monotonic_ns - pause.since_ns)
            self._paused = Timestamp(pause.since_ns, since_utc_ns)

    def _pause(self) -> PauseView | None:
        state, since = self._watch.state, self._paused
        if state.pause is None or since is None:
            return None
        kind = state.pause.kind
        return PauseView(kind, since.utc_ns, allowed_minutes(state.limits, kind))

    def _take(self, shown: Shown, conclusions: Iterable[Conclusion]) -> tuple[Advisory, ...]:
        """Take conclusions in; what the monitors say of them."""
        found: list[Advisory] = []
        for conclusion in conclusions:
            self._watch, taken = self._watch.take(shown, conclusion)
            for item, said in taken:
                found += self._keep(item, said)
            self._follow_pause(conclusion.item.at)
        return tuple(found)

    def _keep(self, item: MonitorItem, said: Said) -> Said:
        """Keep what is said of this shoe and of the one before; the same again."""
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
                    after = self._load(reader)
                if after is None:
                    after = before_earlier_shoes(self._journal, reader.base.seq, EARLIER_SHOES)
                    run = self._run_after(after, reader.base)
                    self._watch = self._watch.in_run_of(run)
                return self._take(shown, conclusions_between(reader, after, until_seq))
        except (JournalError, EncodingError, OSError):
            # Not the error's own message: it may name a card.
            LOG.warning(_NOT_READ, until_seq)
            return ()

    def _run_after(self, seq: int, base: Base) -> bytes:
        """The record of the run in force after that record; empty where the next begins one."""
        if seq == base.seq:
            return base.started
        newest_first = reversed(sealed_files(self._journal))
        begins = next((one for one in newest_first if _first_seq(one) == seq + 1), None)
        return read_sealed(begins).parts().started if begins is not None else b""

    def _load(self, reader: JournalReader) -> int | None:
        """Go on from what was saved; the record up to which that is, None without it."""
        path = self._journal / MONITORS_NAME
        if not path.exists():
            return None
        try:
            seq, saved = load_projection(path, _FORM, SavedMonitors, reader)
        except (SmallFileError, DamagedProjection) as error:
            LOG.warning("%s: %s. The monitors begin with the last shoes here", path, error)
            return None
        self._watch = TableWatch(saved.state, saved.monitored)
        self._of_last_shoe, self._of_this_shoe = saved.of_last_shoe, saved.of_this_shoe
        # Records between may have been archived away.
        return seq if seq >= reader.base.seq else max(seq, reader.first_available_seq - 1)


class PauseWatch(MachineMonitor[Timestamp]):
    """Tells the monitors the time, again and again."""

    INTERVAL_S: ClassVar[float] = 5.0

    def __init__(self, clock: Callable[[], Timestamp]) -> None:
        super().__init__()
        self._clock = clock

    def check(self, put: Callable[[Timestamp], object]) -> None:
        put(self._clock())


def _first_seq(path: Path) -> int:
    return read_heading_of_file(path).first_seq


def before_earlier_shoes(journal: Path, base_seq: int, most: int) -> int:
    """The record before at most so many earlier shoes that are here without a gap."""
    before, shoes = base_seq, 0
    for path in reversed(sealed_files(journal)):
        try:
            file = read_sealed(path)
        except JournalError:
            break
        if file.heading.first_seq > before:
            continue  # sealed since `base_seq` was read
        if file.heading.last_seq != before or shoes == most:
            break
        before, shoes = file.heading.first_seq - 1, shoes + 1
    return before
