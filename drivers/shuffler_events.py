"""Defines device events about shuffles, compartments, device identity and device silence.

What a device claims is passed on unchecked. No event can reveal the order of undealt cards.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from foundation.message import Message
from foundation.recorded_text import ForeignText, Identifier


class CompartmentState(StrEnum):
    """The state of a shuffler's compartment."""

    EMPTY = "empty"
    LOADING = "loading"
    COUNTED = "counted"
    SHUFFLING = "shuffling"
    SHUFFLED = "shuffled"
    STORED = "stored"
    RELEASED = "released"
    HELD = "held"  # something is wrong; people have to check the batch


class ShuffleResult(StrEnum):
    """The result of the shuffler's own check of a shuffle."""

    GOOD = "good"
    COUNT_DIFFERS = "count_differs"
    FACES_DIFFER = "faces_differ"
    UNVERIFIED = "unverified"


class AbortReason(StrEnum):
    """Why a shuffle was aborted."""

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


class CompartmentChanged(Struct, frozen=True, tag="compartment-changed"):
    """Compartment 1 or 2. `cards` None: not counted; `back` empty: not sensed.

    `faces` counts each of 52 faces (suit by suit in the order of FaceSuit, ace to king), empty
    where the device cannot read faces. It is never an order.
    """

    compartment: int
    state: CompartmentState
    cards: int | None
    back: ForeignText
    faces: bytes


class ShuffleStarted(Struct, frozen=True, tag="shuffle-started"):
    """A shuffle started; `cycle` counts the shuffles of the device and is never used again."""

    compartment: int
    cycle: int


class ShuffleProof(Struct, frozen=True):
    """The receipt of one completed shuffle, as the device states it.

    Times in microseconds since that boot of the device. `sealed` are the bytes it sent, `signed`
    whether they carry its signature, `genuine` whether that is of the pinned key. `ended_utc_ns` is
    the reported end by this machine's clock, `uncertainty_ns` its error bound; None where the
    device's clock is not known.
    """

    device: Identifier
    boot_id: int
    boot_count: int
    cycle: int
    compartment: int
    count: int
    result: ShuffleResult
    back: ForeignText
    faces: bytes
    began_us: int
    ended_us: int
    image: bytes
    version: ForeignText
    sealed: bytes
    signed: bool
    genuine: bool
    ended_utc_ns: int | None = None
    uncertainty_ns: int | None = None


class ShuffleDone(Struct, frozen=True, tag="shuffle-done"):
    """A shuffle was completed; its proof says whether the result is good."""

    proof: ShuffleProof


class ShuffleShown(Struct, frozen=True, tag="shuffle-shown"):
    """Lamps show that a shuffle ran to its end, in `ran_ms` milliseconds; nothing proves it.

    Neither a count nor a receipt comes with it.
    """

    compartment: int
    cycle: int
    ran_ms: int


class ShuffleAborted(Struct, frozen=True, tag="shuffle-aborted"):
    """A shuffle was aborted: its batch is not shuffled."""

    compartment: int
    cycle: int
    reason: AbortReason


class DoorMoved(Struct, frozen=True, tag="door-moved"):
    """A door of the shuffler (compartment 0) or of a compartment was opened or closed."""

    open: bool
    compartment: int


class JamReported(Struct, frozen=True, tag="jam-reported"):
    compartment: int
    cleared: bool


class ResidualCards(Struct, frozen=True, tag="residual-cards"):
    """`cards` cards are left where none may be; 0: they were removed."""

    compartment: int
    cards: int


class ModeChanged(Struct, frozen=True, tag="mode-changed"):
    mode: ShufflerMode


class ShufflerWarning(Struct, frozen=True, tag="shuffler-warning"):
    """A warning of the device, on or off. `code` is the device's own, `text` untrusted."""

    code: int
    text: ForeignText
    active: bool


class SelfTested(Struct, frozen=True, tag="self-tested"):
    passed: bool
    detail: ForeignText


class ShufflerStarted(Struct, frozen=True, tag="shuffler-started"):
    """The shuffler booted; `broken_off`: compartments whose shuffle was lost with power."""

    boot_count: int
    broken_off: tuple[int, ...]


class DeviceTampered(Struct, frozen=True, tag="device-tampered"):
    """The device reports that it was opened, reconfigured or given other firmware."""

    what: Message


class IdentityProven(Struct, frozen=True, tag="identity-proven"):
    """The device is the paired one and runs approved firmware.

    `bare`: it has no identity and is admitted because the configuration says so.
    """

    device: Identifier
    version: ForeignText
    image: bytes
    security_counter: int
    boot_count: int
    bare: bool


class IdentityRefused(Struct, frozen=True, tag="identity-refused"):
    """An unknown, changed or rolled-back device: none of its reports is accepted."""

    device: Identifier
    why: Message
    rolled_back: bool


class DeviceSilent(Struct, frozen=True, tag="device-silent"):
    """The device sent nothing for `silent_ms` milliseconds; `lost`: it is regarded as lost."""

    silent_ms: int
    lost: bool


class ContactRestored(Struct, frozen=True, tag="contact-restored"):
    """A device that was silent sends again."""


class DeviceMemoryFilling(Struct, frozen=True, tag="device-memory-filling"):
    """The device's event memory fills: `stored` of `capacity` events; full, it stops dealing."""

    stored: int
    capacity: int
    stopped: bool


class ShufflerStatus(Struct, frozen=True, tag="shuffler-status"):
    """The whole state of a shuffler, on request: what a restarted program has to know.

    `compartments` as (number, state, cards or None, back, cycle).
    """

    mode: ShufflerMode
    door_open: bool
    compartments: tuple[tuple[int, CompartmentState, int | None, ForeignText, int], ...]
    residual: int
    warnings: tuple[int, ...]


# Events about batches and device identity; others concern any device.
ShufflerEvent: TypeAlias = (
    CompartmentChanged
    | ShuffleStarted
    | ShuffleDone
    | ShuffleShown
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
    | ContactRestored
)
