"""One coup, card by card: whose card each is, what the rules say next, where the next one goes.

Responsible for: reading a coup from its cards in drawing order, and naming the places a card
can go to.
Not responsible for: whether a card may come now (procedure/phases) and for cards drawn in error:
only lawful cards are passed in, anything else is a programmer's error.
Source: NY-f-3-four, NY-f-3-player, NY-f-3-banker, NY-h-1 to NY-h-4-7; S42-g-3-four,
S42-g-3-player, S42-g-3-banker, S42-h-3-order, S42-h-4, S42-i-1 to S42-i-6.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from controller.rules.cards import Card, point_value
from controller.rules.hands import NATURAL_COUNTS, point_count
from controller.rules.tableau import banker_draws, player_draws
from firmware_bridge.values import dataclass

Cards = tuple[Card, ...]


class Place(StrEnum):
    """Where a card that left the shoe belongs; the ..._MORE places are for cards in error.

    UNCLAIMED: the shoe says nothing of where it goes.
    """

    BURN_FIRST = "burn_first"
    BURN = "burn"
    BURN_EXTRA = "burn_extra"
    PLAYER_1 = "player_1"
    BANKER_1 = "banker_1"
    PLAYER_2 = "player_2"
    BANKER_2 = "banker_2"
    PLAYER_3 = "player_3"
    BANKER_3 = "banker_3"
    PLAYER_MORE = "player_more"
    BANKER_MORE = "banker_more"
    OUTSIDE = "outside"
    UNCLAIMED = "unclaimed"


class Decision(StrEnum):
    """What the rules say after the cards drawn so far."""

    FIRST_FOUR = "first_four"
    NATURAL = "natural"
    PLAYER_DRAWS = "player_draws"
    PLAYER_STANDS_BANKER_DRAWS = "player_stands_banker_draws"
    BOTH_STAND = "both_stand"
    BANKER_DRAWS = "banker_draws"
    BANKER_STANDS = "banker_stands"
    COMPLETE = "complete"


FIRST_FOUR_PLACES: Final = (Place.PLAYER_1, Place.BANKER_1, Place.PLAYER_2, Place.BANKER_2)
_THIRD_CARD_PLACES: Final = MappingProxyType(
    {
        Decision.PLAYER_DRAWS: Place.PLAYER_3,
        Decision.PLAYER_STANDS_BANKER_DRAWS: Place.BANKER_3,
        Decision.BANKER_DRAWS: Place.BANKER_3,
    }
)
_COMPLETE: Final = (
    Decision.NATURAL,
    Decision.BOTH_STAND,
    Decision.BANKER_STANDS,
    Decision.COMPLETE,
)


@dataclass(frozen=True, slots=True)
class Hands:
    """The two hands, each in the order its cards were drawn."""

    player: Cards
    banker: Cards


def decision(cards: Cards) -> Decision:
    """What the rules say after `cards`, the coup's cards in drawing order (at most six)."""
    drawn = len(cards)
    if drawn < 4:
        return Decision.FIRST_FOUR
    after_four = _after_four(cards)
    if drawn == 4:
        return after_four
    if after_four is Decision.PLAYER_STANDS_BANKER_DRAWS:
        assert drawn == 5, "no card is due after Banker's third (S42-h-4)"
        return Decision.COMPLETE
    assert after_four is Decision.PLAYER_DRAWS, "no third card is due to either hand"
    banker = cards[1], cards[3]
    banker_must_draw = banker_draws(point_count(banker), point_value(cards[4]))
    if drawn == 5:
        return Decision.BANKER_DRAWS if banker_must_draw else Decision.BANKER_STANDS
    assert banker_must_draw, "Banker stands, a sixth card is not due"
    assert drawn == 6, "no coup has more than six cards (S42-h-4)"
    return Decision.COMPLETE


def is_complete(cards: Cards) -> bool:
    """Whether the coup needs no more cards."""
    return len(cards) >= len(FIRST_FOUR_PLACES) and decision(cards) in _COMPLETE


def hands(cards: Cards) -> Hands:
    """Share `cards` out by drawing order: 1 and 3 Player, 2 and 4 Banker, then by the tableau."""
    player, banker = cards[0:4:2], cards[1:4:2]
    if len(cards) == 5 and decision(cards) is Decision.COMPLETE:
        return Hands(player, banker + cards[4:])
    return Hands(player + cards[4:5], banker + cards[5:])


def next_place(cards: Cards) -> Place | None:
    """Where the next card of the coup goes, or None when the coup needs no more cards."""
    if len(cards) < len(FIRST_FOUR_PLACES):
        return FIRST_FOUR_PLACES[len(cards)]
    return _THIRD_CARD_PLACES.get(decision(cards))


def _after_four(cards: Cards) -> Decision:
    player, banker = point_count(cards[0:4:2]), point_count(cards[1:4:2])
    if player in NATURAL_COUNTS or banker in NATURAL_COUNTS:
        return Decision.NATURAL
    if player_draws(player):
        return Decision.PLAYER_DRAWS
    if banker_draws(banker, None):
        return Decision.PLAYER_STANDS_BANKER_DRAWS
    return Decision.BOTH_STAND
