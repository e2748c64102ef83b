"""Where the cards are, as people may know it: numbers by place, and what custody found.

Responsible for: plain values (JSON) of each batch's cards by place; a found card's face, identity
and way only where people have seen it.
Not responsible for: what is shown of a coup (coup_view).
Source: package README, "Disclosure", "Snapshot"; D-8.

Decisions. The two hands are counted as one place: which of them a third card is due follows from
cards that may lie face down. Of a card that is not proven to be one that people saw nothing is
shown but the code, the step and its back; the record has the rest.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

from controller.custody.card_states import Whereabouts
from controller.custody.findings import Finding, FindingCode
from controller.custody.state import CustodyState, counts
from controller.procedure.rulebook import RuleBook
from controller.procedure.state import CoupState, OpenIrregularity, ShoeState
from controller.views.coup import card_text
from controller.views.disclosure import (
    HIDDEN_CARD,
    burn_card_disclosed,
    coup_disclosed,
    errors_disclosed,
    record_disclosed,
)

Plain: TypeAlias = dict[str, object]

HANDS: Final = "hands"
_OF_THE_HANDS: Final = (Whereabouts.PLAYER, Whereabouts.BANKER)
# Proven by the card that has just been drawn.
_OF_THE_DRAWN: Final = (
    FindingCode.FOREIGN_CARD,
    FindingCode.WRONG_BATCH,
    FindingCode.BATCH_REPEATED,
    FindingCode.BATCH_BLOCKED,
    FindingCode.DUPLICATE_CARD,
    FindingCode.CARD_RETURNED,
    FindingCode.TOO_MANY_OF_A_CARD,
)
# Their words say where a card was, to which hand it belonged too.
_TELLING_A_PLACE: Final = (
    FindingCode.DUPLICATE_CARD,
    FindingCode.CARD_RETURNED,
    FindingCode.CARD_MISPLACED,
    FindingCode.CARD_NOT_DRAWN,
)


def custody_view(state: CustodyState) -> Plain:
    """Counts alone: which card is where tells of cards nobody has seen."""
    shoe = state.shoe
    in_play = shoe.in_play if shoe is not None else ""
    return {
        "batches": [
            {
                "batch": one.batch,
                "back": one.back,
                "in_play": one.batch == in_play,
                "blocked": one.blocked,
                "cards": dict(told_places(one.places)),
            }
            for one in counts(state)
        ],
        "unread": shoe.unread if shoe is not None else 0,
    }


def told_places(
    places: Iterable[tuple[Whereabouts, int]],
) -> tuple[tuple[str, int], ...]:
    """Cards by place as people may know it, each place once."""
    told: dict[str, int] = {}
    for place, count in places:
        name = HANDS if place in _OF_THE_HANDS else place.value
        told[name] = told.get(name, 0) + count
    return tuple(told.items())


def finding_view(finding: Finding, *, seen: bool) -> Plain:
    """What was found, at which step; the card's face and identity only once people saw it."""
    told = seen or finding.code not in _TELLING_A_PLACE
    return {
        "code": finding.code.value,
        "step": finding.step,
        "detail": finding.detail if told else "",
        "back": finding.back,
        "card": card_text(finding.card) if seen else HIDDEN_CARD,
        "tag": finding.tag if seen else "",
    }


def found_card_seen(book: RuleBook, shoe: ShoeState | None, one: OpenIrregularity) -> bool:
    """Whether people have seen the card that an irregularity of custody is about."""
    if one.finding is None or one.finding.code not in _OF_THE_DRAWN:
        return False
    if shoe is None or one.provisional:
        return False
    coup, last = shoe.coup, shoe.last_coup
    if coup is not None and coup.number == one.coup:
        return _all_of_it_seen(book, shoe, coup)
    if last is not None and last.coup == one.coup:
        return record_disclosed(book, last) and not last.aside and not last.suspended_cards
    burned = range(len(shoe.burn_cards))
    return not shoe.coups_begun and all(burn_card_disclosed(book, index) for index in burned)


def _all_of_it_seen(book: RuleBook, shoe: ShoeState, coup: CoupState) -> bool:
    """Whether no card of a coup lies face down, in a hand or drawn in error."""
    waiting = [error for error in shoe.remedy.waiting if error.coup == coup.number]
    held = [error for error in shoe.remedy.carried if error.coup == coup.number]
    seen = coup_disclosed(book, coup) and errors_disclosed(coup)
    return seen and not held and all(error.turned for error in waiting)
