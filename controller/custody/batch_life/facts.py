"""What people and play tell of whole batches, beside what the shuffler tells itself.

Responsible for: the closed set of these facts.
Not responsible for: what follows from them (following).
Source: NY (a)(4)(iv), (d); S42 (a)(4), (d), (e).
"""

from typing import TypeAlias

from drivers.shuffler_events import ShufflerEvent
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class GoesIn:
    """A person says that this batch goes into the shuffler now."""

    back: str


@dataclass(frozen=True, slots=True)
class HandShuffled:
    """A complete hand shuffle of this batch is on record."""

    back: str


@dataclass(frozen=True, slots=True)
class CutMade:
    """The released batch was cut."""


@dataclass(frozen=True, slots=True)
class PutIntoShoe:
    """A person recorded that this batch is in the dealing shoe."""

    back: str


@dataclass(frozen=True, slots=True)
class FirstCardOut:
    """The first card left the dealing shoe; `back` empty where the shoe cannot tell."""

    back: str


@dataclass(frozen=True, slots=True)
class ShoeOver:
    """The shoe is over. `played`: a coup was dealt from it."""

    played: bool


@dataclass(frozen=True, slots=True)
class Handled:
    """People touched this batch out of turn: it is not known to be as it was."""

    back: str


@dataclass(frozen=True, slots=True)
class NewCards:
    """This batch was replaced by new cards."""

    back: str


@dataclass(frozen=True, slots=True)
class AlternationSuspended:
    """A supervisor lets this batch come again for one shoe (D-20)."""

    back: str


@dataclass(frozen=True, slots=True)
class EventsLost:
    """Events of the shuffler are missing; `missing` 0 where it cannot be told how many."""

    missing: int


@dataclass(frozen=True, slots=True)
class PortGone:
    """The shuffler's port is lost."""


@dataclass(frozen=True, slots=True)
class WarningAnswered:
    """A named person cleared the warning of that number."""

    number: int


Fact: TypeAlias = (
    ShufflerEvent
    | GoesIn
    | HandShuffled
    | CutMade
    | PutIntoShoe
    | FirstCardOut
    | ShoeOver
    | Handled
    | NewCards
    | AlternationSuspended
    | EventsLost
    | PortGone
    | WarningAnswered
)


@dataclass(frozen=True, slots=True)
class Moved:
    """A batch went on; `why` is a sentence."""

    back: str
    before: str
    after: str
    why: str
