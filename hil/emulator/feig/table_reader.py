"""A reader at a table beside the shoe's: under the layout, or at the discard rack.

Responsible for: cards laid where it reads them.
Not responsible for: the reader (feig) and cards that leave the shoe (rfid_shoe).
Source: package README, "The RFID shoe".
"""

from collections.abc import Iterable

from hil.dealing.cards import PhysicalCard
from hil.emulator.feig.reader import Movement, ReaderDevice, TagComes
from hil.emulator.lines.reports import Report

PLAYER_ANTENNA, BANKER_ANTENNA = 1, 2
LAID_MS = 100


class TableReader(ReaderDevice):
    """The reader. A layout has an antenna for each hand, a discard rack only one."""

    def lay(self, pieces: Iterable[PhysicalCard], antenna: int = 1) -> tuple[Report, ...]:
        """Lay cards down, one after the other."""
        return self.move(
            tuple(
                Movement(LAID_MS, TagComes(bytes.fromhex(piece.tag), antenna)) for piece in pieces
            )
        )
