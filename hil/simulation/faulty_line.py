"""A line that drops, damages, repeats, delays or invents bytes, from a seed, under simulated time.

What the fault plan of the emulated lines knows is left to it; the rest is done here.
"""

from collections import deque
from collections.abc import Iterator
from random import Random
from typing import Final

from hil.emulator.feig.wire import split_answers
from hil.emulator.lines.faults import (
    SENT_UNTIL_ACKNOWLEDGED,
    Envelope,
    FaultPlan,
    Pieces,
    is_whole,
    split_frames,
    split_runs,
)
from hil.scenario.language.statements import WireFault

# What a flood brings before each transmission.
FLOOD_BYTES: Final = 4096
# A frame that another one overtakes comes so much later, if no other frame comes.
OVERTAKEN_NS: Final = 50_000_000
SPLIT_BYTES_MAX: Final = 4
# Copies that an Angel Eye sends of each report.
COPIES: Final = 3


class FaultyLine:
    """The line of one device. `lost` counts reports of which no whole copy arrives.

    `shares` are the probabilities of its faults, from 0 to 1; `delay_ns` is how much later all
    bytes come.
    """

    def __init__(self, envelope: Envelope, seed: str) -> None:
        self._envelope = envelope
        self._seed = seed
        self._sent = 0
        self._stalled_until_ns = 0
        self._overtaken: tuple[bytes, ...] = ()
        self._under_way: deque[tuple[int, bytes]] = deque()
        self.shares: dict[WireFault, float] = {}
        self.delay_ns = 0
        self.lost = 0

    def begin(self, fault: WireFault, share: float, ns: int, at_ns: int) -> None:
        """Begin a fault, or end all of them."""
        match fault:
            case WireFault.NONE:
                self.shares.clear()
                self.delay_ns = self._stalled_until_ns = 0
            case WireFault.STALL:
                self._stalled_until_ns = at_ns + ns
            case WireFault.DELAY:
                self.delay_ns = ns
            case _:
                self.shares[fault] = share

    # --- as the table needs it ------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int | None:
        """When the next bytes arrive."""
        return max(self._under_way[0][0], self._stalled_until_ns) if self._under_way else None

    def send(self, frames: bytes, at_ns: int) -> None:
        """The device sends these frames together."""
        self._sent += 1
        source = Random(f"{self._seed}:{self._sent}")  # noqa: S311 - reproducible
        due_ns = max(at_ns + self.delay_ns, self._under_way[-1][0] if self._under_way else 0)
        pieces = [*self._arriving_of(frames, source), *self._overtaken]
        self._overtaken = ()
        if pieces and self._happens(WireFault.REORDER, source) and not self._alone(frames):
            self._under_way.append((due_ns + OVERTAKEN_NS, pieces.pop()))
        self._under_way.extend((due_ns, piece) for piece in pieces if piece)
        self._under_way = deque(sorted(self._under_way, key=lambda one: one[0]))

    def arriving(self, at_ns: int) -> bytes:
        """The bytes that arrive now."""
        arrived = b""
        while (due_ns := self.next_due_ns) is not None and due_ns <= at_ns:
            arrived += self._under_way.popleft()[1]
        return arrived

    def clear(self) -> None:
        """The cable is pulled: what is under way is lost."""
        self.lost += len(self._under_way)
        self._under_way.clear()

    # --- the faults -----------------------------------------------------------------------------

    def _alone(self, frames: bytes) -> bool:
        """Whether these frames may not be overtaken: copies of one report say the same."""
        return self._envelope is Envelope.ANGEL_EYE and len(set(split_frames(frames))) < 2

    def _arriving_of(self, frames: bytes, source: Random) -> Iterator[bytes]:
        """What arrives of frames that are sent together, piece by piece."""
        if self._happens(WireFault.FLOOD, source):
            yield source.randbytes(FLOOD_BYTES)
        if self._happens(WireFault.WRONG_BAUD, source):
            self.lost += len(self._reports_in(frames))
            yield source.randbytes(max(1, len(frames) * 3 // 4))
            return
        share = self.shares.get(WireFault.HALF_FRAMES, 0.0)
        halved = b"".join(
            frame[: len(frame) // 2] if source.random() < share else frame
            for frame in self._split(frames)
        )
        outcome = self._plan(source).outcome(halved, 0)
        self.lost += len(self._reports_in(frames) - self._reports_in(outcome.data))
        yield from (piece for piece, _ in outcome.pieces)

    def _reports_in(self, data: bytes) -> set[bytes]:
        """The reports in these bytes, at an Angel Eye; answers to commands are none."""
        reports = self._envelope is Envelope.ANGEL_EYE
        return set(filter(is_whole, split_frames(data))) if reports else set()

    def _split(self, frames: bytes) -> tuple[bytes, ...]:
        match self._envelope:
            case Envelope.ANGEL_EYE:
                return split_frames(frames)
            case Envelope.FEIG:
                return split_answers(frames)
            case Envelope.TABLELINK:
                return split_runs(frames)

    def _plan(self, source: Random) -> FaultPlan:
        share = self.shares
        drop = share.get(WireFault.DROP, 0.0)
        damage = share.get(WireFault.CORRUPT, 0.0)
        return FaultPlan(
            seed=source.randrange(1 << 32),
            fragment_bytes_max=SPLIT_BYTES_MAX if self._happens(WireFault.SPLIT, source) else 0,
            drop_repeat=drop,
            # Each copy has the same chance to be lost or damaged.
            lose_report=(drop + damage - drop * damage) ** COPIES,
            extra_repeat=share.get(WireFault.DUPLICATE, 0.0),
            bad_bcc=damage,
            noise=share.get(WireFault.NOISE, 0.0),
            overtake=share.get(WireFault.REORDER, 0.0),
            envelope=self._envelope,
        )

    def _happens(self, fault: WireFault, source: Random) -> bool:
        return source.random() < self.shares.get(fault, 0.0)


class PacedFaultyLine:
    """A faulty line on a real one: the same faults, with delays between the pieces."""

    def __init__(self, envelope: Envelope, seed: str) -> None:
        self._line = FaultyLine(envelope, seed)
        self._envelope = envelope

    @property
    def meets_answers(self) -> bool:
        """Whether the faults apply to answers, too: a host repeats a request that gets none."""
        return self._envelope in SENT_UNTIL_ACKNOWLEDGED

    def begin(self, fault: WireFault, share: float, ns: int, at_ns: int) -> None:
        """Begin a fault, or end all of them."""
        self._line.begin(fault, share, ns, at_ns)

    def apply(self, frames: bytes, at_ns: int) -> Pieces:
        """The pieces that arrive of `frames`, each with its delay after the one before in ns."""
        self._line.send(frames, at_ns)
        pieces: list[tuple[bytes, int]] = []
        before_ns = at_ns
        while (due_ns := self._line.next_due_ns) is not None:
            pieces.append((self._line.arriving(due_ns), max(0, due_ns - before_ns)))
            before_ns = max(before_ns, due_ns)
        return tuple(pieces)
