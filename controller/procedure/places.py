"""The places a card can go to: which one is due in which phase, its name and its clauses.

Source: NY-f-3-player, NY-f-3-banker, NY (h); S42-g-3-player, S42-g-3-banker, S42-h-4, S42 (i);
HG-bac-b012, HG-bac-d7.
"""

from types import MappingProxyType
from typing import Final

from controller.custody.card_states import CardPlace
from controller.procedure.phases import Phase
from controller.procedure.rulebook import RuleBook
from controller.rules.cards import Card
from controller.rules.coup import DrawDecision, Place, draw_decision, hands, next_place
from controller.rules.hands import is_natural, point_count
from controller.rules.outcome import Outcome
from controller.rules.profiles.rule_points import RulePoint, banker_row_point
from controller.rules.setting_values import ThirdCardDealt
from foundation.message import message

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
PLAYER_PLACES: Final = (Place.PLAYER_1, Place.PLAYER_2, Place.PLAYER_3)
# Where the card of a hand lies.
HAND_OF: Final = MappingProxyType(
    {
        place: CardPlace.PLAYER if place in PLAYER_PLACES else CardPlace.BANKER
        for place in HAND_PLACES
    }
)
# Places that only a coup with four cards on the table has.
DUE_PLACE: Final = MappingProxyType(
    {
        Phase.BETTING_CLOSED: Place.PLAYER_1,
        Phase.PLAYER_1: Place.PLAYER_1,
        Phase.BANKER_1: Place.BANKER_1,
        Phase.PLAYER_2: Place.PLAYER_2,
        Phase.BANKER_2: Place.BANKER_2,
        Phase.PLAYER_3: Place.PLAYER_3,
        Phase.BANKER_3: Place.BANKER_3,
    }
)
PLACE_NAMES: Final = MappingProxyType(
    {
        Place.BURN_FIRST: message("first_burn_card"),
        Place.BURN: message("burn_card"),
        Place.BURN_EXTRA: message("burn_card_outside_count"),
        Place.PLAYER_1: message("player_first_card"),
        Place.PLAYER_2: message("player_second_card"),
        Place.PLAYER_3: message("player_third_card"),
        Place.PLAYER_MORE: message("further_card_for_player"),
        Place.BANKER_1: message("banker_first_card"),
        Place.BANKER_2: message("banker_second_card"),
        Place.BANKER_3: message("banker_third_card"),
        Place.BANKER_MORE: message("further_card_for_banker"),
        Place.OUTSIDE: message("card_outside_play"),
        Place.UNCLAIMED: message("card_without_place"),
    }
)
OUTCOME_NAMES: Final = MappingProxyType(
    {
        Outcome.PLAYER: message("player"),
        Outcome.BANKER: message("banker"),
        Outcome.TIE: message("tie"),
    }
)
_FIRST_POINTS: Final = MappingProxyType(
    {
        Place.PLAYER_1: (
            RulePoint.SHOE_DEVICE,
            RulePoint.TWO_HANDS,
            RulePoint.FOUR_CARDS,
            RulePoint.PLAYER_CARDS,
        ),
        Place.BANKER_1: (RulePoint.FOUR_CARDS, RulePoint.BANKER_CARDS),
        Place.PLAYER_2: (RulePoint.FOUR_CARDS, RulePoint.PLAYER_CARDS),
        Place.BANKER_2: (RulePoint.FOUR_CARDS, RulePoint.BANKER_CARDS),
    }
)
_THIRD_POINTS: Final = MappingProxyType(
    {
        (Place.PLAYER_3, ThirdCardDealt.FACE_UP): RulePoint.PLAYER_THIRD_FACE_UP,
        (Place.PLAYER_3, ThirdCardDealt.FACE_DOWN): RulePoint.PLAYER_THIRD_HANDED,
        (Place.BANKER_3, ThirdCardDealt.FACE_UP): RulePoint.BANKER_THIRD_FACE_UP,
        (Place.BANKER_3, ThirdCardDealt.FACE_DOWN): RulePoint.BANKER_THIRD_HANDED,
    }
)
_BANKER_ALWAYS_STANDS: Final = 7
# What says of Banker's two-card count that it always draws or stands, where Player stood.
_ALWAYS_POINTS: Final = MappingProxyType(
    {
        **dict.fromkeys((0, 1, 2), RulePoint.BANKER_012_PLAYER_STOOD),
        _BANKER_ALWAYS_STANDS: RulePoint.BANKER_7_PLAYER_STOOD,
    }
)


def due_place(phase: Phase) -> Place:
    """Which card is due in this phase."""
    return DUE_PLACE[phase]


def phase_by_cards(cards: tuple[Card, ...]) -> Phase:
    """The phase of a coup with these cards, in drawing order, that nobody left."""
    place = next_place(cards)
    return Phase.RESULT if place is None else Phase(place.value)


def place_points(book: RuleBook, place: Place) -> tuple[RulePoint, ...]:
    """The points that give a hand its card."""
    if place in _FIRST_POINTS:
        return _FIRST_POINTS[place]
    hand = RulePoint.PLAYER_CARDS if place is Place.PLAYER_3 else RulePoint.BANKER_CARDS
    third = _THIRD_POINTS[place, book.values.third_card_dealt]
    return (RulePoint.ONE_EXTRA_CARD, hand, third)


def ruling_points(cards: tuple[Card, ...]) -> tuple[RulePoint, ...]:
    """What decides, after these cards in drawing order, whether and for whom one more is due."""
    return points_of_ruling(draw_decision(cards), cards)


def points_of_ruling(ruling: DrawDecision, cards: tuple[Card, ...]) -> tuple[RulePoint, ...]:
    """As `ruling_points`, where the drawing decision after the cards is known."""
    match ruling:
        case DrawDecision.FIRST_FOUR:
            return (RulePoint.FOUR_CARDS,)
        case DrawDecision.COMPLETE:
            return (RulePoint.ONE_EXTRA_CARD,)
        case DrawDecision.NATURAL:
            return _natural_points(cards)
        case DrawDecision.PLAYER_DRAWS:
            return (RulePoint.THIRD_CARD_RULE, RulePoint.PLAYER_DRAWS)
        case DrawDecision.PLAYER_STANDS_BANKER_DRAWS | DrawDecision.BOTH_STAND:
            return _player_stood_points(cards, draws=ruling is not DrawDecision.BOTH_STAND)
        case _:
            row = banker_row_point(_banker_count(cards), draws=ruling is DrawDecision.BANKER_DRAWS)
            return (RulePoint.BANKER_TABLE, row)


def obliging_points(book: RuleBook, cards: tuple[Card, ...]) -> tuple[RulePoint, ...]:
    """What obliges Banker to draw after these cards, with the row of the table that says so.

    A table with a column for a Player who stands has its rows cited then, too: they are parts of
    the clause that is cited for the draw.
    """
    points = ruling_points(cards)
    if RulePoint.BANKER_DRAWS not in points:
        return points
    row = banker_row_point(_banker_count(cards), draws=True)
    whole = tuple(f"{clause}-" for clause in book.clauses(RulePoint.BANKER_DRAWS))
    of_the_table = all(clause.startswith(whole) for clause in book.clauses(row))
    return (*points, row) if of_the_table else points


def _natural_points(cards: tuple[Card, ...]) -> tuple[RulePoint, ...]:
    both = hands(cards)
    naturals = (
        (RulePoint.NATURAL_PLAYER, is_natural(both.player)),
        (RulePoint.NATURAL_BANKER, is_natural(both.banker)),
    )
    return (RulePoint.NATURAL, *(point for point, there in naturals if there))


def _player_stood_points(cards: tuple[Card, ...], *, draws: bool) -> tuple[RulePoint, ...]:
    banker = RulePoint.BANKER_DRAWS if draws else RulePoint.BANKER_STANDS
    always = _ALWAYS_POINTS.get(_banker_count(cards))
    row = (always,) if always is not None else ()
    return (RulePoint.THIRD_CARD_RULE, RulePoint.PLAYER_STANDS, banker, *row)


def banker_stood_on_7(cards: tuple[Card, ...]) -> bool:
    """Whether Banker's two cards count seven, on which no third card is ever due."""
    return len(cards) >= 4 and _banker_count(cards) == _BANKER_ALWAYS_STANDS


def _banker_count(cards: tuple[Card, ...]) -> int:
    return point_count(hands(cards[:4]).banker)
