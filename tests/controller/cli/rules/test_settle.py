"""`smartshoe settle`: winning wagers and payment of a coup."""

import io
import json
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]
BANKER_8 = "P 7h; B 2c; P Ks; B 2d; B 4h"
WAGERS = "seat,wager,amount\n5,banker,25.00\n5,total_5,30\n\n3,player,100\n1, banker ,10.10\n"


def words_of(out: str) -> str:
    return " ".join(out.split())


@pytest.fixture
def wagers(fast_dir: Path) -> Path:
    path = fast_dir / "wagers.csv"
    path.write_text(WAGERS)
    return path


def refused(capsys: Capture, *options: str) -> str:
    assert main(["settle", "--profile", "nj-minibaccarat", *options]) == ExitCode.UNUSABLE
    return capsys.readouterr().err


# --- what wins, and what is paid ----------------------------------------------------------------


@pytest.mark.clause("NJ-7.3-g-5")
def test_winning_wagers_are_shown_without_any_wager(capsys: Capture) -> None:
    assert main(["settle", "--profile", "nj-minibaccarat", "--cards", BANKER_8]) == ExitCode.DONE

    output = words_of(capsys.readouterr().out)
    assert output.startswith("Player 7, Banker 8 in 5 cards")
    assert "banker wins 1:1 S42-c-3-pay (borrowed, X-21)" in output
    assert "player loses" in output
    assert "total_5 wins 2:1" in output
    assert "in this order" not in output


@pytest.mark.clause("NJ-sum-reconcile")
def test_wagers_are_paid_in_order(capsys: Capture, wagers: Path) -> None:
    arguments = ["--cards", BANKER_8, "--wagers", str(wagers)]
    assert main(["settle", "--profile", "nj-minibaccarat", *arguments]) == ExitCode.DONE

    output = words_of(capsys.readouterr().out)
    assert "5 banker wins 25.00 25.00 25.00 1.25 23.75 S42-c-3-rate" in output
    steps = ["seat 5: pay 25.00 on Banker", "seat 5: pay 60.00 on five cards"]
    steps += ["seat 5: collect vigorish 1.25", "seat 3: take 100.00 from Player"]
    steps += ["seat 1: pay 10.10 on Banker", "seat 1: collect vigorish 0.55"]
    places = [output.index(step) for step in steps]
    assert places == sorted(places)
    assert output.endswith("the house gains 6.70")


def test_wagers_come_from_standard_input(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"2,tie,1.00\n"), "utf-8")
    monkeypatch.setattr("sys.stdin", stdin)

    arguments = ["--cards", "P 7h; B 7c; P Ks; B Kd;", "--wagers", "-", "--json"]
    assert main(["settle", "--profile", "ny-mini", *arguments]) == ExitCode.DONE

    shown = json.loads(capsys.readouterr().out)
    assert [step["text"] for step in shown["steps"]] == ["seat 2: pay 8.00 on Tie"]


def test_as_json(capsys: Capture, wagers: Path) -> None:
    arguments = ["--cards", BANKER_8, "--wagers", str(wagers), "--json"]
    main(["settle", "--profile", "nj-minibaccarat", *arguments])

    shown = json.loads(capsys.readouterr().out)
    assert shown["wins"][0] == {
        "wager": "banker",
        "verdict": "wins",
        "odds": "1:1",
        "clauses": ["S42-c-3-pay"],
        "borrowed": {"S42-c-3-pay": "X-21"},
    }
    assert shown["wins"][1]["odds"] is None
    assert shown["lines"][0] == {
        "seat": 5,
        "wager": "banker",
        "medium": "chips",
        "verdict": "wins",
        "stake": 2500,
        "paid": 2500,
        "returned": 2500,
        "vigorish": 125,
        "gain": 2375,
        "clauses": ["S42-c-3-pay"],
        "charged_by": ["S42-c-3-rate", "S42-c-3-i"],
        "borrowed": {
            "S42-c-3-pay": "X-21",
            "S42-c-3-rate": "X-13",
            "S42-c-3-i": "X-14",
        },
    }
    assert shown["steps"][2]["act"] == "collect_vigorish"
    assert shown["house_gain"] == 670
    assert sum(line["gain"] for line in shown["lines"]) == -670


@pytest.mark.clause("S42-k-4-void")
def test_a_void_coup_returns_everything(capsys: Capture, wagers: Path) -> None:
    arguments = ["--void", "--wagers", str(wagers)]
    main(["settle", "--profile", "nj-minibaccarat", *arguments])

    output = words_of(capsys.readouterr().out)
    assert output.startswith("the coup is void")
    assert "seat 3: return 100.00 on Player S42-k-4-void" in output
    assert output.endswith("the house gains 0.00")


@pytest.mark.clause("S42-c-4-charge")
def test_a_house_profile_is_read_from_its_file(capsys: Capture, fast_dir: Path) -> None:
    house, path = fast_dir / "house.toml", fast_dir / "wagers.csv"
    house.write_text('name = "grand"\nbase = "s42-mini"\n[values]\nvig_mode = "tie25"\n')
    path.write_text("5,banker,100.00\n")
    arguments = ["--cards", "P 7h; B 7c; P Ks; B Kd", "--wagers", str(path)]

    assert main(["settle", "--profile", str(house), *arguments]) == ExitCode.DONE
    assert "seat 5: collect vigorish 25.00" in words_of(capsys.readouterr().out)


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.clause("WA-ov-2-combo")
def test_refused_wagers_are_not_paid(capsys: Capture, fast_dir: Path) -> None:
    path = fast_dir / "both.csv"
    path.write_text("5,banker,1.00\n5,player,1.00\n")
    arguments = ["--cards", BANKER_8, "--wagers", str(path), "--json"]

    assert main(["settle", "--profile", "wa-mini", *arguments]) == ExitCode.NO

    out, err = capsys.readouterr()
    assert "one seat may not bet on both hands (WA-ov-2-combo)" in err
    shown = json.loads(out)
    assert "lines" not in shown
    assert shown["refused"][0]["clauses"] == ["WA-ov-2-combo"]


def test_a_coupon_is_paid_beside_chips(capsys: Capture, fast_dir: Path) -> None:
    path = fast_dir / "coupon.csv"
    path.write_text("seat,wager,amount,medium\n5,banker,25,coupon\n5,banker,25,chips\n")
    arguments = ["--cards", BANKER_8, "--wagers", str(path)]

    assert main(["settle", "--profile", "ny-mini", *arguments, "--json"]) == ExitCode.DONE
    lines = json.loads(capsys.readouterr().out)["lines"]
    assert [(one["medium"], one["gain"]) for one in lines] == [("coupon", 2375), ("chips", 2375)]

    assert main(["settle", "--profile", "ny-mini", *arguments]) == ExitCode.DONE
    assert "5 banker (coupon) wins 25.00 25.00" in words_of(capsys.readouterr().out)

    assert main(["settle", "--profile", "wa-mini", *arguments]) == ExitCode.NO
    assert "a coupon is no wager" in capsys.readouterr().err


def test_wagers_are_refused_until_those_left_may_stand(capsys: Capture, fast_dir: Path) -> None:
    path = fast_dir / "exact.csv"
    path.write_text("1,banker,1.01\n1,player,1.00\n")
    arguments = ["--cards", BANKER_8, "--wagers", str(path), "--json"]

    assert main(["settle", "--profile", "wa-mini", *arguments]) == ExitCode.NO

    refused = json.loads(capsys.readouterr().out)["refused"]
    assert [(one["seat"], one["wager"]) for one in refused] == [(1, "banker")]


@pytest.mark.parametrize("options", [(), ("--void", "--cards", BANKER_8)])
def test_the_coup_is_given_in_one_way(capsys: Capture, options: tuple[str, ...]) -> None:
    assert "either --cards TEXT or --void" in refused(capsys, *options)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P 7h; B 2c; P Ks; B 2d", "column 23: the coup is not complete"),
        ("P 7h; B 2c; P Ks; B 2d", "Allowed: a card of Banker's Hand. Remedy: add it"),
        ("P 7h; B 2c; P Ks; B 6d; B 4h", "column 25: the coup is complete before this card"),
        ("P 7h; P 2c", "column 7: P 2c is written for the other hand"),
        ("P 7h; P 2c", "Allowed: a card of Banker's Hand, by the drawing rules"),
        ("P 7h; P 2c", "Remedy: write B 2c, or correct the cards before it"),
        ("P 7h; X 2c", "column 7: 'X 2c' is not a card of a hand"),
        ("P 7h; B", "column 7: 'B' is not a card of a hand"),
        ("P 7h;  B 2x", "column 8: '2x' is not a card"),
    ],
)
def test_cards_that_cannot_be_read(capsys: Capture, text: str, expected: str) -> None:
    assert expected in refused(capsys, "--cards", text)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("5,bankr,25.00", "line 2, column 2 (wager): 'bankr'. Allowed: banker, player, tie"),
        ("0,banker,25.00", "line 2, column 1 (seat): '0'. Allowed: a seat from 1 to 999"),
        ("5,banker,25.0", "line 2, column 3 (amount): '25.0'. Allowed: an amount such as 25"),
        ("5,banker,-1", "line 2, column 3 (amount): '-1'"),
        ("5,banker,25,cash", "line 2, column 4 (medium): 'cash'. Allowed: chips, coupon"),
        ("5,banker", "line 2: 2 columns found. Allowed: seat,wager,amount"),
    ],
)
def test_wagers_that_cannot_be_read(
    capsys: Capture, fast_dir: Path, line: str, expected: str
) -> None:
    path = fast_dir / "bad.csv"
    path.write_text(f"seat,wager,amount\n{line}\n")

    assert f"{path}, {expected}" in refused(capsys, "--cards", BANKER_8, "--wagers", str(path))


def test_standard_input_is_named_in_errors(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x,tie,1\n"), "utf-8"))

    output = refused(capsys, "--cards", BANKER_8, "--wagers", "-")

    assert "standard input, line 1, column 1 (seat): 'x'" in output


def test_a_file_that_is_not_there(capsys: Capture, fast_dir: Path) -> None:
    output = refused(capsys, "--cards", BANKER_8, "--wagers", str(fast_dir / "none.csv"))

    assert "none.csv: No such file or directory" in output
