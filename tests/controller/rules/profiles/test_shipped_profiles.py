"""The nine shipped profiles against the table they were made from.

tests/vectors/profiles.csv has each parameter of each profile with its value and its basis: clause
ids; `A` is assumed, `A:id` assumed after that clause, `-` nothing.
"""

import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.rules.odds import Odds
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.profile import Profile, ProfileValue
from controller.rules.profiles.setting_definitions import SHAPES, choices_setting
from controller.rules.profiles.setting_types import SettingValue
from controller.rules.setting_values import BankerPlacement, RequiredCall, VigorishMode

TABLE = Path(__file__).parents[3] / "vectors" / "profiles.csv"
NAMES = (
    *("house-baccarat", "house-mini", "nj-baccarat", "nj-minibaccarat", "ny-ez", "ny-midi"),
    *("ny-mini", "s42-mini", "wa-mini"),
)
Shipped = Callable[[str], Profile]

# Profile values for the words of the table: parameter | words | values of its settings, as JSON
# without brackets. A line that begins with a space continues the last one.
TOKENS = """
decks_min | 6 | 6
decks_min | 2 | 2
decks_max | none | "none"
decks_max | 8 | 8
decks_per_shoe | 8 | 8
cut_cards_per_shoe | 2 | 2
shuffle_mode | dual_batch, hand | "dual_batch", ["dual_batch", "hand"]
shuffle_mode | dual_batch, hand, continuous | "dual_batch", ["dual_batch", "hand", "continuous"]
batch_min_decks_each | 6 | 6
batch_min_decks_each | = decks_per_shoe | "decks_per_shoe"
batch_equal_and_distinct_backs | enforce | "enforce"
batch_alternation | enforce, persistent | "enforce_persistent"
discard_rack_single_batch | enforce | "enforce"
burn_mode | first_card_value | "first_card_value", ["first_card_value"]
burn_mode | first_card_value (none, fixed_n selectable) |
    "first_card_value", ["first_card_value", "fixed", "none"]
burn_total_removed | 1 + value | "one_plus_value"
burn_value_of_10_J_Q_K | 10 / 1 | 10, 1
burn_cards_disclosed | first only | "first_only"
burn_cards_disclosed | all | "all"
burn_every_shoe | yes | true
cut_min_cards_from_either_end | 10 | 10
cut_card_min_from_back | 14 | 14
rounds_after_cut_round | 1 | 1
cut_card_at_round_start | that round is the current hand | "current_coup"
deal_option | face_up (or face_down_dealer) | "face_up", ["face_up", "face_down_dealer"]
deal_option | players_reveal | "players_reveal", ["players_reveal"]
deal_option | face_up | "face_up", ["face_up"]
deal_option | face_up (or face_down_dealer, mixed) |
    "face_up", ["face_up", "face_down_dealer", "mixed"]
deal_option | face_up (i); ii and iii selectable |
    "face_up", ["face_up", "face_down_dealer", "players_reveal"]
players_may_handle_cards | no | "no"
players_may_handle_cards | yes, reveal only | "reveal_only"
players_may_handle_cards | yes, shoe passes | "shoe_passes"
players_may_handle_cards | only under option iii | "under_players_reveal"
third_card_dealt | face up | "face_up"
third_card_dealt | face down, revealed by player | "face_down"
third_card_dealt | face up (i, ii); face down (iii) | "by_deal_option"
reveal_seat_tie_break | n/a | "not_applicable"
reveal_seat_tie_break | nearest dealer counter-clockwise | "nearest_dealer_counter_clockwise"
reveal_seat_tie_break | nearest dealer counter-clockwise (iii only) |
    "nearest_dealer_counter_clockwise"
third_card_table | standard | "standard"
third_card_table | standard (banker 7 stands) | "standard"
banker_when_player_stands | draw 0-5, stand 6-9 | "draw_0_5_stand_6_9"
wagers_base | banker, player, tie | ["banker", "player", "tie"]
seat_may_bet_player_and_banker | yes | true
seat_may_bet_player_and_banker | no | false
odds_player | 1:1 (floor) | "1:1", "at_least 1:1"
odds_player | 1:1 | "1:1", "exactly 1:1"
odds_player | 1:1 (exact) | "1:1", "exactly 1:1"
odds_banker | 1:1 (floor) | "1:1", "at_least 1:1"
odds_banker | 1:1 | "1:1", "exactly 1:1"
odds_banker | 1:1 (exact) | "1:1", "exactly 1:1"
odds_tie | 8:1; >= 8:1 | "8:1", "at_least 8:1"
odds_tie | 8:1 exact | "8:1", "exactly 8:1"
tie_result_player_banker | push | "push"
tie_result_player_banker | void (returned) | "void"
vig_mode | commission, tie25, none_six | "commission", ["commission", "tie25", "none_six"]
vig_mode | ez_none | "ez_none", ["ez_none"]
vig_mode | commission, tie25, none_six, none_total_cards |
    "commission", ["commission", "tie25", "none_six", "none_total_cards"]
vig_mode | commission, none_six, none_total_cards |
    "commission", ["commission", "none_six", "none_total_cards"]
vig_mode | commission, none | "commission", ["commission", "none"]
vig_mode | commission | "commission", ["commission"]
vig_rate | 5%; {4,5} | 5, [5, 4]
vig_rate | 0 | 0, [0]
vig_rate | 5%; 0..5 | 5, [5, 4, 3, 2, 1, 0]
vig_rate | 5%; {5} | 5, [5]
vig_rounding | up_to_5c; exact | "up_to_5c", ["up_to_5c", "exact"]
vig_rounding | n/a | "not_applicable", ["not_applicable"]
vig_rounding | exact; down_to_5c (up refused: would pass 5%) | "exact", ["exact", "down_to_5c"]
vig_rounding | exact; up_to_5c | "exact", ["exact", "up_to_5c"]
vig_collection | immediate; deferred | "immediate", ["immediate", "deferred"]
vig_collection | n/a | "not_applicable", ["not_applicable"]
vig_collection | immediate only | "immediate", ["immediate"]
vig_deferred_deadline | before reshuffle; next shoe blocked | "before_reshuffle"
vig_deferred_deadline | n/a | "not_applicable"
vig_deferred_deadline | before reshuffle | "before_reshuffle"
vig_deferred_deadline | end of shoe or patron leaves; or form | "shoe_end_or_patron_leaves"
tie25_excludes_win_commission | yes | true
tie25_excludes_win_commission | n/a | "not_applicable"
none_six_odds | banker 6 pays 1:2 (floor) | "1:2", "at_least 1:2"
none_six_odds | n/a | "not_applicable", "not_applicable"
none_six_odds | banker 6 pays 1:2 (exact) | "1:2", "exactly 1:2"
ez_dragon7 | off | "off", "not_applicable", "not_applicable", "not_applicable", "not_applicable"
ez_dragon7 | banker push; D7 40:1 floor; P8 25:1 exact |
    "on", "40:1", "at_least 40:1", "25:1", "exactly 25:1"
dragon_bonus | off; A (A, B or C); player (banker selectable) |
    "off", ["off", "on"], "A", ["A", "B", "C"], ["player"], ["player", "banker"]
dragon_bonus | off | "off", ["off"], "not_applicable", [], [], []
dragon_bonus | off; needs approval |
    "off", ["off", "on"], "A", ["A", "B", "C"], ["player"], ["player", "banker"]
total_card_wagers | off | "off", "not_applicable", "not_applicable", "not_applicable"
total_card_wagers | on: 4 3:2, 5 2:1, 6 2:1 | "on", "3:2", "2:1", "2:1"
total_card_wagers | off; needs approval | "off", "3:2", "2:1", "2:1"
total_cards_require_base | n/a | "not_applicable"
total_cards_require_base | true (false selectable) | true
wager_lock | no more bets | "no_more_bets"
wager_lock | before first card / all-bets-set call | "first_card"
calls_required | no more bets, P then B counts, final + winner, tie hand |
    ["no_more_bets", "counts_player_then_banker", "final_counts_and_winner", "tie_hand"]
calls_required | no more bets, P then B counts, final + winner, tie hand, dragon 7 / panda 8 |
    ["no_more_bets", "counts_player_then_banker", "final_counts_and_winner", "tie_hand",
    "dragon7_panda8"]
calls_required | final + winner, Tie Hand, total cards (+ no more bets, last hand assumed) |
    ["no_more_bets", "final_counts_and_winner", "tie_hand", "total_cards", "last_hand"]
calls_required | as configured; winner always | ["final_counts_and_winner"]
calls_required | no more bets, counts | ["no_more_bets", "counts_player_then_banker"]
calls_required | No More Bets, P then B counts, final + winner, Tie Hand, last hand |
    ["no_more_bets", "counts_player_then_banker", "final_counts_and_winner", "tie_hand",
    "last_hand"]
pay_procedure | iii; i, ii, iii, iv | "iii", ["iii", "i", "ii", "iv"]
pay_procedure | pay only, descending seats | "pay_only", ["pay_only"]
pay_procedure | per-player reconciliation, iii | "reconciliation", ["reconciliation", "iii"]
pay_procedure | iii; configured | "iii", ["iii", "i", "ii", "iv"]
pay_procedure_pit_uniform | enforce; baccarat table in pit prevails | "enforce"
pay_procedure_pit_uniform | off | "off"
pay_procedure_pit_uniform | enforce; 30 min notice | "enforce_30_minutes_notice"
irregularity_rules | s42_k (NY text not supplied) | "s42_k"
irregularity_rules | s42_k | "s42_k"
irregularity_rules | supervisor_decides, s42_k proposed | "floorperson_decides"
insufficient_cards | round void, stakes returned, reshuffle | "round_void_reshuffle"
ghost_hands | off | "off"
ghost_hands | off; max set by house | "off"
verbal_cash_wagers | refused | "refused"
verbal_cash_wagers | allowed with two confirmations | "two_confirmations"
uncollected_vig_form | n/a | "not_applicable"
uncollected_vig_form | required if deferred vigorish stays uncollected | "required"
opening_inspection_record | dealer + supervisor, or pre-shuffle receipt |
    "dealer_and_floorperson_or_preshuffle_receipt"
opening_inspection_record | dealer + supervisor | "dealer_and_floorperson"
opening_inspection_record | dealer + floorperson, per batch | "dealer_and_floorperson_per_batch"
seat_direction | ascending counter-clockwise seen from above, seat 1 at the dealer's right |
    "counter_clockwise"
bonus_requires_base | true | true
"""
# Parameters for other settings than NAME and NAME_allowed.
SPREAD = {
    "burn_value_of_10_J_Q_K": ("burn_value_of_10_J_Q_K", "burn_value_of_ace"),
    "ez_dragon7": (
        *("ez_dragon7", "odds_dragon7", "odds_dragon7_allowed"),
        *("odds_panda8", "odds_panda8_allowed"),
    ),
    "dragon_bonus": (
        *("dragon_bonus", "dragon_bonus_allowed", "dragon_bonus_table"),
        *("dragon_bonus_table_allowed", "dragon_bonus_sides", "dragon_bonus_sides_allowed"),
    ),
    "total_card_wagers": ("total_card_wagers", "odds_total_4", "odds_total_5", "odds_total_6"),
}
# Settings that the table does not have: references, and what the clauses leave to the house.
BESIDE_THE_TABLE = (
    *("shuffle_control_reference", "shuffle_finish", "shuffle_finish_allowed"),
    *("reshuffle_after_lace", "shuffler_secure_store", "burn_fixed_count"),
    *("burn_control_reference", "banker_placement", "banker_placement_allowed"),
    *("side_wager_approval", "calls_control_reference", "total_card_wagers_allowed"),
    *("call_references", "call_texts", "pay_control_reference", "ghost_hands_control_reference"),
    *("dealer_decides_own_irregularity", "decisions_alone_max", "advisories_suspend"),
    *("feed_direction", "coupon_reference"),
)


def key_of(parameter: str) -> str:
    return parameter.partition(" ")[0].partition("/")[0]


def settings_of(key: str) -> tuple[str, ...]:
    if key in SPREAD:
        return SPREAD[key]
    return (key, choices_setting(key)) if choices_setting(key) else (key,)


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Parameter, profile, value as words, basis."""
    for row in csv.DictReader(TABLE.read_text("utf-8").splitlines()):
        yield key_of(row["parameter"]), row["profile"], row["value"], row["basis"]


def tokens() -> dict[tuple[str, str], list[SettingValue]]:
    lines = re.sub(r"\n +", " ", TOKENS.strip()).splitlines()
    return {
        (key, words): [_frozen(one) for one in json.loads(f"[{values}]")]
        for key, words, values in (line.split(" | ") for line in lines)
    }


def _frozen(value: SettingValue | list[str]) -> SettingValue:
    return tuple(value) if isinstance(value, list) else value


ROWS = tuple(rows())
EXPECTED = tokens()


def rows_of(name: str) -> list[tuple[str, str, str, str]]:
    """The rows of one profile."""
    found = [row for row in ROWS if row[1] == name]
    assert found
    return found


def grounds(basis: str) -> tuple[set[str], set[str], bool]:
    """Own clauses, borrowed ones, and whether anything is assumed."""
    words = basis.split()
    own = {word for word in words if not word.startswith("A:") and word != "A"}
    borrowed = {word.removeprefix("A:") for word in words if word.startswith("A:")}
    return own, borrowed, len(own) < len(words)


def test_the_table_is_complete() -> None:
    keys = list(dict.fromkeys(key for key, *_ in ROWS))
    assert sorted((key, name) for key, name, *_ in ROWS) == sorted(
        (key, name) for key in keys for name in NAMES
    )
    covered = {name for key in keys for name in settings_of(key)}
    assert covered | set(BESIDE_THE_TABLE) == set(SHAPES)


@pytest.mark.parametrize("name", NAMES)
def test_values_match_the_table(shipped: Shipped, name: str) -> None:
    profile = shipped(name)
    for key, _, words, _ in rows_of(name):
        values = [profile.value(one).value for one in settings_of(key)]
        assert values == EXPECTED[key, words], key


@pytest.mark.parametrize("name", NAMES)
def test_grounds_match_the_table(shipped: Shipped, name: str) -> None:
    profile = shipped(name)
    for key, _, _, basis in rows_of(name):
        if basis == "-":
            continue
        own, borrowed, assumed = grounds(basis)
        values = [profile.value(one) for one in settings_of(key)]

        assert own <= {clause for value in values for clause in value.basis}, key
        assert set(values[0].basis) <= own, key
        assert borrowed <= {clause for value in values for clause in value.borrowed}, key
        # A number of ghost hands is the house's to set: until then "off" is only assumed.
        assert values[0].assumed is (assumed or (key, name) == ("ghost_hands", "wa-mini")), key


# A rule permits only the wagers it lists; where no rule lists wagers, that is assumed.
LISTS = {
    "ny-mini": "NY-b-1-list",
    "ny-midi": "NY-b-1-list",
    "ny-ez": "NY-b-1-list",
    "wa-mini": "WA-ov-1",
    "house-baccarat": "HG-bac-three",
    "house-mini": "HG-mini-three",
    "s42-mini": "S42-b-2",
}


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (key, name)
        for key, name, _, basis in ROWS
        if basis == "-" and key in ("ez_dragon7", "dragon_bonus", "total_card_wagers")
    ],
)
def test_a_wager_that_is_off_cites_the_list_of_wagers(
    shipped: Shipped, key: str, name: str
) -> None:
    value = shipped(name).value(key)
    assert value.basis == ((LISTS[name],) if name in LISTS else ())
    assert value.assumed is (name not in LISTS)


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_has_own_clauses_or_a_reason(
    shipped: Shipped, clauses: dict[str, Clause], name: str
) -> None:
    profile = shipped(name)

    def sound(value: ProfileValue) -> bool:
        own = all(clauses[clause].rule == profile.own_clauses for clause in value.basis)
        return own and (bool(value.reason) if value.assumed else bool(value.basis))

    assert [value.name for value in profile.values] == list(SHAPES)
    assert [value.name for value in profile.values if not sound(value)] == []


@pytest.mark.parametrize("name", NAMES)
def test_each_profile_has_its_expected_title(shipped: Shipped, name: str) -> None:
    assert (shipped(name).name, shipped(name).base) == (name, "")


def test_assumptions_of_section_42_are_marked(shipped: Shipped) -> None:
    profile = shipped("s42-mini")
    assert profile.assumed == (
        *("decks_max", "decks_per_shoe", "reshuffle_after_lace", "shuffler_secure_store"),
        *("burn_fixed_count", "burn_control_reference", "seat_may_bet_player_and_banker"),
        "coupon_reference",
        *("dragon_bonus_table", "dragon_bonus_table_allowed", "dragon_bonus_sides"),
        *("dragon_bonus_sides_allowed", "total_cards_require_base", "bonus_requires_base"),
        *("ghost_hands", "ghost_hands_control_reference"),
        *("odds_total_4", "odds_total_5", "odds_total_6"),
        *("calls_control_reference", "call_references", "call_texts", "pay_control_reference"),
        *("dealer_decides_own_irregularity", "decisions_alone_max", "advisories_suspend"),
        *("seat_direction", "feed_direction"),
    )
    assert not any(citation.grounds.assumed for citation in profile.citations)


# --- typed values -------------------------------------------------------------------------------


def test_odds_are_read_as_odds(shipped: Shipped) -> None:
    rules = shipped("ny-ez").rules
    assert (rules.odds_tie, rules.odds_dragon7, rules.odds_panda8) == (
        Odds(8, 1),
        Odds(40, 1),
        Odds(25, 1),
    )
    assert rules.none_six_odds is None


def test_absent_values_are_none(shipped: Shipped) -> None:
    rules = shipped("wa-mini").rules
    assert (rules.ez, rules.dragon_bonus, rules.total_card_wagers) == (False, False, False)
    assert (rules.dragon_bonus_table, rules.dragon_bonus_sides) == (None, ())
    assert (rules.ghost_hands_max, rules.batch_min_decks_each) == (0, None)
    assert (rules.decks_max, shipped("s42-mini").rules.decks_max) == (8, None)


def test_ez_has_no_vigorish(shipped: Shipped) -> None:
    rules = shipped("ny-ez").rules
    assert (rules.ez, rules.vig_mode, rules.vig_rate) == (True, VigorishMode.EZ_NONE, 0)


def test_section_42_has_verbal_wagers_and_a_vigorish_form(shipped: Shipped) -> None:
    rules = shipped("s42-mini").rules
    assert (rules.verbal_cash_wagers, rules.uncollected_vig_form) == (True, True)
    assert rules.calls_required[-1] is RequiredCall.LAST_HAND


def test_new_jersey_pays_total_card_wagers(shipped: Shipped) -> None:
    rules = shipped("nj-baccarat").rules
    assert (rules.odds_total_4, rules.odds_total_6) == (Odds(3, 2), Odds(2, 1))
    assert rules.total_cards_require_base


def test_the_deal_option_determines_the_banker_placement(shipped: Shipped) -> None:
    assert shipped("ny-mini").rules.banker_placement is BankerPlacement.BANKER_AREA
    assert shipped("nj-baccarat").rules.banker_placement is BankerPlacement.UNDER_SHOE
