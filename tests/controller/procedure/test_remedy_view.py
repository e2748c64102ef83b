"""The view of a remedy: what is permitted, forbidden, done and owed, and when it was decided.

Source: Section 42 (k); D-8, D-32.
"""

import pytest
from shown_tables import part

from controller.procedure.rulebook import ObservableFact
from controller.record.remedy import remedy_view
from controller.record.snapshot import OwedStepView, RemedyView
from controller.rules.setting_values import DealOption, IrregularityRules

NATURAL = "P1 9h; B 7c; P Kd; B Kh"
NOTHING = part(RemedyView)


def view(table) -> RemedyView:
    return remedy_view(table.book, table.state)


def owed(table) -> list[str]:
    return [step.text for step in view(table).owed]


def when(table) -> dict[str, str]:
    return {one.decision: one.when for one in view(table).decisions}


@pytest.mark.parametrize("words", ["", "start", "start; burn Ac: 2c; P 7h"])
def test_with_nothing_open_and_nothing_owed_nothing_is_shown(new_table, words) -> None:
    assert view(new_table(words)) == NOTHING


def test_a_card_in_error_step_by_step(table) -> None:
    table.deal(f"{NATURAL}; P 3h")
    seen = view(table)
    assert seen.irregularities == (1,)
    assert seen.permitted[0].endswith("the cards held are dealt first in the next hand")
    assert "adding the card to either hand" in seen.forbidden
    assert (seen.done, seen.waiting) == (("1 card drawn in error set aside",), 1)
    assert owed(table) == ["a floorperson's decision"]
    assert when(table) == {
        "carry-card": "nobody saw the card: it is held face down for the next hand",
        "burn-card": "the card was seen: it is burned, and as many more as its amount with it",
        "close-shoe": "the shoe cannot continue: it ends, an open coup is void, reshuffle",
    }
    table.decide("burn-card")
    assert owed(table) == ["burn 3 cards, face up, before the next hand"]
    table.deal("result player")
    assert view(table).owed == (OwedStepView("burn", 3, "burn 3 cards, face up, now"),)
    table.deal("extra 2c; extra 4c")
    assert view(table).done == ("2 cards burned for the irregularity",)
    assert owed(table) == ["burn 1 card, face up, now"]
    table.deal("extra 5c")
    assert view(table) == NOTHING


def test_a_held_card_is_a_count_until_the_next_hand(table) -> None:
    table.deal(f"{NATURAL}; P 3h; resolve carry-card")
    seen = view(table)
    assert (seen.carried, seen.done) == (1, ("1 card held face down",))
    assert owed(table) == ["1 card held: the first of the next hand"]
    table.deal("result player; P1 2c")
    assert view(table) == NOTHING


def test_seen_and_unseen_cards_are_distinguished(new_table) -> None:
    words = f"start; burn Ac: 2c; {NATURAL}; P 3h; turn error; more 4c"
    table = new_table(words, observed=(ObservableFact.TURNED,))
    assert view(table).done == (
        "1 card drawn in error set aside",
        "1 card drawn in error set aside, seen by people",
    )


def test_where_the_profile_leaves_it_to_the_floorperson_the_remedy_is_proposed(new_table) -> None:
    free = IrregularityRules.FLOORPERSON_DECIDES
    table = new_table(f"start; burn Ac: 2c; {NATURAL}; P 3h", irregularity_rules=free)
    assert view(table).permitted[0].startswith("proposed: hold the card if nobody saw it")
    assert when(table)["continue"] == "the card goes to the discard rack and nothing is burned"


def test_in_the_last_hand_going_on_means_that_nobody_saw_it(table) -> None:
    table.deal(f"cut card; P1 7h; B 7c; P Kd; B Kh; result tie; {NATURAL}; more 3h")
    assert when(table)["continue"].startswith("nobody saw the card: it goes to the discard rack")


def test_a_card_found_face_up(table) -> None:
    table.deal("P 7h; B 2d; found face up")
    assert view(table).done == ("the card found face up is out of play",)
    assert owed(table) == ["a floorperson's decision", "burn 2 cards, face up, now"]


def test_an_unknown_count_is_stated_as_unknown(table) -> None:
    table.deal(f"{NATURAL}; P ??; resolve burn-card")
    assert view(table).owed == (
        OwedStepView("burn", None, "burn cards before the next hand; how many more is not known"),
    )
    table.deal("result player")
    assert owed(table) == ["burn cards now; how many more is not known"]


def test_other_irregularities_have_their_texts(table) -> None:
    table.deal("P 7h; P2 2c")
    assert when(table)["continue"] == "play continues by the rules from the present point"


@pytest.mark.parametrize("words", ["start; burn Ac: 2c; result tie"])
def test_an_irregularity_that_does_not_suspend_is_acknowledged(new_table, words) -> None:
    table = new_table(words)
    assert when(table) == {
        "continue": "you have seen it: it stays in the record and play continues"
    }
    assert owed(table) == []


def test_an_irregularity_that_suspends_comes_first(table) -> None:
    table.deal("result tie; P 7h; P2 2c")
    assert view(table).irregularities == (2, 1)


@pytest.mark.parametrize("option", [DealOption.FACE_DOWN_DEALER, DealOption.PLAYERS_REVEAL])
@pytest.mark.parametrize(("low", "high"), [("2h", "9h"), ("Ad", "Kd")])
def test_two_cards_nobody_saw_look_the_same(new_table, option, low, high) -> None:
    """A waiting or held card discloses nothing, whichever card it is."""
    views = []
    for card in (low, high):
        table = new_table(
            "start; burn Ac: 2c", deal_option=option, observed=(ObservableFact.TURNED,)
        )
        seen = []
        table.deal(f"{NATURAL}; more {card}")
        seen.append(view(table))
        table.decide("carry-card")
        seen.append(view(table))
        table.deal("result player")
        seen.append(view(table))
        views.append(seen)
    assert views[0] == views[1]
