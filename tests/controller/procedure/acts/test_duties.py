"""Duties before the first card: by profile, shuffle mode and what the table observes.

Source: NY (a)(2), (d); S42 (d), (e), (l); NJ 1.12(d); WA shuffle; HG; D-34, D-35.
"""

import pytest
from msgspec.structs import replace

from controller.procedure.acts.duties import DUTIES, DutyFrequency, describe_duty, is_required
from controller.procedure.effects import Prompt
from controller.procedure.phases import Phase
from controller.procedure.rulebook import ObservableFact
from controller.rules.setting_values import ShuffleFinish, ShuffleMode
from controller.system.messages.catalogue import to_words

PEOPLE = (ObservableFact.SHOE_OPENED, ObservableFact.CUT_DEPTH, ObservableFact.BATCH_LOADED)
HAND = {"shuffle_mode": ShuffleMode.HAND}
INSPECTED = "inspected, verified, spread, washed"
CUT = "cut-offered, cut 200 seat 3, cut-moved, cut-cards-placed 20"
BY_HAND = f"{INSPECTED}, shuffled, feathered, {CUT}, loaded 416"


def prompted(people) -> list[str]:
    return [to_words(prompt.text) for prompt in people.table.of(Prompt)]


def due(people) -> list[str]:
    book = people.table.book
    return [duty.acts[0].value for duty in DUTIES if is_required(book, duty)]


# --- required duties ----------------------------------------------------------------------------


def test_a_shuffler_spares_the_wash_and_the_finish(new_people) -> None:
    assert due(new_people()) == [
        *("inspected", "verified", "spread", "stacked", "shuffled", "cut-offered", "cut"),
        *("cut-moved", "cut-cards-placed", "loaded"),
    ]


@pytest.mark.parametrize(
    ("finish", "again", "acts"),
    [
        (ShuffleFinish.FEATHER, False, ["feathered"]),
        (ShuffleFinish.FEATHER, True, ["feathered"]),
        (ShuffleFinish.LACE, False, ["laced"]),
        (ShuffleFinish.LACE, True, ["laced", "reshuffled"]),
    ],
)
def test_a_shuffle_by_hand_has_the_finish_the_house_chose(new_people, finish, again, acts) -> None:
    people = new_people(**HAND, shuffle_finish=finish, reshuffle_after_lace=again)
    assert due(people) == [
        *("inspected", "verified", "spread", "washed", "washed", "shuffled", *acts),
        *("cut-offered", "cut", "cut-moved", "cut-cards-placed", "loaded"),
    ]


def test_a_continuous_shuffler_leaves_only_the_inspection(new_people) -> None:
    people = new_people(shuffle_mode=ShuffleMode.CONTINUOUS)
    assert due(people) == ["inspected", "verified", "spread"]


@pytest.mark.parametrize(
    ("profile", "acts"),
    [
        ("s42-mini", []),
        ("ny-mini", ["odds-posted"]),
        ("ny-ez", ["odds-posted", "ez-push-posted"]),
        ("nj-minibaccarat", ["odds-posted", "layout-approved"]),
    ],
)
def test_a_table_opens_with_the_postings_its_rules_require(new_people, profile, acts) -> None:
    book = new_people(profile).table.book
    opens = [
        duty
        for duty in DUTIES
        if duty.when is DutyFrequency.TABLE_OPENS and is_required(book, duty)
    ]
    assert [duty.acts[0].value for duty in opens] == acts


def test_the_texts_have_the_numbers_of_the_profile(new_people) -> None:
    book = new_people("ny-mini").table.book
    words = " / ".join(to_words(describe_duty(book, duty)) for duty in DUTIES)
    assert "on a sign: Player 1:1, Banker 1:1, Tie 8:1" in words
    assert "at least 10 cards from either end" in words
    assert "at least 14 cards from the back, the second at the very end" in words


def test_a_single_cut_card_has_no_second_place(new_people) -> None:
    book = new_people(cut_cards_per_shoe=1).table.book
    assert "second" not in " ".join(to_words(describe_duty(book, duty)) for duty in DUTIES)


# --- prompted where nobody reports it -----------------------------------------------------------


@pytest.mark.clause("S42-d-1-sort")
@pytest.mark.clause("S42-a-4-i")
@pytest.mark.clause("S42-d-1-verify")
@pytest.mark.clause("S42-d-2-spread")
@pytest.mark.clause("S42-d-2-order")
@pytest.mark.clause("S42-d-4-stack")
@pytest.mark.clause("S42-e-1")
@pytest.mark.clause("S42-e-4-offer")
@pytest.mark.clause("S42-e-4-dealer")
@pytest.mark.clause("S42-e-5")
@pytest.mark.clause("S42-e-6-move")
@pytest.mark.clause("S42-e-6-load")
def test_duties_are_prompted_in_groups_and_never_judged(new_people) -> None:
    people = new_people()
    people.table.deal("start; burn Ac: 2c")
    prompts = people.table.of(Prompt)
    assert [prompt.kind.value for prompt in prompts] == [
        *("opening", "shuffle_and_cut", "shuffle_and_cut", "batch", "turn")
    ]
    assert to_words(prompts[0].text).startswith(
        "when cards are received: the dealer sorts, counts and"
    )
    assert not any(prompt.observed for prompt in prompts)
    assert people.table.irregularities == []


@pytest.mark.clause("S42-d-3")
@pytest.mark.clause("S42-e-2-i")
def test_by_hand_the_wash_and_the_feathered_stack_are_prompted(new_people) -> None:
    people = new_people(**HAND)
    people.table.deal("start")
    assert "turn the cards face down, wash and stack them" in prompted(people)[0]
    assert "leave the stack feathered for the floorperson to check" in prompted(people)[1]
    assert "lace" not in prompted(people)[1].replace("place", "")
    assert "shuffle once more" not in prompted(people)[1]


@pytest.mark.clause("S42-e-2-ii")
@pytest.mark.clause("S42-e-2-ii-A")
@pytest.mark.clause("S42-e-2-ii-B")
def test_lacing_and_the_shuffle_after_it_are_prompted(new_people) -> None:
    laces = {"shuffle_finish": ShuffleFinish.LACE, "reshuffle_after_lace": True}
    people = new_people(**HAND, **laces)
    people.table.deal("start")
    assert "lace about one deck evenly into the rest; shuffle once more" in prompted(people)[1]
    assert "feathered" not in prompted(people)[1]


@pytest.mark.clause("S42-e-2-ii")
def test_lacing_alone_asks_for_no_further_shuffle(new_people) -> None:
    people = new_people(**HAND, shuffle_finish=ShuffleFinish.LACE, reshuffle_after_lace=False)
    people.table.deal("start")
    assert "lace about one deck evenly into the rest" in prompted(people)[1]
    assert "shuffle once more" not in prompted(people)[1]


@pytest.mark.clause("NY-a-2-v")
@pytest.mark.clause("NY-a-2-vii-c")
@pytest.mark.clause("NY-d-inspect")
def test_an_opening_table_is_prompted_what_has_to_be_posted(new_people) -> None:
    people = new_people("ny-ez")
    people.table.deal("start")
    assert "dragon 7 returns Banker wagers" in prompted(people)[0]


def test_one_time_duties_are_prompted_at_the_first_shoe_of_the_day_only(new_people) -> None:
    people = new_people("ny-mini")
    people.table.deal("start; close shoe")
    people.table.effects.clear()
    people.table.deal("start")
    assert [text.split(":")[0] for text in prompted(people)] == [
        *("before the shoe", "then the cut", "then the loading")
    ]
    people.table.deal("close shoe; day 2026-11-22")
    people.table.effects.clear()
    people.table.deal("start")
    assert [text.split(":")[0] for text in prompted(people)][:2] == [
        *("when the table opens", "when cards are received")
    ]


@pytest.mark.clause("WA-shuffle-doc")
@pytest.mark.clause("WA-burn")
@pytest.mark.clause("WA-an-doc")
def test_procedures_of_the_internal_controls_are_named_with_their_reference(new_people) -> None:
    people = new_people("wa-mini")
    people.table.deal("start")
    texts = [to_words(verdict.what) for verdict in people.table.verdicts if verdict.clauses]
    assert [words.split(" as in")[0] for words in texts][:3] == ["shuffle", "burn", "calls"]


@pytest.mark.clause("S42-l-1-use")
@pytest.mark.clause("S42-l-1-ic")
def test_a_continuous_shuffler_states_what_it_replaces(new_people) -> None:
    people = new_people(shuffle_mode=ShuffleMode.CONTINUOUS)
    people.table.deal("start")
    texts = [
        to_words(verdict.what)
        for verdict in people.table.verdicts
        if "S42-l-1-use" in verdict.clauses
    ]
    assert texts == ["a continuous shuffler replaces shuffle, cut, burn and loading"]


@pytest.mark.clause("HG-bac-shoe")
def test_where_the_shoe_passes_its_holder_must_be_recorded(new_people) -> None:
    people = new_people("house-baccarat")
    people.table.deal("start")
    assert "record which seat receives the shoe, and every time it passes" in prompted(people)


# --- judged at the first card -------------------------------------------------------------------


def test_with_everything_recorded_the_first_card_is_in_order(new_people) -> None:
    people = new_people(observed=PEOPLE, **HAND)
    assert people.do(BY_HAND) == ""
    before = len(people.table.prompts())
    assert people.table.deal("start; burn Ac: 2c") == []
    assert people.table.prompts()[before:] == ["turn"], "nothing of the opening, only the burn card"


def test_a_shoe_that_opens_shows_what_is_missing_so_far(new_people) -> None:
    people = new_people(observed=PEOPLE, **HAND)
    people.do(f"{INSPECTED}, shuffled")
    people.table.deal("start")
    prompts = people.table.of(Prompt)
    assert (
        to_words(prompts[0].text)
        == "before the shoe: leave the stack feathered for the floorperson to check"
    )
    assert all(prompt.observed for prompt in prompts)
    people.do(f"feathered, {CUT}, loaded 416")
    assert people.table.deal("burn Ac: 2c") == []


@pytest.mark.clause("S42-e-1")
@pytest.mark.clause("S42-e-6-load")
@pytest.mark.parametrize("opening", ["start; burn Ac", "burn Ac", "start; out 4d"])
def test_acts_that_are_missing_at_the_first_card_are_one_irregularity(new_people, opening) -> None:
    people = new_people(observed=PEOPLE, **HAND)
    people.do(INSPECTED)
    assert people.table.deal(opening)[0] == "OPENING_INCOMPLETE"
    (found, *_) = people.table.irregularities
    assert "shuffle the cards; leave the stack feathered" in to_words(found.detail)
    assert "the dealer sorts" not in to_words(found.detail)
    assert {"S42-e-1", "S42-e-2", "S42-e-4-offer", "S42-e-6-load"} <= set(found.clauses)
    assert people.table.phase is Phase.SUSPENDED


def test_a_table_is_judged_only_by_what_it_observes(new_people) -> None:
    people = new_people(observed=(ObservableFact.CUT_DEPTH,), **HAND)
    people.do(CUT)
    assert people.table.deal("start; burn Ac: 2c") == []


def test_a_shoe_is_used_up_by_its_first_card_and_inspection_is_not(new_people) -> None:
    people = new_people(observed=PEOPLE, **HAND)
    people.do(BY_HAND)
    people.table.deal("start; burn Ac: 2c; close shoe")
    assert people.table.deal("start; burn Ac") == ["OPENING_INCOMPLETE"]
    assert "sorts" not in to_words(people.table.irregularities[0].detail)


def test_a_shoe_closed_before_its_first_card_uses_nothing_up(new_people) -> None:
    people = new_people(observed=PEOPLE, **HAND)
    people.do(BY_HAND)
    people.table.deal("start; close shoe")
    assert people.table.deal("start; burn Ac: 2c") == []


def test_a_card_after_such_a_shoe_is_none_of_it(new_people) -> None:
    people = new_people(observed=PEOPLE, **HAND)
    people.table.deal("start; close shoe")
    assert people.table.deal("P1 7h") == ["CARD_AFTER_LAST_COUP"]


def test_postings_are_due_again_on_another_day(new_people) -> None:
    people = new_people("ny-mini", observed=PEOPLE, **HAND)
    people.do(f"odds-posted, {BY_HAND}")
    people.table.deal("start; burn Ac: 2c; close shoe; day 2026-11-22")
    people.do(f"shuffled, feathered, {CUT}")
    why = people.do("loaded 416")
    assert why.startswith("not recorded yet: check that the odds of every wager are")


def test_a_joined_shoe_is_not_judged_by_how_it_was_made_ready(new_people) -> None:
    people = new_people(observed=PEOPLE, **HAND)
    people.do(BY_HAND)
    assert people.table.deal("P1 7h") == ["SHOE_JOINED"]
    assert people.table.state.opening.acts[0] == replace(
        people.table.state.opening.acts[0], fresh=False
    )
    assert not any(act.kind.value == "loaded" for act in people.table.state.opening.acts)


def test_the_first_card_is_judged_while_suspended_too(new_people) -> None:
    people = new_people(observed=PEOPLE, **HAND)
    people.table.deal("start; lost 1")
    assert people.table.deal("burn Ac")[0] == "OPENING_INCOMPLETE"
