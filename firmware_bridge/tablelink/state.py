"""The frozen state of a TableLink link and its parts.

Bounded: at most 494 bytes, 8 waiting requests and the time exchanges of one window.
Source: firmware_bridge/tablelink/README.md.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from firmware_bridge.tablelink.clock import DeviceClock
from firmware_bridge.tablelink.frames import TableLinkUnframed
from firmware_bridge.tablelink.items import DeviceHello, TableLinkRequest
from firmware_bridge.tablelink.messages import Hello
from foundation.message import Message
from foundation.recorded_text import Identifier
from foundation.timestamp import Timestamp

UNKNOWN_CHAIN: Final = b"?"


class KnownDevice(Struct, frozen=True):
    """What is stored about the device that was admitted last, by its pairing.

    `last`: number of the last delivered event. `chain`: the device's chain value at it; empty if it
    keeps no chain, UNKNOWN_CHAIN if it keeps one and the value is not known.
    `boot_id`: the boot of that event; 0 if none was delivered since counting began, or if it was
    OVERFLOW. `rolled_back`: how a rollback was detected; it stays, because the device's numbers
    would pass `last` with time.
    """

    device: bytes
    pairing: Identifier
    last: int
    boot_count: int
    security_counter: int
    chain: bytes = b""
    rolled_back: Message | None = None
    boot_id: int = 0


class QueuedRequest(Struct, frozen=True):
    """A waiting request and when it is given up."""

    request: TableLinkRequest
    deadline: Timestamp


class RequestInFlight(Struct, frozen=True):
    """The request that was sent; it is repeated at `retry_due_ns`, after a pause of `pause_ns`."""

    id: int
    request: TableLinkRequest
    deadline: Timestamp
    retry_due_ns: int
    pause_ns: int


class RequestQueue(Struct, frozen=True):
    """`next_id` is above all ids ever used at this port."""

    next_id: int = 1
    in_flight: RequestInFlight | None = None
    waiting: tuple[QueuedRequest, ...] = ()


class LinkPhase(StrEnum):
    CLOSED = "closed"
    ASKING = "asking"  # HELLO was sent
    PROVING = "proving"  # the attestation was requested
    ADMITTED = "admitted"
    REFUSED = "refused"


class EventGap(Struct, frozen=True):
    """Event `wanted` is missing and a later one came; it is requested again at `retry_due_ns`."""

    wanted: int
    retry_due_ns: int
    since_ns: int


class SilenceLevel(StrEnum):
    """What was reported about a silent device."""

    NONE = "none"
    SUSPECT = "suspect"
    LOST = "lost"


class Heartbeat(Struct, frozen=True):
    """When a frame was last received and sent, and the device's uptimes in this session.

    `lag_ns`: the smallest observed difference between this machine's clock and the device's
    uptime; None before the first uptime.
    """

    last_received_ns: int = 0
    sent_ns: int = 0
    silence: SilenceLevel = SilenceLevel.NONE
    uptime_us: int = 0
    lag_ns: int | None = None


class Session(Struct, frozen=True):
    """One session, from one HELLO of the host to the next.

    `retry_due_ns`: when the request of this phase is repeated; `give_up_ns`: when it is given up.
    `events_flowing`: an event was received, so the device has this session's HELLO_ACK.
    `reported_fault`: the fault of a repeated message, reported once. `buffered_since_ns`: since
    then the device has reported buffered events, and none was received.
    """

    phase: LinkPhase = LinkPhase.CLOSED
    number: int = 0
    nonce: bytes = b""
    hello: Hello | None = None
    retry_due_ns: int = 0
    give_up_ns: int = 0
    gap: EventGap | None = None
    events_flowing: bool = False
    buffered_since_ns: int | None = None
    reported_fault: Message | None = None
    time_due_ns: int = 0
    pending_time_request: tuple[int, int] | None = (
        None  # the request's value, and when it was sent, in ns
    )


class ReportedState(Struct, frozen=True):
    """What was reported since the port was opened, and is not repeated while unchanged."""

    hello: DeviceHello | None = None
    refusal: Message | None = None
    fill_eighths: int = 0
    gate_closed: bool = False


class TableLinkState(Struct, frozen=True):
    """`seed`: the entropy of the opening; `draw_count`: random values derived from it so far.

    `silence_ns`: when silence within an incomplete frame is a fault.
    `known` and `requests` survive openings and restarts; all else belongs to one opening.
    """

    known: KnownDevice | None = None
    requests: RequestQueue = field(default_factory=RequestQueue)
    seed: bytes = b""
    draw_count: int = 0
    ctr: int = 0
    unframed: TableLinkUnframed = field(default_factory=TableLinkUnframed)
    silence_ns: int | None = None
    session: Session = field(default_factory=Session)
    heartbeat: Heartbeat = field(default_factory=Heartbeat)
    clock: DeviceClock = field(default_factory=DeviceClock)
    clock_boot_id: int = 0
    reported: ReportedState = field(default_factory=ReportedState)
