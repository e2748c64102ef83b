"""Requests: one under way, the same id until it is answered, none executed twice.

Responsible for: ids, repeating, giving up, and what becomes of requests when the port is lost, the
program restarts or another device stands there.
Not responsible for: whether a request is allowed (drivers) and its bytes (messages).
Source: package README, "TableLink/1", requests. Every request is written after the store, so that
an id that was on the line is never given to another request.
"""

from typing import Final

from firmware_bridge.tablelink import fields, frames, messages
from firmware_bridge.tablelink.items import Answered, Order, Request, RequestStatus
from firmware_bridge.tablelink.messages import AnswerTold, Said
from firmware_bridge.tablelink.state import (
    Phase,
    TableLinkState,
    UnderWay,
    Waiting,
)
from firmware_bridge.tablelink.turn import Turn
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import replace

# Two stamps whose clocks lie further apart than this are of different boots, or the clock was
# set: their monotonic times must not be compared.
_CLOCK_OFFSET_NS_MAX: Final = 5_000_000_000
_WITHOUT_ARGUMENT: Final = (Order.STATUS, Order.SELF_TEST, Order.LOCK, Order.UNLOCK)

_NOT_OPEN: Final = "the port is not open: plug the device in and ask again"
_NOT_SENT: Final = "the port was lost before this was sent: ask again"
_UNANSWERED: Final = "the device did not answer in time: ask for its status before asking again"
_REPLACED: Final = "another device stands at this port than the one that was asked"
_USED_UP: Final = "the device has used up all numbers of requests: it has to be reset by its maker"


def send(turn: Turn, request: Request) -> Turn:
    """Ask, behind what was asked before."""
    requests = turn.state.requests
    if turn.state.session.phase is Phase.CLOSED:
        return turn.tell(_unanswered(request, _NOT_OPEN))
    if not 0 <= request.argument < fields.U32_END:
        detail = f"no request has the argument {request.argument}"
        return turn.tell(Answered(request, RequestStatus.REFUSED, detail, None))
    waiting_max = turn.settings.requests_waiting_max
    if len(requests.waiting) >= waiting_max:
        detail = f"{waiting_max} requests wait already: wait for their answers"
        return turn.tell(Answered(request, RequestStatus.REFUSED, detail, None))
    waiting = (*requests.waiting, Waiting(request, _until(turn, turn.settings.request_ns_max)))
    return asked_next(turn.with_requests(replace(requests, waiting=waiting)))


def asked_next(turn: Turn) -> Turn:
    """Send what waits, one at a time, to a device that is admitted."""
    requests = turn.state.requests
    admitted = turn.state.session.phase is Phase.ADMITTED
    if not admitted or requests.under_way is not None or not requests.waiting:
        return turn
    first, *waiting = requests.waiting
    requests = replace(requests, waiting=tuple(waiting))
    if requests.next_id > frames.U32:
        turn = turn.with_requests(requests)
        return asked_next(turn.tell(_unanswered(first.request, _USED_UP)))
    pause_ns = turn.settings.retry_ns
    under_way = UnderWay(
        requests.next_id, first.request, first.until, turn.now_ns + pause_ns, pause_ns
    )
    requests = replace(requests, next_id=requests.next_id + 1, under_way=under_way)
    return turn.with_requests(requests).say_after_store(_said(under_way, resent=False))


def answered(turn: Turn, told: AnswerTold) -> Turn:
    """The answer to what is under way; any other was given before."""
    requests = turn.state.requests
    under_way = requests.under_way
    if under_way is None or (told.id, told.type) != (under_way.id, under_way.request.order):
        return turn
    turn = turn.with_requests(replace(requests, under_way=None))
    turn = turn.tell(Answered(under_way.request, told.status, told.detail, told.told))
    return asked_next(turn)


def due(turn: Turn) -> Turn:
    """Give up what took too long, and repeat what is under way."""
    now_ns = turn.now_ns
    requests = turn.state.requests
    late = tuple(one for one in requests.waiting if now_ns >= one.until.monotonic_ns)
    under_way = requests.under_way
    if under_way is not None and now_ns >= under_way.until.monotonic_ns:
        turn = turn.tell(_unanswered(under_way.request, _UNANSWERED))
        under_way = None
    turn = turn.tell(*(_unanswered(one.request, _UNANSWERED) for one in late))
    waiting = tuple(one for one in requests.waiting if one not in late)
    admitted = turn.state.session.phase is Phase.ADMITTED
    if under_way is not None and admitted and now_ns >= under_way.again_ns:
        pause_ns = min(under_way.pause_ns * 2, turn.settings.retry_ns_max)
        under_way = replace(under_way, again_ns=now_ns + pause_ns, pause_ns=pause_ns)
        turn = turn.say_after_store(_said(under_way, resent=True))
    turn = turn.with_requests(replace(requests, under_way=under_way, waiting=waiting))
    return asked_next(turn)


def resumed(turn: Turn, executed: int) -> Turn:
    """The device is admitted: what was under way is asked again, with the same id."""
    requests = turn.state.requests
    requests = replace(requests, next_id=max(requests.next_id, executed + 1))
    under_way = requests.under_way
    if under_way is None:
        return asked_next(turn.with_requests(requests))
    pause_ns = turn.settings.retry_ns
    under_way = replace(under_way, again_ns=turn.now_ns + pause_ns, pause_ns=pause_ns)
    turn = turn.with_requests(replace(requests, under_way=under_way))
    return turn.say_after_store(_said(under_way, resent=True))


def replaced(turn: Turn) -> Turn:
    """Another device was admitted: it must not get what was asked of the one before."""
    under_way = turn.state.requests.under_way
    turn = turn.with_requests(replace(turn.state.requests, under_way=None))
    return turn if under_way is None else turn.tell(_unanswered(under_way.request, _REPLACED))


def closed(turn: Turn) -> Turn:
    """The port is lost: what was sent may have been executed and keeps its id."""
    requests = turn.state.requests
    turn = turn.tell(*(_unanswered(one.request, _NOT_SENT) for one in requests.waiting))
    return turn.with_requests(replace(requests, waiting=()))


def opened(turn: Turn) -> Turn:
    """What is under way goes on; its deadline may be of another boot of this machine."""
    requests = turn.state.requests
    under_way = requests.under_way
    if under_way is None:
        return turn
    rest_ns = min(max(_rest_ns(turn.at, under_way.until), 0), turn.settings.request_ns_max)
    under_way = replace(under_way, until=_until(turn, rest_ns))
    return due(turn.with_requests(replace(requests, under_way=under_way)))


def deadlines_ns(state: TableLinkState) -> tuple[int, ...]:
    """When something is to be repeated or given up."""
    requests = state.requests
    dues = tuple(one.until.monotonic_ns for one in requests.waiting)
    if requests.under_way is None:
        return dues
    dues = (*dues, requests.under_way.until.monotonic_ns)
    if state.session.phase is Phase.ADMITTED:
        dues = (*dues, requests.under_way.again_ns)
    return dues


def _said(under_way: UnderWay, *, resent: bool) -> Said:
    order = under_way.request.order
    argument = None if order in _WITHOUT_ARGUMENT else under_way.request.argument
    return messages.request(order, under_way.id, argument, resent=resent)


def _until(turn: Turn, rest_ns: int) -> Timestamp:
    return Timestamp(turn.now_ns + rest_ns, turn.at.utc_ns + rest_ns)


def _rest_ns(now: Timestamp, until: Timestamp) -> int:
    """By the monotonic clock within one boot, else by UTC."""
    monotonic_ns = until.monotonic_ns - now.monotonic_ns
    utc_ns = until.utc_ns - now.utc_ns
    same_boot = abs(utc_ns - monotonic_ns) <= _CLOCK_OFFSET_NS_MAX
    return monotonic_ns if same_boot else utc_ns


def _unanswered(request: Request, detail: str) -> Answered:
    return Answered(request, None, detail, None)
