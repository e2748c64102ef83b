"""What a table itself sealed is intact, also during play, and any changed bit is located.

Source: controller/journal/README.md, "Verifier".
"""

import random
from pathlib import Path

import pytest
from controller.archive.day_list import day_path, read_day, short_code

from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.journal.folder import sealed_files
from controller.journal.store import Journal
from controller.journal.verify import VerifyReport, check_shoe, verify
from controller.table.loop import Loop
from controller.table.table import note_evidence
from controller.tape.inputs import Started

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
WHOLE_SHOE = (*OPENING, *COUP, *COUP[:2], "43", *COUP[2:], *COUP)
BITS_CHANGED, BITS_CHANGED_IN_FULL = 4, 300


@pytest.fixture
def table(fast_dir: Path, script):
    """Deals shoes into a journal, each sealed as it ends, then a few cards of the next."""

    def sealed_table(shoes: int, *more: str) -> Path:
        folder = fast_dir / "journal"
        played = script().begun().reported(*WHOLE_SHOE * shoes, *more)
        sealer = Sealer("M7", SigningSettings(folder / "table.key"), lambda: played.at)
        with Journal.open(folder) as journal:
            sealer.begin(journal)
            loop = Loop(journal, played.core, played.core.initial(), lambda: played.at)
            for item in played.inputs:
                if isinstance(item, Started):
                    note_evidence(sealer, loop.begin(item), journal)
                    continue
                loop.take(item)
                note_evidence(sealer, loop.store_if_due(force=True), journal)
            assert verify(folder).problems == [], "beside the table in play"
            sealer.end(journal.head)
        return folder

    return sealed_table


def test_what_a_table_sealed_is_intact(table) -> None:
    folder = table(3, *OPENING, *COUP[:2])
    report = verify(folder, keys=(folder / "table.key.pub",))

    assert report.problems == []
    assert report.shoes == 3
    assert list(report.signers.values()) == [4]


def test_the_code_that_the_table_shows_is_the_code_that_is_checked(table) -> None:
    folder = table(2)
    day = "2025-11-21"
    code = short_code(read_day(day_path(folder, day)))

    assert verify(folder).codes[day][-1] == code
    assert verify(folder, witnesses=(code,)).intact


def assert_bits_are_named(data: bytes, count: int) -> None:
    chance = random.Random(11)
    for _ in range(count):
        at, bit = chance.randrange(len(data) - 64), chance.randrange(8)
        changed = data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]
        report = VerifyReport(Path("0002.shoe"))
        check_shoe(report, "0002.shoe", changed)
        assert [problem.at for problem in report.problems] == [at], f"byte {at}, bit {bit}"


def test_bits_changed_by_chance_are_named(table) -> None:
    assert_bits_are_named(sealed_files(table(2))[1].read_bytes(), BITS_CHANGED)


@pytest.mark.full
@pytest.mark.timeout(600)
def test_many_bits_changed_by_chance_are_named(table) -> None:
    assert_bits_are_named(sealed_files(table(2))[1].read_bytes(), BITS_CHANGED_IN_FULL)


def test_any_missing_shoe_is_a_problem(table) -> None:
    folder = table(4, *OPENING)
    for path in sealed_files(folder):
        aside = path.rename(folder / "aside")
        found = [problem.what for problem in verify(folder).problems]
        number = int(path.stem)
        assert any(f"shoe {number} of 2025-11-21 is missing" in what for what in found), path
        aside.rename(path)
