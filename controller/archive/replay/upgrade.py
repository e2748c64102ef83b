"""What one software version takes over from another: numbering, and whether a shoe is open.

It is read from entries whose names are stable, so a new version need not understand the old state.
Source: D-22.
"""

from typing import Final, assert_never

from msgspec import Struct
from msgspec.structs import replace

from controller.core.core import Core
from controller.core.state import CoreState
from controller.core.tape.entries import Entry, EventVerdicts, RunBegan
from controller.custody.batch_life.facts import StageChange
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Lineage, OpenWarning
from controller.journal.encoding import Codec
from controller.procedure.acts.recording import CARDS_IN_A_DECK
from controller.procedure.effects import (
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
from controller.procedure.verdicts import Irregularity


class UpgradeLedger(Struct, frozen=True):
    """Numbering and open matters, derived from entries alone.

    `cards` counts the cards since the burn or the last coup ended; `burning`: the burn of the open
    shoe is not finished. `profile`, `decks` and `observed` are the settings of the last run.
    `in_play` is the batch of the open shoe as the shuffler reported it, `last_played` that of the
    last coup. `warnings` are the shuffler's open warnings, `warnings_told` the number of the latest
    one.
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
    warnings_given: int = 0

    def after(self, entry: Entry) -> "UpgradeLedger":
        """The ledger with one more entry."""
        match entry:
            case EventVerdicts():
                drawn = isinstance(entry.event, CardDrawn)
                numbers = [v.number for v in entry.verdicts if isinstance(v, Irregularity)]
                if not (drawn or numbers):
                    return self
                highest = max([self.irregularities, *numbers])
                return replace(self, cards=self.cards + drawn, irregularities=highest)
            case ShoeOpened():
                opened_shoe = replace(
                    self, coups=0, cards=0, open=True, burning=not entry.joined, in_play=""
                )
                return replace(opened_shoe, day=entry.gaming_day, shoe=entry.shoe)
            case RunBegan():
                settings = replace(self, profile=entry.profile, decks=entry.decks)
                return replace(settings, observed=entry.observed)
            case BurnDone():
                return replace(self, cards=0, burning=False)
            case ShoeEnded():
                return replace(self, open=False, cards=0, burning=False)
            case CoupClosed():
                closed = replace(self, coups=entry.record.coup, cards=0, burning=False)
                return replace(closed, last_played=self.in_play)
            case StageChange() | WarningOpened() | WarningClosed():
                return self._after_shuffler_entry(entry)
            case _:
                return self

    def _after_shuffler_entry(
        self, entry: StageChange | WarningOpened | WarningClosed
    ) -> "UpgradeLedger":
        match entry:
            case StageChange():
                dealt = entry.after is BatchStage.IN_PLAY
                return replace(self, in_play=entry.batch) if dealt else self
            case WarningOpened():
                # Whether its cause lasts, the shuffler reports again; until then a person may
                # clear it.
                opened = OpenWarning(
                    entry.number, entry.kind, entry.code, entry.text, entry.since_ns, active=False
                )
                warnings = (*self.warnings, opened)
                return replace(self, warnings=warnings, warnings_given=entry.number)
            case WarningClosed():
                left = tuple(one for one in self.warnings if one.number != entry.number)
                return replace(self, warnings=left)
            case _:
                assert_never(entry)


LEDGERS: Final[Codec[UpgradeLedger]] = Codec(UpgradeLedger)


def carried_over_state(core: Core, ledger: UpgradeLedger) -> CoreState:
    """The state with which this version continues after another version's records."""
    in_play = ledger.in_play if ledger.open else ""
    table = TableState(
        shoe_day=ledger.day,
        shoe_number=ledger.shoe,
        irregularities=ledger.irregularities,
        # The stage of each batch is not guessed: it has to be reported again.
        lineage=Lineage(
            last_dealt=in_play or ledger.last_played,
            dealing=bool(in_play),
            last_played=ledger.last_played,
            warnings=ledger.warnings,
            warnings_given=ledger.warnings_given,
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
        phase = Phase.PARTIAL if coup is not None else Phase.BETWEEN_COUPS
        if ledger.burning:
            # The number of burn cards still owed is unknown and is not guessed.
            phase = Phase.BURN_UNCOUNTED
            shoe = replace(shoe, burn_proven=False)
        table = replace(table, phase=phase, shoe=shoe, today=ledger.day)
    return replace(core.initial(), table=table)
