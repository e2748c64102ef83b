"""Every typed value of every profile equals the setting in its text."""

import typing
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from controller.rules.odds import Odds
from controller.rules.profiles.call_phrases import DEFAULT_WORDS
from controller.rules.profiles.profile import Profile, render_profile
from controller.rules.profiles.rule_points import RulePoint, banker_row_point
from controller.rules.profiles.rule_values import RuleValues, rule_values
from controller.rules.setting_values import (
    BankerPlacement,
    DealOption,
    RequiredCall,
    ThirdCardDealt,
)

PROFILES = (
    *("house-baccarat", "house-mini", "nj-baccarat", "nj-minibaccarat", "ny-ez", "ny-midi"),
    *("ny-mini", "s42-mini", "wa-mini"),
)
SETTING_OF = {
    "ez": "ez_dragon7",
    "ghost_hands_max": "ghost_hands",
    "tie_result": "tie_result_player_banker",
    "vig_deadline": "vig_deferred_deadline",
    "pay_pit_uniform": "pay_procedure_pit_uniform",
    "opening_inspection": "opening_inspection_record",
}
# Words for yes and for none in a profile.
YES = (True, "on", "required", "two_confirmations")
NOTHING = ("none", "not_applicable", "decks_per_shoe", "off")
BY_OPTION = {
    ("banker_placement", DealOption.FACE_UP): BankerPlacement.BANKER_AREA,
    ("banker_placement", DealOption.PLAYERS_REVEAL): BankerPlacement.UNDER_SHOE,
    ("banker_placement", DealOption.FACE_DOWN_DEALER): BankerPlacement.UNDER_SHOE,
    ("third_card_dealt", DealOption.FACE_UP): ThirdCardDealt.FACE_UP,
    ("third_card_dealt", DealOption.PLAYERS_REVEAL): ThirdCardDealt.FACE_DOWN,
    ("third_card_dealt", DealOption.FACE_DOWN_DEALER): ThirdCardDealt.FACE_UP,
}


# Without lines of a house.
BY_CALL = {
    "call_references": dict.fromkeys(RequiredCall, ""),
    "call_texts": {one: words.text for one, words in DEFAULT_WORDS.items()},
}


def as_typed(field: str, written: object, deal_option: DealOption) -> object:
    kind = typing.get_type_hints(RuleValues)[field]
    if written == "by_deal_option":
        return BY_OPTION[field, deal_option]
    if field in BY_CALL:
        assert written == (), "no shipped profile has words or references of a house"
        return BY_CALL[field]
    if kind is bool:
        return written in YES
    if field in ("ghost_hands_max", "decisions_alone_max"):
        return 0 if written == "off" else written
    if type(None) in typing.get_args(kind) and written in NOTHING:
        return None
    if Odds in (kind, *typing.get_args(kind)):
        return Odds.parse(str(written))
    return written


@pytest.mark.parametrize("name", PROFILES)
def test_every_value_is_read_from_its_setting(shipped: Callable[[str], Profile], name: str) -> None:
    profile = shipped(name)
    for field in RuleValues.__struct_fields__:
        written = profile.value(SETTING_OF.get(field, field)).value
        expected = as_typed(field, written, profile.rules.deal_option)
        assert getattr(profile.rules, field) == expected, field


@pytest.mark.parametrize(
    ("setting", "written", "field", "read"),
    [
        ("total_card_wagers", "on", "total_card_wagers", True),
        ("reshuffle_after_lace", True, "reshuffle_after_lace", True),
        ("reshuffle_after_lace", False, "reshuffle_after_lace", False),
        ("shuffler_secure_store", True, "shuffler_secure_store", True),
        ("shuffler_secure_store", False, "shuffler_secure_store", False),
        ("seat_may_bet_player_and_banker", False, "seat_may_bet_player_and_banker", False),
        ("bonus_requires_base", False, "bonus_requires_base", False),
        ("total_cards_require_base", True, "total_cards_require_base", True),
        ("total_cards_require_base", False, "total_cards_require_base", False),
        ("verbal_cash_wagers", "two_confirmations", "verbal_cash_wagers", True),
        ("verbal_cash_wagers", "refused", "verbal_cash_wagers", False),
        ("uncollected_vig_form", "required", "uncollected_vig_form", True),
        ("uncollected_vig_form", "not_applicable", "uncollected_vig_form", False),
        ("dragon_bonus", "on", "dragon_bonus", True),
        ("dragon_bonus_table", "B", "dragon_bonus_table", "B"),
        ("dragon_bonus_sides", ("banker", "player"), "dragon_bonus_sides", ("banker", "player")),
        ("ez_dragon7", "on", "ez", True),
        ("ghost_hands", 3, "ghost_hands_max", 3),
        ("decks_max", 9, "decks_max", 9),
        ("batch_min_decks_each", 7, "batch_min_decks_each", 7),
        ("none_six_odds", "1:2", "none_six_odds", Odds(1, 2)),
        ("odds_dragon7", "40:1", "odds_dragon7", Odds(40, 1)),
        ("odds_panda8", "25:1", "odds_panda8", Odds(25, 1)),
        ("odds_total_4", "3:2", "odds_total_4", Odds(3, 2)),
        ("odds_total_5", "2:1", "odds_total_5", Odds(2, 1)),
        ("odds_total_6", "2:1", "odds_total_6", Odds(2, 1)),
        ("third_card_dealt", "face_down", "third_card_dealt", ThirdCardDealt.FACE_DOWN),
        ("banker_placement", "under_shoe", "banker_placement", BankerPlacement.UNDER_SHOE),
        ("calls_control_reference", "C", "call_references", dict.fromkeys(RequiredCall, "C")),
        (
            "call_references",
            ("draws: IC 1: a", "tie_hand:IC 2"),
            "call_references",
            dict.fromkeys(RequiredCall, "") | {"draws": "IC 1: a", "tie_hand": "IC 2"},
        ),
    ],
)
def test_a_setting_is_read(
    shipped: Callable[[str], Profile], setting: str, written: object, field: str, read: object
) -> None:
    values = {value.name: value.value for value in shipped("ny-mini").values} | {setting: written}

    assert getattr(rule_values(values), field) == read  # type: ignore[arg-type]


@pytest.mark.parametrize("option", list(DealOption))
def test_values_that_depend_on_the_deal_option(
    shipped: Callable[[str], Profile], option: DealOption
) -> None:
    values = {value.name: value.value for value in shipped("ny-mini").values} | {
        "deal_option": option.value,
        "banker_placement": "by_deal_option",
        "third_card_dealt": "by_deal_option",
    }
    rules = rule_values(values)

    area = BankerPlacement.BANKER_AREA
    hidden = option is not DealOption.FACE_UP
    assert rules.banker_placement is (BankerPlacement.UNDER_SHOE if hidden else area)
    down = option is DealOption.PLAYERS_REVEAL
    assert rules.third_card_dealt is (ThirdCardDealt.FACE_DOWN if down else ThirdCardDealt.FACE_UP)


@pytest.mark.parametrize(
    ("count", "draws", "point"),
    [
        (0, True, RulePoint.BANKER_ROW_012),
        (1, True, RulePoint.BANKER_ROW_012),
        (2, True, RulePoint.BANKER_ROW_012),
        (3, True, RulePoint.BANKER_ROW_3_DRAWS),
        (4, True, RulePoint.BANKER_ROW_4_DRAWS),
        (5, True, RulePoint.BANKER_ROW_5_DRAWS),
        (6, True, RulePoint.BANKER_ROW_6_DRAWS),
        (3, False, RulePoint.BANKER_ROW_3_STANDS),
        (4, False, RulePoint.BANKER_ROW_4_STANDS),
        (5, False, RulePoint.BANKER_ROW_5_STANDS),
        (6, False, RulePoint.BANKER_ROW_6_STANDS),
        (7, False, RulePoint.BANKER_ROW_7),
    ],
)
def test_the_rule_point_of_a_table_row(count: int, draws: bool, point: RulePoint) -> None:
    assert banker_row_point(count, draws=draws) is point


# --- a profile as text --------------------------------------------------------------------------


def test_the_full_text_of_a_house_profile(house: Callable[[str, str], Profile]) -> None:
    changes = 'vig_rate = 4\nside_wager_approval = "J\u00fcrgen\'s \\"4\\""\ndecks_min = 7'
    lines = render_profile(house("s42-mini", changes)).splitlines()

    assert lines[:7] == [
        'name = "grand"',
        'base = "s42-mini"',
        'title = "Section 42 Mini-Baccarat, as grand"',
        *lines[3:5],
        "",
        "[values]",
    ]
    by_key = {line.partition(" = ")[0]: line for line in lines}
    assert by_key["vig_rate"] == (
        'vig_rate = { value = 4, house = true, basis = ["S42-c-3-rate"], '
        'reason = "the house\'s choice" }'
    )
    assert by_key["side_wager_approval"].startswith(
        'side_wager_approval = { value = "J\u00fcrgen\'s \\"4\\"", house = true, '
    )


def test_empty_grounds_are_not_written(shipped: Callable[[str], Profile]) -> None:
    profile = shipped("ny-mini")
    bare = replace(profile.value("decks_min"), basis=(), assumed=True, reason="as usual")
    text = render_profile(
        replace(
            profile,
            values=tuple(bare if one.name == "decks_min" else one for one in profile.values),
        )
    )

    assert 'decks_min = { value = 6, assumed = true, reason = "as usual" }' in text.splitlines()
    assert (
        'decks_max = { value = "none", assumed = true, reason = "no clause sets a maximum" }'
        in (text.splitlines())
    )
