"""Hands on what is stored to those who follow it, beside the table's thread: no card waits."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, ClassVar, Final, Generic, TypeVar

from msgspec import Struct

from controller.core.state import Stored, Subscriber
from controller.system.fault_text import describe_fault, traceback_text
from firmware_bridge.transport.clock import now
from foundation.context_thread import ContextThread

LOG: Final = logging.getLogger("smartshoe.table")
NS_PER_S: Final = 1_000_000_000
ItemT = TypeVar("ItemT")


class Turns:
    """One thread for several queues: it takes one item of each in turn.

    A queue whose item takes longer than TURN_NS keeps that thread to itself until it is up to date,
    and `relieve`, which others have to call, gives the rest a new one.
    """

    TURN_NS: ClassVar[int] = 100_000_000

    def __init__(self, name: str) -> None:
        self.changing = threading.Lock()
        self._name = name
        self._queues: deque[Behind[Any]] = deque()
        # One for each item that was put: the thread waits for it, and who puts for nobody.
        self._tokens: SimpleQueue[None] = SimpleQueue()
        self._turn: _Turn | None = None
        self._threads: list[ContextThread] = []

    @property
    def started(self) -> bool:
        return bool(self._threads)

    def add(self, queue: "Behind[Any]") -> None:
        """Before the start: take from this queue, too."""
        self._queues.append(queue)

    def start(self) -> None:
        """Start the thread, unless it runs."""
        if not self._threads:
            self._start_thread()

    def wake(self) -> None:
        """Say that an item was put."""
        self._tokens.put(None)

    def relieve(self) -> float | None:
        """Give the others a thread if one has had its turn for TURN_NS; seconds until then."""
        with self.changing:
            turn = self._turn
            own = None if turn is None else turn.queue
            if not any(one.awaits_turn and one is not own for one in self._queues):
                return None
            if turn is None:
                return self.TURN_NS / NS_PER_S
            left_ns = turn.since_ns + self.TURN_NS - now().monotonic_ns
            if left_ns > 0:
                return left_ns / NS_PER_S
            turn.queue.is_apart, self._turn = True, None
            self._threads[-1].name = turn.queue.name
        self._start_thread()
        return self.TURN_NS / NS_PER_S

    def join(self) -> None:
        """Wait for the threads to end, if nothing is put any more: it is at once."""
        if self._is_over():
            for one in self._threads:
                one.join()

    def _start_thread(self) -> None:
        # A daemon: who hangs keeps no process from its end.
        thread = ContextThread(target=self._run, name=self._name, daemon=True)
        self._threads = [*(one for one in self._threads if one.is_alive()), thread]
        thread.start()

    def _run(self) -> None:
        while not self._is_over():
            self._tokens.get()
            turn = self._begin_turn()
            if turn is None:
                continue
            turn.queue.take_in(turn.item)
            if not self._end_turn(turn):
                self._go_on_alone(turn.queue)
                return

    def _begin_turn(self) -> "_Turn | None":
        with self.changing:
            for queue in self._queues:
                if queue.awaits_turn:
                    self._queues.remove(queue)
                    self._queues.append(queue)
                    self._turn = _Turn(queue, queue.items.popleft(), now().monotonic_ns)
                    return self._turn
        return None

    def _end_turn(self, turn: "_Turn") -> bool:
        """Whether this thread still is that of the others."""
        with self.changing:
            if self._turn is not turn:
                return False
            self._turn = None
            return True

    def _go_on_alone(self, queue: "Behind[Any]") -> None:
        while queue.is_apart:
            with self.changing:
                queue.is_apart = bool(queue.items)
                item = queue.items.popleft() if queue.items else None
            if item is not None:
                queue.take_in(item)
        # It may have been the last one to end.
        self.wake()

    def _is_over(self) -> bool:
        with self.changing:
            return all(one.ended and not one.items for one in self._queues)


class _Job(Struct, frozen=True):
    """What the thread is to do between two items."""

    run: Callable[[], object]


class _Turn(Struct, eq=False):
    """One item that is being taken in, since when."""

    queue: "Behind[Any]"
    item: object
    since_ns: int


class Behind(Generic[ItemT]):
    """A bounded queue and who takes from it, in order. Who puts never waits.

    At WAITING_MAX the oldest item is left out and counted in `skipped`, and so is one whose taking
    raises. Any thread may read the counts. Without `turns` it has a thread of its own.
    """

    WAITING_MAX: ClassVar[int] = 1024

    def __init__(
        self, name: str, take: Callable[[ItemT], object], turns: Turns | None = None
    ) -> None:
        self.name = name
        self.skipped = 0
        self.items: deque[ItemT | _Job] = deque()
        # It has a thread to itself until it is up to date.
        self.is_apart = False
        self.ended = False
        self._take = take
        self._turns = turns or Turns(name)
        self._turns.add(self)
        self._taking: ItemT | None = None

    @property
    def waiting(self) -> int:
        """How many wait, with the one that is being taken."""
        return len(self.items) + (self._taking is not None)

    @property
    def awaits_turn(self) -> bool:
        """Whether the shared thread has to take from it."""
        return bool(self.items) and not self.is_apart

    def start(self) -> None:
        self._turns.start()

    def put(self, item: ItemT) -> None:
        """Append an item. To be called by one thread at a time."""
        self._append(item)

    def do(self, job: Callable[[], object]) -> None:
        """Run a job in the thread, behind everything put before; it is never left out."""
        self._append(_Job(job))

    def caught_up(self, timeout_s: float | None = None) -> bool:
        """Wait until what was put before is taken; whether it was within that time."""
        reached = threading.Event()
        if not self._turns.started or not self._append(_Job(reached.set)):
            return not self.waiting
        return self._wait_for(reached, timeout_s)

    def close(self, timeout_s: float) -> bool:
        """Take what waits, for so long, and end; whether all was taken. Nothing is put after."""
        done = threading.Event()

        def end() -> None:
            with self._turns.changing:
                self.ended = True
            done.set()

        if not self._turns.started or not self._append(_Job(end)):
            return not self.waiting
        ended = self._wait_for(done, timeout_s)
        if ended:
            self._turns.join()
        return ended

    def take_in(self, item: ItemT | _Job) -> None:
        """Take one item, or do a job, on the thread whose turn it is."""
        if not isinstance(item, _Job):
            self._take_item(item)
        if not self.items:
            self._idle()
        if isinstance(item, _Job):
            self._do_in_turn(item)

    def _wait_for(self, done: threading.Event, timeout_s: float | None) -> bool:
        """Wait for a job; meanwhile none that hangs keeps this one waiting."""
        left_s = timeout_s
        while not done.is_set() and (left_s is None or left_s > 0):
            step_s = min((one for one in (self._turns.relieve(), left_s) if one), default=None)
            done.wait(step_s)
            left_s = None if left_s is None or step_s is None else left_s - step_s
        return done.is_set()

    def _append(self, item: ItemT | _Job) -> bool:
        """Whether it will be taken or counted: not after the end."""
        with self._turns.changing:
            if self.ended:
                return False
            if len(self.items) >= self.WAITING_MAX and not isinstance(item, _Job):
                self._leave_out_oldest()
            self.items.append(item)
        self._turns.wake()
        return True

    def _leave_out_oldest(self) -> None:
        """Leave out the oldest item that is no job, if there is one."""
        for number, one in enumerate(self.items):
            if not isinstance(one, _Job):
                del self.items[number]
                self.skipped += 1
                return

    def _take_item(self, item: ItemT) -> None:
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

    def __init__(self, table: str, subscriber: Subscriber, turns: Turns | None = None) -> None:
        super().__init__(subscriber.name, subscriber.stored, turns)
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
