"""What happens at the table is named from what it is, from nothing else.

Source: D-16.
"""

from collections import Counter
from itertools import product
from typing import get_args

import pytest

from controller.procedure.events import CardDrawn
from controller.procedure.step_result import RULINGS, Happening, trigger_of
from controller.procedure.table.table import MOVE_ROWS
from controller.rules.cards import Card
from controller.rules.coup import DrawDecision, Place

FACES = (Card.parse("Ac"), Card.parse("9h"), Card.parse("Kd"), None)


@pytest.mark.parametrize("claim", Place)
def test_a_card_is_named_by_its_claim_whatever_its_face(claim: Place) -> None:
    met = {trigger_of(CardDrawn(face, claim, back=b)) for face, b in product(FACES, ("", "red"))}
    assert len(met) == 1


def test_every_claim_has_a_trigger_of_its_own_but_cards_beyond_a_third() -> None:
    found = Counter(trigger_of(CardDrawn(None, claim)) for claim in Place)
    assert sorted(found.values()) == [*[1] * 11, 2]


def test_the_rulings_on_the_hands_are_moves() -> None:
    """A card that was placed is followed by what the hands call for with it."""
    moves = {trigger for one in MOVE_ROWS for trigger in one.on}
    assert set(RULINGS.values()) <= moves
    assert set(RULINGS) == set(DrawDecision)
    assert len(get_args(Happening)) == 10
