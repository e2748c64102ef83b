"""Stops tables in order when the machine's power fails, by SIGPWR or by a line.

Source: signal(7).
"""
# ruff: noqa: PLC0415 - lines of a chip are loaded only where a table watches one.

import logging
import threading
from collections.abc import Sequence

from controller.core.tape.inputs import PowerFailing, PowerSign
from controller.service.config.table_config import PowerSettings
from controller.table.table import Table
from firmware_bridge.gpio.line import GpioLine
from foundation.context_thread import ContextThread
from foundation.timestamp import Timestamp

LOG = logging.getLogger("smartshoe.power")


class PowerFail:
    """Notes the first sign, which becomes the last input of the run, and stops the table.

    `fails` may be called from any thread.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._sign: PowerSign | None = None
        table.attach_last_inputs(self._last_inputs)

    def fails(self, sign: PowerSign) -> None:
        """The power fails; returns at once. Later signs change nothing."""
        if self._sign is None:
            self._sign = sign
            LOG.warning(
                "table %s: the power fails (by %s): the table stores what waits and ends",
                self._table.name,
                sign,
            )
            self._table.stop_at_once()

    def _last_inputs(self, at: Timestamp) -> Sequence[PowerFailing]:
        return () if self._sign is None else (PowerFailing(at, self._sign),)


class PowerLines:
    """Watches each line once, for all tables of this process that name it. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: dict[GpioLine, _WatchedLine] = {}

    def watch(self, settings: PowerSettings, power: PowerFail) -> None:
        """Report the failure of this line to a table. Raises GpioUnavailable."""
        with self._lock:
            watched = self._watched.get(settings.line)
            if watched is None:
                self._watched[settings.line] = _WatchedLine(settings, power)
                return
            if watched.settings != settings:
                from firmware_bridge.gpio.chip import GpioUnavailable

                raise GpioUnavailable(
                    f"power.line: another table names {settings.line}, with another level."
                    " Remedy: write the same active_low in both"
                )
            watched.tables = (*watched.tables, power)
            if watched.failed:
                power.fails(PowerSign.LINE)

    def leave(self, power: PowerFail) -> None:
        """Report nothing more to this table; a line that no table needs is given back."""
        with self._lock:
            for line, watched in list(self._watched.items()):
                watched.tables = tuple(one for one in watched.tables if one is not power)
                if not watched.tables:
                    del self._watched[line]
                    watched.close()


class _WatchedLine:
    """One line, watched in a thread of its own. `tables` may be replaced meanwhile."""

    def __init__(self, settings: PowerSettings, power: PowerFail) -> None:
        """Request the line and watch it. Raises GpioUnavailable."""
        from firmware_bridge.gpio.chip import GpioInput

        self.settings = settings
        self.tables: tuple[PowerFail, ...] = (power,)
        self.failed = False
        self._line = GpioInput(settings.line, "smartshoe", active_low=settings.active_low)
        self._ended = threading.Event()
        self._thread = ContextThread(target=self._watch, name="power line")
        self._thread.start()

    def close(self) -> None:
        """Watch it no more, and give it back."""
        self._ended.set()
        self._thread.join()
        self._line.close()

    def _watch(self) -> None:
        try:
            if self._line.wait(self._ended):
                self.failed = True
                for one in self.tables:
                    one.fails(PowerSign.LINE)
        except OSError as error:
            LOG.error(  # noqa: TRY400 - the sentence says all, a traceback nothing
                "the line of [power] cannot be read: %s; a power failure is not noticed any more."
                " Remedy: see to the chip, and start the table again between shoes",
                error.strerror,
            )
