"""Requests to a scanner over SSI: one outstanding at a time, with wake-up, timeouts and retries.

Sets the scanner up: revision, packets instead of bare text, enabled, session started. Executing a
request twice does no harm, so one without an answer is sent again.
Source: firmware_bridge/ssi/README.md.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.ssi.packets import RESENT, NakCause, Opcode, encode
from firmware_bridge.ssi.settings import SsiLinkSettings
from foundation.message import Message, message
from foundation.timestamp import Timestamp


class SsiRequest(StrEnum):
    """Requests to the scanner."""

    REVISION = "revision"
    PACKETS = "packets"
    ENABLE = "enable"
    DISABLE = "disable"
    START_SESSION = "start_session"
    STOP_SESSION = "stop_session"


class RequestDone(Struct, frozen=True):
    request: SsiRequest


class RequestRefused(Struct, frozen=True):
    request: SsiRequest
    cause: int


class RequestUnanswered(Struct, frozen=True):
    request: SsiRequest


RequestItem: TypeAlias = RequestDone | RequestRefused | RequestUnanswered


class OutstandingRequest(Struct, frozen=True):
    """The request that waits for the scanner to wake, or for its answer; `sent`: how often."""

    request: SsiRequest
    deadline_ns: int
    sent: int = 0
    waking: bool = True


class RequestExchange(Struct, frozen=True):
    """`setup_began_ns`: when the last setup began; `setup_due_ns`: when the next one is due.

    `silent`: it was reported that the scanner does not answer.
    """

    outstanding: OutstandingRequest | None = None
    waiting: tuple[SsiRequest, ...] = ()
    setup_began_ns: int | None = None
    setup_due_ns: int | None = None
    silent: bool = False


RequestOutput: TypeAlias = LinkOutput[RequestItem]
RequestExchangeResult: TypeAlias = tuple[RequestExchange, RequestOutput]

WAKE_UP = b"\x00"
# No beep; parameter EE, decoded data in packets; parameter 9F, packets are acknowledged. Valid
# until power-off: permanent changes wear out the scanner's memory.
_PARAMETERS = b"\xff\xee\x01\x9f\x01"
_SET_UP = (SsiRequest.REVISION, SsiRequest.PACKETS, SsiRequest.ENABLE, SsiRequest.START_SESSION)
_WAITING_MAX = 8

_PACKETS = MappingProxyType(
    {
        SsiRequest.REVISION: (Opcode.REVISION_WANTED, b""),
        SsiRequest.PACKETS: (Opcode.PARAMETERS, _PARAMETERS),
        SsiRequest.ENABLE: (Opcode.ENABLE, b""),
        SsiRequest.DISABLE: (Opcode.DISABLE, b""),
        SsiRequest.START_SESSION: (Opcode.START_SESSION, b""),
        SsiRequest.STOP_SESSION: (Opcode.STOP_SESSION, b""),
    }
)
# Without these, scans may be lost or duplicated. A scanner started by its trigger refuses a
# session, and some do not report their revision.
_NEEDED = (SsiRequest.PACKETS, SsiRequest.ENABLE)


def start_setup(
    settings: SsiLinkSettings, state: RequestExchange, at: Timestamp
) -> RequestExchangeResult:
    """Start the setup; drop an outstanding request."""
    first, *rest = _SET_UP
    state = replace(state, waiting=tuple(rest), setup_began_ns=at.monotonic_ns, setup_due_ns=None)
    return _wake(settings, state, OutstandingRequest(first, 0), at)


def send(
    settings: SsiLinkSettings, state: RequestExchange, request: SsiRequest, at: Timestamp
) -> RequestExchangeResult:
    """Send, or queue behind the outstanding request; unanswered at once when too many wait."""
    if state.outstanding is None:
        return _wake(settings, state, OutstandingRequest(request, 0), at)
    if len(state.waiting) >= _WAITING_MAX:
        return state, LinkOutput((RequestUnanswered(request),))
    return replace(state, waiting=(*state.waiting, request)), LinkOutput()


def fail_all(state: RequestExchange) -> RequestExchangeResult:
    """Fail all requests: the port was lost, so no answer will come."""
    outstanding = () if state.outstanding is None else (state.outstanding.request,)
    items = tuple(RequestUnanswered(request) for request in (*outstanding, *state.waiting))
    return RequestExchange(), LinkOutput(items)


def schedule_setup(
    settings: SsiLinkSettings, state: RequestExchange, at: Timestamp
) -> RequestExchange:
    """Schedule a setup: bytes outside packets mean that the scanner may have lost its settings."""
    if (
        state.outstanding is not None
        or state.setup_due_ns is not None
        or state.setup_began_ns is None
    ):
        return state
    setup_due_ns = max(at.monotonic_ns, state.setup_began_ns + settings.set_up_again_ns)
    return replace(state, setup_due_ns=setup_due_ns)


def cancel_scheduled_setup(state: RequestExchange) -> RequestExchange:
    """Cancel the scheduled setup: a valid packet of scanned data proves the settings."""
    return state if state.silent else replace(state, setup_due_ns=None)


def handle_ack(
    settings: SsiLinkSettings, state: RequestExchange, at: Timestamp
) -> RequestExchangeResult:
    """Handle ACK, or the requested data: the outstanding request is done."""
    outstanding = _sent_request(state)
    if outstanding is None:
        return state, _unexpected_answer(message("ack"))
    return _send_next(settings, state, at, (RequestDone(outstanding.request),))


def handle_revision(
    settings: SsiLinkSettings, state: RequestExchange, at: Timestamp
) -> RequestExchangeResult:
    """Handle the scanner's revision, which answers only that request."""
    outstanding = _sent_request(state)
    if outstanding is None or outstanding.request is not SsiRequest.REVISION:
        return state, LinkOutput()
    return handle_ack(settings, state, at)


def handle_nak(
    settings: SsiLinkSettings, state: RequestExchange, cause: int, at: Timestamp
) -> RequestExchangeResult:
    """Handle NAK: resend the packet, or report the refusal."""
    outstanding = _sent_request(state)
    if outstanding is None:
        return state, _unexpected_answer(message("nak", code=f"{cause:02X}"))
    if cause == NakCause.RESEND and outstanding.sent <= settings.resends_max:
        return _write(settings, state, outstanding, at)
    request = outstanding.request
    items: tuple[RequestItem | LinkFault, ...] = (RequestRefused(request, cause),)
    if request in _NEEDED:
        detail = message("scanner_refused_request", request=request.value, cause=f"{cause:02X}")
        items = (LinkFault(LinkFaultKind.COMMAND_REFUSED, detail), *items)
    return _send_next(settings, state, at, items)


def tick(settings: SsiLinkSettings, state: RequestExchange, at: Timestamp) -> RequestExchangeResult:
    """Handle deadlines: the scanner is awake, did not answer, or a setup is due."""
    outstanding = state.outstanding
    if outstanding is None:
        if state.setup_due_ns is None or at.monotonic_ns < state.setup_due_ns:
            return state, LinkOutput()
        return start_setup(settings, state, at)
    if at.monotonic_ns < outstanding.deadline_ns:
        return state, LinkOutput()
    if outstanding.waking:
        return _write(settings, state, outstanding, at)
    if outstanding.sent <= settings.resends_max:
        return _wake(settings, state, outstanding, at)
    _none, output = fail_all(state)
    items = output.items
    if not state.silent:
        request = outstanding.request.value
        detail = message("scanner_did_not_answer", request=request, sent=outstanding.sent)
        items = (LinkFault(LinkFaultKind.NO_ANSWER, detail), *items)
    setup_due_ns = at.monotonic_ns + settings.set_up_again_ns
    return RequestExchange(setup_due_ns=setup_due_ns, silent=True), LinkOutput(items)


def next_deadline_ns(state: RequestExchange) -> int | None:
    """Monotonic time of the next deadline, or None."""
    return state.setup_due_ns if state.outstanding is None else state.outstanding.deadline_ns


def _sent_request(state: RequestExchange) -> OutstandingRequest | None:
    """The request that an answer can belong to: one that was sent."""
    outstanding = state.outstanding
    return None if outstanding is None or outstanding.sent == 0 else outstanding


def _wake(
    settings: SsiLinkSettings,
    state: RequestExchange,
    outstanding: OutstandingRequest,
    at: Timestamp,
) -> RequestExchangeResult:
    deadline_ns = at.monotonic_ns + settings.wake_ns
    waking = replace(outstanding, deadline_ns=deadline_ns, waking=True)
    return replace(state, outstanding=waking), LinkOutput(at_once=(WAKE_UP,))


def _write(
    settings: SsiLinkSettings,
    state: RequestExchange,
    outstanding: OutstandingRequest,
    at: Timestamp,
) -> RequestExchangeResult:
    opcode, data = _PACKETS[outstanding.request]
    packet = encode(opcode, data, status=RESENT if outstanding.sent else 0)
    deadline_ns = at.monotonic_ns + settings.answer_ns_max
    written = replace(outstanding, deadline_ns=deadline_ns, sent=outstanding.sent + 1, waking=False)
    return replace(state, outstanding=written), LinkOutput(at_once=(packet,))


def _send_next(
    settings: SsiLinkSettings,
    state: RequestExchange,
    at: Timestamp,
    items: tuple[RequestItem | LinkFault, ...],
) -> RequestExchangeResult:
    """Complete the outstanding request and send the next one; the scanner is awake."""
    state = replace(state, outstanding=None, silent=False)
    if not state.waiting:
        return state, LinkOutput(items)
    following, *waiting = state.waiting
    state = replace(state, waiting=tuple(waiting))
    state, output = _write(settings, state, OutstandingRequest(following, 0), at)
    return state, LinkOutput(items, at_once=output.at_once)


def _unexpected_answer(answer: Message) -> RequestOutput:
    detail = message("scanner_answered_without_request", answer=answer)
    return LinkOutput((LinkFault(LinkFaultKind.UNEXPECTED_ANSWER, detail),))
