"""Dealing that continues while the table is suspended, and the effect of the decision on it.

Source: D-32.
"""

import pytest

from controller.procedure.effects import CoupClosed, ResolutionRecorded, ShoeEnded
from controller.procedure.phases import Phase
from controller.procedure.verdicts import Irregularity

MISPLACED = "P 9h; B 7c; P Kd; P3 Kh"
TIE = "P1 7h; B 7c; P Kd; B Kh; result tie"
PLAYER = "P1 9h; B 7c; P Kd; B Kh; result player"
BANKER = "P1 7h; B 9c; P Kd; B Kh; result banker"


@pytest.fixture
def suspended(table):
    """The first coup has a card the shoe believed elsewhere; the floorperson has not come yet."""
    table.deal(MISPLACED)
    return table


def test_it_is_raised_once_a_suspension(suspended) -> None:
    assert suspended.deal(f"result player; {TIE}; {BANKER}") == ["DEALT_WHILE_SUSPENDED"]
    suspended.decide("continue take-over")
    suspended.deal("P1 7h; lost 1")
    assert suspended.deal(TIE) == ["DEALT_WHILE_SUSPENDED"], "another suspension, another one"


def test_without_a_card_it_is_not_raised(suspended) -> None:
    assert suspended.deal("result player; no more bets; cut card; stand-by") == []
    assert suspended.decide("continue") == ""


def test_dealing_while_suspended_is_judged_by_the_same_rules_and_marked(suspended) -> None:
    before = len(suspended.verdicts)
    suspended.deal("result player; P1 2h; B 2c; P Kd; B Kh")
    assert suspended.resumes_to is Phase.PLAYER_3
    suspended.deal("P 6d; B 4d")
    assert suspended.resumes_to is Phase.RESULT
    assert suspended.deal("result player") == []
    assert suspended.deal("result player") == ["RESULT_WITHOUT_COUP"]
    assert all(verdict.provisional for verdict in suspended.verdicts[before:])
    assert all(one.provisional for one in suspended.state.open_irregularities[1:])
    assert not suspended.state.open_irregularities[0].provisional


def test_nothing_is_counted_or_published_before_the_decision(suspended) -> None:
    suspended.deal(f"result player; {TIE}; {BANKER}; cut card; {TIE}; {TIE}")
    assert suspended.of(CoupClosed) == []
    assert suspended.of(ShoeEnded) == []
    assert suspended.tally == (0, 0, 0, 0)
    assert suspended.shoe.last_coup is None
    assert [record.coup for record in suspended.state.suspension.held] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("decision", "tally", "fates"),
    [
        ("continue take-over", (1, 1, 1, 0), "counted counted counted"),
        ("continue void", (1, 0, 0, 2), "counted void void"),
        ("void-coup take-over", (0, 1, 1, 1), "void counted counted"),
        ("void-coup void", (0, 0, 0, 3), "void void void"),
    ],
)
def test_several_coups_dealt_meanwhile_are_counted_or_void(
    suspended, decision, tally, fates
) -> None:
    suspended.deal(f"result player; {TIE}; {BANKER}")
    assert suspended.decide(decision) == ""
    assert suspended.tally == tally
    assert [record.fate.value for record in suspended.records] == fates.split()
    assert [record.suspended_cards for record in suspended.records] == [False, True, True]
    assert [record.coup for record in suspended.records] == [1, 2, 3]
    assert suspended.phase is Phase.BETWEEN_COUPS
    (recorded,) = suspended.of(ResolutionRecorded)
    assert recorded.provisional == decision.split()[1]


@pytest.mark.parametrize(
    ("answer", "fates", "phase"),
    [
        ("take-over", ["counted"], Phase.PLAYER_2),
        ("void", ["counted", "void"], Phase.BETWEEN_COUPS),
    ],
)
def test_a_coup_still_on_the_table_goes_on_or_is_void(suspended, answer, fates, phase) -> None:
    suspended.deal("result player; P1 7h; B 7c")
    suspended.decide(f"continue {answer}")
    assert [record.fate.value for record in suspended.records] == fates
    assert suspended.phase is phase


def test_a_coup_begun_before_is_void_with_the_cards_dealt_to_it_meanwhile(table) -> None:
    table.deal("P 7h; P2 7c; P3 Kd; B2 Kh")
    assert table.shoe.coup.suspended_cards
    table.decide("continue void")
    assert [(record.coup, record.fate.value) for record in table.records] == [(1, "void")]


@pytest.mark.parametrize(
    ("dealt", "coups", "cards"),
    [
        ("result player; no more bets", 0, 0),
        ("P 3c", 0, 1),
        (f"result player; {TIE}", 1, 4),
        (f"result player; {TIE}; {BANKER}; P1 7h; B 7c", 3, 10),
    ],
    ids=["no card", "a card drawn in error", "a whole coup", "two coups and a begun one"],
)
def test_the_cards_and_coups_dealt_meanwhile_are_counted(suspended, dealt, coups, cards) -> None:
    suspended.deal(dealt)
    counted = suspended.state.suspension
    assert (counted.coups_dealt, counted.cards_dealt) == (coups, cards)
    suspended.decide("close-shoe void")
    (recorded,) = suspended.of(ResolutionRecorded)
    assert (recorded.coups_dealt, recorded.cards_dealt) == (coups, cards)


def test_a_coup_that_was_open_counts_with_the_cards_dealt_meanwhile(table) -> None:
    table.deal("P 7h; P2 7c; P3 Kd; B2 Kh; P3 2c")
    counted = table.state.suspension
    assert (counted.coups_dealt, counted.cards_dealt) == (1, 3)


def test_each_suspension_counts_its_own_cards(suspended) -> None:
    suspended.deal(f"result player; {TIE}; P1 7h; B 7c")
    suspended.decide("continue take-over")
    suspended.deal("P3 Kd; P Kh")
    counted = suspended.state.suspension
    assert (counted.coups_dealt, counted.cards_dealt) == (1, 1), "the coup was counted before"


def test_a_decision_that_ignores_cards_dealt_meanwhile_is_refused_with_their_number(
    suspended,
) -> None:
    suspended.deal(f"result player; {TIE}; P1 7h")
    assert suspended.decide("continue") == (
        "cards were dealt while the table was suspended (coups: 2, cards: 5): decide whether to"
        " take-over or void them (provisional)"
    )


def test_a_card_only_set_aside_meanwhile_does_not_void_its_coup(suspended) -> None:
    suspended.deal("P 3c")
    suspended.decide("carry-card void")
    assert suspended.phase is Phase.RESULT
    assert suspended.deal("result player") == []
    assert suspended.tally == (1, 0, 0, 0)


def test_closing_the_shoe_counts_the_coups_taken_over(suspended) -> None:
    suspended.deal(f"result player; {TIE}; P1 2h")
    suspended.decide("close-shoe take-over")
    assert suspended.tally == (1, 0, 1, 1)
    assert [one.coups for one in suspended.of(ShoeEnded)] == [3]


def test_the_last_hand_dealt_meanwhile_ends_the_shoe_at_the_decision(suspended) -> None:
    suspended.deal(f"result player; cut card; {TIE}; {TIE}; P1 2h")
    assert suspended.irregularities[-1].code == "CARD_AFTER_LAST_COUP"
    suspended.decide("continue take-over")
    assert suspended.phase is Phase.SHOE_OVER
    (ended,) = suspended.of(ShoeEnded)
    assert (ended.player, ended.tie, ended.person) == (1, 2, "")


# --- partial coups dealt meanwhile --------------------------------------------------------------


def test_a_partial_coup_dealt_meanwhile_cannot_simply_be_counted(suspended) -> None:
    suspended.deal("result player; P1 7h; lost 1")
    assert suspended.permitted == ["void-coup", "state-outcome", "close-shoe"]
    assert "continue is not permitted" in suspended.decide("continue take-over")
    assert suspended.decide("continue void") == "", "void needs no further decision"
    assert suspended.tally == (1, 0, 0, 1)


def test_its_outcome_can_be_stated_and_the_coup_before_goes_on(suspended) -> None:
    suspended.deal(f"result player; P1 7h; lost 1; {TIE}")
    assert suspended.decide("state-outcome take-over banker") == ""
    assert [(one.fate.value, one.outcome) for one in suspended.records] == [
        ("counted", "player"),
        ("floor_decided", "banker"),
        ("counted", "tie"),
    ]


def test_an_outcome_for_a_coup_that_is_void_is_refused(suspended) -> None:
    suspended.deal("result player; P1 7h; lost 1")
    assert "state-outcome is not permitted" in suspended.decide("state-outcome void banker")


def test_of_two_partial_coups_none_can_be_stated(table) -> None:
    table.deal("P 7h; lost 1; P1 2c; B ??")
    assert table.permitted == ["void-coup", "close-shoe"]
    assert table.decide("state-outcome take-over tie") != ""
    assert table.decide("state-outcome void tie") == "", "only the first is left"
    assert [(one.fate.value, one.outcome) for one in table.records] == [
        ("floor_decided", "tie"),
        ("void", None),
    ]


def test_both_can_be_void(table) -> None:
    table.deal("P 7h; lost 1; P1 2c; B ??")
    assert table.decide("void-coup take-over") == ""
    assert table.tally == (0, 0, 0, 2)


def test_a_partial_coup_ends_with_its_result_with_stand_by_or_with_the_next_one(table) -> None:
    table.deal("P 7h; lost 1; B2 Kd; P3 2c; result tie")
    table.deal("P1 7h; lost 1; stand-by")
    table.deal("P1 7h; lost 1; B1 2c; B1 3c")
    held = [(one.coup, one.declared, one.fate.value) for one in table.state.suspension.held]
    assert held == [(1, "tie", "partial"), (2, None, "partial"), (3, None, "partial")]
    assert table.shoe.coup.number == 4


@pytest.mark.parametrize("claimed", ["P1", "B1", "P2"])
def test_a_place_already_passed_begins_another_coup(table, claimed) -> None:
    table.deal("P 7h; B 2c; P 3d; lost 1")
    table.deal(f"{claimed} 4d")
    assert table.shoe.coup.number == 2


@pytest.mark.parametrize("claimed", ["B2", "P3", "B3", "more", "burned", "out"])
def test_a_later_place_is_still_of_the_partial_coup(table, claimed) -> None:
    table.deal("P 7h; B 2c; P 3d; lost 1")
    table.deal(f"{claimed} 4d")
    assert table.shoe.coup.number == 1


def test_after_a_partial_coup_a_third_card_is_drawn_in_error(table) -> None:
    table.deal("P 7h; B 2c; P 3d; lost 1; P3 2c; B3 4c")
    assert table.deal("P3 5c") == ["OVERDRAW"]
    assert table.shoe.coup is None


@pytest.mark.parametrize(
    ("lost", "next_card", "coup"),
    [
        (2, "B2", 1),  # Player's second and a cut card
        (3, "B2", 2),
        (1, "P2", 1),  # a cut card
        (2, "P2", 2),
        (5, "B3", 2),
        (4, "B3", 1),
        (9, "more", 1),  # a place that means nothing
    ],
)
def test_more_missing_reports_than_fit_before_a_card_reach_into_another_coup(
    table, lost, next_card, coup
) -> None:
    table.deal(f"P 7h; B 2c; lost {lost}; {next_card} 4d")
    assert table.shoe.coup.number == coup


def test_losses_one_after_the_other_add_up(table) -> None:
    table.deal("P 7h; B 2c; lost 1; lost 2; B2 4d")
    assert table.shoe.coup.number == 2


def test_a_card_of_the_coup_restarts_the_count_of_missing_reports(table) -> None:
    table.deal("P 7h; lost 2; B2 2c; lost 1; P3 4d")
    assert table.shoe.coup.number == 1


@pytest.mark.parametrize(("lost", "held"), [(5, [(1, "tie")]), (6, [(1, None), (2, "tie")])])
def test_a_result_out_of_reach_is_that_of_a_coup_never_seen(table, lost, held) -> None:
    table.deal(f"P 7h; B 2c; lost {lost}; result tie")
    assert [(one.coup, one.declared) for one in table.state.suspension.held] == held
    assert all(one.fate.value == "partial" for one in table.state.suspension.held)
    assert table.resumes_to is Phase.BETWEEN_COUPS


def test_after_the_last_coup_no_further_one_is_counted(table) -> None:
    table.deal("P 9h; cut card; B 7c; P Kd; B Kh; result player; P 7h; lost 8; result tie")
    assert [one.coup for one in table.state.suspension.held] == [2]
    assert table.resumes_to is Phase.SHOE_OVER


# --- coups left in the middle -------------------------------------------------------------------


@pytest.mark.parametrize("left", ["result tie", "forced exit"])
def test_a_coup_left_too_early_is_partial_once_the_next_begins(table, left) -> None:
    table.deal(f"P 2h; B 2c; {left}; {TIE}")
    held = table.state.suspension.held
    assert (held[0].coup, held[0].fate.value, held[0].result) == (1, "partial", None)
    assert table.decide("continue take-over") != ""
    assert table.decide("state-outcome take-over player") == ""
    assert table.tally == (1, 0, 1, 0)


def test_a_complete_coup_left_by_forced_exit_keeps_its_result_in_the_record(table) -> None:
    table.deal(f"P 9h; B 7c; P Kd; B Kh; forced exit; {TIE}")
    assert table.state.suspension.held[0].result.outcome == "player"
    table.decide("void-coup take-over")
    assert table.tally == (0, 0, 1, 1)


def test_more_cards_for_a_complete_coup_left_by_forced_exit_are_drawn_in_error(table) -> None:
    table.deal("P 9h; B 7c; P Kd; B Kh; forced exit")
    assert table.deal("P3 4h") == ["OVERDRAW", "DEALT_WHILE_SUSPENDED"]


# --- the shoe after this one --------------------------------------------------------------------


def test_a_new_shoe_announced_meanwhile_opens_with_the_decision(table) -> None:
    table.deal("close shoe; P1 2h; start; start")
    assert table.decide("continue") == ""
    assert table.phase is Phase.BURN_FIRST
    assert table.shoe.number == 2


@pytest.mark.parametrize("missed", ["burn Ac: 2c", "P1 2c", "lost 1"])
def test_one_of_which_something_was_missed_is_joined(table, missed) -> None:
    table.deal(f"close shoe; P1 2h; start; {missed}")
    state = table.state
    for decision in ("continue take-over", "close-shoe take-over"):
        table.state = state
        assert table.decide(decision) == ""
        assert table.irregularities[-1].code == "SHOE_JOINED"
        assert (table.shoe.number, table.shoe.joined) == (2, True)
        table.effects.clear()


def test_a_first_burn_card_after_a_shoe_that_waits_is_of_the_next(table) -> None:
    table.deal("close shoe; P1 2h")
    assert table.deal("burn Ac: 2c") == ["DEALT_WHILE_SUSPENDED"]
    table.decide("continue take-over")
    assert table.shoe.number == 2


def test_a_last_coup_completed_meanwhile_ends_with_the_next_shoes_start(suspended) -> None:
    suspended.deal(f"result player; cut card; {TIE}; P1 7h; B 7c; P Kd; B Kh; start")
    suspended.decide("continue take-over")
    assert suspended.phase is Phase.BURN_FIRST
    assert [one.tie for one in suspended.of(ShoeEnded)] == [2]


def test_cards_of_this_shoe_after_a_mere_restart_are_followed(table) -> None:
    table.deal(f"{TIE}; cut card; start; {PLAYER}")
    assert table.decide("continue take-over") == ""
    assert table.tally == (1, 0, 1, 0)


def test_dealt_while_suspended_cites_no_rule_on_cards_drawn_in_error(suspended) -> None:
    suspended.deal("P 3c")
    last = suspended.irregularities[-1]
    assert isinstance(last, Irregularity)
    assert last.clauses == ("S42-f-1-shoe",)
    assert last.provisional
