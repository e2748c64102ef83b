"""Messages of TableLink: frames of the device to values, values of the host to payloads.

Responsible for: which type and keys each message has.
Not responsible for: bodies of events (event_bodies) and for when what is said (link).
Source: package README, "TableLink/1", link messages, events, requests.
"""

from collections.abc import Callable, Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from firmware_bridge import cbor
from firmware_bridge.cbor import Value
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.bodies import Compartment, CompartmentStatus, Holding, Mode, Status
from firmware_bridge.tablelink.fields import (
    U16_END,
    U32_END,
    Fields,
    Misfit,
    fields_of,
    numbered,
)
from firmware_bridge.tablelink.frames import U32, Channel, Frame
from firmware_bridge.tablelink.items import RequestStatus
from firmware_bridge.values import dataclass

DEVICE_BYTES: Final = tuple(range(8, 17))
_CHAIN_BYTES: Final = 16
_KIND_END: Final = 256


class LinkType(IntEnum):
    """Types of the channel LINK."""

    HELLO = 1
    HELLO_ACK = 2
    ACK = 3
    NAK = 4
    PING = 5
    PONG = 6
    TIME_REQ = 7
    TIME_RSP = 8
    ATTEST_REQ = 10
    ATTEST_RSP = 11
    BYE = 12
    ERROR = 13


# --- what a device says ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """`first` is the first event not freed, `following` the number of the next event to be made.

    `session` is 0 where nobody asked. `executed` is the highest id of a request it executed.
    """

    device: bytes
    boot_id: int
    first: int
    following: int
    capacity: int
    firmware: str
    session: int
    executed: int
    role: int
    boot_count: int
    debug: bool


@dataclass(frozen=True, slots=True)
class Ping:
    """The device's uptime, how many events it keeps, and whether its gate is closed."""

    uptime_us: int
    kept: int
    gate_closed: bool


@dataclass(frozen=True, slots=True)
class Pong:
    """The device answered a PING."""


@dataclass(frozen=True, slots=True)
class TimeTold:
    """`asked` is what the question said, the others are the device's uptime then and now."""

    asked: int
    came_us: int
    left_us: int


@dataclass(frozen=True, slots=True)
class Attested:
    """A COSE_Sign1, or empty: a device without identity."""

    sealed: bytes


@dataclass(frozen=True, slots=True)
class Bye:
    """The device goes."""

    why: str


@dataclass(frozen=True, slots=True)
class ErrorTold:
    code: int
    text: str


@dataclass(frozen=True, slots=True)
class EventTold:
    """One event as it came. `chain` is empty where the device keeps none.

    `unchained` are the bytes the chain runs over.
    """

    boot_id: int
    number: int
    device_us: int
    kind: int
    body: Fields
    chain: bytes
    unchained: bytes


@dataclass(frozen=True, slots=True)
class AnswerTold:
    """The answer to request `id`, of that type."""

    id: int
    type: int
    status: RequestStatus
    detail: str
    told: Status | None


Message: TypeAlias = (
    Hello | Ping | Pong | TimeTold | Attested | Bye | ErrorTold | EventTold | AnswerTold
)


def decode(frame: Frame) -> Message | LinkFault | None:
    """What the device says with a frame; None where nobody listens to it. Total."""
    try:
        match frame.channel:
            case Channel.EVENT:
                return _event(frame)
            case Channel.RPC:
                return _answer(frame)
            case Channel.LINK:
                reader = _LINK_READERS.get(frame.type)
                if reader is None:
                    detail = f"the device sent a link message {frame.type}, which is not understood"
                    return LinkFault(LinkFaultKind.UNKNOWN_CODE, detail)
                return reader(fields_of(frame.payload))
            case _:
                return None
    except Misfit as misfit:
        return LinkFault(LinkFaultKind.MALFORMED, f"{_name(frame)}: {misfit}")


def _name(frame: Frame) -> str:
    match frame.channel:
        case Channel.EVENT:
            return f"an event of kind {frame.type} makes no sense"
        case Channel.RPC:
            return f"the answer to a request {frame.type} makes no sense"
        case _:
            return f"{LinkType(frame.type).name} makes no sense"


def _hello(fields: Fields) -> Hello:
    return Hello(
        device=fields.octets(1, *DEVICE_BYTES),
        boot_id=fields.number(2, U32_END),
        first=fields.number(3),
        following=fields.number(4),
        capacity=fields.number(5, U32_END),
        firmware=fields.text(6),
        session=fields.number(7, U32_END),
        executed=fields.number(8, U32_END),
        role=fields.number(9, U16_END),
        boot_count=fields.number(10, U32_END),
        debug=fields.truth(11),
    )


def _attested(fields: Fields) -> Attested:
    if fields.has(1):
        return Attested(fields.octets(1))
    if not fields.truth(2):
        raise Misfit("it says neither who the device is nor that it has no identity")
    return Attested(b"")


def _event(frame: Frame) -> EventTold:
    fields = fields_of(frame.payload)
    number, kind = fields.number(2), fields.number(4, _KIND_END)
    if frame.seq != number & U32 or frame.type != kind:
        raise Misfit("its header and its payload contradict each other")
    chain = fields.octets(6, _CHAIN_BYTES) if fields.has(6) else b""
    unchained = frame.payload
    if 6 in fields.entries:
        unchained = cbor.encode({key: one for key, one in fields.entries.items() if key != 6})
    return EventTold(
        boot_id=fields.number(1, U32_END),
        number=number,
        device_us=fields.number(3),
        kind=kind,
        body=fields.map(5),
        chain=chain,
        unchained=unchained,
    )


def _answer(frame: Frame) -> AnswerTold:
    fields = fields_of(frame.payload)
    told = _status(fields.map(3)) if fields.has(3) else None
    status = fields.member(1, RequestStatus)
    return AnswerTold(frame.seq, frame.type, status, fields.text_or_none(2), told)


def _status(fields: Fields) -> Status:
    return Status(
        mode=fields.member(1, Mode),
        door_open=fields.truth(2),
        compartments=tuple(_compartment(one) for one in fields.array(3)),
        residual=fields.number(4, U16_END),
        warnings=tuple(_code(one) for one in fields.array(5)),
        gate_closed=fields.truth(6),
        recorded=fields.number(7) if fields.has(7) else 0,
    )


def _compartment(value: Value) -> CompartmentStatus:
    if not isinstance(value, tuple):
        raise Misfit("a compartment has to be an array")
    fields = numbered(value)
    return CompartmentStatus(
        compartment=int(fields.member(0, Compartment)),
        holding=fields.member(1, Holding),
        cards=fields.number(2, U16_END) if fields.has(2) else None,
        back=fields.text_or_none(3),
        cycle=fields.number(4, U32_END),
    )


def _code(value: Value) -> int:
    return numbered((value,)).number(0, U16_END)


_LINK_READERS: Final[Mapping[int, Callable[[Fields], Message]]] = MappingProxyType(
    {
        LinkType.HELLO: _hello,
        LinkType.PING: lambda fields: Ping(fields.number(1), fields.number(2), fields.truth(3)),
        LinkType.PONG: lambda _fields: Pong(),
        LinkType.TIME_RSP: lambda fields: TimeTold(
            fields.number(1), fields.number(2), fields.number(3)
        ),
        LinkType.ATTEST_RSP: _attested,
        LinkType.BYE: lambda fields: Bye(fields.text_or_none(1)),
        LinkType.ERROR: lambda fields: ErrorTold(fields.number(1, U16_END), fields.text_or_none(2)),
    }
)


# --- what the host says ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    """A frame of the host's, but for its counter."""

    channel: Channel
    type: int
    seq: int = 0
    ack: int | None = None
    payload: bytes = b""
    resent: bool = False

    def frame(self, ctr: int) -> Frame:
        return Frame(
            self.channel, self.type, ctr, self.seq, self.ack, self.payload, resent=self.resent
        )


def hello(session: int) -> Said:
    return _link(LinkType.HELLO, {1: session})


def hello_ack(session: int, last: int) -> Said:
    return _link(LinkType.HELLO_ACK, {1: session, 2: last})


def ack(last: int) -> Said:
    return Said(Channel.LINK, LinkType.ACK, ack=last & U32)


def nak(wanted: int) -> Said:
    return _link(LinkType.NAK, {1: wanted})


def ping(uptime_us: int) -> Said:
    return _link(LinkType.PING, {1: uptime_us})


def pong(uptime_us: int) -> Said:
    return _link(LinkType.PONG, {1: uptime_us})


def time_request(asked: int) -> Said:
    return _link(LinkType.TIME_REQ, {1: asked})


def attest_request(nonce: bytes) -> Said:
    return _link(LinkType.ATTEST_REQ, {1: nonce})


def request(order: int, id_: int, argument: int | None, *, resent: bool) -> Said:
    """A request; `argument` None where it takes none."""
    payload = b"" if argument is None else cbor.encode({1: argument})
    return Said(Channel.RPC, order, seq=id_, payload=payload, resent=resent)


def _link(kind: LinkType, entries: Mapping[int, Value]) -> Said:
    return Said(Channel.LINK, kind, payload=cbor.encode(entries))
