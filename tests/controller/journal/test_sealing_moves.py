"""A finished shoe is moved: its records stand in live.db or in its file, after any crash.

Responsible for: `move_sealed`, what it refuses, what a failing disk leaves, every place it can be
cut short, and what it costs; journals of the first format.
Not responsible for: what is put into a sealed file and when (sealing), reading across files
(test_folder).
Source: controller/journal/README.md, "Folder", "Base".
"""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType

import pytest

from controller.journal.folder import read_sealed, sealed_files, shoe_path
from controller.journal.record import GENESIS
from controller.journal.shoe_file import NO_SEAL, read_shoe, shoe_bytes
from controller.journal.store import (
    Base,
    Checkpoint,
    Head,
    Journal,
    JournalError,
    JournalWriteFailed,
    SealFailed,
    SealRefused,
    StoredRecord,
    open_read_only,
)

DAY = "2026-11-21"
TAPES = Path(__file__).parents[2] / "tapes"


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


def test_moved_records_stand_in_the_file_and_no_more_in_live_db(
    fast_dir: Path, filled, seal
) -> None:
    with filled(fast_dir) as journal:
        before, head = list(journal.records()), journal.head
        base = seal(journal, 1)

        assert live_records(journal) == 0
        assert (journal.head, journal.base, base.seq) == (head, base, 5)
        assert list(read_shoe(first_shoe(fast_dir).read_bytes()).records()) == before


def test_after_a_move_the_journal_goes_on_and_opens_again(fast_dir: Path, filled, seal) -> None:
    with filled(fast_dir) as journal:
        base = seal(journal, 1)
    with Journal.open(fast_dir) as journal:
        assert (journal.base, journal.head) == (base, Head(base.seq, base.chain))
        assert journal.checkpoint() == Checkpoint.of(5, 1, "1.0", b"state after 5")
        journal.append([b"record 6"])
        assert [(stored.seq, stored.record) for stored in journal.records(5)] == [(6, b"record 6")]
        assert journal.verify_all() is None


def test_records_behind_the_shoe_stay(fast_dir: Path, filled, data_of, base_of) -> None:
    with filled(fast_dir) as journal:
        data = data_of(journal, 1)
        base = base_of(journal, data)
        journal.append([b"record 6", b"record 7"])
        journal.move_sealed(first_shoe(fast_dir), data, base)

        assert (live_records(journal), journal.head.seq, journal.base.seq) == (2, 7, 5)
    assert [stored.record for stored in every_record(fast_dir)][4:] == [
        b"record 5",
        b"record 6",
        b"record 7",
    ]


def test_a_checkpoint_from_before_the_base_goes_with_its_records(
    fast_dir: Path, filled, seal
) -> None:
    with filled(fast_dir) as journal:
        journal.append([b"record 6"])
        seal(journal, 1)

        assert (journal.checkpoint(), journal.checkpoint_damage) == (None, None)


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
    assert modes == [0o640, 0o750, 0o750]


# --- what is refused -----------------------------------------------------------------------------


def refused(journal: Journal, data: bytes, base: Base) -> str:
    """The words with which the move is refused; it must leave everything as it was."""
    path = first_shoe(journal.file.parent)
    before = (live_records(journal), journal.base, path.exists())
    with pytest.raises(SealRefused) as caught:
        journal.move_sealed(path, data, base)
    assert (live_records(journal), journal.base, path.exists()) == before
    journal.append([b"goes on"])
    return str(caught.value)


def test_a_file_of_other_records_moves_nothing(fast_dir: Path, filled, data_of, base_of) -> None:
    with filled(fast_dir / "other") as other:
        other.append([b"other"])
        data = data_of(other, 1)
        base = base_of(other, data)
    with filled(fast_dir / "table", 6) as journal:
        assert "its records are not those of the journal up to 6" in refused(journal, data, base)


def test_a_file_that_does_not_begin_at_the_base_moves_nothing(
    fast_dir: Path, filled, seal, data_of, base_of
) -> None:
    with filled(fast_dir / "other") as other:
        data = data_of(other, 1)
        base = base_of(other, data)
    with filled(fast_dir / "table") as journal:
        seal(journal, 2)
        assert "it begins after record 0, and the live part after" in refused(journal, data, base)


def test_a_file_that_names_another_seal_before_it_moves_nothing(
    fast_dir: Path, filled, data_of, base_of
) -> None:
    with filled(fast_dir) as journal:
        sealed = read_shoe(data_of(journal, 1))
        other = replace(sealed.heading, previous=bytes([7]) * 32)
        data = shoe_bytes(other, b"", sealed.parts())
        assert "another seal before it" in refused(journal, data, base_of(journal, data))


def test_bytes_that_are_no_sealed_file_move_nothing(
    fast_dir: Path, filled, data_of, base_of
) -> None:
    with filled(fast_dir) as journal:
        data = data_of(journal, 1)
        assert "cannot be sealed" in refused(journal, data[:-1], base_of(journal, data))


@pytest.mark.parametrize("there", [b"", b"notes of somebody", "cut", "other"])
def test_another_file_at_the_place_is_left_alone(
    fast_dir: Path, filled, data_of, base_of, there: bytes | str
) -> None:
    folder = fast_dir / "table"
    with filled(fast_dir / "other", 4) as other:
        another = data_of(other, 1)
    with filled(folder) as journal:
        data = data_of(journal, 1)
        path = first_shoe(folder)
        path.parent.mkdir(parents=True)
        kinds = {"cut": data[:-1], "other": another}
        content = kinds[there] if isinstance(there, str) else there
        path.write_bytes(content)

        words = refused(journal, data, base_of(journal, data))
        assert "another file stands where this shoe is to be sealed" in words
        assert path.read_bytes() == content


# --- a move cut short ----------------------------------------------------------------------------


class Cut(BaseException):
    """The program ends here."""


def cut_at(number: int) -> Callable[[FrameType, str, object], None]:
    """A profiler that ends the program before the `number`th call into the system or SQLite."""
    left = number

    def seen(_frame: FrameType, event: str, called: object) -> None:
        nonlocal left
        if event != "c_call" or getattr(called, "__name__", "") not in CALLS:
            return
        left -= 1
        if left < 0:
            raise Cut(called)

    return seen


CALLS = ("mkdir", "open", "write", "fsync", "rename", "close", "execute")


def copied(folder: Path, to: Path) -> Path:
    """What a killed program leaves, taken over by the next."""
    shutil.copytree(folder, to)
    return to


def test_a_move_cut_short_at_any_call_is_finished_by_the_next_program(
    fast_dir: Path, filled, data_of, base_of
) -> None:
    """Before each call the records stand in one place, and the same move leads to the same end."""
    ends = []
    for number in range(200):
        folder = fast_dir / f"{number}"
        with filled(folder) as journal:
            before = list(journal.records())
            data = data_of(journal, 1)
            base = base_of(journal, data)
            was_cut = True
            sys.setprofile(cut_at(number))
            try:
                journal.move_sealed(first_shoe(folder), data, base)
                was_cut = False
            except Cut:
                pass
            finally:
                sys.setprofile(None)
            left = copied(folder, fast_dir / f"left-{number}")
        ends.append(finished(left, before, data, base))
        if not was_cut:
            break

    assert len(ends) > 20
    assert set(ends) == {"moved", "to be moved"}
    assert ends == sorted(ends, reverse=True)


def finished(folder: Path, before: list[StoredRecord], data: bytes, base: Base) -> str:
    """Open what was left, look, and do the move again where it did not come to its end."""
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


def test_a_file_that_is_there_already_is_kept_and_gives_the_seal(
    fast_dir: Path, filled, data_of, base_of
) -> None:
    """Signed anew it would have other bytes: what people may have noted is the first."""
    with filled(fast_dir) as journal:
        sealed = read_shoe(data_of(journal, 1))
        earlier = shoe_bytes(replace(sealed.heading, software="0.5.1"), b"", sealed.parts())
        path = first_shoe(fast_dir)
        path.parent.mkdir(parents=True)
        path.write_bytes(earlier)

        data = data_of(journal, 1)
        base = journal.move_sealed(path, data, base_of(journal, data))

        assert path.read_bytes() == earlier
        assert base.seal == journal.base.seal == read_sealed(path).digest


def test_a_file_in_the_making_is_removed_at_the_next_opening(fast_dir: Path, filled) -> None:
    filled(fast_dir).close()
    part = fast_dir / "shoes" / "sealing.part"
    part.parent.mkdir()
    part.write_bytes(b"SMSHSEAL half")

    filled(fast_dir).close()

    assert not part.exists()


# --- a disk that does not take it ----------------------------------------------------------------


def failing_from(call: int, real: Callable[..., object]) -> Callable[..., object]:
    """A call into the system that fails from the `call`th on, as on a full disk."""
    left = call

    def asked(*values: object, **named: object) -> object:
        nonlocal left
        left -= 1
        if left <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*values, **named)

    return asked


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
def test_a_file_that_cannot_be_written_leaves_live_db_whole_and_in_use(
    fast_dir: Path, filled, data_of, base_of, monkeypatch, name: str, call: int
) -> None:
    with filled(fast_dir) as journal:
        before = list(journal.records())
        data = data_of(journal, 1)
        base = base_of(journal, data)
        monkeypatch.setattr(os, name, failing_from(call, getattr(os, name)))
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
    fast_dir: Path, filled, data_of, base_of
) -> None:
    with filled(fast_dir) as journal:
        before = list(journal.records())
        data = data_of(journal, 1)
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
    assert finished(fast_dir, before, data, base) == "to be moved"


# --- what it costs -------------------------------------------------------------------------------


def test_live_db_does_not_grow_over_twenty_shoes(fast_dir: Path, seal) -> None:
    sizes = []
    with Journal.open(fast_dir) as journal:
        for shoe in range(1, 21):
            for number in range(60):
                state = Checkpoint.of(journal.head.seq + 6, 1, "1.0", bytes(6000))
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
def test_a_changed_base_is_told_again_from_the_last_shoe(
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
            assert journal.checkpoint() is not None


def test_a_base_that_is_not_there_is_told_again(fast_dir: Path, filled, seal) -> None:
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


def test_a_changed_base_beside_a_move_cut_short_is_that_before_the_move(
    fast_dir: Path, filled, seal, data_of
) -> None:
    with filled(fast_dir) as journal:
        first = seal(journal, 1)
    with filled(fast_dir) as journal:
        path = shoe_path(fast_dir, DAY, 2)
        path.write_bytes(data_of(journal, 2))
        spoil(journal, "chain")

    with Journal.open(fast_dir) as journal:
        assert (journal.base.head, journal.head.seq) == (first.head, 10)
        seal(journal, 2)
        assert journal.base.seq == 10


@pytest.mark.parametrize("lost", ["the last shoe", "the checkpoint"])
def test_a_changed_base_that_nothing_leads_to_is_refused(
    fast_dir: Path, filled, seal, lost: str
) -> None:
    with filled(fast_dir) as journal:
        seal(journal, 1)
        spoil(journal, "chain")
        if lost == "the checkpoint":
            journal._connection.execute("DELETE FROM checkpoint")
        else:
            first_shoe(fast_dir).unlink()

    with pytest.raises(JournalError, match="where its live part begins is damaged"):
        Journal.open(fast_dir)
    with pytest.raises(JournalError, match="where its live part begins is damaged"):
        open_read_only(fast_dir)


def test_a_changed_state_of_the_base_is_not_used(fast_dir: Path, filled, seal) -> None:
    with filled(fast_dir) as journal:
        base = seal(journal, 1)
        journal._connection.execute("UPDATE base SET state = x'00'")

    with Journal.open(fast_dir) as journal:
        assert journal.base == replace(base, software="", state=b"", digest=b"")
        assert journal.base_damage == "the state stored after record 5 was changed"


# --- journals of the first format ----------------------------------------------------------------


def as_first_format(folder: Path) -> list[StoredRecord]:
    """Make a journal without sealed shoes what an older release wrote; its records."""
    records = every_record(folder)
    connection = sqlite3.connect(folder / "live.db", isolation_level=None)
    connection.execute("DROP TABLE base")
    connection.execute("PRAGMA user_version = 1")
    connection.close()
    return records


def test_a_journal_of_the_first_format_is_read_as_it_is(fast_dir: Path, filled) -> None:
    filled(fast_dir).close()
    records = as_first_format(fast_dir)
    before = (fast_dir / "live.db").read_bytes()

    with open_read_only(fast_dir) as journal:
        assert journal.base == Base()
        assert list(journal.records()) == records
    assert (fast_dir / "live.db").read_bytes() == before


def test_a_journal_of_the_first_format_gets_a_base_when_it_is_written(
    fast_dir: Path, filled, seal
) -> None:
    filled(fast_dir).close()
    records = as_first_format(fast_dir)

    with Journal.open(fast_dir) as journal:
        assert journal.base == Base()
        assert list(journal.records()) == records
        assert journal.checkpoint() is not None
        assert journal._connection.execute("PRAGMA user_version").fetchone() == (2,)
        seal(journal, 1)
    assert every_record(fast_dir) == records


@pytest.mark.parametrize("tape", sorted(path.name for path in TAPES.iterdir()))
def test_kept_tapes_open_and_their_records_stay(fast_dir: Path, seal, tape: str) -> None:
    shutil.copytree(TAPES / tape, fast_dir / "journal")
    records = every_record(TAPES / tape)

    with Journal.open(fast_dir / "journal") as journal:
        assert list(journal.records()) == records
        journal.append([b"goes on"])
        seal(journal, 1)
    assert every_record(fast_dir / "journal")[:-1] == records


STRACE = ("strace", "-f", "-qq", "-o", os.devnull, "-e", "trace=pwrite64")
OPENED = """
import sys
from pathlib import Path
from controller.journal.store import Journal
Journal.open(Path(sys.argv[1])).close()
"""


@pytest.mark.debian("strace", program="strace")
@pytest.mark.parametrize("write", range(1, 6))
def test_a_kill_while_the_base_is_made_leaves_a_journal_that_opens(
    tmp_path: Path, filled, write: int
) -> None:
    filled(tmp_path).close()
    records = as_first_format(tmp_path)
    inject = f"inject=pwrite64:signal=KILL:when={write}"
    subprocess.run(
        [*STRACE, "-e", inject, sys.executable, "-c", OPENED, tmp_path],
        check=False,
        capture_output=True,
    )

    with Journal.open(tmp_path) as journal:
        assert list(journal.records()) == records
        assert journal.base == Base()
