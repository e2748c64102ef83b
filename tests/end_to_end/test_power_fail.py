"""The power fails in the middle of a coup: all is stored, the head is signed, the next run goes on.

Source: signal(7), SIGPWR.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from controller.archive.replay.report import ReplayFinding, replay
from controller.core.tape.entries import PowerFailRecorded
from controller.core.tape.inputs import PowerFailing, PowerSign
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.evidence_log.leaf import LeafKind
from controller.journal.evidence_log.log import leaves_newest_first
from controller.journal.log_database import LogDatabase
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from hil.rig.program import Program

# A second is promised on a machine of its own; tests share theirs.
STORED_STILL_S = 5.0


def stored(journal: Path) -> list[object]:
    with open_read_only(journal) as reader:
        values: list[object] = []
        for one in reader.records():
            item = read_input(one.record)
            values.extend(inputs_in(item) if item is not None else [read_entry(one.record)])
        return values


def leaf_kinds(journal: Path) -> list[LeafKind]:
    with LogDatabase.open_read_only(journal) as log:
        return [one.kind for one in leaves_newest_first(log)]


def test_the_sign_is_the_last_record_and_the_journal_is_whole(
    fast_dir: Path, program_on: Callable[..., Program]
) -> None:
    journal = fast_dir / "journal"
    with program_on(fast_dir, "socket://127.0.0.1:9") as program:
        program.start()
        os.kill(program.pid, signal.SIGPWR)
        assert program.wait_for_end(STORED_STILL_S) == 0
        log = program.log_text()

    sign, entry = stored(journal)[-2:]
    assert isinstance(sign, PowerFailing)
    assert (sign.sign, entry) == (PowerSign.SIGNAL, PowerFailRecorded(PowerSign.SIGNAL))
    assert "the power fails (by signal): the table stores what waits and ends" in log
    assert leaf_kinds(journal)[0] is LeafKind.STOP
    assert verify(journal).intact
    assert replay(journal).finding is ReplayFinding.SAME


def test_the_next_run_goes_on_without_a_word(
    fast_dir: Path, program_on: Callable[..., Program]
) -> None:
    with program_on(fast_dir, "socket://127.0.0.1:9") as program:
        program.start()
        os.kill(program.pid, signal.SIGPWR)
        assert program.wait_for_end() == 0
        program.start()
        assert not program.snapshot().irregularities
        program.stop()
