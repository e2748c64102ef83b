"""What people have seen of a coup: each part of it, at the draw or once it was turned.

Not: what an output shows because of it (controller.record.disclosure).
Source: D-8 (a scan by the shoe is not disclosure); X-9, X-10; S42-g-3-i to S42-g-3-iii, S42-h-3;
NY-f-3-i-a to NY-f-3-ii-e, NY-g-2-ii to NY-g-2-v; WA-ov-3-face, WA-ov-9-face.
"""

from types import MappingProxyType
from typing import Final

from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, DealtCard
from controller.rules.actions.choices import LayoutPart
from controller.rules.coup import Place
from controller.rules.setting_values import DealOption, ThirdCardDealt

HANDS: Final = (LayoutPart.PLAYER_HAND, LayoutPart.BANKER_HAND)
THIRDS: Final = (LayoutPart.PLAYER_THIRD, LayoutPart.BANKER_THIRD)
PLACES: Final = MappingProxyType(
    {
        LayoutPart.PLAYER_HAND: (Place.PLAYER_1, Place.PLAYER_2),
        LayoutPart.BANKER_HAND: (Place.BANKER_1, Place.BANKER_2),
        LayoutPart.PLAYER_THIRD: (Place.PLAYER_3,),
        LayoutPart.BANKER_THIRD: (Place.BANKER_3,),
    }
)


def is_on_layout(coup: CoupState, part: LayoutPart) -> bool:
    """Whether every card of that part lies on the layout."""
    return {one.place for one in coup.cards}.issuperset(PLACES[part])


def is_seen(book: RuleBook, coup: CoupState, part: LayoutPart) -> bool:
    """Whether people have seen that part, or will as soon as it is drawn."""
    if part in coup.reveal.turned:
        return True
    if coup.ghost or coup.declared is not None:
        return True
    if _has_only_held_cards(coup):
        return False
    if part in THIRDS:
        return book.values.third_card_dealt is ThirdCardDealt.FACE_UP
    match book.values.deal_option:
        case DealOption.FACE_UP:
            return True
        case DealOption.MIXED:
            return part is LayoutPart.PLAYER_HAND
        case _:
            return False


def _has_only_held_cards(coup: CoupState) -> bool:
    """Whether all its cards are held ones: none is turned before the coup is dealt."""
    # Held cards are the first ones of a coup, so the last one decides.
    return bool(coup.cards) and coup.cards[-1].carried_from is not None


def error_cards_seen(coup: CoupState) -> bool:
    """Whether every card set aside in the coup was seen; a declared result discloses none."""
    return coup.reveal.turned.count(LayoutPart.ERROR_CARD.value) >= len(coup.aside)


def card_seen(book: RuleBook, coup: CoupState, dealt: DealtCard) -> bool:
    """Whether people have seen a card of a hand."""
    part = next(part for part in PLACES if dealt.place in PLACES[part])
    return is_seen(book, coup, part)


def hands_seen(book: RuleBook, coup: CoupState) -> bool:
    """Whether both hands have been seen: from then on what they call for may be announced."""
    return is_seen(book, coup, LayoutPart.PLAYER_HAND) and is_seen(
        book, coup, LayoutPart.BANKER_HAND
    )


def unseen_third_card(book: RuleBook, coup: CoupState) -> LayoutPart | None:
    """The first unseen third card on the layout, if any."""
    for third in THIRDS:
        if is_on_layout(coup, third) and not is_seen(book, coup, third):
            return third
    return None


def all_seen(book: RuleBook, coup: CoupState) -> bool:
    """Whether people have seen every card of this coup so far."""
    return hands_seen(book, coup) and unseen_third_card(book, coup) is None
