"""Items a TableLink link gives, and requests it can be asked to send.

Source: firmware_bridge/tablelink/README.md.
"""

from enum import IntEnum
from typing import TypeAlias

from msgspec import Struct

from firmware_bridge.attestation import Attestation
from firmware_bridge.tablelink.bodies import DeviceStatus, EventBody
from foundation.message import Message
from foundation.recorded_text import ForeignText


class RequestType(IntEnum):
    """Types of requests on the wire (channel RPC)."""

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


class TableLinkRequest(Struct, frozen=True):
    """One request. `argument`: the compartment, the mode for MODE, otherwise 0."""

    kind: RequestType
    argument: int = 0


class DeviceHello(Struct, frozen=True):
    """The device stated its identity; nothing of it is proved yet."""

    device: bytes
    boot_id: int
    boot_count: int
    firmware: ForeignText
    debug: bool


class DeviceAdmitted(Struct, frozen=True):
    """The device is admitted; its events follow. `attestation` is None without identity."""

    device: bytes
    attestation: Attestation | None


class DeviceNotAdmitted(Struct, frozen=True):
    """The device is not admitted, and its messages are ignored; `reason` includes a remedy.

    `rolled_back`: its event numbers, boot count or firmware are older than the known ones.
    """

    device: bytes
    reason: Message
    rolled_back: bool


class TableLinkEvent(Struct, frozen=True):
    """An event, delivered once and in order. `device_us`: the device's uptime in that boot.

    `utc_ns`: that moment by this machine's clock, and `uncertainty_ns` its uncertainty; None if the
    device's clock is unknown or the event is from an earlier boot.
    """

    number: int
    boot_id: int
    device_us: int
    body: EventBody
    utc_ns: int | None
    uncertainty_ns: int | None


class EventsMissing(Struct, frozen=True):
    """The device's numbering proves that `count` events are lost.

    0: its boots prove that some are, but not how many.
    """

    count: int


class RequestAnswer(Struct, frozen=True):
    """The answer to a request; `status` None: it was not answered in time.

    `detail` is why, or what the device added; None where it added nothing.
    """

    request: TableLinkRequest
    status: RequestStatus | None
    detail: Message | None
    device_status: DeviceStatus | None


class DeviceSilence(Struct, frozen=True):
    """Nothing was received for `silent_ms`; `lost`: the link counts as lost."""

    silent_ms: int
    lost: bool


class SilenceEnded(Struct, frozen=True):
    """A silent device sends again."""


class RingFillLevel(Struct, frozen=True):
    """The device buffers `buffered` of `capacity` events; `gate_closed`: dealing stopped."""

    buffered: int
    capacity: int
    gate_closed: bool


TableLinkItem: TypeAlias = (
    DeviceHello
    | DeviceAdmitted
    | DeviceNotAdmitted
    | TableLinkEvent
    | EventsMissing
    | RequestAnswer
    | DeviceSilence
    | SilenceEnded
    | RingFillLevel
)
