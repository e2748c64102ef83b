"""Reads the records of a journal's folder, sealed and live: the runs and the facts they hold."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import Started
from controller.core.tape.records import ENTRIES, inputs_in, read_entry, read_input
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.journal.encoding import Codec
from controller.journal.store import open_read_only
from controller.journal.values import StoredRecord
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupCorrected,
    ResolutionRecorded,
    ShoeEnded,
    ShoeOpened,
)
from controller.procedure.verdicts import Irregularity
from hil.crash.world import EarlierRun

# Conclusions that are recorded once, however often the program started again.
ONCE: Final = (
    *(CoupClosed, CoupCorrected, BurnDone),
    *(ShoeOpened, ShoeEnded, ResolutionRecorded),
)
IRREGULARITIES: Final[Codec[Irregularity]] = Codec(Irregularity)


def stored_records(folder: Path) -> tuple[StoredRecord, ...]:
    """All records, each once. Raises JournalError."""
    with open_read_only(folder) as journal:
        return tuple(journal.records())


def runs_in(records: Iterable[StoredRecord]) -> tuple[EarlierRun, ...]:
    """The runs that stored something, with the number of inputs of each."""
    runs: list[EarlierRun] = []
    for stored in records:
        item = read_input(stored.record)
        if isinstance(item, Started):
            runs.append(EarlierRun(0, item.boot_id))
        if item is not None:
            last = runs.pop()
            runs.append(EarlierRun(last.inputs + len(inputs_in(item)), last.boot_id))
    return tuple(runs)


def facts_in(records: Sequence[StoredRecord]) -> tuple[bytes, ...]:
    """Encoded facts on coups, shoes, burns, shuffles, decisions and irregularities, in order."""
    facts: list[bytes] = []
    for stored in records:
        entry = read_entry(stored.record)
        if isinstance(entry, ShuffleRecorded):
            # Its proof holds times, which a restart shifts.
            proof = entry.proof
            facts.append(f"{entry.batch} {proof.cycle} {proof.count} {proof.result}".encode())
        elif isinstance(entry, ONCE):
            facts.append(ENTRIES.encode(entry))
        elif isinstance(entry, EventVerdicts):
            facts.extend(
                IRREGULARITIES.encode(one)
                for one in entry.verdicts
                if isinstance(one, Irregularity)
            )
    return tuple(facts)
