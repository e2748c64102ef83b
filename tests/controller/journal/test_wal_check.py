"""A damaged log is told from the torn end that a power cut leaves.

Responsible for: damage before durable commits refusing a start, and the end of one commit, torn or
missing, refusing nothing.
Source: SQLite documentation, "WAL-mode File Format"; controller/journal/README.md, "Durability".
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from controller.journal.store import Journal, JournalError
from controller.journal.verify import verify
from controller.journal.wal_check import LogEnd, log_end

HEADER, FRAME = 32, 24 + 4096
COMMITS = 6


@pytest.fixture
def killed(fast_dir: Path) -> Path:
    """A folder as a killed program leaves it: each record a commit in the log, none copied."""
    folder = fast_dir / "killed"
    with Journal.open(fast_dir / "table") as journal:
        for number in range(COMMITS):
            journal.append([b"record %d" % number])
        shutil.copytree(fast_dir / "table", folder)
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


def test_a_killed_program_leaves_a_clean_log(killed: Path) -> None:
    assert log_end(killed / "live.db-wal", frames(killed)) is LogEnd.CLEAN
    assert stored(killed) == WHOLE


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


def test_a_reader_beside_a_writer_takes_nothing_from_under_it(fast_dir: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WRITING, str(fast_dir / "table"), READING],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("place", [0, 5, 12, 18, 26, HEADER + 9, HEADER + 17, HEADER + 300])
def test_damage_before_durable_commits_refuses_the_start(killed: Path, place: int) -> None:
    flip(killed, place)
    with pytest.raises(JournalError, match=r"live\.db-wal: the log is damaged before its end"):
        Journal.open(killed)


@pytest.mark.parametrize("place", [0, 6, 9, 17, 24, 4119])
def test_damage_in_each_commit_but_the_last_two_refuses_the_start(killed: Path, place: int) -> None:
    at = HEADER + (frames(killed) - 3) * FRAME + place
    flip(killed, at)
    with pytest.raises(JournalError, match="Keep both files as they are"):
        Journal.open(killed)


def test_a_torn_last_commit_is_left_out_and_the_log_begins_anew(killed: Path) -> None:
    flip(killed, HEADER + (frames(killed) - 1) * FRAME + 100)

    with Journal.open(killed) as journal:
        assert journal.head.seq == COMMITS - 1
        assert (killed / "live.db-wal").stat().st_size == 0
        journal.append([b"again"])
        shutil.copytree(killed, killed.with_name("again"))
    assert stored(killed.with_name("again")) == [*WHOLE[:-1], b"again"]


def test_a_log_that_is_cut_off_is_an_older_journal(killed: Path) -> None:
    log = killed / "live.db-wal"
    log.write_bytes(log.read_bytes()[: HEADER + (frames(killed) - 2) * FRAME + 50])
    assert stored(killed) == WHOLE[:-2]


def test_frames_of_an_earlier_log_in_the_same_file_are_no_damage(fast_dir: Path) -> None:
    folder, killed = fast_dir / "table", fast_dir / "killed"
    with Journal.open(folder) as journal:
        for _ in range(4):
            journal.append([bytes(3000)] * 400)  # more than is kept in the log at a time
        journal.append([b"last"])
        shutil.copytree(folder, killed)

    assert stored(killed)[-1] == b"last"


# --- the verifier, on files copied from a table that does not run ---------------------------------


def told(folder: Path) -> list[str]:
    (folder / "live.db-shm").unlink()
    return [f"{problem.file}: {problem.what}" for problem in verify(folder).problems]


@pytest.mark.parametrize("place", [0, 5, 12, 18, 26, HEADER + 9, HEADER + 17, HEADER + 300])
def test_the_verifier_says_that_records_after_the_damage_are_cut_off(
    killed: Path, place: int
) -> None:
    flip(killed, place)
    assert told(killed) == [
        "live.db-wal: damaged before its end: records stored after that place are cut off"
    ]


def test_to_the_verifier_a_torn_last_commit_is_what_a_power_cut_leaves(killed: Path) -> None:
    flip(killed, HEADER + (frames(killed) - 1) * FRAME + 100)
    assert told(killed) == []
