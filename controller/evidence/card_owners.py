"""Which coup each card of a shoe was dealt to, as the verdicts on the cards say it.

Responsible for: following the cards of one shoe through the coups, also those dealt while play was
suspended, and finding the record of each card of a finished coup.
Not responsible for: the rows of the sealed file, which a screen reads (card_rows), and for what is
shown of a card (evidence_coup).
Source: package README, "Evidence bundle".

Decisions. Rows are not used here: where play was suspended they are a help for screens, and a page
about a dispute asks for the records themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from controller.evidence.sealed_shoe import Told
from controller.procedure.effects import CoupClosed, CoupRecord, RecordedCard, ShoeOpened
from controller.procedure.events import CardDrawn
from controller.procedure.places import HAND_PLACES, WORDS
from controller.procedure.verdicts import Accepted, Irregularity
from controller.tape.entries import Judged

# What a verdict says of a card in order, and where in the order of drawing that is.
_ORDER: Final = {WORDS[place]: number for number, place in enumerate(HAND_PLACES)}
_BEFORE_THE_FIRST: Final = -1


def coups_of_cards(told: Sequence[Told], shoe: int) -> dict[int, int]:
    """The coup of each card, by the record that tells of it; burn cards have none."""
    coup_of: dict[int, int] = {}
    newest, at, over = 0, _BEFORE_THE_FIRST, True
    for one in told:
        match one.entry:
            case ShoeOpened():
                newest, over = 0, True
            case CoupClosed(record=record) if record.shoe == shoe and record.coup >= newest:
                newest, over = record.coup, True
            case Judged(event=CardDrawn()) as judged:
                named, place = _named(judged), _place(judged)
                if named > newest or (place is not None and (over or place <= at)):
                    newest = max(named, newest + 1) if named <= newest else named
                    at, over = _BEFORE_THE_FIRST, False
                if named or place is not None:
                    coup_of[one.seq] = named or newest
                at = at if place is None else place
            case _:
                pass
    return coup_of


def _named(judged: Judged) -> int:
    """The coup that an irregularity at this card names, 0 for none."""
    found = (one.coup for one in judged.verdicts if isinstance(one, Irregularity))
    return max(found, default=0)


def _place(judged: Judged) -> int | None:
    """Where in the order of drawing the card was taken to be."""
    accepted = (one for one in judged.verdicts if isinstance(one, Accepted))
    return next((_ORDER[one.what] for one in accepted if one.what in _ORDER), None)


def placed(
    record: CoupRecord, told: Sequence[Told], coup_of: Mapping[int, int]
) -> Iterator[tuple[RecordedCard, Told | None]]:
    """Each card of a coup's hands with the record that tells of its draw, in order.

    None for a card that was held from before the coup, or of which nothing was heard.
    """
    drawn = [one for one in told if coup_of.get(one.seq) == record.coup]
    for dealt in record.cards:
        found = None if dealt.carried_from is not None else _drawn_as(dealt, drawn)
        if found is not None:
            # What lies before it and was passed over is in no hand.
            drawn = drawn[drawn.index(found) + 1 :]
        yield dealt, found


def _drawn_as(dealt: RecordedCard, drawn: Sequence[Told]) -> Told | None:
    for one in drawn:
        judged = one.entry
        if not isinstance(judged, Judged) or not isinstance(judged.event, CardDrawn):
            continue
        place = _place(judged)
        if place is not None and HAND_PLACES[place] is not dealt.place:
            continue
        # A card that could not be read is told later by another record.
        if judged.event.card in (None, dealt.card):
            return one
    return None
