"""A damaged write-ahead log refuses a start; the torn end that a power cut leaves does not.

Source: SQLite documentation, "WAL-mode File Format".
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.store import Journal, JournalError
from controller.journal.wal_check import LogEnd, log_end

HEADER, FRAME = 32, 24 + 512
COMMITS = 6


@pytest.fixture
def folder_of_killed_program(fast_dir: Path, begun_log: Callable[[Path], None]) -> Path:
    """A killed program's folder: each record is a commit in the log, none in live.db."""
    folder = fast_dir / "folder_of_killed_program"
    with Journal.open(fast_dir / "table") as journal:
        for number in range(COMMITS):
            journal.append([b"record %d" % number])
        shutil.copytree(fast_dir / "table", folder)
    begun_log(folder)
    return folder


def frames(folder: Path) -> int:
    return ((folder / "live.db-wal").stat().st_size - HEADER) // FRAME


def flip(folder: Path, at: int) -> None:
    log = folder / "live.db-wal"
    data = bytearray(log.read_bytes())
    data[at] ^= 4
    log.write_bytes(data)


def stored(folder: Path) -> list[bytes]:
    with Journal.open(folder) as journal:
        assert journal.verify_all() is None
        return [item.record for item in journal.records()]


WHOLE = [b"record %d" % number for number in range(COMMITS)]


def test_a_killed_program_leaves_a_clean_log(folder_of_killed_program: Path) -> None:
    assert (
        log_end(folder_of_killed_program / "live.db-wal", frames(folder_of_killed_program))
        is LogEnd.CLEAN
    )
    assert stored(folder_of_killed_program) == WHOLE


# A writer that appends without pause while another process opens its journal again and again.
WRITING = """
import subprocess, sys
from pathlib import Path
from controller.journal.store import Journal
folder = Path(sys.argv[1])
with Journal.open(folder) as journal:
    journal.append([b"first"])
    reader = subprocess.Popen([sys.executable, "-c", sys.argv[2], str(folder)])
    while reader.poll() is None:
        journal.append([b"next"])
    sys.exit(reader.returncode)
"""
READING = """
import sys
from pathlib import Path
from controller.journal.store import open_read_only
for _ in range(300):
    with open_read_only(Path(sys.argv[1])) as journal:
        assert next(journal.records()).record == b"first"
"""


def test_a_reader_does_not_disturb_the_writer(fast_dir: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WRITING, str(fast_dir / "table"), READING],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("place", [0, 5, 12, 18, 26, HEADER + 9, HEADER + 17, HEADER + 300])
def test_damage_before_durable_commits_refuses_the_start(
    folder_of_killed_program: Path, place: int
) -> None:
    flip(folder_of_killed_program, place)
    with pytest.raises(JournalError, match=r"live\.db-wal: the log is damaged before its end"):
        Journal.open(folder_of_killed_program)


@pytest.mark.parametrize("place", [0, 6, 9, 17, 24, 1047])
def test_damage_in_each_commit_but_the_last_two_refuses_the_start(
    folder_of_killed_program: Path, place: int
) -> None:
    at = HEADER + (frames(folder_of_killed_program) - 3) * FRAME + place
    flip(folder_of_killed_program, at)
    with pytest.raises(JournalError, match="Remedy: keep both files as they are"):
        Journal.open(folder_of_killed_program)


def test_a_refused_start_leaves_both_files_as_they_are(folder_of_killed_program: Path) -> None:
    """So that the next start refuses, too, and the records behind the damage are not lost."""
    flip(folder_of_killed_program, HEADER + 300)
    before = [(folder_of_killed_program / name).read_bytes() for name in ("live.db", "live.db-wal")]
    for _ in range(2):
        with pytest.raises(JournalError, match="the log is damaged before its end"):
            Journal.open(folder_of_killed_program)
        after = [
            (folder_of_killed_program / name).read_bytes() for name in ("live.db", "live.db-wal")
        ]
        assert after == before


def test_a_torn_last_commit_is_dropped_and_a_new_log_begins(folder_of_killed_program: Path) -> None:
    flip(folder_of_killed_program, HEADER + (frames(folder_of_killed_program) - 1) * FRAME + 100)

    with Journal.open(folder_of_killed_program) as journal:
        assert journal.head.seq == COMMITS - 1
        assert (folder_of_killed_program / "live.db-wal").stat().st_size == 0
        journal.append([b"again"])
        shutil.copytree(folder_of_killed_program, folder_of_killed_program.with_name("again"))
    assert stored(folder_of_killed_program.with_name("again")) == [*WHOLE[:-1], b"again"]


def test_a_log_that_is_cut_off_is_an_older_journal(folder_of_killed_program: Path) -> None:
    log = folder_of_killed_program / "live.db-wal"
    log.write_bytes(
        log.read_bytes()[: HEADER + (frames(folder_of_killed_program) - 2) * FRAME + 50]
    )
    assert stored(folder_of_killed_program) == WHOLE[:-2]


def test_frames_of_an_earlier_log_are_not_damage(fast_dir: Path) -> None:
    folder, folder_of_killed_program = fast_dir / "table", fast_dir / "folder_of_killed_program"
    with Journal.open(folder) as journal:
        for _ in range(4):
            journal.append([bytes(3000)] * 400)  # more than is kept in the log at a time
        journal.append([b"last"])
        shutil.copytree(folder, folder_of_killed_program)

    assert stored(folder_of_killed_program)[-1] == b"last"
