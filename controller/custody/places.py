"""Where a card can be: each card of a batch is in exactly one of these places.

Responsible for: the closed set of places, and their words.
Not responsible for: which card is where (ledger).
Source: NY-a-4-iv-b-same to NY-a-4-iv-e, S42-a-4-iii-same to S42-a-4-vi; field practice, "card
conservation".
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Whereabouts(StrEnum):
    SHUFFLER = "shuffler"
    SHOE = "shoe"
    PLAYER = "player"
    BANKER = "banker"
    ASIDE = "aside"  # drawn in error, on the table in neither hand
    BURN = "burn"
    DISCARD_RACK = "discard_rack"
    CARTON = "carton"
    QUARANTINE = "quarantine"
    UNKNOWN = "unknown"


PLACE_WORDS: Final = MappingProxyType(
    {
        Whereabouts.SHUFFLER: "in the shuffler",
        Whereabouts.SHOE: "in the dealing shoe",
        Whereabouts.PLAYER: "in the Player's Hand",
        Whereabouts.BANKER: "in the Banker's Hand",
        Whereabouts.ASIDE: "on the table in neither hand",
        Whereabouts.BURN: "among the burn cards",
        Whereabouts.DISCARD_RACK: "in the discard rack",
        Whereabouts.CARTON: "in its carton",
        Whereabouts.QUARANTINE: "set apart",
        Whereabouts.UNKNOWN: "at a place nobody knows",
    }
)
