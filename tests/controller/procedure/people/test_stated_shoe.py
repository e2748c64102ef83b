"""A floorperson states that the shoe is empty, or somebody reports that it is jammed.

Source: Section 42 (k)(4); D-6, D-14, D-17, D-19, D-40.
"""

import pytest

from controller.procedure.effects import ActRecord, Refusal
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.rules.outcome import CoupFate
from controller.rules.profiles.load import profile_names
from controller.system.messages.catalogue import to_words

OPENED = "start; burn Ac: 2c"
COMPLETE = "P1 7h; B 7c; P Kd; B Kh"


@pytest.mark.clause("S42-k-4-void")
@pytest.mark.clause("S42-k-4-restart")
@pytest.mark.parametrize(
    ("dealt", "due"),
    [
        ("no more bets", "Player's first card"),
        ("P 7h", "Banker's first card"),
        ("P 7h; B 2c", "Player's second card"),
        ("P 7h; B 2c; P Kd", "Banker's second card"),
        ("P 2h; B 2c; P Kd; B Kh", "Player's third card"),
        ("P 7h; B 2c; P Kd; B Kh", "Banker's third card"),
    ],
)
def test_an_empty_shoe_in_mid_coup_voids_it_with_the_count_beside(table, dealt, due) -> None:
    table.deal(dealt)
    left = table.shoe.cards_left()
    assert table.deal("shoe empty by 'Bo Ray'".replace("'", '"')) == ["INSUFFICIENT_CARDS"]
    detail = to_words(table.irregularities[-1].detail)
    assert f"Bo Ray states that the shoe is empty; by the count {left} cards are left" in detail
    assert detail.endswith(f"{due} was due")
    assert f"by the count {left} cards are left in it" in to_words(table.of(ActRecord)[-1].detail)
    assert table.permitted == ["close-shoe"]
    assert table.decide("close-shoe") == ""
    assert table.phase is Phase.SHOE_OVER
    assert all(record.fate is CoupFate.VOID for record in table.records)


@pytest.mark.parametrize("profile", profile_names())
def test_it_is_a_floorpersons_statement_in_every_profile(new_table, profile) -> None:
    table = new_table(f"{OPENED}; P 7h", profile=profile)
    assert table.deal("record shoe-empty") == []
    assert "a floorperson" in to_words(table.of(Refusal)[-1].why)
    assert table.deal("record shoe-empty as floorperson") == ["INSUFFICIENT_CARDS"]


@pytest.mark.parametrize("words", ["", f"{OPENED}; close shoe"])
def test_no_shoe_is_no_empty_and_no_jammed_shoe(new_table, words) -> None:
    table = new_table(words)
    assert table.deal("shoe empty; shoe jammed") == []
    assert len(table.of(Refusal)) == 2


def test_between_coups_the_shoe_closes_and_no_coup_is_affected(table) -> None:
    table.deal(f"{COMPLETE}; result tie; shoe empty")
    assert table.phase is Phase.SHOE_OVER
    assert table.tally == (0, 0, 1, 0)


@pytest.mark.parametrize("words", ["start", "start; burn 3c: 2c"])
def test_in_the_burn_the_shoe_closes(new_table, words) -> None:
    assert new_table(f"{words}; shoe empty").phase is Phase.SHOE_OVER


def test_in_a_burn_in_mid_coup_the_coup_cannot_be_completed(table) -> None:
    table.deal("P 7h; found face up; resolve continue")
    assert table.phase is Phase.COUP_BURN
    assert table.deal("shoe empty") == ["INSUFFICIENT_CARDS"]


def test_a_complete_coup_counts_and_is_the_last(table) -> None:
    table.deal(f"{COMPLETE}; shoe empty; result tie")
    assert table.phase is Phase.SHOE_OVER
    assert table.tally == (0, 0, 1, 0)


def test_stated_while_suspended_only_closing_is_left(table) -> None:
    table.deal("P 7h; again P1 8h")
    assert table.deal("shoe empty; shoe empty") == ["INSUFFICIENT_CARDS"]
    assert table.permitted == ["close-shoe"]


def test_stated_while_a_coup_is_partial_it_is_decided_as_that(table) -> None:
    table.deal("P 7h; lost 1")
    assert table.deal("shoe empty") == []
    assert table.decide("close-shoe") == ""


def test_where_the_shoe_was_joined_no_card_is_known_to_be_missing(new_table) -> None:
    table = new_table("P1 7h; resolve continue; shoe empty")
    assert "how many cards are left is not known" in to_words(table.of(ActRecord)[-1].detail)
    assert table.state.lineage.short == ()


def test_where_the_count_agrees_nothing_is_missing(new_table) -> None:
    table = new_table("start; burn Ac: 2c", decks=1)
    table.deal_up_to(52)
    table.deal("shoe empty")
    assert table.state.lineage.short == ()


# --- the batch after that -----------------------------------------------------------------------


def test_the_batch_is_loaded_no_more_before_a_recount(new_people) -> None:
    people = new_people(observed=(ObservableFact.BATCH_LOADED,))
    people.do("loaded red 416")
    people.table.deal(f"{OPENED}; P 7h; shoe empty")
    people.table.decide("close-shoe")
    people.table.deal("start; record loaded batch blue amount 416; burn Ac: 2c; resolve continue")
    people.table.deal("close shoe")
    assert "ran out before the count" in people.do("loaded red 416")
    assert people.do("inspected red") == ""
    assert "ran out before the count" in people.do("loaded red 416")
    assert people.do("inspected red 415").startswith("counted 415 of 416")
    assert people.do("inspected red 416, loaded red 416") == ""


def test_new_cards_need_no_recount(new_people) -> None:
    people = new_people(observed=(ObservableFact.BATCH_LOADED,))
    people.do("loaded red 416")
    people.table.deal(f"{OPENED}; P 7h; shoe empty")
    people.table.decide("close-shoe")
    people.do("received red")
    assert people.table.state.lineage.short == ()


def test_dealing_from_it_all_the_same_is_noted(new_table) -> None:
    table = new_table(f"{OPENED}; P 7h; shoe empty; resolve close-shoe; start")
    assert table.deal("burn Ac: 2c") == ["BATCH_SHORT", "DEALT_WHILE_SUSPENDED"]
    assert table.state.phase is Phase.SUSPENDED


def test_where_it_is_not_known_which_batch_was_dealt_each_is_counted(new_people) -> None:
    people = new_people()
    people.table.deal(f"{OPENED}; P 7h; shoe empty")
    people.table.decide("close-shoe")
    assert people.table.state.lineage.short == ("red", "blue")
    assert "ran out" in people.do("loaded red 416")


def test_refused_and_dealt_all_the_same_it_is_noted_once(new_people) -> None:
    people = new_people(observed=(ObservableFact.BATCH_LOADED,))
    people.do("loaded red 416")
    people.table.deal(f"{OPENED}; P 7h; shoe empty; resolve close-shoe; start; {OPENED[7:]}")
    people.table.decide("continue take-over")
    people.table.deal("close shoe")
    people.do("loaded red 416")
    assert people.table.deal("start; burn Ac: 2c").count("BATCH_SHORT") == 1


# --- a jam --------------------------------------------------------------------------------------


def test_a_jam_is_cleared_and_play_goes_on(table) -> None:
    table.deal("P 7h; B 2c")
    assert table.deal("record shoe-jammed") == ["SHOE_JAMMED"]
    assert table.permitted == ["continue", "close-shoe"]
    assert table.decide("continue") == ""
    assert table.deal("P2 Kd; B2 Kh; B3 3c; result player") == []


def test_a_jammed_shoe_is_closed_by_decision(table) -> None:
    table.deal("P 7h; B 2c; shoe jammed")
    assert table.decide("close-shoe") == ""
    assert table.phase is Phase.SHOE_OVER
    assert table.state.lineage.short == ()
