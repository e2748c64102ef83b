"""Hands a line for each finished coup, irregularity and decision to video recorders.

A recorder's picture is of now: what is late, or of the time before somebody listened, is not said.
"""

from typing import ClassVar

from controller.core.state import Stored
from controller.outlets.overlay.line_text import LineForm, lines_of
from controller.system.line_output import LineOutput, LineOutputSettings


class Overlay:
    """A subscriber of one table, and the TCP output of its lines."""

    name: ClassVar[str] = "overlay"

    def __init__(self, table: str, settings: LineOutputSettings, form: LineForm) -> None:
        self._table = table
        self._form = form
        self._output = LineOutput(settings)

    def start(self) -> str:
        """Listen and connect; where, in words. Raises LinesUnavailable."""
        return self._output.start()

    def stored(self, stored: Stored) -> None:
        """Say what the transaction concluded."""
        for text in lines_of(self._table, stored):
            self._output.say(self._form.encode(text))

    def close(self) -> None:
        """End the output."""
        self._output.stop()
