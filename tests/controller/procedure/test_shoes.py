"""Shoes: opened, joined in play, restarted, changed, closed, numbered.

Source: 9 NYCRR 5324.21 (e); Section 42 (e)(6), (e)(8), (h)(5); D-2, D-7, D-22.
"""

import pytest
from msgspec.structs import replace

from controller.procedure.effects import BurnDone, Prompt, Refusal, ShoeEnded, ShoeOpened
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.system.messages.catalogue import to_words

OPENED = "start; burn Ac: 2c"
COUP = "P1 7h; B 7c; P Kd; B Kh"
WHOLE = f"{COUP}; result tie"
DAY = "2026-11-21"


def opened(table) -> list[tuple[str, int, bool]]:
    return [(shoe.gaming_day, shoe.shoe, shoe.joined) for shoe in table.of(ShoeOpened)]


# --- opening ------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["start", "burn Ac: 2c"])
def test_the_start_of_the_device_or_a_first_burn_card_opens_a_shoe(new_table, words) -> None:
    table = new_table(words)
    assert opened(table) == [(DAY, 1, False)]
    assert table.irregularities == []


def test_unobserved_duties_of_loading_are_prompted(new_table) -> None:
    table = new_table("start")
    assert table.prompts() == ["opening", "shuffle_and_cut", "shuffle_and_cut", "batch"]
    assert {prompt.observed for prompt in table.of(Prompt)} == {False}


def test_a_shoe_alone_runs_a_table(new_table, profile) -> None:
    table = new_table(profile=profile)
    shoe = f"start; burn 2c: 3c 4c; stand-by; {WHOLE}; stand-by; P1 9h; cut card; B 2c; P Kd; B Kh"
    last = f"result player; stand-by; {WHOLE}; stand-by"
    for number in (1, 2, 3):
        assert table.deal(f"{shoe}; {last}") == []
        assert table.phase is Phase.SHOE_OVER
        assert table.shoe.number == number
        assert table.tally == (1, 0, 2, 0)
    assert [(one.shoe, one.coups) for one in table.of(ShoeEnded)] == [(1, 3), (2, 3), (3, 3)]
    assert [one.coup for one in table.records] == [1, 2, 3] * 3


def test_shoes_are_numbered_by_gaming_day_and_a_shoe_keeps_its_day(new_table) -> None:
    table = new_table(f"{OPENED}; close shoe; {OPENED}")
    table.deal(f"day 2026-11-22; {WHOLE}; close shoe; {OPENED}; close shoe; start")
    assert opened(table) == [
        (DAY, 1, False),
        (DAY, 2, False),
        ("2026-11-22", 1, False),
        ("2026-11-22", 2, False),
    ]
    assert {(one.gaming_day, one.shoe) for one in table.of(ShoeEnded)} == {
        (DAY, 1),
        (DAY, 2),
        ("2026-11-22", 1),
    }
    assert table.records[0].gaming_day == DAY


# --- joining ------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["B1", "P2", "B2", "P3", "B3"])
def test_a_shoe_met_in_a_coup_has_a_partial_coup_that_waits(new_table, place) -> None:
    table = new_table(f"{place} 7h")
    assert opened(table) == [(DAY, 1, True)]
    assert table.shoe.coup.partial
    assert [(one.place.value, str(one.card)) for one in table.shoe.coup.cards] == [
        ({"P": "player_", "B": "banker_"}[place[0]] + place[1], "7h")
    ]
    table.decide("state-outcome banker")
    assert table.tally == (0, 1, 0, 0)
    assert [record.fate.value for record in table.records] == ["floor_decided"]


def test_a_shoe_met_at_a_first_card_has_a_whole_coup(new_table) -> None:
    table = new_table("P1 7h")
    table.decide("continue")
    assert table.deal("B 7c; P Kd; B Kh; result tie") == []
    assert table.tally == (0, 0, 1, 0)


@pytest.mark.parametrize("first", ["burned 2c", "extra 2c"])
def test_a_shoe_met_in_its_burn_is_followed_without_a_count(new_table, first) -> None:
    table = new_table(first)
    table.decide("continue")
    assert table.deal(f"burned 3c; burned 4c; {WHOLE}") == []
    assert [(one.removed, one.proven) for one in table.of(BurnDone)] == [(3, False)]


def test_a_shoe_met_at_a_further_card_has_it_aside(new_table) -> None:
    table = new_table("more 2c")
    assert table.shoe.coup.cards == ()
    assert [str(one.card) for one in table.shoe.coup.aside] == ["2c"]


@pytest.mark.parametrize(
    "words",
    ["again P1 7h", "result tie", "forced exit", "stand-by", "lost 2", "no more bets", "program 2"],
)
def test_nothing_but_a_card_a_cut_card_or_a_start_opens_a_shoe(new_table, words) -> None:
    table = new_table()
    assert table.deal(words) == []
    assert table.phase is Phase.CLOSED
    assert table.state.shoe is None


@pytest.mark.clause("S42-h-5-onemore")
def test_a_shoe_met_at_its_cut_card_has_a_last_hand(new_table) -> None:
    table = new_table("cut card")
    assert table.shoe.joined
    table.decide("continue")
    assert table.deal(f"{WHOLE}; {WHOLE}") == []
    assert table.phase is Phase.SHOE_OVER


def test_of_a_joined_shoe_the_number_of_cards_left_is_unknown(new_table) -> None:
    table = new_table("P1 9h", decks=1)
    table.decide("continue")
    table.deal("B Kc; P Qd; B Jh; result player")
    table.deal_up_to(48)
    assert table.deal("P1 2h; B 2c; P Kd; B Kh") == [], "no statement that the cards are out"
    assert table.deal("P 3d") == ["CARDS_EXCEED_DECKS"], "but more than all is too many"


# --- restarts and changes -----------------------------------------------------------------------


@pytest.mark.parametrize("words", ["start", OPENED, f"{OPENED}; {WHOLE}; no more bets"])
def test_a_restart_with_nothing_in_progress_is_only_a_restart(new_table, words) -> None:
    table = new_table(words)
    state = table.state
    assert table.deal("start") == []
    # After a start nothing proves that no report was missed (D-16).
    shoe = None if state.shoe is None else replace(state.shoe, reports_proven=False)
    assert table.state == replace(state, shoe=shoe)


def test_a_restart_ends_a_coup_that_needs_no_more_cards(table) -> None:
    assert table.deal(f"{COUP}; start") == []
    assert table.tally == (0, 0, 1, 0)
    assert table.shoe.number == 1


def test_a_restart_in_a_coup_that_is_closed_for_it_begins_the_next_shoe(table) -> None:
    table.deal("P 7h; start")
    table.decide("close-shoe")
    assert table.phase is Phase.BURN_FIRST
    assert opened(table)[-1] == (DAY, 2, False)
    assert table.of(ShoeEnded)[0].void == 1


def test_a_shoe_changed_before_its_last_hand_is_closed_and_the_next_one_opens(table) -> None:
    assert table.deal(f"{WHOLE}; cut card; start") == ["SHOE_CHANGED_EARLY"]
    table.decide("close-shoe")
    assert table.deal("burn Ac: 2c") == []
    assert (table.shoe.number, table.shoe.joined) == (2, False)
    assert table.of(ShoeEnded)[0].person == "Bo Ray"


def test_going_on_after_a_restart_keeps_the_shoe(table) -> None:
    table.deal(f"{WHOLE}; cut card; start")
    table.decide("continue")
    assert table.deal(f"{WHOLE}; {WHOLE}") == []
    assert table.phase is Phase.SHOE_OVER
    assert table.tally == (0, 0, 3, 0)


@pytest.mark.parametrize("result", ["", "; result tie", "; forced exit", "; lost 1"])
def test_a_first_burn_card_in_play_is_another_shoes(table, result) -> None:
    table.deal(f"{COUP}{result}")
    before = table.shoe.cards_drawn
    assert table.deal("burn 3c")[0] == "SHOE_CHANGED_EARLY"
    assert table.permitted == ["close-shoe"]
    assert table.shoe.cards_drawn == before, "it left another shoe"


def test_the_rest_of_that_shoe_is_not_followed_and_it_is_joined(table) -> None:
    table.deal(f"{WHOLE}; burn 3c")
    assert table.deal(f"burned 2c; {WHOLE}; cut card; lost 2; start; stand-by") == [
        "DEALT_WHILE_SUSPENDED"
    ]
    assert table.records[1:] == []
    assert table.decide("close-shoe take-over") == ""
    assert table.irregularities[-1].code == "SHOE_JOINED"
    assert opened(table)[-1] == (DAY, 2, True)
    assert table.phase is Phase.SUSPENDED
    table.decide("continue")
    assert table.phase is Phase.BURN_UNCOUNTED
    assert table.deal(f"burned 4c; {WHOLE}") == []
    assert table.shoe.coups_begun == 1


# --- after the shoe -----------------------------------------------------------------------------


def test_a_first_burn_card_after_the_shoe_opens_the_next(table) -> None:
    assert table.deal(f"close shoe; {OPENED.removeprefix('start; ')}") == []
    assert table.shoe.number == 2


@pytest.mark.clause("S42-h-5-onemore")
def test_a_card_after_the_shoe_goes_to_the_discard_rack(table) -> None:
    table.deal(f"cut card; {WHOLE}; {WHOLE}")
    assert table.deal("P1 2h") == ["CARD_AFTER_LAST_COUP"]
    table.decide("continue")
    assert table.phase is Phase.SHOE_OVER
    assert table.shoe.coups_begun == 2
    assert len(table.of(ShoeEnded)) == 1


def test_a_shoe_whose_beginning_was_lost_is_joined_after_a_floorperson_says_so(table) -> None:
    table.deal(f"cut card; {WHOLE}; {WHOLE}; P1 2h")
    table.decide("close-shoe")
    assert table.phase is Phase.CLOSED
    assert table.deal("B1 2h") == ["SHOE_JOINED"]
    assert opened(table)[-1] == (DAY, 2, True)


def test_lost_reports_after_the_shoe_need_a_decision_but_a_mere_interruption_does_not(
    table,
) -> None:
    table.deal("close shoe")
    assert table.deal("lost unproven; program 2.0") == []
    assert table.deal("start; burn Ac: 2c") == []
    table.deal("close shoe")
    assert table.deal("lost 2") == ["REPORTS_LOST"]


def test_another_version_in_mid_coup_knows_of_no_missing_report(table) -> None:
    table.deal("P 7h; program 2.0")

    assert (table.shoe.coup.partial, table.shoe.coup.missing) == (True, 0)


# --- closing by hand ----------------------------------------------------------------------------


@pytest.mark.clause("S42-e-8-dead")
@pytest.mark.parametrize(
    "words", ["start", "start; burn 3c: 2c", OPENED, f"{OPENED}; no more bets"]
)
def test_a_named_person_closes_a_shoe_between_coups(new_table, words) -> None:
    table = new_table(f"{words}; close shoe")
    assert table.phase is Phase.SHOE_OVER
    (ended,) = table.of(ShoeEnded)
    assert (ended.person, ended.reason) == ("Ann Lee", "dead table")
    assert table.last.clauses == ("S42-e-8-dead",)
    assert table.prompts()[-2:] == ["reshuffle", "dead_table"]


def test_a_coup_that_waits_only_for_a_result_nobody_reports_counts_first(table) -> None:
    table.deal(f"{COUP}; close shoe")
    assert table.tally == (0, 0, 1, 0)
    assert table.phase is Phase.SHOE_OVER


def test_so_does_the_last_one(table) -> None:
    table.deal(f"P 7h; cut card; B 7c; P Kd; B Kh; result tie; {COUP}; close shoe")
    assert table.tally == (0, 0, 2, 0)
    assert [one.person for one in table.of(ShoeEnded)] == ["Ann Lee"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("", "no shoe is open"),
        (f"{OPENED}; close shoe", "no shoe is open"),
        (f"{OPENED}; P 7h", "a coup is being dealt: let it end, then close the shoe"),
        (f"{OPENED}; lost 2", "the table is suspended: resolve with the decision close-shoe"),
        (f"observed; {OPENED}; no more bets; {COUP}", "a coup is being dealt"),
    ],
)
def test_otherwise_closing_is_refused_with_a_remedy(new_table, words, why) -> None:
    observed = (ObservableFact.RESULT_BUTTON,) if words.startswith("observed; ") else ()
    table = new_table(words.removeprefix("observed; "), observed=observed)
    state = table.state
    table.deal("close shoe")
    assert table.state == state
    assert to_words(table.of(Refusal)[-1].why).startswith(why)
