"""The store: records come back in order, once, under one chain, and there is one writer."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.journal.encoding import GENESIS, link
from controller.journal.people import PeopleFile
from controller.journal.store import (
    Head,
    Journal,
    JournalError,
    JournalWriteFailed,
    SavedState,
    StoredRecord,
    open_read_only,
)


def change(folder: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(folder / "live.db", isolation_level=None)
    connection.execute(statement, values)
    connection.close()


def filled(folder: Path, count: int = 5, saved_state_at: int = 0) -> Path:
    with Journal.open(folder) as journal:
        for number in range(1, count + 1):
            state = SavedState.of(number, 1, "1.0", b"state %d" % number)
            journal.append([b"record %d" % number], state if number == saved_state_at else None)
    return folder


# --- records -------------------------------------------------------------------------------------


def test_a_new_journal_is_empty(fast_dir: Path) -> None:
    with Journal.open(fast_dir / "table") as journal:
        assert journal.head == Head(0, GENESIS)
        assert list(journal.records()) == []
        assert journal.saved_state() is None
        assert journal.saved_state_damage is None


def test_only_account_and_group_may_read_a_new_journal(fast_dir: Path) -> None:
    folder = fast_dir / "journal"
    before = os.umask(0)
    try:
        with Journal.open(folder) as journal:
            journal.append([b"a card that nobody has seen"])
            modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    finally:
        os.umask(before)

    assert folder.stat().st_mode & 0o777 == 0o700
    assert {modes[f"live.db{end}"] for end in ("", "-wal", "-shm")} == {0o600}


@pytest.mark.parametrize("mode", [0o644, 0o666])
def test_a_lock_that_others_could_hold_is_narrowed(fast_dir: Path, mode: int) -> None:
    (fast_dir / "lock").touch()
    (fast_dir / "lock").chmod(mode)

    Journal.open(fast_dir).close()

    assert (fast_dir / "lock").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["lock", "live.db"])
def test_a_link_that_another_planted_is_not_followed(fast_dir: Path, name: str) -> None:
    journal, elsewhere = fast_dir / "journal", fast_dir / "elsewhere"
    journal.mkdir()
    elsewhere.write_bytes(b"somebody else's")
    (journal / name).symlink_to(elsewhere)

    with pytest.raises(JournalError, match=f"{name}: "):
        Journal.open(journal)

    assert elsewhere.read_bytes() == b"somebody else's"


def test_an_existing_journal_keeps_its_mode(fast_dir: Path) -> None:
    Journal.open(fast_dir).close()
    (fast_dir / "live.db").chmod(0o600)

    Journal.open(fast_dir).close()

    assert (fast_dir / "live.db").stat().st_mode & 0o777 == 0o600


def test_a_folder_in_place_of_the_file_is_refused(fast_dir: Path) -> None:
    (fast_dir / "live.db").mkdir()

    with pytest.raises(JournalError, match="cannot open the journal: Is a directory"):
        Journal.open(fast_dir)


def test_a_record_is_stored_with_number_and_chain_value(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        journal.append([b"first", b"second"])

        one = link(GENESIS, b"first")
        two = link(one, b"second")
        assert list(journal.records()) == [
            StoredRecord(1, b"first", one),
            StoredRecord(2, b"second", two),
        ]
        assert journal.head == Head(2, two)


@settings(
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(batches=st.lists(st.lists(st.binary(max_size=6000), max_size=4), max_size=6))
def test_appended_records_come_back_after_reopening(
    fast_dir: Path, batches: list[list[bytes]]
) -> None:
    with Journal.open(fast_dir) as journal:
        before = journal.head.seq
        for batch in batches:
            journal.append(batch)
        head = journal.head
    with Journal.open(fast_dir) as journal:
        stored = [item.record for item in journal.records(before)]
        assert stored == [record for batch in batches for record in batch]
        assert journal.head == head
        assert journal.verify_all() is None


def test_records_after_a_number_exclude_that_number(fast_dir: Path) -> None:
    with Journal.open(filled(fast_dir)) as journal:
        assert [item.seq for item in journal.records(after_seq=3)] == [4, 5]


def test_appending_nothing_stores_nothing(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        journal.append([])

        assert journal.head.seq == 0


def test_records_can_be_appended_while_others_are_read(fast_dir: Path) -> None:
    with Journal.open(filled(fast_dir, 3)) as journal:
        reading = journal.records()
        first = next(reading)
        journal.append([b"later"])

        assert first.seq == 1
        assert [item.seq for item in reading][:2] == [2, 3]
        assert journal.head.seq == 4


def test_every_commit_is_made_durable(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        (mode,) = journal._connection.execute("PRAGMA journal_mode").fetchone()
        (synchronous,) = journal._connection.execute("PRAGMA synchronous").fetchone()

        assert (mode, synchronous) == ("wal", 2)


# --- checkpoints ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 1022, 1023, 1024, 5000])
def test_a_saved_state_comes_back_with_its_records(fast_dir: Path, size: int) -> None:
    saved_state = SavedState.of(2, 1, "1.0", bytes(size))
    with Journal.open(fast_dir) as journal:
        journal.append([b"one", b"two"], saved_state)
    with Journal.open(fast_dir) as journal:
        assert journal.saved_state() == saved_state


def test_a_newer_saved_state_replaces_the_older(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        journal.append([b"one"], SavedState.of(1, 1, "1.0", b"long state" * 500))
        journal.append([b"two"], SavedState.of(2, 1, "1.0", b"short"))

        assert journal.saved_state() == SavedState.of(2, 1, "1.0", b"short")


def test_a_saved_state_may_come_without_records(fast_dir: Path) -> None:
    with Journal.open(filled(fast_dir)) as journal:
        journal.append([], SavedState.of(3, 1, "1.0", b"state"))

        assert journal.saved_state() == SavedState.of(3, 1, "1.0", b"state")


@pytest.mark.parametrize("column", ["seq", "started_seq", "software", "state", "digest", "binding"])
def test_a_changed_saved_state_is_not_used(fast_dir: Path, column: str) -> None:
    filled(fast_dir, 5, saved_state_at=3)
    other = {"seq": 4, "started_seq": 2, "software": "1.1"}.get(column, b"\x00" * 31 + b"\x80")
    change(fast_dir, f"UPDATE checkpoint SET {column} = ?", other)

    with Journal.open(fast_dir) as journal:
        assert journal.saved_state() is None
        assert journal.saved_state_damage is not None


def test_a_saved_state_of_the_wrong_type_is_not_used(fast_dir: Path) -> None:
    filled(fast_dir, 5, saved_state_at=3)
    change(fast_dir, "UPDATE checkpoint SET seq = 'three'")

    with Journal.open(fast_dir) as journal:
        assert journal.saved_state() is None
        assert journal.saved_state_damage is not None


def test_every_bit_of_a_saved_state_counts(fast_dir: Path) -> None:
    filled(fast_dir, 2, saved_state_at=2)
    with closing(sqlite3.connect(fast_dir / "live.db")) as ask:
        (state,) = ask.execute("SELECT state FROM checkpoint").fetchone()
    with Journal.open(fast_dir) as journal:
        for bit in range(8 * len(state)):
            changed = bytearray(state)
            changed[bit // 8] ^= 1 << bit % 8
            journal._connection.execute("UPDATE checkpoint SET state = ?", (bytes(changed),))

            assert journal.saved_state() is None, f"bit {bit}"


# --- opening checks what a start relies on -------------------------------------------------------


def test_a_changed_record_after_the_saved_state_stops_the_start(fast_dir: Path) -> None:
    filled(fast_dir, 5, saved_state_at=3)
    change(fast_dir, "UPDATE records SET record = x'00' WHERE seq = 4")

    with pytest.raises(JournalError, match="record 4 does not match its chain value"):
        Journal.open(fast_dir)


def test_a_changed_record_before_the_saved_state_is_found_by_the_full_check(fast_dir: Path) -> None:
    filled(fast_dir, 5, saved_state_at=3)
    change(fast_dir, "UPDATE records SET record = x'00' WHERE seq = 2")

    with Journal.open(fast_dir) as journal:
        found = journal.verify_all()
        assert found is not None
        assert found.seq == 2


def test_without_a_good_saved_state_every_record_is_checked(fast_dir: Path) -> None:
    filled(fast_dir, 5, saved_state_at=3)
    change(fast_dir, "UPDATE checkpoint SET state = x'80'")
    change(fast_dir, "UPDATE records SET record = x'00' WHERE seq = 2")

    with pytest.raises(JournalError, match="record 2 "):
        Journal.open(fast_dir)


@pytest.mark.parametrize(
    ("statement", "seq"),
    [
        ("DELETE FROM records WHERE seq = 1", 1),
        ("DELETE FROM records WHERE seq = 4", 4),
        ("UPDATE records SET chain = x'00' WHERE seq = 3", 3),
        ("UPDATE records SET record = 'text' WHERE seq = 3", 3),
        ("UPDATE records SET seq = 9 WHERE seq = 5", 5),
    ],
)
def test_the_first_break_of_the_chain_is_named(fast_dir: Path, statement: str, seq: int) -> None:
    filled(fast_dir, 5, saved_state_at=5)
    with Journal.open(fast_dir) as journal:
        journal._connection.execute(statement)
        found = journal.verify_all()

    assert found is not None
    assert found.seq == seq


def test_the_full_check_reports_progress(fast_dir: Path) -> None:
    progress: list[tuple[int, int]] = []
    with Journal.open(fast_dir) as journal:
        journal.append([b"x"] * 5000)
        journal.verify_all(lambda done, total: progress.append((done, total)))

    assert progress == [(0, 5000), (4096, 5000)]


# --- what is refused -----------------------------------------------------------------------------


def test_a_missing_journal_is_not_created_without_create(fast_dir: Path) -> None:
    with pytest.raises(JournalError, match="no such folder"):
        Journal.open(fast_dir / "typo", create=False)

    assert not (fast_dir / "typo").exists()


def test_a_folder_without_a_journal_gets_none_without_create(fast_dir: Path) -> None:
    with pytest.raises(JournalError, match="there is no journal here"):
        Journal.open(fast_dir, create=False)

    assert not (fast_dir / "live.db").exists()


def test_an_existing_journal_opens_without_create(fast_dir: Path) -> None:
    with Journal.open(filled(fast_dir), create=False) as journal:
        assert journal.head.seq == 5


def test_a_second_opener_is_refused_with_the_holder_named(fast_dir: Path) -> None:
    with Journal.open(fast_dir), pytest.raises(JournalError, match=f"process {os.getpid()}"):
        Journal.open(fast_dir)


def test_a_second_program_is_refused(fast_dir: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from controller.journal.store import Journal, JournalError\n"
        "try: Journal.open(Path(sys.argv[1]))\n"
        "except JournalError as error: print(error)"
    )
    with Journal.open(fast_dir):
        done = subprocess.run(
            [sys.executable, "-c", script, fast_dir], check=True, capture_output=True, text=True
        )

    assert f"process {os.getpid()} already writes this journal" in done.stdout


def test_after_closing_the_next_may_open(fast_dir: Path) -> None:
    Journal.open(fast_dir).close()
    with Journal.open(fast_dir) as journal:
        journal.append([b"x"])


def test_closing_twice_does_nothing(fast_dir: Path) -> None:
    journal = Journal.open(fast_dir)
    journal.close()
    journal.close()
    with Journal.open(fast_dir) as again:
        assert again.head.seq == 0


def test_a_text_file_is_not_a_journal(fast_dir: Path) -> None:
    (fast_dir / "live.db").write_text("cards of table 7\n" * 100)

    with pytest.raises(JournalError, match="the file is not a journal"):
        Journal.open(fast_dir)


def test_another_programs_database_is_left_alone(fast_dir: Path) -> None:
    change(fast_dir, "CREATE TABLE contacts(name TEXT)")
    before = (fast_dir / "live.db").read_bytes()

    with pytest.raises(JournalError, match="SQLite file of another program"):
        Journal.open(fast_dir)
    assert (fast_dir / "live.db").read_bytes() == before


@pytest.mark.parametrize("version", [1, 2, 3, 4, 7])
def test_another_format_is_refused_with_what_to_do(fast_dir: Path, version: int) -> None:
    filled(fast_dir)
    change(fast_dir, f"PRAGMA user_version = {version}")

    refusal = (
        f"the journal has format {version}; this program reads formats 5 and 6 alone."
        " Remedy: read it with the"
        " release that wrote it; to go on dealing, start in another folder"
    )
    with pytest.raises(JournalError, match=refusal):
        Journal.open(fast_dir)
    with pytest.raises(JournalError, match=refusal):
        open_read_only(fast_dir)


def test_a_refused_journal_is_not_left_locked(fast_dir: Path) -> None:
    filled(fast_dir)
    change(fast_dir, "PRAGMA user_version = 7")
    with pytest.raises(JournalError):
        Journal.open(fast_dir)
    change(fast_dir, "PRAGMA user_version = 6")

    with Journal.open(fast_dir) as journal:
        assert journal.head.seq == 5


def test_a_file_where_the_folder_should_be_is_named(fast_dir: Path) -> None:
    (fast_dir / "table").write_text("")

    with pytest.raises(JournalError, match="cannot create the journal's folder"):
        Journal.open(fast_dir / "table")


def test_an_interrupted_creation_starts_again(fast_dir: Path) -> None:
    (fast_dir / "live.db").touch()

    with Journal.open(fast_dir) as journal:
        journal.append([b"x"])
        assert journal.head.seq == 1


# --- after a failed write ------------------------------------------------------------------------


def test_a_failed_write_stores_nothing_of_its_batch(fast_dir: Path) -> None:
    with Journal.open(filled(fast_dir, 2)) as journal:
        head = journal.head
        change(fast_dir, "INSERT INTO records VALUES (4, x'00', x'00')")
        with pytest.raises(JournalWriteFailed, match="nothing was done because of it"):
            journal.append([b"three", b"four"])
        change(fast_dir, "DELETE FROM records WHERE seq = 4")

        assert journal.head == head
        assert [item.record for item in journal.records()] == [b"record 1", b"record 2"]


def test_after_a_failed_write_nothing_more_is_stored(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        change(fast_dir, "INSERT INTO records VALUES (1, x'00', x'00')")
        with pytest.raises(JournalWriteFailed):
            journal.append([b"one"])
        change(fast_dir, "DELETE FROM records WHERE seq = 1")

        with pytest.raises(JournalWriteFailed, match="Since then nothing is stored"):
            journal.append([b"one"])
    with Journal.open(fast_dir) as journal:
        assert journal.head.seq == 0


def test_a_journal_locked_by_a_tool_is_a_failed_write(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        journal._connection.execute("PRAGMA busy_timeout = 0")
        tool = sqlite3.connect(fast_dir / "live.db", isolation_level=None)
        tool.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalWriteFailed, match="another program has locked the file"):
            journal.append([b"one"])
        tool.close()


def test_a_full_file_is_a_failed_write(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        (pages,) = journal._connection.execute("PRAGMA page_count").fetchone()
        journal._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(JournalWriteFailed, match=r"the disk is full .* Nothing was stored"):
            journal.append([bytes(9000)])
    with Journal.open(fast_dir) as journal:
        assert journal.head.seq == 0


# --- files that others may have put ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["lock", "live.db", "live.db-wal", "live.db-shm"])
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_awaited(
    fast_dir: Path, name: str
) -> None:
    Journal.open(fast_dir).close()
    (fast_dir / name).unlink(missing_ok=True)
    os.mkfifo(fast_dir / name)

    with pytest.raises(JournalError, match="it is a pipe, and only a regular file is read"):
        Journal.open(fast_dir)


def test_a_pipe_in_the_place_of_the_names_of_persons_is_refused(fast_dir: Path) -> None:
    os.mkfifo(fast_dir / "people.db")

    with pytest.raises(JournalError, match="it is a pipe, and only a regular file is read"):
        PeopleFile(fast_dir).accounts()
