"""A journal's folder: sealed shoes in order, and records read across them as if never moved.

Responsible for: names and order of sealed files, reading from any record on, an archive, a single
file, missing and foreign files, and that a start opens none of them.
Not responsible for: moving (test_sealing_moves).
Source: controller/journal/README.md, "Folder", "Reading".
"""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from controller.journal.folder import sealed_files, shoe_path
from controller.journal.record import GENESIS, link
from controller.journal.shoe_file import read_shoe, shoe_bytes
from controller.journal.store import Head, Journal, JournalError, StoredRecord, open_read_only


def as_never_moved(last: int) -> list[StoredRecord]:
    """The records 1 to `last` with the chain values they got when they were appended."""
    stored, chain = [], GENESIS
    for seq in range(1, last + 1):
        record = b"record %d" % seq
        chain = link(chain, record)
        stored.append(StoredRecord(seq, record, chain))
    return stored


WHOLE = as_never_moved(28)


def names(folder: Path) -> list[str]:
    return [str(path.relative_to(folder / "shoes")) for path in sealed_files(folder)]


# --- names ---------------------------------------------------------------------------------------


def test_sealed_files_stand_by_gaming_day_and_number(tmp_path: Path) -> None:
    wanted = ["2025-12-31/0002.shoe", "2026-01-01/0009.shoe", "2026-01-01/0010.shoe"]
    later = ["2026-01-01/9999.shoe", "2026-01-01/10000.shoe", "2026-01-02/0001.shoe"]
    for name in reversed([*wanted, *later]):
        path = tmp_path / "shoes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    assert names(tmp_path) == [*wanted, *later]


@pytest.mark.parametrize(
    "name",
    [
        "2026-01-01/1.shoe",
        "2026-01-01/00010.shoe",
        "2026-01-01/0001.shoe.part",
        "2026-01-01/.0001.shoe",
        "2026-01-01/x001.shoe",
        "2026-01-01/\N{ARABIC-INDIC DIGIT ONE}001.shoe",
        "2026-1-01/0001.shoe",
        "2026-01-01.old/0001.shoe",
        "sealing.part",
    ],
)
def test_what_is_named_otherwise_is_no_sealed_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "shoes" / name
    path.parent.mkdir(parents=True)
    path.touch()

    assert sealed_files(tmp_path) == ()


def test_the_name_of_a_shoe_is_found_again(tmp_path: Path) -> None:
    for shoe in (1, 42, 9999, 10000):
        path = shoe_path(tmp_path, "2026-11-21", shoe)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        assert path in sealed_files(tmp_path)


# --- reading -------------------------------------------------------------------------------------


def test_records_across_five_shoes_are_those_before_sealing(five_shoes: Path) -> None:
    with open_read_only(five_shoes) as journal:
        assert list(journal.records()) == WHOLE
        assert journal.head == Head(28, WHOLE[-1].chain)
        assert (journal.base.seq, journal.first_available_seq) == (25, 1)


@pytest.mark.parametrize("after", range(29))
def test_reading_begins_after_any_record(five_shoes: Path, after: int) -> None:
    with open_read_only(five_shoes) as journal:
        assert list(journal.records(after)) == WHOLE[after:]


def test_the_writer_reads_sealed_records_too(five_shoes: Path) -> None:
    with Journal.open(five_shoes) as journal:
        assert list(journal.records()) == WHOLE


def test_live_db_by_name_is_read_with_the_shoes_beside_it(five_shoes: Path) -> None:
    with open_read_only(five_shoes / "live.db") as journal:
        assert list(journal.records()) == WHOLE


def test_live_db_alone_gives_the_records_in_it_and_says_which_are_elsewhere(
    five_shoes: Path,
) -> None:
    (five_shoes / "shoes").rename(five_shoes / "elsewhere")
    with open_read_only(five_shoes) as journal:
        assert journal.first_available_seq == 26
        assert list(journal.records(25)) == WHOLE[25:]
        with pytest.raises(
            JournalError, match=r"records 1 to 25 stand in sealed files .* record 26"
        ):
            list(journal.records())


@pytest.mark.parametrize(("archived", "first"), [((1, 2), 11), ((3,), 16), ((5,), 26)])
def test_archived_shoes_are_named_and_what_follows_is_read(
    five_shoes: Path, archived: tuple[int, ...], first: int
) -> None:
    for shoe in archived:
        shoe_path(five_shoes, "2026-11-21", shoe).unlink()
    with open_read_only(five_shoes) as journal:
        assert journal.first_available_seq == first
        assert list(journal.records(first - 1)) == WHOLE[first - 1 :]
        with pytest.raises(JournalError, match=rf"records 5 to {first - 1} stand in sealed files"):
            list(journal.records(4))


def test_a_single_shoe_is_a_journal_of_its_records(five_shoes: Path) -> None:
    path = shoe_path(five_shoes, "2026-11-21", 3)
    with open_read_only(path) as journal:
        assert journal.first_available_seq == 11
        assert list(journal.records(10)) == WHOLE[10:15]
        assert journal.head == Head(15, WHOLE[14].chain)
        assert journal.checkpoint() is None


def test_an_archive_has_only_shoes(five_shoes: Path) -> None:
    (five_shoes / "live.db").unlink()
    shoe_path(five_shoes, "2026-11-21", 1).unlink()
    with open_read_only(five_shoes) as journal:
        assert journal.first_available_seq == 6
        assert list(journal.records(5)) == WHOLE[5:25]
        assert journal.head.seq == 25


def test_reading_changes_nothing(five_shoes: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in five_shoes.rglob("*")}
    with open_read_only(five_shoes) as journal:
        list(journal.records())

    assert {path: path.stat().st_mtime_ns for path in five_shoes.rglob("*")} == before


def test_a_reader_beside_a_table_that_seals_reads_the_moment_of_opening(
    five_shoes: Path, filled, seal
) -> None:
    with open_read_only(five_shoes) as reading, filled(five_shoes, 2) as journal:
        seal(journal, 6)

        assert list(reading.records()) == WHOLE
        assert list(journal.records()) == as_never_moved(30)


def test_a_replay_may_begin_where_each_shoe_begins(five_shoes: Path) -> None:
    with open_read_only(five_shoes) as journal:
        found = [(base.seq, base.state) for base in journal.bases()]

    assert found == [
        (25, b"state after 25"),
        (20, b"state after 20"),
        (15, b"state after 15"),
        (10, b"state after 10"),
        (5, b"state after 5"),
        (0, b""),
    ]


# --- what does not belong together ---------------------------------------------------------------


def test_an_exchanged_shoe_is_noticed(five_shoes: Path, fast_dir: Path, filled, seal) -> None:
    with filled(fast_dir / "other") as journal:
        journal.append([b"other"])
    with Journal.open(fast_dir / "other") as journal:
        seal(journal, 1)
    path = shoe_path(five_shoes, "2026-11-21", 1)
    path.write_bytes(shoe_path(fast_dir / "other", "2026-11-21", 1).read_bytes())

    with open_read_only(five_shoes) as journal, pytest.raises(JournalError, match="1 to 5 stand"):
        list(journal.records())


@pytest.mark.parametrize(
    ("shoe", "words"),
    [
        (1, r"0002\.shoe: the sealed file does not follow the file before it"),
        (5, r"0005\.shoe: the sealed file does not lead to what .* goes on from"),
    ],
)
def test_a_shoe_sealed_anew_is_noticed(five_shoes: Path, shoe: int, words: str) -> None:
    """The same records, another heading, a digest that is right for it."""
    path = shoe_path(five_shoes, "2026-11-21", shoe)
    sealed = read_shoe(path.read_bytes())
    heading = replace(sealed.heading, table="Table 8")
    path.write_bytes(shoe_bytes(heading, sealed.rows, sealed.parts()))

    with open_read_only(five_shoes) as journal, pytest.raises(JournalError, match=words):
        list(journal.records())


@pytest.mark.parametrize("at", [40, -200, -100])
def test_a_changed_byte_of_a_shoe_names_its_file(five_shoes: Path, at: int) -> None:
    path = shoe_path(five_shoes, "2026-11-21", 2)
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)

    with open_read_only(five_shoes) as journal, pytest.raises(JournalError, match=r"0002\.shoe"):
        list(journal.records(5))


# --- a year --------------------------------------------------------------------------------------

OPENED_WITHOUT_THEM = """
import sys
from pathlib import Path
def told(event, values):
    if event == "open" and isinstance(values[0], (str, bytes)) and ".shoe" in str(values[0]):
        print("opened", values[0])
sys.addaudithook(told)
from controller.journal.store import Journal
with Journal.open(Path(sys.argv[1])) as journal:
    journal.append([b"goes on"])
    print(journal.head.seq, journal.checkpoint() is not None)
"""


def test_a_start_opens_no_shoe_of_a_year(five_shoes: Path) -> None:
    for number in range(2000):
        path = shoe_path(
            five_shoes, f"2025-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}", number
        )
        path.parent.mkdir(exist_ok=True)
        path.touch(0o000)

    done = subprocess.run(
        [sys.executable, "-c", OPENED_WITHOUT_THEM, five_shoes],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["29", "True"]
    assert len(sealed_files(five_shoes)) == 2005
