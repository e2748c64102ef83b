"""Reading a journal without writing to it: beside a running table, from a copy, damaged."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.store import Journal, JournalError, SavedState, open_read_only


def filled(folder: Path) -> Journal:
    journal = Journal.open(folder)
    journal.append([b"one", b"two"], SavedState.of(2, 1, "1.0", b"state"))
    journal.append([b"three"])
    return journal


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of the folder but the log's index, which only holds SQLite's locks."""
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")
    }


def read(path: Path) -> list[bytes]:
    with open_read_only(path) as journal:
        assert journal.verify_all() is None
        assert journal.saved_state() == SavedState.of(2, 1, "1.0", b"state")
        return [item.record for item in journal.records()]


RECORDS = [b"one", b"two", b"three"]


@pytest.mark.parametrize("name", ["", "live.db"])
def test_a_closed_journal_is_read_by_folder_or_file(fast_dir: Path, name: str) -> None:
    filled(fast_dir).close()
    before = contents(fast_dir)

    assert read(fast_dir / name) == RECORDS
    assert contents(fast_dir) == before


@pytest.mark.parametrize("copied", [False, True])
def test_a_journal_read_and_closed_is_open_no_more(
    fast_dir: Path, open_files: Callable[[Path], list[str]], copied: bool
) -> None:
    filled(fast_dir).close()
    file = fast_dir / "live.db"
    if copied:
        file = Path(shutil.copy(file, fast_dir / "evidence.db"))
    journal = open_read_only(file)
    assert [record.record for record in journal.records()] == RECORDS
    assert open_files(fast_dir) == [str(file)]
    journal.close()
    assert open_files(fast_dir) == []


def test_a_copied_file_alone_is_read_and_nothing_appears_beside_it(fast_dir: Path) -> None:
    filled(fast_dir / "table").close()
    alone = fast_dir / "alone"
    alone.mkdir()
    shutil.copy(fast_dir / "table" / "live.db", alone / "evidence.db")

    assert read(alone / "evidence.db") == RECORDS
    assert [path.name for path in alone.iterdir()] == ["evidence.db"]


def test_a_running_tables_journal_is_read_beside_it(fast_dir: Path) -> None:
    with filled(fast_dir) as journal:
        before = contents(fast_dir)

        assert read(fast_dir) == RECORDS
        assert contents(fast_dir) == before
        journal.append([b"four"])
        assert read(fast_dir) == [*RECORDS, b"four"]


def test_a_reader_sees_the_journal_as_of_opening(fast_dir: Path) -> None:
    with filled(fast_dir) as journal, open_read_only(fast_dir) as reading:
        journal.append([b"four"])

        assert reading.head.seq == 3
        assert [item.record for item in reading.records()] == RECORDS


def test_a_log_copied_without_its_index_is_read_and_left_alone(fast_dir: Path) -> None:
    copied = fast_dir / "copied"
    copied.mkdir()
    with filled(fast_dir / "table"):
        for name in ("live.db", "live.db-wal"):
            shutil.copy(fast_dir / "table" / name, copied)
    before = contents(copied)

    assert read(copied) == RECORDS
    assert contents(copied) == before


def test_a_journal_whose_writer_was_killed_is_read_and_left_alone(fast_dir: Path) -> None:
    copied = fast_dir / "copied"
    with filled(fast_dir / "table"):
        shutil.copytree(fast_dir / "table", copied)
    before = contents(copied)

    assert read(copied) == RECORDS
    assert contents(copied) == before


# The administrator may write anywhere, so the child becomes somebody who may not.
READ_AS_ANOTHER = """
import os, sys
from pathlib import Path
from controller.journal.store import open_read_only
if os.geteuid() == 0:
    os.setuid(65534)
with open_read_only(Path(sys.argv[1])) as journal:
    assert journal.verify_all() is None
    print(*(item.record.decode() for item in journal.records()))
"""


@pytest.mark.parametrize("left", [(), ("-wal",), ("-wal", "-shm")])
def test_a_folder_that_may_not_be_written_is_read(fast_dir: Path, left: tuple[str, ...]) -> None:
    """For files after a clean end, copied with their log, and left by a killed program."""
    sealed = fast_dir / "sealed"
    sealed.mkdir()
    journal = filled(fast_dir / "table")
    if not left:
        journal.close()
    for end in ("", *left):
        shutil.copy(fast_dir / "table" / f"live.db{end}", sealed)
        (sealed / f"live.db{end}").chmod(0o444)
    journal.close()
    fast_dir.chmod(0o755)
    sealed.chmod(0o555)

    done = subprocess.run(
        [sys.executable, "-c", READ_AS_ANOTHER, sealed],
        check=False,
        capture_output=True,
        text=True,
    )

    sealed.chmod(0o755)
    assert done.stdout.split() == ["one", "two", "three"], done.stderr


def test_a_reader_cannot_write(fast_dir: Path) -> None:
    filled(fast_dir).close()
    with open_read_only(fast_dir) as journal:
        assert not hasattr(journal, "append")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        (b"", "SQLite file of another program"),
        (b"cards of table 7\n" * 100, "the file is not a journal"),
    ],
)
def test_paths_without_a_journal_are_refused(
    fast_dir: Path, content: bytes | None, message: str
) -> None:
    if content is not None:
        (fast_dir / "live.db").write_bytes(content)

    with pytest.raises(JournalError, match=message):
        open_read_only(fast_dir)


def test_a_damaged_file_raises_a_journal_error(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        journal.append([bytes(3000)] * 20)
    data = bytearray((fast_dir / "live.db").read_bytes())
    data[4096 * 6 : 4096 * 7] = b"\xff" * 4096
    (fast_dir / "live.db").write_bytes(data)

    with (
        open_read_only(fast_dir) as journal,
        pytest.raises(JournalError, match=r"the file is damaged .* run verify on a copy"),
    ):
        list(journal.records())
