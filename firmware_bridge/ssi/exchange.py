"""Requests to a scanner over SSI and what becomes of them.

Responsible for: the closed set of requests with their packets, one outstanding at a time, waking
the scanner, time-outs and resends, and setting the scanner up: who it is, packets instead of bare
text, enabled, session started.
Not responsible for: what the scanner says unasked (link).

Doing a request twice does no harm, so one without an answer is sent again.
Source: package README, "Scanners", SSI.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.ssi.packets import RESENT, NakCause, Opcode, encode
from firmware_bridge.ssi.settings import SsiLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace


class Request(StrEnum):
    """What is asked of the scanner."""

    REVISION = "revision"
    PACKETS = "packets"
    ENABLE = "enable"
    DISABLE = "disable"
    START_SESSION = "start_session"
    STOP_SESSION = "stop_session"


@dataclass(frozen=True, slots=True)
class RequestDone:
    request: Request


@dataclass(frozen=True, slots=True)
class RequestRefused:
    request: Request
    cause: int


@dataclass(frozen=True, slots=True)
class RequestUnanswered:
    request: Request


RequestItem: TypeAlias = RequestDone | RequestRefused | RequestUnanswered


@dataclass(frozen=True, slots=True)
class Outstanding:
    """The request that waits for the scanner to wake (not yet `sent`), or for its answer."""

    request: Request
    deadline_ns: int
    sent: int = 0
    waking: bool = True


@dataclass(frozen=True, slots=True)
class ExchangeState:
    """`begun_ns`: when setting up last began; `again_ns`: when it is to begin again.

    `silent`: that the scanner does not answer has been told.
    """

    outstanding: Outstanding | None = None
    waiting: tuple[Request, ...] = ()
    begun_ns: int | None = None
    again_ns: int | None = None
    silent: bool = False


ExchangeOutput: TypeAlias = LinkOutput[RequestItem]
Exchanged: TypeAlias = tuple[ExchangeState, ExchangeOutput]

WAKE_UP = b"\x00"
# No beep; parameter EE, decoded data in packets; parameter 9F, packets are acknowledged. For as
# long as the scanner has power: its memory wears with each lasting change.
_PARAMETERS = b"\xff\xee\x01\x9f\x01"
_SET_UP = (Request.REVISION, Request.PACKETS, Request.ENABLE, Request.START_SESSION)
_WAITING_MAX = 8

_PACKETS = MappingProxyType(
    {
        Request.REVISION: (Opcode.REVISION_WANTED, b""),
        Request.PACKETS: (Opcode.PARAMETERS, _PARAMETERS),
        Request.ENABLE: (Opcode.ENABLE, b""),
        Request.DISABLE: (Opcode.DISABLE, b""),
        Request.START_SESSION: (Opcode.START_SESSION, b""),
        Request.STOP_SESSION: (Opcode.STOP_SESSION, b""),
    }
)
# Without these no scan can be trusted to come, and to come once. A scanner that its trigger
# starts refuses a session, and some do not tell their revision.
_NEEDED = (Request.PACKETS, Request.ENABLE)


def set_up(settings: SsiLinkSettings, state: ExchangeState, at: Timestamp) -> Exchanged:
    """Begin setting up; what was under way is forgotten."""
    first, *rest = _SET_UP
    state = replace(state, waiting=tuple(rest), begun_ns=at.monotonic_ns, again_ns=None)
    return _wake(settings, state, Outstanding(first, 0), at)


def send(
    settings: SsiLinkSettings, state: ExchangeState, request: Request, at: Timestamp
) -> Exchanged:
    """Send, or queue behind what is outstanding; unanswered at once when too many wait."""
    if state.outstanding is None:
        return _wake(settings, state, Outstanding(request, 0), at)
    if len(state.waiting) >= _WAITING_MAX:
        return state, LinkOutput((RequestUnanswered(request),))
    return replace(state, waiting=(*state.waiting, request)), LinkOutput()


def dropped(state: ExchangeState) -> Exchanged:
    """The port is gone: no answer will come."""
    outstanding = () if state.outstanding is None else (state.outstanding.request,)
    items = tuple(RequestUnanswered(request) for request in (*outstanding, *state.waiting))
    return ExchangeState(), LinkOutput(items)


def doubted(settings: SsiLinkSettings, state: ExchangeState, at: Timestamp) -> ExchangeState:
    """What came is no packet: the scanner may have lost its settings. Set it up, not too often."""
    if state.outstanding is not None or state.again_ns is not None or state.begun_ns is None:
        return state
    again_ns = max(at.monotonic_ns, state.begun_ns + settings.set_up_again_ns)
    return replace(state, again_ns=again_ns)


def trusted(state: ExchangeState) -> ExchangeState:
    """A good packet of scanned data came: the settings are there."""
    return state if state.silent else replace(state, again_ns=None)


def answered(settings: SsiLinkSettings, state: ExchangeState, at: Timestamp) -> Exchanged:
    """The scanner acknowledged, or gave what was asked for."""
    outstanding = _awaited(state)
    if outstanding is None:
        return state, _unexpected("ACK")
    return _next(settings, state, at, (RequestDone(outstanding.request),))


def revision_told(settings: SsiLinkSettings, state: ExchangeState, at: Timestamp) -> Exchanged:
    """The scanner told its revision, which answers that request and no other."""
    outstanding = _awaited(state)
    if outstanding is None or outstanding.request is not Request.REVISION:
        return state, LinkOutput()
    return answered(settings, state, at)


def refused(
    settings: SsiLinkSettings, state: ExchangeState, cause: int, at: Timestamp
) -> Exchanged:
    """The scanner did not take the packet, or does not do what it asks."""
    outstanding = _awaited(state)
    if outstanding is None:
        return state, _unexpected(f"NAK {cause:02X}")
    if cause == NakCause.RESEND and outstanding.sent <= settings.resends_max:
        return _write(settings, state, outstanding, at)
    request = outstanding.request
    items: tuple[RequestItem | LinkFault, ...] = (RequestRefused(request, cause),)
    if request in _NEEDED:
        detail = f"the scanner refused {request} ({cause:02X}): its scans may not come"
        items = (LinkFault(LinkFaultKind.COMMAND_REFUSED, detail), *items)
    return _next(settings, state, at, items)


def tick(settings: SsiLinkSettings, state: ExchangeState, at: Timestamp) -> Exchanged:
    """The scanner is awake, or did not answer, or it is time to set it up again."""
    outstanding = state.outstanding
    if outstanding is None:
        if state.again_ns is None or at.monotonic_ns < state.again_ns:
            return state, LinkOutput()
        return set_up(settings, state, at)
    if at.monotonic_ns < outstanding.deadline_ns:
        return state, LinkOutput()
    if outstanding.waking:
        return _write(settings, state, outstanding, at)
    if outstanding.sent <= settings.resends_max:
        return _wake(settings, state, outstanding, at)
    _none, output = dropped(state)
    items = output.items
    if not state.silent:
        detail = f"the scanner did not answer {outstanding.request}, sent {outstanding.sent} times"
        items = (LinkFault(LinkFaultKind.NO_ANSWER, detail), *items)
    again_ns = at.monotonic_ns + settings.set_up_again_ns
    return ExchangeState(again_ns=again_ns, silent=True), LinkOutput(items)


def next_deadline_ns(state: ExchangeState) -> int | None:
    """Monotonic time of the next deadline, or None."""
    return state.again_ns if state.outstanding is None else state.outstanding.deadline_ns


def _awaited(state: ExchangeState) -> Outstanding | None:
    """The request an answer can belong to: one that was sent."""
    outstanding = state.outstanding
    return None if outstanding is None or outstanding.sent == 0 else outstanding


def _wake(
    settings: SsiLinkSettings, state: ExchangeState, outstanding: Outstanding, at: Timestamp
) -> Exchanged:
    deadline_ns = at.monotonic_ns + settings.wake_ns
    waking = replace(outstanding, deadline_ns=deadline_ns, waking=True)
    return replace(state, outstanding=waking), LinkOutput(at_once=(WAKE_UP,))


def _write(
    settings: SsiLinkSettings, state: ExchangeState, outstanding: Outstanding, at: Timestamp
) -> Exchanged:
    opcode, data = _PACKETS[outstanding.request]
    packet = encode(opcode, data, status=RESENT if outstanding.sent else 0)
    deadline_ns = at.monotonic_ns + settings.answer_ns_max
    written = replace(outstanding, deadline_ns=deadline_ns, sent=outstanding.sent + 1, waking=False)
    return replace(state, outstanding=written), LinkOutput(at_once=(packet,))


def _next(
    settings: SsiLinkSettings,
    state: ExchangeState,
    at: Timestamp,
    items: tuple[RequestItem | LinkFault, ...],
) -> Exchanged:
    """The outstanding request is over; the scanner is awake for the next one."""
    state = replace(state, outstanding=None, silent=False)
    if not state.waiting:
        return state, LinkOutput(items)
    following, *waiting = state.waiting
    state = replace(state, waiting=tuple(waiting))
    state, output = _write(settings, state, Outstanding(following, 0), at)
    return state, LinkOutput(items, at_once=output.at_once)


def _unexpected(answer: str) -> ExchangeOutput:
    detail = f"the scanner answered {answer} and no request waits for an answer"
    return LinkOutput((LinkFault(LinkFaultKind.UNEXPECTED_ANSWER, detail),))
