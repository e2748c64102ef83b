"""Defines the closed set of commands the table may send to a device of any vendor."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct


class LockExit(Struct, frozen=True):
    """Lock the card exit."""


class UnlockExit(Struct, frozen=True):
    """Unlock the card exit."""


class ClearError(Struct, frozen=True):
    """Clear the device's error of that number."""

    code: int


class SetPolling(Struct, frozen=True):
    """Set how often a polled device is polled: `closely` while cards are being drawn.

    It changes nothing in the device and is allowed even where commands are not.
    """

    closely: bool


class ListTags(Struct, frozen=True):
    """Read every tag of the pile on the reader, and the memory of its chip."""


class ShufflerOrder(StrEnum):
    """What a shuffler can be ordered to do."""

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


class OrderShuffler(Struct, frozen=True):
    """Order a shuffler to do something.

    `compartment` is 1 or 2, or 0 where the order concerns the whole device. STATUS changes nothing
    and is allowed even where commands are not.
    """

    order: ShufflerOrder
    compartment: int = 0


DeviceCommand: TypeAlias = (
    LockExit | UnlockExit | ClearError | SetPolling | ListTags | OrderShuffler
)
