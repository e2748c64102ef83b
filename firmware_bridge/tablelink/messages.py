"""Messages of TableLink: device frames to values, host messages to frames.

Source: firmware_bridge/tablelink/README.md, link messages, events, requests.
"""

from collections.abc import Callable, Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec import Struct

from firmware_bridge import cbor
from firmware_bridge.cbor import CborValue
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.bodies import (
    Compartment,
    CompartmentPhase,
    CompartmentStatus,
    DeviceMode,
    DeviceStatus,
)
from firmware_bridge.tablelink.fields import (
    U16_END,
    U32_END,
    FieldMismatch,
    Fields,
    decode_fields,
    fields_from_array,
)
from firmware_bridge.tablelink.frames import U32, FrameChannel, TableLinkFrame
from firmware_bridge.tablelink.items import RequestStatus
from foundation.message import Message, message

DEVICE_BYTES: Final = tuple(range(8, 17))
_CHAIN_BYTES: Final = 16
_KIND_END: Final = 256


class LinkType(IntEnum):
    """Frame types of the channel LINK."""

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


# --- messages of the device -----------------------------------------------------------------------


class Hello(Struct, frozen=True):
    """`first` is the first event not freed, `following` the number of the next new event.

    `session` is 0 in an unsolicited HELLO. `executed` is the highest id of an executed request.
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


class Ping(Struct, frozen=True):
    """The device's uptime, number of buffered events, and whether its gate is closed."""

    uptime_us: int
    buffered: int
    gate_closed: bool


class Pong(Struct, frozen=True):
    """The device answered a PING."""


class TimeResponse(Struct, frozen=True):
    """`request_us` is that of the request; the others: the device's uptime at receipt and reply."""

    request_us: int
    received_us: int
    replied_us: int


class AttestationResponse(Struct, frozen=True):
    """A COSE_Sign1, or empty for a device without identity."""

    cose_sign1: bytes


class Bye(Struct, frozen=True):
    """The device ends the link."""

    reason: str


class ErrorMessage(Struct, frozen=True):
    code: int
    text: str


class EventMessage(Struct, frozen=True):
    """One event as received. `chain` is empty if the device keeps none.

    `unchained`: the bytes that the chain is computed over.
    """

    boot_id: int
    number: int
    device_us: int
    kind: int
    body: Fields
    chain: bytes
    unchained: bytes


class AnswerMessage(Struct, frozen=True):
    """The answer to request `id`, of that type."""

    id: int
    type: int
    status: RequestStatus
    detail: str
    device_status: DeviceStatus | None


TableLinkMessage: TypeAlias = (
    Hello
    | Ping
    | Pong
    | TimeResponse
    | AttestationResponse
    | Bye
    | ErrorMessage
    | EventMessage
    | AnswerMessage
)


def decode(frame: TableLinkFrame) -> TableLinkMessage | LinkFault | None:
    """Parse a frame of the device; None for an unused channel. No frame raises."""
    try:
        match frame.channel:
            case FrameChannel.EVENT:
                return _event(frame)
            case FrameChannel.RPC:
                return _answer(frame)
            case FrameChannel.LINK:
                reader = _LINK_READERS.get(frame.type)
                if reader is None:
                    detail = message("link_message_unknown", type=frame.type)
                    return LinkFault(LinkFaultKind.UNKNOWN_CODE, detail)
                return reader(decode_fields(frame.payload))
            case _:
                return None
    except FieldMismatch as mismatch:
        return LinkFault(LinkFaultKind.MALFORMED, _malformed(frame, mismatch.why))


def _malformed(frame: TableLinkFrame, why: Message) -> Message:
    match frame.channel:
        case FrameChannel.EVENT:
            return message("event_of_kind_malformed", kind=frame.type, why=why)
        case FrameChannel.RPC:
            return message("answer_malformed", request=frame.type, why=why)
        case _:
            return message("link_message_malformed", name=LinkType(frame.type).name, why=why)


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
        debug=fields.boolean(11),
    )


def _attestation_response(fields: Fields) -> AttestationResponse:
    if fields.has(1):
        return AttestationResponse(fields.octets(1))
    if not fields.boolean(2):
        raise FieldMismatch(message("attestation_response_empty"))
    return AttestationResponse(b"")


def _event(frame: TableLinkFrame) -> EventMessage:
    fields = decode_fields(frame.payload)
    number, kind = fields.number(2), fields.number(4, _KIND_END)
    if frame.seq != number & U32 or frame.type != kind:
        raise FieldMismatch(message("header_contradicts_payload"))
    chain = fields.octets(6, _CHAIN_BYTES) if fields.has(6) else b""
    unchained = frame.payload
    if 6 in fields.entries:
        unchained = cbor.encode({key: one for key, one in fields.entries.items() if key != 6})
    return EventMessage(
        boot_id=fields.number(1, U32_END),
        number=number,
        device_us=fields.number(3),
        kind=kind,
        body=fields.map(5),
        chain=chain,
        unchained=unchained,
    )


def _answer(frame: TableLinkFrame) -> AnswerMessage:
    fields = decode_fields(frame.payload)
    device_status = _status(fields.map(3)) if fields.has(3) else None
    status = fields.member(1, RequestStatus)
    return AnswerMessage(frame.seq, frame.type, status, fields.text_or_none(2), device_status)


def _status(fields: Fields) -> DeviceStatus:
    return DeviceStatus(
        mode=fields.member(1, DeviceMode),
        door_open=fields.boolean(2),
        compartments=tuple(_compartment(one) for one in fields.array(3)),
        residual=fields.number(4, U16_END),
        warnings=tuple(_code(one) for one in fields.array(5)),
        gate_closed=fields.boolean(6),
        recorded=fields.number(7) if fields.has(7) else 0,
    )


def _compartment(value: CborValue) -> CompartmentStatus:
    if not isinstance(value, tuple):
        raise FieldMismatch(message("compartment_not_array"))
    fields = fields_from_array(value)
    return CompartmentStatus(
        compartment=int(fields.member(0, Compartment)),
        phase=fields.member(1, CompartmentPhase),
        cards=fields.number(2, U16_END) if fields.has(2) else None,
        back=fields.text_or_none(3),
        cycle=fields.number(4, U32_END),
    )


def _code(value: CborValue) -> int:
    return fields_from_array((value,)).number(0, U16_END)


_LINK_READERS: Final[Mapping[int, Callable[[Fields], TableLinkMessage]]] = MappingProxyType(
    {
        LinkType.HELLO: _hello,
        LinkType.PING: lambda fields: Ping(fields.number(1), fields.number(2), fields.boolean(3)),
        LinkType.PONG: lambda _fields: Pong(),
        LinkType.TIME_RSP: lambda fields: TimeResponse(
            fields.number(1), fields.number(2), fields.number(3)
        ),
        LinkType.ATTEST_RSP: _attestation_response,
        LinkType.BYE: lambda fields: Bye(fields.text_or_none(1)),
        LinkType.ERROR: lambda fields: ErrorMessage(
            fields.number(1, U16_END), fields.text_or_none(2)
        ),
    }
)


# --- messages of the host -------------------------------------------------------------------------


class HostMessage(Struct, frozen=True):
    """A frame of the host, without its counter."""

    channel: FrameChannel
    type: int
    seq: int = 0
    ack: int | None = None
    payload: bytes = b""
    resent: bool = False

    def frame(self, ctr: int) -> TableLinkFrame:
        return TableLinkFrame(
            self.channel, self.type, ctr, self.seq, self.ack, self.payload, resent=self.resent
        )


def hello(session: int) -> HostMessage:
    return _link(LinkType.HELLO, {1: session})


def hello_ack(session: int, last: int) -> HostMessage:
    return _link(LinkType.HELLO_ACK, {1: session, 2: last})


def ack(last: int) -> HostMessage:
    return HostMessage(FrameChannel.LINK, LinkType.ACK, ack=last & U32)


def nak(wanted: int) -> HostMessage:
    return _link(LinkType.NAK, {1: wanted})


def ping(uptime_us: int) -> HostMessage:
    return _link(LinkType.PING, {1: uptime_us})


def pong(uptime_us: int) -> HostMessage:
    return _link(LinkType.PONG, {1: uptime_us})


def time_request(request_us: int) -> HostMessage:
    return _link(LinkType.TIME_REQ, {1: request_us})


def attest_request(nonce: bytes) -> HostMessage:
    return _link(LinkType.ATTEST_REQ, {1: nonce})


def request(type_: int, id_: int, argument: int | None, *, resent: bool) -> HostMessage:
    """Encode a request; `argument` is None for requests without one."""
    payload = b"" if argument is None else cbor.encode({1: argument})
    return HostMessage(FrameChannel.RPC, type_, seq=id_, payload=payload, resent=resent)


def _link(kind: LinkType, entries: Mapping[int, CborValue]) -> HostMessage:
    return HostMessage(FrameChannel.LINK, kind, payload=cbor.encode(entries))
