"""`smartshoe clauses`: every clause with its coverage."""

import json
from collections.abc import Callable

import pytest

from controller.cli.main import main
from controller.rules.profiles import clause_register as register
from controller.rules.profiles.clause_register import Coverage, make_proof
from controller.rules.profiles.load import load_clauses
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]
Shipping = Callable[[dict[str, register.ClauseProof]], None]

PROVEN = make_proof(
    (Coverage.CHECKED, Coverage.PROMPTED),
    ("controller.procedure.dealing.coup_start",),
    ("tests/test_a.py::test_a", "tests/test_a.py::test_b"),
)


@pytest.fixture
def ship(monkeypatch: pytest.MonkeyPatch) -> Shipping:
    """Let the program come with this register."""
    return lambda shipped: monkeypatch.setattr(register, "load_register", lambda: shipped)


def words_of(out: str) -> str:
    """A table's text with its columns' padding taken out."""
    return " ".join(out.split())


def test_a_clause_is_shown_with_its_coverage(ship: Shipping, capsys: Capture) -> None:
    ship({"S42-h-4": PROVEN})
    assert main(["clauses"]) == ExitCode.DONE

    shown = "yes checked, prompted controller.procedure.dealing.coup_start 2"
    assert shown in words_of(capsys.readouterr().out)


def test_an_unproven_clause_is_shown_as_open(ship: Shipping, capsys: Capture) -> None:
    ship({})
    main(["clauses", "--document", "S42"])

    assert "Section 42 Mini-Baccarat (h)(4) yes open 0" in words_of(capsys.readouterr().out)


def test_what_is_outside_is_not_open(ship: Shipping, capsys: Capture) -> None:
    ship({})
    main(["clauses"])

    assert "9 NYCRR 5324.21 (a)(1) out outside 0" in words_of(capsys.readouterr().out)


def test_each_document_ends_with_its_counts(ship: Shipping, capsys: Capture) -> None:
    ship({"S42-h-4": PROVEN})
    main(["clauses"])

    lines = capsys.readouterr().out.splitlines()[-5:]
    assert [line.partition(":")[0] for line in lines] == ["NY", "NJ", "WA", "HG", "S42"]
    assert lines[-1].startswith("S42: 162 clauses; checked 1, computed 0, prompted 1, ")


def test_one_document_alone(ship: Shipping, capsys: Capture) -> None:
    ship({})
    main(["clauses", "--document", "ny", "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert {one["document"] for one in shown["clauses"]} == {"NY"}
    assert [one["document"] for one in shown["documents"]] == ["NY"]


def test_an_unknown_document_lists_the_known_ones(capsys: Capture) -> None:
    assert main(["clauses", "--document", "ZZ"]) == ExitCode.UNUSABLE
    assert "Allowed: NY, NJ, WA, HG, S42" in capsys.readouterr().err


def test_open_shows_only_what_a_test_should_prove(ship: Shipping, capsys: Capture) -> None:
    ship({"S42-h-4": PROVEN})
    main(["clauses", "--open", "--json"])

    shown = json.loads(capsys.readouterr().out)["clauses"]
    assert all(one["open"] for one in shown)
    assert not {"S42-h-4", "NY-a-1"} & {one["id"] for one in shown}


def test_without_open_clauses_a_sentence_says_so(ship: Shipping, capsys: Capture) -> None:
    ship(dict.fromkeys(load_clauses(), PROVEN))
    assert main(["clauses", "--open"]) == ExitCode.DONE

    out = capsys.readouterr().out
    assert out.startswith("No clause is open: ")
    assert "NY-h-1 " not in out


def test_json_names_every_test(ship: Shipping, capsys: Capture) -> None:
    ship({"S42-h-4": PROVEN})
    main(["clauses", "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert len(shown["clauses"]) == 515
    (one,) = (one for one in shown["clauses"] if one["id"] == "S42-h-4")
    assert one == {
        "id": "S42-h-4",
        "document": "S42",
        "source": one["source"],
        "observable": "yes",
        "open": False,
        "covered": ["checked", "prompted"],
        "modules": ["controller.procedure.dealing.coup_start"],
        "tests": ["tests/test_a.py::test_a", "tests/test_a.py::test_b"],
    }
