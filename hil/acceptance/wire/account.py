"""Accounts for every received byte: part of a whole frame, or of a run that no frame explains.

Source: firmware_bridge/README.md, "Three levels".
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from drivers.framing import Framing, PendingBytes
from firmware_bridge.link import LinkFault, LinkFaultKind

# A run of bytes without any frame is accounted for in pieces of this size.
_RUN_BYTES_MAX: Final = 16_384


class FrameHeard(Struct, frozen=True):
    """A whole frame. Times in nanoseconds; `pause_ns` is the longest pause within it.

    `report`: it has a checksum of its own, unlike a bare acknowledgement.
    `reads`: over how many reads it came; 0 pauses are known where that is 1.
    """

    data: bytes
    began_ns: int
    ended_ns: int
    reads: int
    pause_ns: int
    report: bool = True


class UndecodedRun(Struct, frozen=True):
    """Bytes that belong to no whole frame, and the kinds of faults that the decoder reports."""

    data: bytes
    began_ns: int
    faults: tuple[LinkFaultKind, ...]


class Heard(Struct, frozen=True):
    """What some bytes completed."""

    frames: tuple[FrameHeard, ...] = ()
    undecoded: tuple[UndecodedRun, ...] = ()


class WireAccount:
    """The account of one port. Without a framing (None) every read counts as one frame."""

    def __init__(self, framing: Framing | None, delimiter: bytes = b"") -> None:
        self._framing = framing
        self._delimiter = delimiter
        self._state: PendingBytes | None = None if framing is None else framing.fresh
        self._run = bytearray()
        self._times: list[int] = []
        self._faults: list[LinkFaultKind] = []

    def feed(self, data: bytes, at_ns: int) -> Heard:
        """Take the bytes of one read."""
        if self._framing is None:
            return Heard((FrameHeard(data, at_ns, at_ns, 1, 0),))
        frames: list[FrameHeard] = []
        undecoded: list[UndecodedRun] = []
        for value in data:
            self._run.append(value)
            self._times.append(at_ns)
            self._state, found = self._framing.feed(self._state, bytes((value,)))
            self._faults += [one.kind for one in found if isinstance(one, LinkFault)]
            whole = [one for one in found if not isinstance(one, LinkFault)]
            if whole:
                for one in whole[:-1]:
                    self._take(one, self._end_of(one), frames, undecoded)
                self._take(whole[-1], len(self._run), frames, undecoded)
            elif len(self._run) >= _RUN_BYTES_MAX:
                undecoded += self._leave(len(self._run))
        return Heard(tuple(frames), tuple(undecoded))

    def finish(self) -> Heard:
        """The port was lost, or the account ends: what waits for its end is no frame."""
        undecoded = self._leave(len(self._run))
        if self._framing is not None:
            self._state = self._framing.fresh
        return Heard(undecoded=undecoded)

    def _take(
        self,
        frame: object,
        end: int,
        frames: list[FrameHeard],
        undecoded: list[UndecodedRun],
    ) -> None:
        """The frame ends at `end`: what stands before it in the run is no frame."""
        start = self._start_of(frame, end)
        if self._says_something(bytes(self._run[:start])):
            undecoded += self._leave(start)
        else:
            del self._run[:start], self._times[:start]
        size = end - start
        times = self._times[:size]
        frames.append(
            FrameHeard(
                bytes(self._run[:size]),
                times[0],
                times[-1],
                len(set(times)),
                _longest_pause(times),
                self._framing is None or isinstance(frame, self._framing.frames),
            )
        )
        del self._run[:size], self._times[:size]
        self._faults.clear()

    def _start_of(self, frame: object, end: int) -> int:
        """Where the shortest part that is this frame, and ends there, begins."""
        assert self._framing is not None
        run = bytes(self._run[:end])
        if not self._faults and not self._delimiter and self._alone(run, frame):
            return 0
        starts = range(end - 1, -1, -1)
        return next((start for start in starts if self._alone(run[start:], frame)), 0)

    def _end_of(self, frame: object) -> int:
        """Where a frame ends that was only found when a later one was whole."""
        ends = range(1, len(self._run))
        run = bytes(self._run)
        return next((end for end in ends if frame in self._found(run[:end])), len(run))

    def _alone(self, data: bytes, frame: object) -> bool:
        return self._found(data) == (frame,)

    def _found(self, data: bytes) -> tuple[object, ...]:
        assert self._framing is not None
        return self._framing.feed(self._framing.fresh, data)[1]

    def _says_something(self, data: bytes) -> bool:
        """Whether the bytes are more than what may stand between frames."""
        return bool(data.strip(self._delimiter) if self._delimiter else data)

    def _leave(self, end: int) -> tuple[UndecodedRun, ...]:
        """The run up to there is no frame."""
        data, began = bytes(self._run[:end]), self._times[:1]
        del self._run[:end], self._times[:end]
        faults, self._faults = tuple(dict.fromkeys(self._faults)), []
        if not self._says_something(data):
            return ()
        return (UndecodedRun(data, began[0], faults or (LinkFaultKind.TRUNCATED,)),)


def _longest_pause(times: Sequence[int]) -> int:
    return max((later - sooner for sooner, later in pairwise(times)), default=0)
