"""`smartshoe rules`: what a table goes by, with its clauses."""

import json
from pathlib import Path

import pytest

from controller.cli.errors import Exit
from controller.cli.main import main

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


HOUSE = """
name = "grand"
base = "ny-mini"
vig_rate = { value = 4, reason = "weekdays" }
decks_per_shoe = 6
"""


@pytest.fixture
def grand(fast_dir: Path) -> Path:
    path = fast_dir / "grand.toml"
    path.write_text(HOUSE)
    return path


def test_a_houses_own_profile_is_shown_with_its_base(grand: Path, capsys: Capture) -> None:
    assert main(["rules", "show", str(grand)]) == Exit.DONE

    said = words_of(capsys.readouterr().out)
    assert "New York mini baccarat, as grand (grand; changes ny-mini)" in said
    assert "What is marked HOUSE is a house rule." in said


def test_a_house_rule_is_marked_with_its_clause_and_reason(grand: Path, capsys: Capture) -> None:
    main(["rules", "show", str(grand)])

    said = words_of(capsys.readouterr().out)
    assert "vig_rate 4 HOUSE within NY-c-3-rate weekdays" in said
    assert "decks_per_shoe 6 HOUSE the house's choice" in said


def test_a_house_rule_as_json(grand: Path, capsys: Capture) -> None:
    main(["rules", "show", str(grand), "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert shown["base"] == "ny-mini"
    assert [name for name, value in shown["values"].items() if value["house"]] == [
        "decks_per_shoe",
        "vig_rate",
    ]
    assert shown["values"]["vig_rate"]["reason"] == "weekdays"
    assert shown["values"]["decks_per_shoe"]["assumed"] is False


def test_without_house_rules_none_is_spoken_of(capsys: Capture) -> None:
    main(["rules", "show", "ny-mini"])
    assert "HOUSE" not in capsys.readouterr().out


def test_a_refused_setting_names_file_place_and_clause(grand: Path, capsys: Capture) -> None:
    grand.write_text(HOUSE.replace("value = 4", "value = 6"))

    assert main(["rules", "show", str(grand)]) == Exit.UNUSABLE
    said = capsys.readouterr().err
    assert f"{grand}: values.vig_rate: 6 is not allowed by NY-c-3-rate. Allowed: 5, 4." in said


def test_a_reference_that_is_not_given_is_said_to_be_so(capsys: Capture) -> None:
    main(["rules", "show", "wa-mini"])
    assert "burn_control_reference not given WA-burn" in words_of(capsys.readouterr().out)


def test_at_a_table_the_houses_profile_is_shown(grand: Path, capsys: Capture) -> None:
    config = grand.parent / "table.toml"
    config.write_text(
        '[table]\nname = "M7"\n[rules]\nprofile = "grand.toml"\n[shoe]\nport = "/dev/ttyUSB0"\n'
    )

    assert main(["rules", "show", "--config", str(config)]) == Exit.DONE
    assert "(grand; changes ny-mini)" in capsys.readouterr().out


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
