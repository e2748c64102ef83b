"""Snapshot part: the open coup, the last one and the list of all, as far as people have seen them.

Source: D-8.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from controller.procedure.calls.reveal_seats import players_reveal, wagers_observed
from controller.procedure.calls.visibility import HANDS, PLACES, is_on_layout, is_seen
from controller.procedure.effects import CoupClosed, CoupCorrected, CoupRecord, ShoeOpened
from controller.procedure.finished_coups import FINISHED_COUPS_MAX
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, DealtCard, ShoeState
from controller.record.disclosure import (
    card_fact,
    card_withheld,
    count_withheld,
    errors_withheld,
    record_seen,
    record_withheld,
    shown_card,
    third_place_disclosed,
    waiting_card_withheld,
)
from controller.record.seen import CoupFaces
from controller.record.snapshot import (
    ClosedCoupView,
    CoupView,
    FinishedCoupView,
    HandView,
    ShownCard,
    TurningView,
    Withheld,
)
from controller.rules.coup import Place
from controller.rules.hands import HandName, point_count
from controller.rules.outcome import Outcome
from controller.rules.roads import RoadCoup

_PLACES = {
    HandName.PLAYER: (Place.PLAYER_1, Place.PLAYER_2, Place.PLAYER_3),
    HandName.BANKER: (Place.BANKER_1, Place.BANKER_2, Place.BANKER_3),
}
_THIRDS = (Place.PLAYER_3, Place.BANKER_3)


def open_coup_view(book: RuleBook, shoe: ShoeState, coup: CoupState) -> CoupView:
    """The coup being dealt; each card and each count is shown only if people have seen it."""
    placed = third_place_disclosed(book, coup)
    return CoupView(
        number=coup.number,
        player=_hand(book, coup, HandName.PLAYER, placed=placed),
        banker=_hand(book, coup, HandName.BANKER, placed=placed),
        # Their hand follows from cards that nobody has seen.
        third=() if placed else _cards(book, coup, _dealt(coup, _THIRDS)),
        aside=(*_cards_set_aside(coup), *_cards_drawn_in_error(shoe, coup)),
        partial=coup.partial,
        provisional=coup.suspended_cards,
        ghost=coup.ghost,
        turning=_turning(book, coup, placed=placed),
    )


def _cards_set_aside(coup: CoupState) -> Iterable[ShownCard]:
    withheld = errors_withheld(coup)
    return (shown_card(one.card, withheld) for one in coup.aside)


def _cards_drawn_in_error(shoe: ShoeState, coup: CoupState) -> Iterable[ShownCard]:
    """Cards drawn in error in this coup that wait for a decision."""
    waiting = (error for error in shoe.remedy.waiting if error.coup == coup.number)
    return (shown_card(error.card, waiting_card_withheld(coup, error)) for error in waiting)


def _hand(book: RuleBook, coup: CoupState, hand: HandName, *, placed: bool) -> HandView:
    dealt = _dealt(coup, _PLACES[hand])
    shown = [one for one in dealt if placed or one.place not in _THIRDS]
    count = point_count([one.card for one in dealt if one.card is not None])
    return HandView(
        cards=_cards(book, coup, shown), count=card_fact(count, count_withheld(book, coup, hand))
    )


def _dealt(coup: CoupState, places: tuple[Place, ...]) -> list[DealtCard]:
    return [one for one in coup.cards if one.place in places]


def _cards(book: RuleBook, coup: CoupState, dealt: list[DealtCard]) -> tuple[ShownCard, ...]:
    return tuple(shown_card(one.card, card_withheld(book, coup, one)) for one in dealt)


def _turning(book: RuleBook, coup: CoupState, *, placed: bool) -> TurningView:
    parts = PLACES if placed else HANDS
    lying = [part for part in parts if is_on_layout(coup, part)]
    patrons = players_reveal(book, coup)
    known = patrons and wagers_observed(book)
    return TurningView(
        by="patrons" if patrons else "dealer",
        player_seat=(coup.reveal.player_seat or None) if known else None,
        banker_seat=(coup.reveal.banker_seat or None) if known else None,
        face_down=tuple(part for part in lying if not is_seen(book, coup, part)),
        turned=tuple(part for part in lying if part in coup.reveal.turned),
    )


def closed_coup_view(
    book: RuleBook, record: CoupRecord, corrected: Outcome | None = None
) -> ClosedCoupView:
    """A closed coup; cards and what follows from them are withheld if nobody has seen them."""
    faces = coup_faces(record, record_withheld(book, record))
    return ClosedCoupView(
        number=record.coup,
        player=faces.player,
        banker=faces.banker,
        natural=faces.natural,
        player_pair=faces.player_pair,
        banker_pair=faces.banker_pair,
        outcome=record.outcome,
        fate=record.fate.value,
        ghost=record.ghost,
        corrected=corrected,
    )


def coup_faces(record: CoupRecord, withheld: Withheld | None) -> CoupFaces:
    """The hands of a closed coup and what follows from them, unless withheld."""
    result = record.result
    return CoupFaces(
        player=HandView(
            cards=_record_cards(record, HandName.PLAYER, withheld),
            count=card_fact(None if result is None else result.player_count, withheld),
        ),
        banker=HandView(
            cards=_record_cards(record, HandName.BANKER, withheld),
            count=card_fact(None if result is None else result.banker_count, withheld),
        ),
        natural=card_fact(None if result is None else result.natural, withheld),
        player_pair=card_fact(None if result is None else result.player_pair, withheld),
        banker_pair=card_fact(None if result is None else result.banker_pair, withheld),
    )


def _record_cards(
    record: CoupRecord, hand: HandName, withheld: Withheld | None
) -> tuple[ShownCard, ...]:
    dealt = (one for one in record.cards if one.place in _PLACES[hand])
    return tuple(shown_card(one.card, withheld) for one in dealt)


class CoupList(Struct, frozen=True):
    """The shoe that is dealt, or the last one. Of a shoe without an end the newest coups."""

    gaming_day: str = ""
    shoe: int = 0
    coups: tuple[FinishedCoupView, ...] = ()

    def take(self, entries: Iterable[object], *, face_up: bool) -> "CoupList":
        """The list after these entries; `face_up`: the deal option lets everybody see the cards."""
        after = self
        for entry in entries:
            match entry:
                case ShoeOpened():
                    after = CoupList(entry.gaming_day, entry.shoe)
                case CoupClosed(record):
                    after = _with_coup(after, record, face_up=face_up)
                case CoupCorrected():
                    after = _with_correction(after, entry)
                case _:
                    pass
        return after


def _with_coup(there: CoupList, record: CoupRecord, *, face_up: bool) -> CoupList:
    if (record.gaming_day, record.shoe) != (there.gaming_day, there.shoe):
        there = CoupList(record.gaming_day, record.shoe)
    coups = (*there.coups, _finished_coup(record, face_up=face_up))[-FINISHED_COUPS_MAX:]
    return replace(there, coups=coups)


def _with_correction(there: CoupList, entry: CoupCorrected) -> CoupList:
    if (entry.gaming_day, entry.shoe) != (there.gaming_day, there.shoe):
        return there
    coups = (
        replace(one, corrected=entry.outcome) if one.number == entry.coup else one
        for one in there.coups
    )
    return replace(there, coups=tuple(coups))


def _finished_coup(record: CoupRecord, *, face_up: bool) -> FinishedCoupView:
    result = record.result if record_seen(record, face_up=face_up) else None
    return FinishedCoupView(
        number=record.coup,
        outcome=record.outcome,
        fate=record.fate.value,
        natural=None if result is None else result.natural,
        player_pair=None if result is None else result.player_pair,
        banker_pair=None if result is None else result.banker_pair,
    )


def road_coups(coups: Iterable[FinishedCoupView]) -> tuple[RoadCoup, ...]:
    """Those that have an outcome, as the roads take them: a corrected one by its correction."""
    return tuple(
        RoadCoup(
            one.number,
            one.corrected or one.outcome,
            bool(one.player_pair),
            bool(one.banker_pair),
            bool(one.natural),
            one.corrected is not None,
        )
        for one in coups
        if one.outcome is not None
    )
