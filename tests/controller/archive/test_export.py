"""Exporting a journal: tapes that can be replayed, and JSON rows with disclosure applied."""

from pathlib import Path

import pytest

from controller.archive.export import (
    RecordSpan,
    export_tape,
    finished_span,
    open_irregularities,
    rows,
    sealed_span,
    span_records,
)
from controller.archive.replay.report import ReplayFinding, replay
from controller.core.tape.entries import StateDigest
from controller.core.tape.records import read_entry
from controller.journal.folder import sealed_files
from controller.journal.store import Journal, open_read_only
from controller.journal.values import Base, JournalError
from controller.procedure.effects import CoupClosed, SettingChanged
from controller.rules.actions.actions import ChangeSetting, CloseShoe, CorrectCoup
from controller.rules.actions.declaration import Role
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import profile_text

OVERDRAW = ("53", "50", "44 C0 91", "44 D1 C7", "44 81 C9", "44 91 92", "44 82 AD", "44 92 B5")
OVERDRAW += ("44 83 A3",)


def exported_tape(journal: Path, to: Path, day: str = "", shoe: int | None = None) -> Path:
    with open_read_only(journal) as opened:
        part = sealed_span(journal, day, shoe) if day else finished_span(opened)
        export_tape(opened, part, to)
    return to


def coups_of(path: Path) -> list[tuple[str, int, int]]:
    with open_read_only(path) as opened:
        entries = [read_entry(one.record) for one in opened.records(opened.first_available_seq - 1)]
    closed = [one.record for one in entries if isinstance(one, CoupClosed)]
    return [(one.gaming_day, one.shoe, one.coup) for one in closed]


def test_a_tape_of_all_ends_with_the_last_finished_coup_and_is_replayed(
    sealed_journal, tmp_path
) -> None:
    tape = exported_tape(sealed_journal(2, 1), tmp_path / "all.tape")

    report = replay(tape)
    assert (report.finding, report.shoes, report.coups) == (ReplayFinding.SAME, 4, 10)
    with open_read_only(tape) as opened:
        *_, last = opened.records()
        assert opened.first_available_seq == 1
    assert isinstance(read_entry(last.record), StateDigest)


@pytest.mark.parametrize(
    ("day", "shoe", "coups"),
    [
        ("2025-11-21", None, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]),
        ("2025-11-21", 2, [(2, 1), (2, 2), (2, 3)]),
        ("2025-11-22", None, [(1, 1), (1, 2), (1, 3)]),
    ],
)
def test_a_day_or_a_shoe_is_on_a_tape_of_its_own_and_is_replayed(
    sealed_journal, tmp_path, day, shoe, coups
) -> None:
    tape = exported_tape(sealed_journal(2, 1), tmp_path / "some.tape", day, shoe)

    assert coups_of(tape) == [(day, *one) for one in coups]
    assert replay(tape).finding is ReplayFinding.SAME
    assert replay(tape).coups == len(coups)


def test_archived_records_are_on_no_tape_and_the_rest_is_replayed(sealed_journal, tmp_path) -> None:
    journal = sealed_journal(1, 1)
    sealed_files(journal)[0].unlink()

    tape = exported_tape(journal, tmp_path / "rest.tape")

    assert coups_of(tape)[0] == ("2025-11-22", 1, 1)
    assert replay(tape).finding is ReplayFinding.SAME


def test_a_table_that_has_not_finished_a_coup_exports_nothing(sealed_journal) -> None:
    journal = sealed_journal(then=("53", "50", "44 C0 91", "44 D1 C7", "44 81 C9"))
    with open_read_only(journal) as opened:
        assert finished_span(opened).count == 0


def test_progress_is_reported_at_every_4096th_record(fast_dir: Path) -> None:
    with Journal.open(fast_dir / "journal") as journal:
        journal.append([b"a record"] * 8_200)
    reported: list[tuple[int, int]] = []
    with open_read_only(fast_dir / "journal") as opened:
        span = RecordSpan(Base(), 8_195)
        records = list(span_records(opened, span, lambda *counts: reported.append(counts)))
    assert len(records) == 8_195
    assert reported == [(4_096, 8_195), (8_192, 8_195)]


def test_no_file_is_overwritten(sealed_journal, tmp_path) -> None:
    tape = tmp_path / "all.tape"
    tape.write_text("somebody's")
    with pytest.raises(JournalError, match="is not overwritten"):
        exported_tape(sealed_journal(1), tape)
    assert tape.read_text() == "somebody's"


def test_a_shoe_that_is_not_sealed_here_is_refused_with_those_that_are(sealed_journal) -> None:
    journal = sealed_journal(2)
    with pytest.raises(
        JournalError, match=r"shoe 3 of 2025-11-21 is not sealed here. Allowed: 1, 2"
    ):
        sealed_span(journal, "2025-11-21", 3)
    with pytest.raises(JournalError, match="no shoe of 2025-11-30 is sealed here"):
        sealed_span(journal, "2025-11-30", None)
    with pytest.raises(JournalError, match="'yesterday' is not a gaming day"):
        sealed_span(journal, "yesterday", None)


# --- rows -----------------------------------------------------------------------------------------


def rows_of(journal: Path) -> list[dict[str, object]]:
    with open_read_only(journal) as opened:
        return list(rows(opened, finished_span(opened)))


def test_each_finished_coup_is_a_row(sealed_journal) -> None:
    found = rows_of(sealed_journal(1))

    assert [one["kind"] for one in found] == ["coup"] * 3 + ["shoe_ended", "coup"]
    first = found[0]
    assert first | {"record": 0, "at": ""} == {
        "kind": "coup",
        "record": 0,
        "at": "",
        "table": "M7",
        "gaming_day": "2025-11-21",
        "shoe": 1,
        "coup": 1,
        "fate": "counted",
        "outcome": "player",
        "declared": "player",
        "player": "9h Kc",
        "banker": "2d 5s",
        "player_count": 9,
        "banker_count": 7,
        "natural": True,
        "player_pair": False,
        "banker_pair": False,
        "irregularities": [],
        "ghost": False,
    }
    assert str(first["at"]).startswith("2025-11-21T09:00:0")
    assert (found[-1]["shoe"], found[-1]["coup"]) == (2, 1)


def test_rows_of_later_shoes_are_the_same_with_the_earlier_ones_archived(sealed_journal) -> None:
    journal = sealed_journal(2)
    whole = rows_of(journal)
    sealed_files(journal)[0].unlink()

    rest = rows_of(journal)

    assert 0 < len(rest) < len(whole)
    assert rest == whole[-len(rest) :]


def test_a_shoe_that_the_end_of_an_archived_one_opened_keeps_its_number(
    script, stored_and_sealed, fast_dir: Path
) -> None:
    """At a table that reports no results, one input ends a shoe and opens the next."""
    coup = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5")
    opening = ("53", "50", "44 C0 91", "44 D1 C7")
    dealt = (*opening, *coup, *coup[:2], "43", *coup[2:], *coup)
    table = script(observed=()).begun().reported(*dealt, *dealt, "53")
    stored_and_sealed(fast_dir / "journal", table, fast_dir / "table.key")
    whole = rows_of(fast_dir / "journal")
    sealed_files(fast_dir / "journal")[0].unlink()

    rest = rows_of(fast_dir / "journal")

    assert {(one["gaming_day"], one["shoe"]) for one in rest} == {("2025-11-21", 2)}
    assert rest == whole[-len(rest) :]


def test_an_unfinished_coup_is_in_no_row(sealed_journal) -> None:
    one_card = rows_of(sealed_journal(then=(*OVERDRAW[:4], "44 81 C9")))
    assert one_card == []


def test_an_irregularity_and_who_decided_it_are_rows(sealed_journal) -> None:
    def trouble(script) -> None:
        script.reported(*OVERDRAW)
        script.resolved()
        script.reported("47 90")

    found = rows_of(sealed_journal(1, trouble=trouble))

    irregularity = next(one for one in found if one["kind"] == "irregularity")
    assert irregularity["number"] == 1
    assert irregularity["clauses"]
    decision = next(one for one in found if one["kind"] == "decision")
    assert (decision["person"], decision["reason"]) == ("A. Floor", "seen by me")
    assert decision["closed"] == [1]


def open_rows(journal: Path) -> list[dict[str, object]]:
    with open_read_only(journal) as opened:
        return list(open_irregularities(opened, finished_span(opened)))


def test_an_open_irregularity_is_a_row_before_any_coup_is_finished(sealed_journal) -> None:
    journal = sealed_journal(then=OVERDRAW)
    rows = open_rows(journal)

    assert rows_of(journal) == []
    assert [one["number"] for one in rows] == [1]
    assert (rows[0]["kind"], rows[0]["open"]) == ("irregularity", True)
    assert rows[0]["title"]


def test_a_decided_irregularity_is_not_open(sealed_journal) -> None:
    def trouble(script) -> None:
        script.reported(*OVERDRAW)
        script.resolved()

    assert 1 not in [one["number"] for one in open_rows(sealed_journal(trouble=trouble))]


def test_a_correction_is_a_row_of_its_own(sealed_journal) -> None:
    def correct(script) -> None:
        script.reported("53", "50", "44 C0 91", "44 D1 C7")
        script.reported("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
        script.acted(CorrectCoup(1, Outcome.TIE, "S. Veil"))
        script.acted(CloseShoe())

    found = rows_of(sealed_journal(trouble=correct))

    coup = next(one for one in found if one["kind"] == "coup")
    assert coup["outcome"] == "player"
    correction = next(one for one in found if one["kind"] == "correction")
    assert {key: correction[key] for key in list(correction)[4:]} == {
        "gaming_day": "2025-11-21",
        "shoe": 1,
        "coup": 1,
        "counted": "player",
        "before": "player",
        "outcome": "tie",
        "person": "A. Floor",
        "second": "S. Veil",
        "reason": "seen by me",
        "owed": [],
        "proof": "none",
        "second_proof": "none",
    }


@pytest.mark.parametrize(("changed", "shown"), [(False, "9h Kc"), (True, "?? ??")])
def test_cards_of_a_void_coup_follow_a_deal_option_changed_at_the_table(
    script, record, changed, shown
) -> None:
    """In New York's mini-baccarat cards are dealt face up, unless the house elects otherwise."""
    table = script(profile=profile_text("ny-mini")).begun()
    if changed:
        table.acted(ChangeSetting("deal_option", "face_down_dealer"), Role.PIT_MANAGER)
        assert table.of(SettingChanged)
    table.reported(*OVERDRAW[:4], *OVERDRAW[4:])
    table.resolved()

    (coup,) = [one for one in rows_of(record(table)) if one["kind"] == "coup"]
    assert (coup["fate"], coup["player"][:5]) == ("void", shown)
