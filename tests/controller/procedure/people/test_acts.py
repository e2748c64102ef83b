"""Acts before the shoe, one by one: recorded, or refused with what to do instead.

Source: NY (a)(2), (d), (i)(5); S42 (d), (e), (j)(5), (l); NJ 1.12(d); WA; HG; D-5, D-26.
"""

import pytest
from msgspec.structs import replace

from controller.procedure.effects import Prompt, Refusal
from controller.procedure.opening.cut import offer_order
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.procedure.state import THE_DEALER
from controller.record.irregularity import irregularity_words
from controller.rules.actions.choices import ActKind
from controller.rules.setting_values import (
    CardHandling,
    DealOption,
    SeatDirection,
    ShuffleFinish,
    ShuffleMode,
)
from controller.system.messages.catalogue import to_words
from foundation.message import message

HAND = {"shuffle_mode": ShuffleMode.HAND}
CONTINUOUS = {"shuffle_mode": ShuffleMode.CONTINUOUS}
DEEP = (ObservableFact.CUT_DEPTH,)
OPENED = "start; burn Ac: 2c"


@pytest.fixture
def by_hand(new_people):
    """Section 42, shuffled by hand, seats 1 to 6."""
    return new_people(**HAND, seats=(1, 2, 3, 4, 5, 6))


# --- the table ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "act", "clauses"),
    [
        pytest.param("ny-mini", "odds-posted", ("NY-a-2-v",), marks=pytest.mark.clause("NY-a-2-v")),
        pytest.param(
            "nj-baccarat",
            "odds-posted",
            ("NJ-12-d-7-ii",),
            marks=pytest.mark.clause("NJ-12-d-7-ii"),
        ),
        pytest.param(
            "ny-ez", "ez-push-posted", ("NY-a-2-vii-c",), marks=pytest.mark.clause("NY-a-2-vii-c")
        ),
        pytest.param(
            "nj-baccarat",
            "layout-approved",
            ("NJ-12-d-approve",),
            marks=pytest.mark.clause("NJ-12-d-approve"),
        ),
        pytest.param(
            "wa-mini", "layout-checked", ("WA-pre-1",), marks=pytest.mark.clause("WA-pre-1")
        ),
    ],
)
def test_acts_of_the_table_are_recorded(new_people, profile, act, clauses) -> None:
    people = new_people(profile)
    assert people.do(act) == ""
    assert (people.record.what, people.record.person) == (act, "Ann Lee")
    assert people.record.clauses == clauses


def test_the_record_holds_reason_reference_and_who_confirmed(new_people) -> None:
    people = new_people("ny-mini")
    people.do("odds-posted", reason="new sign", reference="S-4", second="Bo Ray")
    assert to_words(people.record.detail) == "new sign; S-4; with Bo Ray"


@pytest.mark.clause("NJ-12-d-approve")
def test_an_approval_without_its_reference_is_refused(new_people) -> None:
    people = new_people("nj-baccarat")
    assert people.do("layout-approved", reference="").startswith("give the reference")
    assert people.refused.clauses == ("NJ-12-d-approve",)


# --- received cards -----------------------------------------------------------------------------


@pytest.mark.clause("S42-d-1-sort")
@pytest.mark.clause("S42-d-1-verify")
@pytest.mark.clause("S42-d-3")
def test_cards_are_inspected_verified_by_a_floorperson_spread_and_washed(by_hand) -> None:
    assert by_hand.do("inspected 416, verified, spread, washed") == ""
    assert by_hand.record.clauses == ("S42-d-3", "S42-e-8-i")


@pytest.mark.clause("S42-d-1-verify")
@pytest.mark.parametrize(
    ("before", "more", "why"),
    [
        ("inspected", {"role": "dealer"}, "a floorperson verifies the inspection"),
        ("spread", {}, "nothing is inspected yet: record the dealer's inspection first"),
        ("inspected", {"person": "Ann Lee"}, "Ann Lee inspected the cards: somebody else"),
    ],
)
def test_nobody_else_verifies_the_inspection(by_hand, before, more, why) -> None:
    by_hand.do(before)
    assert by_hand.do("verified", **more).startswith(why)
    assert by_hand.refused.clauses == ("S42-d-1-verify",)


@pytest.mark.clause("S42-a-4-ii")
@pytest.mark.clause("S42-a-1-decks")
@pytest.mark.parametrize(
    ("counted", "text"), [(415, "415 of 416 cards, 1 too few"), (418, "2 too many")]
)
def test_a_count_that_differs_is_refused_with_the_difference(by_hand, counted, text) -> None:
    assert text in by_hand.do(f"inspected {counted}")
    assert by_hand.refused.clauses == ("S42-a-1-decks", "S42-a-4-ii", "S42-d-1-sort", "S42-a-4-i")


@pytest.mark.clause("NY-d-preshuffled")
def test_cards_that_came_shuffled_need_their_receipt(new_people) -> None:
    people = new_people("ny-mini", **HAND, observed=(ObservableFact.SHOE_OPENED,))
    assert people.do("preshuffled", reference="").startswith("give the reference")
    assert people.do("preshuffled") == ""
    assert to_words(people.record.detail) == "package 9"
    people.do("odds-posted")
    assert people.table.deal(OPENED) == []


@pytest.mark.clause("NY-d-preshuffled")
def test_the_receipt_counts_for_the_first_shuffle_only(new_people) -> None:
    people = new_people("ny-mini", **HAND, observed=(ObservableFact.SHOE_OPENED,))
    people.do("odds-posted, preshuffled")
    people.table.deal(f"{OPENED}; close shoe")
    assert people.table.deal("start; burn Ac") == ["OPENING_INCOMPLETE"]
    assert irregularity_words(people.table.irregularities[0]).endswith(
        ": shuffle the cards; leave the stack feathered for the floorperson to check"
    )


@pytest.mark.clause("S42-d-1-sort")
def test_other_rules_do_not_allow_preshuffled_cards(by_hand) -> None:
    assert by_hand.do("preshuffled").startswith("these rules do not allow preshuffled cards")


def test_new_cards_are_inspected_again(by_hand) -> None:
    by_hand.do("inspected, shuffled, received")
    assert by_hand.table.state.opening.acts == ()


@pytest.mark.clause("S42-d-1-sort")
def test_cards_in_play_are_not_replaced(by_hand) -> None:
    by_hand.table.deal(OPENED)
    assert by_hand.do("received") == "these cards are in play: close the shoe first"
    assert "S42-d-1-sort" in by_hand.refused.clauses
    by_hand.table.deal("close shoe")
    assert by_hand.do("received") == ""


# --- shuffle ------------------------------------------------------------------------------------


@pytest.mark.clause("S42-e-1")
def test_a_shuffle_by_hand_undoes_what_was_cut_before(by_hand) -> None:
    by_hand.do("shuffled, cut-offered, cut 200 seat 3")
    by_hand.do("shuffled")
    assert to_words(by_hand.record.detail) == "all cards, hand"
    assert by_hand.do("cut-moved") == "the cards are not cut yet: record the cut"


@pytest.mark.clause("S42-e-1")
@pytest.mark.parametrize("words", [OPENED, f"{OPENED}; lost unproven"])
def test_cards_in_play_are_not_shuffled(by_hand, words) -> None:
    by_hand.table.deal(words)
    assert by_hand.do("shuffled") == "these cards are in play: end or close the shoe first"


@pytest.mark.clause("WA-shuffle-mode")
@pytest.mark.clause("WA-shuffle-doc")
def test_washington_records_the_mode_and_its_paper(new_people) -> None:
    people = new_people("wa-mini", **HAND)
    people.do("shuffled")
    assert people.record.clauses == ("WA-shuffle-mode", "WA-shuffle-doc")


@pytest.mark.clause("S42-e-2")
def test_the_finish_follows_the_shuffle_and_the_last_shuffle_the_lacing(new_people) -> None:
    people = new_people(**HAND, shuffle_finish=ShuffleFinish.LACE, reshuffle_after_lace=True)
    assert people.do("laced") == "record first that the cards were shuffled"
    assert people.do("shuffled, reshuffled") == "record first that the cards were laced"
    assert people.do("laced, reshuffled") == ""
    assert people.do("feathered") == ""


@pytest.mark.clause("S42-e-2-i")
def test_a_floorperson_checks_the_feathered_stack(new_people) -> None:
    people = new_people(**HAND)
    check = "a floorperson checks how the cards of the feathered stack are distributed"
    floor = {"role": "floorperson", "person": "Bo Ray"}
    assert people.do("feather-checked", **floor) == "record first that the cards were feathered"
    assert people.do("shuffled, feathered") == ""
    due = people.table.of(Prompt)[-1]
    assert to_words(due.text) == f"{check}: record feather-checked"
    assert "S42-e-2-i" in due.clauses
    assert people.do("feather-checked").startswith(check), "the dealer does not check it"
    assert people.do("feather-checked", **floor) == ""
    assert (people.record.what, people.record.person) == ("feather-checked", "Bo Ray")
    assert "S42-e-2-i" in people.record.clauses


@pytest.mark.clause("S42-e-2")
def test_a_machine_has_no_finish(new_people) -> None:
    assert new_people().do("feathered") == "only after a shuffle by hand"


def test_uncollected_vigorish_blocks_the_shuffle_and_the_loading(by_hand, monkeypatch) -> None:
    owed = Refusal("reshuffle", message("as_typed", typed="seat 3 owes 1.00: collect it first"))
    for module in ("people.acts", "opening.batches", "dealing.shoe"):
        path = f"controller.procedure.{module}.refusal_to_reshuffle"
        monkeypatch.setattr(path, lambda book, state: owed)
    assert by_hand.do("shuffled") == "seat 3 owes 1.00: collect it first"
    assert by_hand.do("loaded 416") == "seat 3 owes 1.00: collect it first"
    assert by_hand.table.deal("start") == ["VIGORISH_NOT_COLLECTED"]


# --- cut ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "order"),
    [
        (SeatDirection.COUNTER_CLOCKWISE, (7, 5, 2, 1)),
        (SeatDirection.CLOCKWISE, (7, 1, 2, 5)),
    ],
)
def test_the_cut_is_offered_from_the_highest_seat_clockwise(direction, order) -> None:
    assert offer_order((2, 7, 1, 5), direction) == order


@pytest.mark.clause("S42-e-4-offer")
@pytest.mark.clause("S42-e-4-order")
@pytest.mark.parametrize(("occupied", "order"), [("4 2 2", "4, 2"), ("", "6, 5, 4, 3, 2, 1")])
def test_it_is_offered_to_the_occupied_seats_else_to_all(by_hand, occupied, order) -> None:
    by_hand.do("cut-offered", reference=occupied)
    assert to_words(by_hand.record.detail).startswith(
        f"offered to seats in the order {order}, then the"
    )


@pytest.mark.clause("S42-e-4-order")
def test_an_order_of_the_offer_is_recorded_as_it_was_typed(by_hand) -> None:
    by_hand.do("cut-offered", reference="3 5 6")
    assert to_words(by_hand.record.detail) == (
        "offered to seats in the order 3, 5, 6, then the dealer; the rule's order is 6, 5, 3; 3 5 6"
    )


def test_without_a_layout_the_order_is_described(new_people) -> None:
    people = new_people(**HAND)
    people.do("cut-offered")
    assert "in the order from the highest seat clockwise" in to_words(people.record.detail)
    assert people.do("cut 200 seat 9") == ""


@pytest.mark.clause("S42-e-4-order")
def test_a_seat_that_was_not_offered_the_cut_does_not_cut(by_hand) -> None:
    by_hand.do("cut-offered", reference="4 2")
    why = "the cut was offered to seats 4, 2, not to seat 3; offer it first"
    assert by_hand.do("cut 200 seat 3") == why


@pytest.mark.clause("S42-e-4-dealer")
def test_the_dealer_cuts_where_every_seat_declined(new_people) -> None:
    """The prompt says so, the cut needs no seat, and the first card finds nothing missing."""
    observed = (ObservableFact.SHOE_OPENED, *DEEP)
    people = new_people(**HAND, seats=(1, 2, 3, 4, 5, 6), observed=observed)
    people.table.deal("start")
    (due,) = [one for one in people.table.of(Prompt) if "S42-e-4-dealer" in one.clauses]
    assert "; if nobody accepts, the dealer cuts;" in to_words(due.text)
    people.table.deal("close shoe")
    people.do("inspected, verified, spread, washed, shuffled, feathered")
    assert people.do("cut-offered", reference="4 2") == ""
    assert (
        to_words(people.record.detail) == "offered to seats in the order 4, 2, then the dealer; 4 2"
    )
    assert (
        people.do("cut 200 seat 5")
        == "the cut was offered to seats 4, 2, not to seat 5; offer it first"
    )
    assert people.do("cut-by-dealer 200") == ""
    assert to_words(people.record.detail) == "by the dealer, 200 cards deep"
    assert people.record.clauses == ("S42-e-5", "S42-e-4-dealer")
    assert people.table.state.opening.cutter == THE_DEALER
    assert people.do("cut-moved, cut-cards-placed 20") == ""
    assert people.table.deal(OPENED) == []


def test_a_cut_by_a_seat_is_not_the_dealers(by_hand) -> None:
    by_hand.do("cut-offered, cut 200 seat 3")
    assert to_words(by_hand.record.detail) == "by seat 3, 200 cards deep"
    assert by_hand.record.clauses == ("S42-e-5",)
    by_hand.do("recut")
    assert by_hand.do("cut-by-dealer 200").startswith("the re-cut belongs to seat 3 or seat 2")
    by_hand.do("cut 200 seat 2")
    assert by_hand.table.state.opening.cutter == 2


@pytest.mark.clause("S42-e-4-dealer")
def test_if_nobody_accepts_the_dealer_cuts(by_hand) -> None:
    assert by_hand.do("cut-offered, cut-by-dealer 200") == ""
    assert to_words(by_hand.record.detail) == "by the dealer, 200 cards deep"
    assert by_hand.record.clauses == ("S42-e-5", "S42-e-4-dealer")


@pytest.mark.clause("S42-e-5")
@pytest.mark.parametrize(("deep", "accepted"), [(9, False), (10, True), (406, True), (407, False)])
def test_the_cut_keeps_ten_cards_from_either_end(by_hand, deep, accepted) -> None:
    why = by_hand.do(f"cut {deep} seat 3")
    assert (why == "") is accepted
    assert accepted or why == f"{deep} cards deep; from 10 to 406 is allowed: cut again"


@pytest.mark.clause("S42-e-5")
def test_dealing_by_a_cut_that_was_refused_is_an_irregularity(new_people) -> None:
    people = new_people(**HAND, observed=DEEP)
    people.do("cut-offered, cut 200, cut-moved, cut-cards-placed 20, cut 3")
    people.table.deal("start")
    assert people.table.deal("burn Ac") == ["CUT_TOO_SHALLOW"]
    assert irregularity_words(people.table.irregularities[0]).endswith("from 10 to 406 is allowed")


def test_a_new_cut_sets_a_refused_one_right(new_people) -> None:
    people = new_people(**HAND, observed=DEEP)
    people.do("cut-offered, cut 3, cut-by-dealer 200, cut-moved, cut-cards-placed 20")
    assert people.table.deal(OPENED) == []


def test_a_table_that_does_not_measure_the_cut_is_not_judged_by_it(by_hand) -> None:
    by_hand.do("cut 3")
    assert by_hand.table.deal(OPENED) == []


@pytest.mark.clause("S42-e-5")
@pytest.mark.clause("S42-e-6-first")
def test_where_the_depth_is_measured_it_must_be_stated(new_people) -> None:
    people = new_people(**HAND, observed=DEEP)
    assert people.do("cut seat 3") == "state the depth: from 10 to 406 cards"
    people.do("cut 200")
    why = "state how many cards are behind the cut card: at least 14"
    assert people.do("cut-cards-placed") == why


def test_elsewhere_it_may_be_left_out(by_hand) -> None:
    assert by_hand.do("cut seat 3, cut-moved, cut-cards-placed") == ""


@pytest.mark.clause("S42-e-6-first")
@pytest.mark.clause("S42-e-6-second")
@pytest.mark.parametrize(
    ("behind", "accepted"), [(13, False), (14, True), (415, True), (416, False)]
)
def test_the_cut_card_keeps_fourteen_cards_from_the_back(by_hand, behind, accepted) -> None:
    why = by_hand.do(f"cut 200, cut-cards-placed {behind}")
    assert (why == "") is accepted
    assert not accepted or by_hand.record.clauses == ("S42-e-6-first", "S42-e-6-second")
    assert accepted or why.endswith("at least 14 of 416 are required: place it again")


@pytest.mark.clause("S42-e-6-first")
def test_dealing_with_a_misplaced_cut_card_is_an_irregularity(new_people) -> None:
    people = new_people(**HAND, observed=DEEP)
    people.do("cut-offered, cut 200, cut-moved, cut-cards-placed 3")
    assert people.table.deal("start; burn Ac: 2c") == ["CUT_CARD_PLACEMENT"]


@pytest.mark.clause("S42-e-6-move")
def test_the_cards_in_front_go_to_the_back_after_the_cut(by_hand) -> None:
    assert by_hand.do("cut-moved") == "the cards are not cut yet: record the cut"
    assert by_hand.do("cut 200, cut-moved") == ""
    assert by_hand.record.clauses == ("S42-e-6-move",)


@pytest.mark.clause("S42-e-4-offer")
@pytest.mark.parametrize("act", ["cut-offered", "cut 200", "cut-moved", "cut-cards-placed 20"])
def test_nothing_is_cut_once_cards_left_the_shoe(by_hand, act) -> None:
    by_hand.table.deal(OPENED)
    assert by_hand.do(act).startswith("cards have left the shoe")


@pytest.mark.clause("S42-l-1-use")
def test_a_continuous_shuffler_has_no_cut(new_people) -> None:
    people = new_people(**CONTINUOUS)
    assert people.do("cut 200") == "a continuous shuffler has no cut"
    assert people.refused.clauses == ("S42-l-1-use", "S42-l-1-ic")


# --- re-cut -------------------------------------------------------------------------------------


@pytest.mark.clause("S42-e-7-recut")
@pytest.mark.clause("S42-e-7-who")
@pytest.mark.parametrize(
    ("cut", "candidates"),
    [
        ("cut 200 seat 3", "by the last to cut, seat 3, or the next entitled, seat 2"),
        ("cut 200 seat 1", "by the last to cut, seat 1, or the next entitled, the dealer"),
        ("cut-by-dealer 200", "by the last to cut, the dealer"),
    ],
)
def test_a_supervisor_orders_a_recut_by_either_of_two(by_hand, cut, candidates) -> None:
    by_hand.do(f"cut-offered, {cut}, recut")
    assert to_words(by_hand.record.detail) == f"{candidates}; the cut was improper"
    assert by_hand.do("cut-moved") == "the cards are not cut yet: record the cut"


@pytest.mark.clause("S42-e-7-recut")
def test_what_nobody_has_cut_is_not_cut_again(by_hand) -> None:
    assert by_hand.do("cut-offered, recut") == "nothing is cut yet: offer the cut"


def test_after_a_cut_that_nobody_was_offered_the_dealer_is_next(by_hand) -> None:
    by_hand.do("cut 200 seat 5, recut")
    assert to_words(by_hand.record.detail).startswith(
        "by the last to cut, seat 5, or the next entitled, the"
    )


@pytest.mark.clause("S42-e-7-who")
@pytest.mark.parametrize(("seat", "which"), [(3, "the last to cut"), (2, "the next entitled")])
def test_the_record_says_who_carried_the_recut_out(by_hand, seat, which) -> None:
    by_hand.do(f"cut-offered, cut 200 seat 3, recut, cut 150 seat {seat}")
    assert to_words(by_hand.record.detail) == f"re-cut by seat {seat}, 150 cards deep: {which}"


@pytest.mark.clause("S42-e-7-who")
def test_nobody_else_carries_it_out(by_hand) -> None:
    by_hand.do("cut-offered, cut 200 seat 3, recut")
    why = "the re-cut belongs to seat 3 or seat 2: the last to cut or the next entitled"
    assert by_hand.do("cut 150 seat 6") == why
    assert by_hand.refused.clauses == ("S42-e-7-who",)


@pytest.mark.clause("S42-e-7-recut")
@pytest.mark.parametrize(
    ("words", "more", "why"),
    [
        ("", {"role": "dealer"}, "a floorperson orders a re-cut"),
        ("", {"reason": ""}, "give the reason: what was improper about the cut"),
        ("start", {}, "nothing is cut yet: offer the cut"),
        (OPENED, {}, "cards have left the shoe: close it and reload (all cards back, new shuffle"),
    ],
)
def test_otherwise_a_recut_is_refused(by_hand, words, more, why) -> None:
    by_hand.table.deal(words or "stand-by")
    assert by_hand.do("recut", **more).startswith(why)
    assert by_hand.refused.clauses == ("S42-e-7-recut",)


# --- dead table ---------------------------------------------------------------------------------


@pytest.mark.clause("S42-e-8-dead")
@pytest.mark.clause("S42-e-8-up")
@pytest.mark.clause("S42-e-8-i")
def test_a_dead_table_by_hand_starts_over(new_people) -> None:
    facts = (ObservableFact.SHOE_OPENED,)
    people = new_people(**HAND, observed=facts)
    people.do("inspected, verified, spread, washed, shuffled, feathered")
    people.table.deal(f"{OPENED}; close shoe")
    assert people.table.of(Prompt)[-1].clauses == ("S42-e-8-dead", "S42-e-8-up", "S42-e-8-i")
    assert people.do("dead-table-spread, dead-table-viewed") == ""
    people.do("shuffled, feathered")
    assert people.table.deal("start; burn Ac") == ["OPENING_INCOMPLETE"]
    assert "wash and stack the cards of the dead table" in to_words(
        people.table.irregularities[0].detail
    )


def test_washed_shuffled_and_cut_again_it_is_in_order(new_people) -> None:
    people = new_people(**HAND, observed=(ObservableFact.SHOE_OPENED,))
    people.do("inspected, verified, spread, washed, shuffled, feathered")
    people.table.deal(f"{OPENED}; close shoe")
    people.do("dead-table-spread, dead-table-viewed, washed, shuffled, feathered")
    assert people.table.deal(OPENED) == []


@pytest.mark.clause("S42-e-8-dead")
@pytest.mark.clause("S42-e-8-up")
def test_a_table_is_dead_once_its_shoe_is_closed(by_hand) -> None:
    by_hand.table.deal(OPENED)
    assert by_hand.do("dead-table-spread") == "close the shoe first"
    why = "no cards are spread: record dead-table-spread first"
    assert by_hand.do("dead-table-viewed") == why


@pytest.mark.clause("S42-l-1-use")
def test_a_continuous_shuffler_keeps_its_cards(new_people) -> None:
    people = new_people(**CONTINUOUS)
    people.table.deal(f"{OPENED}; close shoe")
    assert people.do("dead-table-spread") == "a continuous shuffler keeps its cards"
    assert "dead_table" not in people.table.prompts()


# --- conduct ------------------------------------------------------------------------------------


@pytest.mark.clause("S42-j-5-touch")
@pytest.mark.clause("S42-j-5-permit")
@pytest.mark.parametrize(
    ("act", "where"), [("cards-touched seat 4", "at seat 4"), ("cards-touched", "by somebody")]
)
def test_a_touched_card_is_recorded_with_the_staff_on_duty(by_hand, act, where) -> None:
    by_hand.table.deal(OPENED)
    by_hand.do(act, second="Bo Ray")
    (found,) = by_hand.table.irregularities
    assert found.code.value == "CARDS_TOUCHED"
    assert where in to_words(found.detail)
    assert to_words(found.detail).endswith("on duty: Ann Lee, Bo Ray")
    assert by_hand.record.clauses == ("S42-j-5-touch", "S42-j-5-permit")


@pytest.mark.clause("NY-i-5-touch")
@pytest.mark.clause("NY-i-5-permit")
def test_new_york_says_so_too(new_people) -> None:
    people = new_people("ny-mini")
    people.do("cards-touched seat 4")
    assert people.table.irregularities[0].clauses[-2:] == ("NY-i-5-touch", "NY-i-5-permit")


@pytest.mark.parametrize("profile", ["nj-minibaccarat", "wa-mini", "house-mini"])
def test_where_no_clause_forbids_it_the_touched_card_is_recorded_without_one(
    new_people, profile
) -> None:
    """Section 42 (j)(5) is borrowed for nobody: X-9 does not speak of who may touch cards."""
    people = new_people(profile)
    assert people.do("cards-touched seat 4") == ""
    (found,) = people.table.irregularities
    assert (found.code.value, found.clauses, found.suspends) == ("CARDS_TOUCHED", (), False)


def test_turning_a_hand_by_right_is_no_incident(new_people) -> None:
    people = new_people(deal_option=DealOption.PLAYERS_REVEAL)
    people.table.deal(f"{OPENED}; P 7h")
    table = people.table
    reveal = replace(table.shoe.coup.reveal, player_seat=4)
    coup = replace(table.shoe.coup, reveal=reveal)
    table.state = replace(table.state, shoe=replace(table.shoe, coup=coup))
    assert people.do("cards-touched seat 4").startswith("seat 4 turns a hand of this coup by right")
    assert people.do("cards-touched seat 5") == ""


@pytest.mark.clause("HG-bac-shoe")
def test_the_seat_that_deals_touches_cards_by_right(new_people) -> None:
    people = new_people("house-baccarat", seats=(1, 2, 3))
    people.do("shoe-passed seat 2")
    why = "seat 2 holds the shoe and deals: that is not an incident"
    assert people.do("cards-touched seat 2") == why
    assert people.refused.clauses == ("HG-bac-shoe",)
    assert people.do("cards-touched seat 3") == ""
    assert people.do("cards-touched") == ""


@pytest.mark.clause("S42-j-5-touch")
@pytest.mark.clause("S42-j-5-permit")
@pytest.mark.parametrize("holder", ["seat 2", "seat 1"])
def test_only_the_seat_that_deals_may_touch_cards(new_people, holder) -> None:
    handling = CardHandling.SHOE_PASSES
    people = new_people("s42-mini", seats=(1, 2, 3), players_may_handle_cards=handling)
    people.do(f"shoe-passed {holder}")
    assert people.do("cards-touched seat 3", second="Bo Ray") == ""
    (found,) = people.table.irregularities
    assert found.code.value == "CARDS_TOUCHED"
    assert to_words(found.detail).endswith("at seat 3, on duty: Ann Lee, Bo Ray")
    assert people.record.clauses == ("S42-j-5-touch", "S42-j-5-permit")
    assert people.do(f"cards-touched {holder}").endswith("deals: that is not an incident")
    assert len(people.table.irregularities) == 1


@pytest.mark.clause("S42-j-5-touch")
@pytest.mark.clause("S42-j-5-permit")
def test_a_place_that_is_no_seat_of_the_table_does_not_deal(new_people) -> None:
    handling = CardHandling.SHOE_PASSES
    people = new_people("s42-mini", seats=(1, 2, 3), players_may_handle_cards=handling)
    assert people.do("shoe-passed seat 4") == "name the seat: 1, 2, 3"
    assert people.do("cards-touched seat 4") == ""
    assert [one.code.value for one in people.table.irregularities] == ["CARDS_TOUCHED"]
    assert people.record.clauses == ("S42-j-5-touch", "S42-j-5-permit")


@pytest.mark.parametrize("handling", list(CardHandling))
def test_the_shoe_passes_only_where_patrons_may_deal(new_people, handling) -> None:
    people = new_people("nj-baccarat", players_may_handle_cards=handling)
    passes = handling is CardHandling.SHOE_PASSES
    assert (people.do("shoe-passed seat 2") == "") is passes
    people.table.deal("start")
    asks = any(
        "which seat receives the shoe" in to_words(one.text) for one in people.table.of(Prompt)
    )
    assert asks is passes


@pytest.mark.clause("S42-b-5")
def test_a_touched_wager_is_an_irregularity(by_hand) -> None:
    by_hand.table.deal(OPENED)
    by_hand.do("wager-touched seat 2")
    assert [one.code.value for one in by_hand.table.irregularities] == ["WAGER_TOUCHED"]


def test_an_incident_while_suspended_leaves_the_suspension_as_it_is(by_hand) -> None:
    by_hand.table.deal(f"{OPENED}; extra 3h")
    by_hand.do("cards-touched")
    assert by_hand.table.phase is Phase.SUSPENDED
    assert by_hand.table.irregularities[-1].provisional


@pytest.mark.clause("HG-bac-shoe")
def test_the_seat_that_holds_the_shoe_is_recorded(new_people) -> None:
    people = new_people("house-baccarat", seats=(1, 2, 3))
    assert people.do("shoe-passed seat 2") == ""
    assert to_words(people.record.detail) == "seat 2"
    assert people.table.state.opening.holder == 2
    assert people.do("shoe-passed seat 9") == "name the seat: 1, 2, 3"
    assert people.table.state.opening.holder == 2
    assert people.do("shoe-passed seat 3") == ""
    assert people.table.state.opening.holder == 3
    assert new_people("house-baccarat").do("shoe-passed") == "name the seat: from 1"


@pytest.mark.clause("HG-mini-dealer")
def test_at_mini_baccarat_the_dealer_draws(new_people) -> None:
    people = new_people("house-mini")
    assert people.do("shoe-passed seat 2").startswith("the dealer draws the cards at this table")
    assert people.refused.clauses == ("HG-mini-dealer",)


# --- any act at any moment ----------------------------------------------------------------------

MOMENTS = {
    "before the first shoe": "stand-by",
    "opened": "start",
    "burned": OPENED,
    "in a coup": f"{OPENED}; P 7h",
    "suspended": f"{OPENED}; extra 3h",
    "suspended before the burn": "start; lost 1",
    "over": f"{OPENED}; close shoe",
    "joined": "P1 7h",
}
ACTS_BEFORE = {
    "nothing": "",
    "cut": "cut-offered, cut 200 seat 3, recut",
    "dead table": "dead-table-spread, respread-asked",
    "loaded": "into-shuffler blue, shuffled red, loaded red 416",
}


@pytest.mark.parametrize("mode", ShuffleMode)
@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("before", ACTS_BEFORE)
def test_every_act_is_answered_at_every_moment(new_people, mode, moment, before) -> None:
    people = new_people(
        shuffle_mode=mode, observed=(ObservableFact.CUT_DEPTH, ObservableFact.DISCARD_COUNT)
    )
    if ACTS_BEFORE[before]:
        people.do(ACTS_BEFORE[before])
    people.table.deal(MOMENTS[moment])
    start, answered = people.table.state, 0
    people.table.encoded = False
    for kind in ActKind:
        for values in ("", "red 416", "green 3 seat 2"):
            people.table.state, people.table.effects, people.table.verdicts = start, [], []
            people.do(f"{kind.value} {values}".strip(), reference="1 2")
            answered += bool(people.table.effects)
            people.table.deal("burn 2c; P1 7h")
    assert answered == 3 * len(ActKind)
