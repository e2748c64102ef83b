"""The verifier on folders: missing, extra, exchanged, copied and reordered shoes, and their lists.

Source: controller/journal/README.md, "Folder", "Evidence log", "Verifier".
"""

import itertools
import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from controller.journal.verify import CannotRead, verify

FIRST_DAY, SECOND_DAY = "2026-11-21", "2026-11-22"


@pytest.fixture
def archive(sealed_shoes, fast_dir: Path) -> Path:
    """Three shoes of one day, two of the next, and both lists."""
    folder = fast_dir / "archive"
    sealed_shoes.write(folder)
    return folder


def shoe(folder: Path, day: str, number: int) -> Path:
    return folder / "shoes" / day / f"{number:04}.shoe"


def days(folder: Path, day: str) -> Path:
    return folder / "days" / f"{day}.seals.json"


def problems_of(folder: Path) -> list[str]:
    return [str(problem) for problem in verify(folder).problems]


def test_an_intact_archive_is_summarized(archive: Path, sealed_shoes) -> None:
    report = verify(archive)

    assert report.problems == []
    assert (report.shoes, report.records, report.inputs) == (5, 62, 27)
    assert report.head_hex == sealed_shoes.shoes[-1].heading.chain_after.hex()
    assert list(report.codes) == [FIRST_DAY, SECOND_DAY]
    assert list(report.files) == [made.name for made in sealed_shoes.shoes]


def test_progress_covers_all_files(archive: Path) -> None:
    seen: list[tuple[int, int]] = []
    verify(archive, lambda done, total: seen.append((done, total)))

    assert seen == [(done, 5) for done in (1, 2, 3, 4, 5)]


# --- missing, extra, exchanged --------------------------------------------------------------------


def test_a_missing_shoe_is_named_by_the_next_seal_and_by_the_list(
    archive: Path,
) -> None:
    shoe(archive, FIRST_DAY, 2).unlink()

    lost = "records 14 to 25 are missing after shoes/2026-11-21/0001.shoe (shoe 2 of 2026-11-21)"
    assert problems_of(archive) == [
        f"shoes/2026-11-21/0003.shoe: {lost}",
        "days/2026-11-21.seals.json: shoe 2 of 2026-11-21 is missing, or cannot be read",
    ]


def test_several_missing_shoes_are_named(archive: Path) -> None:
    for number in (2, 3):
        shoe(archive, FIRST_DAY, number).unlink()
    shoe(archive, SECOND_DAY, 1).unlink()
    days(archive, FIRST_DAY).unlink()
    days(archive, SECOND_DAY).unlink()

    gap, *lists = problems_of(archive)
    assert gap.startswith(
        "shoes/2026-11-22/0002.shoe: records 14 to 50 are missing after"
        " shoes/2026-11-21/0001.shoe (shoe 1 of 2026-11-22)"
    )
    assert len(lists) == 2


def test_a_missing_last_shoe_of_a_day_is_found_by_its_list(archive: Path) -> None:
    shoe(archive, FIRST_DAY, 3).unlink()

    gap, listed = problems_of(archive)
    assert "records 26 to 37 are missing after shoes/2026-11-21/0002.shoe" in gap
    assert listed.endswith("shoe 3 of 2026-11-21 is missing, or cannot be read")


def test_missing_oldest_shoes_are_a_note(archive: Path) -> None:
    shutil.rmtree(archive / "shoes" / FIRST_DAY)
    days(archive, FIRST_DAY).unlink()

    report = verify(archive)
    assert report.intact
    assert report.notes[0] == "records 1 to 37 are in shoes that are not here"


def test_a_missing_list_is_named_with_its_shoes(archive: Path) -> None:
    days(archive, SECOND_DAY).unlink()

    assert problems_of(archive) == [
        f"days/2026-11-22.seals.json is missing: shoe {number} of 2026-11-22 is here but not listed"
        for number in (1, 2)
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
    """A holder of the key can sign another shoe; the list reveals it."""
    made = sealed_shoes.shoes[1]
    rows = made.rows[:24] + b"\x01" + made.rows[25:]
    forged = sealed_shoes.put(made.heading, rows, made.parts)
    shoe(archive, FIRST_DAY, 2).write_bytes(forged.data)

    (listed,) = problems_of(archive)
    assert listed == (
        f"days/2026-11-21.seals.json: shoe 2: digest is {made.digest.hex()}, but in its file"
        f" {forged.digest.hex()}"
    )


def test_a_shoe_of_another_table_is_named(archive: Path, sealed_shoes) -> None:
    other = type(sealed_shoes)(table="Table 8")
    shoe(archive, FIRST_DAY, 1).write_bytes(other.shoe(FIRST_DAY, 1, run=True).data)

    found = problems_of(archive)
    assert (
        "shoes/2026-11-21/0002.shoe: table: 'Table 7', but shoes/2026-11-21/0001.shoe is of"
        in (found[0])
    )


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


def test_leftovers_of_a_crash_are_notes_and_not_problems(archive: Path) -> None:
    (archive / "shoes" / "sealing.part").write_bytes(b"SMSH")
    (archive / "days" / ".2026-11-21.seals.json.new").write_bytes(b"{")
    (archive / "days" / "2026-11-21.seals.json.1795251600000000000").write_bytes(b"{")

    report = verify(archive)
    assert report.intact
    assert [note.partition(":")[0] for note in report.notes[:3]] == [
        "days/.2026-11-21.seals.json.new",
        "days/2026-11-21.seals.json.1795251600000000000",
        "shoes/sealing.part",
    ]


def write_two_shoes(shoe_maker, **heading_changes: object) -> None:
    """Write two shoes; the second has these fields in its heading."""
    one = shoe_maker.shoe(FIRST_DAY, 1, run=True)
    two = shoe_maker.shoe(FIRST_DAY, 2)
    parts = replace(two.parts, state=heading_changes.pop("state", two.parts.state))
    shoe_maker.shoes = [one]
    shoe_maker.put(replace(two.heading, **heading_changes), two.rows, parts)


def test_a_state_that_is_not_the_one_before_is_named(shoe_maker, fast_dir: Path) -> None:
    write_two_shoes(shoe_maker, state=b"another state")
    shoe_maker.write(fast_dir)

    first, second = (f"shoes/{FIRST_DAY}/{number:04}.shoe" for number in (1, 2))
    assert problems_of(fast_dir) == [f"{second}: its state is not the one at the end of {first}"]


def test_a_run_that_is_not_the_one_before_is_named(shoe_maker, fast_dir: Path) -> None:
    write_two_shoes(shoe_maker, started_seq=2, opened_seq=2)
    shoe_maker.write(fast_dir)

    file = "shoes/2026-11-21/0002.shoe"
    assert problems_of(fast_dir) == [
        f"{file}: its run is not the one at the end of shoes/2026-11-21/0001.shoe"
    ]


# --- lists of seals -------------------------------------------------------------------------------


@pytest.fixture
def small(shoe_maker, fast_dir: Path) -> Path:
    """An archive of one shoe."""
    shoe_maker.shoe(FIRST_DAY, 1, run=True)
    shoe_maker.write(fast_dir)
    return fast_dir


def assert_byte_is_named(folder: Path, whole: bytes, at: int, bit: int) -> None:
    days(folder, FIRST_DAY).write_bytes(
        whole[:at] + bytes((whole[at] ^ 1 << bit,)) + whole[at + 1 :]
    )
    found = problems_of(folder)
    assert found, f"byte {at}, bit {bit}"
    assert found[0].startswith("days/2026-11-21.seals.json: "), found[0]


def test_a_changed_bit_of_every_byte_of_a_list_is_named(small: Path) -> None:
    whole = days(small, FIRST_DAY).read_bytes()
    for at in range(len(whole)):
        assert_byte_is_named(small, whole, at, at % 8)


@pytest.mark.full
def test_every_changed_bit_of_a_list_is_named(small: Path) -> None:
    whole = days(small, FIRST_DAY).read_bytes()
    for at, bit in itertools.product(range(len(whole)), range(8)):
        assert_byte_is_named(small, whole, at, bit)


def test_every_byte_of_an_unsigned_list_is_checked_against_its_shoes(
    shoe_maker, fast_dir: Path
) -> None:
    shoe_maker.key = None
    shoe_maker.shoe(FIRST_DAY, 1, run=True)
    shoe_maker.write(fast_dir)
    whole = days(fast_dir, FIRST_DAY).read_bytes()
    for at in range(len(whole)):
        assert_byte_is_named(fast_dir, whole, at, at % 8)


def test_a_list_cut_short_cannot_be_read_at_any_length(small: Path) -> None:
    whole = days(small, FIRST_DAY).read_bytes()
    for length in range(0, len(whole.rstrip()), 3):
        days(small, FIRST_DAY).write_bytes(whole[:length])
        assert problems_of(small)[0].startswith(
            "days/2026-11-21.seals.json: the list cannot be read"
        )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda seals: seals[:2], "shoe 3 of 2026-11-21 is here but not listed"),
        (lambda seals: seals[1:], "seal 1 is of shoe 2: one is missing or extra"),
        (lambda seals: [seals[1], seals[0], seals[2]], "seal 1 is of shoe 2"),
        (
            lambda seals: [*seals, {**seals[2], "shoe": 4}],
            "shoe 4 of 2026-11-21 is missing, or cannot be read",
        ),
        (lambda seals: [{**seals[0], "until_ns": 5}, *seals[1:]], "shoe 1: until_ns is 5, but"),
        (lambda seals: [{**seals[0], "last_seq": 12}, *seals[1:]], "shoe 1: last_seq is 12, but"),
        (lambda seals: [{**seals[0], "first_seq": 2}, *seals[1:]], "shoe 1: first_seq is 2, but"),
    ],
)
def test_a_signed_list_that_differs_from_its_shoes_is_named(
    archive: Path, sealed_shoes, change, words: str
) -> None:
    seals = [made.seal for made in sealed_shoes.shoes[:3]]
    days(archive, FIRST_DAY).write_bytes(sealed_shoes.list_of(FIRST_DAY, change(seals)))

    found = problems_of(archive)
    assert any(one.startswith(f"days/2026-11-21.seals.json: {words}") for one in found), found


def test_the_list_of_another_day_or_table_is_named(archive: Path, sealed_shoes) -> None:
    shutil.copy(days(archive, SECOND_DAY), days(archive, FIRST_DAY))
    assert "days/2026-11-21.seals.json: gaming_day: it is the list of 2026-11-22" in problems_of(
        archive
    )

    sealed_shoes.table = "Table 8"
    days(archive, FIRST_DAY).write_bytes(sealed_shoes.list_of(FIRST_DAY))
    (problem,) = problems_of(archive)
    assert problem == (
        "days/2026-11-21.seals.json: table: it is 'Table 8', but its shoes are of ['Table 7']"
    )


# --- witnesses ------------------------------------------------------------------------------------


def test_a_short_code_is_accepted_as_people_write_it(archive: Path) -> None:
    code = verify(archive).codes[FIRST_DAY][-1]
    for written in (code, code.lower(), code.replace("-", " "), code.replace("-", "")):
        report = verify(archive, witnesses=(written,))
        assert report.intact
        assert f"witness: the list of {FIRST_DAY} agrees with {code} in 3 of its 3 seals" in (
            report.notes
        )


def test_a_code_or_list_noted_earlier_that_day_agrees_with_its_seals(
    archive: Path, sealed_shoes, fast_dir: Path
) -> None:
    earlier = fast_dir / "noted.json"
    earlier.write_bytes(
        sealed_shoes.list_of(FIRST_DAY, [one.seal for one in sealed_shoes.shoes[:2]])
    )
    report = verify(archive, witnesses=(str(earlier),))

    assert report.intact
    assert any("in 2 of its 3 seals" in note for note in report.notes)


def test_a_witness_reveals_a_rewritten_day(archive: Path, sealed_shoes, fast_dir: Path) -> None:
    """Everything is consistent and signed by the right key, but differs from what was noted."""
    code = verify(archive).codes[FIRST_DAY][-1]
    shutil.copy(days(archive, FIRST_DAY), fast_dir / "noted.json")
    rewritten = type(sealed_shoes)(now_ns=5)
    for number in (1, 2, 3):
        rewritten.shoe(FIRST_DAY, number, run=number == 1)
    shutil.rmtree(archive)
    rewritten.write(archive)

    assert verify(archive).intact
    for witness in (code, str(fast_dir / "noted.json")):
        (problem,) = verify(archive, witnesses=(witness,)).problems
        assert problem.what == (
            f"witness: no list of seals agrees with {code}, now or when it was shorter"
        )


def test_a_witness_needs_a_list_with_a_seal_to_agree_with(archive: Path, sealed_shoes) -> None:
    nothing_yet = verify(archive).codes[FIRST_DAY][0]
    assert not verify(archive, witnesses=(nothing_yet,)).intact

    alone = verify(shoe(archive, FIRST_DAY, 1), witnesses=("AAAAA-BBBBB-CCCCC-DDDDD",))
    assert alone.problems[0].what.startswith("witness: no list of seals agrees")


def test_a_witness_file_that_is_not_a_list_is_refused(archive: Path, fast_dir: Path) -> None:
    (fast_dir / "noted.json").write_text(json.dumps({"form": "something"}))

    with pytest.raises(
        CannotRead, match=r"noted\.json: neither a short code nor a list of seals: "
    ):
        verify(archive, witnesses=(str(fast_dir / "noted.json"),))


# --- keys -----------------------------------------------------------------------------------------


def test_a_change_of_key_is_a_problem_unless_both_are_trusted(
    shoe_maker, fast_dir: Path, public_key: Path, other_key: Path
) -> None:
    shoe_maker.shoe(FIRST_DAY, 1, run=True)
    folder = fast_dir / "archive"
    shoe_maker.write(folder)
    shoe_maker.key = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
    made = shoe_maker.shoe(SECOND_DAY, 1)
    shoe_maker.shoes = [made]
    shoe_maker.write(folder)

    assert problems_of(folder) == [
        "shoes/2026-11-22/0001.shoe: signer: it is not the key of shoes/2026-11-21/0001.shoe"
    ]
    assert verify(folder, keys=(public_key, other_key)).intact
    wrong = verify(folder, keys=(public_key,)).problems
    assert [problem.file for problem in wrong] == [made.name, f"days/{SECOND_DAY}.seals.json"]


def test_unsigned_shoes_after_signed_ones_are_named(shoe_maker, fast_dir: Path) -> None:
    shoe_maker.shoe(FIRST_DAY, 1, run=True)
    shoe_maker.key = None
    shoe_maker.shoe(FIRST_DAY, 2)
    shoe_maker.write(fast_dir)

    assert problems_of(fast_dir) == [
        "shoes/2026-11-21/0002.shoe: signer: it is not the key of shoes/2026-11-21/0001.shoe"
    ]


def test_signed_shoes_after_unsigned_ones_are_intact(shoe_maker, fast_dir: Path) -> None:
    key, shoe_maker.key = shoe_maker.key, None
    shoe_maker.shoe(FIRST_DAY, 1, run=True)
    shoe_maker.key = key
    shoe_maker.shoe(FIRST_DAY, 2)
    shoe_maker.write(fast_dir)

    report = verify(fast_dir)
    assert report.intact
    assert "of the sealed shoes and lists 1 are unsigned" in report.notes
