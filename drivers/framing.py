"""Tells a protocol's frames from noise, to count noise before it reaches a driver."""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct


class PendingBytes(Protocol):
    """The state of a search for frames: `pending` may be the start of one."""

    @property
    def pending(self) -> bytes: ...


class Framing(Struct, frozen=True):
    """The search of one protocol: its first state, its step, and the frames with a checksum.

    `repeats_max`: so often a device repeats a frame; further copies are no new frames. None: equal
    frames may follow each other without end, as answers to a poll do.
    """

    fresh: PendingBytes
    feed: Callable[..., tuple[PendingBytes, tuple[object, ...]]]
    frames: tuple[type, ...]
    repeats_max: int | None = None
