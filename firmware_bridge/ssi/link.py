"""The link to a scanner over SSI: bytes become whole scans, each once.

Acknowledges a packet once it is stored, asks for a damaged one again, drops resent packets that
are known, joins the parts of a long scan, and keeps the scanner set up.
Source: firmware_bridge/ssi/README.md.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput, Unframed
from firmware_bridge.ssi import exchange
from firmware_bridge.ssi.exchange import RequestDone, RequestExchange, RequestItem, SsiRequest
from firmware_bridge.ssi.packets import NakCause, Opcode, Packet, PacketOrFault, encode, feed, flush
from firmware_bridge.ssi.settings import SsiLinkSettings
from foundation.message import message
from foundation.timestamp import Timestamp, elapsed_ns

_BOOT_EVENT = 0x03


class SsiScan(Struct, frozen=True):
    """One complete scan: its unchanged bytes and the scanner's number for the code type."""

    text: bytes
    code_type: int


class ScannerRevision(Struct, frozen=True):
    """The scanner's software revision, unparsed."""

    revision: bytes


class ScannerEvent(Struct, frozen=True):
    """An event report of the scanner."""

    code: int


SsiItem: TypeAlias = SsiScan | ScannerRevision | ScannerEvent | RequestItem
SsiOutput: TypeAlias = LinkOutput[SsiItem]


class SsiProgress(StrEnum):
    """What has been received since the port was opened."""

    NOTHING = "nothing"
    PACKET = "packet"
    READY = "ready"


class PartialScan(Struct, frozen=True):
    """An incomplete scan; `dropped`: it was too long and is skipped up to its end."""

    code_type: int
    text: bytes
    deadline_ns: int
    dropped: bool = False


class LastPacket(Struct, frozen=True):
    """The last accepted packet, and when its first copy arrived."""

    opcode: int
    data: bytes
    at: Timestamp


class SsiLinkState(Struct, frozen=True):
    """`silence_ns`: when an incomplete packet is given up.

    `new_packet_damaged`: a packet was damaged too soon after `last` to be a copy of it.
    """

    exchange: RequestExchange = field(default_factory=RequestExchange)
    unframed: Unframed = field(default_factory=Unframed)
    silence_ns: int | None = None
    partial: PartialScan | None = None
    last: LastPacket | None = None
    new_packet_damaged: bool = False
    progress: SsiProgress = SsiProgress.NOTHING


SsiLinkResult: TypeAlias = tuple[SsiLinkState, SsiOutput]

_ACK = encode(Opcode.ACK)
_RESEND = encode(Opcode.NAK, bytes((NakCause.RESEND,)))
_UNFINISHED = LinkFault(LinkFaultKind.TRUNCATED, message("scan_end_did_not_come"))
_CUT_OFF = LinkFault(LinkFaultKind.TRUNCATED, message("packet_cut_off_by_port_loss"))
_DAMAGED = (LinkFaultKind.BAD_CHECKSUM, LinkFaultKind.TRUNCATED)
_EMPTY = LinkFault(LinkFaultKind.MALFORMED, message("scanner_packet_without_content"))


class SsiLink(Struct, frozen=True):
    """Implements firmware_bridge.link.Link."""

    settings: SsiLinkSettings = field(default_factory=SsiLinkSettings)

    def initial(self) -> SsiLinkState:
        """The state before anything was received."""
        return SsiLinkState()

    def opened(self, state: SsiLinkState, at: Timestamp) -> SsiLinkResult:
        """The port is open (again): set up the scanner; it resends unacknowledged packets."""
        state, output = self.closed(state, at)
        partial = state.partial
        if partial is not None:
            partial = replace(partial, deadline_ns=at.monotonic_ns + self.settings.part_ns_max)
        exchange_state, setup_output = exchange.start_setup(self.settings, state.exchange, at)
        state = replace(state, exchange=exchange_state, partial=partial)
        return state, LinkOutput(output.items, at_once=setup_output.at_once)

    def closed(self, state: SsiLinkState, at: Timestamp) -> SsiLinkResult:
        """The port was lost: no answer will come. A long scan may continue after reopening."""
        cut = (_CUT_OFF,) if state.unframed.pending else ()
        dropped, output = exchange.fail_all(state.exchange)
        state = replace(
            state,
            exchange=dropped,
            unframed=Unframed(),
            silence_ns=None,
            progress=SsiProgress.NOTHING,
        )
        return state, LinkOutput((*cut, *output.items))

    def receive(self, state: SsiLinkState, data: bytes, at: Timestamp) -> SsiLinkResult:
        """Take received bytes, in any fragmentation."""
        state, earlier = self.tick(state, at)
        unframed, found = feed(state.unframed, data)
        silence_ns = at.monotonic_ns + self.settings.silence_ns_max if unframed.pending else None
        state = replace(state, unframed=unframed, silence_ns=silence_ns)
        state, output = self._handle_all(state, found, at)
        return state, _concat(earlier, output)

    def send(self, state: SsiLinkState, command: SsiRequest, at: Timestamp) -> SsiLinkResult:
        """Send a request or queue it behind the one still unanswered."""
        return _with_exchange(state, exchange.send(self.settings, state.exchange, command, at))

    def tick(self, state: SsiLinkState, at: Timestamp) -> SsiLinkResult:
        """Handle deadlines that have passed."""
        output: SsiOutput = LinkOutput()
        if state.silence_ns is not None and at.monotonic_ns >= state.silence_ns:
            found = flush(state.unframed)
            state = replace(state, unframed=Unframed(in_noise=True), silence_ns=None)
            state, output = self._handle_all(state, found, at)
        if state.partial is not None and at.monotonic_ns >= state.partial.deadline_ns:
            faults = () if state.partial.dropped else (_UNFINISHED,)
            state, output = replace(state, partial=None), _concat(output, LinkOutput(faults))
        state, setup_output = _with_exchange(
            state, exchange.tick(self.settings, state.exchange, at)
        )
        return state, _concat(output, setup_output)

    def next_deadline_ns(self, state: SsiLinkState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        parts_ns = None if state.partial is None else state.partial.deadline_ns
        deadlines = (state.silence_ns, parts_ns, exchange.next_deadline_ns(state.exchange))
        return min((one for one in deadlines if one is not None), default=None)

    def _handle_all(
        self, state: SsiLinkState, found: tuple[PacketOrFault, ...], at: Timestamp
    ) -> SsiLinkResult:
        output: SsiOutput = LinkOutput()
        damaged = False
        for one in found:
            if isinstance(one, Packet):
                damaged = False
                state, packet_output = self._handle_packet(state, one, at)
                output = _concat(output, packet_output)
                continue
            if one.kind in _DAMAGED:
                damaged = True
                state = replace(
                    state,
                    new_packet_damaged=state.new_packet_damaged
                    or self._is_too_soon(state.last, at),
                )
            output = _concat(output, LinkOutput((one,)))
            if one.kind is not LinkFaultKind.BAD_CHECKSUM:
                # It may be bare text from a scanner that lost its settings.
                doubted = exchange.schedule_setup(self.settings, state.exchange, at)
                state = replace(state, exchange=doubted)
        # The scanner sends nothing new before it is answered: a later valid packet replaces the
        # damaged one.
        return state, _concat(output, LinkOutput(at_once=(_RESEND,) if damaged else ()))

    def _handle_packet(self, state: SsiLinkState, packet: Packet, at: Timestamp) -> SsiLinkResult:
        if state.progress is SsiProgress.NOTHING:
            state = replace(state, progress=SsiProgress.PACKET)
        if packet.opcode == Opcode.ACK:
            return _with_exchange(state, exchange.handle_ack(self.settings, state.exchange, at))
        if packet.opcode == Opcode.NAK:
            cause = packet.data[0] if packet.data else NakCause.RESEND
            return _with_exchange(
                state, exchange.handle_nak(self.settings, state.exchange, cause, at)
            )
        # An answer to a request is acknowledged only when resent: the scanner could mistake the
        # acknowledgement for that of a scan.
        solicited = packet.opcode == Opcode.REVISION and not packet.resent
        acknowledged: SsiOutput = LinkOutput(to_write=() if solicited else (_ACK,))
        if not state.new_packet_damaged and self._is_repeat(state.last, packet, at):
            return state, acknowledged
        if not solicited:
            last = LastPacket(packet.opcode, packet.data, at)
            state = replace(state, last=last, new_packet_damaged=False)
        state, output = self._handle_new_packet(state, packet, at)
        return state, _concat(output, acknowledged)

    def _is_too_soon(self, last: LastPacket | None, at: Timestamp) -> bool:
        """Whether the time since the last packet is too short for the scanner to resend it."""
        return last is None or 0 <= elapsed_ns(last.at, at) < self.settings.answer_ns_max

    def _handle_new_packet(
        self, state: SsiLinkState, packet: Packet, at: Timestamp
    ) -> SsiLinkResult:
        """Handle a packet that is not a repeat."""
        match packet.opcode:
            case Opcode.DECODE_DATA if packet.data:
                state = replace(state, exchange=exchange.cancel_scheduled_setup(state.exchange))
                return self._handle_scan_data(state, packet, at)
            case Opcode.EVENT if packet.data:
                event: SsiOutput = LinkOutput((ScannerEvent(packet.data[0]),))
                if packet.data[0] != _BOOT_EVENT:
                    return state, event
                exchange_state, setup_output = exchange.start_setup(
                    self.settings, state.exchange, at
                )
                return replace(state, exchange=exchange_state), _concat(
                    event, LinkOutput(at_once=setup_output.at_once)
                )
            case Opcode.REVISION:
                earlier = exchange.handle_revision(self.settings, state.exchange, at)
                state, output = _with_exchange(state, earlier)
                return state, _concat(LinkOutput((ScannerRevision(packet.data),)), output)
            case Opcode.DECODE_DATA | Opcode.EVENT:
                return state, LinkOutput((_EMPTY,))
            case _:
                return state, LinkOutput((_unknown(packet.opcode),))

    def _handle_scan_data(
        self, state: SsiLinkState, packet: Packet, at: Timestamp
    ) -> SsiLinkResult:
        code_type, text = packet.data[0], packet.data[1:]
        before = state.partial
        dropped = before is not None and before.dropped
        if before is not None:
            # In some scanners each part begins with the type, in others only the first.
            code_type = before.code_type
            text = before.text + (text if packet.data[0] == code_type else packet.data)
        faults: tuple[LinkFault, ...] = ()
        if not dropped and len(text) > self.settings.text_bytes_max:
            dropped = True
            faults = (_too_long(self.settings.text_bytes_max),)
        if packet.continues:
            deadline_ns = at.monotonic_ns + self.settings.part_ns_max
            partial = PartialScan(code_type, b"" if dropped else text, deadline_ns, dropped)
            return replace(state, partial=partial), LinkOutput(faults)
        items: tuple[SsiItem, ...] = () if dropped else (SsiScan(text, code_type),)
        return replace(state, partial=None), LinkOutput((*faults, *items))

    def _is_repeat(self, last: LastPacket | None, packet: Packet, at: Timestamp) -> bool:
        """A resent packet that was accepted already: its ACK was lost or late."""
        if last is None or not packet.resent:
            return False
        if (last.opcode, last.data) != (packet.opcode, packet.data):
            return False
        return 0 <= elapsed_ns(last.at, at) <= self.settings.repeat_window_ns


def _with_exchange(state: SsiLinkState, exchanged: exchange.RequestExchangeResult) -> SsiLinkResult:
    exchange_state, output = exchanged
    enabled = any(item == RequestDone(SsiRequest.ENABLE) for item in output.items)
    progress = SsiProgress.READY if enabled else state.progress
    state = replace(state, exchange=exchange_state, progress=progress)
    return state, LinkOutput(output.items, output.to_write, output.at_once)


def _concat(first: SsiOutput, second: SsiOutput) -> SsiOutput:
    return LinkOutput(
        (*first.items, *second.items),
        (*first.to_write, *second.to_write),
        (*first.at_once, *second.at_once),
    )


def _too_long(bytes_max: int) -> LinkFault:
    return LinkFault(LinkFaultKind.LENGTH, message("scan_too_long", most=bytes_max))


def _unknown(opcode: int) -> LinkFault:
    detail = message("scanner_packet_unknown", opcode=f"{opcode:02X}")
    return LinkFault(LinkFaultKind.UNKNOWN_CODE, detail)
