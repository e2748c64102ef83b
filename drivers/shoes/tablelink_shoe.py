"""Driver of a TableLink dealing shoe, and the state of its lock.

What the shoe claims is passed on unchecked.

Source: drivers/README.md, "TableLink shoe"; firmware_bridge README, "TableLink/1".
"""

from types import MappingProxyType
from typing import assert_never

from msgspec import Struct, field

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    SetPolling,
    UnlockExit,
)
from drivers.events import (
    CommandAnswered,
    CommandOutcome,
    DeviceEvent,
    LockChanged,
    Stage,
    StageChanged,
)
from drivers.interface import DriverOutput
from drivers.shoes.tablelink_events import events_of, status_of
from drivers.tablelink.answers import NOT_ANSWERED, with_detail
from drivers.tablelink.device import (
    TableLinkDevice,
    TableLinkDeviceState,
    TableLinkReport,
    TableLinkStep,
)
from firmware_bridge.message import Message, message
from firmware_bridge.tablelink import frames
from firmware_bridge.tablelink.bodies import DeviceStatus
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkEvent,
    TableLinkRequest,
)
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortEvent

_NAMES = MappingProxyType({RequestType.LOCK: "LockExit", RequestType.UNLOCK: "UnlockExit"})
_ANSWERS = MappingProxyType(
    {
        RequestStatus.DONE: (CommandOutcome.DONE, message("shoe_did_command")),
        RequestStatus.REFUSED: (CommandOutcome.REFUSED, message("shoe_refused")),
        RequestStatus.UNKNOWN: (CommandOutcome.REFUSED, message("shoe_does_not_know_command")),
        RequestStatus.FAILED: (CommandOutcome.REFUSED, message("shoe_failed_to_do_command")),
    }
)


class TableLinkShoeSettings(Struct, frozen=True):
    """`allow_commands` is off unless the operator's configuration says otherwise."""

    link: TableLinkSettings = field(default_factory=lambda: TableLinkSettings(DeviceRole.SHOE))
    allow_commands: bool = False


class TableLinkShoeState(Struct, frozen=True, tag="table-link-shoe-state"):
    """`locked` is the gate's state as last reported; None while it is unknown."""

    device: TableLinkDeviceState
    locked: bool | None = None

    @property
    def stage(self) -> Stage:
        return self.device.stage


class TableLinkShoe(Struct, frozen=True):
    """Implements drivers.interface.ShoeDriver."""

    settings: TableLinkShoeSettings = field(default_factory=TableLinkShoeSettings)

    def initial(self) -> TableLinkShoeState:
        """The state before the port was first opened."""
        return TableLinkShoeState(self._device.initial())

    def receive(
        self, state: TableLinkShoeState, event: PortEvent
    ) -> tuple[TableLinkShoeState, DriverOutput]:
        """Process one event of the port."""
        return _map_output(state, self._device.receive(state.device, event))

    def split(self, state: TableLinkShoeState, data: bytes) -> tuple[bytes, ...]:
        """Cut received bytes after each frame."""
        return frames.split(state.device.link.unframed, data)

    def command(
        self, state: TableLinkShoeState, command: DeviceCommand, at: Timestamp
    ) -> tuple[TableLinkShoeState, DriverOutput]:
        """Send a command; answered at once where it is not allowed or not possible."""
        match command:
            case SetPolling():
                return state, DriverOutput()  # this shoe reports unasked
            case LockExit():
                return self._request(state, command, RequestType.LOCK, at)
            case UnlockExit():
                return self._request(state, command, RequestType.UNLOCK, at)
            case ClearError():
                detail = message("shoe_clears_own_errors")
            case ListTags():
                detail = message("shoe_reads_cards_in_play")
            case OrderShuffler():
                detail = message("this_is_a_shoe")
            case _:
                assert_never(command)
        return state, _answer(command, CommandOutcome.REFUSED, detail)

    def tick(
        self, state: TableLinkShoeState, at: Timestamp
    ) -> tuple[TableLinkShoeState, DriverOutput]:
        """Process deadlines that have passed."""
        return _map_output(state, self._device.tick(state.device, at))

    def next_deadline_ns(self, state: TableLinkShoeState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._device.next_deadline_ns(state.device)

    def _request(
        self, state: TableLinkShoeState, command: DeviceCommand, order: RequestType, at: Timestamp
    ) -> tuple[TableLinkShoeState, DriverOutput]:
        if not self.settings.allow_commands:
            detail = message("commands_to_shoe_not_allowed")
            return state, _answer(command, CommandOutcome.REFUSED, detail)
        if state.stage in (Stage.CLOSED, Stage.LOST):
            return state, _answer(command, CommandOutcome.NO_ANSWER, message("shoe_port_not_open"))
        return _map_output(
            state, self._device.send_request(state.device, TableLinkRequest(order), at)
        )

    @property
    def _device(self) -> TableLinkDevice:
        return TableLinkDevice(self.settings.link)


def map_report(
    locked: bool | None, report: TableLinkReport
) -> tuple[bool | None, tuple[DeviceEvent, ...]]:
    """Map one report to device events; `locked` is the gate's last known state."""
    match report:
        case TableLinkEvent(body=body):
            return locked, events_of(body)
        case DeviceStatus(gate_closed=closed):
            return closed, (*_lock_changes(locked, closed), *status_of(report))
        case RequestAnswer(request=TableLinkRequest(order)):
            done = report.status is RequestStatus.DONE and order in _NAMES
            now = order is RequestType.LOCK if done else locked
            return now, (_command_answer(report), *_lock_changes(locked, now))
        case StageChanged(stage) if stage is not Stage.ONLINE:
            return None, (report,)
        case _:
            return locked, (report,)


def _map_output(
    state: TableLinkShoeState, step: TableLinkStep
) -> tuple[TableLinkShoeState, DriverOutput]:
    """Map the device's output to a driver output."""
    device, output = step
    locked = state.locked
    events: list[DeviceEvent] = []
    for report in output.reports:
        locked, found = map_report(locked, report)
        events.extend(found)
    state = TableLinkShoeState(device, locked)
    return state, DriverOutput(tuple(events), output.to_write, output.at_once)


def _lock_changes(before: bool | None, now: bool | None) -> tuple[LockChanged, ...]:
    return () if now is None or now == before else (LockChanged(now),)


def _command_answer(answer: RequestAnswer) -> CommandAnswered:
    name = _NAMES.get(answer.request.kind, answer.request.kind.name)
    outcome, said = NOT_ANSWERED if answer.status is None else _ANSWERS[answer.status]
    return CommandAnswered(name, outcome, with_detail(said, answer.detail))


def _answer(command: DeviceCommand, outcome: CommandOutcome, detail: Message) -> DriverOutput:
    return DriverOutput(events=(CommandAnswered(type(command).__name__, outcome, detail),))
