"""What a floorperson may decide while the table is suspended.

Source: D-32 (a person clears every irregularity); remedies S42 (k).
"""

from enum import StrEnum

from msgspec import Struct

from controller.rules.outcome import Outcome


class FloorDecision(StrEnum):
    """What happens to the coup in which the irregularity occurred."""

    CONTINUE = "continue"  # play continues by the rules
    CARRY = "carry-card"  # as continue; a card drawn in error is the next hand's first card
    BURN = (
        "burn-card"  # as continue; a card drawn in error is burned, and as many cards as its amount
    )
    VOID_COUP = "void-coup"  # the coup is void, its cards go to the discard rack
    STATE_OUTCOME = "state-outcome"  # the floorperson states the outcome of a partial coup
    CLOSE_SHOE = "close-shoe"  # the shoe ends here; an open coup is void


class Provisional(StrEnum):
    """What happens to the cards dealt while the table was suspended."""

    TAKE_OVER = "take-over"
    VOID = "void"


class Resolution(Struct, frozen=True, forbid_unknown_fields=True):
    """A floorperson's decision.

    `provisional` is required when cards were dealt while suspended, `outcome` when a person states
    the outcome of a partial coup, `second` the second person where the coup is made void against a
    prescribed remedy (D-43).
    """

    decision: FloorDecision
    provisional: Provisional | None = None
    outcome: Outcome | None = None
    second: str = ""
