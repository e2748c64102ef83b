"""Finished shoes are copied elsewhere, each copy checked, and nothing different is written over.

Responsible for: what is copied, checking, going on after an interruption, lists that grow, archives
of other tables, and copies that are not good.
Not responsible for: deleting (test_retention) and the prompt (test_cli_journal_files).
Source: controller/README.md, "Journal commands".
"""

import json
from pathlib import Path

import pytest

from controller.archive import copies as journal_archive
from controller.archive.copies import archive
from controller.archive.shoe_index import sealed_shoes
from controller.journal.folder import sealed_files
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
LISTS = ["days/2025-11-21.seals.json", "days/2025-11-22.seals.json"]


@pytest.fixture
def to(tmp_path) -> Path:
    return tmp_path / "archive" / "table-1"


def files(folder: Path) -> dict[str, bytes]:
    found = (one for one in folder.rglob("*") if one.is_file())
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in found}


def test_all_sealed_shoes_and_lists_are_copied_and_the_archive_verifies(sealed_journal, to) -> None:
    journal = sealed_journal(2, 1)

    report = archive(journal, to, LATER_NS)

    assert report.copied == [FIRST, SECOND, NEXT, *LISTS]
    assert (report.there, report.waiting, report.problems) == ([], [], [])
    kept = files(to)
    assert json.loads(kept.pop("archived.json")) == {
        "form": "smartshoe-archive-1",
        "table": "M7",
        "archived_at": "2025-11-23T00:00:00.000000000Z",
        "by": kept_by(to),
        "newest": {
            "gaming_day": "2025-11-22",
            "shoe": 1,
            "digest": list(sealed_shoes(journal))[-1].digest.hex(),
        },
    }
    assert kept == {name: (journal / name).read_bytes() for name in report.copied}
    assert report.copied_bytes == sum(map(len, kept.values()))
    assert verify(to).intact


def kept_by(to: Path) -> str:
    by: str = json.loads((to / "archived.json").read_text())["by"]
    assert by.startswith("smartshoe ")
    return by


def test_what_is_there_stays_and_what_is_missing_follows(sealed_journal, to) -> None:
    journal = sealed_journal(2, 1)
    archive(journal, to, LATER_NS)
    (to / SECOND).unlink()
    untouched = (to / FIRST).stat().st_mtime_ns

    report = archive(journal, to, LATER_NS)

    assert report.copied == [SECOND]
    assert report.there == [FIRST, NEXT, *LISTS]
    assert (to / FIRST).stat().st_mtime_ns == untouched


def test_a_copy_that_was_cut_short_is_made_again(sealed_journal, to, monkeypatch) -> None:
    journal = sealed_journal(2)
    with monkeypatch.context() as patched:
        patched.setattr(journal_archive.os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            archive(journal, to, LATER_NS)
    assert files(to) == {}

    assert archive(journal, to, LATER_NS).copied == [FIRST, SECOND, LISTS[0]]


def interrupt(_descriptor: int) -> None:
    raise KeyboardInterrupt


def test_only_gaming_days_that_are_old_enough_are_copied(sealed_journal, to) -> None:
    journal = sealed_journal(2, 1)

    report = archive(journal, to, LATER_NS, NS_PER_DAY)

    assert report.copied == [FIRST, SECOND, LISTS[0]]
    assert report.waiting == ["2025-11-22/1"]
    assert verify(to).intact


def test_a_day_that_goes_on_brings_its_longer_list_next_time(sealed_journal, to) -> None:
    archive(sealed_journal(1, name="before"), to, LATER_NS)

    report = archive(sealed_journal(2, name="after"), to, LATER_NS)

    assert report.copied == [SECOND, LISTS[0]]
    assert verify(to).intact


def test_a_different_file_is_never_written_over(sealed_journal, to) -> None:
    journal = sealed_journal(2)
    archive(journal, to, LATER_NS)
    other = (to / FIRST).read_bytes()[:-1] + b"?"
    (to / FIRST).write_bytes(other)

    report = archive(journal, to, LATER_NS)

    (problem,) = report.problems
    assert problem.startswith(f"{to / FIRST}: another file than {journal / FIRST} stands there.")
    assert (to / FIRST).read_bytes() == other


def test_a_list_that_names_other_seals_is_not_written_over(sealed_journal, to) -> None:
    journal = sealed_journal(1)
    archive(journal, to, LATER_NS)
    said = (to / LISTS[0]).read_text().replace('"first_seq": 1', '"first_seq": 2')
    (to / LISTS[0]).write_text(said)

    report = archive(journal, to, LATER_NS)

    (problem,) = report.problems
    assert problem.startswith(f"{to / LISTS[0]}: it names other seals than {journal / LISTS[0]}.")
    assert (to / LISTS[0]).read_text() == said


def test_a_shoe_that_is_damaged_here_is_not_copied_and_said(sealed_journal, to) -> None:
    journal = sealed_journal(2)
    data = (journal / FIRST).read_bytes()
    (journal / FIRST).write_bytes(data[:900] + bytes([data[900] ^ 1]) + data[901:])

    report = archive(journal, to, LATER_NS)

    assert SECOND in report.copied
    assert not (to / FIRST).exists()
    assert report.problems[0].startswith(f"{journal / FIRST}: not copied: ")


def test_a_disk_that_gives_other_bytes_back_is_said(sealed_journal, to, monkeypatch) -> None:
    monkeypatch.setattr(journal_archive, "read_back", lambda _path: bytes(32))

    report = archive(sealed_journal(1), to, LATER_NS)

    assert report.problems[0].startswith(
        f"{to / FIRST}: the copy is not good: the disk gives other"
    )
    assert report.copied == []


def test_the_shoe_that_is_just_being_listed_waits(sealed_journal, to) -> None:
    journal = sealed_journal(1, 1)
    (journal / LISTS[1]).unlink()

    assert archive(journal, to, LATER_NS).copied == [FIRST, LISTS[0]]
    assert verify(to).intact


def test_one_archive_is_of_one_table(sealed_journal, to) -> None:
    to.mkdir(parents=True)
    (to / "archived.json").write_text('{"table": "M8"}')
    with pytest.raises(JournalError, match="it is the archive of table M8, and these are shoes of"):
        archive(sealed_journal(1), to, LATER_NS)


@pytest.mark.parametrize("where", [".", "shoes", "elsewhere/in/it"])
def test_an_archive_is_not_in_the_journal_itself(sealed_journal, where) -> None:
    journal = sealed_journal(1)
    with pytest.raises(JournalError, match="it is in the journal's own folder"):
        archive(journal, journal / where, LATER_NS)


def test_a_table_is_no_archive(sealed_journal) -> None:
    with pytest.raises(JournalError, match="it is the folder of a table"):
        archive(sealed_journal(1), sealed_journal(1, name="other"), LATER_NS)


def test_progress_tells_bytes(sealed_journal, to) -> None:
    journal = sealed_journal(2)
    told: list[tuple[int, int]] = []
    archive(journal, to, LATER_NS, 0, lambda done, total: told.append((done, total)))

    sizes = [path.stat().st_size for path in sealed_files(journal)]
    assert told == [(0, sum(sizes)), (sizes[0], sum(sizes)), (sum(sizes), sum(sizes))]
