"""What the answer of a phase to a trigger can be: an edge, a breach, or nothing.

Source: controller/procedure/README.md, "The procedure".
"""

from collections.abc import Mapping
from enum import Enum, StrEnum, auto
from typing import TypeAlias

from msgspec import Struct

from controller.procedure.irregularities.codes import IrregularityCode
from controller.procedure.phases import Phase, Trigger
from controller.rules.coup import Place
from firmware_bridge.message import Message


class Handling(Enum):
    """What is done with a happening; the room `dealing` has a function for each."""

    NOTHING = auto()
    # A card of no shoe in play, or of another shoe.
    OPEN_SHOE = auto()
    NOTE_NEXT_SHOE = auto()
    JOIN_SHOE = auto()
    JOIN_SHOE_IN_BURN = auto()
    RACK = auto()
    # A card of a burn.
    FIRST_BURN_CARD = auto()
    BURN_CARD = auto()
    UNCOUNTED_BURN_CARD = auto()
    REMEDY_BURN_CARD = auto()
    UNCOUNTED_REMEDY_CARD = auto()
    OWED_BURN_CARD = auto()
    ANNOUNCED_BURN_CARD = auto()
    # A card of a coup, or in error.
    FIRST_CARD = auto()
    JOIN_COUP = auto()
    DUE_CARD = auto()
    PARTIAL_CARD = auto()
    HOLD = auto()
    HOLD_AFTER = auto()
    HOLD_FIRST_AFTER = auto()
    # What comes before a card or call: then it is asked again, in the phase that follows.
    END_BURN = auto()
    END_REMEDY_BURN = auto()
    OPEN_HELD_COUP = auto()
    CLOSE_COUP = auto()
    CLOSE_BEFORE_NEXT_SHOE = auto()
    LEAVE_COUP = auto()
    LEAVE_PARTIAL = auto()
    RESUME_COUP = auto()
    # A cut card.
    JOIN_SHOE_AT_CUT = auto()
    MISPLACED_CUT = auto()
    CUT_BEFORE_COUP = auto()
    CUT_IN_COUP = auto()
    CUT_ASIDE = auto()
    EXTRA_CUT = auto()
    EXHAUST = auto()
    EXHAUST_IN_BURN = auto()
    EXHAUST_BETWEEN = auto()
    # "No more bets".
    CLOSE_BETTING = auto()
    SAY_FIRST_BURN = auto()
    SAY_BURN = auto()
    SAY_OVER = auto()
    # A result, a forced exit, stand-by.
    COMPARE_RESULT = auto()
    PARTIAL_RESULT = auto()
    KEEP_RESULT = auto()
    RESULT_ALONE = auto()
    FORCE_OUT = auto()
    RESTART_COUNT = auto()
    STAND_BY_PARTIAL = auto()
    STAND_BY_COMPLETE = auto()
    # A device that starts, reports that are missing.
    BEGIN_NEXT_SHOE = auto()
    RESTART_IDLE = auto()
    RESTART = auto()
    REPLACE_PROGRAM = auto()
    LOSE_BURN = auto()
    LOSE_BOXED_BURN = auto()
    LOSE_REMEDY_BURN = auto()
    LOSE_COUP_BURN = auto()
    LOSE_HELD_CARDS = auto()
    LOSE_COUP = auto()
    LOSE_NOTHING = auto()


class Condition(StrEnum):
    """A fact of the shoe, no phase, by which another cell of the row answers."""

    SHOE_COUNT = "shoe_count"  # the shoe's own count explains its claim
    NOTHING_MISSING = "nothing_missing"  # no report since the last coup or burn
    NO_COUP_BEGUN = "no_coup_begun"
    BURN_OWED = "burn_owed"  # before the next coup
    NEXT_SHOE = "next_shoe"  # the card begins the next shoe
    NONE_DRAWN = "none_drawn"  # no card was drawn from this shoe
    CARD_WAITS = "card_waits"  # a card drawn in error keeps the next coup from beginning
    DRAWN_AFTER = "drawn_after"  # ... and cards were drawn after it
    HAND_HELD = "hand_held"  # ... and they can be a whole hand
    CARRIED = "carried"  # cards are held for the next coup
    ANOTHER_COUP = "another_coup"  # the claimed place cannot belong to the partial coup
    UNSEEN_COUP = "unseen_coup"  # ... nor to the first four cards of the next one
    COUNT_OFF = "count_off"  # the shoe counts a card that is in no hand
    CUT_CARD_OUT = "cut_card_out"  # a cut card came out in play
    HELD_IN_DEALING = "held_in_dealing"  # cards were drawn after one in error


Unless: TypeAlias = tuple[tuple[Condition, Trigger], ...]


class _Answer(Struct, frozen=True, kw_only=True):
    """What every cell may say beside its answer.

    `again`: the happening is asked again in the phase that follows, as the trigger `asks` if there
    is one. `reads`: the place of a card that the shoe reports without one. `unless`: under the
    first condition that holds, the cell of that trigger in the same phase answers instead.
    """

    again: bool = False
    asks: Trigger | None = None
    reads: Place | None = None
    unless: Unless = ()


class Lawful(_Answer, frozen=True):
    """An edge, and what is done."""

    then: Handling


class Breach(_Answer, frozen=True):
    """No edge: an irregularity, and how play goes on all the same."""

    code: IrregularityCode
    then: Handling


class Nothing(_Answer, frozen=True):
    """No edge and no irregularity: why the happening has no effect here."""

    reason: Message
    then: Handling = Handling.NOTHING


Cell: TypeAlias = Lawful | Breach | Nothing
Grid: TypeAlias = Mapping[tuple[Phase, Trigger], Cell]
