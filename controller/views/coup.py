"""Snapshot part: the open coup and the last one, limited to what people have seen.

Source: controller/views/README.md, "Disclosure", "Snapshot"; D-8.
"""

from typing import TypeAlias

from controller.procedure.calls.reveal_seats import players_reveal, wagers_observed
from controller.procedure.calls.visibility import HANDS, PLACES, is_on_layout, is_seen
from controller.procedure.effects import CoupRecord
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, ShoeState
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.hands import HandName, point_count
from controller.views.disclosure import (
    HIDDEN_CARD,
    card_disclosed,
    count_disclosed,
    errors_disclosed,
    record_disclosed,
    third_place_disclosed,
)

Plain: TypeAlias = dict[str, object]

_PLACES = {
    HandName.PLAYER: (Place.PLAYER_1, Place.PLAYER_2, Place.PLAYER_3),
    HandName.BANKER: (Place.BANKER_1, Place.BANKER_2, Place.BANKER_3),
}
_THIRDS = (Place.PLAYER_3, Place.BANKER_3)


def open_coup_view(book: RuleBook, shoe: ShoeState, coup: CoupState) -> Plain:
    """The coup being dealt; each card and each count is shown only if people have seen it."""
    aside = _cards_set_aside(coup) + _cards_drawn_in_error(shoe, coup)
    return {
        "number": coup.number,
        "player": _hand(book, coup, HandName.PLAYER),
        "banker": _hand(book, coup, HandName.BANKER),
        "third": _unplaced_thirds(book, coup),
        "player_count": _count(book, coup, HandName.PLAYER),
        "banker_count": _count(book, coup, HandName.BANKER),
        "aside": len(aside),
        "aside_cards": aside,
        "partial": coup.partial,
        "provisional": coup.suspended_cards,
        "ghost": coup.ghost,
    }


def _cards_set_aside(coup: CoupState) -> list[str]:
    disclosed = errors_disclosed(coup)
    return [card_text(one.card) if disclosed else HIDDEN_CARD for one in coup.aside]


def _cards_drawn_in_error(shoe: ShoeState, coup: CoupState) -> list[str]:
    """Cards drawn in error in this coup that wait for a decision; unseen ones are hidden."""
    waiting = (error for error in shoe.remedy.waiting if error.coup == coup.number)
    return [
        card_text(error.card) if error.turned and not coup.suspended_cards else HIDDEN_CARD
        for error in waiting
    ]


def _hand(book: RuleBook, coup: CoupState, hand: HandName) -> list[str]:
    places = _PLACES[hand] if third_place_disclosed(book, coup) else _PLACES[hand][:2]
    return _cards_at(book, coup, places)


def _unplaced_thirds(book: RuleBook, coup: CoupState) -> list[str]:
    """Third cards drawn before the hands were turned: their hand follows from unseen cards."""
    return [] if third_place_disclosed(book, coup) else _cards_at(book, coup, _THIRDS)


def _cards_at(book: RuleBook, coup: CoupState, places: tuple[Place, ...]) -> list[str]:
    return [
        card_text(dealt.card) if card_disclosed(book, coup, dealt) else HIDDEN_CARD
        for dealt in coup.cards
        if dealt.place in places
    ]


def _count(book: RuleBook, coup: CoupState, hand: HandName) -> int | None:
    if not count_disclosed(book, coup, hand):
        return None
    cards = (dealt.card for dealt in coup.cards if dealt.place in _PLACES[hand])
    return point_count([card for card in cards if card is not None])


def reveal_view(book: RuleBook, coup: CoupState) -> Plain:
    """The cards that lie face down and who turns them; a seat is None where it is not known."""
    parts = PLACES if third_place_disclosed(book, coup) else HANDS
    lying = [part.value for part in parts if is_on_layout(coup, part)]
    seen = [part.value for part in PLACES if is_seen(book, coup, part)]
    patrons = players_reveal(book, coup)
    known = patrons and wagers_observed(book)
    return {
        "by": "patrons" if patrons else "dealer",
        "player_seat": (coup.reveal.player_seat or None) if known else None,
        "banker_seat": (coup.reveal.banker_seat or None) if known else None,
        "face_down": [part for part in lying if part not in seen],
        "turned": [part for part in lying if part in coup.reveal.turned],
    }


def closed_coup_view(book: RuleBook, record: CoupRecord) -> Plain:
    """The last closed coup; cards and counts are hidden if nobody has seen them."""
    disclosed = record_disclosed(book, record)
    result = record.result if disclosed else None
    return {
        "coup": record.coup,
        "player": _record_hand(record, HandName.PLAYER, disclosed=disclosed),
        "banker": _record_hand(record, HandName.BANKER, disclosed=disclosed),
        "player_count": result.player_count if result is not None else None,
        "banker_count": result.banker_count if result is not None else None,
        "natural": result.natural if result is not None else False,
        "player_pair": result.player_pair if result is not None else False,
        "banker_pair": result.banker_pair if result is not None else False,
        "outcome": record.outcome.value if record.outcome is not None else None,
        "fate": record.fate.value,
        "ghost": record.ghost,
    }


def _record_hand(record: CoupRecord, hand: HandName, *, disclosed: bool) -> list[str]:
    return [
        card_text(one.card) if disclosed else HIDDEN_CARD
        for one in record.cards
        if one.place in _PLACES[hand]
    ]


def card_text(card: Card | None) -> str:
    """A card such as "7h"; "unread" for None."""
    return str(card) if card is not None else "unread"
