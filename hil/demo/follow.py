"""Following a running table in two ways: what people see of it, and what its journal says.

Responsible for: the newest snapshot of a subscription, and the finished facts of the journal, read
beside the running program; both may be waited for.
Not responsible for: showing them (demo_view, demo_lines) and acting on them (demo_floor,
demo_dealing).
Source: controller/README.md, "Snapshot"; controller/journal/README.md, "Reading".
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Condition, Event, Thread
from typing import TypeAlias

from controller.control.client import ControlClient, ControlError
from controller.journal.store import JournalError, open_read_only
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    ResolutionRecorded,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.events import CardDrawn
from controller.procedure.verdicts import Irregularity
from controller.tape.entries import Entry, Judged
from controller.tape.records import read_entry
from controller.views.snapshot_reader import Shown

POLL_S = 0.015
JOIN_S_MAX = 5.0

Happening: TypeAlias = (
    ShoeOpened | BurnDone | CoupClosed | ShoeEnded | Irregularity | ResolutionRecorded
)


class Newest:
    """The newest snapshot. Ends by itself when the table does."""

    def __init__(self, client: ControlClient) -> None:
        self._client = client
        self._changed = Condition()
        self._table = Shown({})
        self._thread = Thread(target=self._follow, name="snapshots", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        """Wait for its end, which comes with the table's."""
        self._thread.join(JOIN_S_MAX)

    @property
    def table(self) -> Shown:
        """The table now; empty before the first snapshot."""
        with self._changed:
            return self._table

    def wait_for(self, ready: Callable[[Shown], bool], timeout_s: float) -> bool:
        """Wait for such a snapshot; False when the time is over."""
        with self._changed:
            return self._changed.wait_for(lambda: ready(self._table), timeout_s)

    def _follow(self) -> None:
        try:
            for snapshot in self._client.subscribe():
                with self._changed:
                    self._table = Shown(snapshot)
                    self._changed.notify_all()
        except ControlError:
            return  # the table has ended; whoever started it says why


class Chronicle:
    """What the journal has stored so far. To be stopped before the program is: a reader keeps

    SQLite from folding its log into the file at the end.
    """

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._changed = Condition()
        self._happenings: list[Happening] = []
        self._shoe_began_at = 0
        self._raised = 0
        self._open: set[int] = set()
        self._cards = 0
        self._seq = 0
        self._stopping = Event()
        self._thread = Thread(target=self._follow, name="chronicle", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Read what is there, then close the file."""
        self._stopping.set()
        self._thread.join(JOIN_S_MAX)

    @property
    def cards(self) -> int:
        """How many cards the table has judged."""
        with self._changed:
            return self._cards

    @property
    def irregularities(self) -> int:
        """How many irregularities were ever raised."""
        with self._changed:
            return self._raised

    @property
    def open(self) -> bool:
        """Whether an irregularity waits for a decision."""
        with self._changed:
            return bool(self._open)

    def since(self, number: int) -> tuple[Happening, ...]:
        """The happenings after the first `number` of them."""
        with self._changed:
            return tuple(self._happenings[number:])

    def of_this_shoe(self) -> tuple[Happening, ...]:
        """The happenings from the opening of the shoe in play."""
        with self._changed:
            return tuple(self._happenings[self._shoe_began_at :])

    def wait_for(self, ready: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until it is so; False when the time is over."""
        with self._changed:
            return self._changed.wait_for(ready, timeout_s)

    def _follow(self) -> None:
        stopping = False
        while not stopping:
            stopping = self._stopping.wait(POLL_S)
            # What cannot be read now is read next time; a journal that stays unreadable shows in
            # the dealer's waiting in vain, and in the proof.
            with suppress(JournalError):
                self._read_on()

    def _read_on(self) -> None:
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
            case Judged():
                self._cards += isinstance(entry.event, CardDrawn)
                for verdict in entry.verdicts:
                    if isinstance(verdict, Irregularity):
                        self._raised += 1
                        self._open.add(verdict.number)
                        self._happenings.append(verdict)
            case ResolutionRecorded():
                self._open.difference_update(entry.closed)
                self._happenings.append(entry)
            case ShoeOpened():
                self._shoe_began_at = len(self._happenings)
                self._happenings.append(entry)
            case BurnDone() | CoupClosed() | ShoeEnded():
                self._happenings.append(entry)
            case _:
                return
