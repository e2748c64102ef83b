"""Publishes one table's events to one consumer's broker, from the journal, on a thread of its own.

It is woken by what is stored and waits for nothing else of the table; nothing waits for it.
"""

import logging
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from controller.archive.consumers import FeedCursor, FeedSettings, load_cursor, store_cursor
from controller.journal.encoding import EncodingError
from controller.journal.values import JournalError
from controller.outlets.feed.backfill import Backfill, request_topic
from controller.outlets.feed.mqtt import BrokerLink, BrokerUnavailable
from controller.outlets.feed.outbox import Outbox, feed_start
from controller.outlets.feed.progress import NS_PER_S, FeedProgress, FeedStatus
from controller.outlets.feed.sending import FeedSource, KnownEvents, Sending
from controller.outlets.feed.signals import FeedSignals
from controller.outlets.feed.state import level
from controller.rules.profiles.load import load_clauses
from controller.system.atomic_file import SmallFileError
from controller.system.fault_text import describe_fault, traceback_text
from foundation.context_thread import ContextThread

LOG: Final = logging.getLogger("smartshoe.feed")
BACK_OFF_S_MIN: Final = 1.0
BACK_OFF_S_MAX: Final = 60.0
# Each write of a cursor costs the disk a few pages; sending again what it lacks costs less.
CURSOR_EVERY_NS: Final = 60 * NS_PER_S
# Between the half and the whole of a back-off there are so many steps.
_SPREAD: Final = 512
_NOT_READ: Final = "the journal could not be read. Run `smartshoe verify`"
_UNREADABLE: Final = (JournalError, EncodingError, OSError)


def back_off_s(client_id: str, attempt: int) -> float:
    """The wait before attempt `attempt` + 1: between half and the whole of a time that doubles.

    It differs from table to table, so that a floor does not come back at one moment.
    """
    longest = min(BACK_OFF_S_MAX, BACK_OFF_S_MIN * float(1 << min(attempt, 16)))
    digest = sha256(f"{client_id} {attempt}".encode()).digest()
    return longest * (0.5 + digest[0] / _SPREAD)


class Publisher:
    """One consumer of one table. `wake`, `status` and `stop` are for any thread."""

    def __init__(
        self,
        settings: FeedSettings,
        source: FeedSource,
        back_off: Callable[[str, int], float] = back_off_s,
    ) -> None:
        self._settings = settings
        self._source = source
        self._back_off_s = back_off
        self._client_id = f"smartshoe-{level(source.table)}-{settings.name}"
        self._clauses = load_clauses()
        self._signals = FeedSignals()
        self._said = ""
        self._link: BrokerLink | None = None
        self._progress: FeedProgress | None = None
        self._stored: FeedCursor | None = None
        self._store_due_ns = 0
        self._thread = ContextThread(target=self._run, name=f"feed {settings.name}", daemon=True)

    @property
    def status(self) -> FeedStatus:
        """What metrics show."""
        progress, link = self._progress, self._link
        if progress is None:
            return FeedStatus(self._settings.name)
        age_ns = self._source.clock().utc_ns - progress.oldest_ns if progress.oldest_ns else 0
        return FeedStatus(
            consumer=self._settings.name,
            connected=link is not None and not link.lost,
            lag_events=progress.lag,
            lag_seconds=max(0.0, age_ns / NS_PER_S),
            sent=progress.sent,
        )

    def start(self) -> None:
        """Begin; returns at once, whether there is a broker or not."""
        self._thread.start()

    def wake(self) -> None:
        """Something was stored."""
        self._signals.wake()

    def stop(self, grace_s: float) -> None:
        """Send what is stored, for so long, and end; returns at once."""
        self._signals.stop(self._now_ns() + int(grace_s * NS_PER_S))

    def join(self, timeout_s: float) -> None:
        """Wait for the end."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)

    # --- the thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        attempt = 0
        while (progress := self._try_to_begin()) is None and not self._signals.stopping:
            attempt += 1
            self._signals.wait(lambda: self._signals.stopping, self._wait_s(attempt))
        if progress is None:
            return
        self._progress = progress
        known = KnownEvents(self._outbox(progress), progress)
        attempt = 0
        while not self._signals.stopping:
            before = progress.sent
            problem = self._connect_and_send(progress, known)
            progress.lose()
            self._store_cursor(progress)
            attempt = 0 if progress.sent > before else attempt + 1
            if not self._signals.stopping:
                self._say(f"not connected to {self._broker}: {problem}; tried again and again")
                self._wait(known, self._wait_s(attempt))

    def _try_to_begin(self) -> FeedProgress | None:
        try:
            return self._begin()
        except _UNREADABLE:
            self._say(f"{_NOT_READ}; nothing is sent before")
        except Exception as error:  # noqa: BLE001  # where errors of the feed surface
            self._say_fault(error)
        return None

    def _begin(self) -> FeedProgress:
        """Where to go on, by the cursor. Raises JournalError, EncodingError, OSError."""
        settings, journal = self._settings, self._source.journal
        cursor = None
        try:
            cursor = load_cursor(journal, settings.name)
        except JournalError as error:
            LOG.warning("feed %s: %s", settings.name, error)
        start = feed_start(journal, cursor, settings.begin, settings.content, self._clauses)
        if start.lost:
            LOG.error("feed %s: %s", settings.name, start.lost)
        progress = FeedProgress(start.state, settings.broker_saves_s)
        # At once: from now on a prune leaves what this consumer has not got.
        self._store_cursor(progress)
        return progress

    def _connect_and_send(self, progress: FeedProgress, known: KnownEvents) -> str:
        """One connection; why it ended."""
        settings, source = self._settings, self._source
        try:
            link = BrokerLink(settings, self._client_id, self._signals.heard)
            link.open(self._request_topic)
        except BrokerUnavailable as error:
            return str(error)
        self._link = link
        self._said = ""
        LOG.info("feed %s: connected to %s", settings.name, self._broker)
        backfill = Backfill(source.journal, settings.content, self._clauses, source.name)
        sending = Sending(
            settings=settings,
            source=source,
            link=link,
            outbox=self._outbox(progress),
            known=known,
            progress=progress,
            backfill=backfill,
            signals=self._signals,
            store=lambda: self._store_if_due(progress),
        )
        try:
            return sending.run()
        except BrokerUnavailable as error:
            return str(error)
        except _UNREADABLE:
            return _NOT_READ
        except Exception as error:  # noqa: BLE001  # where errors of the feed surface
            self._say_fault(error)
            return "an error of the program"
        finally:
            link.close()

    def _wait(self, known: KnownEvents, for_s: float) -> None:
        """Wait before the next attempt, and count what is stored meanwhile."""
        signals = self._signals
        until_ns = self._now_ns() + int(for_s * NS_PER_S)
        while not signals.stopping and (left_ns := until_ns - self._now_ns()) > 0:
            if signals.take():
                try:
                    known.count_on()
                except _UNREADABLE:
                    self._say(_NOT_READ)
            signals.wait(lambda: signals.stopping or signals.woken, left_ns / NS_PER_S)
        # What was counted is still to be read.
        signals.wake()

    # --- parts ------------------------------------------------------------------------------------

    @property
    def _broker(self) -> str:
        return f"{self._settings.host}:{self._settings.port}"

    @property
    def _request_topic(self) -> str:
        if not self._settings.backfill:
            return ""
        return request_topic(f"{self._settings.topic}/{self._source.place}")

    def _say(self, problem: str) -> None:
        """Log a problem once, and again when there is another."""
        if problem != self._said:
            LOG.warning("feed %s: %s", self._settings.name, problem)
            self._said = problem

    def _say_fault(self, error: Exception) -> None:
        # Not the error's own message: it may name a card.
        fault, trace = describe_fault(error), traceback_text(error.__traceback__)
        LOG.error("feed %s: %s\n%s", self._settings.name, fault, trace)

    def _wait_s(self, attempt: int) -> float:
        return self._back_off_s(self._client_id, attempt)

    def _outbox(self, progress: FeedProgress) -> Outbox:
        content = self._settings.content
        return Outbox(self._source.journal, content, self._clauses, progress.kept)

    def _now_ns(self) -> int:
        return self._source.clock().monotonic_ns

    def _store_if_due(self, progress: FeedProgress) -> None:
        if self._now_ns() >= self._store_due_ns:
            self._store_cursor(progress)

    def _store_cursor(self, progress: FeedProgress) -> None:
        kept = progress.kept
        cursor = FeedCursor(kept.record, kept.mark, kept.base, kept.before)
        self._store_due_ns = self._now_ns() + CURSOR_EVERY_NS
        if cursor == self._stored:
            return
        try:
            store_cursor(self._source.journal, self._settings.name, cursor)
        except SmallFileError as error:
            self._say(str(error))
            return
        self._stored = cursor
