"""Which sealed file a coup is in, and what the files around it say of its cards."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from controller.evidence.bundle import bundle_of
from controller.evidence.lookup import NoSuchCoup, Wanted, batch_papers, find_shoe
from controller.journal.folder import read_sealed, shoe_path
from controller.journal.shoe_file import ShoeFile, shoe_bytes
from controller.journal.values import StoredRecord
from controller.procedure.effects import ShuffleRecorded
from controller.profiles.load import load_clauses
from controller.tape.entries import BatchBound
from controller.tape.inputs import Tick
from controller.tape.records import entry_record, input_record
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from firmware_bridge.timestamp import Timestamp

DAY = "2025-11-20"
AT_NS = 1_763_700_000_000_000_001
PROOF = ShuffleProof(
    device="5348554630303031",
    boot_id=1,
    boot_count=7,
    cycle=7,
    compartment=1,
    count=416,
    result=ShuffleResult.GOOD,
    back="red",
    faces=b"",
    began_us=1,
    ended_us=2,
    image=bytes(32),
    version="1.2.0",
    sealed=b"",
    signed=False,
    genuine=False,
)
BOUND = BatchBound("RED-1", "red", 8, 418, bytes(32), "Maker", "A. Floor", "", True)


@pytest.fixture
def journal(disputed: Path, tmp_path: Path) -> Path:
    """A folder of sealed files to put together by hand."""
    folder = tmp_path / "journal"
    shutil.copytree(disputed / "shoes", folder / "shoes")
    return folder


def put(folder: Path, file: ShoeFile, day: str, number: int, records=(), **heading: object) -> None:
    """A sealed file like that one, of another day and shoe, with these records behind its own."""
    parts = file.parts()
    said = replace(file.heading, gaming_day=day, shoe=number, signer=b"", **heading)
    data = shoe_bytes(said, file.rows, replace(parts, records=(*parts.records, *records)))
    path = shoe_path(folder, day, number)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


def like(folder: Path) -> ShoeFile:
    return read_sealed(shoe_path(folder, DAY, 1))


# --- a coup's name --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-11-21/7/34", Wanted("2026-11-21", 7, 34)),
        ("7/34", Wanted("", 7, 34)),
        ("0007/034", Wanted("", 7, 34)),
        ("\t7/34\n", Wanted("", 7, 34)),
    ],
)
def test_a_coup_is_named_by_day_shoe_and_number(text: str, wanted: Wanted) -> None:
    assert Wanted.of(text) == wanted


@pytest.mark.parametrize(
    "text", ["", "34", "7/", "/7/34", "7/34/", "21-11-2026/7/34", "\u0667/\u0663", "-7/1"]
)
def test_anything_else_names_none(text: str) -> None:
    with pytest.raises(NoSuchCoup, match="names no coup"):
        Wanted.of(text)


# --- which file -----------------------------------------------------------------------------------


def test_without_a_day_the_newest_day_that_has_the_coup_counts(journal: Path) -> None:
    put(journal, like(journal), "2025-11-22", 1)
    put(journal, like(journal), "2025-11-23", 1, coups=3)

    assert find_shoe(journal, Wanted("", 1, 6)).path.parent.name == "2025-11-22"
    assert find_shoe(journal, Wanted("", 1, 3)).path.parent.name == "2025-11-23"


def test_with_a_day_no_other_day_counts(journal: Path) -> None:
    put(journal, like(journal), "2025-11-22", 1, coups=3)

    with pytest.raises(NoSuchCoup, match="no coup 6 in that shoe: 2025-11-22/1 has coups 1 to 3"):
        find_shoe(journal, Wanted("2025-11-22", 1, 6))


def test_the_shoes_of_the_day_are_named_where_another_was_asked_for(journal: Path) -> None:
    put(journal, like(journal), DAY, 2)
    put(journal, like(journal), "2025-11-22", 1)

    with pytest.raises(NoSuchCoup, match=r"Sealed are 2025-11-20/1, 2025-11-20/2$"):
        find_shoe(journal, Wanted(DAY, 9, 1))


def test_of_many_shoes_the_newest_are_named(journal: Path) -> None:
    for number in range(2, 16):
        put(journal, like(journal), DAY, number)

    with pytest.raises(NoSuchCoup, match=r"2025-11-20/4, .*, 2025-11-20/15 and 3 older"):
        find_shoe(journal, Wanted("", 99, 1))


def test_a_coup_that_was_begun_and_never_ended_has_no_bundle(journal: Path) -> None:
    put(journal, like(journal), "2025-11-22", 1, coups=7)
    # Its records end where they did: they hold six coups, of shoe 1.
    found = find_shoe(journal, Wanted("", 1, 7))

    with pytest.raises(NoSuchCoup, match="coup 7 was begun and never came to its end"):
        bundle_of(found, 7, load_clauses(), 0)


# --- papers of the batch --------------------------------------------------------------------------


def with_entries(*entries: object) -> tuple[bytes, ...]:
    return (input_record(Tick(Timestamp(1, AT_NS))), *map(entry_record, entries))


def test_receipts_of_the_batch_are_found_in_the_file_before(journal: Path, monkeypatch) -> None:
    # Chains of files put together by hand do not hold; what is told of them is asked here.
    monkeypatch.setattr(ShoeFile, "records", unchained)
    mine, others = ShuffleRecorded("red", PROOF, "", ()), ShuffleRecorded("blue", PROOF, "", ())
    file = like(journal)
    put(journal, file, "2025-11-21", 1, with_entries(BOUND, mine, others))
    put(journal, file, "2025-11-22", 1, with_entries(others), back="red")

    papers = batch_papers(find_shoe(journal, Wanted("2025-11-22", 1, 1)))

    assert papers.bound == BOUND
    assert [(one.at_utc_ns, one.recorded) for one in papers.shuffles] == [(AT_NS, mine)]


def test_a_batch_that_is_not_known_has_no_papers(journal: Path) -> None:
    papers = batch_papers(find_shoe(journal, Wanted("", 1, 1)))

    assert (papers.shuffles, papers.bound) == ((), None)


def unchained(self: ShoeFile):
    for number, record in enumerate(self.parts().records, start=self.heading.first_seq):
        yield StoredRecord(number, record, bytes(32))
