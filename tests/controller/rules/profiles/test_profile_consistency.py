"""Settings that contradict each other, each allowed alone."""

from collections.abc import Callable

import pytest

from controller.rules.profiles.profile import Profile, ProfileError

Written = Callable[[str, str], Profile]

# base | changes, separated by " ; " | setting | start of the error
CONTRADICTIONS = """
ny-mini | vig_rate_allowed = [4] | vig_rate | 5 is not in vig_rate_allowed
ny-mini | decks_min = 9 | decks_per_shoe | 8 is outside decks_min and decks_max
nj-baccarat | decks_max = 7 | decks_per_shoe | 8 is outside decks_min and decks_max
ny-mini | batch_min_decks_each = 9 | decks_per_shoe | 8 decks are too few for a batch of two
s42-mini | shuffle_mode = "continuous" | shuffle_control_reference | shuffle_mode continuous needs
nj-baccarat | shuffle_mode = "continuous" | shuffle_control_reference | shuffle_mode continuous
wa-mini | shuffle_mode = "dual_batch" | shuffle_control_reference | shuffle_mode dual_batch needs
wa-mini | burn_fixed_count = 3 | burn_fixed_count | 3 does not go with burn_mode first_card_value
wa-mini | burn_mode = "fixed" | burn_fixed_count | 0 does not go with burn_mode fixed
house-mini | burn_mode = "none" | burn_control_reference | burn_mode none needs a reference
nj-baccarat | dragon_bonus = "on" | dragon_bonus_table | not_applicable does not go with dragon_b
nj-baccarat | dragon_bonus = "on" ; dragon_bonus_table = "A" | dragon_bonus_sides | nothing does not
s42-mini | total_card_wagers = "on" ; side_wager_approval = "D-1" | total_cards_require_base | not_a
house-mini | vig_collection = "deferred" ; vig_deferred_deadline = "not_applicable" | \
vig_deferred_deadline | not_applicable does not go with vig_collection deferred
nj-minibaccarat | vig_mode = "tie25" ; tie25_excludes_win_commission = "not_applicable" | \
tie25_excludes_win_commission | not_applicable does not go with vig_mode tie25
nj-baccarat | ez_dragon7 = "on" | vig_mode | commission does not go with ez_dragon7 on
house-mini | deal_option = "players_reveal" | deal_option | players_reveal does not go with players_
wa-mini | calls_required = ["draws", "final_counts_and_winner"] ; call_references = ["before: A"] \
| call_references | the call draws needs a reference
wa-mini | banker_placement = "under_shoe" | banker_placement | under_shoe does not go with
nj-baccarat | deal_option = "face_up" ; third_card_dealt = "face_down" | third_card_dealt | face_dow
nj-minibaccarat | third_card_dealt = "face_down" | third_card_dealt | face_down does not go with dea
house-mini | pay_procedure = "pay_only" | pay_procedure | pay_only does not go with vig_mode comm
nj-minibaccarat | vig_collection = "not_applicable" | vig_collection | not_applicable does not go
wa-mini | ghost_hands = 3 | ghost_hands_control_reference | ghost_hands 3 needs a reference to th
wa-mini | pay_procedure = "i" | pay_control_reference | pay_procedure i needs a reference to the
house-mini | vig_rounding = "not_applicable" | vig_rounding | not_applicable does not go with vig_mo
"""
CALLS = 'calls_required = ["before", "draws", "final_counts_and_winner"]'
REVEALS = """deal_option = "players_reveal"
players_may_handle_cards = "reveal_only"
reveal_seat_tie_break = "nearest_dealer_counter_clockwise"
"""


@pytest.mark.parametrize("row", CONTRADICTIONS.strip().replace("\\\n", "").splitlines())
def test_contradicting_settings(house: Written, row: str) -> None:
    base, changes, setting, expected = row.split(" | ")

    with pytest.raises(ProfileError) as refused:
        house(base, changes.replace(" ; ", "\n"))

    assert str(refused.value).startswith(f"values.{setting}: {expected}")


@pytest.mark.parametrize(
    ("base", "changes"),
    [
        ("s42-mini", 'shuffle_mode = "continuous"\nshuffle_control_reference = "IC 3"'),
        ("s42-mini", 'shuffle_mode = "hand"'),
        ("wa-mini", 'shuffle_mode = "hand"\nshuffle_control_reference = "IC 3"'),
        ("wa-mini", "decks_per_shoe = 2"),
        ("ny-mini", 'shuffle_mode = "hand"\nbatch_min_decks_each = 9'),
        ("ny-mini", 'dragon_bonus = "on"\ndragon_bonus_table = "C"'),
        ("ny-mini", 'vig_mode = "none_six"'),
        ("ny-mini", 'vig_mode = "tie25"'),
        ("ny-mini", 'vig_collection = "deferred"'),
        ("nj-minibaccarat", 'vig_mode = "none_total_cards"'),
        (
            "house-mini",
            REVEALS,
        ),
        ("wa-mini", f'{CALLS}\ncall_references = ["before: IC 1", "draws: IC 2"]'),
        ("wa-mini", f'{CALLS}\ncall_references = ["draws: A"]\ncalls_control_reference = "B"'),
    ],
)
def test_consistent_settings(house: Written, base: str, changes: str) -> None:
    assert house(base, changes).base == base
