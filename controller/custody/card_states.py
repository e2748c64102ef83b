"""The possible states of one card of a batch, its place in each, and transition tables.

Source: NY-a-4-iv-b-same to NY-a-4-iv-e, S42-a-4-iii-same to S42-a-4-vi.

A place alone does not prove enough: a card in the discard rack since this coup may be read on the
layout once more, one from an earlier coup may not; a card at an unknown place has left the shoe or
has not. One byte per card records both, so no second list can contradict it.
"""

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Final

from foundation.message import message


class CardPlace(StrEnum):
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
        CardPlace.SHUFFLER: message("in_the_shuffler"),
        CardPlace.SHOE: message("in_the_dealing_shoe"),
        CardPlace.PLAYER: message("in_the_player_hand"),
        CardPlace.BANKER: message("in_the_banker_hand"),
        CardPlace.ASIDE: message("on_table_in_neither_hand"),
        CardPlace.BURN: message("among_the_burn_cards"),
        CardPlace.DISCARD_RACK: message("in_the_discard_rack"),
        CardPlace.CARTON: message("in_its_carton"),
        CardPlace.QUARANTINE: message("set_apart"),
        CardPlace.UNKNOWN: message("at_an_unknown_place"),
    }
)


class CardState(IntEnum):
    """The state of one card. The codes are stored: never change or reuse one."""

    SHUFFLER = 0
    CARTON = 1
    QUARANTINE = 2
    SHOE = 3
    PASSED = 4  # left by the exit, not yet assigned to a place
    PLAYER = 5
    BANKER = 6
    ASIDE = 7
    CUT_CARD_OUT = 8  # a cut card that left the shoe and lies on the table
    BURN = 9  # since the hands were last cleared
    BURN_BEFORE = 10
    RACK_LAST = 11  # assumed in the rack since the hands were last cleared
    RACK = 12  # read in the rack, or there from an earlier coup
    CLEARED_LAST = 13  # left the hands with the last coup, to be read in the rack
    CLEARED_BEFORE = 14  # as above, with an earlier coup
    LOST = 15  # left the shoe in play for an unknown place
    ABSENT = 16  # lost in an earlier shoe
    UNSURE = 17  # read at the exit together with others, of which one left
    UNKNOWN = 18


PLACE_OF: Final = (
    CardPlace.SHUFFLER,
    CardPlace.CARTON,
    CardPlace.QUARANTINE,
    CardPlace.SHOE,
    CardPlace.UNKNOWN,
    CardPlace.PLAYER,
    CardPlace.BANKER,
    CardPlace.ASIDE,
    CardPlace.ASIDE,
    CardPlace.BURN,
    CardPlace.BURN,
    CardPlace.DISCARD_RACK,
    CardPlace.DISCARD_RACK,
    CardPlace.UNKNOWN,
    CardPlace.UNKNOWN,
    CardPlace.UNKNOWN,
    CardPlace.UNKNOWN,
    CardPlace.UNKNOWN,
    CardPlace.UNKNOWN,
)
_KNOWN: Final = len(CardState)
KNOWN_CODES: Final = bytes(range(_KNOWN))
STATES_AT: Final = MappingProxyType(
    {
        place: tuple(standing for standing in CardState if PLACE_OF[standing] is place)
        for place in CardPlace
    }
)
# The state of a card of which only the place is known.
STATE_IN: Final = MappingProxyType(
    {
        CardPlace.SHUFFLER: CardState.SHUFFLER,
        CardPlace.SHOE: CardState.SHOE,
        CardPlace.PLAYER: CardState.PLAYER,
        CardPlace.BANKER: CardState.BANKER,
        CardPlace.ASIDE: CardState.ASIDE,
        CardPlace.BURN: CardState.BURN,
        CardPlace.DISCARD_RACK: CardState.RACK,
        CardPlace.CARTON: CardState.CARTON,
        CardPlace.QUARANTINE: CardState.QUARANTINE,
        CardPlace.UNKNOWN: CardState.UNKNOWN,
    }
)

# On the table at this moment: out of the shoe in play, and not cleared away.
ON_TABLE: Final = (
    CardState.PASSED,
    CardState.PLAYER,
    CardState.BANKER,
    CardState.ASIDE,
    CardState.BURN,
)
# Left the shoe in play, and is not to be on the table any more.
LEFT_BEFORE: Final = (
    CardState.BURN_BEFORE,
    CardState.RACK_LAST,
    CardState.RACK,
    CardState.CLEARED_LAST,
    CardState.CLEARED_BEFORE,
    CardState.LOST,
)
DRAWN: Final = ON_TABLE + LEFT_BEFORE
IN_RACK: Final = (CardState.RACK_LAST, CardState.RACK)
# People may still be clearing these cards away: a late read at a hand proves nothing.
CLEARING: Final = (CardState.ASIDE, CardState.BURN, CardState.RACK_LAST, CardState.CLEARED_LAST)


def transition_table(changes: Mapping[CardState, CardState]) -> bytes:
    """A table for bytes.translate that changes the state of every card of a batch."""
    return bytes(
        changes.get(CardState(code), code) if code < _KNOWN else code for code in range(256)
    )


# The hands are cleared away.
_CLEARED: Final = MappingProxyType(
    {
        CardState.RACK_LAST: CardState.RACK,
        CardState.CLEARED_LAST: CardState.CLEARED_BEFORE,
        CardState.BURN: CardState.BURN_BEFORE,
        CardState.PASSED: CardState.LOST,
    }
)
CLEARED_UNREAD: Final = transition_table(
    {**_CLEARED, CardState.PLAYER: CardState.RACK_LAST, CardState.BANKER: CardState.RACK_LAST}
)
CLEARED_TO_READ: Final = transition_table(
    {**_CLEARED, CardState.PLAYER: CardState.CLEARED_LAST, CardState.BANKER: CardState.CLEARED_LAST}
)
# The burn starts over.
BURN_RACKED: Final = transition_table(
    {CardState.BURN: CardState.RACK_LAST, CardState.BURN_BEFORE: CardState.RACK}
)

# A shoe ends: what lies on the table goes to the rack, what is still in the shoe stays in it.
SHOE_ENDED: Final = transition_table(
    {
        CardState.PASSED: CardState.RACK,
        CardState.PLAYER: CardState.RACK,
        CardState.BANKER: CardState.RACK,
        CardState.ASIDE: CardState.RACK,
        CardState.BURN: CardState.RACK,
        CardState.BURN_BEFORE: CardState.RACK,
        CardState.RACK_LAST: CardState.RACK,
    }
)

# The next shoe opens: cards of the last one were gathered, and their place was not recorded.
SHOE_OPENED: Final = transition_table(
    {
        **dict.fromkeys(DRAWN, CardState.UNKNOWN),
        CardState.CUT_CARD_OUT: CardState.UNKNOWN,
        CardState.UNSURE: CardState.UNKNOWN,
        CardState.LOST: CardState.ABSENT,
    }
)

# This batch is in the shoe in play, except cards that already left it or are set apart.
_INTO_SHOE: Final = MappingProxyType(
    {
        CardState.SHUFFLER: CardState.SHOE,
        CardState.CARTON: CardState.SHOE,
        CardState.ABSENT: CardState.SHOE,
        CardState.UNKNOWN: CardState.SHOE,
    }
)
INTO_SHOE: Final = transition_table(_INTO_SHOE)
ALL_INTO_SHOE: Final = transition_table({**_INTO_SHOE, CardState.QUARANTINE: CardState.SHOE})
NOT_IN_SHOE: Final = transition_table({CardState.SHOE: CardState.UNKNOWN})
