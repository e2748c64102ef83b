"""Statements of a dealing script, as values.

Responsible for: the shape of a statement. Most say a domain event as it stands; a few say cards
whose event depends on what was dealt before.
Not responsible for: reading them (parser), writing them (printer) and what happens (happenings).
Source: package README.
"""

from typing import Final, TypeAlias

from controller.procedure.events import (
    FollowedEvent,
    GamingDayTurned,
    IrregularityResolved,
    PersonsEvent,
    ShoeClosedByPerson,
    ShufflerEventsLost,
    ShufflerGone,
    WarningCleared,
)
from controller.rules.cards import Card
from controller.rules.hands import HandName
from drivers.shuffler_events import (
    CompartmentChanged,
    DoorMoved,
    JamReported,
    ModeChanged,
    ResidualCards,
    ShuffleAborted,
    ShuffleBegan,
    ShuffleResult,
    ShufflerWarning,
)
from firmware_bridge.values import dataclass

UNREAD: Final = "??"
FURTHER_MAX: Final = 416

# Who speaks where a script names nobody.
FLOORPERSON: Final = "Ann Lee"
DEALER: Final = "Dee Dealer"
PATRON: Final = "Pat Chen"
CLERK: Final = "Cleo Clark"


@dataclass(frozen=True, slots=True)
class Burn:
    """A first burn card and further ones; None is a card whose face is not told."""

    first: Card | None
    further: tuple[Card | None, ...]


@dataclass(frozen=True, slots=True)
class HandCard:
    """A card with the shoe's belief of its hand; `number` 0 is counted as a shoe counts."""

    hand: HandName
    number: int
    card: Card | None


@dataclass(frozen=True, slots=True)
class DueCard:
    """A card without a belief: it takes the place that is due."""

    card: Card | None


@dataclass(frozen=True, slots=True)
class Shuffled:
    """A shuffle came to its end, with its proof."""

    compartment: int
    cycle: int
    cards: int
    back: str
    result: ShuffleResult
    genuine: bool


@dataclass(frozen=True, slots=True)
class Proven:
    """The shuffler is the one that was paired; `bare`: it has no identity and is let in."""

    bare: bool


ShufflerStatement: TypeAlias = (
    Shuffled
    | Proven
    | CompartmentChanged
    | ShuffleBegan
    | ShuffleAborted
    | DoorMoved
    | JamReported
    | ResidualCards
    | ModeChanged
    | ShufflerWarning
)


@dataclass(frozen=True, slots=True)
class ShufflerSaid:
    """The shuffler tells something, so long after the script began."""

    event: ShufflerStatement
    at_ns: int


Said: TypeAlias = (
    Burn
    | HandCard
    | DueCard
    | ShufflerSaid
    | FollowedEvent
    | PersonsEvent
    | ShufflerEventsLost
    | ShufflerGone
    | WarningCleared
    | GamingDayTurned
    | ShoeClosedByPerson
    | IrregularityResolved
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said, and where in the script; lines and columns count from 1."""

    line: int
    column: int
    said: Said
