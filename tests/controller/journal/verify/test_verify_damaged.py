"""A live.db or live.db-wal that cannot be read is NOT INTACT, and all else is verified."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.folder import sealed_files
from controller.journal.store import Journal, JournalError
from controller.journal.verify import CannotRead, verify

PAGE = 'see docs/damaged-journal.md, "The journal is damaged"'
# Of the -wal: its head, and a frame of a page with its own head.
HEADER, FRAME = 32, 24 + 512


def _cut(file: Path) -> None:
    os.truncate(file, 5000)


def _is_text(file: Path) -> None:
    file.write_bytes(b"cards of table 7\n" * 400)


def _turned(file: Path, at: int) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= 1
    file.write_bytes(data)


def _schema_changed(file: Path) -> None:
    # Also where an earlier page with it was left behind.
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE records", b"BREATE TABLE records"))


def _another(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE cards(a)")


DAMAGES = {
    "cut short": _cut,
    "text": _is_text,
    "a bit of its head": lambda file: _turned(file, 3),
    "a bit of its name": lambda file: _turned(file, 68),
    "its schema": _schema_changed,
    "another program's": _another,
    "empty": lambda file: file.write_bytes(b""),
}


@pytest.fixture
def journal(sealed_journal) -> Path:
    return sealed_journal(2)


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_sealed_shoes_beside_a_damaged_live_part_are_verified(
    journal: Path, damage: str
) -> None:
    before = verify(journal)
    DAMAGES[damage](journal / "live.db")
    report = verify(journal)

    (problem,) = report.problems
    assert str(problem).startswith("live.db: no record of it can be read: ")
    assert str(problem).endswith(PAGE)
    assert (report.files, report.codes) == (before.files, before.codes)
    assert len(report.files) == 2


def test_damage_in_a_shoe_beside_it_is_named_as_well(journal: Path) -> None:
    _cut(journal / "live.db")
    newest = sealed_files(journal)[-1]
    _turned(newest, newest.stat().st_size // 2)

    files = {one.file for one in verify(journal).problems}
    assert files == {"live.db", f"shoes/{newest.parent.name}/{newest.name}"}


def test_a_damaged_live_part_by_itself_is_not_intact(journal: Path) -> None:
    _cut(journal / "live.db")

    assert [one.file for one in verify(journal / "live.db").problems] == ["live.db"]


def test_a_live_part_whose_head_is_damaged_is_one_by_its_name(journal: Path) -> None:
    _is_text(journal / "live.db")

    assert [one.file for one in verify(journal / "live.db").problems] == ["live.db"]


def test_a_file_that_was_never_a_journal_is_not_judged(fast_dir: Path) -> None:
    notes = fast_dir / "notes.txt"
    _is_text(notes)

    with pytest.raises(CannotRead, match=r"notes.txt: it is no file of a table"):
        verify(notes)


def test_another_format_is_no_damage(journal: Path) -> None:
    with closing(sqlite3.connect(journal / "live.db")) as live:
        live.execute("PRAGMA user_version = 7")

    with pytest.raises(CannotRead, match="another format"):
        verify(journal)


def test_a_journal_that_is_being_made_is_no_damage(fast_dir: Path) -> None:
    (fast_dir / "live.db").touch()

    with pytest.raises(CannotRead, match="half made by a first start"):
        verify(fast_dir)


def test_the_folder_of_the_shoes_says_which_one_is_meant(journal: Path) -> None:
    with pytest.raises(CannotRead, match="name the folder above it"):
        verify(journal / "shoes")


# --- the write-ahead log --------------------------------------------------------------------------


COMMITS = 20


@pytest.fixture
def killed(fast_dir: Path, begun_log: Callable[[Path], None]) -> Path:
    """A killed program's folder: each record is a commit in the -wal, none in live.db."""
    folder = fast_dir / "killed"
    with Journal.open(fast_dir / "table") as journal:
        for number in range(COMMITS):
            journal.append([b"\x92\xa3out%d" % number])
        shutil.copytree(fast_dir / "table", folder)
    begun_log(folder)
    return folder


def _frames(folder: Path) -> int:
    return ((folder / "live.db-wal").stat().st_size - HEADER) // FRAME


def _start_refuses(folder: Path) -> bool:
    try:
        Journal.open(folder).close()
    except JournalError as error:
        return "the log is damaged before its end" in str(error)
    return False


def _named(folder: Path) -> bool:
    return "live.db-wal" in {one.file for one in verify(folder).problems}


@pytest.mark.parametrize("index", ["with its index", "without"])
def test_the_verifier_names_a_damaged_log_where_the_start_refuses_it(
    killed: Path, fast_dir: Path, index: str
) -> None:
    whole = (killed / "live.db-wal").read_bytes()
    if index == "without":
        (killed / "live.db-shm").unlink()
    for place in (5, 18, 26, *range(HEADER + 9, len(whole), 3 * FRAME + 77)):
        shutil.copytree(killed, tried := fast_dir / f"tried-{place}")
        _turned(tried / "live.db-wal", place)
        named = _named(tried)
        assert named == _start_refuses(tried), place


def test_garbage_in_its_place_is_named(killed: Path) -> None:
    size = (killed / "live.db-wal").stat().st_size
    (killed / "live.db-wal").write_bytes(bytes(range(1, 201)) * (size // 200))

    (problem,) = [one for one in verify(killed).problems if one.file == "live.db-wal"]
    assert problem.what == f"records in it cannot be read: it is damaged; {PAGE}"
    assert _start_refuses(killed)


def test_the_torn_commit_of_a_kill_is_no_damage(killed: Path) -> None:
    at = HEADER + (_frames(killed) - 1) * FRAME + 30
    _turned(killed / "live.db-wal", at)

    assert not _named(killed)
    assert not _start_refuses(killed)


WRITING = """\
import sys
from pathlib import Path
from controller.journal.store import Journal
with Journal.open(Path(sys.argv[1])) as journal:
    for number in range(6000):
        journal.append([b"\\x92\\xa3out" + bytes(300)])
        if number == 10:
            print("begun", flush=True)
"""


def test_a_table_in_play_is_never_taken_for_damaged(fast_dir: Path) -> None:
    """It writes some thousand commits meanwhile, and begins the log again and again."""
    folder = fast_dir / "table"
    with subprocess.Popen(
        [sys.executable, "-c", WRITING, str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdout=subprocess.PIPE,
    ) as writing:
        assert writing.stdout is not None
        writing.stdout.readline()
        looks = 0
        while writing.poll() is None:
            problems = verify(folder / "live.db").problems
            looks += 1
            assert problems == []
    assert writing.returncode == 0
    assert looks > 3
