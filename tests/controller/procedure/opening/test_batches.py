"""Two batches alternate: which one is loaded, where the other waits, what is in the rack.

Source: NY (a)(4)(iv), (i)(4)-(5); S42 (a)(4), (d)(4), (e)(1), (e)(6), (e)(8)(ii), (f)(1), (j)(4);
D-5, D-7, D-17, D-19, D-21, D-35.
"""

import pytest

from controller.procedure.effects import Prompt
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.record.irregularity import irregularity_words
from controller.rules.setting_values import ShuffleMode
from controller.system.messages.catalogue import to_words

OBSERVED = (ObservableFact.SHOE_OPENED, ObservableFact.BATCH_LOADED, ObservableFact.CUT_DEPTH)
RACK = (ObservableFact.DISCARD_COUNT,)
SECURE = {"shuffler_secure_store": True}
CUT = "cut-offered, cut 200 seat 3, cut-moved, cut-cards-placed 20"
RECEIVED = ", ".join(
    f"inspected {batch} 416, verified {batch}, spread {batch}, stacked {batch}"
    for batch in ("red", "blue")
)
SHUFFLED = "into-shuffler red, shuffled red, released, into-shuffler blue, shuffled blue"
FIRST = f"{RECEIVED}, {SHUFFLED}, {CUT}, loaded red 416"
SWAPPED = "released, into-shuffler red, shuffled red"
SECOND = f"{SWAPPED}, {CUT}, loaded blue 416"
OPENED = "start; burn Ac: 2c"
COUP = "P1 7h; B 7c; P Kd; B Kh; result tie"


@pytest.fixture
def prepared(new_people):
    """Section 42, a shuffler, everything recorded for the first shoe, dealt from red."""
    people = new_people(observed=OBSERVED)
    assert people.do(FIRST) == ""
    assert people.table.deal(OPENED) == []
    return people


# --- loading ------------------------------------------------------------------------------------


@pytest.mark.clause("S42-e-6-load")
@pytest.mark.clause("S42-d-4-separate")
@pytest.mark.clause("S42-a-4-iv")
def test_the_record_of_a_loading_names_batch_cards_and_cutter(prepared) -> None:
    assert to_words(prepared.record.detail) == "red, 416 cards, cut by seat 3"
    assert prepared.record.clauses == ("S42-e-6-load", "S42-a-4-v-alt", "S42-a-4-v-every")
    assert prepared.table.state.lineage.last_dealt == "red"


def test_it_names_no_cutter_where_the_cut_was_not_recorded(new_people) -> None:
    people = new_people()
    people.do("loaded blue 416", reference="shuffle 12")
    assert to_words(people.record.detail) == "blue, 416 cards; shuffle 12"
    people = new_people(shuffle_mode=ShuffleMode.HAND)
    people.do("loaded 416")
    assert to_words(people.record.detail) == "all decks, 416 cards"


@pytest.mark.clause("S42-a-4-sets")
@pytest.mark.parametrize("act", ["loaded 416", "loaded green 416", "shuffled", "inspected 416"])
def test_with_two_batches_every_act_on_cards_names_one(new_people, act) -> None:
    people = new_people()
    assert people.do(act) == "name the batch: red or blue"
    assert people.refused.clauses[0] == "S42-a-4-sets"


@pytest.mark.clause("S42-a-4-v-alt")
@pytest.mark.clause("S42-a-4-v-every")
@pytest.mark.parametrize("meanwhile", ["stand-by", "day 2026-11-22", "day 2026-11-23; stand-by"])
def test_the_batches_alternate_across_shoes_and_days(prepared, meanwhile) -> None:
    prepared.table.deal(f"{COUP}; close shoe; {meanwhile}")
    assert prepared.do(SWAPPED) == ""
    assert prepared.do(f"{CUT}, loaded red 416") == "the last shoe was dealt from red: load blue"
    assert prepared.refused.clauses == ("S42-a-4-v-alt", "S42-a-4-v-every")
    assert prepared.do("loaded blue 416") == ""
    assert prepared.table.deal(OPENED) == []
    assert prepared.table.state.lineage.last_dealt == "blue"


@pytest.mark.clause("NY-a-4-iv-d-alternate")
@pytest.mark.clause("NY-a-4-iv-d-every")
def test_dealing_from_a_batch_that_was_refused_is_an_irregularity(new_people) -> None:
    people = new_people("ny-mini", observed=(ObservableFact.BATCH_LOADED,))
    people.do("into-shuffler blue, loaded red 416")
    people.table.deal(f"{OPENED}; {COUP}; close shoe")
    people.do("loaded red 416")
    assert people.table.deal("start; burn Ac") == ["BATCH_REPEATED"]
    assert people.table.irregularities[0].clauses == (
        "NY-a-4-iv-d-alternate",
        "NY-a-4-iv-d-every",
    )
    assert people.table.state.lineage.last_dealt == "red"


def test_either_batch_begins_and_where_no_coup_was_dealt_it_may_come_back(new_people) -> None:
    people = new_people()
    assert people.do("loaded blue 416") == ""
    people.table.deal(f"{OPENED}; close shoe")
    assert people.do("loaded blue 416") == ""


@pytest.mark.clause("NY-a-4-iv-a")
@pytest.mark.clause("NY-a-4-i-decks")
@pytest.mark.parametrize(
    ("counted", "difference"), [(412, "4 too few"), (417, "1 too many"), (0, "416 too few")]
)
def test_a_batch_that_is_short_or_long_is_not_loaded(new_people, counted, difference) -> None:
    people = new_people("ny-mini", observed=(ObservableFact.BATCH_LOADED,))
    why = people.do(f"loaded red {counted}")
    assert why.startswith(f"counted {counted} of 416 cards, {difference}: count every deck")
    assert people.table.deal("start; burn Ac") == ["BATCH_SHORT"]


@pytest.mark.clause("S42-e-1")
@pytest.mark.clause("S42-d-4-stack")
def test_loading_comes_last(new_people) -> None:
    people = new_people(observed=OBSERVED)
    people.do(RECEIVED)
    why = people.do(f"{CUT}, loaded red 416")
    assert why == "not recorded yet: shuffle the cards. Record it, then the loading"
    assert people.refused.clauses == ("S42-e-6-load", "S42-e-1")


def test_nothing_is_loaded_while_a_shoe_is_in_play(prepared) -> None:
    assert prepared.do("loaded blue 416") == "a shoe is in play: end or close it first"


@pytest.mark.clause("S42-l-1-use")
def test_a_continuous_shuffler_is_not_loaded(new_people) -> None:
    people = new_people(shuffle_mode=ShuffleMode.CONTINUOUS)
    assert people.do("loaded 416") == "a continuous shuffler is not loaded shoe by shoe"


def test_without_a_loading_the_next_batch_is_unknown(new_people) -> None:
    people = new_people(observed=(ObservableFact.BATCH_LOADED,))
    assert people.table.deal("start; burn Ac") == ["OPENING_INCOMPLETE"]
    assert people.table.state.lineage.last_dealt == ""


def test_a_missing_loading_is_missed_of_the_batch_whose_turn_it_is(prepared) -> None:
    prepared.table.deal(f"{COUP}; close shoe")
    prepared.do(f"{SWAPPED}, {CUT}")
    assert prepared.table.deal("start; burn Ac") == ["OPENING_INCOMPLETE"]
    (found,) = prepared.table.irregularities
    assert irregularity_words(found).endswith(
        ": load the shoe and record the batch, its cards and who cut"
    )


def test_before_the_first_shoe_it_is_the_one_that_does_not_wait_in_the_shuffler(new_people) -> None:
    people = new_people(observed=OBSERVED)
    people.do(f"{RECEIVED}, {SHUFFLED}, {CUT}")
    people.table.deal("start; burn Ac")
    (found,) = people.table.irregularities
    assert "shuffle the cards" not in to_words(found.detail)


# --- the shuffler -------------------------------------------------------------------------------


@pytest.mark.clause("NY-a-4-iv-c")
def test_dealing_with_the_idle_batch_out_of_the_shuffler_is_an_irregularity(new_people) -> None:
    people = new_people("ny-mini", observed=(ObservableFact.BATCH_LOADED,))
    people.do("loaded red 416")
    assert people.table.deal("start; burn Ac") == ["IDLE_BATCH_OUT"]
    assert people.table.irregularities[0].clauses == ("NY-a-4-iv-c",)


@pytest.mark.clause("S42-a-4-iv")
@pytest.mark.clause("S42-e-8-ii-B")
def test_so_is_taking_it_out_during_play(prepared) -> None:
    prepared.do("released")
    (found,) = prepared.table.irregularities
    assert found.code.value == "IDLE_BATCH_OUT"
    assert irregularity_words(found).endswith(": blue was taken out while red is in play")


@pytest.mark.clause("S42-a-4-iv")
@pytest.mark.parametrize(
    ("act", "why"),
    [
        ("into-shuffler red", "the shuffler holds blue: take that batch out first"),
        ("into-shuffler green", "name the batch: red or blue"),
        ("released, into-shuffler red", "red is in play: end or close the shoe first"),
    ],
)
def test_the_shuffler_stores_one_batch_and_not_the_one_in_play(prepared, act, why) -> None:
    assert prepared.do(act) == why
    assert prepared.refused.clauses == ("S42-a-4-iv",)


@pytest.mark.clause("S42-d-4-stack")
def test_a_batch_is_stacked_apart_before_it_goes_in(new_people) -> None:
    people = new_people(observed=OBSERVED)
    why = "red is not stacked apart yet: record that, then put it into the shuffler"
    assert people.do("inspected red, into-shuffler red") == why
    assert people.refused.clauses == ("S42-d-4-separate", "S42-d-4-stack")


def test_a_batch_that_goes_in_is_not_shuffled_yet(new_people) -> None:
    people = new_people()
    people.do("shuffled red, into-shuffler red")
    assert [act.kind.value for act in people.table.state.opening.acts] == []


def test_a_batch_that_is_loaded_has_left_the_shuffler(new_people) -> None:
    people = new_people()
    people.do("into-shuffler red, loaded red 416")
    assert people.table.state.lineage.in_shuffler == ""


@pytest.mark.clause("S42-e-8-ii-B")
def test_a_release_needs_a_batch_and_a_member_of_staff(new_people) -> None:
    people = new_people()
    why = "no batch is known to be in the shuffler: record into-shuffler first"
    assert people.do("released") == why
    people.do("into-shuffler red")
    assert people.do("released", reference="").startswith("give in the reference the number")
    assert people.refused.clauses == ("S42-e-8-ii-B",)


@pytest.mark.parametrize("act", ["into-shuffler red", "shuffler-opened"])
def test_without_two_batches_no_shuffler_stores_one(new_people, act) -> None:
    people = new_people(shuffle_mode=ShuffleMode.HAND)
    assert people.do(act) == "this table has no shuffler that stores a batch"


@pytest.mark.clause("S42-e-8-ii-A")
def test_an_opened_shuffler_is_secure_again_after_a_shuffle(new_people) -> None:
    people = new_people()
    people.do("into-shuffler red, shuffler-opened")
    assert people.table.state.lineage.opened
    people.do("shuffled red")
    assert not people.table.state.lineage.opened


def test_the_idle_batch_may_be_shuffled_during_play_and_the_other_not(prepared) -> None:
    assert prepared.do("shuffled blue") == ""
    assert prepared.do("shuffled red") == "these cards are in play: end or close the shoe first"
    assert prepared.do("received red") == "these cards are in play: close the shoe first"
    assert prepared.do("received blue") == ""


# --- backs --------------------------------------------------------------------------------------


@pytest.mark.clause("S42-a-4-iii-same")
@pytest.mark.clause("S42-f-1-same")
@pytest.mark.parametrize(
    ("act", "detail"),
    [
        ("foreign-back blue", "a back of blue among red"),
        ("foreign-back", "a back of another colour or design among red"),
    ],
)
def test_a_foreign_back_is_an_irregularity_that_names_both(prepared, act, detail) -> None:
    prepared.do(act)
    (found,) = prepared.table.irregularities
    assert (found.code.value, found.suspends) == ("WRONG_BATCH", True)
    assert irregularity_words(found).endswith(detail)
    assert prepared.table.phase is Phase.SUSPENDED


@pytest.mark.clause("NY-a-4-iv-b-same")
def test_between_shoes_it_is_in_the_shoes_record(new_people) -> None:
    people = new_people("ny-mini")
    people.do("foreign-back green")
    assert to_words(people.record.detail) == "a back of green among the cards of the shoe"
    assert people.record.clauses == ("NY-a-4-iv-b-same",)
    assert people.table.irregularities == []


@pytest.mark.clause("NY-a-4-iv-b-same")
def test_in_a_shoe_of_new_york_a_foreign_back_is_an_irregularity(new_people) -> None:
    people = new_people("ny-mini", observed=(ObservableFact.BATCH_LOADED,))
    people.do("into-shuffler blue, loaded red 416")
    people.table.deal(OPENED)
    own = "red is the batch in play: its cards are not foreign"
    assert people.do("foreign-back red") == own
    assert people.do("foreign-back green") == ""
    (found,) = people.table.irregularities
    assert "NY-a-4-iv-b-same" in found.clauses


@pytest.mark.clause("S42-a-4-i")
def test_new_cards_of_the_idle_batch_are_received_during_play(prepared) -> None:
    in_play = "these cards are in play: close the shoe first"
    assert prepared.do("received red") == in_play
    assert prepared.do("received blue") == ""
    assert "S42-a-4-i" in prepared.record.clauses


@pytest.mark.clause("S42-a-4-iii-same")
def test_a_back_of_the_batch_in_play_is_no_foreign_one(prepared) -> None:
    why = "red is the batch in play: its cards are not foreign"
    assert prepared.do("foreign-back red") == why


# --- alternation is suspended (D-20) ------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "who", "why"),
    [
        ("alternation-suspended green", {}, "name the batch that may be used again: red or blue"),
        (
            "alternation-suspended red",
            {"reason": "broken"},
            "alternation is suspended by a floorperson, with the reason",
        ),
        (
            "alternation-suspended red",
            {"role": "pit_manager"},
            "alternation is suspended by a floorperson, with the reason",
        ),
    ],
)
def test_alternation_is_suspended_by_a_supervisor_with_a_reason(prepared, act, who, why) -> None:
    prepared.table.deal("close shoe")
    assert prepared.do(act, **who) == why


def test_alternation_is_not_suspended_in_mid_shoe(prepared) -> None:
    why = prepared.do("alternation-suspended red", role="floorperson", reason="broken")
    assert why == "a shoe is in play: end or close it first"


def test_with_one_batch_there_is_no_alternation_to_suspend(new_people) -> None:
    people = new_people(shuffle_mode=ShuffleMode.HAND)
    why = people.do("alternation-suspended red", role="floorperson", reason="broken")
    assert why == "this table has one batch: there is no alternation to suspend"


@pytest.mark.clause("NY-a-4-iv-d-alternate")
@pytest.mark.clause("NY-a-4-iv-c")
def test_while_alternation_is_suspended_the_same_batch_comes_again_for_one_shoe(new_people) -> None:
    people = new_people("ny-mini", observed=(ObservableFact.BATCH_LOADED,))
    people.do("into-shuffler blue, loaded red 416")
    people.table.deal(f"{OPENED}; {COUP}")
    suspend = {"role": "floorperson", "reason": "the shuffler is broken"}
    in_play = people.do("alternation-suspended red", **suspend)
    assert in_play == "a shoe is in play: end or close it first"
    people.table.deal("close shoe")
    people.do("released", reference="badge 12")
    people.do("alternation-suspended red", **suspend)

    assert people.do("loaded red 416") == ""
    assert people.table.deal(f"{OPENED}; {COUP}; close shoe") == []
    assert people.do("loaded red 416") == "the last shoe was dealt from red: load blue"


# --- the discard rack ---------------------------------------------------------------------------


@pytest.mark.clause("NY-i-4")
@pytest.mark.clause("S42-j-4")
@pytest.mark.parametrize("profile", ["ny-mini", "s42-mini"])
def test_after_each_coup_the_rack_is_counted(new_people, profile) -> None:
    people = new_people(profile, observed=RACK)
    people.table.deal(f"{OPENED}; {COUP}")
    (prompted,) = [one for one in people.table.of(Prompt) if one.kind.value == "discard"]
    assert to_words(prompted.text).endswith("and count it: it should hold 6")
    assert prompted.observed
    assert people.do("discard-counted 6") == ""
    assert to_words(people.record.detail) == "counted 6, expected 6"
    people.table.deal("P1 9h; B 7c")
    people.do("discard-counted 6")
    assert people.table.irregularities == []


@pytest.mark.clause("NY-i-5-touch")
@pytest.mark.clause("S42-j-5-touch")
@pytest.mark.clause("NY-i-4")
@pytest.mark.parametrize("profile", ["ny-mini", "s42-mini"])
@pytest.mark.parametrize(
    ("counted", "difference"),
    [(5, "counted 5, expected 6: 1 missing"), (8, "counted 8, expected 6: 2 too")],
)
def test_a_rack_that_differs_is_one_irregularity(new_people, profile, counted, difference) -> None:
    people = new_people(profile, observed=RACK)
    people.table.deal(f"{OPENED}; {COUP}")
    people.do(f"discard-counted {counted}, discard-counted {counted}")
    (found,) = people.table.irregularities
    assert found.code.value == "DISCARD_DIFFERS"
    assert difference in to_words(found.detail)
    touched = any(clause.endswith("5-touch") for clause in found.clauses)
    assert touched is (counted < 6)


def test_nothing_is_prompted_where_the_rack_is_not_counted(table) -> None:
    table.deal(COUP)
    assert "discard" not in table.prompts()


def test_a_joined_shoe_is_compared_from_its_first_count_on(new_people) -> None:
    people = new_people(observed=RACK)
    people.table.deal("P1 7h")
    people.table.decide("continue")
    people.table.deal("B 7c; P Kd; B Kh; result tie")
    people.do("discard-counted 90")
    assert people.table.deal(COUP) == []
    people.do("discard-counted 94")
    assert [one.code.value for one in people.table.irregularities] == ["SHOE_JOINED"]


def test_nothing_is_counted_before_a_shoe_was_dealt(new_people) -> None:
    people = new_people(observed=RACK)
    before = people.table.state
    assert people.do("discard-counted 3") == "no shoe was dealt: clear the rack instead"
    assert people.table.state == before


@pytest.mark.clause("S42-j-4")
def test_a_rack_cleared_before_the_first_shoe_owes_its_count_nothing(new_people) -> None:
    people = new_people(observed=RACK)
    assert people.do("discard-cleared") == ""
    assert people.table.state.lineage.rack_extra == 0
    people.table.deal(f"{OPENED}; {COUP}")
    people.do("discard-counted 6")
    assert people.table.irregularities == []


@pytest.mark.clause("S42-a-4-vi")
def test_cards_of_both_batches_in_the_rack_are_an_irregularity(prepared) -> None:
    prepared.do("discard-counted blue 2")
    (found,) = prepared.table.irregularities
    assert found.code.value == "DISCARD_RACK_MIXED"
    assert irregularity_words(found).endswith(": cards of blue lie with cards of red")
    assert prepared.do("discard-counted green 2") == "name the batch: red or blue"


@pytest.mark.clause("NY-i-4")
@pytest.mark.clause("S42-j-4")
@pytest.mark.parametrize("profile", ["ny-mini", "s42-mini"])
def test_a_rack_counted_empty_holds_no_cards_of_another_batch(new_people, profile) -> None:
    people = new_people(profile, observed=RACK)
    people.do("into-shuffler blue, loaded red 416")
    people.table.deal(f"{OPENED}; {COUP}; close shoe")
    people.do("released, into-shuffler red, discard-counted blue 0")
    assert people.table.irregularities == []


@pytest.mark.clause("NY-i-4")
@pytest.mark.clause("S42-j-4")
@pytest.mark.parametrize("profile", ["ny-mini", "s42-mini"])
def test_cards_of_the_idle_batch_in_an_empty_rack_are_an_irregularity(new_people, profile) -> None:
    people = new_people(profile, observed=RACK)
    people.do("into-shuffler blue, loaded red 416")
    people.table.deal("P1 7h")
    people.table.decide("continue")
    people.table.deal("B 7c; P Kd; B Kh; result tie")
    people.do("discard-counted 0")
    people.table.deal(COUP)
    people.do("discard-counted blue 4")
    assert [one.code.value for one in people.table.irregularities] == [
        "SHOE_JOINED",
        "DISCARD_RACK_MIXED",
    ]
    assert irregularity_words(people.table.irregularities[-1]).endswith(
        ": cards of blue lie with cards of red"
    )


@pytest.mark.clause("NY-a-4-iv-e")
def test_the_next_shoe_is_not_loaded_before_the_rack_is_clear(new_people) -> None:
    people = new_people("ny-mini", observed=(*RACK, ObservableFact.BATCH_LOADED))
    people.do("into-shuffler blue, loaded red 416")
    people.table.deal(f"{OPENED}; {COUP}; close shoe")
    people.do("released")
    why = "the discard rack still holds red: put red into the shuffler or clear the rack"
    assert people.do("loaded blue 416") == why
    assert people.refused.clauses == ("NY-a-4-iv-e",)
    assert people.table.deal("start; burn Ac") == ["DISCARD_RACK_MIXED"]


@pytest.mark.parametrize("act", ["into-shuffler red", "discard-cleared"])
def test_either_act_clears_it(new_people, act) -> None:
    people = new_people("ny-mini", observed=RACK)
    people.do("into-shuffler blue, loaded red 416")
    people.table.deal(f"{OPENED}; {COUP}; close shoe")
    assert people.do(f"released, {act}, discard-counted red 0, loaded blue 416") == ""
    assert people.table.irregularities == []


@pytest.mark.clause("S42-j-4")
def test_the_rack_is_not_cleared_during_play(prepared) -> None:
    why = "its cards belong to the shoe in play: end or close the shoe first"
    assert prepared.do("discard-cleared") == why


# --- a dead table with a shuffler ---------------------------------------------------------------


@pytest.fixture
def dead(new_people):
    """The shoe from red was closed and its cards were spread; blue is in the shuffler."""

    def closed(**rules):
        people = new_people(observed=(ObservableFact.BATCH_LOADED,), **rules)
        people.do("into-shuffler blue, shuffled blue, loaded red 416")
        people.table.deal(f"{OPENED}; close shoe")
        assert people.do("dead-table-spread, dead-table-viewed") == ""
        return people

    return closed


@pytest.mark.clause("S42-e-8-ii-load")
@pytest.mark.clause("S42-e-8-ii-swap")
def test_the_cards_go_into_the_shuffler_and_the_other_batch_comes(dead) -> None:
    people = dead(**SECURE)
    people.do("released, into-shuffler red")
    assert people.record.clauses == ("S42-a-4-iv", "S42-e-8-ii-load", "S42-e-8-ii-swap")
    assert people.do("loaded red 416") == "the last shoe was dealt from red: load blue"
    assert people.refused.clauses == ("S42-e-8-ii-load", "S42-e-8-ii-swap")
    assert people.do("loaded blue 416") == ""
    assert people.table.deal(OPENED) == []
    assert not people.table.state.opening.dead


@pytest.mark.clause("S42-e-8-ii-noreq")
@pytest.mark.clause("S42-e-8-ii-A")
@pytest.mark.clause("S42-e-8-ii-B")
@pytest.mark.parametrize(
    ("secure", "acts", "why"),
    [
        (True, "into-shuffler blue", "its release is not recorded"),
        (True, "shuffler-opened, released", "the shuffler did not keep it secure"),
        (False, "released", "the shuffler did not keep it secure"),
        (True, "released, respread-asked", "a patron asked for it to be spread"),
        (
            False,
            "respread-asked",
            (
                "a patron asked for it to be spread and the shuffler did not keep it secure and its"
                " release is not recorded"
            ),
        ),
    ],
)
def test_it_is_spread_only_if_requested_opened_or_not_released(dead, secure, acts, why) -> None:
    people = dead(shuffler_secure_store=secure)
    people.do(acts)
    assert people.do("loaded blue 416") == f"{why}: spread blue, shuffle it and record both"
    assert people.refused.clauses[0] == "S42-e-8-ii-noreq"
    assert people.do("respread blue, shuffled blue, loaded blue 416") == ""


@pytest.mark.clause("S42-e-8-ii-A")
def test_dealing_from_it_all_the_same_is_an_irregularity(dead) -> None:
    people = dead(**SECURE)
    people.do("shuffler-opened, loaded blue 416")
    assert people.table.deal("start; burn Ac") == ["SHUFFLER_UNSECURE"]


@pytest.mark.clause("S42-e-8-ii-noreq")
def test_a_patron_asks_for_it_after_a_dead_table_only(prepared, dead) -> None:
    assert prepared.do("respread-asked").startswith(
        "a patron can ask for this only after a dead table"
    )
    assert prepared.do("respread blue") == "only after a dead table, for one batch: red or blue"
    assert dead(**SECURE).do("respread green").startswith("only after a dead table, for one batch")


@pytest.mark.clause("S42-e-8-ii-load")
@pytest.mark.clause("S42-e-8-ii-swap")
@pytest.mark.clause("S42-e-8-ii-noreq")
def test_a_closed_shoe_prompts_what_to_do_with_its_cards(prepared) -> None:
    prepared.table.deal("close shoe")
    last = prepared.table.of(Prompt)[-1]
    assert last.kind.value == "dead_table"
    assert "load the batch that is in it" in to_words(last.text)


# --- from shoe to shoe --------------------------------------------------------------------------


@pytest.mark.clause("S42-d-1-sort")
def test_what_is_done_with_received_cards_is_asked_for_before_the_first_shoe_only(table) -> None:
    received, shuffle = "when cards are received: ", "before the shoe: shuffle the cards"
    table.deal("close shoe; start; close shoe; start")

    asked = [to_words(one.text) for one in table.of(Prompt)]
    assert sum(text.startswith(received) for text in asked) == 1
    assert asked.count(shuffle) == 3
