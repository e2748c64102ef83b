"""What wakes a publisher: something stored, something heard from the broker, a stop."""

import threading
from collections.abc import Callable


class FeedSignals:
    """For any thread. `woken` until it is taken; `stop_ns` is the monotonic end of a stop."""

    def __init__(self) -> None:
        self.woken = True
        self.stop_ns: int | None = None
        self._changed = threading.Condition()

    @property
    def stopping(self) -> bool:
        return self.stop_ns is not None

    def wake(self) -> None:
        """Something was stored."""
        with self._changed:
            self.woken = True
            self._changed.notify_all()

    def heard(self) -> None:
        """The connection has changed."""
        with self._changed:
            self._changed.notify_all()

    def stop(self, until_ns: int) -> None:
        """Send what is stored until that time, and end."""
        with self._changed:
            self.stop_ns, self.woken = until_ns, True
            self._changed.notify_all()

    def take(self) -> bool:
        """Whether something was stored since the last call."""
        with self._changed:
            woken, self.woken = self.woken, False
            return woken

    def wait(self, ready: Callable[[], bool], timeout_s: float) -> None:
        """Wait until that holds, which only these signals change, or the time is over."""
        with self._changed:
            self._changed.wait_for(ready, max(0.0, timeout_s))
