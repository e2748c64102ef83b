"""How a card of a batch stands: one of the places people name, told apart as far as proofs need.

Responsible for: the closed set of standings, the place each means, which of them say that a card
left the shoe in play, and how whole batches change standing at a moment of play.
Not responsible for: which card stands how (ledger) and for when those moments are (shoes, passing).
Source: NY-a-4-iv-b-same to NY-a-4-iv-e, S42-a-4-iii-same to S42-a-4-vi; package README, "Places".

Decisions. A place alone does not prove enough: a card in the discard rack since this coup may be
seen on the layout once more, one from an earlier coup may not; a card that nobody can place any
more has left the shoe or has not. So one byte a card says both, and no second list can contradict.
"""

from collections.abc import Mapping
from enum import IntEnum, StrEnum
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


class Standing(IntEnum):
    """The codes are stored: none is changed or used again."""

    SHUFFLER = 0
    CARTON = 1
    QUARANTINE = 2
    SHOE = 3
    PASSED = 4  # left by the exit, not placed yet
    PLAYER = 5
    BANKER = 6
    ASIDE = 7
    CUT_CARD_OUT = 8  # a cut card that came out lies on the table
    BURN = 9  # since the hands were last cleared
    BURN_BEFORE = 10
    RACK_LAST = 11  # taken to be in the rack since the hands were last cleared
    RACK = 12  # read in the rack, or there from an earlier coup
    CLEARED_LAST = 13  # left the hands with the last coup, to be read in the rack
    CLEARED_BEFORE = 14  # as above, with an earlier coup
    LOST = 15  # left the shoe in play; where it is nobody knows
    ABSENT = 16  # lost in an earlier shoe
    UNSURE = 17  # read at the exit among others: one of them left
    UNKNOWN = 18


PLACE_OF: Final = (
    Whereabouts.SHUFFLER,
    Whereabouts.CARTON,
    Whereabouts.QUARANTINE,
    Whereabouts.SHOE,
    Whereabouts.UNKNOWN,
    Whereabouts.PLAYER,
    Whereabouts.BANKER,
    Whereabouts.ASIDE,
    Whereabouts.ASIDE,
    Whereabouts.BURN,
    Whereabouts.BURN,
    Whereabouts.DISCARD_RACK,
    Whereabouts.DISCARD_RACK,
    Whereabouts.UNKNOWN,
    Whereabouts.UNKNOWN,
    Whereabouts.UNKNOWN,
    Whereabouts.UNKNOWN,
    Whereabouts.UNKNOWN,
    Whereabouts.UNKNOWN,
)
_KNOWN: Final = len(Standing)
KNOWN_CODES: Final = bytes(range(_KNOWN))
STANDINGS_AT: Final = MappingProxyType(
    {
        place: tuple(standing for standing in Standing if PLACE_OF[standing] is place)
        for place in Whereabouts
    }
)
# What is said of a card by somebody who names only its place.
PLAIN: Final = MappingProxyType(
    {
        Whereabouts.SHUFFLER: Standing.SHUFFLER,
        Whereabouts.SHOE: Standing.SHOE,
        Whereabouts.PLAYER: Standing.PLAYER,
        Whereabouts.BANKER: Standing.BANKER,
        Whereabouts.ASIDE: Standing.ASIDE,
        Whereabouts.BURN: Standing.BURN,
        Whereabouts.DISCARD_RACK: Standing.RACK,
        Whereabouts.CARTON: Standing.CARTON,
        Whereabouts.QUARANTINE: Standing.QUARANTINE,
        Whereabouts.UNKNOWN: Standing.UNKNOWN,
    }
)

# On the table at this moment: out of the shoe in play, and not cleared away.
ON_TABLE: Final = (
    Standing.PASSED,
    Standing.PLAYER,
    Standing.BANKER,
    Standing.ASIDE,
    Standing.BURN,
)
# Left the shoe in play, and is not to be on the table any more.
LEFT_BEFORE: Final = (
    Standing.BURN_BEFORE,
    Standing.RACK_LAST,
    Standing.RACK,
    Standing.CLEARED_LAST,
    Standing.CLEARED_BEFORE,
    Standing.LOST,
)
DRAWN: Final = ON_TABLE + LEFT_BEFORE
IN_RACK: Final = (Standing.RACK_LAST, Standing.RACK)
# A card that people may still be clearing away: its late sight at a hand proves nothing.
CLEARING: Final = (Standing.ASIDE, Standing.BURN, Standing.RACK_LAST, Standing.CLEARED_LAST)


def moving(changes: Mapping[Standing, Standing]) -> bytes:
    """The table, for bytes.translate, by which every card of a batch changes its standing."""
    return bytes(
        changes.get(Standing(code), code) if code < _KNOWN else code for code in range(256)
    )


# The hands are cleared away.
_CLEARED: Final = MappingProxyType(
    {
        Standing.RACK_LAST: Standing.RACK,
        Standing.CLEARED_LAST: Standing.CLEARED_BEFORE,
        Standing.BURN: Standing.BURN_BEFORE,
        Standing.PASSED: Standing.LOST,
    }
)
CLEARED_UNREAD: Final = moving(
    {**_CLEARED, Standing.PLAYER: Standing.RACK_LAST, Standing.BANKER: Standing.RACK_LAST}
)
CLEARED_TO_READ: Final = moving(
    {**_CLEARED, Standing.PLAYER: Standing.CLEARED_LAST, Standing.BANKER: Standing.CLEARED_LAST}
)

# The burn begins anew.
BURN_RACKED: Final = moving(
    {Standing.BURN: Standing.RACK_LAST, Standing.BURN_BEFORE: Standing.RACK}
)

# A shoe ends: what lies on the table goes to the rack, what is still in the shoe stays in it.
SHOE_ENDED: Final = moving(
    {
        Standing.PASSED: Standing.RACK,
        Standing.PLAYER: Standing.RACK,
        Standing.BANKER: Standing.RACK,
        Standing.ASIDE: Standing.RACK,
        Standing.BURN: Standing.RACK,
        Standing.BURN_BEFORE: Standing.RACK,
        Standing.RACK_LAST: Standing.RACK,
    }
)

# The next shoe opens: cards of the one before were gathered, and nobody said where they went.
SHOE_OPENED: Final = moving(
    {
        **dict.fromkeys(DRAWN, Standing.UNKNOWN),
        Standing.CUT_CARD_OUT: Standing.UNKNOWN,
        Standing.UNSURE: Standing.UNKNOWN,
        Standing.LOST: Standing.ABSENT,
    }
)

# This batch is in the shoe in play: all of it but what already left that shoe and what is set
# apart.
_INTO_SHOE: Final = MappingProxyType(
    {
        Standing.SHUFFLER: Standing.SHOE,
        Standing.CARTON: Standing.SHOE,
        Standing.ABSENT: Standing.SHOE,
        Standing.UNKNOWN: Standing.SHOE,
    }
)
INTO_SHOE: Final = moving(_INTO_SHOE)
ALL_INTO_SHOE: Final = moving({**_INTO_SHOE, Standing.QUARANTINE: Standing.SHOE})
NOT_IN_SHOE: Final = moving({Standing.SHOE: Standing.UNKNOWN})
