"""The live part behind sealed shoes: its base, moves that were cut short, shoes that are missing.

Responsible for: every field and every bit of a base, live parts older or newer than the shoes.
Not responsible for: the records of a live part (test_verify_live), sealing (test_sealing_moves).
Source: controller/journal/README.md, "Base", "Verifier".
"""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from controller.journal.store import Base, Checkpoint, Journal
from controller.journal.values import Head
from controller.journal.verify import verify

DAY = "2026-11-21"
CHANGED = "live.db: base, where the live part begins: it or its state was changed"


def moved(journal: Journal, sealing, folder: Path, number: int) -> None:
    """Store a shoe's records, then move them into its file."""
    made = sealing.shoe(DAY, number, run=number == 1)
    journal.append(made.parts.records)
    path = folder / made.name
    base = Base.of(
        Head(sealing.seq, sealing.chain), made.digest, sealing.started, ("0.5.0", sealing.state)
    )
    journal.move_sealed(path, made.data, base)


@pytest.fixture
def folder(sealing, fast_dir: Path) -> Path:
    """A journal of two sealed shoes, with the records of a third in its live part."""
    folder = fast_dir / "journal"
    with Journal.open(folder) as journal:
        moved(journal, sealing, folder, 1)
        shutil.copytree(folder, fast_dir / "earlier")
        moved(journal, sealing, folder, 2)
        third = sealing.shoe(DAY, 3)
        journal.append(third.parts.records, Checkpoint.of(30, 1, "0.5.0", b"state after 30"))
    sealing.shoes.pop()
    sealing.write(folder)
    return folder


def told(folder: Path) -> list[str]:
    return [str(problem) for problem in verify(folder).problems]


@pytest.fixture
def change(folder: Path) -> Callable[..., None]:
    def changed(statement: str, *values: object) -> None:
        with closing(sqlite3.connect(folder / "live.db", isolation_level=None)) as ask:
            ask.execute(statement, values)

    return changed


def test_shoes_and_live_part_are_one_journal(folder: Path, sealing) -> None:
    report = verify(folder)

    assert report.problems == []
    assert (report.shoes, report.records) == (2, 37)
    assert report.head_hex == sealing.chain.hex()


def test_a_live_part_alone_says_what_is_not_there(folder: Path) -> None:
    report = verify(folder / "live.db")

    assert report.intact
    assert report.records == 12
    assert report.notes == ["live.db: records 1 to 25 stand in shoes that are not here"]


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
        assert told(folder) == [CHANGED]


@pytest.mark.parametrize("column", ["seq", "started_seq"])
def test_every_number_of_a_base_counts(folder: Path, change, column: str) -> None:
    change(f"UPDATE base SET {column} = {column} + 1")

    assert told(folder) == [
        "live.db: base, where the live part begins: it or its state was changed"
    ]


def test_without_its_base_records_are_checked_all_the_same(folder: Path, change) -> None:
    change("DELETE FROM base")
    (problem,) = told(folder)
    assert problem.startswith("live.db: base, where the live part begins: it is missing")

    (problem,) = [str(one) for one in verify(folder / "live.db").problems]
    assert "it is missing" in problem


def forged(change, base: Base) -> None:
    """A base that is consistent in itself."""
    fields = ("seq", "chain", "seal", "started_seq", "started", "software", "state", "digest")
    for name in (*fields, "ledger", "binding"):
        change(f"UPDATE base SET {name} = ?", getattr(base, name))


@pytest.mark.parametrize("what", ["chain", "seal", "started", "state"])
def test_a_base_that_does_not_follow_the_last_shoe_is_named(
    folder: Path, change, sealing, what: str
) -> None:
    last = sealing.shoes[-1]
    said = {
        "chain": last.heading.chain_after,
        "seal": last.digest,
        "started": sealing.started[1],
        "state": b"state after shoe 2 of 2026-11-21",
    }
    said[what] = sha256(b"other").digest()
    head = Head(25, said["chain"])
    forged(change, Base.of(head, said["seal"], (1, said["started"]), ("0.5.0", said["state"])))

    assert told(folder)[0] == (
        f"live.db: base: its chain value, seal, run or state is not that at the end of {last.name}"
    )


def test_missing_shoes_before_the_live_part_are_named(folder: Path, sealing) -> None:
    (folder / "shoes" / DAY / "0002.shoe").unlink()
    seal, first = sealing.shoes[1].digest.hex()[:16], f"shoes/{DAY}/0001.shoe"
    lost = f"records 14 to 25 are missing, in one or more shoes after {first}"

    assert told(folder) == [
        f"days/{DAY}.seals.json: shoe 2 of {DAY} is missing, or cannot be read",
        f"live.db: {lost}: the base names the seal {seal}",
    ]


def test_an_older_live_part_beside_newer_shoes_is_named(folder: Path, fast_dir: Path) -> None:
    """A live.db put back from a copy."""
    for name in ("live.db", "live.db-wal", "live.db-shm"):
        (folder / name).unlink(missing_ok=True)
        if (fast_dir / "earlier" / name).exists() and not name.endswith("-shm"):
            shutil.copy(fast_dir / "earlier" / name, folder / name)

    (problem,) = told(folder)
    assert problem == (
        f"live.db: records 14 to 25 stand in shoes/{DAY}/0002.shoe, too: it is an older live.db,"
        " or its base is"
    )


def test_a_move_that_was_cut_short_is_told_and_no_problem(sealing, fast_dir: Path) -> None:
    """The file stands there, the list does not name it yet, and its records have not moved."""
    folder = fast_dir / "journal"
    with Journal.open(folder) as journal:
        moved(journal, sealing, folder, 1)
        second = sealing.shoe(DAY, 2)
        journal.append(second.parts.records)
    sealing.shoes.pop()
    sealing.write(folder)
    (folder / second.name).write_bytes(second.data)

    report = verify(folder)
    assert report.intact
    assert report.records == 25
    twice = f"records 14 to 25 stand in {second.name}, too"
    assert [note.partition(": ")[2] for note in report.notes[:2]] == [
        f"{second.name} is not listed; the next start lists it",
        f"{twice}: it was being sealed; the next start ends that",
    ]


def test_a_live_part_that_is_gone_is_missing(folder: Path) -> None:
    for name in ("live.db", "live.db-wal", "live.db-shm"):
        (folder / name).unlink(missing_ok=True)

    assert told(folder) == ["live.db: missing: the records since the last seal"]


def test_a_changed_live_record_behind_sealed_shoes_is_named(folder: Path, change) -> None:
    change("UPDATE records SET record = x'00' WHERE seq = 26")

    (problem,) = told(folder)
    assert problem.startswith("live.db: record 26 (unreadable) was changed")
