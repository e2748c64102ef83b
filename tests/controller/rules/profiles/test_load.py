"""The shipped clauses and profiles, and house files, are loaded."""

from pathlib import Path

import pytest

from controller.rules.profiles.load import (
    complete_text,
    decks_played_max,
    load_clauses,
    load_profile,
    profile_names,
    profile_text,
)
from controller.rules.profiles.profile import ProfileError, parse_profile

NINE = (
    *("house-baccarat", "house-mini", "nj-baccarat", "nj-minibaccarat", "ny-ez", "ny-midi"),
    *("ny-mini", "s42-mini", "wa-mini"),
)
MISSING = ("nowhere", "", "../data/clauses")


def test_names_of_the_shipped_profiles() -> None:
    assert profile_names() == NINE


@pytest.mark.parametrize("name", NINE)
def test_a_profile_has_the_name_of_its_file(name) -> None:
    assert load_profile(name).name == name


@pytest.mark.parametrize("name", NINE)
def test_every_cited_clause_exists(name) -> None:
    clauses = load_clauses()
    cited = [clause for value in load_profile(name).values for clause in value.basis]
    assert cited
    assert [clause for clause in cited if clause not in clauses] == []


@pytest.mark.parametrize("name", MISSING)
def test_an_unknown_name_raises_key_error(name) -> None:
    with pytest.raises(KeyError):
        profile_text(name)
    with pytest.raises(KeyError):
        load_profile(name)


def test_a_clause_is_found_by_its_id() -> None:
    assert load_clauses()["S42-e-6-burn1"].id == "S42-e-6-burn1"


def test_no_shipped_profile_plays_more_than_eight_decks() -> None:
    assert decks_played_max() == 8


# --- a house's own profile ----------------------------------------------------------------------


@pytest.fixture
def grand(tmp_path: Path) -> Path:
    path = tmp_path / "grand.toml"
    path.write_text('name = "grand"\nbase = "ny-mini"\nvig_rate = 4\n', encoding="utf-8")
    return path


def test_a_house_profile_is_read_from_its_file(grand: Path) -> None:
    profile = load_profile(str(grand))
    assert (profile.name, profile.base, profile.rules.vig_rate) == ("grand", "ny-mini", 4)


def test_the_path_is_relative_to_a_folder(grand: Path) -> None:
    assert load_profile("grand.toml", grand.parent).name == "grand"


def test_a_missing_house_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_profile("none.toml", tmp_path)


@pytest.mark.clause("NY-c-3-rate")
def test_a_refused_setting_names_file_and_clause(grand: Path) -> None:
    grand.write_text('name = "grand"\nbase = "ny-mini"\nvig_rate = 6\n', encoding="utf-8")

    with pytest.raises(ProfileError) as refused:
        load_profile(str(grand))

    assert str(refused.value) == (
        f"{grand}: values.vig_rate: 6 is not allowed by NY-c-3-rate."
        " Allowed: 5, 4. Remedy: set one of these."
    )
    assert refused.value.clauses == ("NY-c-3-rate",)


def test_a_house_file_that_is_not_utf_8_is_refused_with_its_line(grand: Path) -> None:
    grand.write_bytes('name = "grand"\nbase = "ny-mini"\ntitle = "Élysée"\n'.encode("latin-1"))

    with pytest.raises(ProfileError, match=r"grand\.toml: line 3: it is not UTF-8 text"):
        load_profile(str(grand))


def test_a_complete_profile_is_not_a_house_file(tmp_path: Path) -> None:
    path = tmp_path / "grand.toml"
    path.write_text(profile_text("ny-mini"), encoding="utf-8")

    with pytest.raises(ProfileError, match=r"base: it is missing\. .*write base = "):
        load_profile(str(path))


def test_a_house_profile_is_stored_complete(grand: Path) -> None:
    profile = load_profile(str(grand))
    text = complete_text(profile)
    assert parse_profile(text, load_clauses()) == profile
    assert "cut_card_min_from_back" in text


def test_a_shipped_profile_is_stored_with_its_original_text() -> None:
    assert complete_text(load_profile("ny-mini")) == profile_text("ny-mini")
