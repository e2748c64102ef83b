"""The link to a TableLink device: raw bytes become events, each once and in order, and answers.

Source: firmware_bridge/tablelink/README.md.
"""

from typing import Final, assert_never

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.link import SILENT_WITHIN_FRAME, LinkFault, LinkFaultKind
from firmware_bridge.tablelink import (
    clock,
    delivery,
    heartbeat,
    messages,
    opening,
    requests,
)
from firmware_bridge.tablelink.frames import FrameChannel, TableLinkFrame, feed
from firmware_bridge.tablelink.items import TableLinkRequest
from firmware_bridge.tablelink.link_call import LinkCall, TableLinkResult
from firmware_bridge.tablelink.messages import (
    AnswerMessage,
    AttestationResponse,
    Bye,
    ErrorMessage,
    EventMessage,
    Hello,
    LinkType,
    Ping,
    Pong,
    TableLinkMessage,
    TimeResponse,
)
from firmware_bridge.tablelink.settings import TableLinkSettings
from firmware_bridge.tablelink.state import Heartbeat, LinkPhase, SilenceLevel, TableLinkState
from foundation.message import message
from foundation.timestamp import Timestamp

# Before its admission only these messages of a device are accepted.
_ALLOWED_TYPES: Final = (LinkType.HELLO, LinkType.ATTEST_RSP)


class TableLink(Struct, frozen=True):
    """Implements firmware_bridge.link.Link, except that an opening takes 32 bytes of entropy."""

    settings: TableLinkSettings

    def initial(self) -> TableLinkState:
        """The state before anything was received."""
        return TableLinkState()

    def opened(self, state: TableLinkState, at: Timestamp, entropy: bytes) -> TableLinkResult:
        """The port is open (again): the device must prove its identity again."""
        call = requests.handle_closed(LinkCall(self.settings, state, at))
        fresh_heartbeat = Heartbeat(last_received_ns=at.monotonic_ns, sent_ns=at.monotonic_ns)
        fresh = TableLinkState(
            known=call.state.known,
            requests=call.state.requests,
            seed=entropy,
            heartbeat=fresh_heartbeat,
        )
        return requests.handle_opened(opening.start_session(call.with_state(fresh))).result

    def closed(self, state: TableLinkState, at: Timestamp) -> TableLinkResult:
        """The port was lost: a request in flight may be answered after the next opening."""
        call = requests.handle_closed(LinkCall(self.settings, state, at))
        closed_state = TableLinkState(known=call.state.known, requests=call.state.requests)
        return call.with_state(closed_state).result

    def receive(self, state: TableLinkState, data: bytes, at: Timestamp) -> TableLinkResult:
        """Take received bytes, in any fragmentation."""
        call = LinkCall(self.settings, state, at)
        if state.session.phase is LinkPhase.CLOSED:
            return call.result
        unframed, found = feed(state.unframed, data)
        silence_ns = at.monotonic_ns + self.settings.silence_ns_max if unframed.pending else None
        call = call.with_state(replace(state, unframed=unframed, silence_ns=silence_ns))
        for one in found:
            match one:
                case TableLinkFrame():
                    call = self._handle_frame(heartbeat.record_contact(call), one)
                case LinkFault():
                    call = call.emit(one)
                case _:
                    assert_never(one)
        return delivery.acknowledge(call).result

    def send(
        self, state: TableLinkState, command: TableLinkRequest, at: Timestamp
    ) -> TableLinkResult:
        """Send a request, or queue it behind the one in flight."""
        return requests.send(LinkCall(self.settings, state, at), command).result

    def tick(self, state: TableLinkState, at: Timestamp) -> TableLinkResult:
        """Handle deadlines that have passed."""
        call = LinkCall(self.settings, state, at)
        if state.session.phase is LinkPhase.CLOSED:
            return requests.handle_deadlines(call).result
        before = state.heartbeat.silence
        call = heartbeat.check_silence(_check_half_frame(call))
        if call.state.heartbeat.silence is SilenceLevel.LOST and before is not SilenceLevel.LOST:
            # The device must prove its identity again.
            call = opening.start_session(call)
        call = requests.handle_deadlines(opening.handle_deadline(call))
        if call.state.session.phase is LinkPhase.ADMITTED:
            call = heartbeat.ping_if_idle(opening.request_time(call))
        return call.result

    def next_deadline_ns(self, state: TableLinkState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        deadlines = requests.deadlines_ns(state)
        session = state.session
        if session.phase is not LinkPhase.CLOSED:
            deadlines = (*deadlines, *heartbeat.deadlines_ns(self.settings, state))
            own_ns = (
                session.time_due_ns if session.phase is LinkPhase.ADMITTED else session.retry_due_ns
            )
            silence_ns = () if state.silence_ns is None else (state.silence_ns,)
            deadlines = (*deadlines, own_ns, *silence_ns)
        return min(deadlines, default=None)

    def _handle_frame(self, call: LinkCall, frame: TableLinkFrame) -> LinkCall:
        session = call.state.session
        admitted = session.phase is LinkPhase.ADMITTED
        if not admitted and (frame.channel, frame.type) not in _ALLOWED_BEFORE_ADMISSION:
            return call
        received = messages.decode(frame)
        if isinstance(received, LinkFault):
            return _report_once(call, received)
        if received is None:
            return call
        return self._handle_message(call, received)

    def _handle_message(self, call: LinkCall, received: TableLinkMessage) -> LinkCall:
        match received:
            case Hello():
                return opening.handle_hello(call, received)
            case AttestationResponse():
                return opening.handle_attestation(call, received)
            case EventMessage():
                call = delivery.handle_event(call, received)
                return opening.start_session(call) if delivery.is_gap_overdue(call) else call
            case AnswerMessage():
                return requests.handle_answer(call, received)
            case Ping():
                return _handle_ping(call, received)
            case TimeResponse():
                return _handle_time_response(call, received)
            case Pong():
                return call
            case Bye(reason):
                detail = message("device_ends_link", foreign=reason)
                fault = LinkFault(LinkFaultKind.DEVICE_STATUS, detail)
                return opening.start_session(call.emit(fault))
            case ErrorMessage(code, text):
                detail = message("device_reports_error", code=code, foreign=text)
                return call.emit(LinkFault(LinkFaultKind.DEVICE_STATUS, detail))
            case _:
                assert_never(received)


_ALLOWED_BEFORE_ADMISSION: Final = tuple((FrameChannel.LINK, kind) for kind in _ALLOWED_TYPES)


def _check_half_frame(call: LinkCall) -> LinkCall:
    """Report silence within a frame, once until the next whole one."""
    state = call.state
    if state.silence_ns is None or call.now_ns < state.silence_ns:
        return call
    kind, reported = SILENT_WITHIN_FRAME.kind, state.unframed.reported
    if kind in reported:
        return call.with_state(replace(state, silence_ns=None))
    unframed = replace(state.unframed, reported=(*reported, kind))
    return call.with_state(replace(state, silence_ns=None, unframed=unframed)).emit(
        SILENT_WITHIN_FRAME
    )


def _report_once(call: LinkCall, fault: LinkFault) -> LinkCall:
    """Report a fault of a repeated message once."""
    session = call.state.session
    if session.reported_fault == fault.detail:
        return call
    return call.with_session(replace(session, reported_fault=fault.detail)).emit(fault)


def _handle_ping(call: LinkCall, message: Ping) -> LinkCall:
    call, rebooted = heartbeat.check_reboot(call, message.uptime_us)
    if rebooted:
        return opening.start_session(call)
    call = heartbeat.report_fill_level(call.send_now(messages.pong(message.uptime_us)), message)
    call, stalled = delivery.check_withheld_events(call, message.buffered)
    if stalled:
        return opening.start_session(call)
    session, known = call.state.session, call.state.known
    if message.buffered and not session.events_flowing and known is not None:
        # It has events and sends none: it did not receive the HELLO_ACK.
        call = call.send_after_store(messages.hello_ack(session.number, known.last))
    return call


def _handle_time_response(call: LinkCall, message: TimeResponse) -> LinkCall:
    session = call.state.session
    if (
        session.pending_time_request is None
        or session.pending_time_request[0] != message.request_us
    ):
        return call
    call, rebooted = heartbeat.check_reboot(call, message.replied_us)
    if rebooted:
        return opening.start_session(call)
    first = not call.state.clock.exchanges
    exchanged = clock.add_exchange(
        call.state.clock,
        sent_ns=session.pending_time_request[1],
        received_us=message.received_us,
        replied_us=message.replied_us,
        answered_ns=call.now_ns,
        window=call.settings.time_window,
    )
    session = replace(session, pending_time_request=None)
    if first:
        session = replace(session, time_due_ns=call.now_ns + call.settings.time_ns)
    return call.with_state(replace(call.state, clock=exchanged, session=session))
