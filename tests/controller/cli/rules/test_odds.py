"""`smartshoe odds`: counts of draws and house edges."""

import json

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]


def words_of(out: str) -> str:
    return " ".join(out.split())


def test_eight_decks_are_the_default(capsys: Capture) -> None:
    assert main(["odds"]) == ExitCode.DONE

    output = words_of(capsys.readouterr().out)
    assert "8 decks: 4998398275503360 ordered draws of six cards" in output
    assert "Banker wins 2292252566437888 45.8597 %" in output
    assert "Player wins 2230518282592256 44.6247 %" in output
    assert "House edge" not in output


def test_a_profile_adds_the_house_edges(capsys: Capture) -> None:
    assert main(["odds", "--profile", "wa-mini"]) == ExitCode.DONE

    output = words_of(capsys.readouterr().out)
    assert "House edge under wa-mini. Vigorish is exact" in output
    assert "tie 475627426473216 4522770849030144 0 14.3596 %" in output


def test_as_json(capsys: Capture) -> None:
    main(["odds", "--decks", "6", "--profile", "ny-ez", "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert (shown["decks"], shown["total"]) == (6, 878869206895680)
    counts = shown["counts"]
    assert counts["player"] + counts["banker"] + counts["tie"] == shown["total"]
    assert counts["cards_4"] + counts["cards_5"] + counts["cards_6"] == shown["total"]
    assert (shown["profile"], shown["vigorish"]) == ("ny-ez", "exact, not rounded")
    wagers = [one["wager"] for one in shown["edges"]]
    assert wagers == ["banker", "player", "tie", "dragon_7", "panda_8"]
    for one in shown["edges"]:
        exact = one["edge"]["numerator"] / one["edge"]["denominator"]
        assert float(one["edge_percent"]) == pytest.approx(exact * 100, abs=0.0001)
        assert one["wins"] + one["loses"] + one["returned"] == shown["total"]


def test_without_a_profile_there_are_no_edges(capsys: Capture) -> None:
    main(["odds", "--json"])

    assert set(json.loads(capsys.readouterr().out)) == {"decks", "total", "counts"}


@pytest.mark.parametrize("decks", ["0", "17", "many"])
def test_decks_have_a_limit(capsys: Capture, decks: str) -> None:
    assert main(["odds", "--decks", decks]) == ExitCode.UNUSABLE
    assert "--decks" in capsys.readouterr().err


def test_an_unknown_profile_lists_the_known_ones(capsys: Capture) -> None:
    assert main(["odds", "--profile", "mars"]) == ExitCode.UNUSABLE
    assert "there is no profile 'mars'. Allowed: house-baccarat" in capsys.readouterr().err


def test_with_a_profile_its_bounds_hold(capsys: Capture) -> None:
    assert main(["odds", "--decks", "9", "--profile", "wa-mini"]) == ExitCode.UNUSABLE
    assert "--decks: 9 is not allowed. Allowed: at most 8 (WA-mb-decks)." in capsys.readouterr().err
