"""House profiles: permitted changes, and their effect."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from controller.rules.odds import Odds
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.house_profile import (
    DEFAULT_REASON,
    Change,
    House,
    apply_house,
    parse_house,
)
from controller.rules.profiles.profile import Profile, ProfileError, parse_profile, render_profile
from controller.rules.setting_values import (
    BurnMode,
    DealOption,
    FeedDirection,
    RequiredCall,
    ThirdCardDealt,
)

Written = Callable[[str, str], Profile]
NAMES = ("ny-mini", "s42-mini")


# --- parsing ------------------------------------------------------------------------------------


def test_a_house_profile_is_parsed() -> None:
    text = """
    name = "grand"
    base = "ny-mini"
    title = "The Grand"
    source = "internal controls 2026"
    vig_rate = 4
    [values]
    decks_per_shoe = { value = 6, reason = "small shoes" }
    """
    read = parse_house(text, NAMES)

    assert (read.name, read.base) == ("grand", "ny-mini")
    assert (read.title, read.source) == ("The Grand", "internal controls 2026")
    assert [(one.name, one.value, one.reason) for one in read.changes] == [
        ("decks_per_shoe", 6, "small shoes"),
        ("vig_rate", 4, DEFAULT_REASON),
    ]


def test_the_default_reason_of_a_change() -> None:
    (change,) = parse_house(
        'name = "grand"\nbase = "ny-mini"\nvig_rate = {value = 4}', NAMES
    ).changes

    assert change == Change("vig_rate", 4, DEFAULT_REASON)


def test_a_limit_of_odds_may_be_narrowed(house: Written) -> None:
    changed = house("ny-mini", 'odds_tie_allowed = "at_least 9:1"\nodds_tie = "9:1"')

    assert changed.value("odds_tie_allowed").value == "at_least 9:1"


def test_a_house_may_have_no_changes() -> None:
    read = parse_house('name = "grand"\nbase = "ny-mini"', NAMES)
    assert read == House("grand", "ny-mini", "", "", ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('base = "ny-mini"', r"^name: it is missing\. .*write name = "),
        ('name = "grand"', r"^base: it is missing\. .*write base = "),
        (
            'name = "grand"\nbase = "macau"',
            r"^base: 'macau' is not a profile\. Allowed: ny-mini, s42",
        ),
        ('name = "s42-mini"\nbase = "ny-mini"', r"^name: 's42-mini' is a shipped profile"),
        ('name = 5\nbase = "ny-mini"', r"^name: it is 5\. Allowed: a text"),
        ('name = "two\\nlines"\nbase = "ny-mini"', r"^name: it is .*one printable line"),
        ('name = "grand"\nbase = "ny-mini"\ntitle = ""', r"^title: it is ''"),
        ("name = \nbase = 1", r"^the whole text: .*line 1, column 8"),
        ("x = " + "[" * 100_000, r"^the whole text: brackets nested too deep"),
        ('name = "grand"\nbase = "ny-mini"\nvalues = 4', r"^values: it is 4\. Allowed: a table"),
    ],
)
def test_an_invalid_house_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        parse_house(text, NAMES)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ("vig_rat = 4", r"^values\.vig_rat: there is no such setting\. Allowed: vig_rate,"),
        ("colour = 4", r"^values\.colour: there is no such .*the settings `smartshoe rules show`"),
        ("own_clauses = 4", r"^values\.own_clauses: there is no such setting"),
        ("vig_rate = 4\n[values]\nvig_rate = 5", r"^values\.vig_rate: it is repeated"),
        ("vig_rate = { reason = 'x' }", r"^values\.vig_rate\.value: there is no value"),
        ("vig_rate = { value = 4, why = 'x' }", r"^values\.vig_rate\.why: there is no such key"),
        ("vig_rate = { value = 4, reason = '' }", r"^values\.vig_rate\.reason: it is ''"),
        ("decks_per_shoe = 'six'", r"^values\.decks_per_shoe: 'six' is not a value for it\. Al"),
    ],
)
def test_an_invalid_change_is_refused(house: Written, changes: str, message: str) -> None:
    with pytest.raises(ProfileError, match=message) as refused:
        house("ny-mini", changes)
    assert refused.value.clauses == ()


# --- the resulting profile ----------------------------------------------------------------------


def test_a_changed_value_keeps_the_clauses_that_allow_it(house: Written) -> None:
    profile = house("ny-mini", 'vig_rate = { value = 4, reason = "weekdays" }')
    value = profile.value("vig_rate")

    assert profile.rules.vig_rate == 4
    assert (value.basis, value.assumed, value.borrowed) == (("NY-c-3-rate",), False, ())
    assert (value.house, value.reason) == (True, "weekdays")
    assert profile.house == ("vig_rate",)


def test_a_house_value_is_no_longer_assumed(house: Written, shipped: Written) -> None:
    profile = house("ny-mini", "cut_card_min_from_back = 12")

    assert "cut_card_min_from_back" in shipped("ny-mini").assumed
    assert "cut_card_min_from_back" not in profile.assumed
    assert profile.value("cut_card_min_from_back").borrowed == ()
    assert profile.rules.cut_card_min_from_back == 12


def test_a_house_may_confirm_an_assumed_value(house: Written) -> None:
    assert house("ny-mini", "decks_per_shoe = 8").house == ("decks_per_shoe",)


def test_unchanged_values_are_those_of_the_base(
    house: Written, shipped: Callable[[str], Profile]
) -> None:
    profile, base = house("ny-mini", "vig_rate = 4"), shipped("ny-mini")

    assert (profile.name, profile.base, profile.own_clauses) == ("grand", "ny-mini", "NY")
    assert (profile.title, profile.source) == ("New York mini baccarat, as grand", base.source)
    assert profile.citations == base.citations
    assert [one for one in profile.values if one.name != "vig_rate"] == [
        one for one in base.values if one.name != "vig_rate"
    ]


def test_a_shipped_profile_has_no_house_values(
    shipped: Callable[[str], Profile],
) -> None:
    assert (shipped("s42-mini").base, shipped("s42-mini").house) == ("", ())


# --- permitted changes --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "changes", "house_values"),
    [
        # A bound of a clause, made stricter
        ("ny-mini", "decks_min = 7", ("decks_min",)),
        ("wa-mini", "decks_max = 8\ndecks_min = 8", ("decks_min", "decks_max")),
        ("wa-mini", "decks_max = 6\ndecks_per_shoe = 6", ("decks_max", "decks_per_shoe")),
        ("s42-mini", "cut_card_min_from_back = 20", ("cut_card_min_from_back",)),
        ("s42-mini", "cut_min_cards_from_either_end = 15", ("cut_min_cards_from_either_end",)),
        ("ny-mini", "batch_min_decks_each = 8", ("batch_min_decks_each",)),
        # A choice offered by a clause
        ("s42-mini", 'deal_option = "players_reveal"', ("deal_option",)),
        ("ny-mini", 'odds_tie = "9:1"', ("odds_tie",)),
        ("ny-ez", 'odds_dragon7 = "45:1"', ("odds_dragon7",)),
        ("ny-mini", 'dragon_bonus = "on"', ("dragon_bonus",)),
        (
            "wa-mini",
            'banker_placement = "under_shoe"\ndeal_option = "mixed"',
            ("deal_option", "banker_placement"),
        ),
        # Words and references of calls
        ("s42-mini", 'call_texts = ["tie_hand: égalité"]', ("call_texts",)),
        ("wa-mini", 'call_references = ["draws: IC 9"]', ("call_references",)),
        ("nj-baccarat", 'total_card_wagers = "off"', ("total_card_wagers",)),
        # Fewer choices
        ("ny-mini", "vig_rate_allowed = [5]", ("vig_rate_allowed",)),
        ("ny-mini", 'odds_tie_allowed = "exactly 8:1"', ("odds_tie_allowed",)),
        ("ny-mini", 'odds_tie_allowed = "at_least 8:1"', ("odds_tie_allowed",)),
        # Assumed values
        ("nj-baccarat", "vig_rate_allowed = [5, 4, 3]", ("vig_rate_allowed",)),
        ("house-mini", 'irregularity_rules = "s42_k"', ("irregularity_rules",)),
        ("s42-mini", "reshuffle_after_lace = true", ("reshuffle_after_lace",)),
        (
            "wa-mini",
            'ghost_hands = 3\nghost_hands_control_reference = "IC 5"',
            ("ghost_hands", "ghost_hands_control_reference"),
        ),
        (
            "wa-mini",
            'pay_procedure = "i"\npay_control_reference = "IC 6"',
            ("pay_procedure", "pay_control_reference"),
        ),
        ("house-mini", "ghost_hands = 3", ("ghost_hands",)),
        ("nj-baccarat", "total_cards_require_base = false", ("total_cards_require_base",)),
        ("ny-mini", 'decks_max = 8\nseat_direction = "clockwise"', ("decks_max", "seat_direction")),
        # References, which always belong to the house
        ("ny-mini", 'calls_control_reference = "IC 9"', ("calls_control_reference",)),
        # Assumed lists are widened
        ("nj-baccarat", "vig_rate = 3", ("vig_rate", "vig_rate_allowed")),
        ("nj-baccarat", 'odds_tie = "7:1"', ("odds_tie", "odds_tie_allowed")),
        ("house-mini", 'vig_rounding = "down_to_5c"', ("vig_rounding", "vig_rounding_allowed")),
    ],
)
def test_permitted_changes_of_a_house(
    house: Written, base: str, changes: str, house_values: tuple[str, ...]
) -> None:
    assert house(base, changes).house == house_values


@pytest.mark.parametrize(
    ("base", "changes", "name", "grown"),
    [
        ("nj-baccarat", "vig_rate = 3", "vig_rate_allowed", (5, 4, 3)),
        ("nj-baccarat", 'odds_tie = "7:1"', "odds_tie_allowed", "at_least 7:1"),
        ("nj-baccarat", 'odds_player = "2:1"', "odds_player_allowed", "exactly 2:1"),
        ("nj-baccarat", 'odds_panda8 = "25:1"', "odds_panda8_allowed", "exactly 25:1"),
        (
            "nj-baccarat",
            'dragon_bonus = "on"\ndragon_bonus_table = "B"\ndragon_bonus_sides = ["banker"]',
            "dragon_bonus_sides_allowed",
            ("banker",),
        ),
        (
            "house-mini",
            'burn_mode = "none"\nburn_control_reference = "IC 4"',
            "burn_mode_allowed",
            ("first_card_value", "none"),
        ),
    ],
)
def test_an_assumed_list_is_widened_by_the_houses_value(
    house: Written, base: str, changes: str, name: str, grown: object
) -> None:
    value = house(base, changes).value(name)
    assert (value.value, value.house) == (grown, True)


def test_a_house_may_remove_odds_that_it_added(house: Written, clauses: dict[str, Clause]) -> None:
    before = house("nj-baccarat", 'odds_panda8 = "25:1"')
    opened = replace(
        before,
        values=tuple(replace(one, assumed=one.house or one.assumed) for one in before.values),
    )
    again = House("grand", "grand", "", "", (Change("odds_panda8", "not_applicable", "no more"),))

    profile = apply_house(again, opened)

    assert profile.rules.odds_panda8 is None
    assert profile.value("odds_panda8_allowed").value == "not_applicable"


@pytest.mark.parametrize(
    ("base", "changes", "message"),
    [
        (
            "s42-mini",
            'batch_min_decks_each = "decks_per_shoe"',
            r"by S42-a-4-sets, .* Allowed: 6\.",
        ),
        ("s42-mini", "cut_card_min_from_back = 13", r"by S42-e-6-first\. Allowed: 14 or more\."),
        ("wa-mini", "decks_max = 9", r"by WA-mb-decks\. Allowed: 8 or less\."),
        ("wa-mini", 'decks_max = "none"', r"by WA-mb-decks\. Allowed: 8\."),
        ("ny-mini", 'none_six_odds_allowed = "not_applicable"', r"Allowed: at_least 1:2\."),
        ("ny-mini", 'odds_tie_allowed = "at_least 7:1"', r"by NY-c-2\. Allowed: at_least 8:1\."),
        ("ny-ez", 'odds_panda8_allowed = "at_least 25:1"', r"NY-c-9\. Allowed: exactly 25:1\."),
        ("ny-mini", "vig_rate_allowed = [5, 3]", r"by NY-c-3-rate\. Allowed: 5, 4\."),
        ("ny-mini", "dragon_bonus_table_allowed = []", r"by NY-c-7-choose\. Allowed: A, B, C\."),
    ],
)
def test_a_bound_may_only_become_stricter(
    house: Written, base: str, changes: str, message: str
) -> None:
    with pytest.raises(ProfileError, match=message):
        house(base, changes)


def test_calls_may_be_added(house: Written) -> None:
    calls = ["no_more_bets", "counts_player_then_banker", "final_counts_and_winner", "tie_hand"]
    profile = house("ny-mini", f"calls_required = {[*calls, 'last_hand']}")
    assert profile.rules.calls_required[-1] is RequiredCall.LAST_HAND


def test_an_assumed_call_may_be_dropped(house: Written) -> None:
    calls = '["final_counts_and_winner", "tie_hand", "total_cards"]'
    profile = house("nj-baccarat", f"calls_required = {calls}")
    assert profile.rules.calls_required == (
        RequiredCall.FINAL_AND_WINNER,
        RequiredCall.TIE_HAND,
        RequiredCall.TOTAL_CARDS,
    )


def test_an_approval_permits_side_wagers(house: Written) -> None:
    text = 'side_wager_approval = "D-17"\ntotal_card_wagers = "on"\ntotal_cards_require_base = true'
    rules = house("s42-mini", text).rules
    assert rules.total_card_wagers
    assert (rules.odds_total_4, rules.odds_total_5) == (Odds(3, 2), Odds(2, 1))


def test_a_burn_of_a_fixed_number(house: Written) -> None:
    text = 'burn_mode = "fixed"\nburn_fixed_count = 4\nburn_control_reference = "IC 4.2"'
    rules = house("wa-mini", text).rules
    assert (rules.burn_mode, rules.burn_fixed_count) == (BurnMode.FIXED, 4)


def test_a_house_makes_its_feed_one_way(house: Written) -> None:
    changed = house("ny-mini", 'feed_direction = "one_way"')
    assert changed.rules.feed_direction is FeedDirection.ONE_WAY


def test_no_house_answers_requests_where_its_base_is_one_way(house: Written) -> None:
    """The value is assumed, and stricter all the same."""
    with pytest.raises(ProfileError, match="feed_direction"):
        house("wa-mini", 'feed_direction = "two_way"')


def test_washington_permits_mixed_dealing(house: Written) -> None:
    assert house("wa-mini", 'deal_option = "mixed"').rules.deal_option is DealOption.MIXED


# --- settings that decide one thing --------------------------------------------------------------


def test_how_third_cards_are_dealt_follows_the_deal_option(house: Written) -> None:
    """Where no clause says it: the amendments do not."""
    assert house("nj-baccarat", "").rules.third_card_dealt is ThirdCardDealt.FACE_DOWN
    changed = house("nj-baccarat", 'deal_option = "face_up"')
    assert changed.rules.third_card_dealt is ThirdCardDealt.FACE_UP
    assert changed.value("third_card_dealt").house


def test_a_house_sets_how_third_cards_are_dealt_by_itself(house: Written) -> None:
    own = 'deal_option = "face_down_dealer"\nthird_card_dealt = "face_down"'
    assert house("nj-baccarat", own).rules.third_card_dealt is ThirdCardDealt.FACE_DOWN


def test_third_cards_that_a_clause_deals_face_up_stay_so(house: Written) -> None:
    """HG-bac-third: the four cards lie face down, the third ones face up."""
    assert house("house-baccarat", "").rules.deal_option is DealOption.PLAYERS_REVEAL
    assert house("house-baccarat", "").rules.third_card_dealt is ThirdCardDealt.FACE_UP


def test_what_an_earlier_version_let_a_house_set_is_read_from_its_records(
    house: Written, clauses: dict[str, Clause]
) -> None:
    own = 'deal_option = "face_up"\nthird_card_dealt = "by_deal_option"'
    stored = render_profile(house("nj-baccarat", own)).replace(
        'third_card_dealt = { value = "by_deal_option"', 'third_card_dealt = { value = "face_down"'
    )
    assert parse_profile(stored, clauses).rules.third_card_dealt is ThirdCardDealt.FACE_DOWN


# --- complete text ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "changes"),
    [
        ("ny-mini", ""),
        ("ny-mini", "vig_rate = 4"),
        ("nj-baccarat", 'odds_tie = { value = "7:1", reason = "a \\"quote\\" \\\\ in Jürgen" }'),
        ("s42-mini", 'title = "The Grand, Élysée"\ndeal_option = "players_reveal"'),
        ("house-baccarat", "bonus_requires_base = false"),
    ],
)
def test_the_complete_text_is_read_back_without_its_base(
    house: Written, clauses: dict[str, Clause], base: str, changes: str
) -> None:
    profile = house(base, changes)
    assert parse_profile(render_profile(profile), clauses) == profile


@pytest.mark.parametrize(
    "name",
    [
        *("house-baccarat", "house-mini", "nj-baccarat", "nj-minibaccarat", "ny-ez", "ny-midi"),
        *("ny-mini", "s42-mini", "wa-mini"),
    ],
)
def test_the_complete_text_of_a_shipped_profile_is_read_back(
    shipped: Callable[[str], Profile], clauses: dict[str, Clause], name: str
) -> None:
    assert parse_profile(render_profile(shipped(name)), clauses) == shipped(name)


def test_a_list_of_rates_is_refused_without_a_uniformity_clause(
    shipped: Callable[[str], Profile],
) -> None:
    base = replace(shipped("ny-mini"), citations=())

    with pytest.raises(ProfileError) as refused:
        apply_house(House("grand", "ny-mini", "", "", (Change("vig_rate", [4, 5], "both"),)), base)

    assert refused.value.clauses == ("NY-c-3-rate",)
