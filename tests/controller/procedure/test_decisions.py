"""How a floorperson's decision ends a coup, and which decisions are refused and why.

Source: D-32.
"""

import pytest
from acts_of_people import acted

from controller.procedure.effects import ResolutionRecorded
from controller.procedure.people.permitted import refusal_to_resolve
from controller.procedure.phases import Phase
from controller.procedure.step_result import LISTED_IRREGULARITIES_MAX
from controller.rules.actions.actions import Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.system.messages.catalogue import to_words

COUP = "P1 7h; B 7c; P Kd; B Kh"
WHOLE = f"{COUP}; result tie"
PARTIAL = ["P 7h; lost 1", "P 7h; B ??", "P 7h; lost unproven", "P 7h; start", "P 7h; program 2.0"]


@pytest.mark.parametrize("words", PARTIAL)
def test_a_partial_coup_never_counts_by_itself(table, words) -> None:
    table.deal(words)
    assert "continue" not in table.permitted
    assert table.decide("continue") != ""
    table.decide("void-coup")
    (record,) = table.records
    assert (record.fate.value, record.outcome, record.result) == ("void", None, None)


@pytest.mark.parametrize("outcome", ["player", "banker", "tie"])
@pytest.mark.parametrize("words", PARTIAL)
def test_a_named_person_states_its_outcome(table, words, outcome) -> None:
    table.deal(words)
    table.decide(f"state-outcome {outcome}")
    (record,) = table.records
    assert (record.fate.value, record.outcome, record.result) == ("floor_decided", outcome, None)
    (recorded,) = table.of(ResolutionRecorded)
    assert (recorded.person, recorded.reason) == ("Bo Ray", "seen on the layout")
    assert (recorded.decision, recorded.outcome) == ("state-outcome", outcome)


def test_a_partial_coup_keeps_what_was_seen_of_it(table) -> None:
    table.deal("P 7h; lost 1; P2 2d; more 4c; result player")
    table.decide("state-outcome player take-over")
    (record,) = table.records
    assert [str(one.card) for one in record.cards] == ["7h", "2d"]
    assert [str(one.card) for one in record.aside] == ["4c"]
    assert record.declared == "player"


def test_a_void_coup_keeps_its_cards_and_result_but_does_not_count(table) -> None:
    table.deal(f"{COUP}; result player")
    table.decide("void-coup")
    (record,) = table.records
    assert (record.fate.value, record.outcome) == ("void", None)
    assert record.result.outcome == "tie"
    assert table.tally == (0, 0, 0, 1)


def test_closing_the_shoe_voids_the_coup_on_the_table(table) -> None:
    table.deal(f"{WHOLE}; P 7h; B ??")
    table.decide("close-shoe")
    assert [record.fate.value for record in table.records] == ["counted", "void"]
    assert table.phase is Phase.SHOE_OVER


def test_numbers_of_coups_are_not_used_again(table) -> None:
    table.deal("P 7h; lost 1")
    table.decide("void-coup")
    table.deal(WHOLE)
    assert [record.coup for record in table.records] == [1, 2]


def test_numbers_of_irregularities_go_on_over_shoes(table) -> None:
    table.deal("result tie; close shoe; start; burn Ac: 2c; result tie")
    assert [one.number for one in table.irregularities] == [1, 2]
    assert [one.number for one in table.state.open_irregularities] == [1, 2]


def test_an_irregularity_that_does_not_suspend_is_acknowledged_while_play_continues(table) -> None:
    table.deal(f"result tie; {WHOLE}")
    assert table.permitted == ["continue"]
    assert table.decide("continue") == ""
    assert table.state.open_irregularities == ()
    assert table.of(ResolutionRecorded)[0].closed == (1,)


def test_one_decision_closes_all_that_are_open(table) -> None:
    table.deal("result tie; P 7h; P2 2c")
    table.decide("continue")
    assert table.of(ResolutionRecorded)[0].closed == (1, 2)


def test_the_list_stays_short_and_the_decision_still_closes_all(table) -> None:
    count = LISTED_IRREGULARITIES_MAX + 10
    table.deal("; ".join(["result tie"] * count))
    assert len(table.state.open_irregularities) == LISTED_IRREGULARITIES_MAX
    table.deal("lost 1")
    assert len(table.state.open_irregularities) == LISTED_IRREGULARITIES_MAX + 1
    assert table.phase is Phase.SUSPENDED
    table.decide("continue")
    assert table.of(ResolutionRecorded)[0].closed == tuple(range(1, count + 2))


def test_a_coup_lists_its_first_irregularities_only(table) -> None:
    table.deal("P 7h; B 2c; " + "; ".join(["again P1 8h"] * (LISTED_IRREGULARITIES_MAX + 5)))
    assert len(table.shoe.coup.irregular) == LISTED_IRREGULARITIES_MAX
    assert table.shoe.irregularities == LISTED_IRREGULARITIES_MAX + 5


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "decision", "why"),
    [
        ("", "continue", "no irregularity is open"),
        ("result tie", "void-coup", "void-coup is not permitted here; permitted: continue"),
        ("P 7h; lost 1", "continue", "permitted: void-coup, state-outcome, close-shoe"),
        ("P 7h; lost 1", "state-outcome", "needs the outcome: player, banker or tie"),
        ("P 7h; lost 1", "void-coup tie", "void-coup takes no outcome"),
        ("lost 1", "void-coup", "permitted: continue, close-shoe"),
        ("P 7h; lost 1; P1 2h", "void-coup", "decide whether to take-over or void them"),
        ("P 7h; cut card; cut card", "continue", "permitted: close-shoe"),
    ],
)
def test_a_refusal_says_why_and_what_is_possible(table, words, decision, why) -> None:
    if words:
        table.deal(words)
    state = table.state
    assert why in table.decide(decision)
    assert table.state == state
    assert table.of(ResolutionRecorded) == []


def test_an_answer_about_cards_that_nobody_dealt_is_not_recorded(table) -> None:
    table.deal("lost 1")
    assert table.decide("continue void") == ""
    assert table.of(ResolutionRecorded)[0].provisional is None


def test_every_answer_is_either_carried_out_or_refused_in_words(table) -> None:
    table.deal("P 7h; lost 1; P1 2h; B ??")
    for decision in FloorDecision:
        for provisional in (None, *Provisional):
            for outcome in (None, *("player", "tie")):
                resolution = Resolution(decision, provisional, outcome)
                event = acted(resolution, "Bo Ray", reason="seen on the layout")
                why = refusal_to_resolve(table.book, table.state, event)
                assert why is None or len(to_words(why)) > 10
