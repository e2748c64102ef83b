"""Seeded fault plan of the wire: loses, damages, repeats and fragments bytes.

A pure function from the bytes a device sends to the pieces that arrive. Of the copies of a report
in one call at least one stays whole, unless whole reports are to be lost; of frames that are
repeated until they are acknowledged, none needs to. It knows the envelope of a report and not its
content.

Not: breaches of procedure by the dealer (hil.dealing.mistakes).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import xor
from random import Random
from typing import Protocol, TypeAlias

from hil.emulator.feig.wire import is_answer, split_answers

ENQ, ETX = 0x05, 0x03
CHECK_DIGITS = b"0123456789ABCDEF"
FRAME_BYTES_MAX = 128
NOISE_BYTES_MAX = 24
# An ENQ and more bytes than a frame may have, without an end: garbage by the wire document.
ENDLESS_BYTES = FRAME_BYTES_MAX + 12

Pieces: TypeAlias = tuple[tuple[bytes, int], ...]


class Envelope(StrEnum):
    """How a report begins and ends, by which a plan recognises it."""

    ANGEL_EYE = "angel_eye"
    FEIG = "feig"
    TABLELINK = "tablelink"


SENT_UNTIL_ACKNOWLEDGED = (Envelope.FEIG, Envelope.TABLELINK)


@dataclass(frozen=True, slots=True)
class FaultOutcome:
    """What arrives, as (bytes, delay before them in ns) in order, and reports lost entirely."""

    pieces: Pieces
    lost: tuple[bytes, ...]

    @property
    def data(self) -> bytes:
        """All that arrives, joined."""
        return b"".join(piece for piece, _ in self.pieces)


class LineFaults(Protocol):
    """What a line does to what is sent on it."""

    @property
    def meets_answers(self) -> bool:
        """Whether it applies to answers, too."""
        ...

    def apply(self, frames: bytes, at_ns: int) -> Pieces:
        """The pieces that arrive of `frames`, sent at `at_ns`."""
        ...


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Probabilities from 0 to 1. Equal plan, bytes and time give an equal outcome.

    `fragment_bytes_max` 0: pieces are not cut. `joined`: frames of one call arrive in one piece.
    `noise_answers`: noise may hold ACK and NAK, which a host may take for answers to a command.
    Frames in the `envelope` of a FEIG reader are sent again until the host clears them, those of
    TableLink until they are acknowledged: there `drop_repeat` and `bad_bcc` apply to any frame,
    answers included, and a TableLink frame may overtake the one before it (`overtake`).
    """

    seed: int = 0
    fragment_bytes_max: int = 0
    joined: bool = False
    drop_repeat: float = 0.0
    extra_repeat: float = 0.0
    bad_bcc: float = 0.0
    noise: float = 0.0
    noise_answers: bool = False
    lose_report: float = 0.0
    overtake: float = 0.0
    delay_ns_max: int = 0
    envelope: Envelope = Envelope.ANGEL_EYE

    @property
    def meets_answers(self) -> bool:
        """Whether the plan applies to answers, too: a host repeats a request that gets none."""
        return self.envelope in SENT_UNTIL_ACKNOWLEDGED

    def apply(self, frames: bytes, at_ns: int) -> Pieces:
        """The pieces that arrive of `frames`, sent at `at_ns`."""
        return self.outcome(frames, at_ns).pieces

    def outcome(self, frames: bytes, at_ns: int) -> FaultOutcome:
        """As `apply`, and which reports were lost entirely."""
        source = Random(f"{self.seed}:{at_ns}:{frames.hex()}")  # noqa: S311 - reproducible
        if self.envelope is Envelope.FEIG:
            return FaultOutcome(self._pieces(self._feig(frames, source), source), ())
        if self.envelope is Envelope.TABLELINK:
            return FaultOutcome(self._pieces(self._tablelink(frames, source), source), ())
        sent = split_frames(frames)
        reports = tuple(dict.fromkeys(frame for frame in sent if is_whole(frame)))
        lost = tuple(report for report in reports if source.random() < self.lose_report)
        whole_copy = {report: source.randrange(sent.count(report)) for report in reports}
        arrived: list[bytes] = []
        seen: dict[bytes, int] = {}
        for frame in sent:
            if source.random() < self.noise:
                arrived.append(self._noise(source))
            number = seen.get(frame, 0)
            seen[frame] = number + 1
            if frame not in whole_copy:
                arrived.append(frame)
            elif frame not in lost:
                arrived.extend(self._copies(frame, source, keep=number == whole_copy[frame]))
        return FaultOutcome(self._pieces(arrived, source), lost)

    def _feig(self, frames: bytes, source: Random) -> list[bytes]:
        """What arrives of FEIG frames, which are not sent in copies."""
        arrived: list[bytes] = []
        for frame in split_answers(frames):
            if source.random() < self.noise:
                arrived.append(self._noise(source))
            if is_answer(frame):
                arrived.extend(self._copies(frame, source, keep=False))
            else:
                arrived.append(frame)
        return arrived

    def _tablelink(self, frames: bytes, source: Random) -> list[bytes]:
        """What arrives of TableLink frames, of which one may overtake another."""
        arrived: list[bytes] = []
        for frame in split_runs(frames):
            if source.random() < self.noise:
                arrived.append(self._noise(source))
            arrived.extend(self._copies(frame, source, keep=False))
            if len(arrived) > 1 and source.random() < self.overtake:
                arrived[-2:] = arrived[:-3:-1]
        return arrived

    def _copies(self, frame: bytes, source: Random, *, keep: bool) -> tuple[bytes, ...]:
        """What arrives of one copy of a report."""
        draws = tuple(source.random() for _ in range(3))
        extra = (frame,) if draws[2] < self.extra_repeat else ()
        if keep:
            return (frame, *extra)
        if draws[0] < self.drop_repeat:
            return extra
        if draws[1] < self.bad_bcc:
            damaged = _damaged if self.envelope is Envelope.ANGEL_EYE else _damaged_crc_frame
            return (damaged(frame, source), *extra)
        return (frame, *extra)

    def _noise(self, source: Random) -> bytes:
        """Bytes that hold no whole frame, alone or with what follows: without ETX none can end.

        The only ETX in them is followed by bytes that are not check digits.
        """
        unwanted = {ETX} if self.noise_answers else {ETX, 0x06, 0x15}
        allowed = bytes(value for value in range(256) if value not in unwanted)
        kind = source.randrange(4)
        size = ENDLESS_BYTES if kind == 0 else source.randint(1, NOISE_BYTES_MAX)
        noise = bytes(source.choice(allowed) for _ in range(size))
        if kind == 0:
            return bytes((ENQ,)) + noise
        if kind == 1:
            return bytes((ENQ,)) + noise + bytes((ETX,)) + b"ZZ"
        return noise

    def _pieces(self, arrived: Iterable[bytes], source: Random) -> Pieces:
        whole = (b"".join(arrived),) if self.joined else tuple(arrived)
        pieces: list[tuple[bytes, int]] = []
        for data in whole:
            at = 0
            while at < len(data):
                size = len(data)
                if self.fragment_bytes_max:
                    size = source.randint(1, self.fragment_bytes_max)
                delay_ns = source.randint(0, self.delay_ns_max)
                pieces.append((data[at : at + size], delay_ns))
                at += size
        return tuple(pieces)


def split_runs(data: bytes) -> tuple[bytes, ...]:
    """Split at zeros; each part with a zero on either side."""
    return tuple(b"\0" + run + b"\0" for run in data.split(b"\0") if run)


def split_frames(data: bytes) -> tuple[bytes, ...]:
    """Split at frame borders: each whole report by itself, all other bytes as they are between."""
    parts: list[bytes] = []
    start = at = 0
    while at < len(data):
        end = data.find(ETX, at) + 3
        candidate = data[at:end]
        if data[at] == ENQ and end >= 3 and is_whole(candidate):
            parts.extend(part for part in (data[start:at], candidate) if part)
            start = at = end
        else:
            at += 1
    return (*parts, data[start:]) if data[start:] else tuple(parts)


def is_whole(frame: bytes) -> bool:
    """Whether these bytes are exactly one report: ENQ, content without ENQ, ETX, right BCC."""
    if not 6 <= len(frame) <= FRAME_BYTES_MAX + 2 or frame[0] != ENQ or frame[-3] != ETX:
        return False
    inner = frame[1:-3]
    if ENQ in inner or ETX in inner:
        return False
    return frame[-2:] == b"%02X" % reduce(xor, frame[1:-2])


def _damaged(frame: bytes, source: Random) -> bytes:
    """The frame with one defect; never whole, and holding no whole frame."""
    kind = source.randrange(4)
    if kind == 0:
        return frame[: source.randint(1, len(frame) - 1)]
    if kind == 1 and frame[-2:] != frame[-2:].lower():
        return frame[:-2] + frame[-2:].lower()
    if kind == 2:
        at = source.randrange(1, len(frame) - 3)
        flipped = frame[:at] + bytes((frame[at] ^ 1 << source.randrange(8),)) + frame[at + 1 :]
        if not any(is_whole(part) for part in split_frames(flipped)):
            return flipped
    wrong = source.choice([digit for digit in CHECK_DIGITS if digit != frame[-1]])
    return frame[:-1] + bytes((wrong,))


def _damaged_crc_frame(frame: bytes, source: Random) -> bytes:
    """A FEIG or TableLink frame cut short, or with one wrong bit, which its CRC always detects."""
    if source.randrange(2):
        return frame[: source.randint(1, len(frame) - 1)]
    at = source.randrange(len(frame))
    return frame[:at] + bytes((frame[at] ^ 1 << source.randrange(8),)) + frame[at + 1 :]
