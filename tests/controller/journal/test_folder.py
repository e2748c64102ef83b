"""A journal's folder: the order of sealed shoes, and records read across them as if never moved."""

import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.journal.encoding import GENESIS, link
from controller.journal.folder import sealed_files, shoe_path
from controller.journal.shoe_file import read_shoe, shoe_bytes
from controller.journal.store import Head, Journal, JournalError, StoredRecord, open_read_only


def expected_records(last: int) -> list[StoredRecord]:
    """The records 1 to `last` with the chain values from when they were appended."""
    stored, chain = [], GENESIS
    for seq in range(1, last + 1):
        record = b"record %d" % seq
        chain = link(chain, record)
        stored.append(StoredRecord(seq, record, chain))
    return stored


WHOLE = expected_records(28)


def shoe_names(folder: Path) -> list[str]:
    return [str(path.relative_to(folder / "shoes")) for path in sealed_files(folder)]


# --- names ---------------------------------------------------------------------------------------


def test_sealed_files_are_ordered_by_gaming_day_and_number(tmp_path: Path) -> None:
    wanted = ["2025-12-31/0002.shoe", "2026-01-01/0009.shoe", "2026-01-01/0010.shoe"]
    later = ["2026-01-01/9999.shoe", "2026-01-01/10000.shoe", "2026-01-02/0001.shoe"]
    for name in reversed([*wanted, *later]):
        path = tmp_path / "shoes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    assert shoe_names(tmp_path) == [*wanted, *later]


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
def test_files_with_other_names_are_ignored(tmp_path: Path, name: str) -> None:
    path = tmp_path / "shoes" / name
    path.parent.mkdir(parents=True)
    path.touch()

    assert sealed_files(tmp_path) == ()


def test_a_shoe_path_is_found_among_sealed_files(tmp_path: Path) -> None:
    for shoe in (1, 42, 9999, 10000):
        path = shoe_path(tmp_path, "2026-11-21", shoe)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        assert path in sealed_files(tmp_path)


# --- reading -------------------------------------------------------------------------------------


def test_records_across_five_shoes_equal_those_before_sealing(five_shoes: Path) -> None:
    with open_read_only(five_shoes) as journal:
        assert list(journal.records()) == WHOLE
        assert journal.head == Head(28, WHOLE[-1].chain)
        assert (journal.base.seq, journal.first_available_seq) == (25, 1)


def test_reading_begins_after_any_record(five_shoes: Path) -> None:
    for after in range(29):
        with open_read_only(five_shoes) as journal:
            assert list(journal.records(after)) == WHOLE[after:], f"after record {after}"


def test_the_writer_reads_sealed_records_too(five_shoes: Path) -> None:
    with Journal.open(five_shoes) as journal:
        assert list(journal.records()) == WHOLE


def test_live_db_by_name_is_read_with_the_shoes_beside_it(five_shoes: Path) -> None:
    with open_read_only(five_shoes / "live.db") as journal:
        assert list(journal.records()) == WHOLE


def test_live_db_alone_gives_its_records_and_reports_which_are_missing(
    five_shoes: Path,
) -> None:
    (five_shoes / "shoes").rename(five_shoes / "elsewhere")
    with open_read_only(five_shoes) as journal:
        assert journal.first_available_seq == 26
        assert list(journal.records(25)) == WHOLE[25:]
        with pytest.raises(JournalError, match=r"records 1 to 25 are in sealed files .* record 26"):
            list(journal.records())


@pytest.mark.parametrize(("archived", "first"), [((1, 2), 11), ((3,), 16), ((5,), 26)])
def test_archived_records_are_reported_and_later_ones_are_read(
    five_shoes: Path, archived: tuple[int, ...], first: int
) -> None:
    for shoe in archived:
        shoe_path(five_shoes, "2026-11-21", shoe).unlink()
    with open_read_only(five_shoes) as journal:
        assert journal.first_available_seq == first
        assert list(journal.records(first - 1)) == WHOLE[first - 1 :]
        with pytest.raises(JournalError, match=rf"records 5 to {first - 1} are in sealed files"):
            list(journal.records(4))
        last = first - 1
        with pytest.raises(JournalError, match=rf"records {last} to {last} are in sealed files"):
            list(journal.records(last - 1))


def test_a_single_shoe_is_a_journal_of_its_records(five_shoes: Path) -> None:
    path = shoe_path(five_shoes, "2026-11-21", 3)
    with open_read_only(path) as journal:
        assert journal.first_available_seq == 11
        assert list(journal.records(10)) == WHOLE[10:15]
        assert journal.head == Head(15, WHOLE[14].chain)
        assert journal.saved_state() is None


def test_an_archive_of_shoes_alone_is_read(five_shoes: Path) -> None:
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


def test_a_reader_sees_the_moment_of_opening_while_the_table_seals(
    five_shoes: Path, filled, seal
) -> None:
    with open_read_only(five_shoes) as reading, filled(five_shoes, 2) as journal:
        seal(journal, 6)

        assert list(reading.records()) == WHOLE
        assert list(journal.records()) == expected_records(30)


def test_each_shoe_has_a_base_to_replay_from(five_shoes: Path) -> None:
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


def test_an_exchanged_shoe_is_detected(five_shoes: Path, fast_dir: Path, filled, seal) -> None:
    with filled(fast_dir / "other") as journal:
        journal.append([b"other"])
    with Journal.open(fast_dir / "other") as journal:
        seal(journal, 1)
    path = shoe_path(five_shoes, "2026-11-21", 1)
    path.write_bytes(shoe_path(fast_dir / "other", "2026-11-21", 1).read_bytes())

    with open_read_only(five_shoes) as journal, pytest.raises(JournalError, match="1 to 5 are in"):
        list(journal.records())


def test_the_resealed_last_shoe_is_detected(five_shoes: Path) -> None:
    """The same records with another heading and a matching digest; the evidence log has the seals
    of the others."""
    words = r"0005\.shoe: the sealed file does not lead to the base of .*"
    path = shoe_path(five_shoes, "2026-11-21", 5)
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

OPEN_AND_LOG = """
import sys
from pathlib import Path
def log_open(event, values):
    if event == "open" and isinstance(values[0], (str, bytes)) and ".shoe" in str(values[0]):
        print("opened", values[0])
sys.addaudithook(log_open)
from controller.journal.store import Journal
with Journal.open(Path(sys.argv[1])) as journal:
    journal.append([b"goes on"])
    print(journal.head.seq, journal.saved_state() is not None)
"""


def test_a_start_opens_no_shoe_of_a_year(five_shoes: Path) -> None:
    for number in range(2000):
        path = shoe_path(
            five_shoes, f"2025-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}", number
        )
        path.parent.mkdir(exist_ok=True)
        path.touch(0o000)

    done = subprocess.run(
        [sys.executable, "-c", OPEN_AND_LOG, five_shoes],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["29", "True"]
    assert len(sealed_files(five_shoes)) == 2005
