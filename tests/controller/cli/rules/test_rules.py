"""`smartshoe rules`: profiles with the clauses of their values."""

import json
from pathlib import Path

import pytest

from controller.cli.main import main
from controller.system.command_line.errors import ExitCode

Capture = pytest.CaptureFixture[str]


def words_of(out: str) -> str:
    """A table's text with its columns' padding taken out."""
    return " ".join(out.split())


def test_the_profiles_are_listed_with_their_source(capsys: Capture) -> None:
    assert main(["rules", "list"]) == ExitCode.DONE

    output = words_of(capsys.readouterr().out)
    assert "ny-mini New York mini baccarat 9 NYCRR 5324.21" in output
    assert "s42-mini Section 42 Mini-Baccarat" in output


def test_the_list_as_json(capsys: Capture) -> None:
    main(["rules", "list", "--json"])

    shown = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in shown["profiles"]] == [
        *("house-baccarat", "house-mini", "nj-baccarat", "nj-minibaccarat", "ny-ez", "ny-midi"),
        *("ny-mini", "s42-mini", "wa-mini"),
    ]


def test_a_value_is_shown_with_its_clause(capsys: Capture) -> None:
    assert main(["rules", "show", "s42-mini"]) == ExitCode.DONE
    assert "decks_min 6 S42-a-1-decks" in words_of(capsys.readouterr().out)


def test_an_assumed_value_is_marked_with_its_reason(capsys: Capture) -> None:
    main(["rules", "show", "s42-mini"])

    output = words_of(capsys.readouterr().out)
    assert "decks_max none ASSUMED no clause sets a maximum" in output


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


def test_a_profile_as_json_marks_assumed_values(capsys: Capture) -> None:
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
    assert main(["rules", "show", str(grand)]) == ExitCode.DONE

    output = words_of(capsys.readouterr().out)
    assert "New York mini baccarat, as grand (grand; changes ny-mini)" in output
    assert "HOUSE: a house rule." in output


def test_a_house_rule_is_marked_with_its_clause_and_reason(grand: Path, capsys: Capture) -> None:
    main(["rules", "show", str(grand)])

    output = words_of(capsys.readouterr().out)
    assert "vig_rate 4 HOUSE within NY-c-3-rate weekdays" in output
    assert "decks_per_shoe 6 HOUSE the house's choice" in output


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


def test_without_house_rules_none_are_mentioned(capsys: Capture) -> None:
    main(["rules", "show", "ny-mini"])
    assert "HOUSE" not in capsys.readouterr().out


def test_a_refused_setting_names_file_place_and_clause(grand: Path, capsys: Capture) -> None:
    grand.write_text(HOUSE.replace("value = 4", "value = 6"))

    assert main(["rules", "show", str(grand)]) == ExitCode.UNUSABLE
    output = capsys.readouterr().err
    assert f"{grand}: values.vig_rate: 6 is not allowed by NY-c-3-rate. Allowed: 5, 4." in output


def test_a_missing_reference_is_shown_as_not_given(capsys: Capture) -> None:
    main(["rules", "show", "wa-mini"])
    assert "burn_control_reference not given WA-burn" in words_of(capsys.readouterr().out)


def test_with_a_configuration_the_houses_profile_is_shown(grand: Path, capsys: Capture) -> None:
    config = grand.parent / "table.toml"
    config.write_text(
        '[table]\nname = "M7"\n[rules]\nprofile = "grand.toml"\n[shoe]\nport = "/dev/ttyUSB0"\n'
    )

    assert main(["rules", "show", "--config", str(config)]) == ExitCode.DONE
    assert "(grand; changes ny-mini)" in capsys.readouterr().out


def test_with_a_configuration_unobserved_facts_are_listed(fast_dir: Path, capsys: Capture) -> None:
    config = fast_dir / "table.toml"
    config.write_text('[table]\nname = "M7"\n[shoe]\nport = "/dev/ttyUSB0"\n')

    assert main(["rules", "show", "--config", str(config)]) == ExitCode.DONE

    output = capsys.readouterr().out
    assert "Table M7 observes only the shoe. Prompted, never judged: " in output
    assert "cut_depth" in output


def test_without_a_name_the_error_says_how_to_give_one(capsys: Capture) -> None:
    assert main(["rules", "show"]) == ExitCode.UNUSABLE
    assert "smartshoe rules list" in capsys.readouterr().err


def test_a_clause_is_printed_whole(capsys: Capture) -> None:
    assert main(["rules", "clause", "S42-h-4"]) == ExitCode.DONE

    output = capsys.readouterr().out
    assert output.startswith("S42-h-4  Section 42 Mini-Baccarat (h)(4)\n")
    assert "Neither hand gets more than one extra card." in output


def test_an_unknown_clause_lists_similar_ones(capsys: Capture) -> None:
    assert main(["rules", "clause", "S42-h-44"]) == ExitCode.UNUSABLE
    assert "Remedy: did you mean S42-h-4" in capsys.readouterr().err


def test_an_unknown_profile_lists_the_known_ones(capsys: Capture) -> None:
    assert main(["rules", "show", "macau"]) == ExitCode.UNUSABLE
    assert (
        "ny-midi, ny-mini, s42-mini, wa-mini. Remedy: use one of them, or name a house's .toml"
        in capsys.readouterr().err
    )


GRAND = 'name = "grand"\nbase = "ny-mini"\n'


def test_a_house_profile_is_shown_first_as_what_it_changes(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "grand.toml"
    # The rate is the base's own: nothing is changed by it.
    file.write_text(f"{GRAND}vig_rate = 5\ncut_card_min_from_back = 20\n", encoding="utf-8")

    assert main(["rules", "show", str(file)]) == ExitCode.DONE
    first, _, _ = capsys.readouterr().out.partition("Values.")
    assert main(["rules", "show", str(file), "--json"]) == ExitCode.DONE
    changes = json.loads(capsys.readouterr().out)["changes"]

    shown = words_of(first)
    assert "What it changes of ny-mini. value is in ny-mini why" in shown
    assert "cut_card_min_from_back 20 14 the house's choice" in shown
    assert "vig_rate" not in shown
    assert changes == {"cut_card_min_from_back": {"value": 20, "in_base": 14}}


def test_every_fault_of_a_house_profile_is_said_at_once(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "grand.toml"
    file.write_text(
        f"{GRAND}decks_min = 2\nburn_cont = 3\nvig_rate = 6\ndeal_option = 3\n", encoding="utf-8"
    )
    names = ("decks_min", "burn_cont", "vig_rate", "deal_option")

    assert main(["rules", "show", str(file)]) == ExitCode.UNUSABLE
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(names)
    assert {one for one in names for line in lines if f" values.{one}: " in line} == set(names)
    assert main(["rules", "show", str(file), "--json"]) == ExitCode.UNUSABLE
    assert len(json.loads(capsys.readouterr().out)["errors"]) == len(names)


def test_check_config_says_every_fault_of_the_house_profile(
    tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "grand.toml").write_text(f"{GRAND}decks_min = 2\nvig_rate = 6\n", encoding="utf-8")
    table = tmp_path / "table.toml"
    table.write_text(
        '[table]\nname = "M-12"\n[rules]\nprofile = "grand.toml"\n[shoe]\nport = "/dev/ttyUSB0"\n',
        encoding="utf-8",
    )

    assert main(["check-config", str(table)]) == ExitCode.NO
    error = capsys.readouterr().err
    assert error.count("rules.profile: grand.toml: values.") == 2


@pytest.mark.parametrize("written", ["ny-h-1", "NY-H-1", "Ny-h-1"])
def test_a_clause_is_found_in_any_case(written: str, capsys: Capture) -> None:
    assert main(["rules", "clause", written]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith("NY-h-1  ")
