"""Device commands: what the table may ask of a device, in words that fit any vendor's.

Responsible for: the closed set of commands.
Not responsible for: whether a command is allowed (the driver's configuration and the table).
Source: package README, "Commands".
"""

from enum import StrEnum
from typing import TypeAlias

from firmware_bridge.values import dataclass


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


@dataclass(frozen=True, slots=True)
class Watch:
    """How often a device that has to be asked is asked: `closely` while cards are being drawn.

    It changes nothing in the device and is allowed whatever the configuration says of commands.
    """

    closely: bool


@dataclass(frozen=True, slots=True)
class ListTags:
    """Read every tag of the pile on the reader, and what their chips hold."""


class ShufflerOrder(StrEnum):
    """What a shuffler can be told to do."""

    LOAD = "load"
    COUNT = "count"
    SHUFFLE = "shuffle"
    STORE = "store"
    RELEASE = "release"
    STATUS = "status"
    SELF_TEST = "self-test"
    ABORT = "abort"
    SERVICE = "service"
    SORT = "sort"
    PLAY = "play"  # end service and sorting


@dataclass(frozen=True, slots=True)
class OrderShuffler:
    """`compartment` is 1 or 2, or 0 where the order concerns the whole device.

    STATUS changes nothing and is allowed whatever the configuration says of commands.
    """

    order: ShufflerOrder
    compartment: int = 0


DeviceCommand: TypeAlias = LockExit | UnlockExit | ClearError | Watch | ListTags | OrderShuffler
