"""A TCP server on this machine that serves one client at a time on a thread.

Not: a device with a protocol (hil.serve).
"""

import contextlib
import socket
from abc import ABC, abstractmethod
from threading import Event, Thread
from types import TracebackType
from typing import Self

LOOPBACK = "127.0.0.1"
POLL_S = 0.1


class LoopbackServer(ABC):
    """Use as a context manager; clients find it at `url`. `_ended` is set when the block ends."""

    def __init__(self, name: str) -> None:
        self._ended = Event()
        self._listener = socket.create_server((LOOPBACK, 0))
        self._listener.settimeout(POLL_S)
        self.url = f"socket://{LOOPBACK}:{self._listener.getsockname()[1]}"
        self._thread = Thread(target=self._run, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(TimeoutError):
                client, _ = self._listener.accept()
                with client:
                    self._serve(client)

    @abstractmethod
    def _serve(self, client: socket.socket) -> None:
        """Serve one client until it is gone or the server has ended."""
