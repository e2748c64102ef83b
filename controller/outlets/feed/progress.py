"""How far a consumer is: what it has, what is safely kept by its broker, what it lacks."""

from collections import deque
from typing import Final

from msgspec import Struct

from controller.outlets.feed.state import FeedState

NS_PER_S: Final = 1_000_000_000
# The time within which a broker saves is watched in so many steps.
_STEPS: Final = 64


class FeedStatus(Struct, frozen=True):
    """One consumer as metrics show it.

    `lag_events` are stored and not acknowledged, `lag_seconds` is the age of the oldest of them;
    `sent` counts acknowledged events since the start, those sent again, too.
    """

    consumer: str
    connected: bool = False
    lag_events: int = 0
    lag_seconds: float = 0.0
    sent: int = 0


# An event that was acknowledged, sent again and acknowledged, connection after connection, is kept
# once the broker has answered for so many of its times to save.
_TIMES_AT_MOST: Final = 4


class _Kept(Struct):
    """Everything up to `state`, event number `number`, was acknowledged by `until_ns`."""

    since_ns: int
    until_ns: int
    state: FeedState
    number: int


class FeedProgress:
    """The numbers of events since the start: read, known to be stored, acknowledged, kept.

    `kept` is the state from which all is sent again when the connection is lost: what was
    acknowledged before a broker's time to save had passed, it may have forgotten. Where connections
    are shorter than that time, what is sent again stays bounded all the same.
    """

    def __init__(self, begin: FeedState, saves_s: int) -> None:
        self.kept = begin
        self.kept_number = 0
        self.known = 0
        self.acknowledged = 0
        self.sent = 0
        # When the oldest event that is not acknowledged happened; 0 without one.
        self.oldest_ns = 0
        self._saves_ns = saves_s * NS_PER_S
        self._unsure: deque[_Kept] = deque()
        # The same by the first acknowledgement, and by the time that there was a connection.
        self._first: deque[_Kept] = deque()
        self._connected_ns = 0
        self._answered_ns = 0

    @property
    def lag(self) -> int:
        """How many events are stored and not acknowledged."""
        return max(0, self.known - self.acknowledged)

    def know(self, number: int, utc_ns: int) -> None:
        """Event `number`, which happened then, is stored."""
        if number > self.known:
            if not self.lag:
                self.oldest_ns = utc_ns
            self.known = number

    def acknowledge(self, number: int, next_ns: int) -> None:
        """Event `number` is acknowledged; the one after it happened at `next_ns`."""
        self.sent += 1
        if number > self.acknowledged:
            self.acknowledged = number
            self.oldest_ns = next_ns if self.lag else 0

    def keep(self, state: FeedState, number: int, now_ns: int) -> None:
        """All up to that state is acknowledged; `now_ns` is monotonic."""
        self.settle(now_ns)
        self._note(self._unsure, now_ns, state, number)
        if number > (self._first[-1].number if self._first else self.kept_number):
            self._note(self._first, self._connected_ns, state, number)
        self.settle(now_ns)

    def _note(self, marks: deque[_Kept], at_ns: int, state: FeedState, number: int) -> None:
        last = marks[-1] if marks else None
        if last is not None and at_ns - last.since_ns < self._saves_ns // _STEPS:
            last.until_ns, last.state, last.number = at_ns, state, number
        else:
            marks.append(_Kept(at_ns, at_ns, state, number))

    def settle(self, now_ns: int) -> None:
        """The broker answers at `now_ns`: it has saved what it got long enough before."""
        if self._answered_ns:
            self._connected_ns += now_ns - self._answered_ns
        self._answered_ns = now_ns
        self._take(self._unsure, now_ns - self._saves_ns)
        self._take(self._first, self._connected_ns - _TIMES_AT_MOST * self._saves_ns)

    def _take(self, marks: deque[_Kept], until_ns: int) -> None:
        while marks and marks[0].until_ns <= until_ns:
            kept = marks.popleft()
            if kept.number > self.kept_number:
                self.kept, self.kept_number = kept.state, kept.number

    def lose(self) -> None:
        """The connection is lost: what is not kept may be forgotten."""
        self._unsure.clear()
        self._answered_ns = 0
