"""Driver of a TableLink shuffler: its reports, the orders to it, and their answers.

What the shuffler claims is passed on unchecked.

Source: firmware_bridge README, "TableLink/1", "Requests".
"""

from types import MappingProxyType
from typing import assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    SetPolling,
    ShufflerOrder,
    UnlockExit,
)
from drivers.events import CommandAnswered, CommandOutcome, DeviceEvent, Stage
from drivers.shell import is_closed, refused, unanswered
from drivers.shuffler_events import ShuffleDone
from drivers.shufflers.tablelink_events import events_of, status_of
from drivers.tablelink.device import (
    NOT_ANSWERED,
    TableLinkDevice,
    TableLinkDeviceState,
    TableLinkReport,
    with_detail,
)
from firmware_bridge.tablelink.bodies import DeviceMode, DeviceStatus
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkEvent,
    TableLinkRequest,
)
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
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


class TableLinkShufflerSettings(Struct, frozen=True):
    """`allow_commands` is off unless the operator's configuration says otherwise."""

    link: TableLinkSettings = field(default_factory=lambda: TableLinkSettings(DeviceRole.SHUFFLER))
    allow_commands: bool = False


class TableLinkShufflerState(TableLinkDeviceState, frozen=True, tag="table-link-shuffler-state"):
    pass


class TableLinkShuffler(TableLinkDevice[TableLinkShufflerState], frozen=True):
    settings: TableLinkShufflerSettings = field(default_factory=TableLinkShufflerSettings)

    @property
    def link_settings(self) -> TableLinkSettings:
        return self.settings.link

    def initial(self) -> TableLinkShufflerState:
        """The state before the port was first opened."""
        return TableLinkShufflerState(self.link.initial())

    def request(
        self, state: TableLinkShufflerState, command: DeviceCommand
    ) -> TableLinkRequest | CommandAnswered | None:
        """What to send for a command, or its answer; a shuffler reports unasked."""
        match command:
            case SetPolling():
                return None
            case LockExit() | UnlockExit():
                return refused(command, message("this_is_a_shuffler"))
            case ClearError():
                return refused(command, message("shuffler_clears_own_errors"))
            case ListTags():
                return refused(command, message("shuffler_lists_no_tags"))
            case OrderShuffler():
                return self._order(state, command)
            case _:
                assert_never(command)

    def _order(
        self, state: TableLinkShufflerState, command: OrderShuffler
    ) -> TableLinkRequest | CommandAnswered:
        def answer(detail: Message) -> Message:
            return message("order_answered", order=command.order.value, answer=detail)

        request = request_of(command)
        if isinstance(request, Message):
            return refused(command, answer(request))
        if not self.settings.allow_commands and command.order is not ShufflerOrder.STATUS:
            return refused(command, answer(message("orders_not_allowed")))
        if is_closed(state):
            return unanswered(command, answer(message("shuffler_port_not_open")))
        if state.stage is not Stage.ONLINE:
            return unanswered(command, answer(message("shuffler_not_proved_yet")))
        return request

    def mapped(
        self, state: TableLinkShufflerState, reports: tuple[TableLinkReport, ...]
    ) -> tuple[TableLinkShufflerState, tuple[DeviceEvent, ...]]:
        """The events of reports, in the order they happened."""
        return state, tuple(event for report in reports for event in map_report(report))


def map_report(report: TableLinkReport) -> tuple[DeviceEvent, ...]:
    """Map one report to device events."""
    match report:
        case TableLinkEvent(body=body):
            return tuple(_with_end_time(one, report) for one in events_of(body))
        case DeviceStatus():
            return status_of(report)
        case RequestAnswer():
            return (answer_of(report),)
        case _:
            return (report,)


def _with_end_time(event: DeviceEvent, reported: TableLinkEvent) -> DeviceEvent:
    """Add to a completed shuffle its end by this machine's clock, where that is known."""
    if not isinstance(event, ShuffleDone):
        return event
    proof = replace(
        event.proof, ended_utc_ns=reported.utc_ns, uncertainty_ns=reported.uncertainty_ns
    )
    return ShuffleDone(proof)
