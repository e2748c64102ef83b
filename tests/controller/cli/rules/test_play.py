"""`smartshoe rules play`: the table that judges play, whole and at a profile."""

import json
import re
from collections import Counter

import pytest

from controller.cli.main import main
from controller.procedure.phases import Phase
from controller.procedure.table.table import ROWS
from controller.rules.profiles.load import profile_names

Capture = pytest.CaptureFixture[str]


def shown_json(capsys: Capture, *options: str) -> dict:
    assert main(["rules", "play", "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_without_a_profile_every_row_of_the_machine_is_shown(capsys: Capture) -> None:
    shown = shown_json(capsys)
    assert shown["profile"] is None
    assert len(shown["rows"]) == len(ROWS)
    assert shown["left_out"] == []
    first = shown["rows"][0]
    assert first["happenings"] == ["claimed_player_1", "unclaimed_card"]
    assert (first["phases"], first["then"]) == (["between_coups"], "banker_1")
    assert "calls observed" in first["unless"]


@pytest.mark.parametrize("profile", profile_names())
def test_at_a_profile_the_rows_left_out_are_counted_with_the_reason(
    capsys: Capture, profile: str
) -> None:
    shown = shown_json(capsys, "--profile", profile, "--observed", "result_button")
    assert len(shown["rows"]) + len(shown["left_out"]) == len(ROWS)
    reasons = Counter(one["reason"] for one in shown["left_out"])
    assert main(["rules", "play", "--profile", profile, "--observed", "result_button"]) == 0
    text = capsys.readouterr().out
    assert f"{len(shown['rows'])} rows, {len(shown['left_out'])} left out\n" in text
    assert re.findall(r"^  (\d+): (.*)$", text, re.MULTILINE) == [
        (str(count), reason) for reason, count in reasons.items()
    ]


def test_what_is_observed_decides_rows(capsys: Capture) -> None:
    def omitted(*observed: str) -> Counter[str]:
        shown = shown_json(capsys, "--profile", "s42-mini", *observed)
        assert shown["observed"] == list(observed[1:])
        return Counter(one["reason"] for one in shown["left_out"])

    assert omitted()["no more bets is not observed"] > 0
    assert omitted("--observed", "no_more_bets")["no more bets is observed"] > 0


def test_only_the_rows_of_one_phase(capsys: Capture) -> None:
    shown = shown_json(capsys, "--phase", "banker_3")
    assert all(one["phases"] == ["banker_3"] for one in shown["rows"])
    assert ["claimed_banker_3", "unclaimed_card"] in [one["happenings"] for one in shown["rows"]]
    assert "PLAYER_THIRD_UNAUTHORISED" in shown["irregularities"]


def test_each_irregularity_has_its_clauses_by_document(capsys: Capture) -> None:
    whole = shown_json(capsys)["irregularities"]["OVERDRAW"]
    assert set(whole) >= {"NY", "S42"}
    assert all(one.startswith("NY-") for one in whole["NY"])
    differs = shown_json(capsys)["irregularities"]["CARD_BEFORE_NO_MORE_BETS"]
    assert set(differs["HG"]) == {"HG-bac-before", "HG-mini-before"}, "of all its profiles"
    washington = shown_json(capsys, "--profile", "wa-mini")["irregularities"]
    documents = [document for cited in washington.values() for document in cited]
    assert set(documents) == {"WA", "S42"}, "what it borrows is of another document"
    main(["rules", "play", "--profile", "wa-mini"])
    assert "(borrowed, " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--phase", "lunch"], "--phase: there is no phase 'lunch'. Allowed: closed, "),
        (["--observed", "wagers"], "--observed: it says nothing of the whole table. Allowed: "),
        (["--profile", "ny-mini", "--observed", "luck"], "--observed: 'luck' is not a fact that"),
    ],
)
def test_a_wrong_option_is_refused(capsys: Capture, options: list[str], error: str) -> None:
    assert main(["rules", "play", *options]) == 2
    assert error in capsys.readouterr().err


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_is_shown(capsys: Capture, phase: Phase) -> None:
    assert shown_json(capsys, "--profile", "ny-mini", "--phase", phase)["rows"]
