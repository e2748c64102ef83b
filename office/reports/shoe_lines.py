"""What happened to a shoe itself, beside its coups: burn, cut card, batch, settings, warnings."""

from collections.abc import Iterator
from typing import Final

from controller.core.tape.entries import BatchBound, EventVerdicts, RunBegan
from controller.custody.batch_life.facts import ShuffleRecorded, StageChange
from controller.procedure.effects import (
    BurnDone,
    SettingChanged,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import CutCardDrawn
from office.evidence.sealed_shoe import ShoeEntry
from office.evidence.timeline import TimelineLine, entry_lines
from office.reports.shoes import ReportedShoe

_OF_THE_SHOE: Final = (
    *(RunBegan, ShoeOpened, BurnDone, ShoeEnded, ShuffleRecorded, StageChange, BatchBound),
    *(SettingChanged, WarningOpened, WarningClosed),
)


def shoe_lines(shoe: ReportedShoe) -> Iterator[TimelineLine]:
    """A sentence for each, in order, with its entry and the clauses it cites."""
    for one in shoe.shoe.entries:
        if isinstance(one.entry, BatchBound):
            yield TimelineLine(one, f"The cards of batch {one.entry.batch} are tracked from now.")
        elif isinstance(one.entry, _OF_THE_SHOE):
            yield from entry_lines(one)
        elif isinstance(one.entry, EventVerdicts) and isinstance(one.entry.event, CutCardDrawn):
            yield TimelineLine(one, "A cut card left the shoe.", _verdict_clauses(one))


def _verdict_clauses(one: ShoeEntry) -> tuple[str, ...]:
    verdicts = one.entry.verdicts if isinstance(one.entry, EventVerdicts) else ()
    return tuple(dict.fromkeys(clause for verdict in verdicts for clause in verdict.clauses))
