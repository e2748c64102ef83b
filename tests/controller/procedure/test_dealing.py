"""Dealing a coup: what is accepted, cited and prompted, and the effect of the shoe's claims.

Source: 9 NYCRR 5324.21 (f), (g), (h); Section 42 (g), (h), (k)(1); D-16.
"""

import pytest

from controller.procedure.effects import Prompt
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.verdicts import Accepted
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.setting_values import DealOption
from controller.system.messages.catalogue import to_words

COMPLETE = "P1 7h; B 7c; P Kd; B Kh"
BANKER_DUE = "P 7h; B 2c; P Kd; B Kh"
SIX = "P 2h; B 2c; P Kd; B Kh; P 3d; B 4d"


def test_a_coup_of_six_cards_from_first_card_to_result(table) -> None:
    before = len(table.verdicts)
    assert table.deal(f"{SIX}; result banker") == []
    place_name = [to_words(one.what) for one in table.verdicts[before:]]
    assert place_name == [
        "Player's first card",
        "Banker's first card",
        "Player's second card",
        "Banker's second card",
        "Player's third card",
        "Banker's third card",
        "result banker",
    ]
    (record,) = table.records
    assert [(one.place.value, str(one.card)) for one in record.cards] == [
        ("player_1", "2h"),
        ("banker_1", "2c"),
        ("player_2", "Kd"),
        ("banker_2", "Kh"),
        ("player_3", "3d"),
        ("banker_3", "4d"),
    ]
    assert (record.result.player_count, record.result.banker_count) == (5, 6)


@pytest.mark.clause("S42-h-4")
def test_a_third_card_cites_the_one_extra_card_and_its_hand(table) -> None:
    table.deal(SIX)
    assert table.last.clauses == ("S42-h-4", "S42-g-3-banker", "S42-h-3-order")


# --- calls --------------------------------------------------------------------------------------


@pytest.mark.clause("S42-g-2")
@pytest.mark.clause("S42-h-1-order")
@pytest.mark.clause("S42-j-1-final")
def test_calls_that_nobody_reports_are_prompted_and_recorded_as_not_observed(table) -> None:
    table.effects.clear()
    table.deal(f"{SIX}; result banker")
    prompts = table.of(Prompt)
    assert [prompt.kind.value for prompt in prompts] == ["no_more_bets", "counts", "result"]
    assert [prompt.clauses for prompt in prompts] == [
        ("S42-g-2", "S42-g-3-option", "S42-g-3-i", "S42-g-1"),
        ("S42-h-1-order", "S42-h-1-iii", "S42-h-2", "S42-h-3-order"),
        ("S42-j-1-final",),
    ]
    assert not any(prompt.observed for prompt in prompts)
    assert table.irregularities == []


def test_a_coup_of_four_cards_prompts_both_calls_at_its_last_card(table) -> None:
    table.deal("P 9h; B 7c; P Kd")
    table.effects.clear()
    table.deal("B Kh")
    assert table.prompts() == ["counts", "result"]


@pytest.mark.clause("S42-j-1-tie")
@pytest.mark.parametrize(
    ("option", "calls"),
    [
        (DealOption.FACE_UP, ["counts", "result", "tie_hand"]),
        (DealOption.FACE_DOWN_DEALER, ["counts"]),
        (DealOption.PLAYERS_REVEAL, ["hand_over", "counts"]),
    ],
)
def test_a_tie_has_its_own_call_where_the_cards_lie_face_up(new_table, option, calls) -> None:
    table = new_table("start; burn Ac: 2c; P 7h; B 7c; P Kd", deal_option=option)
    table.effects.clear()
    table.deal("B Kh")
    assert table.prompts() == calls


@pytest.mark.clause("S42-g-2")
def test_a_table_that_senses_no_more_bets_judges_it_and_does_not_prompt(new_table) -> None:
    table = new_table("start; burn Ac: 2c", observed=(ObservableFact.NO_MORE_BETS,))
    assert table.deal(f"no more bets; {COMPLETE}; result tie") == []
    assert "no_more_bets" not in table.prompts()
    assert table.deal("P 7h") == ["CARD_BEFORE_NO_MORE_BETS"]
    assert table.phase is Phase.BANKER_1, "the coup goes on and the call is acknowledged"


def test_no_more_bets_closes_a_coup_whose_result_nobody_reports(new_table) -> None:
    table = new_table(
        f"start; burn Ac: 2c; no more bets; {COMPLETE}", observed=(ObservableFact.NO_MORE_BETS,)
    )
    assert table.deal("no more bets; P1 7h") == []
    assert [record.outcome for record in table.records] == ["tie"]


@pytest.mark.parametrize("words", ["", "start", "start; burn 3c: 2c", "start; burn Ac: 2c; P 7h"])
def test_where_no_coup_can_begin_no_more_bets_changes_nothing(new_table, words) -> None:
    table = new_table(words)
    state = table.state
    assert table.deal("no more bets") == []
    assert table.state == state


def test_no_more_bets_twice(table) -> None:
    assert table.deal("no more bets; no more bets; P 7h") == []
    assert table.shoe.coups_begun == 1


# --- the claim of the shoe -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "claimed"),
    [
        ("P 7h", "P2"),
        ("P 7h; B 2c", "B2"),
        ("P 7h; B 2c; P Kd", "P3"),
        ("P 2h; B 2c; P Kd; B Kh", "B3"),
        (BANKER_DUE, "B2"),
    ],
)
def test_the_order_of_drawing_decides_whose_card_it_is(table, words, claimed) -> None:
    table.deal(words)
    due = table.phase
    assert table.deal(f"{claimed} 4s") == ["CLAIM_DIFFERS"]
    dealt = table.shoe.coup.cards[-1]
    assert dealt.place.value == due.value
    assert dealt.claimed.value != due.value
    assert to_words(table.irregularities[-1].detail).endswith(
        f"the shoe reports {place_name(claimed)}"
    )


def place_name(claimed: str) -> str:
    hand = {"P": "Player", "B": "Banker"}[claimed[0]]
    return f"{hand}'s {('first', 'second', 'third')[int(claimed[1]) - 1]} card"


@pytest.mark.clause("S42-k-1-banker")
def test_a_third_card_given_to_a_standing_player_is_bankers_where_he_must_draw(table) -> None:
    table.deal(BANKER_DUE)
    assert table.deal("P 4s") == ["PLAYER_THIRD_UNAUTHORISED"]
    table.decide("continue")
    assert table.deal("result player") == []
    (record,) = table.records
    assert record.cards[-1].place is Place.BANKER_3
    assert (record.result.player_count, record.result.banker_count) == (7, 6)


def test_the_same_card_on_the_wrong_hand_of_the_last_two_is_one_irregularity_and_the_decks_end(
    new_table,
) -> None:
    table = new_table("start; burn Ac: 2c", decks=1)
    table.deal_up_to(48)
    assert table.deal("P1 2h; B 2c; P Kd; P 3s") == ["CLAIM_DIFFERS", "INSUFFICIENT_CARDS"]


# --- unread and repeated cards ------------------------------------------------------------------


def test_an_unread_card_makes_the_coup_partial_and_the_repetition_fills_it_in(table) -> None:
    table.deal("P 7h; B ??")
    assert table.shoe.coup.partial
    assert table.deal("again B1 2c") == []
    assert str(table.shoe.coup.cards[-1].card) == "2c"
    assert not table.shoe.coup.partial
    assert table.state.open_irregularities, "a floorperson has been asked and answers"


def test_a_repetition_fills_in_a_card_set_aside(table) -> None:
    table.deal("P 9h; B 7c; P Kd; B Kh; P ??")
    assert table.deal("again P3 4c") == []
    assert str(table.shoe.remedy.waiting[0].card) == "4c"
    assert not table.shoe.coup.partial
    assert table.deal("again P3 4c") == []
    assert table.deal("again P3 5c") == ["RETRANSMISSION_CONFLICT"]


@pytest.mark.parametrize(
    "repeated",
    ["again P1 7h", "again B1 2c", "again P1 ??", "again out 2c", "again extra 2c"],
)
def test_a_repeated_report_changes_nothing(table, repeated) -> None:
    table.deal("P 7h; B 2c")
    state = table.state
    assert table.deal(repeated) == []
    assert isinstance(table.last, Accepted)
    assert table.state == state


@pytest.mark.parametrize("words", ["", "start", "start; burn 3c: 2c", "start; burn Ac: 2c"])
def test_a_repeated_report_never_begins_a_coup(new_table, words) -> None:
    table = new_table(words)
    state = table.state
    assert table.deal("again P1 7h") == []
    assert table.state == state


def test_a_repeated_report_never_overwrites_a_known_card(table) -> None:
    table.deal("P 7h; B 2c")
    assert table.deal("again P1 8h") == ["RETRANSMISSION_CONFLICT"]
    assert table.shoe.coup.cards[0].card == Card.parse("7h")


def test_a_repeated_report_is_compared_with_the_first_report_of_that_place(table) -> None:
    table.deal("P 7h; P2 2c")
    assert table.deal("again P2 2c; again B1 2c") == []
    assert table.deal("again B1 3c") == ["RETRANSMISSION_CONFLICT"]


def test_a_repetition_of_a_card_never_reported_is_a_lost_report(table) -> None:
    table.deal("P 7h")
    assert table.deal("again B1 2c") == ["REPORTS_LOST"]
    assert table.shoe.coup.partial
    assert table.deal("again P2 3c") == [], "of a coup already held it says no more"


# --- beyond the coup ----------------------------------------------------------------------------


@pytest.mark.parametrize("claimed", ["P3", "B3", "more"])
def test_a_card_for_a_coup_that_has_its_result_is_drawn_in_error(table, claimed) -> None:
    table.deal(f"{COMPLETE}; result tie")
    assert table.deal(f"{claimed} 4c") == ["OVERDRAW"]
    assert table.shoe.coups_begun == 1
    assert [one.coup for one in table.shoe.remedy.waiting] == [0]


def test_cards_set_aside_are_in_the_record_and_in_no_hand(table) -> None:
    table.deal("P 9h; out 3c; B 7c; P Kd; B Kh")
    table.decide("burn-card take-over")
    table.deal("burned 2c; burned 2d; burned 2h; P 4h")
    table.decide("burn-card")
    table.deal("result player")
    (record,) = table.records
    assert [str(one.card) for one in record.aside] == ["3c", "4h"]
    assert len(record.cards) == 4
    assert record.irregular == (1, 2, 3)
