"""What one software version takes over from another: numbers, and whether a shoe is open.

Responsible for: reading that much from entries by names that are promised to stay, so that a new
version need not understand the old one's whole state.
Not responsible for: a restart of the same version (recovery).
Source: package README, "A new software version"; D-22.
"""

from typing import assert_never

from controller.core.core import Core
from controller.core.state import CoreState
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Lineage, OpenWarning, WarningKind
from controller.procedure.acts.recording import CARDS_IN_A_DECK
from controller.procedure.effects import (
    BatchMoved,
    BurnDone,
    CoupClosed,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import CardDrawn
from controller.procedure.phases import Phase
from controller.procedure.state import CoupState, ShoeState, TableState
from controller.procedure.states.opening import NOTHING_RECORDED
from controller.procedure.verdicts import Irregularity
from controller.tape.entries import Entry, Judged, RunBegan
from firmware_bridge.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class Ledger:
    """Numbering as the entries tell it.

    `cards` counts those since the burn or the last coup ended, `burning` says that the burn of
    the open shoe has not come to its end; `profile`, `decks` and `observed` are what the last run
    went by. `in_play` is the batch of the open shoe as the shuffler told it, `last_played` the one
    of the last coup; `warnings` of the shuffler are open, `warnings_told` were given.
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
    in_play: str = ""
    last_played: str = ""
    warnings: tuple[OpenWarning, ...] = ()
    warnings_told: int = 0

    def after(self, entry: Entry) -> "Ledger":
        """The ledger with one more entry."""
        match entry:
            case ShoeOpened():
                fresh = replace(
                    self, coups=0, cards=0, open=True, burning=not entry.joined, in_play=""
                )
                return replace(fresh, day=entry.gaming_day, shoe=entry.shoe)
            case RunBegan():
                kept = replace(self, profile=entry.profile, decks=entry.decks)
                return replace(kept, observed=entry.observed)
            case BurnDone():
                return replace(self, cards=0, burning=False)
            case ShoeEnded():
                return replace(self, open=False, cards=0, burning=False)
            case CoupClosed():
                closed = replace(self, coups=entry.record.coup, cards=0, burning=False)
                return replace(closed, last_played=self.in_play)
            case Judged():
                cards = self.cards + isinstance(entry.event, CardDrawn)
                numbers = [v.number for v in entry.verdicts if isinstance(v, Irregularity)]
                highest = max([self.irregularities, *numbers])
                return replace(self, cards=cards, irregularities=highest)
            case BatchMoved() | WarningOpened() | WarningClosed():
                return self._of_shuffler(entry)
            case _:
                return self

    def _of_shuffler(self, entry: BatchMoved | WarningOpened | WarningClosed) -> "Ledger":
        match entry:
            case BatchMoved():
                dealt = entry.after == BatchStage.IN_PLAY.value
                return replace(self, in_play=entry.batch) if dealt else self
            case WarningOpened():
                known = entry.kind in tuple(WarningKind)
                kind = WarningKind(entry.kind) if known else WarningKind.LAMP
                # Whether its cause lasts the shuffler says anew; until then a person may clear it.
                opened = OpenWarning(
                    entry.number, kind, entry.code, entry.text, entry.since_ns, active=False
                )
                warnings = (*self.warnings, opened)
                return replace(self, warnings=warnings, warnings_told=entry.number)
            case WarningClosed():
                left = tuple(one for one in self.warnings if one.number != entry.number)
                return replace(self, warnings=left)
            case _:
                assert_never(entry)


def carried(core: Core, ledger: Ledger) -> CoreState:
    """The state that another version's records leave to this one."""
    in_play = ledger.in_play if ledger.open else ""
    table = TableState(
        shoe_day=ledger.day,
        shoe_number=ledger.shoe,
        irregularities=ledger.irregularities,
        opening=replace(NOTHING_RECORDED, last_batch=in_play or ledger.last_played),
        # Where a batch stands in its life is this version's to be told anew, not to guess.
        lineage=Lineage(
            in_play=in_play,
            last_played=ledger.last_played,
            warnings=ledger.warnings,
            warnings_told=ledger.warnings_told,
        ),
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
