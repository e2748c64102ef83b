"""Three levels of diagnosis in the log: bytes arrived, frame decoded, event understood.

Responsible for: one logger per port, `smartshoe.wire.<port>`, with one line per happening, so
that a log tells a dead cable from a dead parser.
Not responsible for: what the bytes mean. The masking of a protocol is passed in; without one
only the number of bytes is told, because raw bytes may show an unseen card.
Source: package README, "Three levels".
"""

import logging
from collections.abc import Callable
from typing import TypeAlias

# Bytes as text for the log; it may remember where in a frame the last chunk ended.
Mask: TypeAlias = Callable[[bytes], str]


def hide_all(data: bytes) -> str:
    """Tell that bytes came, and nothing of them."""
    return " ".join([".."] * len(data))


class WireLog:
    """The log of one port; every line is of level DEBUG."""

    def __init__(self, port: str, mask: Mask = hide_all) -> None:
        self._logger = logging.getLogger(f"smartshoe.wire.{port}")
        self._mask = mask

    def bytes_arrived(self, data: bytes) -> None:
        """Level one: the cable lives."""
        # The mask may follow the stream, so it sees every byte whether the line is written or not.
        text = self._mask(data)
        self._logger.debug("bytes  %d: %s", len(data), text)

    def frame_decoded(self, text: str) -> None:
        """Level two: the framing fits; `text` is already masked."""
        self._logger.debug("frame  %s", text)

    def event_understood(self, text: str) -> None:
        """Level three: the message made sense; `text` is already masked."""
        self._logger.debug("event  %s", text)
