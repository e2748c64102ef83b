"""The closed set of facts about whole batches: acts of people, play, and shuffler events.

Source: NY (a)(4)(iv), (d); S42 (a)(4), (d), (e).
"""

from typing import TypeAlias

from msgspec import Struct

from drivers.shuffler_events import ShufflerEvent


class LoadedIntoShuffler(Struct, frozen=True):
    """A person recorded that this batch goes into the shuffler now."""

    back: str


class HandShuffled(Struct, frozen=True):
    """A complete hand shuffle of this batch is on record."""

    back: str


class CutMade(Struct, frozen=True):
    """The released batch was cut."""


class PutIntoShoe(Struct, frozen=True):
    """A person recorded that this batch is in the dealing shoe."""

    back: str


class FirstCardOut(Struct, frozen=True):
    """The first card left the dealing shoe; `back` is empty where the shoe cannot read it."""

    back: str


class ShoeOver(Struct, frozen=True):
    """The shoe is over. `played`: a coup was dealt from it."""

    played: bool


class Touched(Struct, frozen=True):
    """People touched this batch out of turn, so its count and order are in doubt."""

    back: str


class NewCards(Struct, frozen=True):
    """This batch was replaced by new cards."""

    back: str


class AlternationSuspended(Struct, frozen=True):
    """A floorperson permits this batch twice in a row for one shoe (D-20)."""

    back: str


class EventsLost(Struct, frozen=True):
    """Events of the shuffler are missing; `missing` is 0 where their number is unknown."""

    missing: int


class ShufflerPortLost(Struct, frozen=True):
    """The shuffler's port is lost."""


class WarningAnswered(Struct, frozen=True):
    """A named person cleared the warning of that number."""

    number: int


Fact: TypeAlias = (
    ShufflerEvent
    | LoadedIntoShuffler
    | HandShuffled
    | CutMade
    | PutIntoShoe
    | FirstCardOut
    | ShoeOver
    | Touched
    | NewCards
    | AlternationSuspended
    | EventsLost
    | ShufflerPortLost
    | WarningAnswered
)


class StageChange(Struct, frozen=True):
    """A batch changed its stage; `why` is a sentence."""

    back: str
    before: str
    after: str
    why: str
