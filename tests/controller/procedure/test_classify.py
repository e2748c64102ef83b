"""The first trigger of a happening: from what it is and the counts of cut cards, from nothing else.

Source: controller/procedure/README.md, "The procedure"; D-16.
"""

from collections import Counter
from inspect import signature
from itertools import product
from typing import get_args

import pytest
from phase_events import ANSWERS, WAYS, parse_events
from recorded_cells import PAIRS_BOOK, book_named, happening_of, state_after

from controller.procedure.classify import Counts, Happening, classify
from controller.procedure.events import CardDrawn, CutCardDrawn
from controller.procedure.phases import EDGES, Trigger
from controller.rules.cards import Card
from controller.rules.coup import DrawDecision, Place

FACES = (Card.parse("Ac"), Card.parse("9h"), Card.parse("Kd"), None)
EVERY_COUNT = tuple(Counts(out, most) for out, most in product(range(5), (1, 2)))


@pytest.mark.parametrize("claim", Place)
def test_a_card_is_classified_by_its_claim_whatever_the_counts_and_its_face(claim: Place) -> None:
    triggers = {
        classify(CardDrawn(face, claim, back=back), counts)
        for face, counts, back in product(FACES, EVERY_COUNT, ("", "red"))
    }
    assert len(triggers) == 1


def test_every_claim_has_a_trigger_of_its_own_but_cards_beyond_a_third() -> None:
    found = Counter(classify(CardDrawn(None, claim)) for claim in Place)
    assert found.pop(Trigger.CLAIMED_FURTHER) == 2
    assert set(found.values()) == {1}


@pytest.mark.parametrize("words", ANSWERS)
def test_no_phase_changes_the_first_trigger(words: str) -> None:
    """Met in every phase, with the counts of that phase; a cut card by the cut cards before it."""
    book, triggers = book_named(PAIRS_BOOK), {}
    for phase, way in WAYS.items():
        state = state_after(book, way)
        (event,) = parse_events(words, state)
        happening = happening_of(event)
        if isinstance(happening, get_args(Happening)) and not is_in_order(words):
            seen = state.shoe.cut.seen if state.shoe is not None else 0
            triggers[phase] = classify(happening, Counts(seen, book.values.cut_cards_per_shoe))
    assert len(set(triggers.values())) <= 1, triggers


def is_in_order(words: str) -> bool:
    """Whether the statement names the card that is due, another one in each phase."""
    return words.startswith("card ")


def test_a_cut_card_is_classified_by_the_cut_cards_before_it() -> None:
    found = {
        (one.cut_cards, one.cut_cards_max): classify(CutCardDrawn(), one) for one in EVERY_COUNT
    }
    first, second = Trigger.FIRST_CUT_CARD, Trigger.SECOND_CUT_CARD
    expected = {(0, 1): first, (0, 2): first, (1, 2): second}
    assert found == {key: expected.get(key, Trigger.EXTRA_CUT_CARD) for key in found}


def test_the_counts_are_numbers_and_say_nothing_of_the_phase_or_the_hands() -> None:
    assert list(signature(classify).parameters) == ["happening", "counts"]
    assert Counts.__annotations__ == {"cut_cards": int, "cut_cards_max": int}


def test_the_rulings_on_the_hands_are_edges_of_the_table() -> None:
    """A card that was placed is classified a second time, by what the hands call for with it."""
    triggers = {classify(ruling) for ruling in DrawDecision}
    assert triggers <= {trigger for _, trigger, _ in EDGES}
    assert len(triggers) == len(DrawDecision) - 1, "after the last card as after one of the four"
