"""Reading profiles: values, citations, and refusals."""

from importlib.resources import files

import pytest

from controller.rules.profiles.clauses import parse_clauses
from controller.rules.profiles.profile import (
    Profile,
    ProfileError,
    document_of,
    parse_profile,
    render_profile,
)
from controller.rules.profiles.rule_points import RulePoint, banker_row_point
from controller.rules.profiles.setting_definitions import LATER_SETTINGS
from controller.rules.setting_values import BankerPlacement, ThirdCardDealt

RULES = files("controller.rules.profiles")
CLAUSES = parse_clauses(RULES.joinpath("data/clauses.csv").read_text(encoding="utf-8"))


def text_of(name: str) -> str:
    return RULES.joinpath(f"shipped/{name}.toml").read_text(encoding="utf-8")


def shipped(name: str) -> Profile:
    return parse_profile(text_of(name), CLAUSES)


def changed(name: str, old: str, new: str) -> str:
    """The text with the first occurrence replaced."""
    text = text_of(name)
    assert old in text
    return text.replace(old, new, 1)


def test_a_point_cites_the_profiles_own_clauses() -> None:
    assert shipped("ny-mini").citations_for(RulePoint.BURN_COUNT) == ("NY-e-2",)
    assert shipped("s42-mini").citations_for(RulePoint.BURN_COUNT) == ("S42-e-6-burnn",)


def test_a_borrowed_point_is_cited_and_marked_assumed() -> None:
    profile = shipped("ny-mini")
    assert profile.citations_for(RulePoint.LAST_HAND) == ("S42-h-5-onemore",)
    assert profile.citation(RulePoint.LAST_HAND).grounds.assumed
    assert not profile.citation(RulePoint.BURN_COUNT).grounds.assumed


def test_own_clauses_are_cited_before_borrowed_ones() -> None:
    assert shipped("ny-mini").citations_for(RulePoint.DRAWN_IN_ERROR) == (
        "NY-j",
        "S42-k-2-carry",
        "S42-k-2-burn",
    )


@pytest.mark.parametrize("draws", [True, False])
@pytest.mark.parametrize(
    ("count", "own"),
    [
        (0, "S42-i-3-012"),
        (1, "S42-i-3-012"),
        (2, "S42-i-3-012"),
        (3, "S42-i-3-3"),
        (4, "S42-i-3-4"),
        (5, "S42-i-3-5"),
        (6, "S42-i-3-6"),
    ],
)
def test_each_row_of_the_third_card_table_has_its_clause(count: int, own: str, draws: bool) -> None:
    point = banker_row_point(count, draws=draws)
    assert shipped("s42-mini").citations_for(point) == (own,)


def test_banker_stands_on_seven_by_its_own_row() -> None:
    point = banker_row_point(7, draws=False)
    assert shipped("s42-mini").citations_for(point) == ("S42-i-3-789",)


def test_a_missing_point_cites_nothing() -> None:
    profile = shipped("s42-mini")
    assert profile.citation(RulePoint.EZ_CALLED) is None
    assert profile.citations_for(RulePoint.EZ_CALLED) == ()


def test_a_setting_is_found_by_its_name() -> None:
    value = shipped("ny-mini").value("cut_card_min_from_back")
    assert (value.value, value.assumed, value.borrowed) == (14, True, ("S42-e-6-first",))


def test_with_players_reveal_the_third_card_is_face_down() -> None:
    text = changed(
        "s42-mini", 'deal_option = { value = "face_up"', 'deal_option = { value = "players_reveal"'
    )
    assert parse_profile(text, CLAUSES).rules.third_card_dealt is ThirdCardDealt.FACE_DOWN


def test_decks_max_is_a_number_where_a_profile_sets_one() -> None:
    text = changed("s42-mini", 'decks_max = { value = "none"', "decks_max = { value = 8")
    assert parse_profile(text, CLAUSES).rules.decks_max == 8


def test_with_players_reveal_banker_is_under_the_shoe() -> None:
    text = changed(
        "s42-mini", 'deal_option = { value = "face_up"', 'deal_option = { value = "players_reveal"'
    )
    assert parse_profile(text, CLAUSES).rules.banker_placement is BankerPlacement.UNDER_SHOE


@pytest.mark.clause("NY-a-4-i-decks")
@pytest.mark.parametrize("decks", [5, 9])
def test_decks_in_the_shoe_stay_within_the_limits(decks: int) -> None:
    text = changed("ny-mini", 'decks_max = { value = "none"', "decks_max = { value = 8")
    text = text.replace("decks_per_shoe = { value = 8", f"decks_per_shoe = {{ value = {decks}")
    with pytest.raises(ProfileError, match=r"^values\.decks_per_shoe: .*Allowed: at least 6"):
        parse_profile(text, CLAUSES)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # Shape of the text
        ("\n[citations]", "\n[citations", r"^the whole text: .*\(at line \d+, column \d+\)"),
        ("[citations]", "[quotations]", r"^the whole text\.quotations: there is no such key"),
        ('name = "ny-mini"\n', "", r"^the whole text\.name: it is missing"),
        ('name = "ny-mini"', "name = 5", r"^name: it is 5\. Allowed: a text"),
        ('name = "ny-mini"', 'name = " "', r"^name: it is ' '\. Allowed: a text"),
        # Settings
        ("decks_min = {", "decks_least = {", r"^values\.decks_least: there is no such key"),
        (
            "# Opening and table\nopening_inspection_record",
            "# Opening and table\n# record",
            r"^values\.opening_insp.*missing",
        ),
        (
            "decks_min = { value = 6,",
            "decks_min = {",
            r"^values\.decks_min\.value: there is no value",
        ),
        ("decks_min = { value = 6", "decks_min = { value = 0", r"number from 1 to 16\. Remedy"),
        (
            "decks_min = { value = 6",
            "decks_min = { value = 6.0",
            r"6\.0 is not allowed by NY-a-4-i-decks",
        ),
        (
            "decks_min = { value = 6",
            "decks_min = { value = true",
            r"true is not allowed by NY-a-4-i-decks",
        ),
        (
            "decks_min = { value = 6",
            "decks_min = { number = 6",
            r"^values\.decks_min\.number: there",
        ),
        ('decks_max = { value = "none"', "decks_max = { value = 17", r'number.*, or "none"'),
        ("burn_value_of_ace = { value = 1", "burn_value_of_ace = { value = 0", r"Allowed: 1\. Rem"),
        ("burn_every_shoe = { value = true", "burn_every_shoe = { value = 1", r"Allowed: true\."),
        (
            'burn_mode = { value = "first_card_value"',
            'burn_mode = { value = "two"',
            r"^values\.burn_mode: 'two' is not allowed by NY-e-2",
        ),
        ('["dual_batch", "hand"]', "[]", r"Allowed: a list, each at most once, of .dual_batch"),
        ('["dual_batch", "hand"]', '["hand", "hand"]', r"each at most once"),
        ('["dual_batch", "hand"]', '["hand", "foot"]', r"each at most once"),
        ('["dual_batch", "hand"]', '"hand"', r"each at most once"),
        (
            '["dual_batch", "hand"]',
            '["hand"]',
            r"is not in shuffle_mode_allowed .*\. Allowed: hand",
        ),
        (
            'deal_option = { value = "face_up"',
            'deal_option = { value = "players_reveal"',
            r"^values\.deal_option: players_reveal is not in deal_option_allowed",
        ),
        (
            'discard_rack_single_batch = { value = "enforce", basis = ["NY-a-4-iv-e"] }',
            "discard_rack_single_batch = 1",
            r"^values\.discard_rack_single_batch: it is 1\. Allowed: a table",
        ),
        # Grounds
        ('["NY-a-4-i-decks"]', '["NY-a-4-i-deks"]', r"basis: there is no clause 'NY-a-4-i-deks'"),
        ('["NY-a-4-i-decks"]', "[[]]", r"basis: there is no clause \[\]"),
        ('["NY-a-4-i-decks"]', '"NY-a-4-i-decks"', r"Allowed: a list of clause ids"),
        ('["NY-a-4-i-decks"]', "[]", r"^values\.decks_min: it rests on nothing"),
        ('["NY-a-4-i-decks"]', '["S42-a-1-decks"]', r"is a clause of another rule.*borrowed"),
        (
            'basis = ["NY-a-4-i-decks"]',
            'basis = ["NY-a-4-i-decks"], borrowed = ["S42-a-1-decks"]',
            r"^values\.decks_min: it borrows or gives a reason but is not marked assumed",
        ),
        (
            'basis = ["NY-a-4-i-decks"]',
            'basis = ["NY-a-4-i-decks"], reason = "x"',
            r"not marked assumed",
        ),
        (
            'basis = ["NY-a-4-i-decks"]',
            "assumed = true",
            r"^values\.decks_min\.reason: it is assumed but does not say why",
        ),
        (
            'basis = ["NY-a-4-i-decks"]',
            'assumed = "yes", reason = "x"',
            r"^values\.decks_min\.assumed: it is 'yes'\. Allowed: true or false",
        ),
        (
            'basis = ["NY-a-4-i-decks"]',
            'basis = ["NY-a-4-i-decks"], house = 1',
            r"^values\.decks_min\.house: it is 1\. Allowed: true or false",
        ),
        (
            'basis = ["NY-a-4-i-decks"]',
            'house = true, assumed = true, reason = "x"',
            r"^values\.decks_min: it is the house's, so it is not assumed",
        ),
        (
            'basis = ["NY-a-4-i-decks"]',
            'house = true, reason = "x"',
            r"^values\.decks_min\.house: it is marked as the house's but the text names no base",
        ),
        # Citations
        ("dead_table =", "alive_table =", r"^citations\.alive_table: there is no such key"),
        (
            'burn_value = { basis = ["NY-e-3"] }',
            'burn_value = { assumed = true, reason = "x" }',
            r"^citations\.burn_value: it cites nothing",
        ),
        (
            'burn_value = { basis = ["NY-e-3"] }',
            'burn_value = { value = 1, basis = ["NY-e-3"] }',
            r"^citations\.burn_value\.value: there is no such key",
        ),
    ],
)
def test_a_faulty_profile_is_refused_with_path_and_remedy(old: str, new: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message) as caught:
        parse_profile(changed("ny-mini", old, new), CLAUSES)
    assert caught.value.path
    assert caught.value.allowed
    assert caught.value.remedy


def test_a_stored_text_of_an_earlier_version_has_no_words_of_calls() -> None:
    """Texts that a run of an earlier version stored can still be replayed."""
    lines = render_profile(parse_profile(text_of("s42-mini"), CLAUSES)).splitlines()
    earlier = "\n".join(line for line in lines if not line.startswith(tuple(LATER_SETTINGS)))
    profile = parse_profile(earlier, CLAUSES)
    assert profile.value("call_texts").value == ()
    assert profile.value("call_texts").assumed
    assert profile.rules == parse_profile(text_of("s42-mini"), CLAUSES).rules


def test_the_document_of_a_stored_profile_is_known_by_its_text_alone() -> None:
    assert document_of(text_of("ny-mini")) == "NY"
    assert document_of("name = 'x'") == ""
    assert document_of("no profile") == ""
