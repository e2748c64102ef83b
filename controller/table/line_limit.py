"""Limits the lines of the log: a flood of a kind is one line a second with the number left out."""

import logging
import threading
from collections.abc import Callable
from typing import ClassVar, Final, TypeAlias

from msgspec import Struct

from firmware_bridge.transport.clock import now
from foundation.context_thread import ContextThread
from foundation.timestamp import Timestamp

_NS_PER_S: Final = 1_000_000_000
# What a person asked for in full: log_level_wire.
_WHOLE: Final = "smartshoe.wire"
# Table, logger and level: a flood of one kind hides no line of another.
_Kind: TypeAlias = tuple[str, str, int]


class _Allowance(Struct):
    """How many lines of a kind may pass, in ns; the newest that did not, and how many."""

    left_ns: int
    at_ns: int
    left_out: int = 0
    newest: logging.LogRecord | None = None


class LineLimit:
    """Passes lines on from any thread: of each kind BURST at once, then one a second."""

    BURST: ClassVar[int] = 100

    def __init__(
        self, pass_on: Callable[[logging.LogRecord], object], clock: Callable[[], Timestamp] = now
    ) -> None:
        self._pass_on = pass_on
        self._clock = clock
        self._lock = threading.Lock()
        self._allowed: dict[_Kind, _Allowance] = {}
        self._waiting: ContextThread | None = None
        self._ended = threading.Event()

    def take(self, record: logging.LogRecord) -> None:
        """Pass a line on, or count it."""
        if record.name.startswith(_WHOLE):
            self._pass_on(record)
            return
        kind = (getattr(record, "table", ""), record.name, record.levelno)
        with self._lock:
            allowed = self._allowance(kind)
            if allowed.left_ns >= _NS_PER_S and not allowed.left_out:
                allowed.left_ns -= _NS_PER_S
                self._pass_on(record)
                return
            allowed.left_out, allowed.newest = allowed.left_out + 1, record
            if self._waiting is None and not self._ended.is_set():
                self._waiting = ContextThread(
                    target=self._say_later, name="log line limit", daemon=True
                )
                self._waiting.start()

    def say_left_out(self) -> None:
        """Say of each kind how many lines were left out since the last time."""
        with self._lock:
            self._waiting = None
            for kind in self._allowed:
                self._say(self._allowance(kind))

    def close(self) -> None:
        """Say what is left out, and begin no more waits."""
        self._ended.set()
        with self._lock:
            waiting = self._waiting
        if waiting is not None:
            waiting.join()
        self.say_left_out()

    def _say_later(self) -> None:
        self._ended.wait(1.0)
        self.say_left_out()

    def _allowance(self, kind: _Kind) -> _Allowance:
        now_ns, most = self._clock().monotonic_ns, self.BURST * _NS_PER_S
        allowed = self._allowed.setdefault(kind, _Allowance(most, now_ns))
        allowed.left_ns = min(most, allowed.left_ns + now_ns - allowed.at_ns)
        allowed.at_ns = now_ns
        return allowed

    def _say(self, allowed: _Allowance) -> None:
        record = allowed.newest
        if record is None:
            return
        words = f"and {allowed.left_out:,} more"
        said = {**record.__dict__, "msg": words, "args": None, "exc_info": None, "exc_text": None}
        self._pass_on(logging.makeLogRecord(said))
        allowed.left_ns = max(0, allowed.left_ns - _NS_PER_S)
        allowed.left_out, allowed.newest = 0, None
