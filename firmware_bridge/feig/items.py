"""Items a FEIG link gives (records, reports about the reader) and requests it takes.

Source: firmware_bridge/feig/README.md.
"""

from typing import TypeAlias

from msgspec import Struct

from firmware_bridge.link import ContinuityUnproven
from foundation.message import Message


class BufferRecord(Struct, frozen=True):
    """One data set of the reader's buffer; a field the reader does not give is None.

    `identity` is empty in a record of an input alone. `inputs` are the levels at that moment, bit 0
    for input 1. `time_ms` is the reader's timer: milliseconds since power-on, modulo 24 hours.
    """

    identity: bytes
    tr_type: int | None = None
    antenna: int | None = None
    inputs: int | None = None
    time_ms: int | None = None
    blocks: bytes = b""


class ReaderIdentified(Struct, frozen=True):
    """The reader answered the version request; `version` is the data of its answer."""

    version: bytes


class BufferOverflow(Struct, frozen=True):
    """The reader's buffer was full: records were lost before the next one."""


class KeepAlive(Struct, frozen=True):
    """A keep-alive of the reader with its two bytes of `flags`."""

    flags: bytes


class RepeatsDropped(Struct, frozen=True):
    """`count` records were delivered again and dropped."""

    count: int


class TagInventoried(Struct, frozen=True):
    """One tag in the field, found by an inventory."""

    tr_type: int
    identity: bytes


class InventoryDone(Struct, frozen=True):
    """An inventory is complete; `count` tags were found."""

    count: int


class BlocksRead(Struct, frozen=True):
    """The memory of one tag, from the first requested block on."""

    identity: bytes
    data: bytes


class RequestFailed(Struct, frozen=True):
    """A request was refused by the reader, or not answered (`status` None); `request` names it."""

    request: Message
    status: int | None
    detail: Message


FeigItem: TypeAlias = (
    BufferRecord
    | ReaderIdentified
    | BufferOverflow
    | ContinuityUnproven
    | KeepAlive
    | RepeatsDropped
    | TagInventoried
    | InventoryDone
    | BlocksRead
    | RequestFailed
)


# --- requests ------------------------------------------------------------------------------------


class SetPace(Struct, frozen=True):
    """Set the polling pace: `closely` or idly; no effect in notification mode."""

    closely: bool


class Inventory(Struct, frozen=True, tag="inventory"):
    """Find every tag in the field (B0 01, again with MORE until there are no more)."""


class ReadBlocks(Struct, frozen=True, tag="read-blocks"):
    """Read `count` blocks of one tag from block `first` on (B0 23, addressed)."""

    identity: bytes
    first: int
    count: int


FeigRequest: TypeAlias = SetPace | Inventory | ReadBlocks
