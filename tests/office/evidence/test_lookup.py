"""The sealed file of a coup, and the receipts of its batch in the files before it."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.core.tape.entries import BatchBound
from controller.core.tape.inputs import Tick
from controller.core.tape.records import entry_record, input_record
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.journal.folder import read_sealed, shoe_path
from controller.journal.shoe_file import ShoeFile, shoe_bytes
from controller.journal.values import StoredRecord
from controller.rules.profiles.load import load_clauses
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from foundation.timestamp import Timestamp
from office.evidence.bundle import build_bundle
from office.evidence.lookup import CoupReference, NoSuchCoup, find_batch_receipts, find_shoe

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
BOUND = BatchBound("RED-1", "red", 8, 418, bytes(32), "Maker", "A. Floor", b"", True)


@pytest.fixture
def journal(disputed: Path, tmp_path: Path) -> Path:
    """A folder of sealed files to put together by hand."""
    folder = tmp_path / "journal"
    shutil.copytree(disputed / "shoes", folder / "shoes")
    return folder


def put(folder: Path, file: ShoeFile, day: str, number: int, records=(), **heading: object) -> None:
    """A sealed file like that one, of another day and shoe, with these records behind its own."""
    parts = file.parts()
    heading_values = replace(file.heading, gaming_day=day, shoe=number, signer=b"", **heading)
    data = shoe_bytes(heading_values, file.rows, replace(parts, records=(*parts.records, *records)))
    path = shoe_path(folder, day, number)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


def like(folder: Path) -> ShoeFile:
    return read_sealed(shoe_path(folder, DAY, 1))


# --- a coup's name --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2026-11-21/7/34", CoupReference("2026-11-21", 7, 34)),
        ("7/34", CoupReference("", 7, 34)),
        ("0007/034", CoupReference("", 7, 34)),
        ("\t7/34\n", CoupReference("", 7, 34)),
    ],
)
def test_a_coup_is_named_by_day_shoe_and_number(text: str, wanted: CoupReference) -> None:
    assert CoupReference.parse(text) == wanted


@pytest.mark.parametrize(
    "text", ["", "34", "7/", "/7/34", "7/34/", "21-11-2026/7/34", "\u0667/\u0663", "-7/1"]
)
def test_other_texts_do_not_name_a_coup(text: str) -> None:
    with pytest.raises(NoSuchCoup, match="does not name a coup"):
        CoupReference.parse(text)


# --- which file -----------------------------------------------------------------------------------


def test_without_a_day_the_newest_gaming_day_with_the_coup_is_used(journal: Path) -> None:
    put(journal, like(journal), "2025-11-22", 1)
    put(journal, like(journal), "2025-11-23", 1, coups=3)

    assert find_shoe(journal, CoupReference("", 1, 6)).path.parent.name == "2025-11-22"
    assert find_shoe(journal, CoupReference("", 1, 3)).path.parent.name == "2025-11-23"


def test_with_a_day_only_that_gaming_day_is_searched(journal: Path) -> None:
    put(journal, like(journal), "2025-11-22", 1, coups=3)

    with pytest.raises(NoSuchCoup, match="no coup 6 in that shoe: 2025-11-22/1 has coups 1 to 3"):
        find_shoe(journal, CoupReference("2025-11-22", 1, 6))


def test_an_unknown_shoe_lists_the_shoes_of_that_day(journal: Path) -> None:
    put(journal, like(journal), DAY, 2)
    put(journal, like(journal), "2025-11-22", 1)

    with pytest.raises(NoSuchCoup, match=r"Sealed shoes: 2025-11-20/1, 2025-11-20/2$"):
        find_shoe(journal, CoupReference(DAY, 9, 1))


def test_of_many_shoes_the_newest_are_listed(journal: Path) -> None:
    for number in range(2, 16):
        put(journal, like(journal), DAY, number)

    with pytest.raises(NoSuchCoup, match=r"2025-11-20/4, .*, 2025-11-20/15 and 3 older"):
        find_shoe(journal, CoupReference("", 99, 1))


def test_a_coup_that_was_begun_and_never_ended_has_no_bundle(journal: Path) -> None:
    put(journal, like(journal), "2025-11-22", 1, coups=7)
    # Its records end where they did: they hold six coups, of shoe 1.
    found = find_shoe(journal, CoupReference("", 1, 7))

    with pytest.raises(NoSuchCoup, match="coup 7 was begun and never ended"):
        build_bundle(found, 7, load_clauses(), 0)


# --- papers of the batch --------------------------------------------------------------------------


def with_entries(*entries: object) -> tuple[bytes, ...]:
    return (input_record(Tick(Timestamp(1, AT_NS))), *map(entry_record, entries))


def test_receipts_of_the_batch_are_found_in_the_file_before(journal: Path, monkeypatch) -> None:
    # Chains of files put together by hand do not hold; only their entries matter here.
    monkeypatch.setattr(ShoeFile, "records", unchained)
    mine, others = ShuffleRecorded("red", PROOF, None, ()), ShuffleRecorded("blue", PROOF, None, ())
    file = like(journal)
    put(journal, file, "2025-11-21", 1, with_entries(BOUND, mine, others))
    put(journal, file, "2025-11-22", 1, with_entries(others), back="red")

    papers = find_batch_receipts(find_shoe(journal, CoupReference("2025-11-22", 1, 1)))

    assert papers.bound == BOUND
    assert [(one.at_utc_ns, one.recorded) for one in papers.shuffles] == [(AT_NS, mine)]


def test_an_unknown_batch_has_no_receipts(journal: Path) -> None:
    papers = find_batch_receipts(find_shoe(journal, CoupReference("", 1, 1)))

    assert (papers.shuffles, papers.bound) == ((), None)


def unchained(self: ShoeFile):
    for number, record in enumerate(self.parts().records, start=self.heading.first_seq):
        yield StoredRecord(number, record, bytes(32))
