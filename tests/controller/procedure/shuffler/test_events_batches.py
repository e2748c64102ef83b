"""A batch is loaded, and dealt from, only as the shuffler's reports allow.

Source: NY (a)(4)(iv); S42 (a)(4), (e)(1), (e)(8)(ii); D-17 to D-22.
"""

import pytest

from controller.custody.findings import Finding, FindingCode
from controller.procedure.effects import Prompt
from controller.procedure.events import CardDrawn, CustodyFindingRaised
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.system.messages.catalogue import to_words
from foundation.message import message

ACE = Card.parse("Ac")


def first_card(people, back: str) -> list[str]:
    """The first card of a shoe that reports its back."""
    before = len(people.table.irregularities)
    people.table.deal("start")
    people.table.apply(CardDrawn(ACE, Place.BURN_FIRST, back))
    return [one.code.value for one in people.table.irregularities[before:]]


@pytest.fixture
def ready(new_shuffler_table):
    """Blue is stored, red is shuffled and not released yet."""

    def at(profile: str = "s42-mini", observed: tuple[ObservableFact, ...] = ()):
        people = new_shuffler_table(profile, observed=observed)
        people.shuffle("blue")
        people.shuffle("red")
        return people

    return at


# --- loading ------------------------------------------------------------------------------------


def test_a_batch_that_was_released_is_loaded(ready) -> None:
    people = ready()
    people.release("red")
    assert people.do("loaded red 416") == ""
    assert people.stage("red") == "in_shoe"


@pytest.mark.clause("S42-e-1")
@pytest.mark.clause("S42-a-4-iv")
def test_a_batch_that_nobody_shuffled_is_not_loaded(new_shuffler_table) -> None:
    people = new_shuffler_table()
    why = people.do("loaded red 416")
    assert why == "red is not known to be shuffled: load, count and shuffle it"
    assert people.refused.clauses == ("S42-e-1", "S42-a-4-iv")


@pytest.mark.clause("NY-a-4-iv-c")
def test_a_batch_that_is_only_counted_is_not_loaded(new_shuffler_table) -> None:
    people = new_shuffler_table("ny-mini")
    people.put_in("red")
    assert people.do("loaded red 416") == "red is counted and not shuffled: shuffle it"
    assert people.refused.clauses == ("S42-e-1", "NY-a-4-iv-c")


@pytest.mark.clause("S42-e-8-ii-B")
def test_a_batch_that_is_still_in_the_shuffler_is_not_loaded(ready) -> None:
    people = ready()
    assert people.do("loaded red 416") == "red is in the shuffler: have it released first"
    assert people.refused.clauses == ("S42-e-8-ii-B",)


@pytest.mark.clause("NY-a-4-iv-a")
@pytest.mark.clause("S42-a-4-ii")
@pytest.mark.parametrize(
    ("profile", "clauses"),
    [
        ("ny-mini", ("NY-a-4-i-decks", "NY-a-4-iv-a")),
        ("s42-mini", ("S42-a-1-decks", "S42-a-4-ii")),
    ],
)
@pytest.mark.parametrize("counted", [412, 417])
def test_a_batch_that_is_short_or_long_is_not_loaded(
    new_shuffler_table, profile, clauses, counted
) -> None:
    people = new_shuffler_table(profile)
    people.put_in("red", counted)
    assert people.do("loaded red 416").startswith("red ")
    assert people.refused.clauses[:2] == clauses


@pytest.mark.clause("NY-a-4-iv-b-same")
@pytest.mark.clause("NY-a-4-iv-b-diff")
@pytest.mark.clause("S42-a-4-iii-same")
@pytest.mark.clause("S42-a-4-iii-diff")
@pytest.mark.parametrize(
    ("profile", "clauses"),
    [
        ("ny-mini", ("NY-a-4-iv-b-same", "NY-a-4-iv-b-diff")),
        ("s42-mini", ("S42-a-4-iii-same", "S42-f-1-same", "S42-a-4-iii-diff")),
    ],
)
def test_a_batch_among_which_another_back_was_seen_is_not_loaded(
    new_shuffler_table, profile, clauses
) -> None:
    people = new_shuffler_table(profile)
    people.run_script("record into-shuffler batch red; shuffler 1 loading 0 of red")
    people.run_script("shuffler 1 counted 416 of green")
    why = people.do("loaded red 416")
    assert why.startswith("red holds cards that are not its own; ")
    assert people.refused.clauses[: len(clauses)] == clauses


@pytest.mark.clause("S42-e-8-ii-A")
def test_a_batch_on_which_a_door_was_opened_is_not_loaded(ready) -> None:
    people = ready()
    people.run_script("shuffler door 1 open; shuffler door 1 closed")
    assert people.do("loaded red 416").startswith("red was touched, or a door was opened on it; ")
    assert people.refused.clauses[0] == "S42-e-8-ii-A"


@pytest.mark.clause("S42-e-1")
@pytest.mark.parametrize("word", ["jam", "aborted 2 power"])
def test_a_batch_that_jammed_or_lost_its_power_is_not_loaded(new_shuffler_table, word) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    people.put_in("red")
    people.begin("red")
    people.run_script(f"shuffler 1 {word}")
    assert people.do("loaded red 416") != ""
    assert "S42-e-1" in people.refused.clauses


@pytest.mark.clause("S42-e-8-ii-A")
def test_a_batch_is_not_loaded_from_a_shuffler_that_sorts(ready) -> None:
    people = ready()
    people.release("red")
    people.run_script("shuffler mode sort")
    assert people.do("loaded red 416").startswith("the shuffler is in sort mode: put it into play")
    assert people.refused.clauses == ("S42-e-8-ii-A", "S42-a-4-iv")


def test_a_refusal_names_every_obstacle(ready) -> None:
    people = ready()
    people.run_script("shuffler 1 residual 16; shuffler mode sort")
    why = people.do("loaded red 416")
    assert "16 cards are left in the shuffler" in why
    assert "the shuffler is in sort mode" in why


def test_dealing_all_the_same_is_an_irregularity_where_loading_is_observed(
    new_shuffler_table,
) -> None:
    people = new_shuffler_table(observed=(ObservableFact.BATCH_LOADED,))
    people.shuffle("blue")
    people.put_in("red")
    people.do("loaded red 416")
    raised = people.table.deal("start; burn Ac")
    assert raised == ["BATCH_UNSHUFFLED", "CARD_UNDER_WARNING"], "once for one fact"


def test_a_defect_corrected_meanwhile_is_only_a_missing_act(ready) -> None:
    people = ready(observed=(ObservableFact.BATCH_LOADED,))
    assert people.do("loaded red 416") == "red is in the shuffler: have it released first"
    people.release("red")
    assert people.table.deal("start; burn Ac") == ["OPENING_INCOMPLETE"]


@pytest.mark.clause("S42-e-1")
@pytest.mark.clause("S42-a-4-iv")
def test_when_a_shoe_opens_the_obstacles_are_prompted(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.table.deal("start")
    prompt = people.table.of(Prompt)[-1]
    assert (
        to_words(prompt.text)
        == "no batch was released by the shuffler: have one released, cut and loaded"
    )
    assert prompt.clauses == ("S42-e-1", "S42-a-4-iv")


@pytest.mark.clause("S42-a-4-v-alt")
def test_the_batch_outside_the_shuffler_is_prompted(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.end_shoe()
    people.table.deal("start")
    prompt = people.table.of(Prompt)[-1]
    assert to_words(prompt.text).startswith("the last shoe was dealt from red: take blue; ")
    assert prompt.clauses[:2] == ("S42-a-4-v-alt", "S42-a-4-v-every")


# --- the first card -----------------------------------------------------------------------------


@pytest.mark.clause("S42-a-4-iv")
def test_a_shoe_from_the_batch_that_was_released_is_in_order(ready) -> None:
    people = ready()
    people.release("red")
    assert people.open_shoe() == []
    assert people.table.state.lineage.last_dealt == "red"
    in_order = [
        one for one in people.table.verdicts if to_words(getattr(one, "what", "")) == IN_PLACE
    ]
    assert [one.clauses for one in in_order] == [("S42-a-4-iv",)]


IN_PLACE = "red is in play, blue in the shuffler"


@pytest.mark.clause("S42-e-1")
def test_a_shoe_while_nothing_was_released_is_unshuffled(new_shuffler_table) -> None:
    people = new_shuffler_table()
    assert people.open_shoe()[0] == "BATCH_UNSHUFFLED"
    (found, *_) = people.table.irregularities
    assert to_words(found.detail).endswith("no batch was released by the shuffler")
    assert found.clauses == ("S42-e-1", "S42-a-4-iv")
    assert people.table.phase is Phase.SUSPENDED
    assert people.table.state.lineage.last_dealt == ""


def test_so_it_is_while_both_wait_in_the_shuffler(ready) -> None:
    assert ready().open_shoe()[0] == "BATCH_UNSHUFFLED"


def test_so_it_is_before_the_first_report_of_the_shuffler(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.table.state = type(people.table.state)(today="2026-11-21")
    assert people.open_shoe()[0] == "BATCH_UNSHUFFLED"


@pytest.mark.clause("NY-a-4-iv-d-alternate")
@pytest.mark.clause("NY-a-4-iv-d-every")
@pytest.mark.clause("S42-a-4-v-alt")
@pytest.mark.clause("S42-a-4-v-every")
@pytest.mark.parametrize("profile", ["ny-mini", "s42-mini"])
def test_the_same_batch_again_is_an_irregularity_at_its_first_card(
    new_shuffler_table, profile
) -> None:
    people = new_shuffler_table(profile)
    people.deal_first("red")
    people.end_shoe()
    assert "BATCH_REPEATED" in first_card(people, "red")
    repeated = next(one for one in people.table.irregularities if one.code == "BATCH_REPEATED")
    assert len(repeated.clauses) == 2


def test_where_the_shoe_reports_no_back_it_is_the_only_batch_outside_the_shuffler(
    new_shuffler_table,
) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.end_shoe()
    assert {"BATCH_REPEATED", "BATCH_UNSHUFFLED"} <= set(people.open_shoe())


def test_days_and_shoes_later_it_is_still_remembered(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.end_shoe()
    people.table.deal("day 2026-11-24")
    people.shuffle("red")
    people.release("red")
    assert people.do("loaded red 416") == "the last shoe was dealt from red: load blue"


def test_four_shoes_alternate(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    dealt = []
    for coming, spent in (("blue", "red"), ("red", "blue"), ("blue", "red")):
        assert people.end_shoe() == []
        dealt.append(people.table.state.lineage.last_dealt)
        assert people.release(coming) == []
        assert people.shuffle(spent) == []
        assert people.open_shoe() == []
    assert [*dealt, people.table.state.lineage.last_dealt] == ["red", "blue", "red", "blue"]


@pytest.mark.parametrize(
    ("recorded", "detail"),
    [
        ("", "it belongs to blue; red was released"),
        ("loaded red 416", "it belongs to blue; red was loaded"),
    ],
)
def test_a_first_card_of_the_other_batch_is_of_the_wrong_one(ready, recorded, detail) -> None:
    people = ready()
    people.release("red")
    if recorded:
        people.do(recorded)
    assert first_card(people, "blue")[:2] == ["WRONG_BATCH", "BATCH_NOT_READY"]
    assert to_words(people.table.irregularities[0].detail).endswith(detail)
    assert people.table.state.lineage.last_dealt == "blue"


def test_a_back_of_no_batch_says_nothing_of_which_one_it_is(ready) -> None:
    people = ready()
    people.release("red")
    assert first_card(people, "green") == []
    assert people.table.state.lineage.last_dealt == "red"


def test_a_batch_that_was_touched_is_not_ready(ready) -> None:
    people = ready()
    people.release("red")
    people.do("cards-touched red")
    codes = first_card(people, "red")
    assert codes[0] == "BATCH_UNSHUFFLED" or "BATCH_NOT_READY" in codes
    assert people.table.phase is Phase.SUSPENDED


def test_a_batch_that_is_short_is_blocked(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    people.put_in("red", 412)
    people.run_script("shuffler 1 empty 0; clear warning 1")
    assert "BATCH_BLOCKED" in first_card(people, "red")
    assert people.table.phase is Phase.SUSPENDED


def test_a_blocked_batch_is_not_raised_again_by_its_cards(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.shuffle("blue")
    people.put_in("red", 412)
    people.run_script("shuffler 1 empty 0; clear warning 1")
    first_card(people, "red")
    before = len(people.table.irregularities)
    blocked = Finding(
        FindingCode.BATCH_BLOCKED,
        message("before_first_card_of_shoe"),
        message("last_count_gave_fewer", cards=1),
        ACE,
        "E004",
        "red",
    )
    people.table.apply(CustodyFindingRaised(blocked))
    assert len(people.table.irregularities) == before


def test_a_shoe_that_is_met_in_play_is_of_the_batch_that_was_released(ready) -> None:
    people = ready()
    people.release("red")
    assert people.table.deal("P1 7h") == ["SHOE_JOINED"]
    assert people.table.state.lineage.last_dealt == "red"
    assert people.stage("red") == "in_play"


def test_a_batch_whose_shoe_ended_before_any_coup_is_shuffled_again(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.end_shoe("")
    why = people.do("loaded red 416")
    assert why == "red is gathered and neither counted nor shuffled: count and shuffle it"
    people.shuffle("red")
    people.release("red")
    assert people.do("loaded red 416") == ""


# --- the idle batch -----------------------------------------------------------------------------


@pytest.mark.clause("NY-a-4-iv-c")
def test_dealing_with_the_other_batch_outside_is_an_irregularity(new_shuffler_table) -> None:
    people = new_shuffler_table("ny-mini")
    people.shuffle("red")
    people.release("red")
    people.table.deal("start; burn Ac")
    out, not_ready = people.table.irregularities
    assert out.code is IrregularityCode.IDLE_BATCH_OUT
    assert to_words(out.detail).endswith("blue is not in the shuffler while red is in play")
    assert out.clauses == ("NY-a-4-iv-c",)
    # Either batch may be in a shoe that reports no backs: a person has to check.
    assert (not_ready.code, not_ready.suspends) == (IrregularityCode.BATCH_NOT_READY, True)
    assert to_words(not_ready.detail).endswith("check the backs of the cards in the shoe")


def test_a_card_whose_back_says_which_batch_it_is_leaves_no_doubt(new_shuffler_table) -> None:
    people = new_shuffler_table("ny-mini")
    people.shuffle("red")
    people.release("red")
    assert first_card(people, "red") == ["IDLE_BATCH_OUT"]


@pytest.mark.clause("S42-a-4-iv")
@pytest.mark.parametrize("word", ["released 416 of blue", "empty 0"])
def test_taking_it_out_in_play_is_one_at_once(new_shuffler_table, word) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    assert people.run_script(f"shuffler 2 {word}") == ["IDLE_BATCH_OUT"]
    found = people.table.irregularities[-1]
    assert to_words(found.detail).endswith("blue left the shuffler while red is in play")
    assert found.clauses == ("S42-a-4-iv",)
    assert people.run_script("shuffler 2 empty 0") == [], "and once"


def test_between_shoes_it_may_come_out(new_shuffler_table) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    people.end_shoe()
    assert people.release("blue") == []


def test_a_recorded_release_in_play_does_not_override_the_shuffler(
    new_shuffler_table,
) -> None:
    people = new_shuffler_table()
    people.deal_first("red")
    assert people.do("released") == ""
    assert people.table.irregularities == []


# --- the discard rack ---------------------------------------------------------------------------


@pytest.mark.clause("NY-a-4-iv-e")
@pytest.mark.clause("S42-a-4-vi")
@pytest.mark.parametrize(
    ("profile", "clause"), [("ny-mini", "NY-a-4-iv-e"), ("s42-mini", "S42-a-4-vi")]
)
def test_the_next_batch_is_not_loaded_while_the_last_lies_in_the_rack(
    new_shuffler_table, profile, clause
) -> None:
    people = new_shuffler_table(profile)
    people.deal_first("red")
    people.end_shoe()
    people.release("blue")
    why = "the discard rack still holds red: put red into the shuffler or clear the rack"
    assert people.do("loaded blue 416") == why
    assert people.refused.clauses == (clause,)


@pytest.mark.clause("NY-a-4-iv-e")
def test_dealing_all_the_same_mixes_them(new_shuffler_table) -> None:
    people = new_shuffler_table("ny-mini")
    people.deal_first("red")
    people.end_shoe()
    people.release("blue")
    assert first_card(people, "blue") == ["DISCARD_RACK_MIXED", "IDLE_BATCH_OUT"]


# --- a dead table -------------------------------------------------------------------------------


def with_a_dead_table_viewed(new_shuffler_table):
    """People at a table whose red shoe is over and whose spread was viewed."""
    people = new_shuffler_table(shuffler_secure_store=True)
    people.deal_first("red")
    people.end_shoe()
    people.do("dead-table-spread, dead-table-viewed")
    return people


@pytest.mark.clause("S42-e-8-ii-swap")
@pytest.mark.clause("S42-e-8-ii-load")
def test_after_a_dead_table_the_batch_from_the_shuffler_comes(new_shuffler_table) -> None:
    people = with_a_dead_table_viewed(new_shuffler_table)
    assert people.do("loaded red 416") == "the last shoe was dealt from red: load blue"
    assert people.refused.clauses == ("S42-e-8-ii-load", "S42-e-8-ii-swap")
    people.shuffle("red")
    people.release("blue")
    people.do("released")
    assert people.do("loaded blue 416") == ""
    assert people.open_shoe() == []


@pytest.mark.clause("S42-e-8-ii-swap")
@pytest.mark.clause("S42-e-8-ii-load")
def test_the_release_of_the_batch_just_put_in_is_not_that_of_the_other(new_shuffler_table) -> None:
    people = with_a_dead_table_viewed(new_shuffler_table)
    assert people.do("loaded red 416") == "the last shoe was dealt from red: load blue"
    people.shuffle("red")
    people.release("blue")
    people.do("released red")
    assert to_words(people.record.detail) == "red; staff 17"
    assert people.do("loaded blue 416").startswith("its release is not recorded: spread blue")
    people.do("released blue")
    assert people.do("loaded blue 416") == ""


@pytest.mark.clause("S42-e-8-ii-swap")
@pytest.mark.clause("S42-e-8-ii-load")
@pytest.mark.parametrize("named", ["released", "released green"])
def test_a_release_that_names_neither_batch_is_that_of_the_batch_due(
    new_shuffler_table, named
) -> None:
    people = new_shuffler_table(shuffler_secure_store=True)
    people.deal_first("red")
    people.end_shoe()
    people.do("dead-table-spread, dead-table-viewed, into-shuffler red")
    assert people.record.clauses == ("S42-a-4-iv", "S42-e-8-ii-load", "S42-e-8-ii-swap")
    people.shuffle("red")
    people.release("blue")
    people.do(named)
    assert to_words(people.record.detail) == "blue; staff 17"
    assert people.do("loaded blue 416") == ""


@pytest.mark.clause("S42-e-8-ii-noreq")
@pytest.mark.clause("S42-e-8-ii-A")
@pytest.mark.clause("S42-e-8-ii-B")
def test_and_not_without_its_release_or_from_an_opened_shuffler(new_shuffler_table) -> None:
    people = new_shuffler_table(shuffler_secure_store=True)
    people.deal_first("red")
    people.end_shoe()
    people.run_script("shuffler door 2 open; shuffler door 2 closed; clear warning 1")
    people.do("dead-table-spread, dead-table-viewed, into-shuffler red")
    why = people.do("loaded blue 416")
    assert why.startswith(
        "the shuffler did not keep it secure and its release is not recorded: spread blue"
    )
    assert people.refused.clauses == ("S42-e-8-ii-noreq", "S42-e-8-ii-A", "S42-e-8-ii-B")


# --- alternation is suspended (D-20) ------------------------------------------------------------

SUPERVISOR = {"role": "floorperson", "reason": "the shuffler is broken, blue is stuck in it"}


@pytest.mark.clause("S42-a-4-v-alt")
@pytest.mark.clause("S42-a-4-iv")
def test_with_blue_stuck_in_a_dead_shuffler_red_is_shuffled_by_hand(new_shuffler_table) -> None:
    people = new_shuffler_table(observed=(ObservableFact.BATCH_LOADED,))
    people.shuffle("blue")
    people.shuffle("red")
    people.release("red")
    people.do("loaded red 416")
    people.open_shoe()
    people.end_shoe()
    people.run_script("shuffler gone")
    people.do("shuffled red", **SUPERVISOR)
    assert people.do("loaded red 416") == "the last shoe was dealt from red: load blue"

    assert people.do("alternation-suspended red", **SUPERVISOR) == ""
    assert people.record.clauses == ("S42-a-4-v-alt", "S42-a-4-v-every")
    assert people.do("loaded red 416") == ""
    people.run_script('clear warning 1 by Ann because "it is switched off"')
    assert people.open_shoe() == []
    people.end_shoe()

    people.do("shuffled red", **SUPERVISOR)
    assert people.do("loaded red 416") == "the last shoe was dealt from red: load blue"


def test_a_hand_shuffle_of_a_batch_that_a_working_shuffler_holds_is_refused(ready) -> None:
    why = ready().do("shuffled red", **SUPERVISOR)
    assert why == "red lies in compartment 1: take it out first"
