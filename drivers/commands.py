"""Device commands: what the table may ask of a shoe, in words that fit any vendor's.

Responsible for: the closed set of commands.
Not responsible for: whether a command is allowed (the driver's configuration and the table).
Source: package README, "Commands".
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class LockExit:
    """Lock the card exit."""


@dataclass(frozen=True, slots=True)
class UnlockExit:
    """Unlock the card exit."""


@dataclass(frozen=True, slots=True)
class ClearError:
    """Clear the device's error of that number."""

    code: int


DeviceCommand: TypeAlias = LockExit | UnlockExit | ClearError
