"""Cut cards in every phase: the last hand, placement, the second and the third.

Source: Section 42 (e)(6), (h)(5), (k)(4); D-3 to D-7. New York's rule is silent and borrows them.
"""

import pytest

from controller.procedure.effects import ShoeEnded
from controller.procedure.phases import Phase
from controller.rules.setting_values import CutRoundStart
from controller.system.messages.catalogue import to_words

OPENED = "start; burn Ac: 2c"
COUP = "P1 7h; B 7c; P Kd; B Kh"
WHOLE = f"{COUP}; result tie"
# Where the cut card comes, and how many coups are then still to be completed, by each setting.
AT_START = {
    "between coups": (f"{OPENED}; {WHOLE}", ""),
    "after the burn": (OPENED, ""),
    "after no more bets": (f"{OPENED}; {WHOLE}; no more bets", ""),
    "after a coup's last card": (f"{OPENED}; {COUP}", "result tie; "),
}
IN_COUP = {
    "after one card": (f"{OPENED}; P 7h", "B 7c; P Kd; B Kh; result tie; "),
    "after two cards": (f"{OPENED}; P 7h; B 7c", "P Kd; B Kh; result tie; "),
    "after three cards": (f"{OPENED}; P 7h; B 7c; P Kd", "B Kh; result tie; "),
    "before Player's third": (f"{OPENED}; P 2h; B 7c; P Kd; B Kh", "P 5d; result tie; "),
    "before Banker's third": (f"{OPENED}; P 7h; B 2c; P Kd; B Kh", "B 5d; result tie; "),
}


def coups_until_over(table, rest: str) -> int:
    """Coups completed from here to the end of the shoe, the one in progress included."""
    completed = 0
    while table.phase is not Phase.SHOE_OVER:
        assert completed < 5, "the shoe does not end"
        assert table.deal((rest or f"{WHOLE}; ").rstrip(", ")) == []
        # What is left of a coup that needed no more cards is its result only.
        completed += rest != "result tie; "
        rest = ""
    return completed


@pytest.mark.clause("S42-a-1-cut")
def test_two_cut_cards_are_used_and_each_is_judged(new_table) -> None:
    """The first one brings the last hand, the second one ends the shoe, a third is one too many."""
    table = new_table(f"{OPENED}; {WHOLE}", profile="s42-mini")
    assert table.deal("cut card") == []
    assert (table.shoe.cut.last_coup, table.shoe.cut.exhausted) == (3, False)
    assert table.deal("cut card") == []
    assert table.shoe.cut.exhausted
    assert table.phase is Phase.SHOE_OVER
    assert table.deal("cut card") == ["CUT_CARD_EXTRA"]
    assert table.last.clauses == ("S42-a-1-cut",)


@pytest.mark.clause("S42-h-5-finish")
@pytest.mark.clause("S42-h-5-onemore")
@pytest.mark.parametrize("when", AT_START)
@pytest.mark.parametrize(
    ("setting", "coups"), [(CutRoundStart.CURRENT_COUP, 2), (CutRoundStart.LAST_COUP, 1)]
)
def test_at_the_start_of_a_coup_the_setting_decides(new_table, profile, when, setting, coups):
    before, rest = AT_START[when]
    table = new_table(before, profile=profile, cut_card_at_round_start=setting)
    assert table.deal("cut card") == []
    assert coups_until_over(table, rest) == coups


@pytest.mark.clause("S42-h-5-finish")
@pytest.mark.clause("S42-h-5-onemore")
@pytest.mark.parametrize("when", IN_COUP)
@pytest.mark.parametrize("setting", CutRoundStart)
def test_in_a_coup_it_is_finished_and_one_more_is_dealt(new_table, profile, when, setting) -> None:
    before, rest = IN_COUP[when]
    table = new_table(before, profile=profile, cut_card_at_round_start=setting)
    due = table.phase
    assert table.deal("cut card") == []
    assert table.phase is due, "no order is shifted"
    assert coups_until_over(table, rest) == 2


@pytest.mark.clause("S42-h-5-aside")
def test_it_is_no_playing_card(table) -> None:
    table.deal("P 7h; cut card")
    assert table.shoe.cards_drawn == 3
    assert table.last.clauses == ("S42-h-5-aside", "S42-h-5-finish", "S42-h-5-onemore")


@pytest.mark.clause("S42-h-5-last")
@pytest.mark.parametrize("when", [*AT_START, *IN_COUP])
@pytest.mark.parametrize("setting", CutRoundStart)
def test_last_hand_is_prompted_once_before_the_last_coup(new_table, when, setting) -> None:
    before, rest = {**AT_START, **IN_COUP}[when]
    table = new_table(before, cut_card_at_round_start=setting)
    table.deal("cut card")
    seen = []
    while table.phase is not Phase.SHOE_OVER:
        seen.append(table.prompts().count("last_hand"))
        table.deal((rest or f"{WHOLE}; ").rstrip(", "))
        rest = ""
    assert seen[-1] == 1, "before the last coup it was prompted"
    assert table.prompts().count("last_hand") == 1
    assert table.prompts()[-1] == "reshuffle"


def test_the_shoe_ends_with_its_last_coup_and_states_its_counts(table) -> None:
    table.deal(f"P 9h; cut card; B 7c; P Kd; B Kh; result player; {WHOLE}")
    (ended,) = table.of(ShoeEnded)
    assert (ended.coups, ended.player, ended.banker, ended.tie, ended.void) == (2, 1, 0, 1, 0)
    assert (ended.cards_drawn, ended.irregularities) == (10, 0)
    assert (ended.person, ended.reason) == ("", "")


@pytest.mark.clause("S42-h-5-onemore")
def test_a_void_last_coup_ends_the_shoe(table) -> None:
    table.deal(f"P 7h; cut card; B 7c; P Kd; B Kh; result tie; {COUP}; P3 2h")
    table.decide("void-coup second")
    assert table.phase is Phase.SHOE_OVER
    assert table.of(ShoeEnded)[0].void == 1


def test_the_last_coup_ends_by_stand_by_or_by_the_next_shoe_where_no_result_is_reported(
    new_table,
) -> None:
    words = f"{OPENED}; P 7h; cut card; B 7c; P Kd; B Kh; result tie; {COUP}"
    for end in ("stand-by; start", "start", "burn Ac: 2c"):
        table = new_table(words)
        assert table.deal(end) == []
        assert [shoe.tie for shoe in table.of(ShoeEnded)] == [2]
        assert table.shoe.number == 2


# --- placement ----------------------------------------------------------------------------------


@pytest.mark.clause("S42-e-6-first")
@pytest.mark.parametrize(("drawn", "codes"), [(38, []), (39, ["CUT_CARD_PLACEMENT"])])
def test_at_least_fourteen_cards_are_behind_it(new_table, drawn, codes) -> None:
    table = new_table(OPENED, decks=1)
    table.deal_up_to(drawn)
    assert table.deal("cut card") == codes


@pytest.mark.clause("S42-e-6-first")
def test_play_goes_on_by_the_last_hand_rule_with_fewer(new_table) -> None:
    table = new_table(OPENED, decks=1)
    table.deal_up_to(39)
    table.deal("cut card")
    assert to_words(table.irregularities[-1].detail).endswith(
        "13 cards behind it, at least 14 are required"
    )
    assert coups_until_over(table, "") == 2


def test_of_a_joined_shoe_the_number_of_cards_behind_it_is_unknown(new_table) -> None:
    table = new_table("P1 9h", decks=1)
    table.decide("continue")
    table.deal("B Kc; P Qd; B Jh; result player")
    table.deal_up_to(44)
    assert table.deal("cut card") == []


# --- in the burn --------------------------------------------------------------------------------


REST_OF_BURN = {
    "start": "burn 2c: 3c 4c",
    "start; burn 2c": "burned 3c; burned 4c",
    "start; burn 2c: 3c": "burned 4c",
}


@pytest.mark.clause("S42-e-6-first")
@pytest.mark.clause("S42-e-7-recut")
@pytest.mark.parametrize("before", REST_OF_BURN)
def test_in_the_burn_it_is_raised_at_once_and_suspends_when_the_burn_is_complete(
    new_table, before
) -> None:
    table = new_table(before)
    phase = table.phase
    assert table.deal("cut card") == ["CUT_CARD_IN_BURN"]
    assert table.last.clauses == ("S42-e-6-first", "S42-e-7-recut")
    assert (table.phase, table.last.suspends) == (phase, False), "the burn goes on"
    assert table.permitted == ["continue", "close-shoe"]
    assert table.shoe.cut.last_coup is None
    assert table.deal(REST_OF_BURN[before]) == [], "no card is dealt while suspended"
    assert len(table.shoe.burn_cards) == 3
    assert table.resumes_to is Phase.BETWEEN_COUPS
    assert table.permitted == ["continue", "close-shoe"]
    assert [one.suspends for one in table.state.open_irregularities] == [True]


def test_decided_at_the_cut_card_it_does_not_suspend_again(new_table) -> None:
    table = new_table("start; burn 2c: 3c; cut card")
    assert table.decide("continue") == ""
    assert (table.phase, table.shoe.burn_owed, table.shoe.cut.seen) == (Phase.BURN_REST, 1, 0)
    assert table.deal("burned 4c; P 7h; cut card") == []
    assert table.shoe.cut.last_coup == 2


def test_a_reload_decided_at_the_cut_card_closes_the_shoe_in_the_burn(new_table) -> None:
    table = new_table("start; burn 2c: 3c; cut card")
    assert table.decide("close-shoe") == ""
    (ended,) = table.of(ShoeEnded)
    assert (ended.coups, ended.person, ended.reason) == (0, "Bo Ray", "seen on the layout")
    assert table.deal("start; burn Ac: 2c") == []
    assert (table.phase, table.shoe.number) == (Phase.BETWEEN_COUPS, 2)


@pytest.mark.parametrize("decision", ["carry-card", "burn-card", "void-coup", "state-outcome tie"])
def test_no_other_decision_is_for_it(new_table, decision) -> None:
    table = new_table("start; burn 2c: 3c; cut card")
    assert "permitted: continue, close-shoe" in table.decide(decision)


def test_going_on_puts_it_back_into_its_place(new_table) -> None:
    table = new_table("start; burn 2c: 3c; cut card; burned 4c")
    table.decide("continue")
    assert table.shoe.cut.seen == 0
    assert table.deal("start") == [], "no cut card has marked the end: only a restart"
    assert table.deal("P 7h; cut card") == []
    assert table.shoe.cut.last_coup == 2


def test_a_reload_closes_the_shoe_before_any_coup(new_table) -> None:
    table = new_table("start; burn 2c: 3c; cut card; burned 4c")
    table.decide("close-shoe")
    (ended,) = table.of(ShoeEnded)
    assert (ended.coups, ended.person, ended.reason) == (0, "Bo Ray", "seen on the layout")
    assert table.deal("start; burn Ac: 2c") == []
    assert table.shoe.number == 2


@pytest.mark.parametrize("end", ["P 7h", "no more bets"])
def test_the_decision_is_required_however_the_burn_ends(new_table, end) -> None:
    table = new_table("start; burn ??")
    table.decide("continue")
    assert table.deal("burned 2c; cut card; burned 3c") == ["CUT_CARD_IN_BURN"]
    assert table.phase is Phase.BURN_UNCOUNTED
    assert table.deal(end) == []
    assert table.phase is Phase.SUSPENDED


def test_another_irregularity_of_the_burn_is_decided_together_with_it(new_table) -> None:
    table = new_table("start; burn 2c; cut card")
    assert table.deal("P1 3c") == ["BURN_SHORT"]
    table.decide("continue")
    assert table.shoe.cut.seen == 0
    assert table.deal("burned 4c") == []
    assert table.phase is Phase.BETWEEN_COUPS


def test_it_may_come_out_while_the_table_waits_for_another_decision(new_table) -> None:
    table = new_table("start; burn 3c; P1 3d")
    assert table.deal("cut card; burned 4c; burned 5c") == [
        *("CUT_CARD_IN_BURN", "DEALT_WHILE_SUSPENDED")
    ]
    table.decide("continue take-over")
    assert (table.phase, table.shoe.cut.seen) == (Phase.BETWEEN_COUPS, 0)


def test_a_shoe_closed_in_such_a_burn_leaves_only_an_acknowledgement(new_table) -> None:
    table = new_table("start; burn 2c: 3c; cut card; close shoe")
    assert table.permitted == ["continue"]
    table.decide("continue")
    assert table.deal("start; burn 2c: 3c 4c") == []
    assert table.phase is Phase.BETWEEN_COUPS


def test_undecided_in_a_closed_shoe_it_never_suspends_the_next(new_table) -> None:
    table = new_table("start; burn 2c: 3c; cut card; close shoe; start; burn 2c: 3c 4c")
    assert table.phase is Phase.BETWEEN_COUPS


def test_each_of_two_in_one_burn_is_raised(new_table) -> None:
    table = new_table("start; burn 2c; cut card; resolve continue")
    assert table.deal("burned 3c; cut card") == ["CUT_CARD_IN_BURN"]
    assert table.deal("cut card; burned 4c") == ["CUT_CARD_IN_BURN"]
    assert table.phase is Phase.SUSPENDED


def test_a_restart_in_a_burn_with_the_cut_card_is_no_change_of_shoe(new_table) -> None:
    table = new_table("start; burn 2c: 3c; cut card")
    assert table.deal("start") == ["SHOE_RESTARTED"]


def test_a_second_one_after_a_misplaced_one_ends_the_cards_all_the_same(new_table) -> None:
    table = new_table("start; burn 2c: 3c; cut card; burned 4c; cut card")
    table.decide("continue")
    assert table.phase is Phase.SHOE_OVER


# --- the second and the third -------------------------------------------------------------------


@pytest.mark.clause("S42-e-6-second")
def test_the_second_between_coups_ends_the_shoe(table) -> None:
    assert table.deal(f"{WHOLE}; cut card; cut card") == []
    assert table.phase is Phase.SHOE_OVER
    assert table.verdicts[-1].clauses == ("S42-e-6-second",)
    assert len(table.of(ShoeEnded)) == 1


@pytest.mark.clause("S42-e-6-second")
def test_the_second_after_a_coups_last_card_lets_that_coup_count(table) -> None:
    assert table.deal(f"{COUP}; cut card; cut card; result tie") == []
    assert table.phase is Phase.SHOE_OVER
    assert table.tally == (0, 0, 1, 0)


@pytest.mark.clause("S42-k-4-void")
@pytest.mark.clause("S42-k-4-restart")
def test_the_second_in_a_coup_leaves_too_few_cards_the_coup_is_void_the_shoe_over(table) -> None:
    assert table.deal("P 7h; cut card; B 7c; cut card") == ["INSUFFICIENT_CARDS"]
    assert table.permitted == ["close-shoe"]
    table.decide("close-shoe")
    assert table.phase is Phase.SHOE_OVER
    assert table.tally == (0, 0, 0, 1)
    assert [record.fate.value for record in table.records] == ["void"]
    assert table.prompts()[-1] == "reshuffle"


def test_cards_dealt_after_it_are_irregular(table) -> None:
    table.deal("P 7h; cut card; B 7c; cut card")
    assert table.deal("P Kd") == ["CARD_AFTER_SECOND_CUT_CARD", "DEALT_WHILE_SUSPENDED"]


@pytest.mark.parametrize("card", ["P1 7h", "P1 ??", "P2 7h"])
def test_a_coup_begun_or_joined_after_it_all_the_same_is_named(new_table, card) -> None:
    table = new_table(f"{OPENED}; cut card; no more bets; cut card")
    assert table.deal(card) == ["CARD_AFTER_SECOND_CUT_CARD", "DEALT_WHILE_SUSPENDED"]
    table.decide("close-shoe void")
    assert table.tally == (0, 0, 0, 1)


@pytest.mark.clause("S42-k-4-void")
def test_when_the_last_card_left_a_coup_short_the_cut_card_behind_it_says_nothing_new(
    new_table,
) -> None:
    table = new_table(OPENED, decks=1)
    table.deal_up_to(46)
    assert table.deal(f"cut card; {WHOLE}") == ["CUT_CARD_PLACEMENT"]
    assert table.deal("P1 2h; B 2c") == ["INSUFFICIENT_CARDS"]
    assert table.deal("cut card") == []


@pytest.mark.parametrize("words", [f"{OPENED}; close shoe", f"{OPENED}; {WHOLE}; close shoe"])
def test_cut_cards_taken_out_after_the_shoe_are_put_aside(new_table, words) -> None:
    table = new_table(words)
    assert table.deal("cut card; cut card") == []
    assert table.phase is Phase.SHOE_OVER
    assert table.deal("cut card") == ["CUT_CARD_EXTRA"]


def test_where_a_shoe_has_one_cut_card_the_second_is_one_too_many(new_table) -> None:
    table = new_table(f"{OPENED}; cut card", cut_cards=1)
    assert table.deal("cut card") == ["CUT_CARD_EXTRA"]
    assert table.phase is Phase.BETWEEN_COUPS


@pytest.mark.clause("S42-h-5-aside")
@pytest.mark.parametrize("words", ["P 7h; lost 1", "P 7h; B ??"])
def test_in_a_partial_coup_it_counts_as_in_a_coup(table, words) -> None:
    table.deal(f"{words}; cut card")
    assert table.shoe.cut.last_coup == 2
    table.decide("void-coup")
    assert table.prompts()[-1] == "last_hand"
