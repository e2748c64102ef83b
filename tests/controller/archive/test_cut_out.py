"""A kill, and then the newest records cut out: what the evidence log has of an irregularity.

Whoever does it has the account's rights, and no key of an earlier head.
"""

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.archive.log_writer import continue_log
from controller.archive.replay.recovery import recover
from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import Started
from controller.core.tape.records import read_entry
from controller.journal.evidence_log.leaf import LeafKind
from controller.journal.evidence_log.log import LogRefused, leaves_newest_first
from controller.journal.log_database import LogDatabase
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.verdicts import Irregularity
from controller.rules.profiles.load import load_clauses
from controller.table.loop import Loop
from hil.simulation.sealed_journal import note_evidence

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
OVERDRAWN = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")


class Killed:
    """A journal as a kill left it, when its newest leaf was durable."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def irregular_seq(self) -> int:
        """The record of its newest irregularity; 0 where it has none."""
        found = 0
        with Journal.open(self.folder) as journal:
            for one in journal.records():
                entry = read_entry(one.record)
                verdicts = entry.verdicts if isinstance(entry, EventVerdicts) else ()
                if any(isinstance(verdict, Irregularity) for verdict in verdicts):
                    found = one.seq
        return found

    @property
    def newest_spoken(self) -> int:
        """The newest record of which a leaf speaks."""
        with LogDatabase.open_read_only(self.folder) as log:
            return next(leaves_newest_first(log)).seq

    def cut_from(self, seq: int) -> None:
        """Delete the records from that one on, and the state that was saved after it."""
        with closing(sqlite3.connect(self.folder / "live.db")) as live, live:
            live.execute("DELETE FROM records WHERE seq >= ?", (seq,))
            live.execute("DELETE FROM checkpoint WHERE seq >= ?", (seq,))

    def start(self) -> list[IrregularityCode]:
        """The next start: what is open. Raises LogRefused."""
        with Journal.open(self.folder) as journal:
            continue_log(journal, "M7", 0, lambda _log: None).close()
            state = recover(journal, load_clauses()).state
        assert state is not None
        return [one.code for one in state.table.open_irregularities]


def ended(sealer: Sealer) -> None:
    """In place of a kill: the log ends as it is, without a stop."""
    sealer.end()


def killed_for_good(sealer: Sealer) -> None:
    """Ends this process by SIGKILL once the newest leaf is durable."""
    while sealer.log._waiting:
        os.sched_yield()
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(
    params=[ended, pytest.param(killed_for_good, marks=pytest.mark.full)],
    ids=["ended", "by SIGKILL"],
)
def kills(
    fast_dir: Path, script, request: pytest.FixtureRequest
) -> Iterator[Callable[[], list[Killed]]]:
    """The journals of a coup with a card too many, one for each transaction that was its last."""
    kill = request.param

    def killed() -> list[Killed]:
        dealt = script().begun().reported(*OPENING, *OVERDRAWN)
        found = []
        for number in range(1, len(dealt.inputs) + 1):
            folder = fast_dir / f"killed-{number}"
            if kill is ended:
                play(folder, dealt, number, kill)
            elif (child := os.fork()) == 0:
                play(folder, dealt, number, kill)
                os._exit(1)
            else:
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
            found.append(Killed(folder))
        return found

    yield killed
    for one in fast_dir.glob("killed-*"):
        shutil.rmtree(one)


def play(folder: Path, dealt, number: int, kill: Callable[[Sealer], None]) -> None:
    """Store so many inputs as the table does, and end as that says."""
    sealer = Sealer("M7", SigningSettings(folder / "table.key"), lambda: dealt.at)
    with Journal.open(folder) as journal:
        sealer.begin(journal)
        loop = Loop(journal, dealt.core, dealt.core.initial(), lambda: dealt.at)
        for item in dealt.inputs[:number]:
            if isinstance(item, Started):
                note_evidence(sealer, loop.begin(item), journal)
            else:
                loop.take(item)
                note_evidence(sealer, loop.store_if_due(force=True), journal)
        kill(sealer)


def test_an_irregularity_cannot_be_cut_out_behind_the_newest_leaf(kills) -> None:
    suspended = 0
    for one in kills():
        irregular = one.irregular_seq
        one.cut_from(one.newest_spoken + 1)

        report = verify(one.folder)
        assert report.problems == []
        assert one.irregular_seq == irregular
        if irregular:
            assert one.start() == [IrregularityCode.OVERDRAW]
            suspended += 1
    assert suspended


def test_an_irregularity_that_is_cut_out_with_its_leaf_left_is_missed(kills) -> None:
    for one in kills():
        if not (irregular := one.irregular_seq):
            continue
        one.cut_from(irregular)

        (problem,) = verify(one.folder).problems
        assert "are missing: the log speaks of them" in str(problem)
        with pytest.raises(LogRefused, match="records were removed"):
            one.start()


def test_each_irregularity_burn_and_opening_is_a_leaf(kills) -> None:
    with LogDatabase.open_read_only(kills()[-1].folder) as log:
        kinds = [one.kind for one in leaves_newest_first(log)][::-1]
    assert kinds == [
        LeafKind.COMMISSIONED,
        LeafKind.START,
        LeafKind.OPENING,
        LeafKind.BURN,
        LeafKind.IRREGULARITY,
    ]
