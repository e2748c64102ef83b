"""What a floorperson is told of a remedy: permitted, forbidden, done, owed, and decided when.

Responsible for: the projection of each kind of remedy, and that it tells no unseen card.
Not responsible for: the remedies themselves (test_remedies, test_boxed).
Source: Section 42 (k); controller/README.md, "Suspension", "Disclosure"; D-8, D-32.
"""

import json

import pytest

from controller.procedure.rulebook import Fact
from controller.rules.setting_values import DealOption, IrregularityRules
from controller.views.remedy import remedy_view

NATURAL = "P1 9h, B 7c, P Kd, B Kh"
NOTHING = {
    "irregularities": [],
    "permitted": [],
    "forbidden": [],
    "done": [],
    "owed": [],
    "waiting": 0,
    "carried": 0,
    "decisions": [],
}


def view(table) -> dict:
    told = remedy_view(table.book, table.state)
    assert json.loads(json.dumps(told)) == told
    return told


def owed(table) -> list[str]:
    return [step["text"] for step in view(table)["owed"]]


def when(table) -> dict[str, str]:
    return {one["decision"]: one["when"] for one in view(table)["decisions"]}


@pytest.mark.parametrize("words", ["", "start", "start, burn Ac: 2c, P 7h"])
def test_with_nothing_open_and_nothing_owed_nothing_is_told(new_table, words) -> None:
    assert view(new_table(words)) == NOTHING


def test_a_card_in_error_step_by_step(table) -> None:
    table.deal(f"{NATURAL}, P 3h")
    told = view(table)
    assert told["irregularities"] == [1]
    assert told["permitted"][1].endswith(
        "hold it face down as the first card of the next hand (carry-card)"
    )
    assert "adding the card to either hand" in told["forbidden"]
    assert (told["done"], told["waiting"]) == (["1 card drawn in error set aside"], 1)
    assert owed(table) == ["a floorperson's decision"]
    assert when(table) == {
        "carry-card": "nobody saw the card: it is held face down as the next hand's first card",
        "burn-card": "the card was seen: it is burned, and as many more as its amount with it",
        "void-coup": "the coup cannot stand: it is void, every wager is returned in full",
        "close-shoe": "the shoe cannot go on: it ends, an open coup is void, reshuffle",
    }
    table.decide("burn-card")
    assert owed(table) == ["burn 3 cards, face up, before the next hand"]
    table.deal("result player")
    assert view(table)["owed"] == [
        {"step": "burn", "count": 3, "text": "burn 3 cards, face up, now"}
    ]
    table.deal("extra 2c, extra 4c")
    assert view(table)["done"] == ["2 cards burned for the irregularity"]
    assert owed(table) == ["burn 1 card, face up, now"]
    table.deal("extra 5c")
    assert view(table) == NOTHING


def test_a_held_card_is_a_count_until_the_next_hand(table) -> None:
    table.deal(f"{NATURAL}, P 3h, decide carry-card")
    told = view(table)
    assert (told["carried"], told["done"]) == (1, ["1 card held face down"])
    assert owed(table) == ["1 card held: the first of the next hand"]
    table.deal("result player, P1 2c")
    assert view(table) == NOTHING


def test_seen_and_unseen_cards_are_told_apart(new_table) -> None:
    words = f"start, burn Ac: 2c, {NATURAL}, P 3h, error card turned, more 4c"
    table = new_table(words, observed=(Fact.TURNED,))
    assert view(table)["done"] == [
        "1 card drawn in error set aside",
        "1 card drawn in error set aside, seen by people",
    ]


def test_where_the_profile_leaves_it_to_the_floorperson_the_remedy_is_proposed(new_table) -> None:
    free = IrregularityRules.FLOORPERSON_DECIDES
    table = new_table(f"start, burn Ac: 2c, {NATURAL}, P 3h", irregularity_rules=free)
    assert view(table)["permitted"][0].startswith("proposed: hold the card if nobody saw it")
    assert when(table)["continue"] == "the card goes to the discard rack and nothing is burned"


def test_in_the_last_hand_going_on_means_that_nobody_saw_it(table) -> None:
    table.deal(f"cut card, P1 7h, B 7c, P Kd, B Kh, result tie, {NATURAL}, more 3h")
    assert when(table)["continue"].startswith("nobody saw the card: it goes to the discard rack")


def test_a_card_found_face_up(table) -> None:
    table.deal("P 7h, B 2d, found face up")
    assert view(table)["done"] == ["the card found face up is out of play"]
    assert owed(table) == ["a floorperson's decision", "burn 2 cards, face up, now"]


def test_a_count_that_nobody_knows_is_said_so(table) -> None:
    table.deal(f"{NATURAL}, P ??, decide burn-card")
    assert view(table)["owed"] == [
        {
            "step": "burn",
            "count": None,
            "text": "burn cards before the next hand; how many more is not known",
        }
    ]
    table.deal("result player")
    assert owed(table) == ["burn cards now; how many more is not known"]


def test_other_irregularities_have_their_words(table) -> None:
    table.deal("P 7h, P2 2c")
    assert when(table)["continue"] == "play goes on by the rules from where it stands"


@pytest.mark.parametrize("words", ["start, burn Ac: 2c, result tie"])
def test_what_does_not_suspend_is_acknowledged(new_table, words) -> None:
    table = new_table(words)
    assert when(table) == {"continue": "you have seen it: it stands in the record and play goes on"}
    assert owed(table) == []


def test_what_suspends_comes_first(table) -> None:
    table.deal("result tie, P 7h, P2 2c")
    assert view(table)["irregularities"] == [2, 1]


@pytest.mark.parametrize("option", [DealOption.FACE_DOWN_DEALER, DealOption.PLAYERS_REVEAL])
@pytest.mark.parametrize(("low", "high"), [("2h", "9h"), ("Ad", "Kd")])
def test_two_cards_nobody_saw_look_the_same(new_table, option, low, high) -> None:
    """Whatever waits or is held tells nothing, whichever card it is."""
    told = []
    for card in (low, high):
        table = new_table("start, burn Ac: 2c", deal_option=option, observed=(Fact.TURNED,))
        seen = []
        table.deal(f"{NATURAL}, more {card}")
        seen.append(view(table))
        table.decide("carry-card")
        seen.append(view(table))
        table.deal("result player")
        seen.append(view(table))
        told.append(seen)
    assert told[0] == told[1]
