"""Custody follows the effects of one event in their order.

Source: NY (a)(4)(iv), (i)(4)-(5); S42 (a)(4), (j)(4)-(5); D-16 to D-18.
"""

import pytest

from controller.custody.batch_life.facts import ShoeOver
from controller.custody.card_states import CardPlace
from controller.custody.findings import FindingCode
from controller.custody.moves import (
    BurnRestarted,
    CardPlaced,
    HandsCleared,
    Move,
    PlayStep,
    ShoeBegun,
    follow_moves,
)
from controller.custody.state import AsideCard, CustodyState
from drivers.events import CardPassed

W = CardPlace
BEGUN = ShoeBegun("red", alternates=True, joined=False, endless=False)


class PlayedTable:
    """Custody of a red and a blue batch; `number` counts the cards of their shoe."""

    def __init__(self, table) -> None:
        self.table = table
        self.found: list[FindingCode] = []
        self.number = 0

    @property
    def state(self) -> CustodyState:
        return self.table.state

    def draw(self, face: str | None, *moves: Move) -> str:
        """A card leaves the shoe; `moves` are the effects of its event."""
        self.number += 1
        tag = None if face is None else self.table.tag(face)
        self.follow(*moves, passed=CardPassed(tag, True))
        return tag or ""

    def place(self, face: str, place: CardPlace) -> str:
        return self.draw(face, CardPlaced(self.number + 1, place, drawn=True))

    def follow(
        self,
        *moves: Move,
        passed: CardPassed | None = None,
        rack_read: bool = False,
        after_shoe: bool = False,
    ) -> None:
        play = PlayStep(lambda: "coup 1", self.number, rack_read, passed, after_shoe)
        self.table.state, findings = follow_moves(self.state, moves, play)
        self.found += [one.code for one in findings]

    def where(self, tag: str) -> CardPlace:
        return self.table.where(tag)


@pytest.fixture
def followed(table) -> PlayedTable:
    return PlayedTable(table)


def test_the_card_drawn_last_goes_where_the_procedure_put_it(followed) -> None:
    followed.number = 4
    tag = followed.draw("4h", BEGUN, CardPlaced(5, W.PLAYER, drawn=True))
    assert followed.where(tag) is W.PLAYER


def test_a_card_that_the_procedure_did_not_place_left_the_shoe_for_an_unknown_place(
    followed,
) -> None:
    tag = followed.draw("4h", BEGUN)
    assert followed.where(tag) is W.UNKNOWN


def test_a_card_of_an_earlier_number_that_is_not_aside_stays_where_it_is(followed) -> None:
    first = followed.draw("4h", BEGUN, CardPlaced(1, W.PLAYER, drawn=True))
    second = followed.place("5h", W.BANKER)
    followed.follow(CardPlaced(1, W.BURN))
    assert (followed.where(first), followed.where(second)) == (W.PLAYER, W.BANKER)


def test_the_hands_are_cleared_before_the_next_coups_card_passes(followed) -> None:
    """Else the same card on the table would be a second one, not one that returned."""
    followed.draw("4h", BEGUN, CardPlaced(1, W.PLAYER, drawn=True))
    followed.number = 0
    followed.draw("4h", HandsCleared(), CardPlaced(1, W.BANKER, drawn=True))
    assert followed.found == [FindingCode.CARD_RETURNED]


def test_of_cards_held_aside_each_is_moved_by_its_number(followed) -> None:
    first = followed.draw("4h", BEGUN, CardPlaced(1, W.ASIDE, drawn=True))
    second = followed.place("5h", W.ASIDE)
    followed.follow(CardPlaced(1, W.BANKER))
    assert (followed.where(first), followed.where(second)) == (W.BANKER, W.ASIDE)
    assert followed.state.shoe.aside == (AsideCard(2, second),)


def test_an_unread_card_is_held_by_its_number_too(followed) -> None:
    followed.draw(None, BEGUN, CardPlaced(1, W.ASIDE, drawn=True))
    assert followed.state.shoe.aside == (AsideCard(1, ""),)
    followed.follow(CardPlaced(1, W.ASIDE), CardPlaced(1, W.DISCARD_RACK))
    assert followed.state.shoe.aside == ()


def test_two_coups_that_end_by_one_event_are_cleared_away_together(followed) -> None:
    """The rack's reader had no time between them to read the cards of the first one."""
    followed.draw("4h", BEGUN, CardPlaced(1, W.PLAYER, drawn=True))
    followed.place("5h", W.ASIDE)
    followed.follow(HandsCleared(), CardPlaced(2, W.PLAYER), HandsCleared(), rack_read=True)
    assert followed.found == []
    followed.follow(HandsCleared(), rack_read=True)
    assert followed.found == [FindingCode.CARD_ABSENT] * 2


def test_a_burn_that_starts_over_leaves_its_cards_in_the_rack(followed) -> None:
    tag = followed.draw("4h", BEGUN, CardPlaced(1, W.BURN, drawn=True))
    followed.follow(BurnRestarted())
    assert followed.where(tag) is W.DISCARD_RACK


def test_the_last_card_of_a_shoe_is_read_before_the_shoe_ends(followed) -> None:
    followed.draw("4h", BEGUN, CardPlaced(1, W.PLAYER, drawn=True))
    last = followed.draw("5h", CardPlaced(2, W.BURN, drawn=True), ShoeOver(played=True))
    assert (followed.state.shoe, followed.where(last)) == (None, W.DISCARD_RACK)


def test_a_card_after_the_shoe_opens_no_shoe(followed) -> None:
    followed.follow(BEGUN, ShoeOver(played=True))
    stray = CardPassed(None, True)
    followed.follow(passed=stray, after_shoe=True)
    assert followed.state.shoe is None
    followed.follow(passed=stray)
    assert followed.state.shoe is not None


def test_the_second_shoe_ends_what_was_left_of_the_first(followed) -> None:
    tag = followed.draw("4h", BEGUN, CardPlaced(1, W.PLAYER, drawn=True))
    followed.follow(BEGUN)
    assert followed.where(tag) is W.SHOE


def test_a_cut_card_that_passes_moves_no_card_drawn_before_it(followed) -> None:
    """It has no number, and the shoe ends by it with a card held aside."""
    followed.draw("4h", BEGUN, CardPlaced(1, W.ASIDE, drawn=True))
    cut = next(one.tag for one in followed.state.batches[0].manifest.cards() if one.card is None)
    cleared = (CardPlaced(1, W.DISCARD_RACK), ShoeOver(played=True))
    passed = CardPassed(cut, True)
    followed.follow(*cleared, passed=passed, rack_read=True, after_shoe=True)
    followed.follow(BEGUN, rack_read=True)
    assert followed.found == [FindingCode.CARD_ABSENT]
