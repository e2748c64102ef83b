"""The verifier on folders: missing, extra, exchanged, copied and reordered shoes."""

import itertools
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from controller.journal.verify import report_lines, verify

FIRST_DAY, SECOND_DAY = "2026-11-21", "2026-11-22"


@pytest.fixture
def archive(sealed_shoes, fast_dir: Path) -> Path:
    """Three shoes of one day, two of the next, and the log."""
    folder = fast_dir / "archive"
    sealed_shoes.write(folder)
    return folder


def shoe(folder: Path, day: str, number: int) -> Path:
    return folder / "shoes" / day / f"{number:04}.shoe"


def problems_of(folder: Path) -> list[str]:
    return [str(problem) for problem in verify(folder).problems]


def test_an_intact_archive_is_summarized(archive: Path, sealed_shoes) -> None:
    report = verify(archive)

    assert report.problems == []
    assert (report.shoes, report.records, report.inputs) == (5, 62, 27)
    assert report.head_hex == sealed_shoes.shoes[-1].heading.chain_after.hex()
    assert list(report.codes) == [FIRST_DAY, SECOND_DAY]
    assert report.notes == []
    assert list(report.files) == [made.name for made in sealed_shoes.shoes]


def test_progress_covers_all_files(archive: Path) -> None:
    seen: list[tuple[int, int]] = []
    verify(archive, lambda done, total: seen.append((done, total)))

    assert seen == [(done, 5) for done in (1, 2, 3, 4, 5)]


# --- missing, extra, exchanged --------------------------------------------------------------------


def test_a_missing_shoe_is_named(archive: Path) -> None:
    shoe(archive, FIRST_DAY, 2).unlink()

    lost = "records 14 to 25 are missing after shoes/2026-11-21/0001.shoe (shoe 2 of 2026-11-21)"
    assert problems_of(archive) == [f"shoes/2026-11-21/0003.shoe: {lost}"]


def test_several_missing_shoes_are_named(archive: Path) -> None:
    for number in (2, 3):
        shoe(archive, FIRST_DAY, number).unlink()
    shoe(archive, SECOND_DAY, 1).unlink()

    (gap,) = problems_of(archive)
    assert gap == (
        "shoes/2026-11-22/0002.shoe: records 14 to 50 are missing after"
        " shoes/2026-11-21/0001.shoe (shoe 1 of 2026-11-22)"
    )


def test_a_missing_last_shoe_of_a_day_is_named(archive: Path) -> None:
    shoe(archive, FIRST_DAY, 3).unlink()

    (gap,) = problems_of(archive)
    assert "records 26 to 37 are missing after shoes/2026-11-21/0002.shoe" in gap


def test_missing_oldest_shoes_are_notes(archive: Path) -> None:
    shutil.rmtree(archive / "shoes" / FIRST_DAY)

    report = verify(archive)
    assert report.intact
    assert report.notes == [
        "records 1 to 37 are in shoes that are not here",
        "log.db: 3 sealed shoes in it: not here",
        "log.db: 3 leaves of 6 speak of records that are not here",
    ]


def test_two_exchanged_files_are_named(archive: Path) -> None:
    one, two = shoe(archive, FIRST_DAY, 1), shoe(archive, FIRST_DAY, 2)
    aside = archive / "aside"
    one.rename(aside)
    two.rename(one)
    aside.rename(two)

    assert problems_of(archive) == [
        "shoes/2026-11-21/0001.shoe: by its heading it is shoe 2 of 2026-11-21",
        "shoes/2026-11-21/0002.shoe: by its heading it is shoe 1 of 2026-11-21",
    ]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[1:])
def test_files_in_another_order_are_named(archive: Path, order: tuple[int, ...]) -> None:
    files = [shoe(archive, FIRST_DAY, number) for number in (1, 2, 3)]
    data = [file.read_bytes() for file in files]
    for file, number in zip(files, order, strict=True):
        file.write_bytes(data[number])

    assert problems_of(archive) == [
        f"shoes/2026-11-21/000{place + 1}.shoe: by its heading it is shoe {number + 1} of"
        " 2026-11-21"
        for place, number in enumerate(order)
        if place != number
    ]


def test_a_copy_of_a_shoe_is_named(archive: Path) -> None:
    shutil.copy(shoe(archive, SECOND_DAY, 1), shoe(archive, SECOND_DAY, 3))

    file, first = "shoes/2026-11-22/0003.shoe", "shoes/2026-11-22/0001.shoe"
    assert problems_of(archive) == [
        f"{file}: by its heading it is shoe 1 of 2026-11-22",
        f"{file}: records 38 to 50 are in {first}, too: it is a copy",
    ]


def test_an_old_file_in_place_of_a_newer_one_is_named(archive: Path) -> None:
    shutil.copy(shoe(archive, FIRST_DAY, 1), shoe(archive, FIRST_DAY, 2))

    found = problems_of(archive)
    assert found[0] == "shoes/2026-11-21/0002.shoe: by its heading it is shoe 1 of 2026-11-21"
    assert any("records 14 to 25 are missing after" in one for one in found)


def test_a_shoe_resealed_with_the_same_key_is_named(archive: Path, sealed_shoes) -> None:
    """A holder of the key can sign another shoe; the log has no leaf for it."""
    made = sealed_shoes.shoes[1]
    rows = made.rows[:24] + b"\x01" + made.rows[25:]
    forged = sealed_shoes.put(made.heading, rows, made.parts)
    shoe(archive, FIRST_DAY, 2).write_bytes(forged.data)

    assert problems_of(archive) == ["shoes/2026-11-21/0002.shoe: the log has no leaf for this seal"]


def test_a_shoe_of_another_table_is_named(archive: Path, sealed_shoes) -> None:
    other = type(sealed_shoes)(table="Table-8")
    shoe(archive, FIRST_DAY, 1).write_bytes(other.shoe(FIRST_DAY, 1, run=True).data)

    found = problems_of(archive)
    assert any("0002.shoe: table: 'Table-7', but shoes/2026-11-21/0001" in one for one in found)
    assert "shoes/2026-11-21/0001.shoe: the log has no leaf for this seal" in found


@pytest.mark.parametrize("form", [b"\x00\x01", b"\x00\x02"])
def test_an_uncheckable_file_does_not_hide_the_others(archive: Path, form: bytes) -> None:
    """The digest holds, but the format is newer or the heading unknown."""
    body = b"SMSHSEAL" + form + bytes(5) + b"\x01" + bytes(20) + b"\xa0"
    shoe(archive, SECOND_DAY, 3).write_bytes(body + sha256(body).digest() + bytes(64))
    shoe(archive, FIRST_DAY, 1).write_bytes(b"")

    report = verify(archive)
    files = [problem.file for problem in report.problems]
    assert "shoes/2026-11-21/0001.shoe" in files
    assert "shoes/2026-11-22/0003.shoe" in files
    assert report.records == 49


@pytest.mark.parametrize("name", ["0004 (copy).shoe", "4.shoe", "notes.txt"])
def test_a_file_of_another_name_is_extra(archive: Path, name: str) -> None:
    shutil.copy(shoe(archive, FIRST_DAY, 1), archive / "shoes" / FIRST_DAY / name)

    assert problems_of(archive) == [
        f"shoes/2026-11-21/{name}: extra: this is not the name of a sealed shoe"
    ]


def test_a_leftover_of_a_crash_is_a_note_and_no_problem(archive: Path) -> None:
    (archive / "shoes" / "sealing.part").write_bytes(b"SMSH")

    report = verify(archive)
    assert report.intact
    assert report.notes[0] == "shoes/sealing.part: an unfinished file; the next start removes it"


# --- keys -----------------------------------------------------------------------------------------


def test_a_signer_that_the_log_does_not_name_is_a_problem(shoe_maker, fast_dir: Path) -> None:
    shoe_maker.shoe(FIRST_DAY, 1, run=True)
    log = shoe_maker.log()
    shoe_maker.key = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
    made = shoe_maker.shoe(FIRST_DAY, 2)
    named = {"seal": made.digest, "gaming_day": FIRST_DAY, "shoe": 2}
    log.add("shoe", shoe_maker.seq, shoe_maker.chain, **named)
    shoe_maker.write(fast_dir, log)

    assert problems_of(fast_dir) == [
        "shoes/2026-11-21/0002.shoe: signer: the log does not name it as the table's"
    ]


def test_an_unsigned_shoe_of_a_table_with_a_key_is_a_problem(shoe_maker, fast_dir: Path) -> None:
    shoe_maker.shoe(FIRST_DAY, 1, run=True)
    log = shoe_maker.log()
    shoe_maker.key = None
    made = shoe_maker.shoe(FIRST_DAY, 2)
    named = {"seal": made.digest, "gaming_day": FIRST_DAY, "shoe": 2}
    log.add("shoe", shoe_maker.seq, shoe_maker.chain, **named)
    shoe_maker.write(fast_dir, log)

    assert problems_of(fast_dir) == [
        "shoes/2026-11-21/0002.shoe: signer: the log does not name it as the table's"
    ]


def test_a_table_without_a_key_is_intact_and_nobody_signed(shoe_maker, fast_dir: Path) -> None:
    shoe_maker.key = None
    shoe_maker.shoe(FIRST_DAY, 1, run=True)
    shoe_maker.write(fast_dir)

    report = verify(fast_dir)
    assert report.intact
    assert report_lines(report)[0] == f"intact: {fast_dir}: nobody signed it"
