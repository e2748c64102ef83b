"""What a floorperson may decide while the table is suspended.

Responsible for: the closed set of decisions, as values.
Not responsible for: which of them an irregularity permits (catalogue) and what they do
(suspension).
Source: D-32 (every irregularity is cleared by a person); remedies S42 (k).
"""

from enum import StrEnum

from controller.rules.outcome import Outcome
from firmware_bridge.values import dataclass


class Decision(StrEnum):
    """What becomes of the coup in which the irregularity happened."""

    CONTINUE = "continue"  # play goes on from where it stands, by the rules
    CARRY = "carry-card"  # as continue; a card drawn in error is the next hand's first card
    BURN = "burn-card"  # as continue; a card drawn in error is burned, and its amount with it
    VOID_COUP = "void-coup"  # the coup is void, its cards go to the discard rack
    STATE_OUTCOME = "state-outcome"  # the floorperson states the outcome of a partial coup
    CLOSE_SHOE = "close-shoe"  # the shoe ends here; an open coup is void


class Provisional(StrEnum):
    """What becomes of the cards dealt while the table was suspended."""

    TAKE_OVER = "take-over"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Resolution:
    """One decision. `provisional` is needed when cards were dealt while suspended,

    `outcome` when a partial coup is to count by a person's word.
    """

    decision: Decision
    provisional: Provisional | None = None
    outcome: Outcome | None = None
