"""Where the cards are, as people may know it: numbers by place, and what custody found.

Responsible for: plain values (JSON) of each batch's cards by place; a found card's face only where
people have seen it.
Not responsible for: what is shown of a coup (coup_view).
Source: package README, "Disclosure", "Snapshot"; D-8.
"""

from typing import TypeAlias

from controller.coup_view import card_text
from controller.custody.findings import Finding
from controller.custody.state import CustodyState, counts
from controller.disclosure import HIDDEN_CARD

Plain: TypeAlias = dict[str, object]


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
                "cards": {place.value: count for place, count in one.places},
            }
            for one in counts(state)
        ],
        "unread": shoe.unread if shoe is not None else 0,
    }


def finding_view(finding: Finding, *, seen: bool) -> Plain:
    """What was found, at which step; the card's face and identity only once people saw it."""
    return {
        "code": finding.code.value,
        "step": finding.step,
        "detail": finding.detail,
        "back": finding.back,
        "card": card_text(finding.card) if seen else HIDDEN_CARD,
        "tag": finding.tag if seen else "",
    }
