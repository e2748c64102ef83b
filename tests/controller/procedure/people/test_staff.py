"""Dealers sign on and off; what a dealer and one person alone may not decide."""

import pytest

from controller.procedure.effects import ActRecord, Refusal, ResolutionRecorded
from controller.procedure.people.staff import DEALERS_MAX
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.state import DecisionCount
from controller.system.messages.catalogue import to_words

OPENED = "start; burn Ac: 2c"
FOUR = "P1 9h; B1 Kc; P2 Qd; B2 Jh"
OVERDRAWN = f"{FOUR}; P 2d"
HOUSE = {"profile": "wa-mini", "observed": (ObservableFact.RESULT_BUTTON,)}
VOIDED = f"{OVERDRAWN}; resolve void-coup by Bo"


def refused(table, words: str) -> str:
    """Why these statements end with a refusal; the table's state stays."""
    before = table.state
    table.deal(words)
    assert table.state == before
    refusal = table.effects[-1]
    assert isinstance(refusal, Refusal)
    return to_words(refusal.why)


# --- dealers sign on and off ----------------------------------------------------------------------


def test_a_dealer_signs_on_and_off_on_record(new_table):
    table = new_table("dealer-on by Dee; dealer-on by Eve; dealer-off by Dee")

    assert table.state.staff.dealers == ("Eve",)
    records = [(one.what, one.person) for one in table.of(ActRecord)]
    assert records == [("dealer-on", "Dee"), ("dealer-on", "Eve"), ("dealer-off", "Dee")]


def test_a_supervisor_signs_off_who_forgot(new_table):
    table = new_table("dealer-on by Dee; dealer-off dealer Dee by Bo as floorperson")

    assert table.state.staff.dealers == ()
    assert table.of(ActRecord)[-1].person == "Dee"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("dealer-on by Dee", "Dee is signed on as a dealer of this table already"),
        ("dealer-off by Eve", "Eve is not signed on as a dealer of this table"),
    ],
)
def test_what_makes_no_sense_is_refused(new_table, words: str, why: str):
    assert refused(new_table("dealer-on by Dee"), words).startswith(why)


def test_the_list_of_dealers_has_an_end(new_table):
    table = new_table("; ".join(f"dealer-on by D{number}" for number in range(DEALERS_MAX)))

    assert refused(table, "dealer-on by Zoe").startswith(f"{DEALERS_MAX} dealers are signed on")


def test_dealers_stay_through_shoes_and_a_suspension(new_table):
    table = new_table(f"dealer-on by Dee; {OPENED}; {OVERDRAWN}; dealer-on by Eve")
    table.deal("resolve void-coup by Bo; close shoe by Bo; start")

    assert table.state.staff.dealers == ("Dee", "Eve")


# --- a dealer's own irregularity ------------------------------------------------------------------


def forbids(new_table, script: str):
    return new_table(script, **HOUSE, dealer_decides_own_irregularity=False)


def test_who_dealt_does_not_decide_where_the_house_forbids_it(new_table):
    table = forbids(new_table, f"dealer-on by Dee; {OPENED}; {OVERDRAWN}")

    why = refused(table, "resolve void-coup by Dee")

    assert why.startswith("Dee dealt when it was raised and does not decide on it here")


def test_nor_after_signing_off(new_table):
    table = forbids(new_table, f"dealer-on by Dee; {OPENED}; {OVERDRAWN}; dealer-off by Dee")

    assert refused(table, "resolve void-coup by Dee").startswith("Dee dealt")


def test_nor_as_the_second_person(new_table):
    table = forbids(new_table, f"dealer-on by Dee; {OPENED}; {OVERDRAWN}")

    assert refused(table, "resolve void-coup by Bo second Dee").startswith("Dee dealt")


def test_another_decides_and_then_nobody_answers_for_it_any_more(new_table):
    table = forbids(new_table, f"dealer-on by Dee; {OPENED}; {VOIDED}; dealer-off by Dee")

    table.deal(f"{OVERDRAWN}; resolve void-coup by Dee")

    assert table.state.phase is not Phase.SUSPENDED


def test_a_relief_does_not_answer_for_what_was_open_before(new_table):
    table = forbids(new_table, f"dealer-on by Dee; {OPENED}; {OVERDRAWN}")

    table.deal("dealer-off by Dee; dealer-on by Eve; resolve void-coup by Eve")

    assert table.state.phase is not Phase.SUSPENDED


def test_who_deals_on_while_it_is_open_answers_for_that_too(new_table):
    table = forbids(new_table, f"dealer-on by Dee; {OPENED}; {OVERDRAWN}")
    table.deal("dealer-off by Dee; dealer-on by Eve; P 9h")

    assert table.state.staff.answerable == ("Dee", "Eve")


def test_a_house_that_forbids_nothing_lets_the_dealer_decide(new_table):
    table = new_table(f"dealer-on by Dee; {OPENED}; {OVERDRAWN}", **HOUSE)
    table.deal("resolve void-coup by Dee")

    assert table.state.phase is not Phase.SUSPENDED


# --- decisions are counted ------------------------------------------------------------------------


def test_decisions_are_counted_by_person_and_kind_in_a_shoe(new_table):
    table = new_table(f"{OPENED}; {VOIDED}; {VOIDED}", **HOUSE)
    table.deal(f"{OVERDRAWN}; resolve void-coup by Cy")
    table.deal(f"{OVERDRAWN}; resolve continue by Bo")

    assert set(table.state.staff.decisions) == {
        DecisionCount("Bo", "void-coup", 2),
        DecisionCount("Cy", "void-coup", 1),
        DecisionCount("Bo", "continue", 1),
    }


def test_a_refused_decision_does_not_count(new_table):
    table = new_table(f"{OPENED}; resolve void-coup by Bo", **HOUSE)

    assert table.state.staff.decisions == ()


def test_a_correction_is_a_decision_too_and_answers_for_nothing(new_table):
    table = forbids(new_table, f"dealer-on by Dee; {OPENED}; {FOUR}; result player; {OVERDRAWN}")
    table.deal('correct coup 1 to banker by Bo second Cy because "the film"')

    assert table.state.staff.decisions == (DecisionCount("Bo", "correct-coup", 1),)
    assert table.state.staff.answerable == ("Dee",)


def test_the_next_shoe_counts_anew(new_table):
    table = new_table(f"{OPENED}; {VOIDED}; close shoe by Bo", **HOUSE)
    before = table.state.staff.decisions

    table.deal(OPENED)

    assert (before, table.state.staff.decisions) == ((DecisionCount("Bo", "void-coup", 1),), ())


# --- the limit ------------------------------------------------------------------------------------


def test_twelve_voids_by_one_person_alone_are_not_carried_out(new_table):
    table = new_table(f"{OPENED}; {VOIDED}; {VOIDED}", **HOUSE, decisions_alone_max=2)
    table.deal(OVERDRAWN)

    why = refused(table, "resolve void-coup by Bo")

    assert why.startswith("void-coup has been decided 2 times by this person in this shoe")


def test_with_a_second_person_they_are_and_the_second_is_on_record(new_table):
    table = new_table(f"{OPENED}; {VOIDED}", **HOUSE, decisions_alone_max=1)

    table.deal(f"{OVERDRAWN}; resolve void-coup by Bo second Cy")

    assert table.of(ResolutionRecorded)[-1].second == "Cy"
    assert table.state.staff.made("Bo", "void-coup") == 2


def test_oneself_is_no_second_person(new_table):
    table = new_table(f"{OPENED}; {VOIDED}", **HOUSE, decisions_alone_max=1)
    table.deal(OVERDRAWN)

    assert refused(table, "resolve void-coup by Bo second Bo").startswith("void-coup has been")


@pytest.mark.parametrize("words", ["resolve void-coup by Cy", "resolve close-shoe by Bo"])
def test_the_limit_is_for_a_person_and_a_kind(new_table, words: str):
    table = new_table(f"{OPENED}; {VOIDED}", **HOUSE, decisions_alone_max=1)

    table.deal(f"{OVERDRAWN}; {words}")

    assert table.state.phase is not Phase.SUSPENDED


def test_without_a_limit_one_person_decides_as_often_as_needed(new_table):
    table = new_table("; ".join([OPENED, *[VOIDED] * 12]), **HOUSE)

    assert table.state.staff.made("Bo", "void-coup") == 12


@pytest.mark.parametrize("setting", ["decisions_alone_max", "dealer_decides_own_irregularity"])
def test_whom_a_limit_binds_does_not_lift_it_at_the_table(new_table, setting: str):
    table = new_table("", **HOUSE)

    assert "does not change in play" in refused(table, f"set {setting} false")
