"""Domain events: what happened at our table.

Responsible for: the closed set of happenings the procedure judges, in the table's own words.
Not responsible for: what a vendor's shoe calls them (controller.intake turns one into the other).
Source: package README, "Domain events".
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from controller.procedure.decisions import Resolution
from controller.rules.cards import Card
from controller.rules.coup import Place
from controller.rules.outcome import Outcome


@dataclass(frozen=True, slots=True)
class GamingDayTurned:
    """The gaming day that the next shoe will belong to, as YYYY-MM-DD."""

    day: str


@dataclass(frozen=True, slots=True)
class ShoeDeviceStarted:
    """The dealing shoe booted or was reset."""


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A card left the shoe for the first time; `card` is None where it could not be read."""

    card: Card | None
    claimed: Place


@dataclass(frozen=True, slots=True)
class CardRepeated:
    """The shoe says again what it has said of a card."""

    card: Card | None
    claimed: Place


@dataclass(frozen=True, slots=True)
class CutCardDrawn:
    """A cut card left the shoe."""


@dataclass(frozen=True, slots=True)
class ResultDeclared:
    """The dealer declared the result."""

    outcome: Outcome
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class CoupForcedOut:
    """The dealer left the coup by the shoe's forced exit."""


@dataclass(frozen=True, slots=True)
class ShoeStandsBy:
    """The shoe waits between coups."""


class Loss(StrEnum):
    """Why reports may be missing."""

    GAP = "gap"
    UNPROVEN = "unproven"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class ReportsMissing:
    """Reports of the shoe may be missing before the next event."""

    loss: Loss
    count_min: int


@dataclass(frozen=True, slots=True)
class NoMoreBetsCalled:
    """The dealer called "no more bets"."""


@dataclass(frozen=True, slots=True)
class ShoeClosedByPerson:
    """A named person closes the shoe before its end (dead table, early change)."""

    person: str
    reason: str


@dataclass(frozen=True, slots=True)
class IrregularityResolved:
    """A floorperson decided what becomes of the irregularities that are open."""

    person: str
    reason: str
    resolution: Resolution


@dataclass(frozen=True, slots=True)
class ProgramReplaced:
    """Another software version takes over while a shoe is open; the coup is closed as partial."""

    software: str


# Judged by the same rules whether the table is suspended or not.
FollowedEvent: TypeAlias = (
    ShoeDeviceStarted
    | CardDrawn
    | CardRepeated
    | CutCardDrawn
    | ResultDeclared
    | CoupForcedOut
    | ShoeStandsBy
    | ReportsMissing
    | NoMoreBetsCalled
    | ProgramReplaced
)
DomainEvent: TypeAlias = FollowedEvent | GamingDayTurned | ShoeClosedByPerson | IrregularityResolved
