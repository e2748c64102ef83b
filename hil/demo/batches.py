"""The batches of a demo with an RFID shoe: enrols them, and reads where their cards ended.

Source: hil/README.md, "The demo"; controller/commissioning/README.md, "The batch file";
controller/views/README.md, "Snapshot".
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import asdict

from controller.views.snapshot import Snapshot
from controller.views.snapshot_devices import BatchCardsView
from hil.dealing.tags import usual_batches
from hil.demo.plan import DECKS
from hil.rig.program import PROGRAM, ProgramFailed

FOLDER = "batches"
KEY = "table.key"
MAKER = "the bench"
OPERATOR = "demonstration"


@dataclass(frozen=True, slots=True)
class BatchPlaces:
    """One batch: the number of its cards in each place; empty places are left out."""

    batch: str
    back: str
    places: tuple[tuple[str, int], ...]

    @property
    def cards(self) -> int:
        return sum(count for _, count in self.places)


def make_key(folder: Path) -> None:
    """Make the table's key. Raises ProgramFailed."""
    run_command("keys", "make", str(folder / KEY))


def enrol(folder: Path) -> None:
    """Import both batches, with a receipt by the table's key. Raises ProgramFailed."""
    key, batches = folder / KEY, folder / FOLDER
    for batch in usual_batches(DECKS):
        delivered = folder / f"{batch.name}.delivered.csv"
        delivered.write_text(batch.csv(), encoding="utf-8")
        where = ("--folder", str(batches), "--key", str(key))
        who = ("--maker", MAKER, "--operator", OPERATOR)
        run_command("batch", "import", str(delivered), *who, *where)


def batch_places(table: Snapshot) -> tuple[BatchPlaces, ...]:
    """Where the cards of each batch are by a snapshot; empty if the table tracks no cards."""
    return tuple(map(_batch_places, table.custody.batches))


def _batch_places(batch: BatchCardsView) -> BatchPlaces:
    places = tuple((place, count) for place, count in asdict(batch.cards).items() if count)
    return BatchPlaces(batch.batch, batch.back, places)


def run_command(*words: str) -> None:
    """Run one of the program's commands. Raises ProgramFailed."""
    done = subprocess.run(
        [*PROGRAM, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    if done.returncode != 0:
        why = (done.stderr or done.stdout).strip()
        raise ProgramFailed(f"smartshoe {' '.join(words[:2])} failed: {why}")
