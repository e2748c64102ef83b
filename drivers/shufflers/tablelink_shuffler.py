"""The TableLink shuffler: what it tells to device events, the table's orders to its requests.

Responsible for: bringing what the device says to its mapping (tablelink_events), and refusing
orders that the configuration does not allow or that no shuffler can follow.
Not responsible for: its life and its status (drivers.tablelink), for which order may come when and
from whom (controller), and for which batch lies where. What the shuffler claims is passed on and
never judged.
Source: package README, "Shufflers"; firmware_bridge README, "TableLink/1".
"""

from dataclasses import field
from typing import assert_never

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    ShufflerOrder,
    UnlockExit,
    Watch,
)
from drivers.events import CommandAnswered, CommandOutcome, DeviceEvent, Stage
from drivers.interface import DriverOutput
from drivers.shuffler_events import ShuffleDone
from drivers.shufflers.tablelink_events import events_of, status_of
from drivers.shufflers.tablelink_orders import answer_of, request_of
from drivers.tablelink.device import Said, Spoken, TableLinkDevice, TableLinkDeviceState
from firmware_bridge.tablelink.bodies import Status
from firmware_bridge.tablelink.items import Answered, Happened
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortEvent
from firmware_bridge.values import dataclass, replace


@dataclass(frozen=True, slots=True)
class TableLinkShufflerSettings:
    """`allow_commands` is off unless the operator's configuration says otherwise."""

    link: TableLinkSettings = field(default_factory=lambda: TableLinkSettings(DeviceRole.SHUFFLER))
    allow_commands: bool = False


@dataclass(frozen=True, slots=True)
class TableLinkShufflerState:
    device: TableLinkDeviceState

    @property
    def stage(self) -> Stage:
        return self.device.stage


@dataclass(frozen=True, slots=True)
class TableLinkShuffler:
    """Follows drivers.interface.Driver."""

    settings: TableLinkShufflerSettings = field(default_factory=TableLinkShufflerSettings)

    def initial(self) -> TableLinkShufflerState:
        """The state before the port was ever opened."""
        return TableLinkShufflerState(self._device.initial())

    def receive(
        self, state: TableLinkShufflerState, event: PortEvent
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        """Take what the port tells."""
        return _up(self._device.receive(state.device, event))

    def command(
        self, state: TableLinkShufflerState, command: DeviceCommand, at: Timestamp
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        """Ask the shuffler for something; answered at once where not allowed or not possible."""
        match command:
            case Watch():
                return state, DriverOutput()  # a shuffler reports unasked
            case LockExit() | UnlockExit():
                detail = "this is a shuffler: lock or unlock the dealing shoe at its own port"
            case ClearError():
                detail = "a shuffler clears its own errors once people have mended the cause"
            case ListTags():
                detail = "a shuffler lists no tags: use an enrolment reader"
            case OrderShuffler():
                return self._ordered(state, command, at)
            case _:
                assert_never(command)
        return state, _answer(command, CommandOutcome.REFUSED, detail)

    def tick(
        self, state: TableLinkShufflerState, at: Timestamp
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        """A deadline may have passed."""
        return _up(self._device.tick(state.device, at))

    def next_deadline_ns(self, state: TableLinkShufflerState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._device.next_deadline_ns(state.device)

    def _ordered(
        self, state: TableLinkShufflerState, command: OrderShuffler, at: Timestamp
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        request = request_of(command)
        if isinstance(request, str):
            return state, _answer(command, CommandOutcome.REFUSED, request)
        if not self.settings.allow_commands and command.order is not ShufflerOrder.STATUS:
            detail = "orders are not allowed: set allow_commands = true in the shuffler's settings"
            return state, _answer(command, CommandOutcome.REFUSED, detail)
        if state.stage in (Stage.CLOSED, Stage.LOST):
            detail = "the shuffler's port is not open: check its cable and its power"
            return state, _answer(command, CommandOutcome.NO_ANSWER, detail)
        if state.stage is not Stage.ONLINE:
            detail = "the shuffler has not proved who it is yet: order it again when it has"
            return state, _answer(command, CommandOutcome.NO_ANSWER, detail)
        return _up(self._device.ask(state.device, request, at))

    @property
    def _device(self) -> TableLinkDevice:
        return TableLinkDevice(self.settings.link)


def events_said(said: Said) -> tuple[DeviceEvent, ...]:
    """What the shuffler said, in words that fit any maker's."""
    match said:
        case Happened(body=body):
            return tuple(_timed(one, said) for one in events_of(body))
        case Status():
            return status_of(said)
        case Answered():
            return (answer_of(said),)
        case _:
            return (said,)


def _timed(event: DeviceEvent, said: Happened) -> DeviceEvent:
    """A shuffle with when it ended by this machine's clock, as far as that is known."""
    if not isinstance(event, ShuffleDone):
        return event
    proof = replace(event.proof, ended_utc_ns=said.utc_ns, uncertainty_ns=said.uncertainty_ns)
    return ShuffleDone(proof)


def _up(spoken: Spoken) -> tuple[TableLinkShufflerState, DriverOutput]:
    """What the device gave, one level up."""
    device, output = spoken
    events = tuple(event for said in output.said for event in events_said(said))
    return TableLinkShufflerState(device), DriverOutput(events, output.to_write, output.at_once)


def _answer(command: DeviceCommand, outcome: CommandOutcome, detail: str) -> DriverOutput:
    if isinstance(command, OrderShuffler):
        detail = f"{command.order.value}: {detail}"
    return DriverOutput(events=(CommandAnswered(type(command).__name__, outcome, detail),))
