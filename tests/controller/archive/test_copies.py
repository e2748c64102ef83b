"""Archiving: each copy of a finished shoe is verified, and no different file is overwritten."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.archive import copies as journal_archive
from controller.archive.copies import archive_shoes
from controller.archive.shoe_index import shoe_summaries
from controller.journal.evidence_log.checkpoint import parse_checkpoint
from controller.journal.evidence_log.note import parse_note
from controller.journal.evidence_log.shoe_proof import shoe_leaves
from controller.journal.folder import sealed_files
from controller.journal.log_database import LogDatabase
from controller.journal.values import JournalError
from controller.journal.verify import verify

NS_PER_DAY = 86_400 * 1_000_000_000
# 2025-11-23 00:00 UTC: a day and a half after the first shoes, half a day after the last.
LATER_NS = 1_763_856_000 * 1_000_000_000
FIRST, SECOND, NEXT = (
    "shoes/2025-11-21/0001.shoe",
    "shoes/2025-11-21/0002.shoe",
    "shoes/2025-11-22/0001.shoe",
)
LOG = "log.db"


@pytest.fixture
def to(tmp_path) -> Path:
    return tmp_path / "archive_shoes" / "table-1"


def files(folder: Path) -> dict[str, bytes]:
    """The files of an archive by name, without those that other programs read the log by."""
    found = (
        one for one in folder.rglob("*") if one.is_file() and folder / "log" not in one.parents
    )
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in found}


def test_all_sealed_shoes_and_the_log_are_copied_and_the_archive_verifies(
    sealed_journal, to
) -> None:
    journal = sealed_journal(2, 1)

    report = archive_shoes(journal, to, LATER_NS)

    assert report.copied == [FIRST, SECOND, NEXT, LOG]
    assert (report.present, report.waiting, report.problems) == ([], [], [])
    archived = files(to)
    assert json.loads(archived.pop("archived.json")) == {
        "form": "smartshoe-archive-1",
        "table": "M7",
        "archived_at": "2025-11-23T00:00:00.000000000Z",
        "by": copies_in(to),
        "newest": {
            "gaming_day": "2025-11-22",
            "shoe": 1,
            "digest": list(shoe_summaries(journal))[-1].digest.hex(),
        },
    }
    copied = archived.pop(LOG)
    assert archived == {name: (journal / name).read_bytes() for name in report.copied[:-1]}
    assert report.copied_bytes == sum(map(len, archived.values())) + len(copied)
    assert verify(to).intact


def copies_in(to: Path) -> str:
    by: str = json.loads((to / "archived.json").read_text())["by"]
    assert by.startswith("smartshoe ")
    return by


def test_who_may_read_the_archives_folder_reads_every_file_of_it(sealed_journal, to) -> None:
    journal = sealed_journal(1)
    before = os.umask(0o027)
    try:
        archive_shoes(journal, to, LATER_NS)
    finally:
        os.umask(before)

    modes = {one.name: one.stat().st_mode & 0o777 for one in to.rglob("*") if one.is_file()}
    assert set(modes.values()) == {0o640}, modes


def test_existing_copies_stay_and_missing_ones_are_added(sealed_journal, to) -> None:
    journal = sealed_journal(2, 1)
    archive_shoes(journal, to, LATER_NS)
    (to / SECOND).unlink()
    untouched = (to / FIRST).stat().st_mtime_ns

    report = archive_shoes(journal, to, LATER_NS)

    assert report.copied == [SECOND]
    assert report.present == [FIRST, NEXT, LOG]
    assert (to / FIRST).stat().st_mtime_ns == untouched


def test_an_interrupted_copy_is_repeated(sealed_journal, to, monkeypatch) -> None:
    journal = sealed_journal(2)
    with monkeypatch.context() as patched:
        patched.setattr(journal_archive.os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            archive_shoes(journal, to, LATER_NS)
    assert files(to) == {}

    assert archive_shoes(journal, to, LATER_NS).copied == [FIRST, SECOND, LOG]


def interrupt(_descriptor: int) -> None:
    raise KeyboardInterrupt


def test_only_gaming_days_that_are_old_enough_are_copied(sealed_journal, to) -> None:
    journal = sealed_journal(2, 1)

    report = archive_shoes(journal, to, LATER_NS, NS_PER_DAY)

    assert report.copied == [FIRST, SECOND, LOG]
    assert report.waiting == ["2025-11-22/1"]
    assert verify(to).intact


def test_a_different_file_is_never_overwritten(sealed_journal, to) -> None:
    journal = sealed_journal(2)
    archive_shoes(journal, to, LATER_NS)
    other = (to / FIRST).read_bytes()[:-1] + b"?"
    (to / FIRST).write_bytes(other)

    report = archive_shoes(journal, to, LATER_NS)

    (problem,) = report.problems
    assert problem.startswith(f"{to / FIRST}: this file differs from {journal / FIRST}.")
    assert (to / FIRST).read_bytes() == other


def test_a_damaged_shoe_is_not_copied_but_reported(sealed_journal, to) -> None:
    journal = sealed_journal(2)
    data = (journal / FIRST).read_bytes()
    (journal / FIRST).write_bytes(data[:900] + bytes([data[900] ^ 1]) + data[901:])

    report = archive_shoes(journal, to, LATER_NS)

    assert SECOND in report.copied
    assert not (to / FIRST).exists()
    assert report.problems[0].startswith(f"{journal / FIRST}: not copied: ")


def test_a_disk_that_returns_other_bytes_is_reported(sealed_journal, to, monkeypatch) -> None:
    monkeypatch.setattr(journal_archive, "read_back", lambda _path: bytes(32))

    report = archive_shoes(sealed_journal(1), to, LATER_NS)

    assert report.problems[0].startswith(
        f"{to / FIRST}: the copy is not good: the disk returns other"
    )
    assert report.copied == []


def shorten_log(folder: Path, leaves: int) -> None:
    """Take the newest leaves and heads from a log."""
    with closing(sqlite3.connect(folder / LOG)) as log, log:
        log.execute(
            "DELETE FROM leaves WHERE number > (SELECT max(number) - ? FROM leaves)", (leaves,)
        )
        log.execute("DELETE FROM heads WHERE size > (SELECT max(number) + 1 FROM leaves)")


def test_the_newest_shoe_that_the_log_does_not_name_yet_waits(sealed_journal, to) -> None:
    journal = sealed_journal(1, 1)
    with LogDatabase.open_read_only(journal) as log:
        after_first = next(shoe_leaves(log)).number + 1
        shorter = log.size - after_first
    shorten_log(journal, shorter)

    assert archive_shoes(journal, to, LATER_NS).copied == [FIRST, LOG]


def test_a_log_that_went_on_replaces_its_copy(sealed_journal, to) -> None:
    journal = sealed_journal(2)
    archive_shoes(journal, to, LATER_NS)
    whole = heads(journal)
    shorten_log(to, 3)

    assert archive_shoes(journal, to, LATER_NS).copied == [LOG]
    assert heads(to) == whole


def heads(folder: Path) -> list[bytes | None]:
    with LogDatabase.open_read_only(folder) as log:
        return [log.note(size) for size in range(1, log.size + 1)]


def test_a_log_that_does_not_continue_its_copy_is_not_overwritten(sealed_journal, to) -> None:
    archive_shoes(sealed_journal(2, name="other"), to, LATER_NS)
    kept = heads(to)
    journal = sealed_journal(2)

    (problem,) = [one for one in archive_shoes(journal, to, LATER_NS).problems if LOG in one]

    assert problem.startswith(f"{to / LOG}: this is another log than {journal / LOG}, or a newer")
    assert heads(to) == kept


def test_a_copy_that_is_ahead_is_not_overwritten(sealed_journal, to) -> None:
    """An older image of the table's disk was put back."""
    journal = sealed_journal(2)
    archive_shoes(journal, to, LATER_NS)
    shorten_log(journal, 2)

    assert (
        "or a newer one. It was not overwritten" in archive_shoes(journal, to, LATER_NS).problems[0]
    )


def test_an_archive_of_another_table_is_refused(sealed_journal, to) -> None:
    to.mkdir(parents=True)
    (to / "archived.json").write_text('{"table": "M8"}')
    with pytest.raises(
        JournalError, match="this is the archive of table M8, but these are shoes of"
    ):
        archive_shoes(sealed_journal(1), to, LATER_NS)


@pytest.mark.parametrize("where", [".", "shoes", "elsewhere/in/it"])
def test_an_archive_inside_the_journal_is_refused(sealed_journal, where) -> None:
    journal = sealed_journal(1)
    with pytest.raises(JournalError, match="this is inside the journal's own folder"):
        archive_shoes(journal, journal / where, LATER_NS)


def test_the_folder_of_a_table_is_refused_as_archive(sealed_journal) -> None:
    with pytest.raises(JournalError, match="this is the folder of a table"):
        archive_shoes(sealed_journal(1), sealed_journal(1, name="other"), LATER_NS)


def test_progress_counts_bytes(sealed_journal, to) -> None:
    journal = sealed_journal(2)
    progress: list[tuple[int, int]] = []
    archive_shoes(journal, to, LATER_NS, 0, lambda done, total: progress.append((done, total)))

    sizes = [path.stat().st_size for path in sealed_files(journal)]
    assert progress == [(0, sum(sizes)), (sizes[0], sum(sizes)), (sum(sizes), sum(sizes))]


def test_other_programs_find_the_log_in_the_archive(sealed_journal, to) -> None:
    """Tiles, entries, and the newest checkpoint that the table's key signed."""
    archive_shoes(sealed_journal(2), to, LATER_NS)

    found = sorted(one.relative_to(to / "log").as_posix() for one in (to / "log").rglob("*.p/*"))
    note = parse_note((to / "log" / "checkpoint").read_bytes())
    size = parse_checkpoint(note.text).size
    assert found == [f"tile/0/000.p/{size}", f"tile/entries/000.p/{size}"]
    assert len(note.signatures) == 2
    modes = {one.stat().st_mode & 0o777 for one in (to / "log").rglob("*") if one.is_file()}
    assert modes == {0o640}
