"""One coup card by card: the hands, the drawing decision, the place of the next card.

Not: cards drawn in error: callers pass lawful cards only, anything else fails an assertion.
Source: NY-f-3-four, NY-f-3-player, NY-f-3-banker, NY-h-1 to NY-h-4-7; S42-g-3-four, S42-g-3-player,
S42-g-3-banker, S42-h-3-order, S42-h-4, S42-i-1 to S42-i-6.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.rules.cards import Card, point_value
from controller.rules.hands import NATURAL_COUNTS, point_count
from controller.rules.tableau import banker_draws, player_draws

Cards = tuple[Card, ...]


class Place(StrEnum):
    """The place of a card that left the shoe; PLAYER_MORE and BANKER_MORE hold cards in error.

    UNCLAIMED: the shoe does not report where it goes.
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


class DrawDecision(StrEnum):
    """The decision of the drawing rules after the cards drawn so far."""

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
        DrawDecision.PLAYER_DRAWS: Place.PLAYER_3,
        DrawDecision.PLAYER_STANDS_BANKER_DRAWS: Place.BANKER_3,
        DrawDecision.BANKER_DRAWS: Place.BANKER_3,
    }
)
_COMPLETE: Final = (
    DrawDecision.NATURAL,
    DrawDecision.BOTH_STAND,
    DrawDecision.BANKER_STANDS,
    DrawDecision.COMPLETE,
)


class Hands(Struct, frozen=True):
    """The two hands, each in the order its cards were drawn."""

    player: Cards
    banker: Cards


def draw_decision(cards: Cards) -> DrawDecision:
    """The drawing decision after `cards`, in drawing order (at most six)."""
    drawn = len(cards)
    if drawn < 4:
        return DrawDecision.FIRST_FOUR
    after_four = _after_four(cards)
    if drawn == 4:
        return after_four
    if after_four is DrawDecision.PLAYER_STANDS_BANKER_DRAWS:
        assert drawn == 5, "no card is due after Banker's third (S42-h-4)"
        return DrawDecision.COMPLETE
    assert after_four is DrawDecision.PLAYER_DRAWS, "no third card is due to either hand"
    banker = cards[1], cards[3]
    banker_must_draw = banker_draws(point_count(banker), point_value(cards[4]))
    if drawn == 5:
        return DrawDecision.BANKER_DRAWS if banker_must_draw else DrawDecision.BANKER_STANDS
    assert banker_must_draw, "Banker stands, a sixth card is not due"
    assert drawn == 6, "no coup has more than six cards (S42-h-4)"
    return DrawDecision.COMPLETE


def is_complete(cards: Cards) -> bool:
    """Whether the coup needs no more cards."""
    return len(cards) >= len(FIRST_FOUR_PLACES) and draw_decision(cards) in _COMPLETE


def hands(cards: Cards) -> Hands:
    """Split `cards` by drawing order: 1 and 3 Player, 2 and 4 Banker, then by the tableau."""
    player, banker = cards[0:4:2], cards[1:4:2]
    if len(cards) == 5 and draw_decision(cards) is DrawDecision.COMPLETE:
        return Hands(player, banker + cards[4:])
    return Hands(player + cards[4:5], banker + cards[5:])


def next_place(cards: Cards) -> Place | None:
    """Where the next card of the coup goes, or None when the coup needs no more cards."""
    if len(cards) < len(FIRST_FOUR_PLACES):
        return FIRST_FOUR_PLACES[len(cards)]
    return _THIRD_CARD_PLACES.get(draw_decision(cards))


def _after_four(cards: Cards) -> DrawDecision:
    player, banker = point_count(cards[0:4:2]), point_count(cards[1:4:2])
    if player in NATURAL_COUNTS or banker in NATURAL_COUNTS:
        return DrawDecision.NATURAL
    if player_draws(player):
        return DrawDecision.PLAYER_DRAWS
    if banker_draws(banker, None):
        return DrawDecision.PLAYER_STANDS_BANKER_DRAWS
    return DrawDecision.BOTH_STAND
