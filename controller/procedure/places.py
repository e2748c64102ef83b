"""The places a card can go to, as the procedure groups, names and cites them.

Responsible for: which place is due in which phase, the words for a place, and its clauses.
Not responsible for: choosing a place (controller.rules.coup) and for what comes next (phases).
Source: NY-f-3-player, NY-f-3-banker; S42-g-3-player, S42-g-3-banker, S42-h-4.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.rules.cards import Card
from controller.rules.coup import Decision, Place, decision, hands
from controller.rules.hands import point_count
from controller.rules.rule_points import RulePoint, banker_row_point

BURN_PLACES: Final = (Place.BURN_FIRST, Place.BURN, Place.BURN_EXTRA)
# In drawing order, third cards included.
HAND_PLACES: Final = (
    Place.PLAYER_1,
    Place.BANKER_1,
    Place.PLAYER_2,
    Place.BANKER_2,
    Place.PLAYER_3,
    Place.BANKER_3,
)
# Places that only a coup with four cards on the table has.
LATE_PLACES: Final = (Place.PLAYER_3, Place.BANKER_3, Place.PLAYER_MORE, Place.BANKER_MORE)
DUE_PLACE: Final = MappingProxyType(
    {
        Phase.PLAYER_1: Place.PLAYER_1,
        Phase.BANKER_1: Place.BANKER_1,
        Phase.PLAYER_2: Place.PLAYER_2,
        Phase.BANKER_2: Place.BANKER_2,
        Phase.PLAYER_3: Place.PLAYER_3,
        Phase.BANKER_3: Place.BANKER_3,
    }
)
WORDS: Final = MappingProxyType(
    {
        Place.BURN_FIRST: "the first burn card",
        Place.BURN: "a burn card",
        Place.BURN_EXTRA: "a burn card outside the count",
        Place.PLAYER_1: "Player's first card",
        Place.PLAYER_2: "Player's second card",
        Place.PLAYER_3: "Player's third card",
        Place.PLAYER_MORE: "a further card for the Player",
        Place.BANKER_1: "Banker's first card",
        Place.BANKER_2: "Banker's second card",
        Place.BANKER_3: "Banker's third card",
        Place.BANKER_MORE: "a further card for the Banker",
        Place.OUTSIDE: "a card outside play",
    }
)
_POINTS: Final = MappingProxyType(
    {
        Decision.FIRST_FOUR: (RulePoint.FOUR_CARDS,),
        Decision.NATURAL: (RulePoint.NATURAL,),
        Decision.PLAYER_DRAWS: (RulePoint.PLAYER_DRAWS,),
        Decision.PLAYER_STANDS_BANKER_DRAWS: (RulePoint.PLAYER_STANDS, RulePoint.BANKER_DRAWS),
        Decision.BOTH_STAND: (RulePoint.PLAYER_STANDS, RulePoint.BANKER_STANDS),
        Decision.COMPLETE: (RulePoint.ONE_EXTRA_CARD,),
    }
)


def place_clauses(book: RuleBook, place: Place) -> tuple[str, ...]:
    """The clauses that give a hand its card."""
    player = place in (Place.PLAYER_1, Place.PLAYER_2, Place.PLAYER_3)
    hand = RulePoint.PLAYER_CARDS if player else RulePoint.BANKER_CARDS
    third = place in (Place.PLAYER_3, Place.BANKER_3)
    return book.clauses(RulePoint.ONE_EXTRA_CARD if third else RulePoint.FOUR_CARDS, hand)


def ruling_points(cards: tuple[Card, ...]) -> tuple[RulePoint, ...]:
    """What decides, after these cards in drawing order, whether and for whom one more is due."""
    ruling = decision(cards)
    if ruling in _POINTS:
        return _POINTS[ruling]
    banker = hands(cards[:4]).banker
    draws = ruling is Decision.BANKER_DRAWS
    return (RulePoint.BANKER_TABLE, banker_row_point(point_count(banker), draws=draws))
