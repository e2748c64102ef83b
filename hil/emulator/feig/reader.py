"""Emulates an installed reader past which tags and cards move, each movement at its time."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from hil.dealing.cards import PhysicalCard
from hil.dealing.tags import chip_memory
from hil.emulator.feig.buffer import FeigLog
from hil.emulator.feig.device import NS_PER_MS, FeigReader, FeigSettings
from hil.emulator.feig.field import Transponder
from hil.emulator.feig.wire import TrType
from hil.emulator.lines.reports import Copy, Report


@dataclass(frozen=True, slots=True)
class TagArrival:
    """A transponder enters the field of an antenna."""

    identity: bytes
    antenna: int = 1
    kind: int = TrType.ISO15693


@dataclass(frozen=True, slots=True)
class GateChange:
    """A light barrier on an input is broken (`high`) or free again."""

    input: int
    high: bool


@dataclass(frozen=True, slots=True)
class Movement:
    """One event at the reader, and its delay after the previous one."""

    after_ms: int
    event: TagArrival | GateChange


Movements: TypeAlias = tuple[Movement, ...]


class ReaderDevice:
    """A served device: movements, and the reader that records them."""

    def __init__(self, settings: FeigSettings | None = None) -> None:
        self.reader = FeigReader(settings)
        self._movements: deque[Movement] = deque()
        self._next_at_ns: int | None = None

    # People's acts.

    def power_off(self) -> tuple[Report, ...]:
        """Cut the reader's power: its buffer is lost. The data cable is cut at the line."""
        self.reader.power_off()
        return ()

    def power_on(self) -> tuple[Report, ...]:
        """Restore its power."""
        self.reader.power_on()
        return ()

    def lay_pile(self, pieces: Iterable[PhysicalCard]) -> tuple[Report, ...]:
        """Replace the pile of cards on the reader."""
        self.reader.field.tags = tuple(
            Transponder(bytes.fromhex(piece.tag), memory=chip_memory(piece)) for piece in pieces
        )
        return ()

    def move(self, movements: Movements) -> tuple[Report, ...]:
        """Queue movements to happen one after the other."""
        self._movements.extend(movements)
        return ()

    @property
    def all_delivered(self) -> bool:
        """Whether nothing moves and the host has cleared all records."""
        return not self._movements and self.reader.stored_records == 0

    # The served-device interface.

    @property
    def log(self) -> FeigLog:
        return self.reader.log

    @property
    def idle(self) -> bool:
        return not self._movements and self.reader.idle

    @property
    def next_due_ns(self) -> int | None:
        moving = (self._next_at_ns or 0) if self._movements else None
        dues = (moving, self.reader.next_due_ns)
        return min((due for due in dues if due is not None), default=None)

    def receive(self, data: bytes, at_ns: int) -> bytes:
        """Bytes of the host, for the reader."""
        return self.reader.receive(data, at_ns)

    def overdue_answer(self, at_ns: int) -> bytes:
        """Nothing: a reader does not answer a broken request."""
        self.reader.drop_incomplete(at_ns)
        return b""

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """Run the movements due; returns what the reader then sends."""
        while self._movements and self._is_time(at_ns):
            movement = self._movements.popleft()
            self._next_at_ns = None
            self._run_event(movement.event, at_ns)
        return self.reader.due(at_ns)

    def host_appeared(self, at_ns: int) -> None:
        """The reader sends unacknowledged records again."""
        self.reader.host_appeared(at_ns)

    def _is_time(self, at_ns: int) -> bool:
        if self._next_at_ns is None:
            self._next_at_ns = at_ns + self._movements[0].after_ms * NS_PER_MS
        return at_ns >= self._next_at_ns

    def _run_event(self, event: TagArrival | GateChange, at_ns: int) -> None:
        match event:
            case TagArrival():
                self.reader.tag_read(event.identity, event.kind, event.antenna, at_ns)
            case GateChange():
                self.reader.input_changed(event.input, at_ns, high=event.high)
            case _:
                assert_never(event)
