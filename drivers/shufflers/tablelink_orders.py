"""What a shuffler is told to do: the table's orders as requests of TableLink, and back.

Responsible for: which request an order is, orders that no shuffler can follow, and the words in
which an answer is told.
Not responsible for: whether orders are allowed (tablelink_shuffler, the table).
Source: package README, "Shufflers"; firmware_bridge README, "TableLink/1", "Requests".
"""

from types import MappingProxyType

from drivers.commands import OrderShuffler, ShufflerOrder
from drivers.events import CommandAnswered, CommandOutcome
from drivers.tablelink.texts import harmless
from firmware_bridge.tablelink.bodies import Mode
from firmware_bridge.tablelink.items import Answered, Order, Request, RequestStatus

_COMPARTMENTS = (1, 2)
_WHOLE = 0

_OF_A_COMPARTMENT = MappingProxyType(
    {
        ShufflerOrder.LOAD: Order.LOAD,
        ShufflerOrder.COUNT: Order.COUNT,
        ShufflerOrder.SHUFFLE: Order.SHUFFLE,
        ShufflerOrder.STORE: Order.STORE,
        ShufflerOrder.RELEASE: Order.RELEASE,
    }
)
_OF_THE_WHOLE = MappingProxyType(
    {
        ShufflerOrder.STATUS: Request(Order.STATUS),
        ShufflerOrder.SELF_TEST: Request(Order.SELF_TEST),
        ShufflerOrder.SERVICE: Request(Order.MODE, Mode.SERVICE.value),
        ShufflerOrder.SORT: Request(Order.MODE, Mode.SORT.value),
        ShufflerOrder.PLAY: Request(Order.MODE, Mode.PLAY.value),
    }
)
_ORDERS = MappingProxyType(
    {order: name for name, order in _OF_A_COMPARTMENT.items()} | {Order.ABORT: ShufflerOrder.ABORT}
)
_ORDERS_OF_THE_WHOLE = MappingProxyType({request: name for name, request in _OF_THE_WHOLE.items()})
_ANSWERS = MappingProxyType(
    {
        RequestStatus.DONE: (CommandOutcome.DONE, "done, or begun where it takes time"),
        RequestStatus.REFUSED: (CommandOutcome.REFUSED, "refused"),
        RequestStatus.UNKNOWN: (CommandOutcome.REFUSED, "the shuffler does not know this order"),
        RequestStatus.FAILED: (CommandOutcome.REFUSED, "failed"),
    }
)

STATUS = _OF_THE_WHOLE[ShufflerOrder.STATUS]


def request_of(command: OrderShuffler) -> Request | str:
    """The request, or the sentence why no shuffler can follow this order and what to do."""
    whole = _OF_THE_WHOLE.get(command.order)
    if whole is not None:
        if command.compartment == _WHOLE:
            return whole
        return f"{command.order.value} concerns the whole shuffler: name no compartment"
    order = _OF_A_COMPARTMENT.get(command.order)
    if order is None:  # to abort is both: one shuffle, or all of them
        if command.compartment in (_WHOLE, *_COMPARTMENTS):
            return Request(Order.ABORT, command.compartment)
        return (
            f"there is no compartment {command.compartment}:"
            " name 1 or 2, or 0 to break off all that is under way"
        )
    if command.compartment in _COMPARTMENTS:
        return Request(order, command.compartment)
    return f"there is no compartment {command.compartment}: name 1 or 2"


def named(request: Request) -> str:
    """The order's name for people, with its compartment where it has one."""
    whole = _ORDERS_OF_THE_WHOLE.get(request)
    if whole is not None:
        return whole.value
    order = _ORDERS.get(request.order)
    name = request.order.name.lower() if order is None else order.value
    place = f"compartment {request.argument}" if request.argument else "all compartments"
    return f"{name}, {place}"


def answer_of(answered: Answered) -> CommandAnswered:
    """What became of an order."""
    if answered.status is None:
        outcome, words = CommandOutcome.NO_ANSWER, "no answer came"
    else:
        outcome, words = _ANSWERS[answered.status]
    said = f": {harmless(answered.detail)}" if answered.detail else ""
    return CommandAnswered("OrderShuffler", outcome, f"{named(answered.request)}: {words}{said}")
