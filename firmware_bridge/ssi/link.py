"""The link to a scanner over SSI: bytes to whole scans, each once.

Responsible for: acknowledging what the scanner says once it is stored, asking for a damaged packet
again, dropping resent packets that are known, putting the parts of a long message together within
a bound and a deadline, and keeping the scanner set up.
Not responsible for: ports, requests and their answers (exchange), and what a code means (drivers).
Source: package README, "Scanners", SSI.
"""

from dataclasses import field
from enum import StrEnum
from typing import TypeAlias

from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.ssi import exchange
from firmware_bridge.ssi.exchange import ExchangeState, Request, RequestDone, RequestItem
from firmware_bridge.ssi.packets import (
    Found,
    NakCause,
    Opcode,
    Packet,
    Unframed,
    encode,
    feed,
    silence,
)
from firmware_bridge.ssi.settings import SsiLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace

# Two stamps whose clocks lie further apart than this are of different boots, or the clock was
# set: their monotonic times must not be compared.
_CLOCK_OFFSET_NS_MAX = 5_000_000_000
_BOOT_EVENT = 0x03


@dataclass(frozen=True, slots=True)
class ScanCompleted:
    """One scan, whole: its bytes untouched and the scanner's number for the kind of code."""

    text: bytes
    code_type: int


@dataclass(frozen=True, slots=True)
class RevisionTold:
    """What the scanner says of its own software, as it came."""

    revision: bytes


@dataclass(frozen=True, slots=True)
class EventTold:
    """The scanner tells of something that happened to it."""

    code: int


SsiItem: TypeAlias = ScanCompleted | RevisionTold | EventTold | RequestItem
SsiOutput: TypeAlias = LinkOutput[SsiItem]


class Heard(StrEnum):
    """What was heard since the port was opened."""

    NOTHING = "nothing"
    PACKET = "packet"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Parts:
    """A message under way; `dropped`: it grew too long, and only its end is waited for."""

    code_type: int
    text: bytes
    deadline_ns: int
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class LastPacket:
    """The last packet that was accepted, and when its first copy came."""

    opcode: int
    data: bytes
    at: Timestamp


@dataclass(frozen=True, slots=True)
class SsiLinkState:
    """`silence_ns`: when what waits for its end is given up.

    `renewed`: damage came too soon after `last` to be a copy of it, so a new packet was damaged.
    """

    exchange: ExchangeState = field(default_factory=ExchangeState)
    unframed: Unframed = field(default_factory=Unframed)
    silence_ns: int | None = None
    parts: Parts | None = None
    last: LastPacket | None = None
    renewed: bool = False
    heard: Heard = Heard.NOTHING


Linked: TypeAlias = tuple[SsiLinkState, SsiOutput]

_ACK = encode(Opcode.ACK)
_RESEND = encode(Opcode.NAK, bytes((NakCause.RESEND,)))
_UNFINISHED = LinkFault(LinkFaultKind.TRUNCATED, "the end of a scan did not come: scan again")
_CUT_OFF = LinkFault(LinkFaultKind.TRUNCATED, "a packet was cut off when the port was lost")
_DAMAGED = (LinkFaultKind.BAD_CHECKSUM, LinkFaultKind.TRUNCATED)
_EMPTY = LinkFault(LinkFaultKind.MALFORMED, "the scanner sent a packet without its content")


@dataclass(frozen=True, slots=True)
class SsiLink:
    """Follows firmware_bridge.link.Link."""

    settings: SsiLinkSettings = field(default_factory=SsiLinkSettings)

    def initial(self) -> SsiLinkState:
        """The state before anything was heard."""
        return SsiLinkState()

    def opened(self, state: SsiLinkState, at: Timestamp) -> Linked:
        """The port is open (again): the scanner is set up; it resends what nobody acknowledged."""
        state, output = self.closed(state, at)
        parts = state.parts
        if parts is not None:
            parts = replace(parts, deadline_ns=at.monotonic_ns + self.settings.part_ns_max)
        begun, asked = exchange.set_up(self.settings, state.exchange, at)
        state = replace(state, exchange=begun, parts=parts)
        return state, LinkOutput(output.items, at_once=asked.at_once)

    def closed(self, state: SsiLinkState, at: Timestamp) -> Linked:
        """The port is gone: no answer will come. A long message may go on after the reopening."""
        cut = (_CUT_OFF,) if state.unframed.pending else ()
        dropped, output = exchange.dropped(state.exchange)
        state = replace(
            state,
            exchange=dropped,
            unframed=Unframed(),
            silence_ns=None,
            heard=Heard.NOTHING,
        )
        return state, LinkOutput((*cut, *output.items))

    def receive(self, state: SsiLinkState, data: bytes, at: Timestamp) -> Linked:
        """Take raw bytes as they came, in any fragmentation."""
        state, told = self.tick(state, at)
        unframed, found = feed(state.unframed, data)
        silence_ns = at.monotonic_ns + self.settings.silence_ns_max if unframed.pending else None
        state = replace(state, unframed=unframed, silence_ns=silence_ns)
        state, output = self._take_all(state, found, at)
        return state, _joined(told, output)

    def send(self, state: SsiLinkState, command: Request, at: Timestamp) -> Linked:
        """Send a request or queue it behind the one still unanswered."""
        return _with_exchange(state, exchange.send(self.settings, state.exchange, command, at))

    def tick(self, state: SsiLinkState, at: Timestamp) -> Linked:
        """A deadline may have passed."""
        output: SsiOutput = LinkOutput()
        if state.silence_ns is not None and at.monotonic_ns >= state.silence_ns:
            found = silence(state.unframed)
            state = replace(state, unframed=Unframed(in_noise=True), silence_ns=None)
            state, output = self._take_all(state, found, at)
        if state.parts is not None and at.monotonic_ns >= state.parts.deadline_ns:
            faults = () if state.parts.dropped else (_UNFINISHED,)
            state, output = replace(state, parts=None), _joined(output, LinkOutput(faults))
        state, asked = _with_exchange(state, exchange.tick(self.settings, state.exchange, at))
        return state, _joined(output, asked)

    def next_deadline_ns(self, state: SsiLinkState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        parts_ns = None if state.parts is None else state.parts.deadline_ns
        deadlines = (state.silence_ns, parts_ns, exchange.next_deadline_ns(state.exchange))
        return min((one for one in deadlines if one is not None), default=None)

    def _take_all(self, state: SsiLinkState, found: tuple[Found, ...], at: Timestamp) -> Linked:
        output: SsiOutput = LinkOutput()
        damaged = False
        for one in found:
            if isinstance(one, Packet):
                damaged = False
                state, taken = self._packet(state, one, at)
                output = _joined(output, taken)
                continue
            if one.kind in _DAMAGED:
                damaged = True
                state = replace(state, renewed=state.renewed or self._too_soon(state.last, at))
            output = _joined(output, LinkOutput((one,)))
            if one.kind is not LinkFaultKind.BAD_CHECKSUM:
                # It may be bare text, from a scanner that lost its settings.
                doubted = exchange.doubted(self.settings, state.exchange, at)
                state = replace(state, exchange=doubted)
        # The scanner sends nothing new before it is answered: a good packet makes up for damage.
        return state, _joined(output, LinkOutput(at_once=(_RESEND,) if damaged else ()))

    def _packet(self, state: SsiLinkState, packet: Packet, at: Timestamp) -> Linked:
        if state.heard is Heard.NOTHING:
            state = replace(state, heard=Heard.PACKET)
        if packet.opcode == Opcode.ACK:
            return _with_exchange(state, exchange.answered(self.settings, state.exchange, at))
        if packet.opcode == Opcode.NAK:
            cause = packet.data[0] if packet.data else NakCause.RESEND
            return _with_exchange(state, exchange.refused(self.settings, state.exchange, cause, at))
        # What answers a request is acknowledged only to a scanner that insists: it could take the
        # acknowledgement for that of a scan.
        solicited = packet.opcode == Opcode.REVISION and not packet.resent
        acknowledged: SsiOutput = LinkOutput(to_write=() if solicited else (_ACK,))
        if not state.renewed and self._is_repeat(state.last, packet, at):
            return state, acknowledged
        if not solicited:
            last = LastPacket(packet.opcode, packet.data, at)
            state = replace(state, last=last, renewed=False)
        state, output = self._accept(state, packet, at)
        return state, _joined(output, acknowledged)

    def _too_soon(self, last: LastPacket | None, at: Timestamp) -> bool:
        """Too soon after the last packet for a copy of it, had it not been acknowledged."""
        return last is None or 0 <= _elapsed_ns(last.at, at) < self.settings.answer_ns_max

    def _accept(self, state: SsiLinkState, packet: Packet, at: Timestamp) -> Linked:
        """What a new packet says."""
        match packet.opcode:
            case Opcode.DECODE_DATA if packet.data:
                state = replace(state, exchange=exchange.trusted(state.exchange))
                return self._decoded(state, packet, at)
            case Opcode.EVENT if packet.data:
                event: SsiOutput = LinkOutput((EventTold(packet.data[0]),))
                if packet.data[0] != _BOOT_EVENT:
                    return state, event
                begun, asked = exchange.set_up(self.settings, state.exchange, at)
                return replace(state, exchange=begun), _joined(
                    event, LinkOutput(at_once=asked.at_once)
                )
            case Opcode.REVISION:
                told = exchange.revision_told(self.settings, state.exchange, at)
                state, output = _with_exchange(state, told)
                return state, _joined(LinkOutput((RevisionTold(packet.data),)), output)
            case Opcode.DECODE_DATA | Opcode.EVENT:
                return state, LinkOutput((_EMPTY,))
            case _:
                return state, LinkOutput((_unknown(packet.opcode),))

    def _decoded(self, state: SsiLinkState, packet: Packet, at: Timestamp) -> Linked:
        code_type, text = packet.data[0], packet.data[1:]
        before = state.parts
        dropped = before is not None and before.dropped
        if before is not None:
            # Scanners differ in whether each part begins with the type or only the first.
            code_type = before.code_type
            text = before.text + (text if packet.data[0] == code_type else packet.data)
        faults: tuple[LinkFault, ...] = ()
        if not dropped and len(text) > self.settings.text_bytes_max:
            dropped = True
            faults = (_too_long(self.settings.text_bytes_max),)
        if packet.continues:
            deadline_ns = at.monotonic_ns + self.settings.part_ns_max
            parts = Parts(code_type, b"" if dropped else text, deadline_ns, dropped)
            return replace(state, parts=parts), LinkOutput(faults)
        items: tuple[SsiItem, ...] = () if dropped else (ScanCompleted(text, code_type),)
        return replace(state, parts=None), LinkOutput((*faults, *items))

    def _is_repeat(self, last: LastPacket | None, packet: Packet, at: Timestamp) -> bool:
        """A resent packet that was accepted already: its acknowledgement was lost or came late."""
        if last is None or not packet.resent:
            return False
        if (last.opcode, last.data) != (packet.opcode, packet.data):
            return False
        return 0 <= _elapsed_ns(last.at, at) <= self.settings.repeat_window_ns


def _elapsed_ns(earlier: Timestamp, later: Timestamp) -> int:
    """By the monotonic clock within one boot, else by UTC."""
    monotonic_ns = later.monotonic_ns - earlier.monotonic_ns
    utc_ns = later.utc_ns - earlier.utc_ns
    same_boot = monotonic_ns >= 0 and abs(utc_ns - monotonic_ns) <= _CLOCK_OFFSET_NS_MAX
    return monotonic_ns if same_boot else utc_ns


def _with_exchange(state: SsiLinkState, exchanged: exchange.Exchanged) -> Linked:
    begun, output = exchanged
    enabled = any(item == RequestDone(Request.ENABLE) for item in output.items)
    heard = Heard.READY if enabled else state.heard
    state = replace(state, exchange=begun, heard=heard)
    return state, LinkOutput(output.items, output.to_write, output.at_once)


def _joined(first: SsiOutput, second: SsiOutput) -> SsiOutput:
    return LinkOutput(
        (*first.items, *second.items),
        (*first.to_write, *second.to_write),
        (*first.at_once, *second.at_once),
    )


def _too_long(bytes_max: int) -> LinkFault:
    detail = f"a scan of more than {bytes_max} characters was dropped"
    return LinkFault(LinkFaultKind.LENGTH, detail)


def _unknown(opcode: int) -> LinkFault:
    detail = f"the scanner sent a packet {opcode:02X}, which is not understood"
    return LinkFault(LinkFaultKind.UNKNOWN_CODE, detail)
