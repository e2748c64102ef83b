"""The clauses and profiles that come with the program can be read by it.

Responsible for: finding them in the installed package. Not responsible for: what they say
(tests/controller/rules). Source: controller/rules/README.md, "Profiles".
"""

import pytest

from controller.rule_data import load_clauses, load_profile, profile_names, profile_text

NINE = (
    *("house-baccarat", "house-mini", "nj-baccarat", "nj-minibaccarat", "ny-ez", "ny-midi"),
    *("ny-mini", "s42-mini", "wa-mini"),
)
MISSING = ("nowhere", "", "../data/clauses", "s42-mini.toml")


def test_the_profiles_that_come_with_the_program() -> None:
    assert profile_names() == NINE


@pytest.mark.parametrize("name", NINE)
def test_a_profile_is_the_one_of_its_name(name) -> None:
    assert load_profile(name).name == name


@pytest.mark.parametrize("name", NINE)
def test_every_clause_a_profile_cites_is_there(name) -> None:
    clauses = load_clauses()
    cited = [clause for value in load_profile(name).values for clause in value.basis]
    assert cited
    assert [clause for clause in cited if clause not in clauses] == []


@pytest.mark.parametrize("name", MISSING)
def test_another_name_is_none(name) -> None:
    with pytest.raises(KeyError):
        profile_text(name)
    with pytest.raises(KeyError):
        load_profile(name)


def test_a_clause_is_found_by_its_id() -> None:
    assert load_clauses()["S42-e-6-burn1"].id == "S42-e-6-burn1"
