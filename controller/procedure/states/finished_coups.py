"""The finished coups of a shoe, as far as a correction of their outcome needs them.

Source: D-42; controller/procedure/README.md, "Corrections".
"""

from typing import Final

from msgspec import Struct

from controller.procedure.states.wagering import ChangedSetting
from controller.rules.outcome import Outcome
from controller.settlement.payout_difference import SettledWager

# More coups than ten decks can give; a shoe that a continuous shuffler feeds has no end.
FINISHED_COUPS_MAX: Final = 256


class FinishedCoup(Struct, frozen=True, array_like=True):
    """A coup by its number: its outcome as counted, None where it is void, and as corrected.

    `settled` are its wagers, `settings` the changed ones they were settled by. An array in the
    record, because the state holds every coup of the shoe.
    """

    number: int
    counted: Outcome | None
    corrected: Outcome | None = None
    settled: tuple[SettledWager, ...] = ()
    settings: tuple[ChangedSetting, ...] = ()

    @property
    def outcome(self) -> Outcome | None:
        """The outcome that counts now."""
        return self.counted if self.corrected is None else self.corrected
