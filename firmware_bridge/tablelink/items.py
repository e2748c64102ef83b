"""What a TableLink link gives up and takes down.

Responsible for: the closed set of items of the link, and the requests it can be asked to send.
Not responsible for: the bodies of events (bodies) and for the wire (frames, messages).
Source: package README, "TableLink/1".
"""

from enum import IntEnum
from typing import TypeAlias

from firmware_bridge.attestation import Attestation
from firmware_bridge.tablelink.bodies import Body, Status
from firmware_bridge.values import dataclass


class Order(IntEnum):
    """Requests by their type on the wire (channel RPC)."""

    LOAD = 1
    COUNT = 2
    SHUFFLE = 3
    STORE = 4
    RELEASE = 5
    STATUS = 6
    SELF_TEST = 7
    ABORT = 8
    MODE = 9
    LOCK = 16
    UNLOCK = 17


class RequestStatus(IntEnum):
    DONE = 0
    REFUSED = 1
    UNKNOWN = 2
    FAILED = 3


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `argument` is the compartment, the mode for MODE, else 0."""

    order: Order
    argument: int = 0


@dataclass(frozen=True, slots=True)
class DeviceSaidHello:
    """The device told who it is; nothing of this is proven yet."""

    device: bytes
    boot_id: int
    boot_count: int
    firmware: str
    debug: bool


@dataclass(frozen=True, slots=True)
class Admitted:
    """The device is let in; from now on its events come. `attestation` None: a bare device."""

    device: bytes
    attestation: Attestation | None


@dataclass(frozen=True, slots=True)
class NotAdmitted:
    """The device is not let in, and nothing it tells is taken; `why` is a sentence with a remedy.

    `rolled_back`: its event numbers, boot count or firmware lie before what is known of it.
    """

    device: bytes
    why: str
    rolled_back: bool


@dataclass(frozen=True, slots=True)
class Happened:
    """An event, once and in order. `device_us` is the device's uptime in that boot.

    `utc_ns` is when that was by this machine's clock and `uncertainty_ns` how far it may be off;
    None where the device's clock is not known, or was that of an earlier boot.
    """

    number: int
    boot_id: int
    device_us: int
    body: Body
    utc_ns: int | None
    uncertainty_ns: int | None


@dataclass(frozen=True, slots=True)
class EventsMissing:
    """The device's numbering proves that so many events are missing for ever.

    0: its boots prove that some are, and not how many.
    """

    count: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A request was answered, or was not within its time (`status` None)."""

    request: Request
    status: RequestStatus | None
    detail: str
    told: Status | None


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing was heard for so long; `lost`: the link counts as lost."""

    silent_ms: int
    lost: bool


@dataclass(frozen=True, slots=True)
class HeardAgain:
    """A device that was silent is heard."""


@dataclass(frozen=True, slots=True)
class RingFilling:
    """The device keeps so many of at most `capacity` events; `gate_closed`: it deals no more."""

    kept: int
    capacity: int
    gate_closed: bool


TableLinkItem: TypeAlias = (
    DeviceSaidHello
    | Admitted
    | NotAdmitted
    | Happened
    | EventsMissing
    | Answered
    | Silent
    | HeardAgain
    | RingFilling
)
