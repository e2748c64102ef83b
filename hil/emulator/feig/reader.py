"""A reader in a piece of furniture: what moves past it takes time, and the reader notes it.

Responsible for: playing movements past a reader one after the other, each at its time, and being
served as a device.
Not responsible for: the reader (feig) and which movements there are (rfid_shoe, table_reader).
Source: package README, "The RFID shoe".
"""

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
class TagComes:
    """A transponder comes into the field of an antenna."""

    identity: bytes
    antenna: int = 1
    kind: int = TrType.ISO15693


@dataclass(frozen=True, slots=True)
class GateChanges:
    """A light barrier on an input is broken (`high`) or free again."""

    input: int
    high: bool


@dataclass(frozen=True, slots=True)
class Movement:
    """What happens, and how long after what happened before it."""

    after_ms: int
    what: TagComes | GateChanges


Movements: TypeAlias = tuple[Movement, ...]


class ReaderDevice:
    """A served device: movements, and a reader that notes them."""

    def __init__(self, settings: FeigSettings | None = None) -> None:
        self.reader = FeigReader(settings)
        self._movements: deque[Movement] = deque()
        self._next_at_ns: int | None = None

    # What people do.

    def power_off(self) -> tuple[Report, ...]:
        """Pull the plug of the reader: its buffer is gone. Pulling the data cable is the line's."""
        self.reader.power_off()
        return ()

    def power_on(self) -> tuple[Report, ...]:
        """Give it power again."""
        self.reader.power_on()
        return ()

    def lay_pile(self, pieces: Iterable[PhysicalCard]) -> tuple[Report, ...]:
        """Put these cards on the reader, and take away what lay there; they answer when asked."""
        self.reader.field.tags = tuple(
            Transponder(bytes.fromhex(piece.tag), memory=chip_memory(piece)) for piece in pieces
        )
        return ()

    def move(self, movements: Movements) -> tuple[Report, ...]:
        """Let these happen one after the other."""
        self._movements.extend(movements)
        return ()

    @property
    def all_taken(self) -> bool:
        """Whether the host has taken everything over: nothing moves, the reader keeps nothing."""
        return not self._movements and self.reader.kept == 0

    # What a line asks of it.

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
        """A reader answers no broken request."""
        self.reader.give_up_broken(at_ns)
        return b""

    def due(self, at_ns: int) -> tuple[Copy, ...]:
        """Let happen what is to happen by now; what the reader then sends."""
        while self._movements and self._is_time(at_ns):
            movement = self._movements.popleft()
            self._next_at_ns = None
            self._happen(movement.what, at_ns)
        return self.reader.due(at_ns)

    def host_appeared(self, at_ns: int) -> None:
        """The reader sends again what it was not thanked for."""
        self.reader.host_appeared(at_ns)

    def _is_time(self, at_ns: int) -> bool:
        if self._next_at_ns is None:
            self._next_at_ns = at_ns + self._movements[0].after_ms * NS_PER_MS
        return at_ns >= self._next_at_ns

    def _happen(self, what: TagComes | GateChanges, at_ns: int) -> None:
        match what:
            case TagComes():
                self.reader.tag_read(what.identity, what.kind, what.antenna, at_ns)
            case GateChanges():
                self.reader.input_changed(what.input, at_ns, high=what.high)
            case _:
                assert_never(what)
