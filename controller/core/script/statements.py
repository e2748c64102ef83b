"""The statements of a dealing script, as values.

Most statements are a domain event or an action as it is. The events of a few cards depend on the
cards before them.
"""

from typing import Final, Generic, TypeAlias, TypeVar

from msgspec import Struct

from controller.procedure.events import (
    AdvisoryRaised,
    GamingDayChanged,
    PlayEvent,
    ShufflerDisconnected,
    ShufflerEventsLost,
)
from controller.rules.actions.actions import Action, OperatorAction
from controller.rules.cards import Card
from controller.rules.hands import HandName
from drivers.shuffler_events import (
    CompartmentChanged,
    DoorMoved,
    JamReported,
    ModeChanged,
    ResidualCards,
    ShuffleAborted,
    ShuffleResult,
    ShufflerWarning,
    ShuffleStarted,
)

UNREAD: Final = "??"
FURTHER_MAX: Final = 416

# The person where a statement names nobody.
FLOORPERSON: Final = "Ann Lee"
DEALER: Final = "Dee Dealer"
PATRON: Final = "Pat Chen"
CLERK: Final = "Cleo Clark"


class Burn(Struct, frozen=True):
    """A first burn card and further ones; None is a card whose face is not given."""

    first: Card | None
    further: tuple[Card | None, ...]


class HandCard(Struct, frozen=True):
    """A card that the shoe claims for a hand; `number` 0: numbered as the shoe counts."""

    hand: HandName
    number: int
    card: Card | None


class DueCard(Struct, frozen=True):
    """A card without a claim: it takes the place that is due."""

    card: Card | None


class ShuffleFinished(Struct, frozen=True):
    """A shuffle ended, with its proof."""

    compartment: int
    cycle: int
    cards: int
    back: str
    result: ShuffleResult
    genuine: bool


class IdentityConfirmed(Struct, frozen=True):
    """The shuffler is the paired one; `bare`: it has no identity and is accepted without."""

    bare: bool


ScriptedShufflerEvent: TypeAlias = (
    ShuffleFinished
    | IdentityConfirmed
    | CompartmentChanged
    | ShuffleStarted
    | ShuffleAborted
    | DoorMoved
    | JamReported
    | ResidualCards
    | ModeChanged
    | ShufflerWarning
)


class ShufflerStatement(Struct, frozen=True):
    """An event that the shuffler reports, `at_ns` after the beginning of the script."""

    event: ScriptedShufflerEvent
    at_ns: int


StatementBody: TypeAlias = (
    Burn
    | HandCard
    | DueCard
    | ShufflerStatement
    | PlayEvent
    | OperatorAction[Action]
    | ShufflerEventsLost
    | ShufflerDisconnected
    | GamingDayChanged
    | AdvisoryRaised
)


BodyT = TypeVar("BodyT", covariant=True)


class Statement(Struct, Generic[BodyT], frozen=True):
    """A statement and where it begins in the script; lines and columns count from 1.

    `text` are its words as they were written.
    """

    line: int
    column: int
    body: BodyT
    text: str = ""


DealingStatement: TypeAlias = Statement[StatementBody]
