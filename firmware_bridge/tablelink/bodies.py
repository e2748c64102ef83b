"""The bodies of a TableLink device's events and of its status, as frozen values.

None of them can contain an undealt order.
Source: firmware_bridge/tablelink/README.md, "Events (channel 1)".
"""

from enum import IntEnum
from typing import TypeAlias

from msgspec import Struct


class Compartment(IntEnum):
    """A compartment of a shuffler; 0 is the device as a whole."""

    DEVICE = 0
    FIRST = 1
    SECOND = 2


class CompartmentPhase(IntEnum):
    """What a compartment is doing with its batch."""

    EMPTY = 0
    LOADING = 1
    COUNTED = 2
    SHUFFLING = 3
    SHUFFLED = 4
    STORED = 5
    RELEASED = 6
    HELD = 7  # held until a person has looked


class ShuffleCheckResult(IntEnum):
    """The result of a shuffle's own check."""

    GOOD = 1
    COUNT_DIFFERS = 2
    FACES_DIFFER = 3
    UNVERIFIED = 4


class AbortCode(IntEnum):
    """Why a shuffle was aborted."""

    JAM = 1
    POWER = 2
    DOOR = 3
    PERSON = 4
    FAULT = 5


class DeviceMode(IntEnum):
    PLAY = 0
    SERVICE = 1
    SORT = 2
    TEST = 3


class CardOut(Struct, frozen=True):
    """Kind 1. `tag` is empty if the device reads none; `rank` and `suit` are 0 without a face."""

    tag: bytes
    rank: int
    suit: int  # 1 diamond, 2 club, 3 spade, 4 heart


class CardRetracted(Struct, frozen=True):
    """Kind 2."""

    tag: bytes


class ReadFail(Struct, frozen=True):
    """Kind 3: a card left and was not read."""


class DoubleFeed(Struct, frozen=True):
    """Kind 4: `cards` cards left at once."""

    cards: int


class CutCardOut(Struct, frozen=True):
    """Kind 5."""


class ShoeLoaded(Struct, frozen=True):
    """Kind 6. `pack` is the name given to the device, or empty."""

    pack: str


class ShoeEmpty(Struct, frozen=True):
    """Kind 7."""


class Lid(Struct, frozen=True):
    """Kind 8: a lid or door of the device (0) or of a compartment."""

    open: bool
    compartment: int


class Jam(Struct, frozen=True):
    """Kind 9."""

    compartment: int
    cleared: bool


class BatchStarted(Struct, frozen=True):
    """Kind 10: a shuffle began. `cycle` counts the shuffles of the device and is never reused."""

    compartment: int
    cycle: int


class ShuffleReceipt(Struct, frozen=True):
    """The receipt of a shuffle. `faces`: the count of each of the 52 faces, or empty.

    Times in microseconds since that boot. `back`: the colour a sensor read, or empty.
    """

    device: bytes
    boot_id: int
    boot_count: int
    cycle: int
    compartment: int
    count: int
    result: ShuffleCheckResult
    back: str
    faces: bytes
    began_us: int
    ended_us: int
    image: bytes
    version: str


class BatchDone(Struct, frozen=True):
    """Kind 11. `sealed`: the receipt as received, a COSE_Sign1 if `signed`, otherwise bare.

    `genuine`: the signature is of the pinned key.
    """

    receipt: ShuffleReceipt
    sealed: bytes
    signed: bool
    genuine: bool


class BatchAborted(Struct, frozen=True):
    """Kind 12."""

    compartment: int
    cycle: int
    reason: AbortCode


class SelfTest(Struct, frozen=True):
    """Kind 13."""

    passed: bool
    detail: str


class PowerUp(Struct, frozen=True):
    """Kind 14. `interrupted` are the compartments in which a shuffle was running."""

    boot_count: int
    interrupted: tuple[int, ...]


class Tamper(Struct, frozen=True):
    """Kind 15."""

    what: str


class Overflow(Struct, frozen=True):
    """Kind 16: the last record of a full ring; the gate has been closed since."""


class ConfigChanged(Struct, frozen=True):
    """Kind 17."""

    what: str


class FirmwareChanged(Struct, frozen=True):
    """Kind 18."""

    image: bytes
    version: str


class Checkpoint(Struct, frozen=True):
    """Kind 19: the device's own chain of events up to `number`, signed."""

    number: int
    chain: bytes
    signature: bytes


class CompartmentReport(Struct, frozen=True):
    """Kind 20. `cards` None: not counted. `back` and `faces` as in a receipt."""

    compartment: int
    phase: CompartmentPhase
    cards: int | None
    back: str
    faces: bytes


class ModeReport(Struct, frozen=True):
    """Kind 21."""

    mode: DeviceMode


class WarningReport(Struct, frozen=True):
    """Kind 22. `code` is the device's own number."""

    code: int
    text: str
    active: bool


class Residual(Struct, frozen=True):
    """Kind 23: `cards` cards are left where none may be."""

    compartment: int
    cards: int


EventBody: TypeAlias = (
    CardOut
    | CardRetracted
    | ReadFail
    | DoubleFeed
    | CutCardOut
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
    | CompartmentReport
    | ModeReport
    | WarningReport
    | Residual
)


class CompartmentStatus(Struct, frozen=True):
    """One compartment in an answered STATUS."""

    compartment: int
    phase: CompartmentPhase
    cards: int | None
    back: str
    cycle: int


class DeviceStatus(Struct, frozen=True):
    """The body of an answered STATUS, valid once all events up to `recorded` were received."""

    mode: DeviceMode
    door_open: bool
    compartments: tuple[CompartmentStatus, ...]
    residual: int
    warnings: tuple[int, ...]
    gate_closed: bool
    recorded: int = 0
