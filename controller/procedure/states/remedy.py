"""State of remedies in a shoe: cards drawn in error, burns for irregularities, cards turned up.

Source: S42 (k)(1)-(3); D-7, D-9 to D-14, D-22.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from controller.procedure.phases import Phase
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import Outcome
from controller.rules.profiles.rule_points import RulePoint


class ResultDeclaration(Struct, frozen=True):
    """The result as declared by the dealer."""

    outcome: Outcome
    player_pair: bool
    banker_pair: bool


class ErrorCard(Struct, frozen=True):
    """A card drawn in error, the `number`-th of its shoe; `coup`: drawn in it, 0 between coups.

    `third`: it was given to the Player's Hand without authority ((k)(1)). `sensed`: the table
    observes whether people saw the card; then `turned` says whether they did. `free`: the profile
    leaves the remedy to the floorperson. `in_error` False: it was drawn after such a card, for a
    hand or as a burn card, and is held with it; the decision places it by the order of drawing.
    `declared` is the result declared after such a card, before the next one.
    """

    card: Card | None
    claimed: Place
    coup: int
    number: int
    third: bool = False
    sensed: bool = False
    turned: bool = False
    free: bool = False
    in_error: bool = True
    declared: ResultDeclaration | None = None


class LastDrawn(StrEnum):
    """Where the card drawn last is, while it can still be reported as boxed."""

    NOTHING = "nothing"
    HAND = "hand"
    ERROR = "error"
    CARRIED = "carried"
    BURN = "burn"


class RemedyState(Struct, frozen=True):
    """Remedies of irregularities that are still to be carried out.

    `waiting` are cards drawn in error that a floorperson has not decided on; `carried` are held
    face down as the first cards of the next coup, in drawing order. `burn_return_phase` is the
    phase in which play resumes after a burn for an irregularity, None where none is in progress;
    `burn_taken` counts its cards. `burn_later` is owed before the next coup's first card;
    `unread_later`: so is an amount that could not be read. `burn_points` require these burns.
    """

    waiting: tuple[ErrorCard, ...] = ()
    carried: tuple[ErrorCard, ...] = ()
    burn_return_phase: Phase | None = None
    burn_taken: int = 0
    burn_later: int = 0
    unread_later: bool = False
    burn_points: tuple[RulePoint, ...] = ()

    @property
    def owes_burn(self) -> bool:
        return self.burn_later > 0 or self.unread_later

    @property
    def drawn_after(self) -> tuple[ErrorCard, ...]:
        """Cards held with the ones drawn in error, because they were drawn after them."""
        return tuple(one for one in self.waiting if not one.in_error)


NOTHING_TO_REMEDY: Final = RemedyState()


class RevealState(Struct, frozen=True):
    """What was turned up in a coup (`turned`, values of LayoutPart), and who may turn.

    `player_seat` and `banker_seat` have the right to turn that hand, 0 for the dealer or none yet;
    `player_given_up` and `banker_given_up` are seats that gave up the right for this coup.
    """

    turned: tuple[str, ...] = ()
    player_seat: int = 0
    banker_seat: int = 0
    player_given_up: tuple[int, ...] = ()
    banker_given_up: tuple[int, ...] = ()


UNTURNED: Final = RevealState()
