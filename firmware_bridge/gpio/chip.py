"""Drives and reads lines of GPIO chips; the only importer of `gpiod`.

Source: Linux Documentation/userspace-api/gpio/chardev.rst.
"""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import gpiod
from gpiod.line import Direction, Edge, Value

from firmware_bridge.gpio.line import GpioLine


class GpioUnavailable(Exception):
    """A line cannot be used; the message says which, why and what to do."""


class GpioOutputs:
    """Output lines. The first `set` makes them outputs: until then each keeps its level."""

    def __init__(self, lines: Sequence[GpioLine], consumer: str) -> None:
        """Request the lines, which belong to this program from now on. Raises GpioUnavailable."""
        self._requests: dict[Path, gpiod.LineRequest] = {}
        try:
            for chip in dict.fromkeys(one.chip for one in lines):
                offsets = [one.offset for one in lines if one.chip == chip]
                self._requests[chip] = _request(chip, consumer, offsets, gpiod.LineSettings())
        except GpioUnavailable:
            self.close()
            raise

    def set(self, levels: Mapping[GpioLine, bool]) -> None:
        """Set every line, True for high. Raises OSError, as when the chip is gone."""
        for chip, request in self._requests.items():
            request.reconfigure_lines(
                {
                    line.offset: gpiod.LineSettings(
                        direction=Direction.OUTPUT, output_value=_value(high)
                    )
                    for line, high in levels.items()
                    if line.chip == chip
                }
            )

    def close(self) -> None:
        """Give the lines back; most chips keep their levels."""
        for request in self._requests.values():
            request.release()
        self._requests = {}


class GpioInput:
    """One input line, watched for the level that means yes."""

    # Ends are noticed as fast as this; an edge is noticed at once.
    _POLL_S: ClassVar[float] = 0.5

    def __init__(self, line: GpioLine, consumer: str, *, active_low: bool) -> None:
        """Request the line. Raises GpioUnavailable."""
        settings = gpiod.LineSettings(
            direction=Direction.INPUT, edge_detection=Edge.RISING, active_low=active_low
        )
        self._offset = line.offset
        self._request = _request(line.chip, consumer, (line.offset,), settings)

    def wait(self, ended: threading.Event) -> bool:
        """Wait until the line is active; False where `ended` came first. Raises OSError."""
        while not ended.is_set():
            if self._request.get_value(self._offset) is Value.ACTIVE:
                return True
            if self._request.wait_edge_events(self._POLL_S):
                # A pulse that is over already counts: the edge is the message.
                self._request.read_edge_events()
                return True
        return False

    def close(self) -> None:
        """Give the line back."""
        self._request.release()


def _request(
    chip: Path, consumer: str, offsets: Sequence[int], settings: gpiod.LineSettings
) -> gpiod.LineRequest:
    try:
        return gpiod.request_lines(str(chip), {tuple(offsets): settings}, consumer)
    except (OSError, ValueError) as error:
        numbers = ", ".join(map(str, offsets))
        why = getattr(error, "strerror", None) or str(error)
        raise GpioUnavailable(
            f"{chip}: line {numbers}: {why}. Allowed: a line that nothing else uses, of a chip that"
            " this account may open. Remedy: `gpioinfo` lists them, and a rule of udev gives the"
            " account its chip (deploy/70-smartshoe.rules)"
        ) from error


def _value(high: bool) -> Value:
    return Value.ACTIVE if high else Value.INACTIVE
