"""Snapshot part: number of cards by place, and custody findings.

Both hands are counted as one place, because the hand that draws a third card follows from cards
that may lie face down. A finding about a card that people have not seen shows only its code, step
and back; the record has the rest.
Source: D-8.
"""

from collections.abc import Iterable
from typing import Final

from controller.custody.card_states import CardPlace
from controller.custody.findings import Finding, FindingCode
from controller.custody.state import CustodyState, batch_counts
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, OpenIrregularity, ShoeState
from controller.record.disclosure import (
    burn_card_withheld,
    card_fact,
    coup_withheld,
    errors_withheld,
    record_withheld,
    shown_card,
)
from controller.record.snapshot import FindingView, Withheld
from controller.record.snapshot_devices import BatchCardsView, CardsView, CustodyView
from controller.system.messages.catalogue import to_words

HANDS: Final = "hands"
_HAND_PLACES: Final = (CardPlace.PLAYER, CardPlace.BANKER)
# Findings about the card that has just been drawn.
_DRAWN_CARD_CODES: Final = (
    FindingCode.FOREIGN_CARD,
    FindingCode.WRONG_BATCH,
    FindingCode.BATCH_REPEATED,
    FindingCode.BATCH_BLOCKED,
    FindingCode.DUPLICATE_CARD,
    FindingCode.CARD_RETURNED,
    FindingCode.TOO_MANY_OF_A_CARD,
)
# Findings whose text names the card's place, which may be a hand.
_PLACE_NAMING_CODES: Final = (
    FindingCode.DUPLICATE_CARD,
    FindingCode.CARD_RETURNED,
    FindingCode.CARD_MISPLACED,
    FindingCode.CARD_NOT_DRAWN,
)


def custody_view(state: CustodyState) -> CustodyView:
    """Counts only: which card is where would reveal cards nobody has seen."""
    shoe = state.shoe
    in_play = shoe.in_play if shoe is not None else ""
    batches = (
        BatchCardsView(
            batch=one.batch,
            back=one.back,
            in_play=one.batch == in_play,
            blocked="" if one.blocked is None else to_words(one.blocked),
            cards=CardsView(**dict(disclosed_places(one.places))),
        )
        for one in batch_counts(state)
    )
    return CustodyView(tuple(batches), unread=shoe.unread if shoe is not None else 0)


def disclosed_places(
    places: Iterable[tuple[CardPlace, int]],
) -> tuple[tuple[str, int], ...]:
    """Number of cards by place, each place once, both hands as one place."""
    totals: dict[str, int] = {}
    for place, count in places:
        name = HANDS if place in _HAND_PLACES else place.value
        totals[name] = totals.get(name, 0) + count
    return tuple(totals.items())


def finding_view(finding: Finding, *, seen: bool) -> FindingView:
    """A finding; the card's face and identity only if `seen`: people have seen the card."""
    withheld = None if seen else Withheld.FACE_DOWN
    names_place = finding.code in _PLACE_NAMING_CODES
    return FindingView(
        code=finding.code.value,
        step=to_words(finding.step),
        back=finding.back,
        detail=card_fact(to_words(finding.detail), withheld if names_place else None),
        card=shown_card(finding.card, withheld),
        tag=card_fact(finding.tag, withheld),
    )


def found_card_seen(book: RuleBook, shoe: ShoeState | None, one: OpenIrregularity) -> bool:
    """Whether people have seen the card of a custody irregularity."""
    if one.finding is None or one.finding.code not in _DRAWN_CARD_CODES:
        return False
    if shoe is None or one.provisional:
        return False
    coup, last = shoe.coup, shoe.last_coup
    if coup is not None and coup.number == one.coup:
        return _all_cards_seen(book, shoe, coup)
    if last is not None and last.coup == one.coup:
        return record_withheld(book, last) is None and not last.aside and not last.suspended_cards
    burned = range(len(shoe.burn_cards))
    return not shoe.coups_begun and not any(burn_card_withheld(book, index) for index in burned)


def _all_cards_seen(book: RuleBook, shoe: ShoeState, coup: CoupState) -> bool:
    """Whether no card of a coup lies face down, in a hand or drawn in error."""
    waiting = [error for error in shoe.remedy.waiting if error.coup == coup.number]
    held = [error for error in shoe.remedy.carried if error.coup == coup.number]
    withheld = coup_withheld(book, coup) or errors_withheld(coup)
    return not withheld and not held and all(error.turned for error in waiting)
