"""What a shuffler says, in words that fit any maker's, and who any device with an identity is.

Responsible for: the closed set of facts about compartments, shuffles, doors and warnings, and about
identity and silence of a device. What a device claims is passed on, never judged. No event can tell
the order of undealt cards.
Not responsible for: wire codes (firmware_bridge) and for which batch lies where (controller).
Source: package README, "Shufflers".
"""

from enum import StrEnum
from typing import TypeAlias

from firmware_bridge.values import dataclass


class CompartmentState(StrEnum):
    """What a compartment of a shuffler is doing with its batch."""

    EMPTY = "empty"
    LOADING = "loading"
    COUNTED = "counted"
    SHUFFLING = "shuffling"
    SHUFFLED = "shuffled"
    STORED = "stored"
    RELEASED = "released"
    HELD = "held"  # something is wrong with it; people look


class ShuffleResult(StrEnum):
    """What a shuffle's own check gave."""

    GOOD = "good"
    COUNT_DIFFERS = "count_differs"
    FACES_DIFFER = "faces_differ"
    UNVERIFIED = "unverified"


class AbortReason(StrEnum):
    """Why a shuffle was broken off."""

    JAM = "jam"
    POWER = "power"
    DOOR = "door"
    PERSON = "person"
    FAULT = "fault"


class ShufflerMode(StrEnum):
    PLAY = "play"
    SERVICE = "service"
    SORT = "sort"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class CompartmentChanged:
    """Compartment 1 or 2. `cards` None: not counted; `back` empty: not sensed.

    `faces` is how many of each of 52 faces (suit by suit in the order of FaceSuit, ace to king),
    empty where the device cannot read. Never an order.
    """

    compartment: int
    state: CompartmentState
    cards: int | None
    back: str
    faces: bytes


@dataclass(frozen=True, slots=True)
class ShuffleBegan:
    """`cycle` counts the shuffles of the device and never comes again."""

    compartment: int
    cycle: int


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """The receipt of one whole shuffle, as the device states it.

    Times in microseconds since that boot of the device. `sealed` are the bytes it gave, `signed`
    whether they carry its signature, `genuine` whether that is of the key it is pinned to.
    `ended_utc_ns` is when it told of its end by this machine's clock, `uncertainty_ns` how far that
    may be off; None where the device's clock is not known.
    """

    device: str
    boot_id: int
    boot_count: int
    cycle: int
    compartment: int
    count: int
    result: ShuffleResult
    back: str
    faces: bytes
    began_us: int
    ended_us: int
    image: bytes
    version: str
    sealed: bytes
    signed: bool
    genuine: bool
    ended_utc_ns: int | None = None
    uncertainty_ns: int | None = None


@dataclass(frozen=True, slots=True)
class ShuffleDone:
    """A shuffle came to its end; whether it is good stands in its proof."""

    proof: ShuffleProof


@dataclass(frozen=True, slots=True)
class ShuffleAborted:
    """A shuffle was broken off: its batch is not shuffled."""

    compartment: int
    cycle: int
    reason: AbortReason


@dataclass(frozen=True, slots=True)
class DoorMoved:
    """A door of the shuffler (compartment 0) or of one of its compartments."""

    open: bool
    compartment: int


@dataclass(frozen=True, slots=True)
class JamReported:
    compartment: int
    cleared: bool


@dataclass(frozen=True, slots=True)
class ResidualCards:
    """So many cards are left where none may be; 0: they were taken out."""

    compartment: int
    cards: int


@dataclass(frozen=True, slots=True)
class ModeChanged:
    mode: ShufflerMode


@dataclass(frozen=True, slots=True)
class ShufflerWarning:
    """A warning light of the device, on or off. `code` is the device's own, `text` untrusted."""

    code: int
    text: str
    active: bool


@dataclass(frozen=True, slots=True)
class SelfTested:
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class ShufflerStarted:
    """The shuffler booted; in these compartments a shuffle was under way when power failed."""

    boot_count: int
    broken_off: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DeviceTampered:
    """The device says that it was opened, reconfigured or given other firmware."""

    what: str


@dataclass(frozen=True, slots=True)
class IdentityProven:
    """The device is the one that was paired, with firmware that is approved.

    `bare`: it has no identity and is let in because the configuration says so.
    """

    device: str
    version: str
    image: bytes
    security_counter: int
    boot_count: int
    bare: bool


@dataclass(frozen=True, slots=True)
class IdentityRefused:
    """An unknown, changed or rolled-back device: nothing it tells is taken."""

    device: str
    why: str
    rolled_back: bool


@dataclass(frozen=True, slots=True)
class DeviceSilent:
    """Nothing was heard of the device for so long; `lost`: it counts as gone."""

    silent_ms: int
    lost: bool


@dataclass(frozen=True, slots=True)
class DeviceHeardAgain:
    """A device that was silent is heard again."""


@dataclass(frozen=True, slots=True)
class DeviceMemoryFilling:
    """The device keeps so many of at most `capacity` events; full, it stops dealing."""

    kept: int
    capacity: int
    stopped: bool


@dataclass(frozen=True, slots=True)
class ShufflerStatus:
    """All of it at once, as asked for: what a restarted program has to know.

    `compartments` as (number, state, cards or None, back, cycle).
    """

    mode: ShufflerMode
    door_open: bool
    compartments: tuple[tuple[int, CompartmentState, int | None, str, int], ...]
    residual: int
    warnings: tuple[int, ...]


# What concerns the batches of a table; the rest of a shuffler's events concerns the device alone.
ShufflerEvent: TypeAlias = (
    CompartmentChanged
    | ShuffleBegan
    | ShuffleDone
    | ShuffleAborted
    | DoorMoved
    | JamReported
    | ResidualCards
    | ModeChanged
    | ShufflerWarning
    | SelfTested
    | ShufflerStarted
    | ShufflerStatus
    | DeviceTampered
    | IdentityProven
    | IdentityRefused
    | DeviceSilent
    | DeviceHeardAgain
)
