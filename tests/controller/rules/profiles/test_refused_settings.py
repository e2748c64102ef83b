"""Settings that a house may and may not choose: each clause refuses one, by its id.

Each row is one clause, a profile with it, and a house's change of that profile.
"""

import tomllib
from collections.abc import Callable

import pytest

from controller.rules.profiles.profile import Profile, ProfileError

# clause | base | changes, separated by " ; "
REFUSED = """
NY-a-2-iv | ny-mini | wagers_base = ["banker", "player"]
NY-a-2-vii-a | ny-ez | vig_mode = "commission"
NY-a-4-i-decks | ny-mini | decks_per_shoe = 5
NY-a-4-i-decks | ny-midi | decks_min = 4
NY-a-4-i-cover | ny-mini | cut_cards_per_shoe = 1
NY-a-4-iv-sets | ny-mini | batch_min_decks_each = 5
NY-a-4-iv-sets | ny-mini | shuffle_mode = "continuous"
NY-a-4-iv-sets | ny-mini | batch_min_decks_each = 8 ; decks_per_shoe = 7
NY-a-4-iv-a | ny-mini | batch_equal_and_distinct_backs = "off"
NY-a-4-iv-b-same | ny-mini | batch_equal_and_distinct_backs = "off"
NY-a-4-iv-b-diff | ny-mini | batch_equal_and_distinct_backs = "off"
NY-a-4-iv-d-alternate | ny-mini | batch_alternation = "off"
NY-a-4-iv-d-every | ny-mini | batch_alternation = "off"
NY-a-4-iv-e | ny-mini | discard_rack_single_batch = "off"
NY-b-1-list | ny-mini | total_card_wagers = "on"
NY-b-1-list | ny-mini | ez_dragon7 = "on"
NY-b-1-list | ny-midi | wagers_base = ["tie"]
NY-b-1-iv-offer | ny-mini | dragon_bonus = "on" ; dragon_bonus_sides = []
NY-b-1-iv-dragon | ny-mini | dragon_bonus_sides = ["dealer"]
NY-b-2 | ny-mini | verbal_cash_wagers = "two_confirmations"
NY-b-3 | ny-mini | wager_lock = "first_card"
NY-b-4 | ny-mini | wager_lock = "first_card"
NY-b-1-i-c-ez | ny-ez | ez_dragon7 = "off"
NY-b-1-i-c-push | ny-mini | tie_result_player_banker = "void"
NY-b-1-ii-c | ny-mini | tie_result_player_banker = "void"
NY-c-1 | ny-mini | odds_player = "9:10"
NY-c-2 | ny-mini | odds_tie = "7:1"
NY-c-3-pay | ny-mini | odds_banker = "19:20"
NY-c-3-rate | ny-mini | vig_rate = 3
NY-c-3-rate | ny-mini | vig_rate = 6
NY-c-3-i | ny-mini | vig_rounding = "down_to_5c"
NY-c-3-ii-when | ny-mini | vig_collection = "not_applicable"
NY-c-3-ii-deadline | ny-mini | vig_deferred_deadline = "shoe_end_or_patron_leaves"
NY-c-3-ii-hold | ny-mini | vig_deferred_deadline = "shoe_end_or_patron_leaves"
NY-c-4-charge | ny-mini | vig_mode = "none"
NY-c-5-uniform | ny-mini | vig_rate = [4, 5]
NY-c-5-uniform | ny-midi | vig_mode = ["commission", "tie25"]
NY-c-6-pay | ny-mini | vig_mode = "none_total_cards"
NY-c-6-six | ny-mini | none_six_odds = "2:5"
NY-c-7-choose | ny-mini | dragon_bonus = "on" ; dragon_bonus_table = "not_applicable"
NY-c-7-choose | ny-mini | dragon_bonus_table = ["A", "B"]
NY-c-8 | ny-ez | odds_dragon7 = "39:1"
NY-c-9 | ny-ez | odds_panda8 = "26:1"
NY-d-inspect | ny-mini | opening_inspection_record = "dealer_and_floorperson"
NY-d-preshuffled | ny-mini | opening_inspection_record = "dealer_and_floorperson"
NY-e-1 | ny-mini | burn_cards_disclosed = "all"
NY-e-2 | ny-mini | burn_mode = "none" ; burn_control_reference = "IC 4"
NY-e-3 | ny-mini | burn_value_of_ace = 11
NY-e-4 | ny-mini | burn_every_shoe = false
NY-f-2 | ny-mini | calls_required = ["counts_player_then_banker"]
NY-f-3-option | ny-mini | deal_option = "players_reveal"
NY-f-3-i-a | ny-mini | deal_option = "mixed"
NY-f-3-i-b-down | ny-mini | deal_option = "mixed"
NY-f-3-i-c | ny-mini | third_card_dealt = "face_down"
NY-f-3-i-d | ny-mini | third_card_dealt = "face_down"
NY-f-3-i-e | ny-mini | players_may_handle_cards = "reveal_only"
NY-f-3-ii-a-down | ny-midi | deal_option = "face_up"
NY-f-3-ii-a-corner | ny-midi | banker_placement = "banker_area"
NY-f-3-ii-b-hand | ny-midi | players_may_handle_cards = "no"
NY-f-3-ii-d | ny-midi | third_card_dealt = "face_up"
NY-f-3-ii-e | ny-midi | third_card_dealt = "face_up"
NY-f-3-ii-f-player | ny-midi | reveal_seat_tie_break = "not_applicable"
NY-f-3-ii-f-banker | ny-midi | reveal_seat_tie_break = "not_applicable"
NY-i-2-ez | ny-ez | pay_procedure = "iii"
NY-i-2-i | ny-mini | pay_procedure = "reconciliation"
NY-i-2-ii | ny-mini | pay_procedure = "reconciliation"
NY-i-2-iii | ny-mini | pay_procedure = "pay_only"
NY-i-2-iv | ny-mini | pay_procedure = "pay_only"
NY-i-3-elect | ny-mini | pay_procedure_allowed = ["reconciliation"]
NY-i-3-i | ny-mini | pay_procedure_pit_uniform = "off"
NY-i-3-ii | ny-mini | pay_procedure_pit_uniform = "off"
NY-j | ny-mini | irregularity_rules = "none"
NJ-sum-base | nj-baccarat | total_cards_require_base = "sometimes"
NJ-sum-spots | nj-baccarat | wagers_base = ["dragon"]
NJ-sum-reconcile | nj-minibaccarat | pay_procedure = "pay_only"
NJ-12-d-5-ii | nj-minibaccarat | vig_mode = "none"
NJ-3.2-a-4-offer | nj-baccarat | total_card_wagers = "always"
NJ-3.3-e-1 | nj-baccarat | none_six_odds = "1:1"
NJ-3.3-e-elect | nj-baccarat | vig_mode = ["none_six", "none_total_cards"]
NJ-3.3-e-2 | nj-baccarat | vig_mode = "none_total_cards" ; total_card_wagers = "off"
NJ-3.3-f-4 | nj-baccarat | odds_total_4 = "2:1"
NJ-3.3-f-5 | nj-baccarat | odds_total_5 = "3:2"
NJ-3.3-f-6 | nj-baccarat | odds_total_6 = "3:2"
NJ-3.10-a-final | nj-baccarat | calls_required = ["tie_hand", "total_cards"]
NJ-3.10-a-tie | nj-baccarat | calls_required = ["final_counts_and_winner", "total_cards"]
NJ-3.10-a-total | nj-baccarat | calls_required = ["final_counts_and_winner", "tie_hand"]
NJ-7.2-a-4-offer | nj-minibaccarat | total_card_wagers = "always"
NJ-7.3-f-1 | nj-minibaccarat | none_six_odds = "1:1"
NJ-7.3-f-elect | nj-minibaccarat | vig_mode = ["none_six", "none_total_cards"]
NJ-7.3-f-2 | nj-minibaccarat | vig_mode = "none_total_cards" ; total_card_wagers = "off"
NJ-7.3-g-4 | nj-minibaccarat | odds_total_4 = "2:1"
NJ-7.3-g-5 | nj-minibaccarat | odds_total_5 = "3:2"
NJ-7.3-g-6 | nj-minibaccarat | odds_total_6 = "3:2"
NJ-7.10-a-final | nj-minibaccarat | calls_required = ["tie_hand", "total_cards"]
NJ-7.10-a-tie | nj-minibaccarat | calls_required = ["final_counts_and_winner", "total_cards"]
NJ-7.10-a-total | nj-minibaccarat | calls_required = ["final_counts_and_winner", "tie_hand"]
WA-ov-1 | wa-mini | dragon_bonus = "on"
WA-ov-1 | wa-mini | total_card_wagers = "on"
WA-ov-2-spots | wa-mini | wagers_base = ["player", "banker"]
WA-ov-2-combo | wa-mini | seat_may_bet_player_and_banker = true
WA-ov-2-before | wa-mini | wager_lock = "no_more_bets"
WA-ov-3-face | wa-mini | deal_option = "players_reveal"
WA-ov-6-rate | wa-mini | vig_rate = 6
WA-ov-6-rate | wa-mini | vig_rounding = "up_to_5c"
WA-ov-6-when | wa-mini | vig_collection = "deferred"
WA-ov-9-offer | wa-mini | ghost_hands = "on"
WA-ov-9-max | wa-mini | ghost_hands = -1
WA-mb-decks | wa-mini | decks_per_shoe = 9
WA-mb-decks | wa-mini | decks_per_shoe = 1
WA-mb-decks | wa-mini | decks_max = 10
WA-pl-ann | wa-mini | calls_required = ["draws", "final_counts_and_winner"]
WA-bk-ann | wa-mini | calls_required = ["draws", "final_counts_and_winner"]
WA-pr-1-face | wa-mini | deal_option = "players_reveal"
WA-pr-1-barea | wa-mini | banker_placement = "by_deal_option"
WA-pr-4-place | wa-mini | third_card_dealt = "face_down"
WA-pr-6-place | wa-mini | third_card_dealt = "face_down"
WA-pr-7-take | wa-mini | pay_procedure = "reconciliation"
WA-pr-8-pay | wa-mini | pay_procedure = "reconciliation"
WA-pr-8-comm | wa-mini | pay_procedure = "pay_only"
WA-pr-9 | wa-mini | tie_result_player_banker = "void"
WA-an-doc | wa-mini | calls_required = ["before", "final_counts_and_winner"]
WA-an-which | wa-mini | calls_required = ["last_hand", "final_counts_and_winner"]
WA-an-which | wa-mini | call_references = ["IC 1"]
WA-pl-ann | wa-mini | call_texts = ["player_stands: Player stands {banker}"]
WA-bk-ann | wa-mini | call_texts = ["bank_stands: Bank has 7"]
WA-an-note | wa-mini | calls_required = ["tie_hand"]
WA-shuffle-mode | wa-mini | shuffle_mode = "continuous"
WA-shuffle-doc | wa-mini | shuffle_mode = "hand"
WA-burn | wa-mini | burn_mode = "none"
WA-burn | wa-mini | burn_mode = "fixed" ; burn_fixed_count = 3
WA-burn | wa-mini | burn_mode = "fixed" ; burn_control_reference = "IC 4"
WA-pay-bank | wa-mini | vig_rate = 6
WA-pay-even | wa-mini | odds_player = "2:1"
WA-pay-tie | wa-mini | odds_tie = "7:1"
HG-bac-three | house-baccarat | total_card_wagers = "on"
HG-bac-even | house-baccarat | odds_player = "3:2"
HG-bac-tie8 | house-baccarat | odds_tie = "9:1"
HG-bac-comm | house-baccarat | vig_rate = 4
HG-bac-shoe | house-baccarat | players_may_handle_cards = "no"
HG-bac-third | house-baccarat | third_card_dealt = "face_down"
HG-bac-before | house-baccarat | calls_required = ["counts_player_then_banker"]
HG-bac-counts | house-baccarat | calls_required = ["no_more_bets"]
HG-mini-three | house-mini | dragon_bonus = "on"
HG-mini-even | house-mini | odds_banker = "2:1"
HG-mini-tie8 | house-mini | odds_tie = "9:1"
HG-mini-comm | house-mini | vig_mode = "none"
HG-mini-third | house-mini | third_card_dealt = "face_down"
HG-mini-before | house-mini | wager_lock = "first_card"
HG-mini-counts | house-mini | calls_required = ["no_more_bets"]
S42-a-1-decks | s42-mini | decks_per_shoe = 5
S42-a-1-cut | s42-mini | cut_cards_per_shoe = 1
S42-a-4-sets | s42-mini | batch_min_decks_each = 5
S42-a-4-sets | s42-mini | batch_min_decks_each = 8 ; decks_per_shoe = 6
S42-a-4-ii | s42-mini | batch_equal_and_distinct_backs = "off"
S42-a-4-iii-same | s42-mini | batch_equal_and_distinct_backs = "off"
S42-a-4-iii-diff | s42-mini | batch_equal_and_distinct_backs = "off"
S42-a-4-v-alt | s42-mini | batch_alternation = "off"
S42-a-4-v-every | s42-mini | batch_alternation = "off"
S42-a-4-vi | s42-mini | discard_rack_single_batch = "off"
S42-b-1-i-C-void | s42-mini | tie_result_player_banker = "push"
S42-b-1-ii-C | s42-mini | tie_result_player_banker = "push"
S42-b-2 | s42-mini | dragon_bonus = "on"
S42-b-2 | s42-mini | total_card_wagers = "on" ; total_cards_require_base = true
S42-b-2 | s42-mini | ez_dragon7 = "on"
S42-b-3-verbal | s42-mini | verbal_cash_wagers = "refused"
S42-b-4 | s42-mini | wager_lock = "first_card"
S42-b-5 | s42-mini | wager_lock = "first_card"
S42-c-1 | s42-mini | odds_player = "2:1"
S42-c-2 | s42-mini | odds_tie = "7:1"
S42-c-3-pay | s42-mini | odds_banker = "2:1"
S42-c-3-rate | s42-mini | vig_rate = 0
S42-c-3-i | s42-mini | vig_rounding = "down_to_5c"
S42-c-3-ii-when | s42-mini | vig_collection = "not_applicable"
S42-c-3-iii | s42-mini | uncollected_vig_form = "not_applicable"
S42-c-3-iii-A-form | s42-mini | uncollected_vig_form = "not_applicable"
S42-c-3-iv | s42-mini | vig_deferred_deadline = "before_reshuffle"
S42-c-4-charge | s42-mini | vig_mode = "none"
S42-c-4-excl | s42-mini | tie25_excludes_win_commission = false
S42-c-5-uniform | s42-mini | vig_mode = ["commission", "tie25"]
S42-c-6-pay | s42-mini | vig_mode = "none_total_cards"
S42-c-6-six | s42-mini | none_six_odds = "3:5"
S42-d-1-sort | s42-mini | opening_inspection_record = "dealer_and_floorperson"
S42-d-1-verify | s42-mini | opening_inspection_record = "dealer_and_floorperson"
S42-d-4-separate | s42-mini | opening_inspection_record = "dealer_and_floorperson"
S42-e-2 | s42-mini | shuffle_finish = "none"
S42-e-2-i | s42-mini | shuffle_finish = "none"
S42-e-2-ii | s42-mini | shuffle_finish = "none"
S42-e-2-ii-A | s42-mini | reshuffle_after_lace = "sometimes"
S42-e-5 | s42-mini | cut_min_cards_from_either_end = 9
S42-e-6-first | s42-mini | cut_card_min_from_back = 13
S42-e-6-burn1 | s42-mini | burn_every_shoe = false
S42-e-6-burnn | s42-mini | burn_mode = "none" ; burn_control_reference = "IC 4"
S42-e-6-shown | s42-mini | burn_cards_disclosed = "first_only"
S42-e-6-value | s42-mini | burn_value_of_10_J_Q_K = 1
S42-e-8-ii-A | s42-mini | shuffler_secure_store = "perhaps"
S42-g-2 | s42-mini | calls_required = ["final_counts_and_winner"]
S42-g-3-option | s42-mini | deal_option = "mixed"
S42-g-3-i | s42-mini | deal_option = "mixed"
S42-g-3-ii | s42-mini | deal_option = "mixed"
S42-g-3-iii | s42-mini | deal_option = "mixed"
S42-g-3-iii-E-player | s42-mini | reveal_seat_tie_break = "not_applicable"
S42-g-3-iii-E-banker | s42-mini | reveal_seat_tie_break = "not_applicable"
S42-h-3-order | s42-mini | third_card_dealt = "face_down"
S42-h-3-iii | s42-mini | third_card_dealt = "face_up"
S42-h-5-finish | s42-mini | cut_card_at_round_start = "last_coup"
S42-h-5-onemore | s42-mini | rounds_after_cut_round = 0
S42-j-2-i | s42-mini | pay_procedure = "reconciliation"
S42-j-2-ii | s42-mini | pay_procedure = "reconciliation"
S42-j-2-iii | s42-mini | pay_procedure = "pay_only"
S42-j-2-iv | s42-mini | pay_procedure = "pay_only"
S42-j-3-elect | s42-mini | pay_procedure_allowed = ["reconciliation"]
S42-j-3-i | s42-mini | pay_procedure_pit_uniform = "off"
S42-j-3-ii | s42-mini | pay_procedure_pit_uniform = "enforce"
S42-j-5-touch | s42-mini | players_may_handle_cards = "reveal_only"
S42-k-1-banker | s42-mini | irregularity_rules = "floorperson_decides"
S42-k-4-void | s42-mini | insufficient_cards = "play_on"
S42-l-1-use | s42-mini | shuffle_mode = "riffle"
S42-l-1-ic | s42-mini | shuffle_mode = "continuous"
"""


def _row(line: str) -> object:
    clause, base, changes = line.split(" | ")
    marks = pytest.mark.clause(clause)
    return pytest.param(clause, base, changes, marks=marks, id=f"{clause}: {changes}")


@pytest.mark.parametrize(
    ("clause", "base", "changes"), [_row(line) for line in REFUSED.strip().splitlines()]
)
def test_a_clause_refuses_a_contrary_setting(
    house: Callable[[str, str], Profile], clause: str, base: str, changes: str
) -> None:
    with pytest.raises(ProfileError) as refused:
        house(base, changes.replace(" ; ", "\n"))

    assert clause in refused.value.clauses
    assert clause in str(refused.value)
    assert refused.value.path.startswith("values.")
    assert refused.value.allowed
    assert refused.value.remedy


# Clause, base, the outermost change that obeys the clause, and one step further.
BOUNDS = """
NY-a-4-i-decks | ny-mini | decks_per_shoe = 6 | decks_per_shoe = 5
NY-a-4-i-decks | ny-mini | decks_min = 7 | decks_min = 5
NY-a-4-iv-sets | ny-mini | batch_min_decks_each = 7 | batch_min_decks_each = 5
NY-c-2 | ny-mini | odds_tie = "9:1" | odds_tie = "7:1"
NY-f-2 | ny-mini | calls_required = [CALLS, "tie_hand", "draws"] | calls_required = [CALLS]
HG-bac-counts | house-baccarat | calls_required = [CALLS] | calls_required = ["no_more_bets"]
NY-i-3-elect | ny-mini | PROCEDURES = ["iii", "i"] | PROCEDURES = ["iii", "pay_only"]
S42-a-1-decks | s42-mini | decks_per_shoe = 6 | decks_per_shoe = 5
S42-a-1-decks | s42-mini | decks_min = 8 | decks_min = 5
S42-a-4-sets | s42-mini | batch_min_decks_each = 7 | batch_min_decks_each = 5
S42-c-2 | s42-mini | odds_tie = "9:1" | odds_tie = "7:1"
S42-e-5 | s42-mini | cut_min_cards_from_either_end = 11 | cut_min_cards_from_either_end = 9
S42-e-6-first | s42-mini | cut_card_min_from_back = 15 | cut_card_min_from_back = 13
S42-j-3-elect | s42-mini | PROCEDURES = ["iii", "i"] | PROCEDURES = ["iii", "pay_only"]
WA-mb-decks | wa-mini | decks_per_shoe = 2 | decks_per_shoe = 1
WA-mb-decks | wa-mini | decks_per_shoe = 8 | decks_per_shoe = 9
WA-mb-decks | wa-mini | decks_max = 7 ; decks_per_shoe = 7 | decks_max = 9
"""
_CALLS = '"no_more_bets", "counts_player_then_banker", "final_counts_and_winner"'


def _bound(line: str) -> object:
    written = line.replace("CALLS", _CALLS).replace("PROCEDURES", "pay_procedure_allowed")
    clause, *_ = row = written.replace(" ; ", "\n").split(" | ")
    return pytest.param(*row, marks=pytest.mark.clause(clause), id=line)


@pytest.mark.parametrize(
    ("clause", "base", "permitted", "further"),
    [_bound(line) for line in BOUNDS.strip().splitlines()],
)
def test_a_clause_permits_what_obeys_it_and_nothing_further(
    house: Callable[[str, str], Profile], clause: str, base: str, permitted: str, further: str
) -> None:
    profile = house(base, permitted)

    for name, value in tomllib.loads(permitted).items():
        chosen = profile.value(name)
        assert chosen.value == (tuple(value) if isinstance(value, list) else value)
        assert chosen.house
    with pytest.raises(ProfileError) as refused:
        house(base, further)
    assert clause in refused.value.clauses
