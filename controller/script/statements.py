"""Statements of a dealing script, as values.

Responsible for: the shape of a statement. Most say a domain event as it stands; a few say cards
whose event depends on what was dealt before.
Not responsible for: reading them (parser), writing them (printer) and what happens (happenings).
Source: package README.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

from controller.procedure.events import DomainEvent
from controller.rules.cards import Card
from controller.rules.hands import HandName

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


Said: TypeAlias = Burn | HandCard | DueCard | DomainEvent


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said, and where in the script; lines and columns count from 1."""

    line: int
    column: int
    said: Said
