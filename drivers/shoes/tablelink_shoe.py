"""The TableLink dealing shoe: what it tells to device events, the table's commands to its requests.

Responsible for: bringing what the device says to its mapping (tablelink_events), its lock, and
refusing commands that the configuration does not allow.
Not responsible for: its life and its status (drivers.tablelink), and for what a card does to a coup
(controller). What the shoe claims is passed on and never judged.
Source: package README, "TableLink shoe"; firmware_bridge README, "TableLink/1".
"""

from dataclasses import field
from types import MappingProxyType
from typing import assert_never

from drivers.commands import (
    ClearError,
    DeviceCommand,
    ListTags,
    LockExit,
    OrderShuffler,
    UnlockExit,
    Watch,
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
from drivers.tablelink.device import Said, Spoken, TableLinkDevice, TableLinkDeviceState
from drivers.tablelink.texts import harmless
from firmware_bridge.tablelink.bodies import Status
from firmware_bridge.tablelink.items import Answered, Happened, Order, Request, RequestStatus
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortEvent
from firmware_bridge.values import dataclass

_NAMES = MappingProxyType({Order.LOCK: "LockExit", Order.UNLOCK: "UnlockExit"})
_ANSWERS = MappingProxyType(
    {
        RequestStatus.DONE: (CommandOutcome.DONE, "done"),
        RequestStatus.REFUSED: (CommandOutcome.REFUSED, "the shoe refused"),
        RequestStatus.UNKNOWN: (CommandOutcome.REFUSED, "the shoe does not know this command"),
        RequestStatus.FAILED: (CommandOutcome.REFUSED, "the shoe failed to do it"),
    }
)


@dataclass(frozen=True, slots=True)
class TableLinkShoeSettings:
    """`allow_commands` is off unless the operator's configuration says otherwise."""

    link: TableLinkSettings = field(default_factory=lambda: TableLinkSettings(DeviceRole.SHOE))
    allow_commands: bool = False


@dataclass(frozen=True, slots=True)
class TableLinkShoeState:
    """`locked` is what the shoe last told of its gate; None while nobody knows."""

    device: TableLinkDeviceState
    locked: bool | None = None

    @property
    def stage(self) -> Stage:
        return self.device.stage


@dataclass(frozen=True, slots=True)
class TableLinkShoe:
    """Follows drivers.interface.Driver."""

    settings: TableLinkShoeSettings = field(default_factory=TableLinkShoeSettings)

    def initial(self) -> TableLinkShoeState:
        """The state before the port was ever opened."""
        return TableLinkShoeState(self._device.initial())

    def receive(
        self, state: TableLinkShoeState, event: PortEvent
    ) -> tuple[TableLinkShoeState, DriverOutput]:
        """Take what the port tells."""
        return _up(state, self._device.receive(state.device, event))

    def command(
        self, state: TableLinkShoeState, command: DeviceCommand, at: Timestamp
    ) -> tuple[TableLinkShoeState, DriverOutput]:
        """Ask the shoe for something; answered at once where it is not allowed or not possible."""
        match command:
            case Watch():
                return state, DriverOutput()  # this shoe reports unasked
            case LockExit():
                return self._asked(state, command, Order.LOCK, at)
            case UnlockExit():
                return self._asked(state, command, Order.UNLOCK, at)
            case ClearError():
                detail = "this shoe clears its own errors once people have mended the cause"
            case ListTags():
                detail = "this shoe reads cards in play: list a pile on an enrolment reader"
            case OrderShuffler():
                detail = "this is a shoe: order the shuffler at its own port"
            case _:
                assert_never(command)
        return state, _answer(command, CommandOutcome.REFUSED, detail)

    def tick(
        self, state: TableLinkShoeState, at: Timestamp
    ) -> tuple[TableLinkShoeState, DriverOutput]:
        """A deadline may have passed."""
        return _up(state, self._device.tick(state.device, at))

    def next_deadline_ns(self, state: TableLinkShoeState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._device.next_deadline_ns(state.device)

    def _asked(
        self, state: TableLinkShoeState, command: DeviceCommand, order: Order, at: Timestamp
    ) -> tuple[TableLinkShoeState, DriverOutput]:
        if not self.settings.allow_commands:
            detail = (
                "commands to this shoe are not allowed: set allow_commands = true in its settings"
            )
            return state, _answer(command, CommandOutcome.REFUSED, detail)
        if state.stage in (Stage.CLOSED, Stage.LOST):
            return state, _answer(command, CommandOutcome.NO_ANSWER, "the shoe's port is not open")
        return _up(state, self._device.ask(state.device, Request(order), at))

    @property
    def _device(self) -> TableLinkDevice:
        return TableLinkDevice(self.settings.link)


def hear(locked: bool | None, said: Said) -> tuple[bool | None, tuple[DeviceEvent, ...]]:
    """What the shoe said, in words that fit any maker's; `locked` is what was known of its gate."""
    match said:
        case Happened(body=body):
            return locked, events_of(body)
        case Status(gate_closed=closed):
            return closed, (*_lock(locked, closed), *status_of(said))
        case Answered(request=Request(order)):
            done = said.status is RequestStatus.DONE and order in _NAMES
            now = order is Order.LOCK if done else locked
            return now, (_answered(said), *_lock(locked, now))
        case StageChanged(stage) if stage is not Stage.ONLINE:
            return None, (said,)
        case _:
            return locked, (said,)


def _up(state: TableLinkShoeState, spoken: Spoken) -> tuple[TableLinkShoeState, DriverOutput]:
    """What the device gave, one level up."""
    device, output = spoken
    locked = state.locked
    events: list[DeviceEvent] = []
    for said in output.said:
        locked, heard = hear(locked, said)
        events.extend(heard)
    state = TableLinkShoeState(device, locked)
    return state, DriverOutput(tuple(events), output.to_write, output.at_once)


def _lock(before: bool | None, now: bool | None) -> tuple[LockChanged, ...]:
    return () if now is None or now == before else (LockChanged(now),)


def _answered(answered: Answered) -> CommandAnswered:
    name = _NAMES.get(answered.request.order, answered.request.order.name)
    said = f": {harmless(answered.detail)}" if answered.detail else ""
    if answered.status is None:
        return CommandAnswered(name, CommandOutcome.NO_ANSWER, f"no answer came{said}")
    outcome, words = _ANSWERS[answered.status]
    return CommandAnswered(name, outcome, f"{words}{said}")


def _answer(command: DeviceCommand, outcome: CommandOutcome, detail: str) -> DriverOutput:
    return DriverOutput(events=(CommandAnswered(type(command).__name__, outcome, detail),))
