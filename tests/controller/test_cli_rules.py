"""`smartshoe rules`: what a table goes by, with its clauses."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli_errors import Exit

Capture = pytest.CaptureFixture[str]


def words_of(out: str) -> str:
    """A table's text with its columns' padding taken out."""
    return " ".join(out.split())


def test_the_profiles_are_listed_with_their_source(capsys: Capture) -> None:
    assert main(["rules", "list"]) == Exit.DONE

    said = words_of(capsys.readouterr().out)
    assert "ny-mini New York mini baccarat 9 NYCRR 5324.21" in said
    assert "s42-mini Section 42 Mini-Baccarat" in said


def test_the_list_as_json(capsys: Capture) -> None:
    main(["rules", "list", "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in shown["profiles"]] == [
        *("house-baccarat", "house-mini", "nj-baccarat", "nj-minibaccarat", "ny-ez", "ny-midi"),
        *("ny-mini", "s42-mini", "wa-mini"),
    ]


def test_a_value_is_shown_with_its_clause(capsys: Capture) -> None:
    assert main(["rules", "show", "s42-mini"]) == Exit.DONE
    assert "decks_min 6 S42-a-1-decks" in words_of(capsys.readouterr().out)


def test_an_assumed_value_is_marked_and_says_why(capsys: Capture) -> None:
    main(["rules", "show", "s42-mini"])

    said = words_of(capsys.readouterr().out)
    assert "decks_max none ASSUMED no clause sets a maximum" in said


def test_a_citation_is_shown_with_its_point(capsys: Capture) -> None:
    main(["rules", "show", "s42-mini"])

    assert "one_extra_card S42-h-4" in words_of(capsys.readouterr().out)


def test_clause_texts_come_on_request(capsys: Capture) -> None:
    main(["rules", "show", "s42-mini"])
    without = capsys.readouterr().out
    main(["rules", "show", "s42-mini", "--clauses"])

    text = "Neither hand gets more than one extra card."
    assert text not in without
    assert text in capsys.readouterr().out


def test_a_profile_as_json_says_what_is_assumed(capsys: Capture) -> None:
    main(["rules", "show", "ny-mini", "--json"])

    value = json.loads(capsys.readouterr().out)["values"]["decks_per_shoe"]
    assert value["assumed"] is True
    assert value["reason"]


def test_a_casinos_own_profile_is_shown_from_its_file(fast_dir: Path, capsys: Capture) -> None:
    text = (files("controller.rules") / "profiles" / "s42-mini.toml").read_text("utf-8")
    house = fast_dir / "house.toml"
    house.write_text(text.replace('name = "s42-mini"', 'name = "house"'))

    assert main(["rules", "show", str(house)]) == Exit.DONE
    assert "(house)" in capsys.readouterr().out


def test_at_a_table_it_says_what_is_not_observed(fast_dir: Path, capsys: Capture) -> None:
    config = fast_dir / "table.toml"
    config.write_text('[table]\nname = "M7"\n[shoe]\nport = "/dev/ttyUSB0"\n')

    assert main(["rules", "show", "--config", str(config)]) == Exit.DONE

    said = capsys.readouterr().out
    assert "Table M7 observes nothing beside the shoe. Prompted, never judged: " in said
    assert "cut_depth" in said


def test_without_a_name_the_way_to_one_is_said(capsys: Capture) -> None:
    assert main(["rules", "show"]) == Exit.UNUSABLE
    assert "smartshoe rules list" in capsys.readouterr().err


def test_a_clause_is_printed_whole(capsys: Capture) -> None:
    assert main(["rules", "clause", "S42-h-4"]) == Exit.DONE

    said = capsys.readouterr().out
    assert said.startswith("S42-h-4  Section 42 Mini-Baccarat (h)(4)\n")
    assert "Neither hand gets more than one extra card." in said


def test_an_unknown_clause_names_its_neighbours(capsys: Capture) -> None:
    assert main(["rules", "clause", "S42-h-44"]) == Exit.UNUSABLE
    assert "near it: S42-h-4" in capsys.readouterr().err


def test_an_unknown_profile_names_those_there_are(capsys: Capture) -> None:
    assert main(["rules", "show", "macau"]) == Exit.UNUSABLE
    assert "ny-midi, ny-mini, s42-mini, wa-mini, or name a .toml file" in capsys.readouterr().err
