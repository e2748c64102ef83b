"""Audits of a journal with sealed shoes, whole and changed: what is found, and where.

Responsible for: a table's journal as it stands passes, also told again; every change that leaves a
good signature is found; what is missing, laid elsewhere or of nobody's key; several processes say
the same as one.
Not responsible for: the rules on rows (test_screen) and what the command prints (test_cli_audit).
Source: package README, "Audit"; controller/journal/README.md, "Folder", "Shoe file".
"""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from controller.archive.day_list import SmallFileError, read_day, seal_of, signed, store_day
from controller.audit.discovery import NothingThere
from controller.audit.findings import Weight
from controller.audit.run import audit
from controller.audit.shoe import AuditSettings
from controller.journal.card_row_format import RowEnd, RowRole, read_row, row_bytes
from controller.journal.shoe_file import ROW_BYTES, ShoeParts, read_shoe, shoe_bytes
from controller.system.keys import load_key, load_public, make_key
from hil.dealing.dealer import DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.rig.shoe_runner import Pace
from hil.simulation.sealed_journal import DealtTable, sealed_journal

PLAIN, DEEP = AuditSettings(), AuditSettings(deep=True)
TENS = (10, 11, 12, 0)
HOURS_NS = 3_600_000_000_000
# Three shoes a gaming day; something is wrong in the fourth.
DEALT = DealtTable(
    DealerSettings(
        seed=21, shoes=5, decks=2, mistakes=(PlannedMistake(Mistake.WRONG_RESULT, 5, 4),)
    ),
    pace=Pace(between_shoes_ns=6 * HOURS_NS),
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Path:
    """A folder with the key of the table and its journal."""
    folder = tmp_path_factory.mktemp("audited")
    sealed_journal(folder / "journal", DEALT, folder / "key")
    return folder


@pytest.fixture
def table(kept, fast_dir) -> "Kept":
    """A copy of it, to change."""
    shutil.copytree(kept, fast_dir / "kept")
    return Kept(fast_dir / "kept")


class Kept:
    """A journal and the key with which its seals are made: a change of it leaves them good."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / "journal"
        self.key = load_key(folder / "key")
        self.public = load_public(folder / "key.pub").raw

    @property
    def files(self) -> list[Path]:
        return sorted((self.journal / "shoes").rglob("*.shoe"))

    def found(self, settings: AuditSettings = PLAIN, jobs: int = 1, *paths: Path):
        report = audit(paths or (self.journal,), settings, jobs)
        return [one for one in report.said if one.weight is Weight.FINDING]

    def words(self, settings: AuditSettings = PLAIN) -> str:
        return "\n".join(one.words for one in self.found(settings))

    def seal_anew(self, number: int, *, rows=None, records=None, **heading) -> Path:
        """Change a sealed shoe and seal it as its table would, with its line in the day's list."""
        path = self.files[number]
        shoe = read_shoe(path.read_bytes())
        parts = shoe.parts()
        if records is not None:
            parts = ShoeParts(parts.started, parts.state, tuple(records(parts.records)))
        rows = shoe.rows if rows is None else rows(shoe.rows)
        data = shoe_bytes(replace(shoe.heading, **heading), rows, parts, self.key.sign)
        path.write_bytes(data)
        day = read_day(self.journal / "days" / f"{path.parent.name}.seals.json")
        fresh = seal_of(read_shoe(data))
        seals = tuple(fresh if one.shoe == fresh.shoe else one for one in day.seals)
        store_day(self.journal, signed(replace(day, seals=seals), self.public, self.key.sign))
        return path


def row_changed(at: int, **fields):
    def change(rows: bytes) -> bytes:
        where = at * ROW_BYTES
        row = replace(read_row(rows, where), **fields)
        return rows[:where] + row_bytes(row) + rows[where + ROW_BYTES :]

    return change


def rows_of(path: Path):
    rows = read_shoe(path.read_bytes()).rows
    return [read_row(rows, at) for at in range(0, len(rows), ROW_BYTES)]


# --- as it stands ---------------------------------------------------------------------------------


def test_a_journal_as_it_stands_has_nothing_to_find(table) -> None:
    report = audit((table.journal,), AuditSettings(keys=(table.public,)))
    total = report.total
    assert (report.findings, report.said, report.whole) == (0, [], True)
    assert (total.shoes, total.clean, total.replayed, total.untold) == (5, 4, 1, 0)
    assert report.open_records > 0
    rows = [row for path in table.files for row in rows_of(path)]
    assert total.cards == sum(row.role is not RowRole.CUT_CARD for row in rows)
    assert total.coups == sum(bool(row.ends) for row in rows)
    assert [tally.gaming_day for tally in report.tallies.values()] == [
        path.name for path in sorted((table.journal / "shoes").iterdir())
    ]


def test_told_again_it_is_the_same_and_each_shoe_begins_with_the_state_before(table) -> None:
    report = audit((table.journal,), DEEP)
    assert (report.findings, report.said) == (0, [])
    assert (report.total.clean, report.total.replayed) == (0, 5)


def test_several_processes_find_what_one_finds(table) -> None:
    table.seal_anew(1, rows=row_changed(30, ends=RowEnd.TIE))
    alone = audit((table.journal,), PLAIN, 1)
    together = audit((table.journal,), PLAIN, 3)
    assert alone.findings > 0
    assert together.said == alone.said
    assert list(together.tallies.items()) == list(alone.tallies.items())


def test_many_tables_in_one_folder_are_audited_one_by_one(table) -> None:
    for name in ("a", "b/c"):
        shutil.copytree(table.journal, table.journal.parent / "many" / name)
    report = audit((table.journal.parent / "many",), PLAIN, 2)
    assert (report.journals, report.total.shoes, report.findings) == (2, 10, 0)


def test_one_file_alone_is_audited_and_says_what_is_not_here(table) -> None:
    report = audit((table.files[2],), PLAIN)
    assert (report.findings, report.notes) == (0, 1)
    assert "the sealed files before it are not here" in report.said[0].words


def test_a_journal_that_goes_on_from_an_archive_is_compared_with_it(table) -> None:
    archive = table.journal.parent / "archive"
    for path in table.files[:2]:
        (archive / "shoes" / path.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.move(path, archive / "shoes" / path.parent.name)
    shutil.rmtree(table.journal / "days")
    assert audit((archive, table.journal), PLAIN).said == []


# --- changed, and sealed anew with the table's own key --------------------------------------------


@pytest.mark.parametrize(
    ("at", "fields", "words", "clause"),
    [
        (0, {"card": 1}, "are burned; told are", "S42-e-6-burnn"),
        (20, {"role": RowRole.BANKER_2, "claimed": RowRole.BANKER_2}, "is told as", "S42-"),
        (20, {"coup": 77}, "is told to be of coup 77", ""),
    ],
)
def test_a_row_that_breaks_a_rule_is_found_by_the_screen(table, at, fields, words, clause) -> None:
    path = table.seal_anew(0, rows=row_changed(at, **fields))
    found = table.found()
    screened = [one for one in found if words in one.words]
    assert screened, found
    assert screened[0].file == str(path)
    assert any(one.startswith(clause) for one in screened[0].clauses) or not clause
    # Told again because of it, the records say otherwise than the row.
    assert any(f"row {at + 1} is not what its record says" in one.words for one in found)


def test_a_wrong_outcome_is_found_with_its_coup(table) -> None:
    rows = rows_of(table.files[0])
    at = next(place for place, row in enumerate(rows) if row.ends and row.coup == 9)
    wrong = RowEnd(rows[at].ends % 3 + 1)
    table.seal_anew(0, rows=row_changed(at, ends=wrong, declared=wrong))
    (found,) = [one for one in table.found() if "as its outcome" in one.words]
    assert (found.shoe, found.coup, found.table) == (1, 9, "SIM-1")


def test_a_row_that_is_lawful_and_not_what_the_record_says_is_found_by_deep_alone(table) -> None:
    """A face of the same value; the seals after it name another digest, which is found anyway."""
    rows = rows_of(table.files[4])
    drawn = Counter(row.card for row in rows)
    seldom = min((face for face in range(1, 53) if face % 13 in TENS), key=lambda face: drawn[face])
    at = next(place for place, row in enumerate(rows) if row.coup == 5 and row.card % 13 in TENS)
    table.seal_anew(4, rows=row_changed(at, card=seldom))
    assert [one for one in table.found() if one.shoe] == []
    (found,) = [one for one in table.found(DEEP) if one.shoe]
    assert f"row {at + 1} is not what its record says: card" in found.words


def test_a_shoe_that_calls_itself_clean_is_not_believed_against_its_rows(table) -> None:
    table.seal_anew(3, clean=True, irregularities=0)
    words = table.words()
    assert "its heading says clean True, its records False" in words
    assert "its heading says irregularities 0, its records 1" in words


def test_a_shoe_that_hides_from_the_screen_is_told_again(table) -> None:
    table.seal_anew(0, clean=False)
    assert "its heading says clean False, its records True" in table.words()


def test_a_changed_record_does_not_lead_to_the_chain_value_it_names(table) -> None:
    def without_one(records):
        return (*records[:300], *records[301:])

    table.seal_anew(3, records=without_one)
    assert "its records end at" in table.words()


def test_a_number_of_coups_that_its_rows_do_not_have_is_found(table) -> None:
    table.seal_anew(0, coups=12)
    assert "its heading says 12 coups, its rows" in table.words()


def test_a_resealed_shoe_is_not_the_one_that_the_next_names(table) -> None:
    table.seal_anew(1, until_ns=5)
    (found,) = [one for one in table.found() if "does not name the seal before it" in one.words]
    assert found.file == str(table.files[2])


# --- missing, elsewhere, of nobody's key ----------------------------------------------------------


def test_a_missing_file_is_missed_by_its_neighbour_and_by_the_list(table) -> None:
    missing = table.files[1]
    missing.unlink()
    words = table.words()
    assert "a sealed file is missing" in words
    assert "the day's list names shoe 2, and its sealed file is not here" in words


def test_a_flipped_bit_is_a_file_that_cannot_be_read(table) -> None:
    path = table.files[2]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    found = [one for one in table.found() if one.file == str(path)]
    assert [one.words for one in found] == ["its bytes and its digest do not belong together"]


def test_a_file_at_the_place_of_another_is_found(table) -> None:
    path = table.files[0]
    path.rename(path.with_name("0009.shoe"))
    assert "and its name is another" in table.words()


def test_a_signature_of_another_key_is_not_trusted(table, fast_dir) -> None:
    stranger = make_key(fast_dir / "stranger")
    found = table.found(AuditSettings(keys=(stranger.public.raw,)))
    assert len([one for one in found if "none of those to trust" in one.words]) == 5


def test_without_the_days_list_each_shoe_stands_by_its_own_signature(table) -> None:
    shutil.rmtree(table.journal / "days")
    assert table.found() == []
    path = table.files[0]
    path.write_bytes(path.read_bytes()[:-64] + bytes(63) + b"\x01")
    assert table.words() == "its signature is not good"


def test_a_list_whose_signature_is_not_good_is_found_and_not_relied_on(table) -> None:
    path = next((table.journal / "days").iterdir())
    path.write_text(path.read_text().replace('"first_seq": 1,', '"first_seq": 2,'))
    assert "the signature of the day's list is not good" in table.words()


def test_a_list_that_cannot_be_read_is_said(table) -> None:
    path = next((table.journal / "days").iterdir())
    path.write_text("{}")
    with pytest.raises(SmallFileError):
        read_day(path)
    assert "the day's list of seals cannot be read" in table.words()


def test_an_open_part_that_does_not_follow_the_last_seal_is_found(table) -> None:
    table.files[-1].unlink()
    assert "its open part does not go on where" in table.words()


def test_an_open_part_alone_says_what_is_not_here(table) -> None:
    shutil.rmtree(table.journal / "shoes")
    (said,) = audit((table.journal,), PLAIN).said
    assert said.weight is Weight.NOTE
    assert "the sealed files before its record" in said.words


@pytest.mark.parametrize("name", ["nothing", "empty", "table.toml"])
def test_a_path_that_holds_nothing_is_refused(fast_dir, name) -> None:
    (fast_dir / "empty").mkdir()
    (fast_dir / "table.toml").touch()
    with pytest.raises(NothingThere, match="Allowed: a journal's folder"):
        audit((fast_dir / name,), PLAIN)
