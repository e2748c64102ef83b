"""Stops the table in order when the machine's power fails, by SIGPWR or by a line.

Source: controller/table/README.md, "Power fail"; signal(7).
"""

import logging
import threading
from collections.abc import Sequence

from controller.config.machine_sections import PowerSettings
from controller.table.table import Table
from controller.tape.inputs import PowerFailing, PowerSign
from firmware_bridge.gpio.chip import GpioInput
from firmware_bridge.timestamp import Timestamp

LOG = logging.getLogger("smartshoe.power")


class PowerFail:
    """Notes the first sign, which becomes the last input of the run, and stops the table.

    A line is watched in a thread of its own from start() to stop(); `fails` may be called from any.
    """

    def __init__(self, table: Table, settings: PowerSettings | None) -> None:
        """Request the line, if there is one. Raises GpioUnavailable."""
        self._table = table
        self._sign: PowerSign | None = None
        self._line: GpioInput | None = None
        if settings is not None:
            consumer = f"smartshoe {table.name}"
            self._line = GpioInput(settings.line, consumer, active_low=settings.active_low)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="power line")
        table.attach_last_inputs(self._last_inputs)

    def start(self) -> None:
        """Watch the line from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Watch it no more, and give it back."""
        self._ended.set()
        self._thread.join()
        if self._line is not None:
            self._line.close()

    def fails(self, sign: PowerSign) -> None:
        """The power fails; returns at once. Later signs change nothing."""
        if self._sign is None:
            self._sign = sign
            LOG.warning("the power fails (by %s): the table stores what waits and ends", sign)
            self._table.stop_at_once()

    def _last_inputs(self, at: Timestamp) -> Sequence[PowerFailing]:
        return () if self._sign is None else (PowerFailing(at, self._sign),)

    def _watch(self) -> None:
        try:
            if self._line is not None and self._line.wait(self._ended):
                self.fails(PowerSign.LINE)
        except OSError as error:
            LOG.error(  # noqa: TRY400 - the sentence says all, a traceback nothing
                "the line of [power] cannot be read: %s; a power failure is not noticed any more."
                " Remedy: see to the chip, and start the table again between shoes",
                error.strerror,
            )
