"""A corrected coup as evidence: in its shoe's file, in the next shoe's, and not sealed yet.

Source: D-42.
"""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.procedure.rulebook import ObservableFact
from controller.rules.actions.actions import CorrectCoup, Resolution, StateWagers
from controller.rules.actions.choices import FloorDecision
from controller.rules.outcome import Outcome
from controller.rules.profiles.load import load_clauses
from controller.rules.settlement.wagers import Wager, WagerKind
from controller.system.command_line.errors import ExitCode
from office.evidence.bundle import Bundle, build_bundle
from office.evidence.coup import CoupAccount, coup_account
from office.evidence.lookup import CoupReference, find_later_acts, find_shoe
from office.evidence.sealed_shoe import ShoeAccount, read_shoe_account
from office.evidence.timeline import timeline_lines

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
PLAYER_WINS = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
LAST_COUPS = (*PLAYER_WINS[:2], "43", *PLAYER_WINS[2:], *PLAYER_WINS)
MADE_NS = 1_763_720_000_000_000_001
TO_TIE = CorrectCoup(1, Outcome.TIE, "S. Veil")
SAID = (
    "A. Floor (floorperson, not proved, identified by test) and S. Veil (not proved) corrected the"
    " outcome: Tie; before: Player wins. Reason: seen by me."
)


def deal_shoe(script, *, meanwhile: Callable[[object], object]) -> None:
    """A shoe of four coups; `meanwhile` acts in mid-coup, while coup 2 is dealt."""
    script.reported(*OPENING, *PLAYER_WINS, *PLAYER_WINS[:3])
    meanwhile(script)
    script.reported(*PLAYER_WINS[3:], *LAST_COUPS)


@pytest.fixture
def journal(script, stored_and_sealed, fast_dir: Path) -> Callable[..., Path]:
    """A journal of one shoe, corrected `meanwhile` or `after` its end, and what follows."""

    def made(meanwhile=lambda _: None, after=lambda _: None, *, then=()) -> Path:
        table = script(observed=(ObservableFact.RESULT_BUTTON, ObservableFact.WAGERS)).begun()
        deal_shoe(table, meanwhile=meanwhile)
        after(table)
        table.reported(*then)
        stored_and_sealed(fast_dir / "journal", table, fast_dir / "table.key")
        return fast_dir / "journal"

    return made


def correct(script) -> None:
    script.acted(TO_TIE)


def account(journal: Path, coup: int, day: str = "2025-11-21") -> CoupAccount:
    found = find_shoe(journal, CoupReference(day, 1, coup))
    shoe: ShoeAccount = read_shoe_account(found.file, load_clauses())
    read = coup_account(shoe, coup)
    assert read is not None
    return read


def bundle(journal: Path, coup: int = 1) -> Bundle:
    found = find_shoe(journal, CoupReference("", 1, coup))
    return build_bundle(found, coup, load_clauses(), MADE_NS)


def page_of(made: Bundle) -> str:
    return dict(made.files)["index.html"].decode()


def json_of(made: Bundle, name: str) -> dict:
    return json.loads(dict(made.files)[name])


def sentences(coup: CoupAccount) -> list[str]:
    return [line.text for line in timeline_lines(coup)]


# --- in the shoe's own file -----------------------------------------------------------------------


def test_a_correction_belongs_to_the_coup_it_corrects(journal) -> None:
    folder = journal(correct)
    first, second = account(folder, 1), account(folder, 2)

    assert sentences(first)[-2:] == [
        SAID,
        "Prompted: coup 1 counts as tie, its settlement stays: nothing is owed (not observed).",
    ]
    assert first.corrected is not None
    assert first.record.outcome is Outcome.PLAYER
    assert second.corrected is None
    assert not [text for text in sentences(second) if "correct" in text or "settlement" in text]


def test_a_refused_correction_belongs_to_the_coup_it_names(journal) -> None:
    folder = journal(lambda script: script.acted(CorrectCoup(1, Outcome.PLAYER, "S. Veil")))

    assert (
        "Refused: correct-coup (coup 1 counts as player already"
        in sentences(account(folder, 1))[-1]
    )
    assert account(folder, 1).corrections == ()


def test_the_page_shows_verdict_and_correction_beside_each_other(journal) -> None:
    page = page_of(bundle(journal(correct)))

    own, now = "Player wins, counted by its cards", "Corrected: Tie"
    assert f"<strong>{own}</strong><strong>{now}</strong>" in page
    assert "Tie, by correction; the coup was counted as: Player wins" in page
    assert "<h2>Correction of the outcome</h2>" in page
    assert SAID in page
    assert 'class="verdict grave"' in page


def test_the_page_lists_what_is_owed_and_that_the_last_correction_counts(journal) -> None:
    def bet_on_coup_2(script) -> None:
        script.reported(*PLAYER_WINS[3:])
        script.acted(StateWagers((Wager(3, WagerKind.PLAYER, 25_00),)))
        script.reported(*PLAYER_WINS)
        script.acted(CorrectCoup(3, Outcome.BANKER, "S. Veil"))
        script.acted(CorrectCoup(3, Outcome.TIE, "S. Veil"))
        script.reported(*PLAYER_WINS[:3])

    page = page_of(bundle(journal(bet_on_coup_2), 3))

    assert "The last correction counts." in page
    assert "<li>seat 3: take 50.00 for Player (settled 25.00, due -25.00)</li>" in page
    assert "<li>seat 3: take 25.00 for Player (settled 25.00, due 0.00)</li>" in page


def test_the_roads_are_drawn_with_the_corrected_outcome(journal) -> None:
    made = bundle(journal(correct), 2)

    played = [cell["played"] for cell in json_of(made, "roads.json")["bead_plate"]]
    assert [one["outcome"] for one in played] == ["tie", "player", "player", "player"]
    assert [one["corrected"] for one in played] == [True, False, False, False]
    assert [one["natural"] for one in played] == [True] * 4
    assert "outcomes in order: TPPP; natural in coup 1, 2, 3, 4; corrected in coup 1" in page_of(
        made
    )


# --- after the shoe's end -------------------------------------------------------------------------


@pytest.fixture
def unpacked_and_verified(tmp_path: Path) -> Callable[[Bundle], str]:
    """What the verifier of an unpacked bundle prints; it finds everything intact."""

    def verified(made: Bundle) -> str:
        with zipfile.ZipFile(BytesIO(made.to_zip())) as archive:
            archive.extractall(tmp_path)
        done = subprocess.run(
            [sys.executable, "-S", "-I", "-B", "verify.py", "."],
            cwd=tmp_path,
            env={},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return verified


def test_a_correction_after_the_end_is_proved_by_the_next_shoes_file(
    journal, unpacked_and_verified
) -> None:
    made = bundle(journal(after=correct, then=(*OPENING, *PLAYER_WINS, *LAST_COUPS)))

    assert not made.provisional
    assert SAID in page_of(made)
    assert "are in the file shoes/2025-11-21/0002.shoe." in page_of(made)
    assert "shoes/2025-11-21/0002.shoe: intact" in unpacked_and_verified(made)


def test_the_next_shoes_file_may_be_of_the_next_gaming_day(journal, unpacked_and_verified) -> None:
    def correct_and_end_the_day(script) -> None:
        correct(script)
        script.later(24 * 3600 * 10**9)

    folder = journal(after=correct_and_end_the_day, then=(*OPENING, *PLAYER_WINS, *LAST_COUPS))
    found = find_shoe(folder, CoupReference("2025-11-21", 1, 1))
    made = build_bundle(found, 1, load_clauses(), MADE_NS)

    assert "shoes/2025-11-22/0001.shoe: intact" in unpacked_and_verified(made)
    assert SAID in page_of(made)
    # The coup of the same number in the shoe of the same number, one day later.
    next_day = account(folder, 1, "2025-11-22")
    assert next_day.corrections == ()
    assert next_day.shoe.corrections == ()
    assert not [text for text in sentences(next_day) if "correct" in text or "settlement" in text]


def test_a_correction_in_the_next_shoe_is_not_this_shoes(journal) -> None:
    def next_shoe_is_corrected(script) -> None:
        script.reported(*OPENING, *PLAYER_WINS)
        script.acted(TO_TIE)

    made = bundle(journal(after=next_shoe_is_corrected, then=(*PLAYER_WINS, *LAST_COUPS)))

    assert "Correction of the outcome" not in page_of(made)
    assert [name for name, _ in made.files if name.startswith("shoes/")] == [
        "shoes/2025-11-21/0001.shoe"
    ]


def test_until_the_next_shoe_is_sealed_the_bundle_is_provisional(journal) -> None:
    made = bundle(journal(after=correct))

    assert made.provisional
    assert json_of(made, "manifest.json")["provisional"] is True
    assert SAID in page_of(made)
    assert "are not sealed yet, and nothing here proves them" in page_of(made)


@pytest.mark.parametrize("then", [(), (*OPENING, *PLAYER_WINS, *LAST_COUPS)])
def test_without_a_later_correction_the_bundle_has_its_own_shoe_alone(journal, then) -> None:
    made = bundle(journal(correct, then=then))

    names = [name for name, _ in made.files if name.startswith("shoes/")]
    assert names == ["shoes/2025-11-21/0001.shoe"]
    assert not made.provisional


def correct_in_shoe_1(outcome: Outcome) -> Callable[[object], object]:
    return lambda script: script.acted(CorrectCoup(1, outcome, "S. Veil", shoe=1))


def test_a_correction_two_shoes_later_is_proved_by_the_file_it_is_in(
    journal, unpacked_and_verified
) -> None:
    def two_shoes_later(script) -> None:
        deal_shoe(script, meanwhile=lambda _: None)
        deal_shoe(script, meanwhile=correct_in_shoe_1(Outcome.TIE))

    folder = journal(after=two_shoes_later)
    made = bundle(folder)

    assert not made.provisional
    assert SAID in page_of(made)
    assert "are in the file shoes/2025-11-21/0003.shoe." in page_of(made)
    played = [one["played"] for one in json_of(made, "roads.json")["bead_plate"]]
    assert [one["corrected"] for one in played] == [True, False, False, False]
    printed = unpacked_and_verified(made)
    assert all(f"shoes/2025-11-21/000{shoe}.shoe: intact" in printed for shoe in (1, 2, 3))
    # The coup of that number in the shoe that was at the table.
    third = read_shoe_account(find_shoe(folder, CoupReference("", 3, 1)).file, load_clauses())
    there = coup_account(third, 1)
    assert there is not None
    assert there.corrections == ()
    assert not [text for text in sentences(there) if "correct" in text or "settlement" in text]


def test_corrections_in_two_later_shoes_are_both_found_and_the_last_one_counts(journal) -> None:
    def twice(script) -> None:
        deal_shoe(script, meanwhile=correct_in_shoe_1(Outcome.TIE))
        deal_shoe(script, meanwhile=correct_in_shoe_1(Outcome.BANKER))
        script.reported(*OPENING, *PLAYER_WINS)
        correct_in_shoe_1(Outcome.TIE)(script)

    made = bundle(journal(after=twice))

    assert made.provisional
    assert len(json_of(made, "coup.json")["corrections"]) == 3
    assert (
        "Corrections and decisions after the shoe&#39;s end are in the files"
        " shoes/2025-11-21/0002.shoe, shoes/2025-11-21/0003.shoe. The last ones after the"
        " shoe&#39;s end are not sealed"
    ) in page_of(made)


def test_shoes_of_later_days_are_not_searched(journal) -> None:
    def and_a_shoe_two_days_later(script) -> None:
        correct(script)
        deal_shoe(script, meanwhile=lambda _: None)
        script.later(48 * 3600 * 10**9)
        deal_shoe(script, meanwhile=lambda _: None)
        deal_shoe(script, meanwhile=lambda _: None)

    folder = journal(after=and_a_shoe_two_days_later)
    found = find_shoe(folder, CoupReference("2025-11-21", 1, 1))

    later = find_later_acts(found)

    assert len(later.entries) == 1
    assert [path.name for path, _ in later.files] == ["0002.shoe"]
    assert not later.provisional


def test_in_an_archive_there_is_no_open_shoe_to_look_into(journal) -> None:
    folder = journal(after=correct)
    (folder / "live.db").unlink()

    found = find_shoe(folder, CoupReference("", 1, 1))

    assert find_later_acts(found).entries == ()


# --- a decision after the shoe's end --------------------------------------------------------------


def leave_out_a_result(script) -> None:
    """The result of coup 2 is not declared; play goes on, and nobody has decided yet."""
    script.reported(*PLAYER_WINS[3:4], *PLAYER_WINS[:3])


def decide(script) -> None:
    script.acted(Resolution(FloorDecision.CONTINUE))


def test_a_decision_after_the_shoes_end_is_in_the_bundle_with_the_file_that_holds_it(
    journal, unpacked_and_verified
) -> None:
    def decided_before_the_next_shoe(script) -> None:
        decide(script)
        deal_shoe(script, meanwhile=lambda _: None)

    folder = journal(leave_out_a_result, after=decided_before_the_next_shoe)
    made = build_bundle(find_shoe(folder, CoupReference("", 1, 2)), 2, load_clauses(), MADE_NS)

    assert "RESULT_NOT_DECLARED" in page_of(made)
    assert "decided: play goes on." in page_of(made)
    assert "decisions after the shoe&#39;s end are in the file shoes/2025-11-21/0002.shoe." in (
        page_of(made)
    )
    assert not made.provisional
    assert "shoes/2025-11-21/0002.shoe: intact" in unpacked_and_verified(made)


def test_a_decision_that_is_not_sealed_yet_is_shown_and_makes_the_bundle_provisional(
    journal,
) -> None:
    folder = journal(leave_out_a_result, after=decide)
    made = build_bundle(find_shoe(folder, CoupReference("", 1, 2)), 2, load_clauses(), MADE_NS)

    assert made.provisional
    assert "decided: play goes on." in page_of(made)
    assert "Corrections and decisions after the shoe&#39;s end are not sealed yet" in page_of(made)


def test_decisions_of_the_next_shoe_are_none_of_this_one(journal) -> None:
    def only_there(script) -> None:
        deal_shoe(script, meanwhile=leave_out_a_result)
        decide(script)
        deal_shoe(script, meanwhile=lambda _: None)

    found = find_shoe(journal(after=only_there), CoupReference("", 1, 2))

    assert find_later_acts(found).entries == ()


# --- in the list of shoes -------------------------------------------------------------------------


def listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[list[str], dict]:
    """The lines of `journal list` after its heading, and its JSON."""
    assert main(["journal", "list", str(folder)]) == ExitCode.DONE
    lines = capsys.readouterr().out.splitlines()
    assert main(["journal", "list", str(folder), "--json"]) == ExitCode.DONE
    return lines[1:], json.loads(capsys.readouterr().out)


def corrections_of(shown: dict) -> list[int | None]:
    return [one["corrections"] for one in shown["shoes"]]


def test_the_list_of_shoes_counts_a_correction_sealed_with_its_shoe(journal, capsys) -> None:
    (line,), shown = listed(journal(correct), capsys)

    assert line.endswith(" 1 correction")
    assert (corrections_of(shown), shown["unsealed"]) == ([1], [])


def test_it_counts_those_sealed_with_a_later_shoe_for_the_shoe_they_correct(
    journal, capsys
) -> None:
    def corrected_twice(script) -> None:
        script.acted(TO_TIE)
        script.acted(CorrectCoup(2, Outcome.BANKER, "S. Veil"))

    folder = journal(after=corrected_twice, then=(*OPENING, *PLAYER_WINS, *LAST_COUPS))
    (first, second), shown = listed(folder, capsys)

    assert first.endswith(" 2 corrections")
    assert "correction" not in second
    assert corrections_of(shown) == [2, 0]


def test_it_counts_those_that_are_not_sealed_yet(journal, capsys) -> None:
    (line,), shown = listed(journal(after=correct), capsys)

    assert line.endswith(" 1 correction")
    assert corrections_of(shown) == [1]


def test_corrections_of_a_shoe_in_play_have_a_line_of_their_own(journal, capsys) -> None:
    def next_shoe_is_corrected(script) -> None:
        script.reported(*OPENING, *PLAYER_WINS)
        script.acted(TO_TIE)

    (line, in_play), shown = listed(journal(after=next_shoe_is_corrected), capsys)

    assert "correction" not in line
    assert in_play == "2025-11-21/2     not sealed here, 1 correction"
    assert shown["unsealed"] == [{"gaming_day": "2025-11-21", "shoe": 2, "corrections": 1}]


def test_of_a_damaged_shoe_the_count_is_unknown(journal, capsys) -> None:
    folder = journal(correct)
    (path,) = (folder / "shoes").glob("*/*.shoe")
    data = bytearray(path.read_bytes())
    data[-200] ^= 1
    path.chmod(0o640)
    path.write_bytes(data)

    (line,), shown = listed(folder, capsys)

    assert line.endswith(" corrections unknown: its records cannot be read")
    assert corrections_of(shown) == [None]


def test_coup_json_names_the_outcome_that_counts_by_correction(journal) -> None:
    folder = journal(correct)

    assert json_of(bundle(folder), "coup.json")["corrected"] == "tie"
    assert json_of(bundle(folder, 2), "coup.json")["corrected"] is None
