"""A table that keeps its evidence log as the program does, run by run."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.core.tape.inputs import Started
from controller.journal.evidence_log.leaf import Leaf
from controller.journal.evidence_log.log import leaves_newest_first
from controller.journal.log_database import LogDatabase
from controller.journal.store import Journal
from controller.table.loop import Loop
from hil.simulation.sealed_journal import note_evidence

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")


class LoggedTable:
    """A table that stores a script's inputs and logs them as the program does."""

    def __init__(self, folder: Path, script) -> None:
        self.folder = folder
        self.script = script
        self.given = 0
        self.loop: Loop | None = None

    def run(self, *, stop: bool = True) -> "LoggedTable":
        """One run over what the script has said since; without `stop` it is killed at the end."""
        with self.running(stop=stop):
            pass
        return self

    @contextmanager
    def running(self, *, stop: bool = True) -> Iterator[Sealer]:
        """The table still runs, after what the script has said since."""
        script = self.script
        sealer = Sealer("M7", SigningSettings(self.folder / "table.key"), lambda: script.at)
        with Journal.open(self.folder) as journal:
            sealer.begin(journal)
            loop = Loop(journal, script.core, script.core.initial(), lambda: script.at)
            if self.loop is not None:
                loop.state, loop._started_seq = self.loop.state, 1
                loop._software = self.loop._software
            for item in script.inputs[self.given :]:
                if isinstance(item, Started):
                    stored = loop.begin(item)
                else:
                    loop.take(item)
                    stored = loop.store_if_due(force=True)
                note_evidence(sealer, stored, journal)
            yield sealer
            sealer.end(journal.head if stop else None)
        self.given, self.loop = len(script.inputs), loop

    def leaves(self) -> list[Leaf]:
        with LogDatabase.open_read_only(self.folder) as log:
            return list(leaves_newest_first(log))[::-1]

    def kinds(self) -> list[str]:
        return [one.kind.value for one in self.leaves()]

    def execute(self, *statements: str, file: str = "live.db") -> None:
        with closing(sqlite3.connect(self.folder / file)) as database, database:
            for one in statements:
                database.execute(one)


@pytest.fixture
def logged(fast_dir: Path, script) -> Callable[..., LoggedTable]:
    """A table that has dealt two coups of a shoe, and more."""

    def made(*more: str) -> LoggedTable:
        dealt = script().begun().reported(*OPENING, *COUP, *COUP, *more)
        return LoggedTable(fast_dir / "journal", dealt)

    return made
