"""Cards drawn in error and burns that an irregularity asks for, as part of a shoe's state.

Responsible for: the shape of that part of the state.
Not responsible for: judging it (errors, remedy_burn, boxed) and for what people see (remedy_view).
Source: S42 (k)(1)-(3); D-7, D-9 to D-14, D-22.
"""

from enum import StrEnum
from typing import Final

from controller.procedure.phases import Phase
from controller.profiles.rule_points import RulePoint
from controller.rules.cards import Card
from controller.rules.coup import Place
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class ErrorCard:
    """A card drawn in error, in the coup of that number, 0 between coups.

    `third`: it was given to the Player's Hand without authority ((k)(1)). `sensed`: the table can
    tell whether people saw the card; then `turned` says whether they did. `free`: the profile
    leaves the remedy to the floorperson.
    """

    card: Card | None
    claimed: Place
    coup: int
    third: bool = False
    sensed: bool = False
    turned: bool = False
    free: bool = False


class LastDrawn(StrEnum):
    """Where the card drawn last is, while it can still be found to have lain face up."""

    NOTHING = "nothing"
    HAND = "hand"
    ERROR = "error"
    CARRIED = "carried"
    BURN = "burn"


@dataclass(frozen=True, slots=True)
class RemedyState:
    """What irregularities left to be done.

    `waiting` are cards drawn in error that a floorperson has not decided on; `carried` are held
    face down as the first cards of the next coup, in drawing order. `burn_back` is the phase that
    a burn for an irregularity goes back to, absent where none is under way; `burn_taken` counts
    its cards. `burn_later` is owed before the next coup's first card, with `unread_later` an
    amount on top that nobody could read. `burn_for` are the points that asked for these burns.
    """

    waiting: tuple[ErrorCard, ...] = ()
    carried: tuple[ErrorCard, ...] = ()
    burn_back: Phase | None = None
    burn_taken: int = 0
    burn_later: int = 0
    unread_later: bool = False
    burn_for: tuple[RulePoint, ...] = ()

    @property
    def owes_burn(self) -> bool:
        return self.burn_later > 0 or self.unread_later


NOTHING_TO_REMEDY: Final = RemedyState()


@dataclass(frozen=True, slots=True)
class RevealState:
    """`turned`: what was turned up, as words of TurnedCards.

    `player_seat`, `banker_seat` hold the right to turn that hand, 0 for the dealer or nobody yet;
    `given_up` are seats that gave the right up, by hand, for the rest of this coup.
    """

    turned: tuple[str, ...] = ()
    player_seat: int = 0
    banker_seat: int = 0
    player_given_up: tuple[int, ...] = ()
    banker_given_up: tuple[int, ...] = ()


UNTURNED: Final = RevealState()
