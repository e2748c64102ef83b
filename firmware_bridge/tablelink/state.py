"""What a TableLink link has learnt: what outlives an opening of the port, and what does not.

Responsible for: the frozen state of the link and its parts.
Not responsible for: how it changes (opening, delivery, requests, heartbeat).
Source: package README, "TableLink/1". Bounded: at most 494 bytes, 8 waiting requests and the
exchanges of one window.
"""

from dataclasses import field
from enum import StrEnum

from firmware_bridge.tablelink.clock import Clock
from firmware_bridge.tablelink.frames import Unframed
from firmware_bridge.tablelink.items import DeviceSaidHello, Request
from firmware_bridge.tablelink.messages import Hello
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """What was stored of the device that was admitted last, by its pairing.

    `last` is the number of the last event given. `chain` is the device's chain at it, or empty, and
    `boot_id` the boot it came about in: 0 where none was given since counting began, or the last
    one was OVERFLOW.
    `rolled_back` says how it was found so, once: its numbers would go on beyond `last` by
    themselves.
    """

    device: bytes
    pairing: str
    last: int
    boot_count: int
    security_counter: int
    chain: bytes = b""
    rolled_back: str = ""
    boot_id: int = 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request and when it is given up."""

    request: Request
    until: Timestamp


@dataclass(frozen=True, slots=True)
class UnderWay:
    """The one request that was sent; `again_ns` is when it is repeated after `pause_ns`."""

    id: int
    request: Request
    until: Timestamp
    again_ns: int
    pause_ns: int


@dataclass(frozen=True, slots=True)
class Requests:
    """`next_id` is above all ids ever used here."""

    next_id: int = 1
    under_way: UnderWay | None = None
    waiting: tuple[Waiting, ...] = ()


class Phase(StrEnum):
    CLOSED = "closed"
    ASKING = "asking"  # who is there?
    PROVING = "proving"  # it is to prove who it is
    ADMITTED = "admitted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Hole:
    """Event `wanted` did not come though a later one did: asked for again from `again_ns` on."""

    wanted: int
    again_ns: int
    since_ns: int


class Silence(StrEnum):
    """What was told of a device that is not heard."""

    NONE = "none"
    SUSPECT = "suspect"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Pulse:
    """When the device was heard and spoken to last, and what its uptimes said in this session.

    `lag_ns` is the shortest time seen between the device's clock, as if it had begun with this
    machine's, and this machine's; None before any uptime was told.
    """

    heard_ns: int = 0
    sent_ns: int = 0
    silence: Silence = Silence.NONE
    uptime_us: int = 0
    lag_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """From one question who is there to the next.

    `again_ns`: when the question of this phase is repeated; `until_ns`: when it is given up.
    `flowing`: an event came, so the device has this session's HELLO_ACK. `trouble`: a fault of an
    event that comes again and again, told once. `kept_since_ns`: since then the device says that it
    keeps events, and none came.
    """

    phase: Phase = Phase.CLOSED
    number: int = 0
    nonce: bytes = b""
    hello: Hello | None = None
    again_ns: int = 0
    until_ns: int = 0
    hole: Hole | None = None
    flowing: bool = False
    kept_since_ns: int | None = None
    trouble: str = ""
    time_due_ns: int = 0
    time_asked: tuple[int, int] | None = None  # what was asked, and when, in ns


@dataclass(frozen=True, slots=True)
class Told:
    """What was told since the port was opened and is not told again while it stays so."""

    hello: DeviceSaidHello | None = None
    refusal: str = ""
    fill_eighths: int = 0
    gate_closed: bool = False


@dataclass(frozen=True, slots=True)
class TableLinkState:
    """`seed` is the entropy of the opening, `drawn` how often something was drawn from it.

    `known` and `requests` outlive openings and restarts; all else is of one opening.
    """

    known: Known | None = None
    requests: Requests = field(default_factory=Requests)
    seed: bytes = b""
    drawn: int = 0
    ctr: int = 0
    unframed: Unframed = field(default_factory=Unframed)
    session: Session = field(default_factory=Session)
    pulse: Pulse = field(default_factory=Pulse)
    clock: Clock = field(default_factory=Clock)
    clock_boot_id: int = 0
    told: Told = field(default_factory=Told)
