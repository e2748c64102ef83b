"""Deals shoes under a simulated clock into a journal, each sealed when it is over."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.core.build import build_core
from controller.core.settings import DeviceSettings, Settings
from controller.core.state import Stored
from controller.core.tape.inputs import Input, Started
from controller.journal.store import Journal
from controller.procedure.rulebook import ObservableFact
from controller.rules.profiles.load import load_clauses
from controller.table.loop import Loop
from foundation.timestamp import Timestamp
from hil.dealing.actions import DealerAction, MistakeMade, NewShoe, PressResult
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.rig.shoe_runner import Outlet, Pace, ShoeRunner
from hil.simulation.table import SimulatedOutlet, SimulatedTable

EXIT: Final = "exit"
DECISIONS_MAX: Final = 12
# About a dozen shoes make a gaming day.
PACE: Final = Pace(between_shoes_ns=100 * 60 * 1_000_000_000)
_SHOE: Final = DeviceSettings(EXIT, "angel-eye-ii-ex")


@dataclass(frozen=True, slots=True)
class DealtTable:
    """What to deal, and the table's name."""

    dealer: DealerSettings
    table: str = "SIM-1"
    profile: str = "s42-mini"
    pace: Pace = PACE


def deal_inputs(dealt: DealtTable) -> tuple[Input, ...]:
    """All inputs of a run that deals this; after each mistake a floorperson decides."""
    settings = Settings(
        table=dealt.table,
        pit="bench",
        decks=dealt.dealer.decks,
        gaming_day_start_s=6 * 3600,
        observed=(ObservableFact.RESULT_BUTTON,),
        shoe=_SHOE,
    )
    shoe = AngelEye()
    table = SimulatedTable(settings, dealt.profile, {EXIT: shoe})

    def decide(action: DealerAction) -> None:
        if not isinstance(action, MistakeMade | NewShoe | PressResult):
            return
        for _ in range(DECISIONS_MAX):
            if not table.state.table.open_irregularities:
                return
            table.resolve_if_permitted()

    ShoeRunner(
        Dealer(dealt.dealer),
        cast("Outlet", SimulatedOutlet(table, shoe, lambda: shoe.idle)),
        dealt.pace,
        on_action=decide,
        pause=table.advance,
    ).run()
    table.settle(lambda: shoe.idle)
    return tuple(table.inputs)


def write_sealed_journal(folder: Path, dealt: DealtTable, key: Path | None = None) -> None:
    """Deal into a new journal in `folder`; `key` signs and is made if it does not exist."""
    store_sealed(folder, deal_inputs(dealt), dealt.table, key)


def store_sealed(
    folder: Path, inputs: Sequence[Input], table: str, key: Path | None = None
) -> None:
    """Store a table's inputs in a new journal in `folder`, each shoe sealed when it is over."""
    started, *rest = inputs
    assert isinstance(started, Started)
    at = _InputClock(started.at)
    core = build_core(started, load_clauses())
    signing = SigningSettings(key or folder / "no.key", sign=key is not None)
    sealer = Sealer(table, signing, at.read)
    with Journal.open(folder) as journal:
        sealer.begin(journal)
        loop = Loop(journal, core, core.initial(), at.read)
        stored: Stored | None = loop.begin(started)
        for item in rest:
            note_evidence(sealer, stored, journal)
            at.now = item.at
            loop.take(item)
            stored = loop.store_if_due()
        for last in (stored, loop.store_if_due(force=True)):
            note_evidence(sealer, last, journal)
        sealer.end(journal.head)


def note_evidence(sealer: Sealer, stored: Stored | None, journal: Journal) -> None:
    """Seal what was stored just now, in one thread. Raises JournalWriteFailed."""
    if stored is not None:
        sealer.stored(stored)
    sealer.move_made(journal)


@dataclass(slots=True)
class _InputClock:
    """A clock that shows the time of the newest input."""

    now: Timestamp

    def read(self) -> Timestamp:
        return self.now
