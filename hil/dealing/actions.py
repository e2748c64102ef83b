"""Defines the physical actions of a dealer, which a runner plays on a device.

They say what is done, never when.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from hil.dealing.cards import Card
from hil.dealing.mistakes import Mistake
from hil.dealing.shoe import Loading
from hil.dealing.tableau import Winner


class Place(StrEnum):
    """Where the dealer puts a card, which the device cannot see."""

    PLAYER = "player"
    BANKER = "banker"
    BURN = "burn"
    ASIDE = "aside"


class PauseKind(StrEnum):
    AFTER_BURN = "after_burn"
    BETWEEN_COUPS = "between_coups"
    BETWEEN_SHOES = "between_shoes"


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw a card from the shoe. `burn_key` is pressed for cards burned outside the count."""

    card: Card
    place: Place
    burn_key: bool = False


@dataclass(frozen=True, slots=True)
class DrawCutCard:
    """Draw the cut card."""


@dataclass(frozen=True, slots=True)
class PressResult:
    winner: Winner
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class PressStandBy:
    """Press stand-by: the table is between coups."""


@dataclass(frozen=True, slots=True)
class NewShoe:
    """Load the shoe and switch it on; `number` counts from 1 in this run.

    `loading` is its content. A device that reads each card as it leaves ignores it.
    """

    number: int
    loading: Loading


@dataclass(frozen=True, slots=True)
class PressForcedExit:
    """Leave the coup with the forced-exit buttons."""


@dataclass(frozen=True, slots=True)
class ClearDeviceError:
    """Clear the error of that number at the device itself."""

    code: int


@dataclass(frozen=True, slots=True)
class SettingMode:
    on: bool


@dataclass(frozen=True, slots=True)
class Pause:
    kind: PauseKind


@dataclass(frozen=True, slots=True)
class MistakeMade:
    """The dealer has just made that mistake: time to call the floorperson."""

    mistake: Mistake


DealerAction: TypeAlias = (
    Draw
    | DrawCutCard
    | PressResult
    | PressStandBy
    | NewShoe
    | PressForcedExit
    | ClearDeviceError
    | SettingMode
    | Pause
    | MistakeMade
)
