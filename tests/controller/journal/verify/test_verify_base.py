"""The verifier on a live part after sealed shoes: its base, interrupted moves, missing shoes.

Source: controller/journal/README.md, "Base", "Verifier".
"""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from controller.journal.store import Base, Journal, SavedState
from controller.journal.values import Head
from controller.journal.verify import verify

DAY = "2026-11-21"
CHANGED = "live.db: base, where the live part begins: it or its state was changed"


def store_and_move(journal: Journal, shoe_maker, folder: Path, number: int) -> None:
    """Store a shoe's records, then move them into its file."""
    made = shoe_maker.shoe(DAY, number, run=number == 1)
    journal.append(made.parts.records)
    path = folder / made.name
    base = Base.of(
        Head(shoe_maker.seq, shoe_maker.chain),
        made.digest,
        shoe_maker.started,
        ("0.5.0", shoe_maker.state),
    )
    journal.move_sealed(path, made.data, base)


@pytest.fixture
def folder(shoe_maker, fast_dir: Path) -> Path:
    """A journal of two sealed shoes, with the records of a third in its live part."""
    folder = fast_dir / "journal"
    with Journal.open(folder) as journal:
        store_and_move(journal, shoe_maker, folder, 1)
        shutil.copytree(folder, fast_dir / "earlier")
        store_and_move(journal, shoe_maker, folder, 2)
        third = shoe_maker.shoe(DAY, 3)
        journal.append(third.parts.records, SavedState.of(30, 1, "0.5.0", b"state after 30"))
    shoe_maker.shoes.pop()
    shoe_maker.write(folder)
    return folder


def problems_of(folder: Path) -> list[str]:
    return [str(problem) for problem in verify(folder).problems]


@pytest.fixture
def change(folder: Path) -> Callable[..., None]:
    def changed(statement: str, *values: object) -> None:
        with closing(sqlite3.connect(folder / "live.db", isolation_level=None)) as ask:
            ask.execute(statement, values)

    return changed


def test_shoes_and_live_part_are_one_journal(folder: Path, shoe_maker) -> None:
    report = verify(folder)

    assert report.problems == []
    assert (report.shoes, report.records) == (2, 37)
    assert report.head_hex == shoe_maker.chain.hex()


def test_a_live_part_alone_reports_which_records_are_missing(folder: Path) -> None:
    report = verify(folder / "live.db")

    assert report.intact
    assert report.records == 12
    assert report.notes == ["live.db: records 1 to 25 are in shoes that are not here"]


@pytest.mark.parametrize(
    "column",
    ["chain", "seal", "started", "software", "state", "digest", "ledger", "binding"],
)
def test_every_byte_of_a_base_counts(folder: Path, change, column: str) -> None:
    with closing(sqlite3.connect(folder / "live.db")) as ask:
        (value,) = ask.execute(f"SELECT CAST({column} AS BLOB) FROM base").fetchone()
    for at in range(max(len(value), 1)):
        changed = (
            value[:at] + bytes((value[at] ^ 1 << at % 8,)) + value[at + 1 :] if value else b"x"
        )
        change(f"UPDATE base SET {column} = ?", changed)
        assert problems_of(folder) == [CHANGED]


@pytest.mark.parametrize("column", ["seq", "started_seq"])
def test_every_number_of_a_base_counts(folder: Path, change, column: str) -> None:
    change(f"UPDATE base SET {column} = {column} + 1")

    assert problems_of(folder) == [
        "live.db: base, where the live part begins: it or its state was changed"
    ]


def test_records_are_checked_without_a_base(folder: Path, change) -> None:
    change("DELETE FROM base")
    (problem,) = problems_of(folder)
    assert problem.startswith("live.db: base, where the live part begins: it is missing")

    (problem,) = [str(one) for one in verify(folder / "live.db").problems]
    assert "it is missing" in problem


def forged(change, base: Base) -> None:
    """Store a base with a matching binding."""
    fields = ("seq", "chain", "seal", "started_seq", "started", "software", "state", "digest")
    for name in (*fields, "ledger", "binding"):
        change(f"UPDATE base SET {name} = ?", getattr(base, name))


@pytest.mark.parametrize("what", ["chain", "seal", "started", "state"])
def test_a_base_that_does_not_follow_the_last_shoe_is_named(
    folder: Path, change, shoe_maker, what: str
) -> None:
    last = shoe_maker.shoes[-1]
    fields = {
        "chain": last.heading.chain_after,
        "seal": last.digest,
        "started": shoe_maker.started[1],
        "state": b"state after shoe 2 of 2026-11-21",
    }
    fields[what] = sha256(b"other").digest()
    head = Head(25, fields["chain"])
    forged(
        change, Base.of(head, fields["seal"], (1, fields["started"]), ("0.5.0", fields["state"]))
    )

    assert problems_of(folder)[0] == (
        f"live.db: base: its chain value, seal, run or state is not the one after {last.name}"
    )


def test_missing_shoes_before_the_live_part_are_named(folder: Path, shoe_maker) -> None:
    (folder / "shoes" / DAY / "0002.shoe").unlink()
    seal, first = shoe_maker.shoes[1].digest.hex()[:16], f"shoes/{DAY}/0001.shoe"
    lost = f"records 14 to 25 are missing, in one or more shoes after {first}"

    assert problems_of(folder) == [
        f"live.db: {lost}: the base names the seal {seal}",
    ]


def test_an_older_live_part_beside_newer_shoes_is_named(folder: Path, fast_dir: Path) -> None:
    """A live.db restored from a copy."""
    for name in ("live.db", "live.db-wal", "live.db-shm"):
        (folder / name).unlink(missing_ok=True)
        if (fast_dir / "earlier" / name).exists() and not name.endswith("-shm"):
            shutil.copy(fast_dir / "earlier" / name, folder / name)

    (problem,) = problems_of(folder)
    assert problem == (
        f"live.db: records 14 to 25 are in shoes/{DAY}/0002.shoe, too: it is an older live.db,"
        " or its base is"
    )


def test_an_interrupted_move_is_a_note_and_not_a_problem(shoe_maker, fast_dir: Path) -> None:
    """The file exists, the log does not name it yet, and its records are in live.db, too."""
    folder = fast_dir / "journal"
    with Journal.open(folder) as journal:
        store_and_move(journal, shoe_maker, folder, 1)
        second = shoe_maker.shoe(DAY, 2)
        journal.append(second.parts.records)
    shoe_maker.shoes.pop()
    shoe_maker.write(folder)
    (folder / second.name).write_bytes(second.data)

    report = verify(folder)
    assert report.intact
    assert report.records == 25
    twice = f"records 14 to 25 are in {second.name}, too"
    assert report.notes[:2] == [
        f"{second.name}: the log has no leaf for this seal yet",
        f"live.db: {twice}: sealing was interrupted; the next start ends it",
    ]


def test_a_removed_live_part_is_reported(folder: Path) -> None:
    for name in ("live.db", "live.db-wal", "live.db-shm"):
        (folder / name).unlink(missing_ok=True)

    assert problems_of(folder) == ["live.db: missing: the records since the last seal"]


def test_a_changed_live_record_after_sealed_shoes_is_named(folder: Path, change) -> None:
    change("UPDATE records SET record = x'00' WHERE seq = 26")

    (problem,) = problems_of(folder)
    assert problem.startswith("live.db: record 26 (unreadable) was changed")
