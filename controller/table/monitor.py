"""Checks something of the machine now and then in a thread of its own, and puts what is new."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar

from foundation.context_thread import ContextThread

InputT = TypeVar("InputT")


class MachineMonitor(ABC, Generic[InputT]):
    """Checks once at its start, then every INTERVAL_S seconds until it is stopped."""

    INTERVAL_S: ClassVar[float]

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    @abstractmethod
    def check(self, put: Callable[[InputT], object]) -> None:
        """Check once; put an input if it is new."""

    def start(self, put: Callable[[InputT], object]) -> None:
        """Check now, then in a thread until stop()."""
        self.check(put)
        self._thread = ContextThread(target=self._run, args=(put,), name=type(self).__name__)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()

    def join(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def _run(self, put: Callable[[InputT], object]) -> None:
        while not self._ended.wait(self.INTERVAL_S):
            self.check(put)
