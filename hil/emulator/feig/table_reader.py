"""Emulates a reader under the layout or at the discard rack, and cards laid on it."""

from collections.abc import Iterable

from hil.dealing.cards import PhysicalCard
from hil.emulator.feig.reader import Movement, ReaderDevice, TagArrival
from hil.emulator.lines.reports import Report

PLAYER_ANTENNA, BANKER_ANTENNA = 1, 2
LAY_MS = 100


class TableReader(ReaderDevice):
    """The reader. A layout has an antenna for each hand, a discard rack only one."""

    def lay(self, pieces: Iterable[PhysicalCard], antenna: int = 1) -> tuple[Report, ...]:
        """Lay cards down, one after the other."""
        return self.move(
            tuple(
                Movement(LAY_MS, TagArrival(bytes.fromhex(piece.tag), antenna)) for piece in pieces
            )
        )
