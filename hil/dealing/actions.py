"""What a dealer does with his hands: the physical actions a runner plays on a device.

Responsible for: the closed set of actions. They say what is done, never when.
Not responsible for: what the device makes of it (hil.emulator) and for pacing
(hil.rig.shoe_runner).
Source: package README, "Dealing".
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from hil.dealing.cards import Card
from hil.dealing.mistakes import Mistake
from hil.dealing.shoe import Loading
from hil.dealing.tableau import Winner


class Place(StrEnum):
    """Where the dealer puts a card; the device cannot see it."""

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
    """Slide a card out of the shoe. `burn_key` is held for cards burned outside play."""

    card: Card
    place: Place
    burn_key: bool = False


@dataclass(frozen=True, slots=True)
class CutCard:
    """The cut card comes out."""


@dataclass(frozen=True, slots=True)
class PressResult:
    winner: Winner
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class StandBy:
    """Press stand-by: the table is between coups."""


@dataclass(frozen=True, slots=True)
class NewShoe:
    """Load the shoe and switch it on; `number` counts from 1 in this run.

    `loading` is what lies in it now. A device that reads each card as it leaves needs it not.
    """

    number: int
    loading: Loading


@dataclass(frozen=True, slots=True)
class ForcedExit:
    """Leave the coup by the forced-exit buttons."""


@dataclass(frozen=True, slots=True)
class ClearError:
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
    """The dealer has just made that mistake: the moment to call the floorperson."""

    mistake: Mistake


Action: TypeAlias = (
    Draw
    | CutCard
    | PressResult
    | StandBy
    | NewShoe
    | ForcedExit
    | ClearError
    | SettingMode
    | Pause
    | MistakeMade
)
