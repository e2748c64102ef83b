"""Finds the coup of each card of a shoe, and the record of each card's draw, from the verdicts.

The card rows of the sealed file are not used: where play was suspended they are only a screening
aid, and a page about a dispute needs the records themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from controller.core.tape.entries import EventVerdicts
from controller.procedure.effects import CoupClosed, CoupRecord, RecordedCard, ShoeOpened
from controller.procedure.events import CardDrawn
from controller.procedure.places import HAND_PLACES, PLACE_NAMES
from controller.procedure.verdicts import Accepted, Irregularity
from office.evidence.sealed_shoe import ShoeEntry

# The position in the drawing order, by the text of a verdict on a card.
_ORDER: Final = {PLACE_NAMES[place]: number for number, place in enumerate(HAND_PLACES)}
_BEFORE_THE_FIRST: Final = -1


def coups_of_cards(entries: Sequence[ShoeEntry], shoe: int) -> dict[int, int]:
    """The coup of each card, by the record of its draw; burn cards have none.

    A card held between coups is of the coup in which a decision placed it.
    """
    coup_of: dict[int, int] = {}
    unplaced: list[ShoeEntry] = []
    newest, at, over = 0, _BEFORE_THE_FIRST, True
    for one in entries:
        match one.entry:
            case ShoeOpened():
                newest, over = 0, True
            case CoupClosed(record=record) if record.shoe == shoe:
                for held in _draws_of_held_cards(record, unplaced):
                    coup_of[held.seq] = record.coup
                    unplaced.remove(held)
                if record.coup >= newest:
                    newest, over = record.coup, True
            case EventVerdicts(event=CardDrawn()) as judged:
                named, place = _irregularity_coup(judged), _drawing_position(judged)
                if named > newest or (place is not None and (over or place <= at)):
                    newest = max(named, newest + 1) if named <= newest else named
                    at, over = _BEFORE_THE_FIRST, False
                if named or place is not None:
                    coup_of[one.seq] = named or newest
                else:
                    unplaced.append(one)
                at = at if place is None else place
            case _:
                pass
    return coup_of


def _draws_of_held_cards(record: CoupRecord, unplaced: Sequence[ShoeEntry]) -> list[ShoeEntry]:
    """The draws of a coup's cards that were held between coups: the newest of these faces."""
    found: list[ShoeEntry] = []
    for dealt in reversed(record.cards):
        if dealt.carried_from == 0:
            earlier = (one for one in reversed(unplaced) if not found or one.seq < found[-1].seq)
            found += [one for one in earlier if _is_draw_of(one, dealt)][:1]
    return found


def _is_draw_of(one: ShoeEntry, dealt: RecordedCard) -> bool:
    """Whether this is a draw of that face; the face of an unread card is given later."""
    judged = one.entry
    if not isinstance(judged, EventVerdicts) or not isinstance(judged.event, CardDrawn):
        return False
    return judged.event.card in (None, dealt.card)


def _irregularity_coup(judged: EventVerdicts) -> int:
    """The coup that an irregularity of this card names; 0 for none."""
    found = (one.coup for one in judged.verdicts if isinstance(one, Irregularity))
    return max(found, default=0)


def _drawing_position(judged: EventVerdicts) -> int | None:
    """The card's position in the drawing order; None if no verdict gives one."""
    accepted = (one for one in judged.verdicts if isinstance(one, Accepted))
    return next((_ORDER[one.what] for one in accepted if one.what in _ORDER), None)


def match_draws(
    record: CoupRecord, entries: Sequence[ShoeEntry], coup_of: Mapping[int, int]
) -> Iterator[tuple[RecordedCard, ShoeEntry | None]]:
    """Each card of a coup's hands with the entry of its draw, in order.

    None for a card that was drawn in error in an earlier coup, or that was never reported.
    """
    drawn = [one for one in entries if coup_of.get(one.seq) == record.coup]
    for dealt in record.cards:
        found = None if dealt.carried_from else _drawn_as(dealt, drawn)
        if found is not None:
            # A card drawn before it and not matched is in no hand.
            drawn = drawn[drawn.index(found) + 1 :]
        yield dealt, found


def _drawn_as(dealt: RecordedCard, drawn: Sequence[ShoeEntry]) -> ShoeEntry | None:
    for one in drawn:
        judged = one.entry
        place = _drawing_position(judged) if isinstance(judged, EventVerdicts) else None
        if (place is None or HAND_PLACES[place] is dealt.place) and _is_draw_of(one, dealt):
            return one
    return None
