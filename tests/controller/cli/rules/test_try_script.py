"""`smartshoe try`: playing a dealing script, as text and JSON, and its errors."""

import io
import json
import re
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]

NATURAL = "burn Ac + 1; P 9h; B Kc; P Qd; B Jh; result player"
OVERDRAW = "burn Ac + 1; P1 9h; B Kc; P Qd; B Jh; P 3c"


def played(capsys: Capture, *words: str) -> list[dict]:
    assert main(["try", *words, "--json"]) == ExitCode.DONE
    return json.loads(capsys.readouterr().out)["statements"]


def test_each_statement_is_shown_with_verdicts_clauses_and_what_is_next(capsys: Capture) -> None:
    assert main(["try", NATURAL]) == ExitCode.DONE

    output = capsys.readouterr().out
    assert output.startswith(
        "1:1     burn Ac + 1\n        first burn card, 1 more to burn [S42-e-6"
    )
    assert "1:32    B Jh\n" in output
    assert "        coup 1 counted, player 9 to 0: Player 9h Qd; Banker Kc Jh" in output
    assert output.endswith("        next: the next coup\n")


def test_which_wagers_win_at_which_odds(capsys: Capture) -> None:
    main(["try", NATURAL, "--profile", "ny-mini"])

    output = capsys.readouterr().out
    assert "          player wins 1:1 [NY-" in output
    assert "          banker loses [NY-" in output


def test_an_irregularity_is_shown_with_what_is_permitted_and_forbidden(capsys: Capture) -> None:
    assert main(["try", OVERDRAW]) == ExitCode.DONE

    output = capsys.readouterr().out
    assert "IRREGULARITY 1 OVERDRAW, coup 1: a card was drawn that no hand is due" in output
    assert "          permitted: " in output
    assert "          forbidden: " in output
    assert "          decisions: " in output
    assert output.endswith("        next: a floorperson's decision, then the result\n")


@pytest.mark.parametrize(
    ("words", "due"),
    [
        ("burn Ac: 2c; P1 7h; B 2c; result tie", ", then Player's second card"),
        ("burn Ac: 2c; P1 7h; B 7c; P Kd; B Kh; forced exit", ", then the result"),
        ("burn Ac: 2c; P1 7h; B 7c; P Kd; B Kh; result player", ""),
    ],
)
def test_after_the_decision_a_coup_that_was_left_goes_on(
    capsys: Capture, words: str, due: str
) -> None:
    """One whose declared result differs ends with it."""
    assert main(["try", words]) == ExitCode.DONE
    assert capsys.readouterr().out.endswith(f"        next: a floorperson's decision{due}\n")


def test_cards_that_no_eight_decks_hold_are_found(capsys: Capture) -> None:
    nines = "; ".join(["P1 9h", "B 9h", "P 9h", "B 9h", "result tie"] * 3)
    main(["try", f"burn Ac + 1; {nines}"])

    output = capsys.readouterr().out
    assert output.count("TOO_MANY_OF_A_CARD") == 4
    assert "number 9 of its rank and suit in a shoe of 8 decks" in output


def test_a_card_read_later_is_counted_as_well(capsys: Capture) -> None:
    main(["try", "burn 9h; again burn 9h; P 9h; B ??; again B1 9h; again B1 9h", "--decks", "6"])
    assert "TOO_MANY_OF_A_CARD" not in capsys.readouterr().out

    nines = "; ".join(["P1 9h", "B 9h", "P 9h", "B 9h", "result tie"])
    main(["try", f"burn Ac + 1; {nines}; P1 9h; B 9h; P 9h; B 9h; result tie; P1 ??; again P1 9h"])
    assert "number 9 of its rank and suit" in capsys.readouterr().out


def test_an_empty_shoe_is_said_and_its_missing_cards_are_found(capsys: Capture) -> None:
    """In a script no manifest is bound: the cards are missing by the count."""
    main(["try", 'burn Ac + 1; P 7h; shoe empty because "looked into it"; resolve close-shoe'])
    output = capsys.readouterr().out
    assert "IRREGULARITY 1 INSUFFICIENT_CARDS, coup 1" in output
    assert "CARD_ABSENT" in output
    assert "413 cards are missing by the count" in output
    assert "coup 1 void" in output


def test_a_tables_own_shuffler_and_its_proofs_are_shown(capsys: Capture) -> None:
    script = (
        "shuffler proven; shuffler 1 counted 416 of red; shuffler 1 began 1; "
        "shuffler 1 done 1 416 of red good; shuffler 1 jam; shuffler 1 unjammed; clear warning 1"
    )
    main(["try", script])
    output = capsys.readouterr().out
    assert "batch red: counted to shuffling;" in output
    assert "shuffle 1 of batch red counts" in output
    assert "warning 1: cards are jammed in compartment 1" in output
    assert "warning 1 cleared by Ann Lee: seen and put right" in output
    assert "{" not in output

    effects = [effect for one in played(capsys, script) for effect in one["effects"]]
    (receipt,) = (one for one in effects if one["kind"] == "shuffle-recorded")
    assert receipt["proof"]["faces"] == ""


def test_no_internal_name_of_a_phase_is_shown(capsys: Capture) -> None:
    """Neither in what is next nor in the sentences of irregularities."""
    for troubled in (
        "start; out 4d; burn 2c: 3c",
        "burn 2c: 3c 4c; P 2h; out 3d; result tie; cut; cut; P 3h",
        "burn 2c: 3c 4c; P 2h; start",
        "burn 2c: 3c 4c; P 2h; B 2c; P Kd; B Kh; result tie; close shoe; P1 3d",
    ):
        main(["try", troubled])
        output = capsys.readouterr().out
        assert not re.findall(r"\b[a-z]+_[a-z0-9]+\b", output)


def test_a_stated_outcome_is_shown_in_words_and_no_wager_with_it(capsys: Capture) -> None:
    main(["try", "burn Ac + 1; P 7h; lost 1; resolve state-outcome tie"])
    output = capsys.readouterr().out
    assert "coup 1 floor decided, tie: Player 7h; Banker no card" in output
    assert "tie wins" not in output


def test_a_refusal_for_what_is_not_observed_names_the_option(capsys: Capture) -> None:
    main(["try", "burn Ac + 1; wagers 5 banker 25"])
    assert "--observed wagers" in capsys.readouterr().out


def test_a_refusal_is_shown(capsys: Capture) -> None:
    main(["try", "burn Ac + 1; resolve continue"])

    assert "REFUSED resolve: no irregularity is open" in capsys.readouterr().out


def test_a_void_coup_returns_every_wager(capsys: Capture) -> None:
    voided = 'resolve void-coup second "Cy Lee" because "cards were mixed"'
    main(["try", f"{OVERDRAW}; {voided}"])

    output = capsys.readouterr().out
    assert "resolved: void-coup by Ann Lee and Cy Lee, closes 1" in output
    assert "          tie void\n" in output


def test_a_void_coup_of_a_floorperson_alone_cites_what_returns_the_wagers(capsys: Capture) -> None:
    main(["try", "burn Ac + 1; P 7h; P 2d; resolve void-coup"])

    output = capsys.readouterr().out
    assert "resolved: void-coup by Ann Lee, closes 1" in output
    assert "          tie void [S42-k-4-void" in output


def test_as_json_each_statement_has_its_place(capsys: Capture) -> None:
    statements = played(capsys, NATURAL)

    assert [(one["line"], one["column"]) for one in statements][:2] == [(1, 1), (1, 14)]
    assert set(statements[0]) == {
        *("line", "column", "statement", "verdicts", "effects", "phase"),
    }
    assert statements[1]["statement"] == "P 9h"
    assert statements[1]["verdicts"][0]["kind"] == "accepted"
    assert statements[1]["verdicts"][0]["detail"] == "Player's first card"
    assert statements[-1]["phase"] == "between_coups"


def test_as_json_a_closed_coup_has_its_winning_wagers(capsys: Capture) -> None:
    effects = played(capsys, NATURAL)[-1]["effects"]

    (closed,) = [one for one in effects if one["kind"] == "coup-closed"]
    assert closed["record"]["result"]["player_count"] == 9
    assert closed["wagers"][1]["wager"] == "player"
    assert (closed["wagers"][1]["verdict"], closed["wagers"][1]["odds"]) == ("wins", "1:1")


def test_as_json_an_irregularity_has_its_code(capsys: Capture) -> None:
    verdict = played(capsys, OVERDRAW)[-1]["verdicts"][-1]

    assert (verdict["kind"], verdict["code"], verdict["number"]) == ("irregularity", "OVERDRAW", 1)
    assert verdict["clauses"]


def test_faces_hidden_by_a_deal_option_are_shown(capsys: Capture) -> None:
    main(["try", NATURAL, "--profile", "house-baccarat"])

    assert "Player 9h Qd; Banker Kc Jh" in capsys.readouterr().out


def test_a_script_from_a_file(fast_dir: Path, capsys: Capture) -> None:
    script = fast_dir / "an evening.script"
    script.write_text("# two coups\nburn Ac + 1\n", "utf-8")

    assert main(["try", str(script)]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith("2:1     burn Ac + 1\n")


def test_a_script_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"burn Ac + 1")))

    assert main(["try", "-"]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith("1:1     burn Ac + 1\n")


def test_an_observed_fact_is_checked(capsys: Capture) -> None:
    two = f"{NATURAL}; P 9h; B Kc; P Qd; B Jh; P1 9h"

    main(["try", two])
    assert "RESULT_NOT_DECLARED" not in capsys.readouterr().out
    main(["try", two, "--observed", "result_button"])
    assert "RESULT_NOT_DECLARED" in capsys.readouterr().out


def test_every_error_is_reported_and_nothing_is_played(capsys: Capture) -> None:
    assert main(["try", "burn Ax; P 9h; shuffle"]) == ExitCode.UNUSABLE

    output = capsys.readouterr()
    assert output.out == ""
    first, second = output.err.removeprefix("smartshoe: ").splitlines()
    assert [line.split(": ")[0] for line in (first, second)] == [
        "script:1:6",
        "script:1:16",
    ]


def test_errors_as_json(capsys: Capture) -> None:
    assert main(["try", "burn Ac; shuffle", "--json"]) == ExitCode.UNUSABLE

    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["place"], error["problem"]) == (
        "script:1:10",
        'no statement begins with "shuffle"',
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["none.script"], "there is no file 'none.script'. Allowed: a file, - for stdin"),
        ([NATURAL, "--profile", "reno"], "there is no profile 'reno'. Allowed: house-baccarat"),
        ([NATURAL, "--profile", "ny-mini", "--decks", "5"], "at least 6 (NY-a-4-i-decks)"),
        ([NATURAL, "--decks", "0"], "0 is not allowed. Allowed: at least 6 (S42-a-1-decks)"),
        ([NATURAL, "--decks", "256"], "256 is not allowed. Allowed: at most 255 (a batch"),
        ([NATURAL, "--profile", "wa-mini", "--decks", "300"], "at most 8 (WA-mb-decks)"),
        (
            [NATURAL, "--observed", "weather"],
            "'weather' is not a fact that a table can observe. Allowed",
        ),
    ],
)
def test_a_script_that_cannot_be_played_is_refused(
    words: list[str], expected: str, capsys: Capture
) -> None:
    assert main(["try", *words]) == ExitCode.UNUSABLE
    assert expected in capsys.readouterr().err
