"""The verifier on a live part after sealed shoes: interrupted moves, missing shoes."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.encoding import link
from controller.journal.store import Base, Journal, SavedState
from controller.journal.values import Head
from controller.journal.verify import verify

DAY = "2026-11-21"


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


def test_missing_shoes_before_the_live_part_are_named(folder: Path, shoe_maker) -> None:
    (folder / "shoes" / DAY / "0002.shoe").unlink()

    assert problems_of(folder) == ["live.db: records 14 to 25 are missing"]


def test_an_older_live_part_beside_newer_shoes_is_named(folder: Path, change, shoe_maker) -> None:
    """A live.db restored from a copy of the time when the second shoe was in play."""
    first, second = shoe_maker.shoes
    change("DELETE FROM records")
    chain = first.heading.chain_after
    for seq, record in enumerate(second.parts.records[:5], 14):
        chain = link(chain, record)
        change("INSERT INTO records VALUES (?, ?, ?)", seq, record, chain)

    assert problems_of(folder) == [
        "live.db: records 14 to 25 are in the last sealed shoe, too: it is an older live.db"
    ]


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
    twice = "records 14 to 25 are in the last sealed shoe, too"
    assert report.notes[:2] == [
        f"live.db: {twice}: sealing was interrupted; the next start ends it",
        f"{second.name}: the log has no leaf for this seal yet",
    ]


def test_a_removed_live_part_is_reported(folder: Path) -> None:
    for name in ("live.db", "live.db-wal", "live.db-shm"):
        (folder / name).unlink(missing_ok=True)

    assert problems_of(folder) == ["live.db: missing: the records since the last seal"]


def test_a_changed_live_record_after_sealed_shoes_is_named(folder: Path, change) -> None:
    change("UPDATE records SET record = x'00' WHERE seq = 26")

    (problem,) = problems_of(folder)
    assert problem.startswith("live.db: record 26 does not follow: ")


def test_the_newest_shoe_sealed_again_with_the_same_key_is_named(folder: Path, shoe_maker) -> None:
    """Its leaf exists, so that it cannot be one that the table is about to write."""
    newest = shoe_maker.shoes[-1]
    rows = newest.rows[:24] + b"\x01" + newest.rows[25:]
    forged = shoe_maker.put(newest.heading, rows, newest.parts)
    (folder / newest.name).write_bytes(forged.data)

    assert problems_of(folder) == [f"{newest.name}: the log has no leaf for this seal"]
