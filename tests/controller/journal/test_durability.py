"""Acknowledged records survive a crash, and records that cannot be stored are not acknowledged.

Not: power cuts; a killed process leaves the page cache intact.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.store import Journal

WRITER = """
import sys
from pathlib import Path
from controller.journal.store import Journal, SavedState
journal = Journal.open(Path(sys.argv[1]))
for number in range(journal.head.seq + 1, 10**9):
    state = SavedState.of(number, 1, "1.0", b"%d" % number) if number % 5 == 0 else None
    journal.append([b"record %d" % number], state)
    print(number, flush=True)
"""


def run_and_kill_writer(folder: Path, after: int) -> int:
    """Run a writer and kill it after `after` more records; returns the last acknowledged one."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, folder], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        for _ in range(after):
            writer.stdout.readline()
        writer.kill()
        rest = writer.stdout.read()
    assert writer.returncode == -signal.SIGKILL
    return int(rest.rpartition("\n")[0].rpartition("\n")[2] or 0)


def test_ten_kills_lose_no_acknowledged_record(tmp_path: Path) -> None:
    for kill in range(10):
        acknowledged = run_and_kill_writer(tmp_path, 1 + 3 * kill)
        with Journal.open(tmp_path) as journal:
            assert journal.head.seq >= acknowledged
            assert journal.verify_all() is None
            assert [item.record for item in journal.records()] == [
                b"record %d" % number for number in range(1, journal.head.seq + 1)
            ]
            saved_state = journal.saved_state()
            assert saved_state is None or journal.head.seq - saved_state.seq < 5


# --- a disk that does not take it ----------------------------------------------------------------

UNTIL_FULL = """
import resource, signal, sys
from pathlib import Path
from controller.journal.store import Journal, JournalWriteFailed
journal = Journal.open(Path(sys.argv[1]))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
for again in (False, True):
    try:
        for _ in range(1000):
            journal.append([bytes(1000)] * 3)
    except JournalWriteFailed as error:
        print(journal.head.seq, error)
"""


def append_until_failure(folder: Path, file_bytes_max: int) -> tuple[int, str, str]:
    """Append until it fails, and once more; returns records acknowledged and both errors."""
    done = subprocess.run(
        [sys.executable, "-c", UNTIL_FULL, folder, str(file_bytes_max)],
        check=True,
        capture_output=True,
        text=True,
    )
    first, second = (line.partition(" ") for line in done.stdout.splitlines())
    assert first[0] == second[0]
    return int(first[0]), first[2], second[2]


def test_a_file_that_may_not_grow_fails_closed(tmp_path: Path) -> None:
    acknowledged, failed, again = append_until_failure(tmp_path, 200_000)

    assert "the disk reports an error" in failed
    assert "nothing was done because of it" in failed
    assert "Since then nothing is stored" in again
    with Journal.open(tmp_path) as journal:
        assert journal.head.seq == acknowledged > 30
        assert journal.verify_all() is None


@pytest.fixture(params=["ordinary", pytest.param("small", marks=pytest.mark.needs("mount"))])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """An ordinary folder, or a disk of one megabyte."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if request.param == "ordinary":
        yield folder
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_keeps_acknowledged_records_and_works_again_with_room(disk: Path) -> None:
    is_small = disk.is_mount()
    acknowledged, failed, again = append_until_failure(disk, -1 if is_small else 1_000_000)
    if is_small:
        assert "the disk is full" in failed
        assert "Nothing was stored, and nothing was done because of it" in failed
        subprocess.run(["mount", "-o", "remount,size=9m", disk], check=True)

    assert "Since then nothing is stored" in again
    with Journal.open(disk) as journal:
        assert journal.head.seq == acknowledged > 30
        assert journal.verify_all() is None
        journal.append([b"goes on"])


READ_ONLY = """
import os, sys
from pathlib import Path
from controller.journal.store import Journal, JournalError
if os.geteuid() == 0:
    os.setuid(65534)
try:
    Journal.open(Path(sys.argv[1]))
except JournalError as error:
    print(error)
"""


@pytest.mark.parametrize("existing", [False, True])
def test_a_folder_that_may_not_be_written_is_named(fast_dir: Path, existing: bool) -> None:
    folder = fast_dir / "table"
    folder.mkdir()
    if existing:
        Journal.open(folder).close()
    (folder / "lock").touch()
    fast_dir.chmod(0o755)
    folder.chmod(0o555)
    (folder / "lock").chmod(0o666)
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, folder], check=True, capture_output=True, text=True
    )
    folder.chmod(0o755)

    assert "live.db: cannot open the journal: " in done.stdout
    assert "belongs to this program's account" in done.stdout


# --- system calls of a commit ---------------------------------------------------------------------

STRACE = ("strace", "-f", "-qq", "-s", "0")
TRACE = "trace=write,pwrite64,fdatasync,fsync"

TRACED = """
import os, sys
from pathlib import Path
from controller.journal.store import Journal, SavedState
journal = Journal.open(Path(sys.argv[1]))
journal.append([b"first after opening"])
for number in range(2, 202):
    os.write(2, b"next")
    state = SavedState.of(number, 1, "1.0", bytes(2000)) if number % 5 == 0 else None
    journal.append([bytes(600)], state)
os.write(2, b"next")
os._exit(0)
"""


def commit_calls(trace: str) -> list[list[str]]:
    """The traced calls of each commit, without the marks between them."""
    return [part.splitlines() for part in re.split(r".*write\(2, .*\n", trace)[1:-1]]


@pytest.mark.needs("strace")
def test_a_commit_is_one_sync_and_at_most_twenty_kilobytes(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    subprocess.run(
        [*STRACE, "-o", trace, "-e", TRACE, sys.executable, "-c", TRACED, tmp_path / "table"],
        check=True,
        capture_output=True,
    )
    found = commit_calls(trace.read_text())
    syncs = [sum("sync(" in line for line in commit) for commit in found]
    volumes = sorted(
        sum(int(line.rpartition("= ")[2]) for line in commit if "pwrite64(" in line)
        for commit in found
    )

    assert len(found) == 200
    assert set(syncs) == {1}
    assert volumes[100] <= 2 * 4120
    assert sum(volumes) / len(volumes) <= 10_000
    assert volumes[-1] <= 25_000


@pytest.mark.needs("strace")
@pytest.mark.parametrize(
    ("fault", "raised"),
    [("fdatasync:error=EIO", "JournalWriteFailed"), ("pwrite64:error=ENOSPC", "DiskIsFull")],
)
def test_a_failing_disk_call_is_never_acknowledged(tmp_path: Path, fault: str, raised: str) -> None:
    inject = ("-e", f"trace={fault.partition(':')[0]}", "-e", f"inject={fault}:when=60")
    done = subprocess.run(
        [*STRACE, "-o", os.devnull, *inject, sys.executable, "-c", WRITER, tmp_path],
        check=False,
        capture_output=True,
        text=True,
    )
    acknowledged = int(done.stdout.split()[-1])

    assert raised in done.stderr
    assert "nothing was done because of it" in done.stderr
    with Journal.open(tmp_path) as journal:
        assert acknowledged <= journal.head.seq <= acknowledged + 1
        assert journal.verify_all() is None


MOVED = """
import os, sys
from pathlib import Path
from controller.journal.encoding import GENESIS
from controller.journal.folder import shoe_path
from controller.journal.shoe_file import NO_SEAL, ShoeHeading, ShoeParts, shoe_bytes
from controller.journal.store import Base, Journal
folder = Path(sys.argv[1])
journal = Journal.open(folder)
journal.append([b"one", b"two"])
head, names = journal.head, ("Table 7", "0.5.0", "2026-11-21")
heading = ShoeHeading(
    *names, 1, 1, 2, GENESIS, head.chain, 1, 2, "", b"", 0, "", 1, True, "", "", 8, 0, 0
)
data = shoe_bytes(heading, b"", ShoeParts(b"", b"", (b"one", b"two")))
os.write(2, b"next")
journal.move_sealed(shoe_path(folder, names[2], 1), data, Base.of(head, NO_SEAL, (1, b"one")))
os.write(2, b"next")
os._exit(0)
"""


# The call, and the last name in it.
STEP = r"(mkdir|write|rename|fsync|pwrite64|fdatasync)\(.*/([^/\">]+)[\">]"


@pytest.mark.needs("strace")
def test_a_sealed_file_is_on_the_disk_before_its_records_leave_live_db(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    calls = TRACE + ",rename,renameat,renameat2,mkdir,openat"
    subprocess.run(
        [*STRACE, "-y", "-o", trace, "-e", calls, sys.executable, "-c", MOVED, tmp_path / "table"],
        check=True,
        capture_output=True,
    )
    move = re.split(r".*write\(2<.*\n", trace.read_text())[1].splitlines()
    done = [found.group(1, 2) for line in move if (found := re.search(STEP, line))]

    assert list(dict.fromkeys(done)) == [
        ("mkdir", "shoes"),
        ("mkdir", "2026-11-21"),
        ("write", "sealing.part"),
        ("fsync", "sealing.part"),
        ("rename", "0001.shoe"),
        ("fsync", "2026-11-21"),
        ("fsync", "shoes"),
        ("fsync", "table"),
        ("pwrite64", "live.db-wal"),
        ("fdatasync", "live.db-wal"),
    ]
