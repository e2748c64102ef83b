"""Audits of a journal with sealed shoes, intact and changed: what is found, and where."""

import shutil
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from controller.journal.card_row_format import RowEnd, RowRole, read_row, row_bytes
from controller.journal.shoe_file import ROW_BYTES, ShoeParts, read_shoe, shoe_bytes
from controller.monitors.items import BatchInPlay, CardSeen, ShoeEnds, ShoeOpens
from controller.monitors.state import MonitorState
from controller.monitors.take import take
from controller.record.monitored import TableWatch
from controller.rules.actions.actions import RecordAct
from controller.rules.actions.choices import ActKind
from controller.rules.cards import Card, Rank, Suit
from controller.system.keys import load_key, load_public, make_key
from hil.dealing.dealer import DealerSettings
from hil.dealing.mistakes import Mistake, PlannedMistake
from hil.rig.shoe_runner import Pace
from hil.simulation.sealed_journal import DealtTable, write_sealed_journal
from office.audit.advisories import ShoeAdvisories
from office.audit.discovery import NothingToAudit
from office.audit.findings import Weight
from office.audit.run import audit
from office.audit.shoe import AuditSettings

PLAIN, DEEP = AuditSettings(), AuditSettings(deep=True)
PLAYER_WINS = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
WHOLE_SHOE = ("53", "50", "44 C0 91", "44 D1 C7", *PLAYER_WINS, "43", *PLAYER_WINS, *PLAYER_WINS)
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
def journal_folder(tmp_path_factory) -> Path:
    """A folder with the key of the table and its journal."""
    folder = tmp_path_factory.mktemp("audited")
    write_sealed_journal(folder / "journal", DEALT, folder / "key")
    return folder


@pytest.fixture
def table(journal_folder, fast_dir) -> "AuditedJournal":
    """A copy of the journal, to be changed."""
    shutil.copytree(journal_folder, fast_dir / "journal_folder")
    return AuditedJournal(fast_dir / "journal_folder")


class AuditedJournal:
    """A journal with its table's key: after a change, `reseal` makes its seals valid again."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / "journal"
        self.key = load_key(folder / "key")
        self.public = load_public(folder / "key.pub").raw

    @property
    def files(self) -> list[Path]:
        return sorted((self.journal / "shoes").rglob("*.shoe"))

    def found(self, settings: AuditSettings = PLAIN, jobs: int = 1, *paths: Path):
        report = audit(paths or (self.journal,), settings, jobs)
        return [one for one in report.messages if one.weight is Weight.FINDING]

    def words(self, settings: AuditSettings = PLAIN) -> str:
        return "\n".join(one.words for one in self.found(settings))

    def reseal(self, number: int, *, rows=None, records=None, **heading) -> Path:
        """Change a sealed shoe and seal it as its table would."""
        path = self.files[number]
        shoe = read_shoe(path.read_bytes())
        parts = shoe.parts()
        if records is not None:
            parts = ShoeParts(parts.started, parts.state, tuple(records(parts.records)))
        rows = shoe.rows if rows is None else rows(shoe.rows)
        data = shoe_bytes(replace(shoe.heading, **heading), rows, parts, self.key.sign)
        path.write_bytes(data)
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


def test_an_intact_journal_has_no_findings(table) -> None:
    report = audit((table.journal,), AuditSettings(keys=(table.public,)))
    total = report.total
    assert (report.findings, report.messages, report.whole) == (0, [], True)
    assert (total.shoes, total.clean, total.replayed, total.untold) == (5, 4, 1, 0)
    assert report.open_records > 0
    rows = [row for path in table.files for row in rows_of(path)]
    assert total.cards == sum(row.role is not RowRole.CUT_CARD for row in rows)
    assert total.coups == sum(bool(row.ends) for row in rows)
    assert [tally.gaming_day for tally in report.tallies.values()] == [
        path.name for path in sorted((table.journal / "shoes").iterdir())
    ]


def test_a_replayed_journal_is_the_same_and_states_agree_between_shoes(table) -> None:
    report = audit((table.journal,), DEEP)
    assert (report.findings, report.messages) == (0, [])
    assert (report.total.clean, report.total.replayed) == (0, 5)


def test_a_deep_audit_notes_a_shoe_that_was_not_shuffled(fast_dir) -> None:
    dealt = DealtTable(DealerSettings(seed=21, decks=2, unshuffled=True))
    write_sealed_journal(fast_dir / "journal", dealt, fast_dir / "key")

    assert audit((fast_dir / "journal",), PLAIN).messages == []
    report = audit((fast_dir / "journal",), DEEP)
    assert report.findings == 0
    notes = [one for one in report.messages if one.words.startswith("order: ")]
    assert [(one.weight, one.shoe) for one in notes[:1]] == [(Weight.NOTE, 1)]
    assert notes[0].words.endswith("an advisory, no verdict")


def test_a_deep_audit_follows_the_monitors_over_all_days(sealed_journal) -> None:
    """Every shoe has the same cards: the first of the second day repeats the first day's."""
    journal = sealed_journal(1, 1, then=())
    report = audit((journal,), DEEP)
    shared = [one for one in report.messages if one.words.startswith("shared: ")]
    assert {one.gaming_day for one in shared} == {sealed_days(journal)[1]}
    alone = audit((journal / "shoes" / sealed_days(journal)[1],), DEEP)
    assert not [one for one in alone.messages if one.words.startswith("shared: ")]
    assert audit((journal,), DEEP, 2).messages == report.messages


@pytest.mark.parametrize(
    ("setting", "said"), [({"stall_minutes": 5}, 1), ({"stall_minutes": 15}, 0), ({}, 0)]
)
def test_a_deep_audit_judges_a_pause_by_the_setting_of_its_run(
    fast_dir, script, stored_and_sealed, setting, said
) -> None:
    """Ten minutes from the cut card to the first coup of the second shoe, in the same run."""
    table = script(**setting).begun()
    table.reported(*WHOLE_SHOE)
    table.acted(RecordAct(ActKind.CUT))
    table.acted(RecordAct(ActKind.CUT_CARDS_PLACED))
    table.later(10 * 60 * 10**9)
    table.reported(*WHOLE_SHOE)
    stored_and_sealed(fast_dir / "journal", table, fast_dir / "table.key")

    _, second = sorted((fast_dir / "journal" / "shoes").rglob("*.shoe"))
    for audited in (fast_dir / "journal", second):
        notes = [one for one in audit((audited,), DEEP).messages if "stall-cut: " in one.words]
        assert [(one.weight, one.shoe) for one in notes] == [(Weight.NOTE, 2)] * said


def test_a_deep_audit_shows_what_each_shuffler_is_held_to(dealt_by_shuffler) -> None:
    monitors = ShoeAdvisories()
    monitors._watch = TableWatch(dealt_by_shuffler)
    first, second = monitors.shufflers()
    assert first.startswith("shuffler SH-1: 2 shoes compared; the tests hold 0.")
    assert "of a unit and speak at 80.000; the first of them: in 2 shoes shuffled by SH-1" in first
    assert second.startswith("shuffles by hand: 1 shoes compared")


@pytest.fixture
def dealt_by_shuffler() -> MonitorState:
    """After three shoes of one batch: two shuffled by a device and one by hand."""
    chance, state = Random(1), MonitorState()
    deck = [CardSeen(Card(rank, suit)) for rank in Rank for suit in Suit] * 8
    for shoe, device in enumerate(("SH-1", "SH-1", "SH-1", "")):
        items = (ShoeOpens(shoe, 8), BatchInPlay("red", device))
        for item in (*items, *chance.sample(deck, len(deck)), ShoeEnds()):
            state, _ = take(state, item)
    return state


def sealed_days(journal: Path) -> list[str]:
    return sorted(path.name for path in (journal / "shoes").iterdir())


def test_several_processes_find_what_one_finds(table) -> None:
    table.reseal(1, rows=row_changed(30, ends=RowEnd.TIE))
    alone = audit((table.journal,), PLAIN, 1)
    together = audit((table.journal,), PLAIN, 3)
    assert alone.findings > 0
    assert together.messages == alone.messages
    assert list(together.tallies.items()) == list(alone.tallies.items())


def test_many_tables_in_one_folder_are_audited_one_by_one(table) -> None:
    for name in ("a", "b/c"):
        shutil.copytree(table.journal, table.journal.parent / "many" / name)
    report = audit((table.journal.parent / "many",), PLAIN, 2)
    assert (report.journals, report.total.shoes, report.findings) == (2, 10, 0)


def test_a_single_file_is_audited_with_a_note_on_missing_files(table) -> None:
    report = audit((table.files[2],), PLAIN)
    assert (report.findings, report.notes) == (0, 1)
    assert "the sealed files of records 1 to 673 are not here" in report.messages[0].words


def test_a_journal_that_continues_an_archive_is_compared_with_it(table) -> None:
    archive = table.journal.parent / "archive"
    for path in table.files[:2]:
        (archive / "shoes" / path.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.move(path, archive / "shoes" / path.parent.name)
    assert audit((archive, table.journal), PLAIN).messages == []


# --- changed, and resealed with the table's own key ----------------------------------------------


@pytest.mark.parametrize(
    ("at", "fields", "words", "clause"),
    [
        (0, {"card": 1}, "are due as burn; recorded", "S42-e-6-burnn"),
        (20, {"role": RowRole.BANKER_2, "claimed": RowRole.BANKER_2}, "is recorded as", "S42-"),
        (20, {"coup": 77}, "is recorded in coup 77", ""),
    ],
)
def test_a_row_that_breaks_a_rule_is_found_by_the_screen(table, at, fields, words, clause) -> None:
    path = table.reseal(0, rows=row_changed(at, **fields))
    found = table.found()
    screened = [one for one in found if words in one.words]
    assert screened, found
    assert screened[0].file == str(path)
    assert any(one.startswith(clause) for one in screened[0].clauses) or not clause
    # It makes the shoe be replayed, and the records differ from the row.
    assert any(f"row {at + 1} does not match its record" in one.words for one in found)


def test_a_wrong_outcome_is_found_with_its_coup(table) -> None:
    rows = rows_of(table.files[0])
    at = next(place for place, row in enumerate(rows) if row.ends and row.coup == 9)
    wrong = RowEnd(rows[at].ends % 3 + 1)
    table.reseal(0, rows=row_changed(at, ends=wrong, declared=wrong))
    (found,) = [one for one in table.found() if "its recorded outcome is" in one.words]
    assert (found.shoe, found.coup, found.table) == (1, 9, "SIM-1")


def test_a_lawful_row_that_differs_from_its_record_is_found_by_deep_alone(table) -> None:
    """The card becomes another face of the same value."""
    rows = rows_of(table.files[4])
    drawn = Counter(row.card for row in rows)
    seldom = min((face for face in range(1, 53) if face % 13 in TENS), key=lambda face: drawn[face])
    at = next(place for place, row in enumerate(rows) if row.coup == 5 and row.card % 13 in TENS)
    table.reseal(4, rows=row_changed(at, card=seldom))
    assert [one for one in table.found() if one.shoe] == []
    (found,) = [one for one in table.found(DEEP) if one.shoe]
    assert f"row {at + 1} does not match its record: card" in found.words


def test_rows_decide_even_if_the_heading_claims_clean(table) -> None:
    table.reseal(3, clean=True, irregularities=0)
    words = table.words()
    assert "its heading says clean True, its records False" in words
    assert "its heading says irregularities 0, its records 1" in words


def test_a_shoe_that_is_not_clean_is_replayed(table) -> None:
    table.reseal(0, clean=False)
    assert "its heading says clean False, its records True" in table.words()


def test_a_changed_record_does_not_lead_to_the_chain_value_it_names(table) -> None:
    def without_one(records):
        return (*records[:300], *records[301:])

    table.reseal(3, records=without_one)
    assert "its records end at" in table.words()


def test_a_wrong_number_of_coups_is_found(table) -> None:
    table.reseal(0, coups=12)
    assert "coups: 12 in its heading," in table.words()


def test_what_the_open_shoe_shows_of_the_file_before_it_is_counted_once(table) -> None:
    table.reseal(4, until_ns=5)
    report = audit((table.journal,), PLAIN)
    listed = [one for one in report.messages if one.weight is Weight.FINDING]
    assert len(listed) == report.findings == sum(one.findings for one in report.tallies.values())


# --- missing, elsewhere, of nobody's key ----------------------------------------------------------


def test_a_missing_file_is_found_by_its_neighbour(table) -> None:
    missing = table.files[1]
    missing.unlink()
    assert "a sealed file is missing" in table.words()


def test_a_flipped_bit_is_a_file_that_cannot_be_read(table) -> None:
    path = table.files[2]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    found = [one for one in table.found() if one.file == str(path)]
    assert [one.words for one in found] == ["its digest does not match its bytes"]


def test_a_file_at_the_place_of_another_is_found(table) -> None:
    path = table.files[0]
    path.rename(path.with_name("0009.shoe"))
    assert "but has another name" in table.words()


def test_a_signature_of_another_key_is_not_trusted(table, fast_dir) -> None:
    stranger = make_key(fast_dir / "stranger")
    found = table.found(AuditSettings(keys=(stranger.public.raw,)))
    assert len([one for one in found if "which is not trusted" in one.words]) == 5


def test_the_signature_of_every_seal_is_checked(table) -> None:
    assert table.found() == []
    path = table.files[0]
    path.write_bytes(path.read_bytes()[:-64] + bytes(63) + b"\x01")
    assert table.words() == "its signature is not valid"


def test_an_open_part_that_does_not_follow_the_last_seal_is_found(table) -> None:
    table.files[-1].unlink()
    assert "its open part does not begin where" in table.words()


def test_an_open_part_alone_has_a_note_on_missing_files(table) -> None:
    shutil.rmtree(table.journal / "shoes")
    (note,) = audit((table.journal,), PLAIN).messages
    assert note.weight is Weight.NOTE
    assert "the sealed files before its record" in note.words


@pytest.mark.parametrize("name", ["nothing", "empty", "table.toml"])
def test_a_path_that_holds_nothing_is_refused(fast_dir, name) -> None:
    (fast_dir / "empty").mkdir()
    (fast_dir / "table.toml").touch()
    with pytest.raises(NothingToAudit, match="Allowed: a journal's folder"):
        audit((fast_dir / name,), PLAIN)
