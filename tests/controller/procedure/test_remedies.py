"""Cards drawn in error, from the error to the last step of its remedy.

Source: Section 42 (k)(1), (k)(2), (h)(5); 9 NYCRR 5324.21 (f)(3), (j); D-7, D-9 to D-12, D-14.
"""

import pytest

from controller.procedure.calls.visibility import error_cards_seen
from controller.procedure.effects import Prompt, Refusal, ShoeEnded
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.verdicts import Accepted
from controller.rules.outcome import CoupFate
from controller.rules.setting_values import DealOption, IrregularityRules
from controller.system.messages.catalogue import to_words

OPENED = "start; burn Ac: 2c"
NATURAL = "P1 9h; B 7c; P Kd; B Kh"
STANDS = "P1 7h; B 7c; P Kd; B Kh"
SIX = "P1 2h; B 2c; P Kd; B Kh; P 3d; B 4d"
TURNED = (ObservableFact.TURNED,)


def remedy_prompts(table) -> list[str]:
    return [to_words(one.text) for one in table.of(Prompt) if one.kind.value == "remedy"]


def cited(table, text: str) -> tuple[str, ...]:
    (clauses,) = {one.clauses for one in table.of(Prompt) if text in to_words(one.text)}
    return clauses


def cards(record) -> list[tuple[str, str, int | None]]:
    return [(one.place.value, str(one.card), one.carried_from) for one in record.cards]


# --- what may be decided ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("observed", "turned", "permitted"),
    [
        ((), "", ["carry-card", "burn-card"]),
        ((), "; turn error", ["carry-card", "burn-card"]),
        (TURNED, "", ["carry-card"]),
        (TURNED, "; turn error", ["burn-card"]),
    ],
)
def test_whether_people_saw_the_card_decides_where_the_table_observes_it(
    new_table, observed, turned, permitted
) -> None:
    table = new_table(f"{OPENED}; {NATURAL}; P 4h{turned}", observed=observed)
    assert table.permitted == [*permitted, "close-shoe"]


@pytest.mark.clause("S42-k-1-carry")
@pytest.mark.clause("S42-k-1-burn")
def test_going_on_without_either_is_refused_with_the_clauses(table) -> None:
    table.deal(f"{NATURAL}; P 4h")
    assert "continue is not permitted" in table.decide("continue")
    assert table.of(Refusal)[-1].clauses == ("S42-k-1-carry", "S42-k-1-burn")


def test_while_reports_may_be_missing_the_card_may_be_in_order_after_all(table) -> None:
    table.deal(f"{NATURAL}; result player; lost 2; P3 4h")
    assert table.permitted == ["continue", "carry-card", "burn-card", "close-shoe"]


def test_a_held_card_seen_after_another_card_was_burned_still_owes_its_amount(table) -> None:
    table.deal(f"{NATURAL}; P 4h")
    table.decide("carry-card")
    assert table.deal("result player; extra 3h") == ["BURN_OVER"]
    table.decide("burn-card")
    table.deal("extra 2c; extra 3c; extra 5c; turn error")
    assert (table.phase, table.state.shoe.burn_owed) == (Phase.REMEDY_BURN, 4)


def test_where_the_profile_leaves_it_to_the_floorperson_all_three_are_permitted(new_table) -> None:
    table = new_table(
        f"{OPENED}; {NATURAL}; P 4h", irregularity_rules=IrregularityRules.FLOORPERSON_DECIDES
    )
    assert table.permitted == ["continue", "carry-card", "burn-card", "void-coup", "close-shoe"]
    assert table.decide("continue") == ""
    table.deal("result player")
    (record,) = table.records
    assert [str(one.card) for one in record.aside] == ["4h"]
    assert table.phase is Phase.BETWEEN_COUPS, "nothing is owed"


@pytest.mark.parametrize("decision", ["carry-card", "burn-card"])
@pytest.mark.parametrize("words", ["lost 1", "P 7h; P2 2c", "result tie"])
def test_without_a_card_in_error_neither_is_permitted(table, words, decision) -> None:
    table.deal(words)
    assert f"{decision} is not permitted" in table.decide(decision)


def test_a_partial_coup_is_void_or_stated_and_the_card_goes_with_it(table) -> None:
    table.deal("P 7h; out 3c; B ??")
    assert table.permitted == ["void-coup", "state-outcome", "close-shoe"]
    assert table.decide("state-outcome tie take-over") == ""
    (record,) = table.records
    assert [str(one.card) for one in record.aside] == ["3c"]
    assert table.phase is Phase.BETWEEN_COUPS


@pytest.mark.parametrize("decision", ["void-coup second", "close-shoe"])
def test_with_a_void_coup_or_a_closed_shoe_the_card_goes_too(table, decision) -> None:
    table.deal(f"{NATURAL}; P 4h")
    assert table.decide(decision) == ""
    (record,) = table.records
    assert (record.fate, [str(one.card) for one in record.aside]) == (CoupFate.VOID, ["4h"])
    assert not remedy_prompts(table)[0].startswith("hold"), "nothing is held"
    assert table.shoe.remedy.carried == ()


@pytest.mark.parametrize(("decision", "seen"), [("burn-card", True), ("continue", False)])
def test_the_coup_records_whether_people_saw_the_cards_set_aside(new_table, decision, seen) -> None:
    free = IrregularityRules.FLOORPERSON_DECIDES
    table = new_table(f"{OPENED}; P 9h; out 3c; resolve {decision}", irregularity_rules=free)
    assert error_cards_seen(table.shoe.coup) is seen


def test_a_card_after_the_last_of_all_decks_is_followed_nowhere(new_table) -> None:
    table = new_table(OPENED, decks=1)
    table.deal_up_to(52)
    table.deal("close shoe")
    assert table.deal("P1 2h") == ["CARD_AFTER_LAST_COUP"]
    assert table.shoe.aside == ()


@pytest.mark.clause("S42-k-4-void")
def test_a_void_coup_says_that_every_wager_is_returned(table) -> None:
    table.deal("P 7h; P 4h")
    table.decide("void-coup")
    void = "coup 1 is void: return every wager in full, charge no vigorish"
    assert remedy_prompts(table) == [f"{void}, put its cards into the discard rack"]
    assert cited(table, "coup 1 is void") == ("S42-k-4-void",)


@pytest.mark.clause("S42-k-1-banker")
def test_a_third_card_of_a_standing_player_is_prompted_to_move_to_the_banker(table) -> None:
    assert table.deal("P 7h; B 2c; P Kd; B Kh; P 4s") == ["PLAYER_THIRD_UNAUTHORISED"]
    assert remedy_prompts(table) == [], "the floorperson decides first"
    table.decide("continue")
    assert remedy_prompts(table) == [
        "move the card to the Banker's Hand: it is the Banker's third card"
    ]
    assert cited(table, "move the card to the Banker") == ("S42-k-1-banker",)


@pytest.mark.clause("HG-bac-d7")
def test_a_card_for_a_banker_on_seven_is_refused_although_one_line_is_misprinted(new_table) -> None:
    table = new_table(f"{OPENED}; P 2h; B 7c; P Kd; B Kh; P 6c", profile="house-baccarat")
    assert table.deal("B 4d") == ["OVERDRAW"]
    assert "HG-bac-d7" in table.last.clauses


# --- carried ------------------------------------------------------------------------------------


@pytest.mark.clause("S42-k-1-carry")
def test_an_unseen_third_card_is_the_first_card_of_the_next_hand(table) -> None:
    table.deal(f"{NATURAL}; P 4h")
    assert table.decide("carry-card") == ""
    assert remedy_prompts(table) == [
        "hold the card face down: it is the first card of the next hand"
    ]
    assert cited(table, "hold the card") == ("S42-k-1-carry",)
    assert table.deal("result player") == []
    assert [one.aside for one in table.records] == [()], "it belongs to the next coup"
    # The shoe believes that the next hand begins with the card it gives.
    assert table.deal("P1 2c; B 3d; P Kd; result tie") == ["MISSING_CARD"]


@pytest.mark.clause("S42-k-2-carry")
@pytest.mark.clause("NY-f-3-four")
@pytest.mark.clause("S42-g-3-four")
@pytest.mark.parametrize(("profile", "clause"), [("s42-mini", "S42"), ("ny-mini", "NY")])
def test_then_only_three_leave_the_shoe_for_the_first_four(new_table, profile, clause) -> None:
    table = new_table(f"{OPENED}; {NATURAL}; more 8h", profile=profile)
    table.decide("carry-card")
    drawn = table.shoe.cards_drawn
    assert table.deal("result player; P1 7c; B Kd; P Kh") == []
    assert table.phase is Phase.RESULT
    assert table.shoe.cards_drawn == drawn + 3
    first = "NY-f-3-four" if clause == "NY" else "S42-g-3-four"
    held = [
        one
        for one in table.verdicts
        if isinstance(one, Accepted) and to_words(one.what).endswith("held from before")
    ]
    assert [first in one.clauses for one in held] == [True]
    assert table.deal("result player") == []
    assert cards(table.records[-1]) == [
        ("player_1", "8h", 1),
        ("banker_1", "7c", None),
        ("player_2", "Kd", None),
        ("banker_2", "Kh", None),
    ]


def test_of_a_coup_with_a_held_card_every_required_card_counts(new_table) -> None:
    table = new_table(f"{OPENED}; {NATURAL}; more 2h", profile="nj-minibaccarat")
    table.decide("carry-card")
    assert table.deal("result player; P1 2c; B Kd; P Kh; B 3d; P2 4d; result banker") == []
    assert [len(one.cards) for one in table.records] == [4, 6]


def test_the_shoes_claims_in_such_a_coup_are_recorded_and_not_judged(table) -> None:
    table.deal(f"{NATURAL}; more 2h; resolve carry-card; result player")
    assert table.deal("P1 2c; B1 Kd; P2 Kh; B2 3d; P3 4d") == []
    assert [one.place.value for one in table.shoe.coup.cards] == [
        *("player_1", "banker_1", "player_2", "banker_2", "player_3", "banker_3")
    ]
    assert [one.claimed.value for one in table.shoe.coup.cards[1:3]] == ["player_1", "banker_1"]


def test_such_a_coup_has_the_calls_of_any_coup(table) -> None:
    table.deal(f"{NATURAL}; more 8h; resolve carry-card; result player")
    table.effects.clear()
    table.deal("P1 7c; B Kd; P Kh")
    assert table.prompts()[-2:] == ["counts", "result"]


def test_after_such_a_coup_the_shoe_is_believed_again(table) -> None:
    table.deal(f"{NATURAL}; more 8h; resolve carry-card; result player")
    table.deal("P1 7c; B Kd; P Kh; result player; P1 7h")
    assert table.deal("P2 2c") == ["CLAIM_DIFFERS"]


def test_with_no_more_bets_the_coup_begins_with_the_held_card_at_once(new_table) -> None:
    table = new_table(f"{OPENED}; no more bets; {NATURAL}", observed=(ObservableFact.NO_MORE_BETS,))
    table.deal("more 8h; resolve carry-card; result player")
    assert table.deal("no more bets") == []
    assert table.phase is Phase.BANKER_1
    assert table.shoe.coups_begun == 2
    assert table.deal("P1 7c; B Kd; P Kh; result player") == []
    assert table.deal("no more bets; P 7h") == []


def test_without_the_call_a_coup_with_a_held_card_is_begun_too_early_like_any(new_table) -> None:
    table = new_table(f"{OPENED}; no more bets; {NATURAL}", observed=(ObservableFact.NO_MORE_BETS,))
    table.deal("more 8h; resolve carry-card; result player")
    assert table.deal("P1 7c") == ["CARD_BEFORE_NO_MORE_BETS"]


@pytest.mark.clause("S42-k-2-carry")
def test_the_second_card_held_is_not_called_the_first_of_the_next_hand(table) -> None:
    table.deal(f"{NATURAL}; P 4h")
    table.decide("carry-card")
    table.deal("B3 5c")
    table.decide("carry-card")
    assert remedy_prompts(table)[1:] == [
        "hold the card face down: in the next hand it comes after those held already"
    ]
    table.deal("result player; P1 2c")
    assert [str(one.card) for one in table.shoe.coup.cards] == ["4h", "5c", "2c"]


@pytest.mark.clause("S42-k-2-carry")
def test_several_are_held_in_drawing_order_and_the_decision_is_for_all(table) -> None:
    table.deal(f"{NATURAL}; more 2h; more 3c")
    table.decide("carry-card take-over")
    assert remedy_prompts(table) == [
        "hold the 2 cards face down: they are the first of the next hand, in order"
    ]
    table.deal("result player; P1 Kd; B Kh; P 6d; B 9d; result player")
    assert cards(table.records[-1])[:2] == [("player_1", "2h", 1), ("banker_1", "3c", 1)]
    assert "the 2 held cards are dealt first in this hand" in remedy_prompts(table)[1]


def test_as_many_held_as_a_coup_needs_and_one_more(table) -> None:
    """The first coup is of held cards alone; the next card is the next coup's."""
    table.deal(f"{NATURAL}; more 9h; more 7c; more Kd; more Kh; more 8s")
    table.decide("carry-card take-over")
    table.deal("result player")
    assert table.deal("P1 4c") == []
    assert cards(table.records[-1])[0] == ("player_1", "9h", 1)
    assert [str(one.card) for one in table.shoe.coup.cards] == ["8s", "4c"]
    assert table.shoe.coups_begun == 3


def test_an_unread_card_held_makes_its_coup_partial(table) -> None:
    table.deal(f"{NATURAL}; more ??; resolve carry-card; result player")
    assert table.deal("P1 2c") == ["CARD_UNREADABLE"]
    assert table.permitted == ["void-coup", "state-outcome", "close-shoe"]
    assert len(table.shoe.coup.cards) == 2
    assert table.deal("B2 3c; P3 4c") == ["DEALT_WHILE_SUSPENDED"]


def test_a_repeated_report_in_such_a_coup_is_compared_with_the_first_report(table) -> None:
    table.deal(f"{NATURAL}; more 2h; resolve carry-card; result player; P1 2c")
    assert table.deal("again P1 2c") == []
    assert table.deal("again P1 3c") == ["RETRANSMISSION_CONFLICT"]


def test_a_partial_coup_with_a_held_card_ends_with_the_next_first_card(table) -> None:
    table.deal(f"{NATURAL}; more 2h; resolve carry-card; result player; P1 2c; B ??")
    assert table.deal("P1 3c") == ["DEALT_WHILE_SUSPENDED"]
    assert table.shoe.coups_begun == 3


def test_a_card_drawn_in_error_between_coups_is_carried_too(table) -> None:
    table.deal(f"{STANDS}; result tie; more 8h; resolve carry-card")
    assert table.phase is Phase.BETWEEN_COUPS
    table.deal("P1 7c; B Kd; P Kh; result player")
    assert cards(table.records[-1])[0] == ("player_1", "8h", 0)


@pytest.mark.parametrize("before", ["start", "start; burn 3c: 2c", OPENED])
def test_one_drawn_before_the_first_coup_waits_for_it(new_table, before) -> None:
    table = new_table(f"{before}; out 8h; resolve carry-card")
    if table.phase is Phase.BURN_FIRST:
        table.deal("burn Ac: 2c")
    elif table.phase is Phase.BURN_REST:
        table.deal("burned 4d; burned 5d")
    assert table.deal("P1 7c; B Kd; P Kh; result player") == []
    assert cards(table.records[-1])[0] == ("player_1", "8h", 0)


def test_dealt_on_while_suspended_it_is_the_first_card_of_that_hand(table) -> None:
    table.deal(f"{NATURAL}; more 8h; result player; {STANDS}; result tie")
    table.decide("carry-card take-over")
    assert [one.aside for one in table.records] == [()]
    assert [str(one.card) for one in table.shoe.coup.cards] == ["8h", "7h", "7c", "Kd", "Kh"]
    assert table.irregularities[-1].code == "RESULT_MISMATCH", "a tie was declared"
    table.decide("continue")
    assert cards(table.records[-1])[0] == ("player_1", "8h", 1)


def test_a_racked_card_is_in_the_record_of_the_coup_it_was_drawn_in(table) -> None:
    table.deal(f"{NATURAL}; more 8h; result player; {STANDS}")
    table.decide("burn-card take-over")
    assert [[str(one.card) for one in record.aside] for record in table.records] == [["8h"]]
    assert table.shoe.burn_owed == 8 - 4, "the four cards drawn after it are burned"


def test_a_held_card_that_is_turned_is_burned_instead(table) -> None:
    table.deal(f"{NATURAL}; more 3h; resolve carry-card; result player")
    assert table.deal("turn error") == []
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 3)
    assert table.shoe.remedy.carried == ()


@pytest.mark.parametrize("words", ["turn error", f"{STANDS}; turn error"])
def test_where_no_card_in_error_waits_turning_one_means_nothing(table, words) -> None:
    assert table.deal(words) == []
    assert to_words(table.last.what) == "no card drawn in error is on the table: nothing to turn"


def test_with_no_shoe_open_turning_one_means_nothing(new_table) -> None:
    assert new_table().deal("turn error") == []


def test_of_several_seen_and_unseen_each_goes_its_own_way(new_table) -> None:
    table = new_table(f"{OPENED}; {NATURAL}; more 2h; turn error; more 8h", observed=TURNED)
    assert table.permitted == ["carry-card", "burn-card", "close-shoe"]
    table.decide("carry-card take-over")
    table.deal("result player")
    assert table.shoe.burn_owed == 2
    assert [str(one.card) for one in table.shoe.remedy.carried] == ["8h"]


# --- the held card's shoe ends ------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["close shoe", "cut card; cut card"])
def test_a_held_card_goes_with_its_shoe_never_into_the_next(table, ending) -> None:
    table.deal(f"{NATURAL}; more 8h; resolve carry-card; result player; {ending}")
    assert table.phase is Phase.SHOE_OVER
    assert (
        remedy_prompts(table)[-1]
        == "put the held card into the discard rack with the cards of this shoe"
    )
    assert [str(card) for card in table.shoe.aside] == ["8h"]
    table.deal("start; burn Ac: 2c; P1 7h")
    assert [str(one.card) for one in table.shoe.coup.cards] == ["7h"]


def last_hand_with_error(new_table, **settings):
    words = f"{OPENED}; cut card; {STANDS}; result tie; {NATURAL}; more 3h"
    return new_table(words, **settings)


@pytest.mark.clause("S42-h-5-onemore")
def test_in_the_last_hand_it_is_never_carried(new_table) -> None:
    table = last_hand_with_error(new_table)
    assert table.permitted == ["continue", "burn-card", "close-shoe"]
    assert "carry-card is not permitted" in table.decide("carry-card")
    assert table.decide("continue") == ""
    table.deal("result player")
    assert [str(one.card) for one in table.records[-1].aside] == ["3h"]
    assert table.phase is Phase.SHOE_OVER
    assert table.deal("P1 2c") == ["CARD_AFTER_LAST_COUP"]
    assert "S42-h-5-onemore" in table.last.clauses


@pytest.mark.parametrize(("turned", "permitted"), [("", "continue"), ("; turn error", "burn-card")])
def test_there_too_the_table_may_observe_whether_it_was_seen(new_table, turned, permitted) -> None:
    table = last_hand_with_error(new_table, observed=TURNED)
    table.deal(turned.removeprefix("; ") or "stand-by")
    assert table.permitted == [permitted, "close-shoe"]


@pytest.mark.clause("S42-k-2-burn")
def test_seen_in_the_last_hand_its_burn_comes_before_the_shoe_is_over(new_table) -> None:
    table = last_hand_with_error(new_table)
    table.decide("burn-card")
    table.deal("result player")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 3)
    assert cited(table, "burn 3 cards, face up") == ("S42-k-2-burn",)
    assert table.deal("burned 2c; burned 2d; burned 2h") == []
    assert table.phase is Phase.SHOE_OVER
    assert [one.person for one in table.of(ShoeEnded)] == [""]


def test_void_the_last_coup_still_owes_it(new_table) -> None:
    table = new_table(f"{OPENED}; cut card; {STANDS}; result tie; P1 7h; out 3h")
    table.decide("burn-card")
    table.deal("forced exit; resolve void-coup")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 3)


def test_closing_without_it_is_a_named_persons_decision(new_table) -> None:
    table = last_hand_with_error(new_table)
    table.deal("resolve burn-card; result player; close shoe")
    assert [one.person for one in table.of(ShoeEnded)] == ["Ann Lee"]


def test_so_is_another_shoe_without_it(new_table) -> None:
    table = last_hand_with_error(new_table)
    table.deal("resolve burn-card; result player")
    assert table.deal("start") == ["SHOE_CHANGED_EARLY"]
    assert table.decide("close-shoe") == ""
    assert table.phase is Phase.BURN_FIRST


# --- burned -------------------------------------------------------------------------------------


@pytest.mark.clause("S42-k-1-burn")
@pytest.mark.parametrize(
    ("card", "owed"), [("Ah", 1), ("2h", 2), ("9h", 9), ("10h", 10), ("Jh", 10), ("Kh", 10)]
)
def test_seen_as_many_as_its_amount_are_burned_before_the_next_hand(table, card, owed) -> None:
    table.deal(f"{NATURAL}; P {card}")
    table.decide("burn-card")
    table.deal("result player")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, owed)
    for left in range(owed - 1, -1, -1):
        assert table.deal("extra 5c") == []
        assert table.last.clauses == ("S42-k-1-burn",)
        assert to_words(table.last.what) == f"burned, {left} more to burn"
    assert table.phase is Phase.BETWEEN_COUPS
    assert table.deal("P1 7h") == []
    assert table.deal("extra 5c") == ["BURN_OVER"]


@pytest.mark.clause("S42-k-2-burn")
def test_any_other_card_in_error_is_burned_by_the_same_procedure(table) -> None:
    table.deal(f"{NATURAL}; more 2h; resolve burn-card; result player")
    assert table.deal("extra 5c") == []
    assert table.last.clauses == ("S42-k-2-burn",)


def test_with_complete_hands_it_may_be_done_before_the_result(table) -> None:
    table.deal(f"{NATURAL}; P 3h; resolve burn-card")
    assert table.deal("extra 2c; burned 3c") == []
    assert table.deal("result player") == []
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 1)
    assert table.deal("out 4d") == [], "whatever the shoe claims"
    assert table.phase is Phase.BETWEEN_COUPS


def test_done_before_the_result_nothing_is_left(table) -> None:
    table.deal(f"{NATURAL}; P 2h; resolve burn-card; out 2c; burn 3c")
    assert table.irregularities[1:] == []
    assert table.deal("more 5c") == ["OVERDRAW"]


def test_a_coup_begun_before_it_is_not_one_by_the_order_of_drawing(table) -> None:
    table.deal(f"{NATURAL}; P 3h; resolve burn-card")
    assert table.deal("P1 7h") == ["BURN_SHORT"]
    assert table.last.clauses == ("S42-k-1-burn",)
    assert table.permitted == ["continue", "close-shoe"]
    assert [one.fate.value for one in table.records] == ["counted"]
    table.decide("continue")
    assert table.deal("B1 7c; P2 Kd") == []
    assert table.phase is Phase.BETWEEN_COUPS
    assert table.shoe.coups_begun == 1


def test_with_betting_closed_it_comes_before_the_first_card(table) -> None:
    table.deal("no more bets; out 2h; resolve burn-card")
    assert table.phase is Phase.REMEDY_BURN
    assert table.deal("P1 5c") == ["BURN_SHORT"]
    table.decide("continue")
    assert table.deal("extra 6c") == []
    assert table.phase is Phase.BETTING_CLOSED
    assert table.deal("P1 7h") == []


def test_in_mid_coup_a_card_burned_at_once_is_one_of_those_owed(table) -> None:
    table.deal("P 9h; out 2h; resolve burn-card")
    assert table.deal("extra 5c") == []
    assert table.last.clauses == ("S42-k-2-burn",)
    assert table.deal("B 7c; P Kd; B Kh; result player") == []
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 1)


def test_in_mid_coup_it_waits_for_the_end_of_the_coup(table) -> None:
    table.deal("P 9h; out 2h; resolve burn-card")
    assert table.phase is Phase.BANKER_1
    assert table.deal("B 7c; P Kd; B Kh; result player") == []
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 2)


def test_two_of_them_are_owed_together(table) -> None:
    table.deal(f"{NATURAL}; P 2h; more 3h")
    table.decide("burn-card take-over")
    table.deal("result player")
    assert table.shoe.burn_owed == 5
    table.deal("extra 5c")
    assert table.last.clauses == ("S42-k-1-burn", "S42-k-2-burn")


def test_an_amount_nobody_could_read_is_burned_until_play_begins(table) -> None:
    table.deal(f"{NATURAL}; P ??; resolve burn-card")
    assert table.deal("extra 2c; result player") == []
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN_UNCOUNTED, 0)
    assert table.deal("extra 3c; burned 4c") == []
    assert to_words(table.last.what) == "burned; the number owed is not known"
    assert table.deal("P1 7h") == []
    assert table.phase is Phase.BANKER_1


def test_it_also_ends_with_no_more_bets(table) -> None:
    table.deal(f"{NATURAL}; P ??; resolve burn-card; result player")
    assert table.deal("no more bets; P1 7h") == []


def test_after_the_last_hand_the_card_that_ends_it_is_one_too_many(new_table) -> None:
    table = new_table(f"{OPENED}; cut card; {STANDS}; result tie; {NATURAL}; more ??")
    table.deal("resolve burn-card; result player; extra 2c")
    assert table.deal("P1 7h") == ["CARD_AFTER_LAST_COUP"]


@pytest.mark.parametrize("lost", ["lost 2", "lost unproven", "start", "program 2.0"])
def test_with_reports_missing_it_goes_on_without_a_count(table, lost) -> None:
    table.deal(f"{NATURAL}; P 3h; resolve burn-card; result player; extra 2c; {lost}")
    assert "still owed: 2 cards" in remedy_prompts(table)[-1]
    assert table.decide("continue") == ""
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN_UNCOUNTED, 0)
    assert table.deal("extra 3c; P1 7h") == []


@pytest.mark.parametrize("when", ["before the decision", "before the burn"])
def test_a_shoe_that_runs_out_between_coups_closes_and_no_coup_is_affected(new_table, when) -> None:
    """D-14. One deck, 50 cards out: the natural, the card in error, and one or two burned."""
    table = new_table(OPENED, decks=1)
    spare = 47 if when == "before the decision" else 46
    table.deal_up_to(spare)
    table.deal(f"{NATURAL}; P 9c")
    table.decide("burn-card")
    assert table.deal("result player") == []
    if when == "before the burn":
        assert table.phase is Phase.REMEDY_BURN
        assert table.deal("extra 2c") == []
    assert table.phase is Phase.SHOE_OVER
    assert [one.fate.value for one in table.records if one.fate.value != "counted"] == []
    assert table.shoe.remedy.burn_points == ()


def test_a_cut_card_in_such_a_burn_is_one_of_play(table) -> None:
    table.deal(f"{NATURAL}; P 3h; resolve burn-card; result player")
    assert table.deal("cut card") == []
    assert table.shoe.cut.last_coup == 3
    assert table.deal("extra 2c; extra 3c; extra 4c") == []
    assert table.phase is Phase.BETWEEN_COUPS


@pytest.mark.clause("S42-e-6-second")
def test_the_second_cut_card_ends_it_and_the_shoe(table) -> None:
    table.deal(f"{NATURAL}; P 3h; resolve burn-card; result player")
    table.deal("cut card; cut card")
    assert table.phase is Phase.SHOE_OVER


def test_the_second_cut_card_before_the_result_leaves_no_burn_to_do(table) -> None:
    table.deal(f"{NATURAL}; P 3h; resolve burn-card; cut card; cut card; result player")
    assert table.phase is Phase.SHOE_OVER


# --- dealt face down ----------------------------------------------------------------------------


@pytest.mark.parametrize("option", [DealOption.FACE_DOWN_DEALER, DealOption.PLAYERS_REVEAL])
def test_no_text_discloses_the_card_or_its_amount_before_it_was_seen(new_table, option) -> None:
    table = new_table(f"{OPENED}; {NATURAL}; P 4h", deal_option=option, observed=TURNED)
    table.decide("carry-card")
    table.deal("result player; P1 2c")
    texts = [to_words(one.detail) for one in table.irregularities] + remedy_prompts(table)
    assert not any("4" in text or "four" in text for text in texts)
