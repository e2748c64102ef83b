"""Driver of a TableLink shuffler.

What the shuffler claims is passed on unchecked.

Source: drivers/README.md, "Shufflers"; firmware_bridge README, "TableLink/1".
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
from drivers.events import CommandAnswered, CommandOutcome, DeviceEvent, Stage
from drivers.interface import DriverOutput
from drivers.shuffler_events import ShuffleDone
from drivers.shufflers.tablelink_events import events_of, status_of
from drivers.shufflers.tablelink_orders import answer_of, request_of
from drivers.tablelink.device import (
    TableLinkDevice,
    TableLinkDeviceState,
    TableLinkReport,
    TableLinkStep,
)
from firmware_bridge.message import Message, message
from firmware_bridge.tablelink.bodies import DeviceStatus
from firmware_bridge.tablelink.items import RequestAnswer, TableLinkEvent
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortEvent


class TableLinkShufflerSettings(Struct, frozen=True):
    """`allow_commands` is off unless the operator's configuration says otherwise."""

    link: TableLinkSettings = field(default_factory=lambda: TableLinkSettings(DeviceRole.SHUFFLER))
    allow_commands: bool = False


class TableLinkShufflerState(Struct, frozen=True, tag="table-link-shuffler-state"):
    device: TableLinkDeviceState

    @property
    def stage(self) -> Stage:
        return self.device.stage


class TableLinkShuffler(Struct, frozen=True):
    """Implements drivers.interface.Driver."""

    settings: TableLinkShufflerSettings = field(default_factory=TableLinkShufflerSettings)

    def initial(self) -> TableLinkShufflerState:
        """The state before the port was first opened."""
        return TableLinkShufflerState(self._device.initial())

    def receive(
        self, state: TableLinkShufflerState, event: PortEvent
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        """Process one event of the port."""
        return _map_output(self._device.receive(state.device, event))

    def command(
        self, state: TableLinkShufflerState, command: DeviceCommand, at: Timestamp
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        """Send a command; answered at once where it is not allowed or not possible."""
        match command:
            case SetPolling():
                return state, DriverOutput()  # a shuffler reports unasked
            case LockExit() | UnlockExit():
                detail = message("this_is_a_shuffler")
            case ClearError():
                detail = message("shuffler_clears_own_errors")
            case ListTags():
                detail = message("shuffler_lists_no_tags")
            case OrderShuffler():
                return self._send_order(state, command, at)
            case _:
                assert_never(command)
        return state, _answer(command, CommandOutcome.REFUSED, detail)

    def tick(
        self, state: TableLinkShufflerState, at: Timestamp
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        """Process deadlines that have passed."""
        return _map_output(self._device.tick(state.device, at))

    def next_deadline_ns(self, state: TableLinkShufflerState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._device.next_deadline_ns(state.device)

    def _send_order(
        self, state: TableLinkShufflerState, command: OrderShuffler, at: Timestamp
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        request = request_of(command)
        if isinstance(request, Message):
            return state, _answer(command, CommandOutcome.REFUSED, request)
        if not self.settings.allow_commands and command.order is not ShufflerOrder.STATUS:
            detail = message("orders_not_allowed")
            return state, _answer(command, CommandOutcome.REFUSED, detail)
        if state.stage in (Stage.CLOSED, Stage.LOST):
            detail = message("shuffler_port_not_open")
            return state, _answer(command, CommandOutcome.NO_ANSWER, detail)
        if state.stage is not Stage.ONLINE:
            detail = message("shuffler_not_proved_yet")
            return state, _answer(command, CommandOutcome.NO_ANSWER, detail)
        return _map_output(self._device.send_request(state.device, request, at))

    @property
    def _device(self) -> TableLinkDevice:
        return TableLinkDevice(self.settings.link)


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


def _map_output(step: TableLinkStep) -> tuple[TableLinkShufflerState, DriverOutput]:
    """Map the device's output to a driver output."""
    device, output = step
    events = tuple(event for report in output.reports for event in map_report(report))
    return TableLinkShufflerState(device), DriverOutput(events, output.to_write, output.at_once)


def _answer(command: DeviceCommand, outcome: CommandOutcome, detail: Message) -> DriverOutput:
    if isinstance(command, OrderShuffler):
        detail = message("order_answered", order=command.order.value, answer=detail)
    return DriverOutput(events=(CommandAnswered(type(command).__name__, outcome, detail),))
