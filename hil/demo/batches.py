"""The batches of a demo with an RFID shoe: enrolled before, and told of after.

Responsible for: the table's key and two batch files, taken over by the program's own commands as at
any table; where all cards were at the end, as the table shows it.
Not responsible for: the cards (hil.dealing.tags) and following them (the program's custody).
Source: package README, "The demo"; controller/README.md, "The batch file", "Snapshot".
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from controller.views.snapshot_reader import Shown
from hil.dealing.tags import usual_batches
from hil.demo.plan import DECKS
from hil.rig.program import PROGRAM, ProgramFailed

FOLDER = "batches"
KEY = "table.key"
MAKER = "the bench"
OPERATOR = "demonstration"


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """One batch: how many of its cards are in which place; empty places are left out."""

    batch: str
    back: str
    places: tuple[tuple[str, int], ...]

    @property
    def cards(self) -> int:
        return sum(count for _, count in self.places)


def make_key(folder: Path) -> None:
    """Make the table's key. Raises ProgramFailed."""
    program_command("keys", "make", str(folder / KEY))


def enrol(folder: Path) -> None:
    """Take both batches over, with a receipt by the table's key. Raises ProgramFailed."""
    key, batches = folder / KEY, folder / FOLDER
    for batch in usual_batches(DECKS):
        delivered = folder / f"{batch.name}.delivered.csv"
        delivered.write_text(batch.csv(), encoding="utf-8")
        where = ("--folder", str(batches), "--key", str(key))
        who = ("--maker", MAKER, "--operator", OPERATOR)
        program_command("batch", "import", str(delivered), *who, *where)


def whereabouts(table: Shown) -> tuple[Whereabouts, ...]:
    """Where the cards of each batch are, by a snapshot."""
    custody = table.part("custody")
    if custody is None:
        return ()
    return tuple(_whereabouts(one) for one in custody.parts("batches"))


def _whereabouts(batch: Shown) -> Whereabouts:
    cards = batch.part("cards") or Shown({})
    counted = tuple((place, cards.number(place)) for place in cards.values)
    places = tuple((place, count) for place, count in counted if count)
    return Whereabouts(batch.text("batch"), batch.text("back"), places)


def program_command(*words: str) -> None:
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
