"""Drives and reads lines of GPIO chips; the only importer of `gpiod`.

Source: Linux Documentation/userspace-api/gpio/chardev.rst.
"""

import errno
import threading
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

import gpiod
from gpiod import EdgeEvent
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


class GpioContacts:
    """Input lines of one chip: each change of a level in order; the kernel drops bounces.

    `known` are the levels as last given, True for high; empty before the first.
    """

    # Longer than a switch bounces, shorter than any lamp or lid moves.
    _DEBOUNCE: ClassVar[timedelta] = timedelta(milliseconds=20)

    def __init__(self, lines: Sequence[GpioLine], consumer: str) -> None:
        """Request the lines. Raises GpioUnavailable."""
        self._offsets = [one.offset for one in lines]
        settings = gpiod.LineSettings(
            direction=Direction.INPUT, edge_detection=Edge.BOTH, debounce_period=self._DEBOUNCE
        )
        self._request = _request(lines[0].chip, consumer, self._offsets, settings)
        self._seen = 0
        self.known: tuple[bool, ...] = ()

    @property
    def fd(self) -> int:
        """The descriptor that becomes readable with a change."""
        return self._request.fd

    def levels(self) -> tuple[bool, ...]:
        """The levels now. Raises OSError, as when the chip is gone."""
        values = self._request.get_values(self._offsets)
        self.known = tuple(one is Value.ACTIVE for one in values)
        return self.known

    def changes(self) -> tuple[tuple[bool, ...], ...]:
        """The levels after each change that waits, in order.

        Raises OSError, as when the chip is gone or the kernel dropped changes.
        """
        assert self.known, "the levels come first"
        levels, found = list(self.known), []
        for event in self._request.read_edge_events():
            if event.global_seqno != self._seen + 1:
                raise OSError(errno.EOVERFLOW, "changes of lines were lost")
            self._seen = event.global_seqno
            number = self._offsets.index(event.line_offset)
            levels[number] = event.event_type is EdgeEvent.Type.RISING_EDGE
            found.append(tuple(levels))
        self.known = tuple(levels)
        return tuple(found)

    def close(self) -> None:
        """Give the lines back."""
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
