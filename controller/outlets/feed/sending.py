"""What one connection sends: events in order, then the newest head, then answers to requests.

A bounded number of messages waits for acknowledgement; only what is acknowledged in one piece from
the beginning counts.
"""

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from controller.archive.consumers import FeedSettings
from controller.outlets.feed.backfill import Backfill, is_reply_topic
from controller.outlets.feed.events import CheckpointEvent
from controller.outlets.feed.heads import checkpoint_event
from controller.outlets.feed.mqtt import BrokerLink, FeedRequest
from controller.outlets.feed.outbox import Outbox, OutboxItem
from controller.outlets.feed.progress import NS_PER_S, FeedProgress
from controller.outlets.feed.signals import FeedSignals
from controller.outlets.feed.state import FeedState
from foundation.timestamp import Timestamp

_IDLE_S: Final = 5.0
_READ_PAUSE_NS: Final = 50_000_000
# A table that deals shares this process: reading takes at most a quarter of the time.
_REST_TIMES: Final = 3
# Between two heads, and between an answer and the next.
_PAUSE_NS: Final = NS_PER_S


class FeedSource(Struct, frozen=True):
    """What of a table its publishers need. `place` is pit and table as levels of a topic.

    `head_size` gives the size of the newest signed head of the evidence log.
    """

    table: str
    place: str
    journal: Path
    clock: Callable[[], Timestamp]
    head_size: Callable[[], int]

    @property
    def name(self) -> str:
        """The CloudEvents source."""
        return f"/smartshoe/{self.place}"


class KnownEvents:
    """Counts what is stored ahead of what is sent, so that the lag is known."""

    def __init__(self, outbox: Outbox, progress: FeedProgress) -> None:
        self._outbox = outbox
        self._progress = progress
        self._number = progress.known

    def count_on(self) -> None:
        """Count to the journal's end. Raises JournalError, EncodingError."""
        while items := self._outbox.read():
            for one in items:
                self._number += 1
                self._progress.know(self._number, one.made.utc_ns)

    def reached(self, state: FeedState, number: int) -> None:
        """Events up to there were read elsewhere."""
        if state.record > self._outbox.state.record:
            self._outbox.state, self._number = state, number


class _Waiting(Struct, frozen=True):
    """A message without its acknowledgement. `event` is the number of an event, 0 for others."""

    message: int
    event: int = 0
    utc_ns: int = 0
    after: FeedState | None = None


class Sending:
    """One connection's work, for the publisher's thread. `store` is called again and again."""

    def __init__(
        self,
        settings: FeedSettings,
        source: FeedSource,
        link: BrokerLink,
        outbox: Outbox,
        known: KnownEvents,
        progress: FeedProgress,
        backfill: Backfill,
        signals: FeedSignals,
        store: Callable[[], object],
    ) -> None:
        self._base = f"{settings.topic}/{source.place}"
        self._topic = settings.topic
        self._source = source
        self._link = link
        self._outbox = outbox
        self._known = known
        self._progress = progress
        self._backfill = backfill
        self._signals = signals
        self._store = store
        self._number = progress.kept_number
        self._read: deque[tuple[int, OutboxItem]] = deque()
        self._waiting: deque[_Waiting] = deque()
        self._acknowledged: set[int] = set()
        self._more = True
        self._read_due_ns = 0
        self._checkpoint = self._checkpoint_due_ns = 0
        self._reply: tuple[FeedRequest, Iterator[bytes]] | None = None
        self._reply_due_ns = 0

    def run(self) -> str:
        """Send until the connection is lost, or a stop has nothing left to send; why it ended.

        Raises BrokerUnavailable, JournalError, EncodingError, OSError.
        """
        while True:
            now_ns = self._now_ns()
            self._take_acknowledged(now_ns)
            if self._link.lost:
                return self._link.lost
            self._progress.settle(now_ns)
            self._read_on(now_ns)
            self._publish_events()
            self._publish_checkpoint(now_ns)
            if not (self._read or self._more):
                self._publish_reply(now_ns)
            self._store()
            if self._is_over(now_ns):
                return ""
            self._wait()

    # --- events -----------------------------------------------------------------------------------

    def _take_acknowledged(self, now_ns: int) -> None:
        """Go on over what is acknowledged from the beginning; later ones wait for those before."""
        while self._link.acknowledged:
            self._acknowledged.add(self._link.acknowledged.popleft())
        while self._waiting and self._waiting[0].message in self._acknowledged:
            one = self._waiting.popleft()
            self._acknowledged.discard(one.message)
            if one.event:
                self._progress.acknowledge(one.event, self._next_utc_ns(one.utc_ns))
            if one.after is not None:
                self._progress.keep(one.after, one.event, now_ns)

    def _next_utc_ns(self, newest_ns: int) -> int:
        """When the next event happened; if it is not read yet, not before the newest one."""
        waiting = next((one.utc_ns for one in self._waiting if one.event), 0)
        return waiting or (self._read[0][1].made.utc_ns if self._read else newest_ns)

    def _read_on(self, now_ns: int) -> None:
        """Read the next events once those before are sent; else count them."""
        if now_ns < self._read_due_ns:
            return
        woken = self._signals.take()
        if self._read:
            if woken:
                self._known.count_on()
                self._rest(now_ns)
            return
        if not (woken or self._more):
            return
        items = self._outbox.read()
        for one in items:
            self._number += 1
            self._progress.know(self._number, one.made.utc_ns)
            self._read.append((self._number, one))
        self._known.reached(self._outbox.state, self._number)
        self._more = bool(items)
        self._rest(now_ns)

    def _rest(self, began_ns: int) -> None:
        now_ns = self._now_ns()
        self._read_due_ns = now_ns + max(_READ_PAUSE_NS, _REST_TIMES * (now_ns - began_ns))

    def _publish_events(self) -> None:
        while self._read and len(self._waiting) < self._link.window:
            number, item = self._read.popleft()
            made = item.made
            topic = f"{self._topic}/{made.topic}"
            message = self._link.publish(topic, msgspec.json.encode(made.event))
            self._waiting.append(_Waiting(message, number, made.utc_ns, item.after))

    # --- heads and answers ------------------------------------------------------------------------

    def _publish_checkpoint(self, now_ns: int) -> None:
        """The newest head, kept by the broker for whoever comes; those between say no more."""
        size = self._source.head_size()
        if size <= self._checkpoint or len(self._waiting) >= self._link.window:
            return
        if now_ns < self._checkpoint_due_ns:
            return
        source = self._source
        event = checkpoint_event(source.journal, source.name, size, source.clock())
        if event is not None:
            topic = f"{self._base}/{CheckpointEvent.kind}"
            self._waiting.append(_Waiting(self._link.publish(topic, event, retain=True)))
            self._checkpoint, self._checkpoint_due_ns = size, now_ns + _PAUSE_NS

    def _publish_reply(self, now_ns: int) -> None:
        """Events that were asked for, in what room those of the table leave."""
        if self._reply is None:
            if now_ns < self._reply_due_ns or not self._link.requests:
                return
            request = self._link.requests.popleft()
            if not is_reply_topic(self._base, request.reply_to):
                return
            self._reply = request, self._backfill.answer(request.data, self._source.clock())
        request, events = self._reply
        while len(self._waiting) < self._link.window:
            event = next(events, None)
            if event is None:
                self._reply = None
                self._reply_due_ns = self._now_ns() + _PAUSE_NS
                return
            message = self._link.publish(request.reply_to, event, correlation=request.correlation)
            self._waiting.append(_Waiting(message))

    # --- waiting ----------------------------------------------------------------------------------

    def _is_over(self, now_ns: int) -> bool:
        stop_ns = self._signals.stop_ns
        if stop_ns is None:
            return False
        left = self._read or self._waiting or self._more or self._signals.woken
        return now_ns >= stop_ns or not left

    def _wait(self) -> None:
        now_ns = self._now_ns()
        until_ns = now_ns + int(_IDLE_S * NS_PER_S)
        stop_ns, link, signals = self._signals.stop_ns, self._link, self._signals
        to_read = self._more and not self._read
        if to_read or signals.woken:
            until_ns = min(until_ns, max(now_ns, self._read_due_ns))
        if link.requests or self._reply is not None:
            until_ns = min(until_ns, max(now_ns, self._reply_due_ns))
        if stop_ns is not None:
            until_ns = min(until_ns, stop_ns)
        woken, requests = signals.woken, len(link.requests)

        def ready() -> bool:
            return bool(
                link.acknowledged
                or link.lost
                or signals.stop_ns != stop_ns
                or signals.woken != woken
                or len(link.requests) != requests
            )

        signals.wait(ready, (until_ns - now_ns) / NS_PER_S)

    def _now_ns(self) -> int:
        return self._source.clock().monotonic_ns
