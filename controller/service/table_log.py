"""The log of a running table: what was stored, in words, and lines that keep nobody waiting."""

import logging
from typing import ClassVar

from controller.core.settings import Settings
from controller.core.state import Stored
from controller.service.device_log import (
    HostLog,
    log_batches,
    log_faults,
    log_identities,
    log_warnings,
)
from controller.service.irregularity_log import IrregularityLog
from controller.table.line_limit import LineLimit
from controller.table.subscribers import Behind


class TableLog:
    """Logs what was stored of batches, devices, the machine and irregularities."""

    name: ClassVar[str] = "log"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._host = HostLog()
        self._irregularities = IrregularityLog()

    def stored(self, stored: Stored) -> None:
        log_batches(stored)
        log_identities(self._settings, stored)
        log_faults(self._settings, stored)
        log_warnings(stored)
        self._host.stored(stored)
        self._irregularities.stored(stored)


class LinesBehind(logging.Handler):
    """Passes lines on to another handler behind a limit and a bounded queue.

    A terminal or service manager that reads no more keeps no port and no table waiting.
    """

    END_S: ClassVar[float] = 0.25

    def __init__(self, handler: logging.Handler) -> None:
        super().__init__()
        self._lines = Behind[logging.LogRecord]("log lines", handler.handle)
        self._lines.start()
        self._limit = LineLimit(self._lines.put)

    def emit(self, record: logging.LogRecord) -> None:
        self._limit.take(record)

    def flush(self) -> None:
        """Write what waits, for END_S at most."""
        self._lines.caught_up(self.END_S)

    def close(self) -> None:
        self._limit.close()
        self._lines.close(self.END_S)
        super().close()
