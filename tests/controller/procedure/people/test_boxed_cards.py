"""Boxed cards (found face up in the shoe), wherever they were drawn to.

Source: Section 42 (k)(3), (k)(4); D-12, D-13, D-14.
"""

import pytest

from controller.procedure.effects import BurnDone, Prompt, Refusal
from controller.procedure.phases import Phase
from controller.rules.cards import Card
from controller.rules.setting_values import BurnMode
from controller.system.messages.catalogue import to_words

OPENED = "start; burn Ac: 2c"
FOUND = "found face up; resolve continue"
FOUR = "P 2h; B 7c; P Kd; B Kh"
NATURAL = "P1 9h; B 7c; P Kd; B Kh"


def remedy_prompts(table) -> list[str]:
    return [to_words(one.text) for one in table.of(Prompt) if one.kind.value == "remedy"]


@pytest.mark.clause("S42-k-3-unused")
@pytest.mark.clause("S42-k-3-extra")
@pytest.mark.parametrize(
    ("dealt", "due"),
    [
        ("P 2d", "player_1"),
        ("P 7h; B 2d", "banker_1"),
        ("P 7h; B 7c; P 2d", "player_2"),
        ("P 7h; B 7c; P Kd; B 2d", "banker_2"),
        (f"{FOUR}; P 2d", "player_3"),
        ("P 7h; B 2c; P Kd; B Kh; B 2d", "banker_3"),
    ],
)
def test_it_leaves_its_hand_its_amount_is_burned_and_the_same_card_is_due_again(
    table, dealt, due
) -> None:
    table.deal(dealt)
    cards = len(table.shoe.coup.cards)
    assert table.deal("found face up") == ["FOUND_FACE_UP"]
    assert table.last.clauses == ("S42-k-3-unused", "S42-k-3-extra")
    assert len(table.shoe.coup.cards) == cards - 1
    assert [str(one.card) for one in table.shoe.coup.aside] == ["2d"]
    assert table.permitted == ["continue", "close-shoe"]
    assert table.decide("continue") == ""
    assert (table.phase, table.shoe.burn_owed) == (Phase.COUP_BURN, 2)
    assert table.deal("extra 5c") == []
    assert table.last.clauses == ("S42-k-3-extra",)
    assert table.deal("B2 6c") == [], "whatever the shoe claims"
    assert table.phase.value == due


@pytest.mark.clause("S42-k-3-extra")
def test_the_remedy_is_prompted(table) -> None:
    table.deal("P 7h; B Kd; found face up")
    assert remedy_prompts(table) == [
        "put the card into the discard rack and burn 10 cards more, face up",
        "burn 10 cards, face up",
    ]


def test_the_third_card_ruling_is_made_again(table) -> None:
    """Banker 7 stands after a six, whatever the card before it would have called for."""
    table.deal(f"{FOUR}; P Ad; {FOUND}; extra 5c")
    assert table.phase is Phase.PLAYER_3
    assert table.deal("P3 6d; result player") == []
    (record,) = table.records
    assert [str(one.card) for one in record.cards][-1] == "6d"
    assert [str(one.card) for one in record.aside] == ["Ad"]


def test_a_natural_found_face_up_is_none(table) -> None:
    table.deal("P 9h; B 2c; P Kd; B 6h; found face up")
    assert table.resumes_to is Phase.COUP_BURN
    table.decide("continue")
    table.deal("; ".join(["extra 5c"] * 6))
    assert table.phase is Phase.BANKER_2


def test_the_first_card_of_a_coup_may_be_one_and_the_coup_keeps_its_number(table) -> None:
    table.deal(f"P 2d; {FOUND}; extra 5c; extra 6c")
    assert table.phase is Phase.PLAYER_1
    assert table.deal("no more bets; P1 9h; B 7c; P Kd; B Kh; result player") == []
    assert [one.coup for one in table.records] == [1]


def test_in_that_coup_a_result_or_a_forced_exit_is_of_that_coup(table) -> None:
    table.deal(f"P Ad; {FOUND}; extra 5c")
    assert table.deal("result tie") == ["MISSING_CARD"]
    table.decide("void-coup")
    assert table.phase is Phase.BETWEEN_COUPS


def test_a_declared_result_does_not_hold_without_the_card(table) -> None:
    table.deal(f"{NATURAL}; result tie; found face up")
    assert table.resumes_to is Phase.COUP_BURN
    assert table.shoe.coup.declared is None


def test_a_card_of_a_partial_coup_is_burned_for_after_it(table) -> None:
    table.deal("P 7h; lost 1; P2 2d; found face up")
    assert table.resumes_to is Phase.PARTIAL
    table.decide("void-coup take-over")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 2)


def test_one_that_nobody_could_read_is_burned_for_without_a_count(table) -> None:
    table.deal("P 7h; B ??; found face up")
    assert "void-coup" not in table.permitted, "(k)(3) prescribes what follows"
    table.decide("void-coup second")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN_UNCOUNTED, 0)


# --- in a burn ----------------------------------------------------------------------------------


@pytest.mark.clause("S42-k-3-extra")
def test_in_the_burn_before_play_its_own_amount_is_added(new_table) -> None:
    table = new_table("start; burn 4c: 2c; found face up")
    assert table.shoe.burn_owed == 4 + 2, "it is none of the four"
    table.decide("continue")
    assert table.deal("; ".join(["burned 5c"] * 6)) == []
    assert table.of(BurnDone) == [BurnDone(Card.parse("4c"), 8, True)]


def test_as_the_first_burn_card_it_sets_no_amount(new_table) -> None:
    table = new_table(f"start; burn 2c; {FOUND}")
    assert table.shoe.burn_owed == 2
    assert table.deal("burned 5c; burned 6c") == []
    assert table.phase is Phase.BURN_FIRST
    assert table.deal("burn Ac: 3c") == []
    assert table.of(BurnDone) == [BurnDone(Card.parse("Ac"), 2, True)]
    assert [str(card) for card in table.shoe.aside] == ["2c", "5c", "6c"]


@pytest.mark.parametrize("lost", ["lost 2", "start"])
def test_and_with_reports_missing_meanwhile_the_burn_before_play_has_no_count(
    new_table, lost
) -> None:
    table = new_table(f"start; burn 2c; {FOUND}; burned 5c; {lost}")
    table.decide("continue")
    assert not table.shoe.burn_proven
    assert table.deal("burned 6c; P1 7h") == []


def test_as_the_only_card_of_a_fixed_burn_it_adds_its_amount(new_table) -> None:
    table = new_table("start", burn_mode=BurnMode.FIXED, burn_fixed_count=1)
    table.deal(f"burn 2c; {FOUND}")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 3)


@pytest.mark.clause("S42-k-3-extra")
@pytest.mark.parametrize("before", [OPENED, f"{OPENED}; no more bets"])
def test_as_the_last_card_of_the_burn_it_is_none_of_those_owed(new_table, before) -> None:
    table = new_table(f"{before}; {FOUND}")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 3)
    assert table.deal("extra 5c; extra 6c; extra 7c; P1 7h") == []
    assert table.phase is Phase.BANKER_1


LAST_HAND = f"{OPENED}; cut card; {NATURAL}; result player; {NATURAL}; out 2d"


@pytest.mark.clause("S42-k-3-extra")
@pytest.mark.parametrize("last", ["burned 3c", "unclaimed 3c"])
def test_as_the_last_card_of_the_burn_after_the_last_hand_it_is_burned_for(new_table, last) -> None:
    table = new_table(f"{LAST_HAND}; resolve burn-card; result player; burned 5c; {last}")
    assert table.phase is Phase.SHOE_OVER
    assert table.deal("found face up") == ["FOUND_FACE_UP"]
    assert table.shoe.remedy.burn_later == 4, "its amount, and one in its place"
    assert any(
        "4 cards more, face up, before the reshuffle" in to_words(one.text)
        for one in table.of(Prompt)
    )
    assert table.decide("continue") == ""
    table.deal("no more bets")
    assert (
        to_words(table.last.what)
        == '"no more bets" opens no coup: burn 4 cards before the reshuffle'
    )
    assert table.deal("burned 5h; burned 6h; extra 7h; unclaimed 8h") == []
    assert (table.phase, table.shoe.remedy.owes_burn) == (Phase.SHOE_OVER, False)
    assert table.deal("burned 9h") == ["CARD_AFTER_LAST_COUP"]


def test_and_so_is_the_last_of_that_burn(new_table) -> None:
    table = new_table(f"{LAST_HAND}; resolve burn-card; result player; burned 5c; burned Ac")
    table.deal("found face up; resolve continue; burned 5h; burned As; found face up")
    assert table.shoe.remedy.burn_later == 2


@pytest.mark.parametrize(
    "words", [f"{OPENED}; close shoe", f"{LAST_HAND}; resolve burn-card; result player; burned 5c"]
)
def test_in_a_shoe_that_a_person_closed_nothing_more_is_burned(new_table, words) -> None:
    table = new_table(words)
    if table.phase is Phase.REMEDY_BURN:
        table.deal("close shoe")
    assert table.phase is Phase.SHOE_OVER
    assert table.deal("found face up") == []
    assert len(table.of(Refusal)) == 1


def test_in_a_burn_without_a_count_nothing_is_counted(new_table) -> None:
    table = new_table("start; lost 2; resolve continue; burned 3c; found face up")
    assert table.shoe.burn_owed == 0


def test_an_unread_card_in_the_burn_is_burned_for_after_it(new_table) -> None:
    table = new_table("start; burn 2c: ??; found face up; resolve continue")
    assert table.shoe.burn_owed == 2, "it is none of the two"
    table.deal("burned 4c; burned 6c")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN_UNCOUNTED, 0)
    assert table.deal("extra 5c; P1 7h") == []


@pytest.mark.clause("S42-k-3-extra")
def test_in_a_burn_for_an_irregularity_its_own_amount_is_added(table) -> None:
    table.deal(f"P 7h; B 2d; {FOUND}; extra 3c; found face up")
    assert table.shoe.burn_owed == 2 + 3, "it is none of the two"
    assert remedy_prompts(table)[-1].endswith("burn 5 cards more, face up")
    table.decide("continue")
    assert table.deal("; ".join(["extra 5c"] * 5)) == []
    assert table.phase is Phase.BANKER_1


@pytest.mark.clause("S42-k-3-extra")
@pytest.mark.parametrize("profile", ["s42-mini", "ny-mini", "wa-mini", "house-baccarat"])
@pytest.mark.parametrize(
    ("words", "owed"),
    [
        (f"P 7h; B 2d; {FOUND}; extra 3c; extra Qh", 1 + 10),
        (f"P 4h; {FOUND}; extra Qh", 4 + 10),
        (f"P 7h; B Ad; {FOUND}; extra Ah", 1 + 1),
        (f"{NATURAL}; P 2h; resolve burn-card; result player; extra 3c; extra 9d", 1 + 9),
    ],
)
def test_there_too_as_the_last_card_it_is_none_of_those_owed(
    new_table, profile, words, owed
) -> None:
    table = new_table(f"{OPENED}; {words}", profile=profile)
    coup, after = table.shoe.coup, table.phase
    assert table.deal("found face up") == ["FOUND_FACE_UP"]
    table.decide("continue")
    burn = Phase.REMEDY_BURN if coup is None else Phase.COUP_BURN
    assert (table.phase, table.shoe.burn_owed) == (burn, owed)
    assert table.deal("; ".join(["extra 5c"] * owed)) == []
    assert table.phase is (Phase.PLAYER_1 if after is Phase.COUP_BURN else after)


def test_one_after_the_other_each_adds_its_own(table) -> None:
    table.deal(f"P 7h; B 2d; {FOUND}; extra 3c; {FOUND}; extra 4c; {FOUND}")
    assert table.shoe.burn_owed == 2 + 3 + 4


def test_while_the_table_waits_for_a_decision_it_is_none_of_them_either(table) -> None:
    table.deal("P 7h; B 2d; found face up; extra 3c; extra 4c; found face up")
    assert (table.resumes_to, table.shoe.burn_owed) == (Phase.COUP_BURN, 1 + 4)


def test_a_card_burned_before_the_result_is_burned_for_before_the_next_hand(table) -> None:
    table.deal(f"{NATURAL}; P Ah; resolve burn-card; extra 3c; found face up")
    table.decide("continue")
    table.deal("result player")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 1 + 3)


def test_an_unread_card_in_it_is_none_of_them_either(table) -> None:
    table.deal(f"P 7h; B 2d; {FOUND}; extra ??; found face up")
    assert table.shoe.burn_owed == 2


# --- a card in error that lay face up ------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "phase"),
    [
        ("P 7h; out 2d", "banker_1"),
        ("no more bets; out 2d", "betting_closed"),
        ("out 2d", "between_coups"),
    ],
)
def test_drawn_in_error_it_is_no_longer_carried_but_burned_for_at_once(table, words, phase) -> None:
    table.deal(f"{words}; found face up")
    assert table.permitted == ["continue", "close-shoe"]
    table.decide("continue")
    table.deal("extra 5c; extra 6c")
    assert table.phase.value == phase


def test_after_complete_hands_it_is_burned_for_before_the_next_hand(table) -> None:
    table.deal(f"{NATURAL}; P 2d; found face up")
    assert table.resumes_to is Phase.RESULT
    table.decide("continue")
    table.deal("result player")
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 2)


def test_held_for_the_next_hand_it_is_held_no_more(table) -> None:
    table.deal(f"{NATURAL}; P 2d; resolve carry-card; found face up; resolve continue")
    assert table.shoe.remedy.carried == ()
    table.deal("result player; extra 5c; extra 6c; P1 7h")
    assert len(table.shoe.coup.cards) == 1


def test_before_the_burn_it_is_burned_for_and_then_the_burn_begins(new_table) -> None:
    table = new_table("start; out Ad; found face up; resolve continue; burned 5c")
    assert table.phase is Phase.BURN_FIRST


# --- none can be meant --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "",
        "start",
        f"{OPENED}; close shoe",
        f"{OPENED}; {NATURAL}; result player",
        f"{OPENED}; {NATURAL}; P 2d; resolve burn-card",
        f"{OPENED}; P 2d; found face up",
        f"{OPENED}; close shoe; out 2d",
    ],
)
def test_where_no_card_can_be_meant_it_is_refused_in_words(new_table, words) -> None:
    table = new_table(words)
    state = table.state
    table.effects.clear()
    assert table.deal("found face up") == []
    (refused,) = table.of(Refusal)
    assert to_words(refused.why) == "there is no last card that can still be taken out of play"
    assert refused.clauses == ("S42-k-3-unused",)
    assert table.state == state


# --- the shoe runs out --------------------------------------------------------------------------


@pytest.mark.clause("S42-k-4-void")
@pytest.mark.clause("S42-k-4-restart")
@pytest.mark.parametrize("spare", [0, 2])
def test_in_mid_coup_a_shoe_that_runs_out_in_the_burn_voids_the_coup(new_table, spare) -> None:
    table = new_table(OPENED, decks=1)
    table.deal_up_to(50 - spare)
    table.deal("P1 7h; B 9d")
    codes = table.deal("found face up")
    if spare:
        assert codes == ["FOUND_FACE_UP"]
        table.decide("continue")
        codes = table.deal("extra 2c; extra 3c")
    assert codes[-1] == "INSUFFICIENT_CARDS"
    assert table.permitted == ["close-shoe"]
    assert set(table.last.clauses) == {"S42-k-4-void", "S42-k-4-restart"}
    table.decide("close-shoe")
    assert table.records[-1].fate.value == "void"
    assert table.phase is Phase.SHOE_OVER


def test_the_second_cut_card_in_it_does_the_same(table) -> None:
    table.deal(f"P 7h; B 9d; {FOUND}; cut card")
    assert table.deal("cut card") == ["INSUFFICIENT_CARDS"]


@pytest.mark.parametrize("lost", ["lost 2", "program 2.0", "start"])
def test_in_mid_coup_with_reports_missing_the_coup_is_partial(table, lost) -> None:
    table.deal(f"P 7h; B 9d; {FOUND}; extra 2c; {lost}")
    assert table.resumes_to is Phase.PARTIAL
    assert "still owed: 8 cards" in remedy_prompts(table)[-1]
    table.decide("void-coup")
    assert table.phase is Phase.BETWEEN_COUPS


def test_in_mid_coup_what_is_left_of_it_comes_after_a_void_coup(table) -> None:
    assert table.deal(f"P 7h; B 9d; {FOUND}; extra 2c; result tie")[-1] == "MISSING_CARD"
    assert (table.resumes_to, table.shoe.burn_owed) == (Phase.COUP_BURN, 8)
    assert table.decide("void-coup") == ""
    assert table.records[-1].fate == "void"
    assert (table.phase, table.shoe.burn_owed) == (Phase.REMEDY_BURN, 8)


@pytest.mark.parametrize("decision", ["continue", "void-coup"])
def test_a_result_declared_in_mid_coup_burn_leaves_the_coup(table, decision) -> None:
    """Undecided it would be left when the burn is done; the decision goes on with it or ends it."""
    table.deal(f"P 7h; B 2d; {FOUND}; extra 2c; result tie; extra 3c")
    assert table.resumes_to is Phase.ABANDONED
    assert table.decide(f"{decision} take-over") == ""
    phase = Phase.BANKER_1 if decision == "continue" else Phase.BETWEEN_COUPS
    assert (table.phase, table.shoe.burn_owed) == (phase, 0)
