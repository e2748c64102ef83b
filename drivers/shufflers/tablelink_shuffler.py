"""Driver of a TableLink shuffler.

What the shuffler claims is passed on unchecked.

Source: firmware_bridge README, "TableLink/1".
"""

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
from drivers.events import CommandAnswered, DeviceEvent, Stage
from drivers.shell import is_closed, refused, unanswered
from drivers.shuffler_events import ShuffleDone
from drivers.shufflers.tablelink_events import events_of, status_of
from drivers.shufflers.tablelink_orders import answer_of, request_of
from drivers.tablelink.device import (
    TableLinkDevice,
    TableLinkDeviceState,
    TableLinkReport,
)
from firmware_bridge.tablelink.bodies import DeviceStatus
from firmware_bridge.tablelink.items import RequestAnswer, TableLinkEvent, TableLinkRequest
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from foundation.message import Message, message


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
