"""Follows a running table: its newest snapshot, and the facts its journal has stored."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Condition, Event, Thread
from typing import TypeAlias, TypeVar

from msgspec.structs import replace

from controller.core.tape.entries import Entry, EventVerdicts
from controller.core.tape.records import read_entry
from controller.journal.people import PeopleFile, put_names
from controller.journal.store import JournalError, open_read_only
from controller.outlets.control.client import ControlClient, ControlError
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupCorrected,
    ResolutionRecorded,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.verdicts import Irregularity
from controller.record.snapshot import Snapshot
from hil.progress import thread_ends

POLL_S = 0.015

JournalEvent: TypeAlias = (
    ShoeOpened
    | BurnDone
    | CoupClosed
    | CoupCorrected
    | ShoeEnded
    | Irregularity
    | ResolutionRecorded
)


DecidedT = TypeVar("DecidedT", ResolutionRecorded, CoupCorrected)


class SnapshotFollower:
    """The newest snapshot of a running table. The thread ends when the table does.

    Raises ControlError if it does not run.
    """

    def __init__(self, client: ControlClient) -> None:
        self._client = client
        self._changed = Condition()
        self._table = client.status()
        self._thread = Thread(target=self._follow, name="snapshots", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        """Wait for the end of the thread."""
        thread_ends(self._thread)

    @property
    def table(self) -> Snapshot:
        """The table now."""
        with self._changed:
            return self._table

    def wait_for(self, ready: Callable[[Snapshot], bool], timeout_s: float) -> bool:
        """Wait for a snapshot that is `ready`; False if none comes in time."""
        with self._changed:
            return self._changed.wait_for(lambda: ready(self._table), timeout_s)

    def _follow(self) -> None:
        # A table drops a subscriber that is too slow for it; then the demo subscribes again.
        while self._follow_once():
            pass

    def _follow_once(self) -> bool:
        """Follow one subscription to its end; whether it ever gave a snapshot."""
        found = False
        with suppress(ControlError):  # the process that started the table reports why it ended
            for snapshot in self._client.subscribe():
                found = True
                with self._changed:
                    self._table = snapshot
                    self._changed.notify_all()
        return found


class JournalFollower:
    """What the journal has stored so far.

    Stop it before the program: an open reader prevents SQLite's checkpoint at the end.
    """

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._changed = Condition()
        self._events: list[JournalEvent] = []
        self._shoe_began_at = 0
        self._raised = 0
        self._open: set[int] = set()
        self._after_burn: set[int] = set()
        self._cards = 0
        self._seq = 0
        self._stopping = Event()
        self._thread = Thread(target=self._follow, name="chronicle", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Read what is left, then close the file."""
        self._stopping.set()
        thread_ends(self._thread)

    @property
    def cards(self) -> int:
        """The number of cards the table has judged."""
        with self._changed:
            return self._cards

    @property
    def irregularities(self) -> int:
        """The number of irregularities raised so far."""
        with self._changed:
            return self._raised

    @property
    def open(self) -> bool:
        """Whether an irregularity waits for a decision."""
        with self._changed:
            return bool(self._open)

    def since(self, number: int) -> tuple[JournalEvent, ...]:
        """The events after the first `number`."""
        with self._changed:
            return tuple(self._events[number:])

    def this_shoe_events(self) -> tuple[JournalEvent, ...]:
        """The events from the opening of the shoe in play."""
        with self._changed:
            return tuple(self._events[self._shoe_began_at :])

    def wait_for(self, ready: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until `ready`; False if it is not in time."""
        with self._changed:
            return self._changed.wait_for(ready, timeout_s)

    def _follow(self) -> None:
        stopping = False
        while not stopping:
            stopping = self._stopping.wait(POLL_S)
            # An error is retried at the next poll; a journal that stays unreadable is found by
            # the dealer's time-out and by the proof.
            with suppress(JournalError):
                self._read_new()

    def _read_new(self) -> None:
        # A reader sees the journal as it was when it was opened.
        with open_read_only(self._journal) as reader:
            for stored in reader.records(self._seq):
                self._seq = stored.seq
                entry = read_entry(stored.record)
                if entry is not None:
                    with self._changed:
                        self._take(entry)
        with self._changed:
            self._changed.notify_all()

    def _take(self, entry: Entry) -> None:
        match entry:
            case EventVerdicts():
                self._cards += isinstance(entry.event, CardDrawn)
                for verdict in entry.verdicts:
                    if isinstance(verdict, Irregularity):
                        self._raised += 1
                        # A cut card in the burn waits for a decision once the burn is complete.
                        later = verdict.code is IrregularityCode.CUT_CARD_IN_BURN
                        (self._after_burn if later else self._open).add(verdict.number)
                        self._events.append(verdict)
            case ResolutionRecorded():
                self._open.difference_update(entry.closed)
                self._after_burn.difference_update(entry.closed)
                self._events.append(self._with_names(entry))
            case BurnDone():
                self._open |= self._after_burn
                self._after_burn.clear()
                self._events.append(entry)
            case ShoeOpened():
                self._shoe_began_at = len(self._events)
                self._events.append(entry)
            case CoupCorrected():
                self._events.append(self._with_names(entry))
            case CoupClosed() | ShoeEnded():
                self._events.append(entry)
            case _:
                return

    def _with_names(self, entry: DecidedT) -> DecidedT:
        names = PeopleFile(self._journal).names()
        person, second = (put_names(one, names) for one in (entry.person, entry.second))
        return replace(entry, person=person, second=second)
