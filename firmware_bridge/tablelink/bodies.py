"""What a TableLink device tells: the bodies of its events and of its status, as values.

Responsible for: one frozen value for each kind of event, in the words of the document.
Not responsible for: their CBOR (messages) and for what they mean at a table (drivers).
Source: package README, "TableLink/1", "Events". None of them can tell an undealt order.
"""

from enum import IntEnum
from typing import TypeAlias

from firmware_bridge.values import dataclass


class Compartment(IntEnum):
    """Where in a shuffler; 0 is the device as a whole."""

    DEVICE = 0
    FIRST = 1
    SECOND = 2


class Holding(IntEnum):
    """What a compartment is doing with its batch."""

    EMPTY = 0
    LOADING = 1
    COUNTED = 2
    SHUFFLING = 3
    SHUFFLED = 4
    STORED = 5
    RELEASED = 6
    HELD = 7  # something is wrong with it; people look


class Verified(IntEnum):
    """What a shuffle's own check gave."""

    GOOD = 1
    COUNT_DIFFERS = 2
    FACES_DIFFER = 3
    UNVERIFIED = 4


class Abort(IntEnum):
    """Why a shuffle was broken off."""

    JAM = 1
    POWER = 2
    DOOR = 3
    PERSON = 4
    FAULT = 5


class Mode(IntEnum):
    PLAY = 0
    SERVICE = 1
    SORT = 2
    TEST = 3


@dataclass(frozen=True, slots=True)
class CardOut:
    """Kind 1. `tag` is empty where the device reads none; `rank` and `suit` 0 where no face."""

    tag: bytes
    rank: int
    suit: int  # 1 diamond, 2 club, 3 spade, 4 heart


@dataclass(frozen=True, slots=True)
class CardRetracted:
    """Kind 2."""

    tag: bytes


@dataclass(frozen=True, slots=True)
class ReadFail:
    """Kind 3: a card left and was not read."""


@dataclass(frozen=True, slots=True)
class DoubleFeed:
    """Kind 4: so many cards left at once."""

    cards: int


@dataclass(frozen=True, slots=True)
class CutCard:
    """Kind 5."""


@dataclass(frozen=True, slots=True)
class ShoeLoaded:
    """Kind 6. `pack` is the name the device was told, or empty."""

    pack: str


@dataclass(frozen=True, slots=True)
class ShoeEmpty:
    """Kind 7."""


@dataclass(frozen=True, slots=True)
class Lid:
    """Kind 8: a lid or door of the device (0) or of a compartment."""

    open: bool
    compartment: int


@dataclass(frozen=True, slots=True)
class Jam:
    """Kind 9."""

    compartment: int
    cleared: bool


@dataclass(frozen=True, slots=True)
class BatchStarted:
    """Kind 10: a shuffle began. `cycle` counts the shuffles of the device, never again."""

    compartment: int
    cycle: int


@dataclass(frozen=True, slots=True)
class ShuffleReceipt:
    """What a shuffle's receipt states. `faces` is how many of each of 52 faces, or empty.

    Times in microseconds since that boot. `back` is what a sensor saw, or empty.
    """

    device: bytes
    boot_id: int
    boot_count: int
    cycle: int
    compartment: int
    count: int
    result: Verified
    back: str
    faces: bytes
    began_us: int
    ended_us: int
    image: bytes
    version: str


@dataclass(frozen=True, slots=True)
class BatchDone:
    """Kind 11. `sealed` is the receipt as the device gave it: a COSE_Sign1, or bare where not

    `signed`. `genuine`: the signature is of the pinned key.
    """

    receipt: ShuffleReceipt
    sealed: bytes
    signed: bool
    genuine: bool


@dataclass(frozen=True, slots=True)
class BatchAborted:
    """Kind 12."""

    compartment: int
    cycle: int
    reason: Abort


@dataclass(frozen=True, slots=True)
class SelfTest:
    """Kind 13."""

    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class PowerUp:
    """Kind 14. `broken_off` are the compartments in which a shuffle was under way."""

    boot_count: int
    broken_off: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tamper:
    """Kind 15."""

    what: str


@dataclass(frozen=True, slots=True)
class Overflow:
    """Kind 16: the last record of a full ring; the gate is closed since."""


@dataclass(frozen=True, slots=True)
class ConfigChanged:
    """Kind 17."""

    what: str


@dataclass(frozen=True, slots=True)
class FirmwareChanged:
    """Kind 18."""

    image: bytes
    version: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Kind 19: the device's own chain of events up to `number`, signed."""

    number: int
    chain: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class CompartmentTold:
    """Kind 20. `cards` None: not counted. `back` and `faces` as in a receipt."""

    compartment: int
    holding: Holding
    cards: int | None
    back: str
    faces: bytes


@dataclass(frozen=True, slots=True)
class ModeTold:
    """Kind 21."""

    mode: Mode


@dataclass(frozen=True, slots=True)
class WarningTold:
    """Kind 22. `code` is the device's own number."""

    code: int
    text: str
    active: bool


@dataclass(frozen=True, slots=True)
class Residual:
    """Kind 23: so many cards are left where none may be."""

    compartment: int
    cards: int


Body: TypeAlias = (
    CardOut
    | CardRetracted
    | ReadFail
    | DoubleFeed
    | CutCard
    | ShoeLoaded
    | ShoeEmpty
    | Lid
    | Jam
    | BatchStarted
    | BatchDone
    | BatchAborted
    | SelfTest
    | PowerUp
    | Tamper
    | Overflow
    | ConfigChanged
    | FirmwareChanged
    | Checkpoint
    | CompartmentTold
    | ModeTold
    | WarningTold
    | Residual
)


@dataclass(frozen=True, slots=True)
class CompartmentStatus:
    """One compartment in an answered STATUS."""

    compartment: int
    holding: Holding
    cards: int | None
    back: str
    cycle: int


@dataclass(frozen=True, slots=True)
class Status:
    """The body of an answered STATUS. It counts once all events up to `recorded` have come."""

    mode: Mode
    door_open: bool
    compartments: tuple[CompartmentStatus, ...]
    residual: int
    warnings: tuple[int, ...]
    gate_closed: bool
    recorded: int = 0
