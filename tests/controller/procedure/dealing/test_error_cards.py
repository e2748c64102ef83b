"""Cards drawn in error: one burn card too many, and cards drawn while one of them waits.

Source: Section 42 (k)(1)-(3), (h)(5); 9 NYCRR 5324.21 (e)(2), (j); D-7, D-11, D-38.
"""

import pytest

from controller.procedure.effects import Refusal
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.rules.profiles.rule_points import RulePoint
from controller.system.messages.catalogue import to_words

OPENED = "start; burn Ac: 2c"
NATURAL = "P1 9h; B 7c; P Kd; B Kh"
STANDS = "P1 7h; B 7c; P Kd; B Kh"
TURNED = (ObservableFact.TURNED,)


def cards_of(record) -> list[str]:
    return [str(one.card) for one in record.cards]


# --- one burn card too many (D-38) --------------------------------------------------------------

BURNED_FOR_FOUND = "P 2h; found face up; resolve continue; burned 3c; burned 4c"


@pytest.mark.clause("S42-k-2-carry")
@pytest.mark.parametrize(
    ("profile", "own"),
    [("s42-mini", "S42-e-6-burnn"), ("ny-mini", "NY-e-2"), ("nj-minibaccarat", "S42-e-6-burnn")],
)
def test_a_burn_card_too_many_is_the_first_card_of_the_next_hand(new_table, profile, own) -> None:
    table = new_table(f"{OPENED}; burned 9h", profile=profile)
    assert table.last.clauses == (own, *table.book.clauses(RulePoint.DRAWN_IN_ERROR))
    assert table.permitted == ["carry-card", "burn-card", "close-shoe"]
    assert table.decide("carry-card") == ""
    assert table.deal("P1 7c; B Kd; P Kh; result player") == []
    assert cards_of(table.records[-1]) == ["9h", "7c", "Kd", "Kh"]


@pytest.mark.clause("S42-k-2-burn")
def test_seen_it_goes_to_the_rack_and_as_many_more_as_its_amount(new_table) -> None:
    table = new_table(f"{OPENED}; burned 3h; resolve burn-card")
    assert [str(card) for card in table.shoe.aside] == ["3h"]
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 3)
    assert table.deal("burned 4c; burned 5c; burned 6c") == []
    assert table.phase is Phase.BETWEEN_COUPS
    assert table.deal("burned 7c") == ["BURN_OVER"], "one too many of this burn"


@pytest.mark.parametrize(("turned", "permitted"), [("", "carry-card"), ("turn error", "burn-card")])
def test_whether_it_was_seen_is_observed_like_of_any_card(new_table, turned, permitted) -> None:
    table = new_table(f"{OPENED}; burned 9h", observed=TURNED)
    table.deal(turned or "stand-by")
    assert table.permitted == [permitted, "close-shoe"]


@pytest.mark.parametrize("profile", ["wa-mini", "house-mini", "house-baccarat"])
def test_only_a_floorperson_who_may_decide_may_simply_continue(new_table, profile) -> None:
    table = new_table(f"{OPENED}; burned 9h", profile=profile)
    assert table.permitted == ["continue", "carry-card", "burn-card", "close-shoe"]
    table.decide("continue")
    assert [str(card) for card in table.shoe.aside] == ["9h"]
    assert table.deal("P1 7h") == [], "nothing is owed"


@pytest.mark.clause("S42-k-2-carry")
def test_after_a_burn_in_mid_coup_it_waits_for_the_next_coup(table) -> None:
    """The coup on the table has no card: the next card is still its first."""
    table.deal(BURNED_FOR_FOUND)
    assert (table.phase, table.shoe.coup.cards) == (Phase.PLAYER_1, ())
    assert table.deal("burned 6s") == ["BURN_OVER"]
    assert table.shoe.coup.cards == ()
    assert table.decide("carry-card") == ""
    assert table.deal("P1 9h; B 7c; P Kd; B Kh; result player") == []
    assert cards_of(table.records[-1]) == ["9h", "7c", "Kd", "Kh"]
    table.deal("no more bets")
    assert [str(one.card) for one in table.shoe.coup.cards] == ["6s"]
    assert table.shoe.coup.number == 2


@pytest.mark.parametrize("before", ["P 7h", "P 7h; B 7c", "P 7h; B 7c; P Kd", "P 2h; B 3c; P Kd"])
def test_in_mid_coup_no_hand_gets_it(table, before) -> None:
    table.deal(before)
    dealt, phase = table.shoe.coup.cards, table.phase
    assert table.deal("extra 6s") == ["BURN_OVER"]
    assert (table.shoe.coup.cards, table.resumes_to) == (dealt, phase)
    table.decide("carry-card")
    assert table.phase is phase


def test_in_the_last_hand_it_goes_to_the_rack(new_table) -> None:
    table = new_table(f"{OPENED}; cut card; {STANDS}; result tie; {BURNED_FOR_FOUND}; burned 6s")
    assert table.permitted == ["continue", "burn-card", "close-shoe"]
    table.decide("continue")
    assert table.deal(f"{NATURAL}; result player") == []
    assert table.phase is Phase.SHOE_OVER


def test_after_the_last_hand_it_is_a_card_after_it(new_table) -> None:
    table = new_table(f"{OPENED}; cut card; {STANDS}; result tie; {NATURAL}; result player")
    assert table.deal("burned 6s") == ["CARD_AFTER_LAST_COUP"]


def test_with_a_closed_shoe_it_goes_to_the_rack_with_it(new_table) -> None:
    table = new_table(f"{OPENED}; burned 9h; resolve close-shoe")
    assert [str(card) for card in table.shoe.aside] == ["9h"]


# --- cards drawn while one waits (D-11) ---------------------------------------------------------

FIRST_COUP = f"{OPENED}; {NATURAL}; result player"
ALL_SEEN = (ObservableFact.RESULT_BUTTON, ObservableFact.NO_MORE_BETS)
ERROR_THEN_DEALT = {
    "outside play": "out 4c; no more bets; P1 9s; B1 2c",
    "a late claim": "more 4c; no more bets; P1 9s; B1 2c",
    "a burn card too many": "burned 4c; no more bets; P1 9s; B1 2c",
    "after the call": "no more bets; out 4c; P1 9s; B1 2c",
    "without the call": "out 4c; P1 9s; B1 2c",
    "in the hand before": f"{NATURAL}; P 4c; result player; no more bets; P1 9s; B1 2c",
    "called before its result": f"{NATURAL}; P 4c; no more bets; P1 9s; B1 2c",
    "dealt before its result": f"{NATURAL}; P 4c; P1 9s; B1 2c",
}


@pytest.mark.clause("S42-k-2-carry")
@pytest.mark.parametrize("profile", ["s42-mini", "ny-mini", "wa-mini"])
@pytest.mark.parametrize("words", ERROR_THEN_DEALT.values(), ids=ERROR_THEN_DEALT)
def test_what_is_drawn_while_it_waits_follows_it_in_the_order_of_drawing(
    new_table, profile, words
) -> None:
    table = new_table(f"{FIRST_COUP}; {words}", profile=profile)
    begun = table.shoe.coups_begun
    assert table.shoe.coup is None, "no coup begins while it waits"
    assert [str(one.card) for one in table.shoe.remedy.waiting] == ["4c", "9s", "2c"]
    assert table.decide("carry-card take-over") == ""
    assert [str(one.card) for one in table.shoe.coup.cards] == ["4c", "9s", "2c"]
    assert (table.shoe.coup.number, table.phase) == (begun + 1, Phase.BANKER_2)
    assert table.deal("P2 3d") == [], "the shoe's count is one off"
    assert table.phase is Phase.BANKER_3


def test_the_call_is_remembered(new_table) -> None:
    table = new_table(OPENED, observed=ALL_SEEN)
    assert table.deal("out 4c; no more bets; P1 9s") == [
        *("CARD_OUTSIDE_PLAY", "DEALT_WHILE_SUSPENDED")
    ]
    table.decide("carry-card take-over")
    assert [str(one.card) for one in table.shoe.coup.cards] == ["4c", "9s"]


def test_a_call_that_was_not_made_is_raised_once(new_table) -> None:
    table = new_table(OPENED, observed=ALL_SEEN)
    assert table.deal("out 4c; P1 9s; B1 2c") == [
        *("CARD_OUTSIDE_PLAY", "CARD_BEFORE_NO_MORE_BETS", "DEALT_WHILE_SUSPENDED")
    ]


def test_after_the_call_alone_the_coup_begins_with_the_next_card(new_table) -> None:
    table = new_table(f"{OPENED}; out 4c; no more bets", observed=ALL_SEEN)
    assert table.decide("carry-card") == ""
    assert (table.phase, table.shoe.coups_begun) == (Phase.BETTING_CLOSED, 0)
    assert table.deal("P1 9s; B1 2c") == []
    assert [str(one.card) for one in table.shoe.coup.cards] == ["4c", "9s", "2c"]


@pytest.mark.clause("S42-k-2-burn")
@pytest.mark.parametrize(
    ("error", "owed", "dealt"), [("4c", 2, []), ("2s", 0, []), ("Ac", 0, ["2c"])]
)
def test_burned_the_cards_drawn_after_it_are_the_first_of_those_owed(
    table, error, owed, dealt
) -> None:
    table.deal(f"out {error}; no more bets; P1 9s; B1 2c")
    table.decide("burn-card take-over")
    assert table.shoe.burn_owed == owed
    without_burn = Phase.BANKER_1 if dealt else Phase.BETTING_CLOSED
    assert table.phase is (Phase.REMEDY_BURN if owed else without_burn)
    cards = table.shoe.coup.cards if table.shoe.coup is not None else ()
    assert [str(one.card) for one in cards] == dealt
    assert table.deal("; ".join(["burned 5c"] * owed) or "stand-by") == []


@pytest.mark.clause("S42-k-2-burn")
@pytest.mark.parametrize("before", ["", NATURAL, "P 7h"])
def test_a_burn_begun_before_the_decision_is_the_one_it_asks_for(table, before) -> None:
    table.deal(f"{before or 'stand-by'}; out 3c; burned 5c; burned 6c")
    table.decide("burn-card take-over")
    assert table.shoe.remedy.burn_later + table.shoe.burn_owed == 1
    assert [str(card) for card in table.shoe.aside if str(card) != "3c"] == ["5c", "6c"]


def test_void_they_go_to_the_rack_and_betting_is_open_again(new_table) -> None:
    table = new_table(f"{OPENED}; out 4c; no more bets; P1 9s; B1 2c", observed=ALL_SEEN)
    table.decide("carry-card void")
    assert ([str(card) for card in table.shoe.aside], table.phase) == (
        ["9s", "2c"],
        Phase.BETWEEN_COUPS,
    )
    assert table.deal("no more bets") == []
    assert [str(one.card) for one in table.shoe.coup.cards] == ["4c"]


@pytest.mark.parametrize(("profile", "words"), [("wa-mini", ""), ("house-mini", "lost 1; ")])
def test_gone_on_with_the_cards_drawn_after_it_are_dealt_without_it(
    new_table, profile, words
) -> None:
    table = new_table(f"{OPENED}; {words}out 4c; P1 9s; B1 2c", profile=profile)
    table.decide("continue take-over")
    assert [str(one.card) for one in table.shoe.coup.cards] == ["9s", "2c"]
    assert table.deal("P2 3d; B2 4d") == [], "the shoe's count is right"


def test_a_burn_card_drawn_after_it_stays_in_the_rack_where_nothing_is_burned(new_table) -> None:
    table = new_table(f"{OPENED}; out 4c; burned 5c", profile="wa-mini")
    table.decide("continue take-over")
    assert [str(card) for card in table.shoe.aside] == ["4c", "5c"]


def test_with_a_closed_shoe_all_of_them_go_to_the_rack(table) -> None:
    table.deal("out 4c; no more bets; P1 9s; B1 2c; resolve close-shoe take-over")
    assert [str(card) for card in table.shoe.aside] == ["4c", "9s", "2c"]


def test_more_than_one_hand_needs_waits_for_the_next(table) -> None:
    table.deal("out 4c; P1 9s; B1 4d; P2 Kd; B2 Kh; P1 7d")
    table.decide("carry-card take-over")
    assert len(table.shoe.coup.cards) == 4
    assert [str(one.card) for one in table.shoe.remedy.carried] == ["Kh", "7d"]
    assert table.deal("result tie; no more bets") == ["RESULT_MISMATCH"]


# --- a result declared while cards are held ------------------------------------------------------

WHOLE_HAND = "P1 3s; B1 2c; P2 Kd; B2 Kh"


@pytest.mark.clause("S42-k-2-carry")
@pytest.mark.parametrize("profile", ["s42-mini", "ny-mini", "wa-mini"])
def test_it_is_kept_and_judged_after_them(new_table, profile) -> None:
    table = new_table(f"{OPENED}; no more bets; out 4c", profile=profile, observed=ALL_SEEN)
    assert table.deal(f"{WHOLE_HAND}; result player") == ["DEALT_WHILE_SUSPENDED"]
    assert table.decide("carry-card take-over") == ""
    (record,) = table.records
    assert cards_of(record) == ["4c", "3s", "2c", "Kd", "Kh"]
    assert (record.outcome, record.declared, record.fate.value) == ("player", "player", "counted")
    assert (table.phase, table.irregularities[-1].code) == (
        Phase.BETWEEN_COUPS,
        "DEALT_WHILE_SUSPENDED",
    )


def test_a_second_one_before_the_next_call_is_kept_too(table) -> None:
    table.deal(f"out 4c; {WHOLE_HAND}; result player; burned 7d; result tie")
    assert (
        to_words(table.last.what) == "result tie, kept with the cards held: the decision applies it"
    )
    assert table.resumes_to is Phase.BETWEEN_COUPS


def test_the_cards_after_it_are_the_next_hand(new_table) -> None:
    table = new_table(f"{OPENED}; no more bets; out 4c", observed=ALL_SEEN)
    dealt = f"{WHOLE_HAND}; result player; no more bets; P1 7d; B1 8d"
    assert table.deal(dealt) == ["DEALT_WHILE_SUSPENDED"]
    table.decide("carry-card take-over")
    assert [cards_of(one) for one in table.records] == [["4c", "3s", "2c", "Kd", "Kh"]]
    assert [str(one.card) for one in table.shoe.coup.cards] == ["7d", "8d"]
    assert table.deal("P2 Kc; B2 Ks; result banker") == [], "of this hand the shoe's count is right"


def test_the_next_hand_has_to_be_called_too(new_table) -> None:
    table = new_table(f"{OPENED}; no more bets; out 4c; {WHOLE_HAND}", observed=ALL_SEEN)
    assert table.deal("result player; P1 7d") == ["CARD_BEFORE_NO_MORE_BETS"]


def test_two_results_end_two_hands(table) -> None:
    table.deal(f"out 4c; {WHOLE_HAND}; result player; P1 7d; B1 8d; P2 Kc; B2 Ks; result banker")
    table.decide("carry-card take-over")
    assert [one.outcome for one in table.records] == ["player", "banker"]


def test_another_result_than_that_of_the_cards_is_a_mismatch_at_the_decision(table) -> None:
    table.deal(f"out 4c; {WHOLE_HAND}; result banker; P1 7d")
    table.decide("carry-card take-over")
    assert table.irregularities[-1].code == "RESULT_MISMATCH"
    assert table.decide("continue") == ""
    assert [one.outcome for one in table.records] == ["player"]
    assert [str(one.card) for one in table.shoe.coup.cards] == ["7d"]


def test_where_they_do_not_make_the_hand_complete_it_is_judged_then(table) -> None:
    table.deal("out 4c; P1 2s; B1 2c; P2 Kd; result banker; P1 7d")
    table.decide("carry-card take-over")
    assert [one.code for one in table.irregularities][-1:] == ["MISSING_CARD"]
    assert [str(one.card) for one in table.shoe.coup.cards] == ["4c", "2s", "2c", "Kd", "7d"]


def test_of_more_cards_than_the_hand_needs_those_left_over_wait_for_the_next(table) -> None:
    table.deal("out 4c; P1 9s; B1 4d; P2 Kd; B2 Kh; result banker")
    table.decide("carry-card take-over")
    (record,) = table.records
    assert (cards_of(record), record.outcome) == (["4c", "9s", "4d", "Kd"], "banker")
    assert [str(one.card) for one in table.shoe.remedy.carried] == ["Kh"]
    assert table.phase is Phase.BETWEEN_COUPS


@pytest.mark.clause("S42-k-2-burn")
def test_burned_cards_had_no_result(table) -> None:
    table.deal(f"out 4c; {WHOLE_HAND}; result player")
    table.decide("burn-card take-over")
    assert table.irregularities[-1].code == "RESULT_WITHOUT_COUP"
    assert (table.records, table.phase) == ([], Phase.BETWEEN_COUPS)


def test_a_burn_card_after_the_hand_changes_nothing_of_its_result(table) -> None:
    table.deal("out Ac; burned 6c; P1 9s; B1 7c; P2 Kd; B2 Kh; burned 5c; result player")
    table.decide("burn-card take-over")
    assert [(cards_of(one), one.outcome) for one in table.records] == [
        (["9s", "7c", "Kd", "Kh"], "player")
    ]


def test_void_the_result_is_void_with_them(table) -> None:
    table.deal(f"out 4c; {WHOLE_HAND}; result player")
    table.decide("carry-card void")
    assert (table.records, table.irregularities[-1].code) == ([], "DEALT_WHILE_SUSPENDED")
    assert table.phase is Phase.BETWEEN_COUPS


@pytest.mark.parametrize("words", ["out 4c", "out 4c; burned 5c"])
def test_with_no_card_of_a_hand_held_it_belongs_to_no_coup(table, words) -> None:
    table.deal(words)
    assert table.deal("result player") == ["RESULT_WITHOUT_COUP"]


def test_said_twice_the_second_belongs_to_no_coup(table) -> None:
    table.deal(f"out 4c; {WHOLE_HAND}; result player")
    assert table.deal("result player") == ["RESULT_WITHOUT_COUP"]


def test_after_the_result_the_card_before_it_can_no_longer_be_found_face_up(table) -> None:
    table.deal(f"out 4c; {WHOLE_HAND}; result player")
    assert table.deal("found face up") == []
    assert len(table.of(Refusal)) == 1


def test_with_reports_missing_each_result_ends_a_partial_coup(table) -> None:
    table.deal(f"out 4c; {WHOLE_HAND}; result player; P1 7d; lost 1")
    assert table.decide("void-coup take-over") == ""
    assert [(one.fate.value, one.declared) for one in table.records] == [
        ("void", "player"),
        ("void", None),
    ]


def test_with_reports_missing_after_the_last_hand_the_cards_after_it_are_of_no_hand(
    new_table,
) -> None:
    table = new_table(f"{OPENED}; cut card; {STANDS}; result tie; out 4c; {WHOLE_HAND}")
    table.deal("result player; P1 7d; lost 1")
    assert table.resumes_to is Phase.SHOE_OVER
    assert [str(card) for card in table.shoe.aside] == ["7d"]


def test_the_last_hand_of_the_shoe_ends_with_it(new_table) -> None:
    table = new_table(f"{OPENED}; cut card; {STANDS}; result tie; out 4c; {WHOLE_HAND}")
    table.deal("result player; resolve carry-card take-over")
    assert (len(table.records), table.phase) == (2, Phase.SHOE_OVER)


def test_seen_face_up_the_last_of_them_is_burned_for_and_the_others_wait(table) -> None:
    table.deal("out 4c; P1 9s; B1 2c; found face up")
    assert [str(one.card) for one in table.shoe.remedy.waiting] == ["4c", "9s"]
    assert (table.resumes_to, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 2)
    table.deal("burned 5c; burned 6c")
    table.decide("carry-card take-over")
    assert [str(one.card) for one in table.shoe.coup.cards] == ["4c", "9s"]


def test_turning_the_card_in_error_means_none_of_them(new_table) -> None:
    table = new_table(f"{OPENED}; out 4c; P1 9s; turn error", observed=TURNED)
    assert [one.turned for one in table.shoe.remedy.waiting] == [True, False]


@pytest.mark.parametrize("lost", ["lost 1", "lost unproven", "start", "program 2.0"])
def test_with_reports_missing_after_them_they_are_a_partial_coup(table, lost) -> None:
    table.deal(f"out 4c; P1 9s; burned 5c; B1 2c; {lost}")
    assert [str(one.card) for one in table.shoe.coup.cards] == ["9s", "2c"]
    assert [str(one.card) for one in table.shoe.coup.aside] == ["5c"]
    assert table.permitted == ["void-coup", "state-outcome", "close-shoe"]
    assert table.decide("state-outcome tie take-over") == ""
    assert [one.fate.value for one in table.records] == ["floor_decided"]


def test_with_reports_missing_before_them_the_shoe_says_where_the_hand_begins(table) -> None:
    table.deal("out 4c; lost 2; P1 9s; B1 2c")
    assert [str(one.card) for one in table.shoe.coup.cards] == ["9s", "2c"]


@pytest.mark.parametrize("unread", ["P1 ??", "burned ??"])
def test_an_unread_one_is_raised_when_it_is_drawn(table, unread) -> None:
    assert table.deal(f"out 4c; {unread}") == [
        *("CARD_OUTSIDE_PLAY", "CARD_UNREADABLE", "DEALT_WHILE_SUSPENDED")
    ]
    assert len(table.shoe.remedy.waiting) == 2
    assert table.permitted == ["carry-card", "burn-card", "close-shoe"]


def test_an_unread_one_is_no_reason_to_void_the_coup_before(table) -> None:
    table.deal(f"{NATURAL}; P 4h; burned ??")
    assert table.permitted == ["carry-card", "burn-card", "close-shoe"]


def test_an_unread_one_makes_its_hand_partial(table) -> None:
    table.deal("out 4c; P1 ??")
    table.decide("carry-card take-over")
    assert table.irregularities[-1].code == "CARD_UNREADABLE"
    assert table.permitted == ["void-coup", "state-outcome", "close-shoe"]


def test_with_wagers_observed_they_close_betting(new_table) -> None:
    observed = (ObservableFact.WAGERS,)
    table = new_table(f"{OPENED}; out 4c; P1 9s", profile="wa-mini", observed=observed)
    assert table.deal("wagers 5 banker 100") == ["WAGER_CHANGED_LATE"]


# --- a burn whose amount nobody could read -------------------------------------------------------


@pytest.mark.clause("S42-k-2-burn")
def test_an_unread_card_is_burned_for_also_after_a_card_in_error_that_was_read(new_table) -> None:
    table = new_table(f"{OPENED}; {NATURAL}; P ??; resolve burn-card; P 3h; resolve burn-card")
    assert (table.shoe.remedy.burn_later, table.shoe.remedy.unread_later) == (3, True)
    table.deal("result player")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN_UNCOUNTED, 0)


@pytest.mark.clause("S42-k-2-burn")
def test_a_burn_that_a_void_coup_breaks_off_is_added_to_what_is_owed_after_it(table) -> None:
    table.deal("P 9h; B 7c; out 3c; resolve burn-card; P Kd; B Ah; found face up; resolve continue")
    assert (table.phase, table.shoe.burn_owed) == (Phase.COUP_BURN, 1)
    assert table.shoe.remedy.burn_later == 3
    assert table.deal("result player") == ["MISSING_CARD"]
    table.decide("void-coup")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 3 + 1)


@pytest.mark.clause("S42-k-2-burn")
def test_a_burn_put_off_by_a_card_read_later_is_added_to_what_is_owed(new_table) -> None:
    """The held card is seen during the burn after a coup, which then is on the table again."""
    table = new_table(f"{OPENED}; P 9h; B 7c; out 3c", observed=TURNED)
    table.decide("carry-card")
    table.deal("out 4c; turn error; resolve burn-card; P Kd; B ??; result tie")
    assert (table.resumes_to, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 4)
    table.deal("turn error")
    assert (table.shoe.burn_owed, table.shoe.remedy.burn_later) == (4, 3)
    assert table.deal("again B2 Kh") == ["RESULT_MISMATCH"]
    assert (table.shoe.burn_owed, table.shoe.remedy.burn_later) == (0, 3 + 4)
    table.decide("continue")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 3 + 4)
