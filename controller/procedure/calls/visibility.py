"""What people have seen of a coup: each part of it, at the draw or once it was turned.

Responsible for: whether a hand, a third card or a card drawn in error has been seen.
Not responsible for: what any output shows because of it (controller.views.disclosure).
Source: D-8 (a scan by the shoe is not disclosure); X-9, X-10; S42-g-3-i to S42-g-3-iii, S42-h-3;
NY-f-3-i-a to NY-f-3-ii-e, NY-g-2-ii to NY-g-2-v; WA-ov-3-face, WA-ov-9-face.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.events import TurnedCards
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, DealtCard
from controller.rules.coup import Place
from controller.rules.setting_values import DealOption, ThirdCardDealt

HANDS: Final = (TurnedCards.PLAYER_HAND, TurnedCards.BANKER_HAND)
THIRDS: Final = (TurnedCards.PLAYER_THIRD, TurnedCards.BANKER_THIRD)
PLACES: Final = MappingProxyType(
    {
        TurnedCards.PLAYER_HAND: (Place.PLAYER_1, Place.PLAYER_2),
        TurnedCards.BANKER_HAND: (Place.BANKER_1, Place.BANKER_2),
        TurnedCards.PLAYER_THIRD: (Place.PLAYER_3,),
        TurnedCards.BANKER_THIRD: (Place.BANKER_3,),
    }
)


def is_there(coup: CoupState, part: TurnedCards) -> bool:
    """Whether every card of that part lies on the layout."""
    dealt = [one.place for one in coup.cards]
    return all(place in dealt for place in PLACES[part])


def is_seen(book: RuleBook, coup: CoupState, part: TurnedCards) -> bool:
    """Whether people have seen that part, or will as soon as it is drawn."""
    if part.value in coup.reveal.turned:
        return True
    if coup.ghost or coup.declared is not None:
        return True
    if _only_held(coup):
        return False
    if part in THIRDS:
        return book.values.third_card_dealt is ThirdCardDealt.FACE_UP
    match book.values.deal_option:
        case DealOption.FACE_UP:
            return True
        case DealOption.MIXED:
            return part is TurnedCards.PLAYER_HAND
        case _:
            return False


def _only_held(coup: CoupState) -> bool:
    """Whether all its cards were held from before: none is turned before the coup is dealt."""
    return bool(coup.cards) and all(one.carried_from is not None for one in coup.cards)


def errors_seen(coup: CoupState) -> bool:
    """Whether every card set aside in the coup was seen; a declared result does not tell them."""
    return coup.reveal.turned.count(TurnedCards.ERROR_CARD.value) >= len(coup.aside)


def card_seen(book: RuleBook, coup: CoupState, dealt: DealtCard) -> bool:
    """Whether people have seen a card of a hand."""
    part = next(part for part in PLACES if dealt.place in PLACES[part])
    return is_seen(book, coup, part)


def hands_seen(book: RuleBook, coup: CoupState) -> bool:
    """Whether both hands have been seen: what they call for is told from then on."""
    return all(is_seen(book, coup, hand) for hand in HANDS)


def third_unseen(book: RuleBook, coup: CoupState) -> TurnedCards | None:
    """The first third card on the layout that nobody has seen, if any."""
    lying = (third for third in THIRDS if is_there(coup, third))
    return next((third for third in lying if not is_seen(book, coup, third)), None)


def all_seen(book: RuleBook, coup: CoupState) -> bool:
    """Whether everything that follows from the cards of this coup so far is known to people."""
    return hands_seen(book, coup) and third_unseen(book, coup) is None
