"""Requests: one in flight, the same id until it is answered, none executed twice.

Every request is written after the store, so that an id that was on the line is never given to
another request.
Not: whether a request is allowed (drivers).
Source: firmware_bridge/tablelink/README.md, requests.
"""

from typing import Final

from msgspec.structs import replace

from firmware_bridge.tablelink import fields, frames, messages
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkRequest,
)
from firmware_bridge.tablelink.link_call import LinkCall
from firmware_bridge.tablelink.messages import AnswerMessage, HostMessage
from firmware_bridge.tablelink.state import (
    LinkPhase,
    QueuedRequest,
    RequestInFlight,
    TableLinkState,
)
from foundation.message import Message, message
from foundation.timestamp import Timestamp, comparable

_WITHOUT_ARGUMENT: Final = (
    RequestType.STATUS,
    RequestType.SELF_TEST,
    RequestType.LOCK,
    RequestType.UNLOCK,
)

_NOT_OPEN: Final = message("device_port_not_open")
_NOT_SENT: Final = message("port_lost_before_sent")
_UNANSWERED: Final = message("device_did_not_answer_in_time")
_REPLACED: Final = message("device_at_port_replaced")
_USED_UP: Final = message("device_used_up_request_numbers")


def send(call: LinkCall, request: TableLinkRequest) -> LinkCall:
    """Queue a request and send it when its turn comes."""
    requests = call.state.requests
    if call.state.session.phase is LinkPhase.CLOSED:
        return call.emit(_unanswered(request, _NOT_OPEN))
    if not 0 <= request.argument < fields.U32_END:
        detail = message("no_request_has_argument", argument=request.argument)
        return call.emit(RequestAnswer(request, RequestStatus.REFUSED, detail, None))
    waiting_max = call.settings.requests_waiting_max
    if len(requests.waiting) >= waiting_max:
        detail = message("requests_wait_for_device", most=waiting_max)
        return call.emit(RequestAnswer(request, RequestStatus.REFUSED, detail, None))
    waiting = (
        *requests.waiting,
        QueuedRequest(request, _deadline_after(call, call.settings.request_ns_max)),
    )
    return send_next(call.with_requests(replace(requests, waiting=waiting)))


def send_next(call: LinkCall) -> LinkCall:
    """Send the next waiting request if the device is admitted and none is in flight."""
    requests = call.state.requests
    admitted = call.state.session.phase is LinkPhase.ADMITTED
    if not admitted or requests.in_flight is not None or not requests.waiting:
        return call
    first, *waiting = requests.waiting
    requests = replace(requests, waiting=tuple(waiting))
    if requests.next_id > frames.U32:
        call = call.with_requests(requests)
        return send_next(call.emit(_unanswered(first.request, _USED_UP)))
    pause_ns = call.settings.retry_ns
    in_flight = RequestInFlight(
        requests.next_id, first.request, first.deadline, call.now_ns + pause_ns, pause_ns
    )
    requests = replace(requests, next_id=requests.next_id + 1, in_flight=in_flight)
    return call.with_requests(requests).send_after_store(_request_message(in_flight, resent=False))


def handle_answer(call: LinkCall, answer: AnswerMessage) -> LinkCall:
    """Handle the answer to the request in flight; any other answer is a repeat."""
    requests = call.state.requests
    in_flight = requests.in_flight
    if in_flight is None or (answer.id, answer.type) != (in_flight.id, in_flight.request.kind):
        return call
    call = call.with_requests(replace(requests, in_flight=None))
    detail = message("in_its_own_words", foreign=answer.detail) if answer.detail else None
    call = call.emit(RequestAnswer(in_flight.request, answer.status, detail, answer.device_status))
    return send_next(call)


def handle_deadlines(call: LinkCall) -> LinkCall:
    """Give up requests that took too long, and repeat the one in flight."""
    now_ns = call.now_ns
    requests = call.state.requests
    late = tuple(one for one in requests.waiting if now_ns >= one.deadline.monotonic_ns)
    in_flight = requests.in_flight
    if in_flight is not None and now_ns >= in_flight.deadline.monotonic_ns:
        call = call.emit(_unanswered(in_flight.request, _UNANSWERED))
        in_flight = None
    call = call.emit(*(_unanswered(one.request, _UNANSWERED) for one in late))
    waiting = tuple(one for one in requests.waiting if one not in late)
    admitted = call.state.session.phase is LinkPhase.ADMITTED
    if in_flight is not None and admitted and now_ns >= in_flight.retry_due_ns:
        pause_ns = min(in_flight.pause_ns * 2, call.settings.retry_ns_max)
        in_flight = replace(in_flight, retry_due_ns=now_ns + pause_ns, pause_ns=pause_ns)
        call = call.send_after_store(_request_message(in_flight, resent=True))
    call = call.with_requests(replace(requests, in_flight=in_flight, waiting=waiting))
    return send_next(call)


def resume(call: LinkCall, executed: int) -> LinkCall:
    """After admission: repeat the request in flight, with the same id."""
    requests = call.state.requests
    requests = replace(requests, next_id=max(requests.next_id, executed + 1))
    in_flight = requests.in_flight
    if in_flight is None:
        return send_next(call.with_requests(requests))
    pause_ns = call.settings.retry_ns
    in_flight = replace(in_flight, retry_due_ns=call.now_ns + pause_ns, pause_ns=pause_ns)
    call = call.with_requests(replace(requests, in_flight=in_flight))
    return call.send_after_store(_request_message(in_flight, resent=True))


def handle_other_device(call: LinkCall) -> LinkCall:
    """Drop the request in flight: another device was admitted."""
    in_flight = call.state.requests.in_flight
    call = call.with_requests(replace(call.state.requests, in_flight=None))
    return call if in_flight is None else call.emit(_unanswered(in_flight.request, _REPLACED))


def handle_closed(call: LinkCall) -> LinkCall:
    """After a lost port: fail waiting requests; the one in flight keeps its id."""
    requests = call.state.requests
    call = call.emit(*(_unanswered(one.request, _NOT_SENT) for one in requests.waiting))
    return call.with_requests(replace(requests, waiting=()))


def handle_opened(call: LinkCall) -> LinkCall:
    """Continue the request in flight; its deadline may be from another boot of this machine."""
    requests = call.state.requests
    in_flight = requests.in_flight
    if in_flight is None:
        return call
    remaining_ns = min(
        max(_remaining_ns(call.at, in_flight.deadline), 0), call.settings.request_ns_max
    )
    in_flight = replace(in_flight, deadline=_deadline_after(call, remaining_ns))
    return handle_deadlines(call.with_requests(replace(requests, in_flight=in_flight)))


def deadlines_ns(state: TableLinkState) -> tuple[int, ...]:
    """When a request is repeated or given up."""
    requests = state.requests
    deadlines = tuple(one.deadline.monotonic_ns for one in requests.waiting)
    if requests.in_flight is None:
        return deadlines
    deadlines = (*deadlines, requests.in_flight.deadline.monotonic_ns)
    if state.session.phase is LinkPhase.ADMITTED:
        deadlines = (*deadlines, requests.in_flight.retry_due_ns)
    return deadlines


def _request_message(in_flight: RequestInFlight, *, resent: bool) -> HostMessage:
    type_ = in_flight.request.kind
    argument = None if type_ in _WITHOUT_ARGUMENT else in_flight.request.argument
    return messages.request(type_, in_flight.id, argument, resent=resent)


def _deadline_after(call: LinkCall, remaining_ns: int) -> Timestamp:
    return Timestamp(call.now_ns + remaining_ns, call.at.utc_ns + remaining_ns)


def _remaining_ns(now: Timestamp, deadline: Timestamp) -> int:
    """Remaining time by the monotonic clock within one boot, otherwise by UTC."""
    if comparable(now, deadline):
        return deadline.monotonic_ns - now.monotonic_ns
    return deadline.utc_ns - now.utc_ns


def _unanswered(request: TableLinkRequest, detail: Message) -> RequestAnswer:
    return RequestAnswer(request, None, detail, None)
