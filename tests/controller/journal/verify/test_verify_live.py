"""The verifier on a live part: whatever was changed is found and located, bit by bit."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgpack
import pytest

from controller.journal.encoding import GENESIS, link
from controller.journal.store import Journal, SavedState
from controller.journal.verify import CannotRead, EvidenceProblem, as_json, verify

NINE_O_CLOCK_NS = 1763715600_000000000  # 2025-11-21 09:00:00 UTC


def input_record(name: str, second: int) -> bytes:
    at = {"monotonic_ns": 1, "utc_ns": NINE_O_CLOCK_NS + second * 10**9}
    return msgpack.packb(["in", {"type": name, "at": at}])


def entry_record(name: str) -> bytes:
    return msgpack.packb(["out", {"type": name}])


RECORDS = (
    input_record("started", 0),
    entry_record("opened"),
    input_record("chunk", 2),
    entry_record("card-drawn"),
    input_record("chunk", 4),
    entry_record("coup-ended"),
)


@pytest.fixture(autouse=True)
def _begun_log(fast_dir: Path, log_maker) -> None:
    """A log that speaks of no record yet lies beside every journal here."""
    log_maker.add("commissioned", key=log_maker.named_key)
    log_maker.write(fast_dir)


@pytest.fixture
def folder(fast_dir: Path) -> Path:
    """A closed journal of six records with a saved state after the fourth."""
    with Journal.open(fast_dir) as journal:
        journal.append(RECORDS[:4], SavedState.of(4, 1, "1.0", b"state after four"))
        journal.append(RECORDS[4:])
    return fast_dir


@pytest.fixture
def ask(folder: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(folder / "live.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = OFF")
    yield connection
    connection.close()


def only_problem(folder: Path) -> EvidenceProblem:
    report = verify(folder)
    assert len(report.problems) == 1, report.problems
    return report.problems[0]


# --- an intact journal ---------------------------------------------------------------------------


def test_an_intact_journal_is_counted_and_its_head_reported(folder: Path) -> None:
    head = GENESIS
    for record in RECORDS:
        head = link(head, record)

    report = verify(folder)
    assert (report.records, report.inputs, report.shoes) == (6, 3, 0)
    assert (report.intact, report.problems) == (True, [])
    assert report.head_hex == head.hex()


def test_a_running_tables_journal_can_be_verified(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        journal.append(RECORDS)

        assert verify(fast_dir).intact
        assert verify(fast_dir).records == 6


def test_a_log_copied_without_its_index_counts(fast_dir: Path) -> None:
    copied = fast_dir / "copied"
    copied.mkdir()
    with Journal.open(fast_dir / "table") as journal:
        journal.append(RECORDS)
        for name in ("live.db", "live.db-wal"):
            shutil.copy(fast_dir / "table" / name, copied)

    assert verify(copied).records == 6
    assert sorted(path.name for path in copied.iterdir()) == ["live.db", "live.db-wal"]


def test_an_empty_journal_is_intact(fast_dir: Path) -> None:
    Journal.open(fast_dir).close()

    assert verify(fast_dir / "live.db").intact
    assert verify(fast_dir / "live.db").head_hex == GENESIS.hex()


def test_progress_is_reported(fast_dir: Path) -> None:
    progress: list[tuple[int, int]] = []
    with Journal.open(fast_dir) as journal:
        journal.append(RECORDS)
    verify(fast_dir, lambda done, total: progress.append((done, total)))

    assert progress == [(1, 1)]


# --- every bit -----------------------------------------------------------------------------------


def flips(value: bytes) -> Iterator[bytes]:
    for bit in range(8 * len(value)):
        changed = bytearray(value)
        changed[bit // 8] ^= 1 << bit % 8
        yield bytes(changed)


@pytest.mark.parametrize("seq", range(1, 7))
def test_every_bit_of_a_record_counts(folder: Path, ask: sqlite3.Connection, seq: int) -> None:
    for changed in flips(RECORDS[seq - 1]):
        ask.execute("UPDATE records SET record = ? WHERE seq = ?", (changed, seq))
        problem = only_problem(folder)
        assert problem.seq == seq, changed
        assert "was changed" in problem.what


@pytest.mark.parametrize("seq", range(1, 7))
def test_every_bit_of_a_chain_value_counts(folder: Path, ask: sqlite3.Connection, seq: int) -> None:
    (chain,) = ask.execute("SELECT chain FROM records WHERE seq = ?", (seq,)).fetchone()
    for changed in flips(chain):
        ask.execute("UPDATE records SET chain = ? WHERE seq = ?", (changed, seq))
        problem = verify(folder).problems[0]
        assert problem.seq == seq, changed
        assert "chain value" in problem.what


# --- what kind of change it was ------------------------------------------------------------------


def does_not_follow(seq: int) -> EvidenceProblem:
    what = "it, its chain value or a record before it was changed, added or removed"
    return EvidenceProblem(seq, f"record {seq} does not follow: {what}", "live.db")


def test_a_changed_record_or_chain_value_is_one_problem(
    folder: Path, ask: sqlite3.Connection
) -> None:
    ask.execute("UPDATE records SET record = x'00' WHERE seq = 3")
    assert only_problem(folder) == does_not_follow(3)

    ask.execute("UPDATE records SET record = ? WHERE seq = 3", (RECORDS[2],))
    ask.execute("UPDATE records SET chain = zeroblob(32) WHERE seq = 3")
    assert only_problem(folder) == does_not_follow(3)
    assert verify(folder).records == 6


def test_two_changes_are_both_named(folder: Path, ask: sqlite3.Connection) -> None:
    ask.execute("UPDATE records SET record = x'00' WHERE seq IN (2, 5)")

    assert [problem.seq for problem in verify(folder).problems] == [2, 5]


def test_removed_records_are_named(folder: Path, ask: sqlite3.Connection) -> None:
    ask.execute("DELETE FROM records WHERE seq IN (2, 3)")

    assert only_problem(folder) == EvidenceProblem(2, "records 2 to 3 are missing", "live.db")


def test_the_first_record_may_not_be_missing(folder: Path, ask: sqlite3.Connection) -> None:
    ask.execute("DELETE FROM records WHERE seq = 1")

    assert only_problem(folder) == EvidenceProblem(1, "records 1 to 1 are missing", "live.db")


def test_a_removed_record_with_the_rest_renumbered_is_found(
    folder: Path, ask: sqlite3.Connection
) -> None:
    ask.execute("DELETE FROM checkpoint")
    ask.execute("DELETE FROM records WHERE seq = 3")
    for seq in (4, 5, 6):
        ask.execute("UPDATE records SET seq = ? WHERE seq = ?", (seq - 1, seq))

    assert only_problem(folder) == does_not_follow(3)


def make_room(ask: sqlite3.Connection, at: int) -> None:
    ask.execute("DELETE FROM checkpoint")
    for seq in range(6, at - 1, -1):
        ask.execute("UPDATE records SET seq = ? WHERE seq = ?", (seq + 1, seq))


def test_an_inserted_record_is_found(folder: Path, ask: sqlite3.Connection) -> None:
    make_room(ask, 3)
    ask.execute("INSERT INTO records VALUES (3, ?, zeroblob(32))", (RECORDS[2],))

    assert only_problem(folder) == does_not_follow(3)


def test_an_inserted_record_with_a_chain_value_of_its_own_is_found(
    folder: Path, ask: sqlite3.Connection
) -> None:
    make_room(ask, 3)
    (before,) = ask.execute("SELECT chain FROM records WHERE seq = 2").fetchone()
    ask.execute("INSERT INTO records VALUES (3, x'00', ?)", (link(before, b"\x00"),))

    assert only_problem(folder) == does_not_follow(4)


def test_a_record_inserted_before_the_first_is_found(folder: Path, ask: sqlite3.Connection) -> None:
    ask.execute("INSERT INTO records VALUES (0, x'00', zeroblob(32))")

    assert verify(folder).problems[0].seq == 0


@pytest.mark.parametrize("columns", ["record", "chain", "record, chain"])
def test_two_exchanged_records_are_found(
    folder: Path, ask: sqlite3.Connection, columns: str
) -> None:
    (one, two) = (
        ask.execute(f"SELECT {columns} FROM records WHERE seq = ?", (seq,)).fetchone()
        for seq in (2, 3)
    )
    for seq, row in ((2, two), (3, one)):
        marks = ", ".join("?" * len(row))
        ask.execute(f"UPDATE records SET ({columns}) = ({marks}) WHERE seq = ?", (*row, seq))

    assert verify(folder).problems[0].seq == 2


@pytest.mark.parametrize("value", ["NULL", "7", "'text'", "2.5", "''", "zeroblob(31)"])
@pytest.mark.parametrize("column", ["record", "chain"])
def test_a_value_of_another_type_is_found(
    folder: Path, ask: sqlite3.Connection, column: str, value: str
) -> None:
    ask.execute("PRAGMA writable_schema = ON")
    ask.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table'")
    with closing(sqlite3.connect(folder / "live.db", isolation_level=None)) as again:
        again.execute(f"UPDATE records SET {column} = {value} WHERE seq = 3")

    assert verify(folder).problems[0].seq == 3


def test_records_that_the_log_speaks_of_cannot_be_removed_from_the_end(
    folder: Path, ask: sqlite3.Connection, log_maker
) -> None:
    (chain,) = ask.execute("SELECT chain FROM records WHERE seq = 5").fetchone()
    log_maker.add("coup", 5, chain)
    log_maker.write(folder)
    assert verify(folder).intact

    ask.execute("DELETE FROM checkpoint")
    ask.execute("DELETE FROM records WHERE seq > 4")
    what = "records 5 to 5 are missing: the log speaks of them"
    assert only_problem(folder) == EvidenceProblem(5, what, "live.db")


def test_records_removed_from_the_end_show_in_the_head_alone(
    folder: Path, ask: sqlite3.Connection
) -> None:
    """Only a leaf of the log, or a head noted elsewhere, reveals it, as the README says."""
    head = verify(folder).head_hex
    ask.execute("DELETE FROM records WHERE seq = 6")

    assert verify(folder).intact
    assert verify(folder).head_hex != head


# --- damaged files -------------------------------------------------------------------------------


@pytest.fixture
def long_folder(fast_dir: Path) -> Path:
    with Journal.open(fast_dir) as journal:
        journal.append([input_record("chunk", second) * 8 for second in range(200)])
    return fast_dir


def damage(folder: Path, start: int, data: bytes) -> None:
    with (folder / "live.db").open("r+b") as file:
        file.seek(start)
        file.write(data)


def test_every_damaged_page_is_reported(long_folder: Path) -> None:
    whole = (long_folder / "live.db").read_bytes()
    intact = verify(long_folder)
    for start in range(0, len(whole), 4096):
        for filling in (b"\x00", b"\xff", b"\x0d", b"\x05"):
            (long_folder / "live.db").write_bytes(whole)
            damage(long_folder, start, filling * 4096)
            try:
                report = verify(long_folder)
            except CannotRead:
                continue
            assert report.problems or as_json(report) == as_json(intact), (
                f"page at {start} with {filling!r}"
            )


def test_every_damaged_byte_is_harmless_or_reported(folder: Path) -> None:
    whole = (folder / "live.db").read_bytes()
    intact = verify(folder)
    for place in range(0, len(whole), 17):
        (folder / "live.db").write_bytes(whole)
        damage(folder, place, bytes([whole[place] ^ 0xFF]))
        try:
            report = verify(folder)
        except CannotRead:
            continue
        assert report.problems or as_json(report) == as_json(intact), f"byte {place}"


def test_a_damaged_page_ends_the_reading(long_folder: Path) -> None:
    (pages,) = divmod((long_folder / "live.db").stat().st_size, 4096)[:1]
    damage(long_folder, 4096 * (pages // 2), b"\xff" * 4096)
    report = verify(long_folder)

    what = "it is damaged, and no further row of it was read: "
    assert report.problems[0].what.startswith(what)
    assert 50 < report.records < 150


def test_a_file_cut_short_is_reported(long_folder: Path) -> None:
    whole = (long_folder / "live.db").read_bytes()
    (long_folder / "live.db").write_bytes(whole[: len(whole) // 2])

    assert "malformed" in verify(long_folder).problems[0].what
