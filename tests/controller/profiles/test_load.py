"""The clauses and profiles that come with the program can be read by it.

Responsible for: finding them in the installed package. Not responsible for: what they say
(tests/controller/rules). Source: controller/profiles/README.md, "Profiles".
"""

from pathlib import Path

import pytest

from controller.profiles.load import (
    load_clauses,
    load_profile,
    profile_names,
    profile_text,
    standing_text,
)
from controller.profiles.profile import ProfileError, parse_profile

NINE = (
    *("house-baccarat", "house-mini", "nj-baccarat", "nj-minibaccarat", "ny-ez", "ny-midi"),
    *("ny-mini", "s42-mini", "wa-mini"),
)
MISSING = ("nowhere", "", "../data/clauses")


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


# --- a house's own profile ----------------------------------------------------------------------


@pytest.fixture
def grand(tmp_path: Path) -> Path:
    path = tmp_path / "grand.toml"
    path.write_text('name = "grand"\nbase = "ny-mini"\nvig_rate = 4\n', encoding="utf-8")
    return path


def test_a_house_profile_is_read_from_its_file(grand: Path) -> None:
    profile = load_profile(str(grand))
    assert (profile.name, profile.base, profile.rules.vig_rate) == ("grand", "ny-mini", 4)


def test_its_path_is_relative_to_a_folder(grand: Path) -> None:
    assert load_profile("grand.toml", grand.parent).name == "grand"


def test_a_house_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_profile("none.toml", tmp_path)


@pytest.mark.clause("NY-c-3-rate")
def test_a_refused_setting_is_told_with_its_file_and_its_clause(grand: Path) -> None:
    grand.write_text('name = "grand"\nbase = "ny-mini"\nvig_rate = 6\n', encoding="utf-8")

    with pytest.raises(ProfileError) as refused:
        load_profile(str(grand))

    assert str(refused.value) == (
        f"{grand}: values.vig_rate: 6 is not allowed by NY-c-3-rate."
        " Allowed: 5, 4. Remedy: set one of these."
    )
    assert refused.value.clauses == ("NY-c-3-rate",)


def test_a_house_file_that_is_not_utf_8_has_its_line(grand: Path) -> None:
    grand.write_bytes('name = "grand"\nbase = "ny-mini"\ntitle = "Élysée"\n'.encode("latin-1"))

    with pytest.raises(ProfileError, match=r"grand\.toml: line 3: it is no UTF-8 text"):
        load_profile(str(grand))


def test_a_whole_profile_is_no_house_file(tmp_path: Path) -> None:
    path = tmp_path / "grand.toml"
    path.write_text(profile_text("ny-mini"), encoding="utf-8")

    with pytest.raises(ProfileError, match=r"base: it is missing\. .*write base = "):
        load_profile(str(path))


def test_a_house_profile_is_stored_whole(grand: Path) -> None:
    profile = load_profile(str(grand))
    text = standing_text(profile)
    assert parse_profile(text, load_clauses()) == profile
    assert "cut_card_min_from_back" in text


def test_a_profile_that_comes_with_the_program_is_stored_as_it_came() -> None:
    assert standing_text(load_profile("ny-mini")) == profile_text("ny-mini")
