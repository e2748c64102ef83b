"""Drives stack light and exit lock from what is stored, and lets go of them at the end."""

import logging
from collections.abc import Mapping
from typing import ClassVar, Protocol

from controller.core.state import Stored
from controller.record.signals import Signals, signals_of
from controller.service.config.table_config import OutputSettings
from firmware_bridge.gpio.chip import GpioOutputs
from firmware_bridge.gpio.line import GpioLine

LOG = logging.getLogger("smartshoe.signals")


class Lines(Protocol):
    """Output lines: every level at once, True for high. `set` raises OSError."""

    def set(self, levels: Mapping[GpioLine, bool]) -> None: ...

    def close(self) -> None: ...


class SignalLines:
    """Follows what one table has stored: a subscriber of it.

    A line that cannot be set stops nothing: the shoe's own lock is commanded besides. It is tried
    again with the next transaction.
    """

    name: ClassVar[str] = "stack light and exit lock"

    def __init__(self, settings: OutputSettings, lines: Lines) -> None:
        self._settings = settings
        self._lines = lines
        self._shown: Signals | None = None
        self._failed = False

    def stored(self, stored: Stored) -> None:
        """Show the state that was stored; the first transaction of a run sets every line."""
        wanted = signals_of(stored.book, stored.state)
        if wanted != self._shown and self._set(levels(self._settings, wanted)):
            self._shown = wanted

    def close(self) -> None:
        """Set every line low, as it is without power, and give the lines back."""
        self._set(dict.fromkeys(self._settings.lines, False))
        self._lines.close()

    def _set(self, wanted: Mapping[GpioLine, bool]) -> bool:
        try:
            self._lines.set(wanted)
        except OSError as error:
            if not self._failed:
                names = ", ".join(map(str, wanted))
                LOG.error(  # noqa: TRY400 - the sentence says all, a traceback nothing
                    "lines %s cannot be set: %s; stack light and exit lock may show an earlier"
                    " state. Remedy: see to the chip",
                    *(names, error.strerror),
                )
            self._failed = True
            return False
        self._failed = False
        return True


def signal_lines_of(settings: OutputSettings | None, table_name: str) -> SignalLines | None:
    """The lines that the configuration names; None without any. Raises GpioUnavailable."""
    if settings is None:
        return None
    return SignalLines(settings, GpioOutputs(settings.lines, f"smartshoe {table_name}"))


def levels(settings: OutputSettings, wanted: Signals) -> dict[GpioLine, bool]:
    """The level of every line, True for high."""
    found = {line: light is wanted.light for light, line in settings.lamps.items()}
    if settings.exit_lock is not None:
        found[settings.exit_lock] = wanted.exit_locked is settings.closed_high
    return found
