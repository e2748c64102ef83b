"""Maps shuffler orders to TableLink requests, and their answers to device events.

Source: drivers/README.md, "Shufflers"; firmware_bridge README, "TableLink/1", "Requests".
"""

from types import MappingProxyType

from drivers.commands import OrderShuffler, ShufflerOrder
from drivers.events import CommandAnswered, CommandOutcome
from drivers.tablelink.printable import printable_text
from firmware_bridge.tablelink.bodies import DeviceMode
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkRequest,
)

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
        RequestStatus.DONE: (CommandOutcome.DONE, "done, or started"),
        RequestStatus.REFUSED: (CommandOutcome.REFUSED, "refused"),
        RequestStatus.UNKNOWN: (CommandOutcome.REFUSED, "the shuffler does not know this order"),
        RequestStatus.FAILED: (CommandOutcome.REFUSED, "failed"),
    }
)

STATUS = _DEVICE_ORDERS[ShufflerOrder.STATUS]


def request_of(command: OrderShuffler) -> TableLinkRequest | str:
    """The request, or a sentence why no shuffler can execute this order and what to do."""
    whole = _DEVICE_ORDERS.get(command.order)
    if whole is not None:
        if command.compartment == _WHOLE:
            return whole
        return f"{command.order.value} concerns the whole shuffler: name no compartment"
    order = _COMPARTMENT_ORDERS.get(command.order)
    if order is None:  # ABORT takes a compartment, or 0 for all
        if command.compartment in (_WHOLE, *_COMPARTMENTS):
            return TableLinkRequest(RequestType.ABORT, command.compartment)
        return (
            f"there is no compartment {command.compartment}:"
            " name 1 or 2, or 0 to abort all that is under way"
        )
    if command.compartment in _COMPARTMENTS:
        return TableLinkRequest(order, command.compartment)
    return f"there is no compartment {command.compartment}: name 1 or 2"


def order_name(request: TableLinkRequest) -> str:
    """The order's name, with its compartment where it has one."""
    whole = _DEVICE_ORDER_NAMES.get(request)
    if whole is not None:
        return whole.value
    order = _ORDERS.get(request.kind)
    name = request.kind.name.lower() if order is None else order.value
    place = f"compartment {request.argument}" if request.argument else "all compartments"
    return f"{name}, {place}"


def answer_of(answer: RequestAnswer) -> CommandAnswered:
    """The device event of an answered order."""
    if answer.status is None:
        outcome, text = CommandOutcome.NO_ANSWER, "no answer"
    else:
        outcome, text = _ANSWERS[answer.status]
    detail = f": {printable_text(answer.detail)}" if answer.detail else ""
    return CommandAnswered(
        "OrderShuffler", outcome, f"{order_name(answer.request)}: {text}{detail}"
    )
