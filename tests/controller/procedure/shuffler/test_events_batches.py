"""A batch is loaded, and dealt from, only as its life allows.

Responsible for: what a shuffler's word forbids when a shoe is loaded and at its first card, the
idle batch, alternation, the discard rack, and a shoe that is met in play.
Not responsible for: warnings (test_shuffler_warnings), whole incidents (test_shuffler_incidents).
Source: NY (a)(4)(iv); S42 (a)(4), (e)(1), (e)(8)(ii); D-17 to D-22.
"""

import pytest

from controller.custody.findings import Finding, FindingCode
from controller.procedure.effects import Prompted
from controller.procedure.events import CardDrawn, CustodyFound
from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import Phase
from controller.procedure.rulebook import Fact
from controller.rules.cards import Card
from controller.rules.coup import Place

ACE = Card.parse("Ac")


def first_card(told, back: str) -> list[str]:
    """The first card of a shoe that can tell its back."""
    before = len(told.table.irregularities)
    told.table.deal("start")
    told.table.take(CardDrawn(ACE, Place.BURN_FIRST, back))
    return [one.code.value for one in told.table.irregularities[before:]]


@pytest.fixture
def ready(by_shuffler):
    """Blue is stored, red is shuffled and not released yet."""

    def at(profile: str = "s42-mini", observed: tuple[Fact, ...] = ()):
        told = by_shuffler(profile, observed=observed)
        told.shuffle("blue")
        told.shuffle("red")
        return told

    return at


# --- loading ------------------------------------------------------------------------------------


def test_a_batch_that_was_released_is_loaded(ready) -> None:
    told = ready()
    told.release("red")
    assert told.do("loaded red 416") == ""
    assert told.stage("red") == "in_shoe"


@pytest.mark.clause("S42-e-1")
@pytest.mark.clause("S42-a-4-iv")
def test_a_batch_that_nobody_shuffled_is_not_loaded(by_shuffler) -> None:
    told = by_shuffler()
    why = told.do("loaded red 416")
    assert why == "red is not known to be shuffled: load, count and shuffle it"
    assert told.refused.clauses == ("S42-e-1", "S42-a-4-iv")


@pytest.mark.clause("NY-a-4-iv-c")
def test_a_batch_that_is_only_counted_is_not_loaded(by_shuffler) -> None:
    told = by_shuffler("ny-mini")
    told.put_in("red")
    assert told.do("loaded red 416") == "red is counted and not shuffled: shuffle it"
    assert told.refused.clauses == ("S42-e-1", "NY-a-4-iv-c")


@pytest.mark.clause("S42-e-8-ii-B")
def test_a_batch_that_is_still_in_the_shuffler_is_not_loaded(ready) -> None:
    told = ready()
    assert told.do("loaded red 416") == "red is in the shuffler: have it released first"
    assert told.refused.clauses == ("S42-e-8-ii-B",)


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
    by_shuffler, profile, clauses, counted
) -> None:
    told = by_shuffler(profile)
    told.put_in("red", counted)
    assert told.do("loaded red 416").startswith("red ")
    assert told.refused.clauses[:2] == clauses


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
    by_shuffler, profile, clauses
) -> None:
    told = by_shuffler(profile)
    told.say("record into-shuffler batch red; shuffler 1 loading 0 of red")
    told.say("shuffler 1 counted 416 of green")
    why = told.do("loaded red 416")
    assert why.startswith("red holds cards that are not its own; ")
    assert told.refused.clauses[: len(clauses)] == clauses


@pytest.mark.clause("S42-e-8-ii-A")
def test_a_batch_on_which_a_door_was_opened_is_not_loaded(ready) -> None:
    told = ready()
    told.say("shuffler door 1 open; shuffler door 1 closed")
    assert told.do("loaded red 416").startswith("red was touched, or a door was opened on it; ")
    assert told.refused.clauses[0] == "S42-e-8-ii-A"


@pytest.mark.clause("S42-e-1")
@pytest.mark.parametrize("word", ["jam", "aborted 2 power"])
def test_a_batch_that_jammed_or_lost_its_power_is_not_loaded(by_shuffler, word) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    told.put_in("red")
    told.begin("red")
    told.say(f"shuffler 1 {word}")
    assert told.do("loaded red 416") != ""
    assert "S42-e-1" in told.refused.clauses


@pytest.mark.clause("S42-e-8-ii-A")
def test_a_batch_is_not_loaded_from_a_shuffler_that_sorts(ready) -> None:
    told = ready()
    told.release("red")
    told.say("shuffler mode sort")
    assert told.do("loaded red 416").startswith("the shuffler is in sort mode: put it into play")
    assert told.refused.clauses == ("S42-e-8-ii-A", "S42-a-4-iv")


def test_a_refusal_names_everything_that_stands_in_the_way(ready) -> None:
    told = ready()
    told.say("shuffler 1 residual 16; shuffler mode sort")
    why = told.do("loaded red 416")
    assert "16 cards are left in the shuffler" in why
    assert "the shuffler is in sort mode" in why


def test_dealing_all_the_same_is_an_irregularity_where_loading_is_told(by_shuffler) -> None:
    told = by_shuffler(observed=(Fact.BATCH_LOADED,))
    told.shuffle("blue")
    told.put_in("red")
    told.do("loaded red 416")
    raised = told.table.deal("start, burn Ac:")
    assert raised == ["BATCH_UNSHUFFLED", "CARD_UNDER_WARNING"], "once for one fact"


def test_what_was_set_right_meanwhile_is_only_not_recorded(ready) -> None:
    told = ready(observed=(Fact.BATCH_LOADED,))
    assert told.do("loaded red 416") == "red is in the shuffler: have it released first"
    told.release("red")
    assert told.table.deal("start, burn Ac:") == ["OPENING_INCOMPLETE"]


@pytest.mark.clause("S42-e-1")
@pytest.mark.clause("S42-a-4-iv")
def test_when_a_shoe_opens_people_are_told_what_stands_in_the_way(by_shuffler) -> None:
    told = by_shuffler()
    told.table.deal("start")
    prompt = told.table.of(Prompted)[-1]
    assert prompt.text == "no batch was released by the shuffler: have one released, cut and loaded"
    assert prompt.clauses == ("S42-e-1", "S42-a-4-iv")


@pytest.mark.clause("S42-a-4-v-alt")
def test_and_of_the_batch_that_lies_outside(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.end_shoe()
    told.table.deal("start")
    prompt = told.table.of(Prompted)[-1]
    assert prompt.text.startswith("the last shoe was dealt from red: take blue; ")
    assert prompt.clauses[:2] == ("S42-a-4-v-alt", "S42-a-4-v-every")


# --- the first card -----------------------------------------------------------------------------


@pytest.mark.clause("S42-a-4-iv")
def test_a_shoe_from_the_batch_that_was_released_is_in_order(ready) -> None:
    told = ready()
    told.release("red")
    assert told.open_shoe() == []
    assert told.table.state.opening.last_batch == "red"
    in_order = [one for one in told.table.verdicts if getattr(one, "what", "") == IN_PLACE]
    assert [one.clauses for one in in_order] == [("S42-a-4-iv",)]


IN_PLACE = "red is in play, blue in the shuffler"


@pytest.mark.clause("S42-e-1")
def test_a_shoe_while_nothing_was_released_is_unshuffled(by_shuffler) -> None:
    told = by_shuffler()
    assert told.open_shoe()[0] == "BATCH_UNSHUFFLED"
    (found, *_) = told.table.irregularities
    assert found.detail.endswith("no batch was released by the shuffler")
    assert found.clauses == ("S42-e-1", "S42-a-4-iv")
    assert told.table.phase is Phase.SUSPENDED
    assert told.table.state.opening.last_batch == ""


def test_so_it_is_while_both_wait_in_the_shuffler(ready) -> None:
    assert ready().open_shoe()[0] == "BATCH_UNSHUFFLED"


def test_so_it_is_before_a_word_was_heard_of_the_shuffler(by_shuffler) -> None:
    told = by_shuffler()
    told.table.state = type(told.table.state)(today="2026-11-21")
    assert told.open_shoe()[0] == "BATCH_UNSHUFFLED"


@pytest.mark.clause("NY-a-4-iv-d-alternate")
@pytest.mark.clause("NY-a-4-iv-d-every")
@pytest.mark.clause("S42-a-4-v-alt")
@pytest.mark.clause("S42-a-4-v-every")
@pytest.mark.parametrize("profile", ["ny-mini", "s42-mini"])
def test_the_same_batch_again_is_an_irregularity_at_its_first_card(by_shuffler, profile) -> None:
    told = by_shuffler(profile)
    told.deal_first("red")
    told.end_shoe()
    assert "BATCH_REPEATED" in first_card(told, "red")
    repeated = next(one for one in told.table.irregularities if one.code == "BATCH_REPEATED")
    assert len(repeated.clauses) == 2


def test_where_the_shoe_cannot_tell_it_is_the_only_batch_outside_the_shuffler(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.end_shoe()
    assert {"BATCH_REPEATED", "BATCH_UNSHUFFLED"} <= set(told.open_shoe())


def test_days_and_shoes_later_it_is_still_remembered(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.end_shoe()
    told.table.deal("day 2026-11-24")
    told.shuffle("red")
    told.release("red")
    assert told.do("loaded red 416") == "the last shoe was dealt from red: load blue"


def test_four_shoes_alternate(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    dealt = []
    for coming, spent in (("blue", "red"), ("red", "blue"), ("blue", "red")):
        assert told.end_shoe() == []
        dealt.append(told.table.state.opening.last_batch)
        assert told.release(coming) == []
        assert told.shuffle(spent) == []
        assert told.open_shoe() == []
    assert [*dealt, told.table.state.opening.last_batch] == ["red", "blue", "red", "blue"]


@pytest.mark.parametrize(
    ("recorded", "detail"),
    [("", "it is of blue; red was released"), ("loaded red 416", "it is of blue; red was loaded")],
)
def test_a_first_card_of_the_other_batch_is_of_the_wrong_one(ready, recorded, detail) -> None:
    told = ready()
    told.release("red")
    if recorded:
        told.do(recorded)
    assert first_card(told, "blue")[:2] == ["WRONG_BATCH", "BATCH_NOT_READY"]
    assert told.table.irregularities[0].detail.endswith(detail)
    assert told.table.state.opening.last_batch == "blue"


def test_a_back_of_no_batch_says_nothing_of_which_one_it_is(ready) -> None:
    told = ready()
    told.release("red")
    assert first_card(told, "green") == []
    assert told.table.state.opening.last_batch == "red"


def test_a_batch_that_was_touched_is_not_ready(ready) -> None:
    told = ready()
    told.release("red")
    told.do("cards-touched red")
    codes = first_card(told, "red")
    assert codes[0] == "BATCH_UNSHUFFLED" or "BATCH_NOT_READY" in codes
    assert told.table.phase is Phase.SUSPENDED


def test_a_batch_that_is_short_is_blocked(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    told.put_in("red", 412)
    told.say("shuffler 1 empty 0; clear warning 1")
    assert "BATCH_BLOCKED" in first_card(told, "red")
    assert told.table.phase is Phase.SUSPENDED


def test_what_the_cards_prove_of_a_blocked_batch_is_not_raised_again(by_shuffler) -> None:
    told = by_shuffler()
    told.shuffle("blue")
    told.put_in("red", 412)
    told.say("shuffler 1 empty 0; clear warning 1")
    first_card(told, "red")
    before = len(told.table.irregularities)
    blocked = Finding(FindingCode.BATCH_BLOCKED, "card 1", "red is short", ACE, "E004", "red")
    told.table.take(CustodyFound(blocked))
    assert len(told.table.irregularities) == before


def test_a_shoe_that_is_met_in_play_is_of_the_batch_that_was_released(ready) -> None:
    told = ready()
    told.release("red")
    assert told.table.deal("P1 7h") == ["SHOE_JOINED"]
    assert told.table.state.opening.last_batch == "red"
    assert told.stage("red") == "in_play"


def test_a_batch_whose_shoe_ended_before_any_coup_is_shuffled_again(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.end_shoe("")
    why = told.do("loaded red 416")
    assert why == "red is gathered and neither counted nor shuffled: count and shuffle it"
    told.shuffle("red")
    told.release("red")
    assert told.do("loaded red 416") == ""


# --- the idle batch -----------------------------------------------------------------------------


@pytest.mark.clause("NY-a-4-iv-c")
def test_dealing_with_the_other_batch_outside_is_an_irregularity(by_shuffler) -> None:
    told = by_shuffler("ny-mini")
    told.shuffle("red")
    told.release("red")
    told.table.deal("start, burn Ac:")
    out, not_ready = told.table.irregularities
    assert out.code is IrregularityCode.IDLE_BATCH_OUT
    assert out.detail.endswith("blue is not in the shuffler while red is in play")
    assert out.clauses == ("NY-a-4-iv-c",)
    # Either batch may have gone into a shoe that tells no backs: nobody deals on unlooked.
    assert (not_ready.code, not_ready.suspends) == (IrregularityCode.BATCH_NOT_READY, True)
    assert not_ready.detail.endswith("look at the backs of the cards in the shoe")


def test_a_card_whose_back_says_which_batch_it_is_leaves_no_doubt(by_shuffler) -> None:
    told = by_shuffler("ny-mini")
    told.shuffle("red")
    told.release("red")
    assert first_card(told, "red") == ["IDLE_BATCH_OUT"]


@pytest.mark.clause("S42-a-4-iv")
@pytest.mark.parametrize("word", ["released 416 of blue", "empty 0"])
def test_taking_it_out_in_play_is_one_at_once(by_shuffler, word) -> None:
    told = by_shuffler()
    told.deal_first("red")
    assert told.say(f"shuffler 2 {word}") == ["IDLE_BATCH_OUT"]
    found = told.table.irregularities[-1]
    assert found.detail.endswith("blue left the shuffler while red is in play")
    assert found.clauses == ("S42-a-4-iv",)
    assert told.say("shuffler 2 empty 0") == [], "and once"


def test_between_shoes_it_may_come_out(by_shuffler) -> None:
    told = by_shuffler()
    told.deal_first("red")
    told.end_shoe()
    assert told.release("blue") == []


def test_people_who_record_a_release_in_play_are_not_believed_before_the_shuffler(
    by_shuffler,
) -> None:
    told = by_shuffler()
    told.deal_first("red")
    assert told.do("released") == ""
    assert told.table.irregularities == []


# --- the discard rack ---------------------------------------------------------------------------


@pytest.mark.clause("NY-a-4-iv-e")
@pytest.mark.clause("S42-a-4-vi")
@pytest.mark.parametrize(
    ("profile", "clause"), [("ny-mini", "NY-a-4-iv-e"), ("s42-mini", "S42-a-4-vi")]
)
def test_the_next_batch_is_not_loaded_while_the_last_lies_in_the_rack(
    by_shuffler, profile, clause
) -> None:
    told = by_shuffler(profile)
    told.deal_first("red")
    told.end_shoe()
    told.release("blue")
    why = "the discard rack still holds red: put red into the shuffler or clear the rack"
    assert told.do("loaded blue 416") == why
    assert told.refused.clauses == (clause,)


@pytest.mark.clause("NY-a-4-iv-e")
def test_dealing_all_the_same_mixes_them(by_shuffler) -> None:
    told = by_shuffler("ny-mini")
    told.deal_first("red")
    told.end_shoe()
    told.release("blue")
    assert first_card(told, "blue") == ["DISCARD_RACK_MIXED", "IDLE_BATCH_OUT"]


# --- a dead table -------------------------------------------------------------------------------


@pytest.mark.clause("S42-e-8-ii-swap")
@pytest.mark.clause("S42-e-8-ii-load")
def test_after_a_dead_table_the_batch_from_the_shuffler_comes(by_shuffler) -> None:
    told = by_shuffler(shuffler_secure_store=True)
    told.deal_first("red")
    told.end_shoe()
    told.do("dead-table-spread, dead-table-viewed")
    assert told.do("loaded red 416") == "the last shoe was dealt from red: load blue"
    assert told.refused.clauses == ("S42-e-8-ii-load", "S42-e-8-ii-swap")
    told.shuffle("red")
    told.release("blue")
    told.do("released")
    assert told.do("loaded blue 416") == ""
    assert told.open_shoe() == []


@pytest.mark.clause("S42-e-8-ii-noreq")
@pytest.mark.clause("S42-e-8-ii-A")
@pytest.mark.clause("S42-e-8-ii-B")
def test_and_not_without_its_release_or_from_an_opened_shuffler(by_shuffler) -> None:
    told = by_shuffler(shuffler_secure_store=True)
    told.deal_first("red")
    told.end_shoe()
    told.say("shuffler door 2 open; shuffler door 2 closed; clear warning 1")
    told.do("dead-table-spread, dead-table-viewed, into-shuffler red")
    why = told.do("loaded blue 416")
    assert why.startswith(
        "the shuffler did not keep it secure and its release is not recorded: spread blue"
    )
    assert told.refused.clauses == ("S42-e-8-ii-noreq", "S42-e-8-ii-A", "S42-e-8-ii-B")


# --- alternation is suspended (D-20) ------------------------------------------------------------

SUPERVISOR = {"role": "floorperson", "reason": "the shuffler is broken, blue is stuck in it"}


@pytest.mark.clause("S42-a-4-v-alt")
@pytest.mark.clause("S42-a-4-iv")
def test_with_blue_stuck_in_a_dead_shuffler_red_is_shuffled_by_hand(by_shuffler) -> None:
    told = by_shuffler(observed=(Fact.BATCH_LOADED,))
    told.shuffle("blue")
    told.shuffle("red")
    told.release("red")
    told.do("loaded red 416")
    told.open_shoe()
    told.end_shoe()
    told.say("shuffler gone")
    told.do("shuffled red", **SUPERVISOR)
    assert told.do("loaded red 416") == "the last shoe was dealt from red: load blue"

    assert told.do("alternation-suspended red", **SUPERVISOR) == ""
    assert told.noted.clauses == ("S42-a-4-v-alt", "S42-a-4-v-every")
    assert told.do("loaded red 416") == ""
    told.say('clear warning 1 by Ann because "it is switched off"')
    assert told.open_shoe() == []
    told.end_shoe()

    told.do("shuffled red", **SUPERVISOR)
    assert told.do("loaded red 416") == "the last shoe was dealt from red: load blue"


def test_a_hand_shuffle_of_a_batch_that_a_working_shuffler_holds_is_refused(ready) -> None:
    why = ready().do("shuffled red", **SUPERVISOR)
    assert why == "red lies in compartment 1: take it out first"
