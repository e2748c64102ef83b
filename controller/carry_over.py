"""What one software version takes over from another: numbers, and whether a shoe is open.

Responsible for: reading that much from entries by names that are promised to stay, so that a new
version need not understand the old one's whole state.
Not responsible for: a restart of the same version (recovery).
Source: package README, "A new software version"; D-22.
"""

from dataclasses import dataclass, replace

from controller.core import Core
from controller.core_state import CoreState
from controller.entries import Entry, Judged, RunBegan
from controller.procedure.effects import BurnDone, CoupClosed, ShoeEnded, ShoeOpened
from controller.procedure.events import CardDrawn
from controller.procedure.phases import Phase
from controller.procedure.recording import CARDS_IN_A_DECK
from controller.procedure.state import CoupState, ShoeState, TableState
from controller.procedure.verdicts import Irregularity


@dataclass(frozen=True, slots=True)
class Ledger:
    """Numbering as the entries tell it.

    `cards` counts those since the burn or the last coup ended, `burning` says that the burn of
    the open shoe has not come to its end; `profile`, `decks` and `observed` are what the last run
    went by.
    """

    day: str = ""
    shoe: int = 0
    open: bool = False
    coups: int = 0
    cards: int = 0
    burning: bool = False
    irregularities: int = 0
    profile: str = ""
    decks: int = 0
    observed: tuple[str, ...] = ()

    def after(self, entry: Entry) -> "Ledger":
        """The ledger with one more entry."""
        match entry:
            case ShoeOpened():
                fresh = replace(self, coups=0, cards=0, open=True, burning=not entry.joined)
                return replace(fresh, day=entry.gaming_day, shoe=entry.shoe)
            case RunBegan():
                kept = replace(self, profile=entry.profile, decks=entry.decks)
                return replace(kept, observed=entry.observed)
            case BurnDone():
                return replace(self, cards=0, burning=False)
            case ShoeEnded():
                return replace(self, open=False, cards=0, burning=False)
            case CoupClosed():
                return replace(self, coups=entry.record.coup, cards=0, burning=False)
            case Judged():
                cards = self.cards + isinstance(entry.event, CardDrawn)
                numbers = [v.number for v in entry.verdicts if isinstance(v, Irregularity)]
                highest = max([self.irregularities, *numbers])
                return replace(self, cards=cards, irregularities=highest)
            case _:
                return self


def carried(core: Core, ledger: Ledger) -> CoreState:
    """The state that another version's records leave to this one."""
    table = TableState(
        shoe_day=ledger.day, shoe_number=ledger.shoe, irregularities=ledger.irregularities
    )
    if ledger.open:
        number = ledger.coups + 1
        dealt = ledger.cards > 0 and not ledger.burning
        coup = CoupState(number, partial=True) if dealt else None
        shoe = ShoeState(
            gaming_day=ledger.day,
            number=ledger.shoe,
            cards_total=core.settings.decks * CARDS_IN_A_DECK,
            cards_drawn=1,
            joined=True,
            coups_begun=number if coup is not None else ledger.coups,
            coup=coup,
        )
        phase = Phase.RESULT if coup is not None else Phase.BETWEEN_COUPS
        if ledger.burning:
            # How many burn cards are still owed is this version's to forget, not to guess.
            phase = Phase.BURN_REST
            shoe = replace(shoe, burn_proven=False)
        table = replace(table, phase=phase, shoe=shoe, today=ledger.day)
    return replace(core.initial(), table=table)
