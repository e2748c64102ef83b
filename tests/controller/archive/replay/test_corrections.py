"""A corrected coup after a restart and in a replay: the same facts, and one continuation.

Source: D-42, D-22.
"""

from pathlib import Path

import pytest

from controller.archive.replay.recovery import recover
from controller.archive.replay.report import ReplayFinding, replay
from controller.core.tape.records import read_entry
from controller.journal.store import Journal, open_read_only
from controller.procedure.effects import CoupCorrected
from controller.rules.actions.actions import CorrectCoup
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_clauses

NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")


def corrections_in(folder: Path) -> list[tuple[int, Outcome]]:
    with open_read_only(folder) as journal:
        entries = [read_entry(stored.record) for stored in journal.records()]
    return [(one.coup, one.outcome) for one in entries if isinstance(one, CoupCorrected)]


@pytest.fixture
def corrected(script):
    """Two coups, a correction of the first, and cards of the third."""
    table = script().begun().reported(*NEW_SHOE, *COUP, *COUP)
    table.acted(CorrectCoup(1, Outcome.TIE, "S. Veil"))
    return table.reported(*COUP[:2])


def test_a_restart_after_a_correction_continues_where_the_table_was(corrected, record) -> None:
    with Journal.open(record(corrected)) as journal:
        assert recover(journal, load_clauses()).state == corrected.state


def test_a_coup_is_corrected_again_after_a_restart(corrected, record) -> None:
    corrected.begun(boot_id="boot-2").reported(*COUP[2:])
    corrected.acted(CorrectCoup(1, Outcome.BANKER, "S. Veil"))
    folder = record(corrected)

    assert corrections_in(folder) == [(1, Outcome.TIE), (1, Outcome.BANKER)]
    assert corrected.state.table.shoe.finished_coup(1).outcome is Outcome.BANKER
    with Journal.open(folder) as journal:
        assert recover(journal, load_clauses()).state == corrected.state


def test_a_replay_of_corrections_is_the_same(corrected, record) -> None:
    corrected.acted(CorrectCoup(2, Outcome.PLAYER, "S. Veil"))
    corrected.acted(CorrectCoup(2, Outcome.TIE, "A. Floor"))

    report = replay(record(corrected))

    assert (report.finding, report.differences) == (ReplayFinding.SAME, ())
