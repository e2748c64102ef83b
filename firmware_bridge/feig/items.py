"""What a link to a FEIG reader gives: records of its buffer, and what it says of itself.

Responsible for: the closed set of items and of requests, as plain values.
Not responsible for: bytes (frames, records) and for what a tag means (drivers).
Source: package README, "FEIG OBID".
"""

from typing import TypeAlias

from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class BufferRecord:
    """One data set of the reader's buffer, each field None where the reader does not give it.

    `identity` is empty where the record is of an input alone. `inputs` are the levels at that
    moment, bit 0 for input 1. `time_ms` is the reader's own timer: since it was switched on, and
    anew every 24 hours.
    """

    identity: bytes
    tr_type: int | None = None
    antenna: int | None = None
    inputs: int | None = None
    time_ms: int | None = None
    blocks: bytes = b""


@dataclass(frozen=True, slots=True)
class ReaderIdentified:
    """The reader answered who it is; `version` are the bytes of its answer."""

    version: bytes


@dataclass(frozen=True, slots=True)
class BufferOverflowed:
    """The reader's buffer was full: records were lost before the next one."""


@dataclass(frozen=True, slots=True)
class ContinuityUnproven:
    """Since the port was last read the reader may have lost its buffer (its timer began anew)."""


@dataclass(frozen=True, slots=True)
class KeepAlive:
    """The reader says that it is there; `flags` are its two bytes."""

    flags: bytes


@dataclass(frozen=True, slots=True)
class RepeatsDropped:
    """So many records were delivered once more and are known already."""

    count: int


@dataclass(frozen=True, slots=True)
class TagInventoried:
    """One tag in the field, as an inventory found it."""

    tr_type: int
    identity: bytes


@dataclass(frozen=True, slots=True)
class InventoryDone:
    """An inventory was answered to its end; `count` tags."""

    count: int


@dataclass(frozen=True, slots=True)
class BlocksRead:
    """The memory of one tag, from the first block asked for."""

    identity: bytes
    data: bytes


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """A request was refused by the reader, or not answered (`status` None); `request` names it."""

    request: str
    status: int | None
    detail: str


FeigItem: TypeAlias = (
    BufferRecord
    | ReaderIdentified
    | BufferOverflowed
    | ContinuityUnproven
    | KeepAlive
    | RepeatsDropped
    | TagInventoried
    | InventoryDone
    | BlocksRead
    | RequestFailed
)


# --- what may be asked ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetPace:
    """Ask the buffer closely, or idly; nothing is sent for it in notification mode."""

    closely: bool


@dataclass(frozen=True, slots=True)
class Inventory:
    """Find every tag in the field (B0 01, again with MORE until there is no more)."""


@dataclass(frozen=True, slots=True)
class ReadBlocks:
    """Read `count` blocks of one tag from block `first` on (B0 23, addressed)."""

    identity: bytes
    first: int
    count: int


FeigRequest: TypeAlias = SetPace | Inventory | ReadBlocks
