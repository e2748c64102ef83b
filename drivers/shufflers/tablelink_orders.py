"""Maps shuffler orders to TableLink requests, and their answers to device events.

Source: firmware_bridge README, "TableLink/1", "Requests".
"""

from types import MappingProxyType

from drivers.commands import OrderShuffler, ShufflerOrder
from drivers.events import CommandAnswered, CommandOutcome
from drivers.tablelink.answers import NOT_ANSWERED, with_detail
from firmware_bridge.tablelink.bodies import DeviceMode
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkRequest,
)
from foundation.message import Message, message
from foundation.recorded_text import Identifier

_COMPARTMENTS = (1, 2)
_WHOLE = 0

_COMPARTMENT_ORDERS = MappingProxyType(
    {
        ShufflerOrder.LOAD: RequestType.LOAD,
        ShufflerOrder.COUNT: RequestType.COUNT,
        ShufflerOrder.SHUFFLE: RequestType.SHUFFLE,
        ShufflerOrder.STORE: RequestType.STORE,
        ShufflerOrder.RELEASE: RequestType.RELEASE,
    }
)
_DEVICE_ORDERS = MappingProxyType(
    {
        ShufflerOrder.STATUS: TableLinkRequest(RequestType.STATUS),
        ShufflerOrder.SELF_TEST: TableLinkRequest(RequestType.SELF_TEST),
        ShufflerOrder.SERVICE: TableLinkRequest(RequestType.MODE, DeviceMode.SERVICE.value),
        ShufflerOrder.SORT: TableLinkRequest(RequestType.MODE, DeviceMode.SORT.value),
        ShufflerOrder.PLAY: TableLinkRequest(RequestType.MODE, DeviceMode.PLAY.value),
    }
)
_ORDERS = MappingProxyType(
    {order: name for name, order in _COMPARTMENT_ORDERS.items()}
    | {RequestType.ABORT: ShufflerOrder.ABORT}
)
_DEVICE_ORDER_NAMES = MappingProxyType({request: name for name, request in _DEVICE_ORDERS.items()})
_ANSWERS = MappingProxyType(
    {
        RequestStatus.DONE: (CommandOutcome.DONE, message("shuffler_did_order")),
        RequestStatus.REFUSED: (CommandOutcome.REFUSED, message("shuffler_refused")),
        RequestStatus.UNKNOWN: (CommandOutcome.REFUSED, message("shuffler_does_not_know_order")),
        RequestStatus.FAILED: (CommandOutcome.REFUSED, message("shuffler_failed")),
    }
)

STATUS = _DEVICE_ORDERS[ShufflerOrder.STATUS]


def request_of(command: OrderShuffler) -> TableLinkRequest | Message:
    """The request, or why no shuffler can execute this order and what to do."""
    whole = _DEVICE_ORDERS.get(command.order)
    if whole is not None:
        if command.compartment == _WHOLE:
            return whole
        return message("order_concerns_whole_shuffler", order=command.order.value)
    order = _COMPARTMENT_ORDERS.get(command.order)
    if order is None:  # ABORT takes a compartment, or 0 for all
        if command.compartment in (_WHOLE, *_COMPARTMENTS):
            return TableLinkRequest(RequestType.ABORT, command.compartment)
        return message("no_such_compartment_to_abort", compartment=command.compartment)
    if command.compartment in _COMPARTMENTS:
        return TableLinkRequest(order, command.compartment)
    return message("no_such_compartment", compartment=command.compartment)


def order_name(request: TableLinkRequest) -> Identifier | Message:
    """The order's name, with its compartment where it has one."""
    whole = _DEVICE_ORDER_NAMES.get(request)
    if whole is not None:
        return whole.value
    order = _ORDERS.get(request.kind)
    name = request.kind.name.lower() if order is None else order.value
    if not request.argument:
        return message("order_in_all_compartments", order=name)
    return message("order_in_compartment", order=name, compartment=request.argument)


def answer_of(answer: RequestAnswer) -> CommandAnswered:
    """The device event of an answered order."""
    outcome, said = NOT_ANSWERED if answer.status is None else _ANSWERS[answer.status]
    detail = message(
        "order_answered",
        order=order_name(answer.request),
        answer=with_detail(said, answer.detail),
    )
    return CommandAnswered("OrderShuffler", outcome, detail)
