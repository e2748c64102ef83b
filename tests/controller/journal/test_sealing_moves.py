"""Moving a finished shoe into its file: after any crash its records are in live.db or the file."""

import errno
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from msgspec.structs import replace

from controller.journal import store
from controller.journal.encoding import GENESIS
from controller.journal.folder import read_sealed, sealed_files, shoe_path
from controller.journal.shoe_file import NO_SEAL, read_shoe, shoe_bytes
from controller.journal.store import (
    Base,
    Head,
    Journal,
    JournalError,
    JournalWriteFailed,
    SavedState,
    SealFailed,
    SealRefused,
    StoredRecord,
    open_read_only,
)

DAY = "2026-11-21"


def live_records(journal: Journal) -> int:
    (count,) = journal._connection.execute("SELECT count(*) FROM records").fetchone()
    return int(count)


def first_shoe(folder: Path) -> Path:
    return shoe_path(folder, DAY, 1)


def every_record(folder: Path) -> list[StoredRecord]:
    with open_read_only(folder) as journal:
        assert journal.verify_all() is None
        return list(journal.records())


# --- a move --------------------------------------------------------------------------------------


def test_a_new_journal_begins_after_record_0(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        assert journal.base == Base(seq=0, chain=GENESIS, seal=NO_SEAL)


def test_moved_records_are_in_the_file_and_gone_from_live_db(fast_dir: Path, filled, seal) -> None:
    with filled(fast_dir) as journal:
        before, head = list(journal.records()), journal.head
        base = seal(journal, 1)

        assert live_records(journal) == 0
        assert (journal.head, journal.base, base.seq) == (head, base, 5)
        assert list(read_shoe(first_shoe(fast_dir).read_bytes()).records()) == before


def test_after_a_move_the_journal_continues_and_reopens(fast_dir: Path, filled, seal) -> None:
    with filled(fast_dir) as journal:
        base = seal(journal, 1)
    with Journal.open(fast_dir) as journal:
        assert (journal.base, journal.head) == (base, Head(base.seq, base.chain))
        assert journal.saved_state() == SavedState.of(5, 1, "1.0", b"state after 5")
        journal.append([b"record 6"])
        assert [(stored.seq, stored.record) for stored in journal.records(5)] == [(6, b"record 6")]
        assert journal.verify_all() is None


def test_records_after_the_shoe_stay(fast_dir: Path, filled, sealed_bytes_of, base_of) -> None:
    with filled(fast_dir) as journal:
        data = sealed_bytes_of(journal, 1)
        base = base_of(journal, data)
        journal.append([b"record 6", b"record 7"])
        journal.move_sealed(first_shoe(fast_dir), data, base)

        assert (live_records(journal), journal.head.seq, journal.base.seq) == (2, 7, 5)
    assert [stored.record for stored in every_record(fast_dir)][4:] == [
        b"record 5",
        b"record 6",
        b"record 7",
    ]


def test_a_saved_state_from_before_the_base_goes_with_its_records(
    fast_dir: Path, filled, seal
) -> None:
    with filled(fast_dir) as journal:
        journal.append([b"record 6"])
        seal(journal, 1)

        assert (journal.saved_state(), journal.saved_state_damage) == (None, None)


def test_the_file_and_its_folders_are_for_the_account_and_its_group(
    fast_dir: Path, filled, seal
) -> None:
    before = os.umask(0)
    try:
        with filled(fast_dir) as journal:
            seal(journal, 1)
    finally:
        os.umask(before)

    path = first_shoe(fast_dir)
    modes = [one.stat().st_mode & 0o777 for one in (path, path.parent, path.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]


# --- what is refused -----------------------------------------------------------------------------


def refusal_message(journal: Journal, data: bytes, base: Base) -> str:
    """The message of the refused move, which must change nothing."""
    path = first_shoe(journal.file.parent)
    before = (live_records(journal), journal.base, path.exists())
    with pytest.raises(SealRefused) as caught:
        journal.move_sealed(path, data, base)
    assert (live_records(journal), journal.base, path.exists()) == before
    journal.append([b"goes on"])
    return str(caught.value)


def test_a_file_of_other_records_moves_nothing(
    fast_dir: Path, filled, sealed_bytes_of, base_of
) -> None:
    with filled(fast_dir / "other") as other:
        other.append([b"other"])
        data = sealed_bytes_of(other, 1)
        base = base_of(other, data)
    with filled(fast_dir / "table", 6) as journal:
        assert "its records are not those of the journal up to 6" in refusal_message(
            journal, data, base
        )


def test_a_file_that_does_not_begin_at_the_base_moves_nothing(
    fast_dir: Path, filled, seal, sealed_bytes_of, base_of
) -> None:
    with filled(fast_dir / "other") as other:
        data = sealed_bytes_of(other, 1)
        base = base_of(other, data)
    with filled(fast_dir / "table") as journal:
        seal(journal, 2)
        assert "it begins after record 0, but the live part begins after" in refusal_message(
            journal, data, base
        )


def test_bytes_that_are_not_a_sealed_file_move_nothing(
    fast_dir: Path, filled, sealed_bytes_of, base_of
) -> None:
    with filled(fast_dir) as journal:
        data = sealed_bytes_of(journal, 1)
        assert "cannot be sealed" in refusal_message(journal, data[:-1], base_of(journal, data))


@pytest.mark.parametrize("there", [b"", b"notes of somebody", "cut", "other"])
def test_an_existing_other_file_is_left_alone(
    fast_dir: Path, filled, sealed_bytes_of, base_of, there: bytes | str
) -> None:
    folder = fast_dir / "table"
    with filled(fast_dir / "other", 4) as other:
        another = sealed_bytes_of(other, 1)
    with filled(folder) as journal:
        data = sealed_bytes_of(journal, 1)
        path = first_shoe(folder)
        path.parent.mkdir(parents=True)
        kinds = {"cut": data[:-1], "other": another}
        content = kinds[there] if isinstance(there, str) else there
        path.write_bytes(content)

        words = refusal_message(journal, data, base_of(journal, data))
        assert "another file exists where this shoe is to be sealed" in words
        assert path.read_bytes() == content


# --- a move cut short ----------------------------------------------------------------------------


class ProgramEnd(BaseException):
    """Simulates the end of the program."""


def end_at_call(number: int) -> Callable[[FrameType, str, object], None]:
    """A profiler that ends the program before its `number`-th system or SQLite call."""
    left = number

    def seen(_frame: FrameType, event: str, called: object) -> None:
        nonlocal left
        if event != "c_call" or getattr(called, "__name__", "") not in CALLS:
            return
        left -= 1
        if left < 0:
            raise ProgramEnd(called)

    return seen


CALLS = ("mkdir", "open", "write", "fsync", "rename", "close", "execute")


def copy_with_log(folder: Path, to: Path) -> Path:
    """A copy of what a killed program leaves."""
    shutil.copytree(folder, to)
    return to


def test_a_move_interrupted_at_any_call_is_finished_by_the_next_program(
    fast_dir: Path, filled, sealed_bytes_of, base_of
) -> None:
    """Before each call the records are in one place, and repeating the move finishes it."""
    ends = []
    for number in range(200):
        folder = fast_dir / f"{number}"
        with filled(folder) as journal:
            before = list(journal.records())
            data = sealed_bytes_of(journal, 1)
            base = base_of(journal, data)
            was_cut = True
            sys.setprofile(end_at_call(number))
            try:
                journal.move_sealed(first_shoe(folder), data, base)
                was_cut = False
            except ProgramEnd:
                pass
            finally:
                sys.setprofile(None)
            left = copy_with_log(folder, fast_dir / f"left-{number}")
        ends.append(finish_move(left, before, data, base))
        if not was_cut:
            break

    assert len(ends) > 20
    assert set(ends) == {"moved", "to be moved"}
    assert ends == sorted(ends, reverse=True)


def finish_move(folder: Path, before: list[StoredRecord], data: bytes, base: Base) -> str:
    """Open what was left, check it, and repeat the move if it was not finished."""
    assert every_record(folder) == before
    with Journal.open(folder) as journal:
        assert not (folder / "shoes" / "sealing.part").exists()
        was = "moved" if journal.base.seq else "to be moved"
        if not journal.base.seq:
            journal.move_sealed(first_shoe(folder), data, base)
        assert (journal.base, live_records(journal)) == (base, 0)
        assert journal.verify_all() is None
    assert every_record(folder) == before
    return was


def test_an_existing_equal_file_is_kept_and_its_digest_becomes_the_seal(
    fast_dir: Path, filled, sealed_bytes_of, base_of
) -> None:
    """A second signature could change the digest that people may have noted already."""
    with filled(fast_dir) as journal:
        sealed = read_shoe(sealed_bytes_of(journal, 1))
        earlier = shoe_bytes(replace(sealed.heading, software="0.5.1"), b"", sealed.parts())
        path = first_shoe(fast_dir)
        path.parent.mkdir(parents=True)
        path.write_bytes(earlier)

        data = sealed_bytes_of(journal, 1)
        base = journal.move_sealed(path, data, base_of(journal, data))

        assert path.read_bytes() == earlier
        assert base.seal == journal.base.seal == read_sealed(path).digest


def test_an_unfinished_file_is_removed_at_the_next_opening(fast_dir: Path, filled) -> None:
    filled(fast_dir).close()
    part = fast_dir / "shoes" / "sealing.part"
    part.parent.mkdir()
    part.write_bytes(b"SMSHSEAL half")

    filled(fast_dir).close()

    assert not part.exists()


# --- a disk that does not take it ----------------------------------------------------------------


def fail_from_call(call: int, real: Callable[..., object]) -> Callable[..., object]:
    """A system call that fails from its `call`-th use on, as on a full disk."""
    left = call

    def fail_or_call(*values: object, **named: object) -> object:
        nonlocal left
        left -= 1
        if left <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*values, **named)

    return fail_or_call


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("mkdir", 1),
        ("mkdir", 2),
        ("open", 1),
        ("write", 1),
        ("fsync", 1),
        ("rename", 1),
        ("open", 2),
        ("fsync", 2),
        ("fsync", 3),
        ("fsync", 4),
    ],
)
def test_a_file_that_cannot_be_written_leaves_live_db_complete_and_usable(
    fast_dir: Path, filled, sealed_bytes_of, base_of, monkeypatch, name: str, call: int
) -> None:
    with filled(fast_dir) as journal:
        before = list(journal.records())
        data = sealed_bytes_of(journal, 1)
        base = base_of(journal, data)
        monkeypatch.setattr(os, name, fail_from_call(call, getattr(os, name)))
        with pytest.raises(SealFailed, match=r"0001\.shoe: .* No space left on device.* later"):
            journal.move_sealed(first_shoe(fast_dir), data, base)
        monkeypatch.undo()

        assert sealed_files(fast_dir) == ()
        assert not (fast_dir / "shoes" / "sealing.part").exists()
        journal.append([b"record 6"])
        assert list(journal.records())[:5] == before
        journal.move_sealed(first_shoe(fast_dir), data, base)
        assert [stored.seq for stored in journal.records()] == [1, 2, 3, 4, 5, 6]


def test_a_failing_transaction_fails_the_journal_and_the_next_start_finishes(
    fast_dir: Path, filled, sealed_bytes_of, base_of
) -> None:
    with filled(fast_dir) as journal:
        before = list(journal.records())
        data = sealed_bytes_of(journal, 1)
        base = base_of(journal, data)
        journal._connection.execute("PRAGMA busy_timeout = 0")
        tool = sqlite3.connect(fast_dir / "live.db", isolation_level=None)
        tool.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalWriteFailed, match="another program has locked the file"):
            journal.move_sealed(first_shoe(fast_dir), data, base)
        tool.close()
        with pytest.raises(JournalWriteFailed, match="Since then nothing is stored"):
            journal.append([b"record 6"])
        with pytest.raises(JournalWriteFailed, match="Since then nothing is stored"):
            journal.move_sealed(first_shoe(fast_dir), data, base)
    assert finish_move(fast_dir, before, data, base) == "to be moved"


# --- what it costs -------------------------------------------------------------------------------


def test_live_db_does_not_grow_over_twenty_shoes(fast_dir: Path, seal) -> None:
    sizes = []
    with Journal.open(fast_dir) as journal:
        for shoe in range(1, 21):
            for number in range(60):
                state = SavedState.of(journal.head.seq + 6, 1, "1.0", bytes(6000))
                journal.append([os.urandom(600)] * 6, state if number % 5 == 0 else None)
            journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            seal(journal, shoe)
            sizes.append(
                (
                    (fast_dir / "live.db").stat().st_size,
                    (fast_dir / "live.db-wal").stat().st_size,
                )
            )

    files, logs = zip(*sizes, strict=True)
    assert max(files) <= files[0] + 8192
    assert max(logs) <= 10 * 4120


# --- the base ------------------------------------------------------------------------------------


COLUMNS = (
    "seq",
    "chain",
    "seal",
    "started_seq",
    "started",
    "software",
    "digest",
    "ledger",
    "binding",
)


def spoil(journal: Journal, column: str) -> None:
    other = {"seq": 4, "started_seq": 2, "software": "1.1"}.get(column, bytes(31) + b"\x80")
    journal._connection.execute(f"UPDATE base SET {column} = ?", (other,))


@pytest.mark.parametrize("live", [0, 2])
@pytest.mark.parametrize("column", COLUMNS)
def test_a_changed_base_is_derived_from_the_last_shoe(
    fast_dir: Path, filled, seal, column: str, live: int
) -> None:
    with filled(fast_dir) as journal:
        base = seal(journal, 1)
        journal.append([b"live"] * live)
        before, head = list(journal.records()), journal.head
        spoil(journal, column)

    for again in (open_read_only(fast_dir), Journal.open(fast_dir)):
        with again as journal:
            assert journal.base == Base(base.seq, base.chain, base.seal)
            assert "it begins after record 5" in journal.base_damage
            assert (journal.head, list(journal.records())) == (head, before)
            assert journal.verify_all() is None
            assert journal.saved_state() is not None


def test_a_missing_base_is_derived(fast_dir: Path, filled, seal) -> None:
    with filled(fast_dir) as journal:
        base = seal(journal, 1)
        journal._connection.execute("DELETE FROM base")

    with Journal.open(fast_dir) as journal:
        assert journal.base.head == base.head


def test_a_changed_base_before_the_first_shoe_is_record_0(fast_dir: Path, filled) -> None:
    with filled(fast_dir) as journal:
        spoil(journal, "seal")

    with Journal.open(fast_dir) as journal:
        assert (journal.base, journal.head.seq) == (Base(), 5)


def test_a_changed_base_during_an_interrupted_move_is_the_one_before_it(
    fast_dir: Path, filled, seal, sealed_bytes_of
) -> None:
    with filled(fast_dir) as journal:
        first = seal(journal, 1)
    with filled(fast_dir) as journal:
        path = shoe_path(fast_dir, DAY, 2)
        path.write_bytes(sealed_bytes_of(journal, 2))
        spoil(journal, "chain")

    with Journal.open(fast_dir) as journal:
        assert (journal.base.head, journal.head.seq) == (first.head, 10)
        seal(journal, 2)
        assert journal.base.seq == 10


@pytest.mark.parametrize("lost", ["the last shoe", "the saved state"])
def test_a_changed_base_that_cannot_be_derived_is_refused(
    fast_dir: Path, filled, seal, lost: str
) -> None:
    with filled(fast_dir) as journal:
        seal(journal, 1)
        spoil(journal, "chain")
        if lost == "the saved state":
            journal._connection.execute("DELETE FROM checkpoint")
        else:
            first_shoe(fast_dir).unlink()

    with pytest.raises(
        JournalError, match="where its live part begins \\(table base\\) is damaged"
    ):
        Journal.open(fast_dir)
    with pytest.raises(
        JournalError, match="where its live part begins \\(table base\\) is damaged"
    ):
        open_read_only(fast_dir)


def test_a_changed_state_of_the_base_is_not_used(fast_dir: Path, filled, seal) -> None:
    with filled(fast_dir) as journal:
        base = seal(journal, 1)
        journal._connection.execute("UPDATE base SET state = x'00'")

    with Journal.open(fast_dir) as journal:
        assert journal.base == replace(base, software="", state=b"", digest=b"")
        assert journal.base_damage == "the state stored after record 5 was changed"


def test_an_existing_file_is_on_the_disk_before_its_records_leave_live_db(
    fast_dir: Path, filled, sealed_bytes_of, base_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program before wrote it and died: nobody knows whether the disk has it."""
    done: list[tuple[str, object]] = []

    def noting(name: str, of: object) -> None:
        call = getattr(of, name)

        def noted(*given: object) -> object:
            done.append((name, given[-1]))
            return call(*given)

        monkeypatch.setattr(of, name, noted)

    with filled(fast_dir) as journal:
        data = sealed_bytes_of(journal, 1)
        path = first_shoe(fast_dir)
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        base = base_of(journal, data)
        for name in ("sync_file", "sync_names"):
            noting(name, store)
        noting("_set_base", Journal)

        journal.move_sealed(path, data, base)

    assert [name for name, _ in done] == ["sync_file", "sync_names", "_set_base"]
    assert done[0][1] == done[1][1] == path
