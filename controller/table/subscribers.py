"""Hands on what is stored to those who follow it, each on a thread of its own: no card waits."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import ClassVar, Final, Generic, TypeVar

from msgspec import Struct

from controller.core.state import Stored, Subscriber
from controller.system.fault_text import describe_fault, traceback_text
from foundation.context_thread import ContextThread

LOG: Final = logging.getLogger("smartshoe.table")
NS_PER_S: Final = 1_000_000_000
ItemT = TypeVar("ItemT")


class _Job(Struct, frozen=True):
    """What the thread is to do between two items."""

    run: Callable[[], object]


class Behind(Generic[ItemT]):
    """A bounded queue and the thread that takes from it, in order. Who puts never waits.

    At WAITING_MAX the oldest item is left out and counted in `skipped`, and so is one whose taking
    raises. Any thread may read the counts.
    """

    WAITING_MAX: ClassVar[int] = 1024

    def __init__(self, name: str, take: Callable[[ItemT], object]) -> None:
        self.name = name
        self.skipped = 0
        self._take = take
        self._items: deque[ItemT | _Job] = deque()
        self._changing = threading.Lock()
        # One for each item that is to be taken: the thread waits for it, and who puts for nobody.
        self._tokens: SimpleQueue[None] = SimpleQueue()
        self._taking: ItemT | None = None
        self._ended = False
        # A daemon: who hangs keeps no process from its end.
        self._thread = ContextThread(target=self._run, name=name, daemon=True)

    @property
    def waiting(self) -> int:
        """How many wait, with the one that is being taken."""
        return len(self._items) + (self._taking is not None)

    def start(self) -> None:
        self._thread.start()

    def put(self, item: ItemT) -> None:
        """Append an item. To be called by one thread at a time."""
        self._append(item)

    def do(self, job: Callable[[], object]) -> None:
        """Run a job in the thread, behind everything put before; it is never left out."""
        self._append(_Job(job))

    def caught_up(self, timeout_s: float | None = None) -> bool:
        """Wait until what was put before is taken; whether it was within that time."""
        if not self._thread.is_alive():
            return not self.waiting
        reached = threading.Event()
        self.do(reached.set)
        return reached.wait(timeout_s)

    def close(self, timeout_s: float) -> bool:
        """Take what waits, for so long, and end; whether all was taken. Nothing is put after."""
        if not self._thread.is_alive():
            return not self.waiting
        done = threading.Event()

        def end() -> None:
            self._ended = True
            done.set()

        self.do(end)
        if done.wait(timeout_s):
            # It ends at once. Until then, who asks again would wait for what nobody takes.
            self._thread.join()
        return done.is_set()

    def _append(self, item: ItemT | _Job) -> None:
        with self._changing:
            full = len(self._items) >= self.WAITING_MAX and not isinstance(item, _Job)
            left_out = full and self._leave_out_oldest()
            self._items.append(item)
        if not left_out:
            self._tokens.put(None)

    def _leave_out_oldest(self) -> bool:
        """Leave out the oldest item that is no job; whether there was one."""
        for number, one in enumerate(self._items):
            if not isinstance(one, _Job):
                del self._items[number]
                self.skipped += 1
                return True
        return False

    def _next(self) -> ItemT | _Job:
        self._tokens.get()
        with self._changing:
            return self._items.popleft()

    def _run(self) -> None:
        while not self._ended:
            item = self._next()
            if not isinstance(item, _Job):
                self._take_in(item)
            if not self._items:
                self._idle()
            if isinstance(item, _Job):
                self._do_in_turn(item)

    def _take_in(self, item: ItemT) -> None:
        self._taking = item
        try:
            self._take(item)
        except Exception as error:  # noqa: BLE001  # where errors of a subscriber surface
            self.skipped += 1
            self._failed(error)
        finally:
            self._taking = None

    def _do_in_turn(self, job: _Job) -> None:
        try:
            job.run()
        except Exception as error:  # noqa: BLE001  # where errors of a subscriber surface
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        """Called after taking an item raised, or a job."""

    def _idle(self) -> None:
        """Called when nothing waits any more."""


class Follower(Behind[Stored]):
    """What waits for one subscriber of a table. Says when it is late, failed, up to date again."""

    LATE_NS: ClassVar[int] = NS_PER_S

    def __init__(self, table: str, subscriber: Subscriber) -> None:
        super().__init__(subscriber.name, subscriber.stored)
        self._who = f"table {table}: {subscriber.name}"
        self._skipped_before: int | None = None

    @property
    def taking_since_ns(self) -> int | None:
        """When the oldest transaction was stored that is not taken in; None for none.

        By the monotonic clock; of those that wait only while one is being taken in.
        """
        taking = self._taking
        return None if taking is None else taking.at.monotonic_ns

    def put(self, item: Stored) -> None:
        """Append a transaction. To be called by the table's thread."""
        super().put(item)
        taking = self._taking
        late = taking is not None and (
            item.at.monotonic_ns - taking.at.monotonic_ns >= self.LATE_NS
            or self.waiting > self.WAITING_MAX
        )
        if late and self._skipped_before is None:
            self._skipped_before = self.skipped
            LOG.warning("%s: behind what is stored; no card waits for it", self._who)

    def _idle(self) -> None:
        before, self._skipped_before = self._skipped_before, None
        if before is not None:
            left_out = self.skipped - before
            LOG.warning("%s: up to date again; %d transactions left out", self._who, left_out)

    def _failed(self, error: Exception) -> None:
        # Not LOG.exception: the error's own message may name a card.
        fault, trace = describe_fault(error), traceback_text(error.__traceback__)
        LOG.error("%s: %s; one transaction is left out\n%s", self._who, fault, trace)
