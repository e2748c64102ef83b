"""The TableLink shuffler: what it tells to device events, the table's orders to its requests.

Responsible for: its life cycle, asking for its status once it is let in, and refusing orders that
the configuration does not allow or that no shuffler can follow.
Not responsible for: bytes, sequence and identity (firmware_bridge.tablelink), for which order may
come when and from whom (controller), and for which batch lies where. What the shuffler claims is
passed on and never judged.
Source: package README, "Shufflers"; firmware_bridge README, "TableLink/1".
"""

from dataclasses import dataclass, field, replace
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
from drivers.events import CommandAnswered, CommandOutcome, Stage
from drivers.interface import DriverOutput
from drivers.shufflers.tablelink_orders import request_of
from drivers.tablelink import life as lives
from drivers.tablelink.life import Life
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened


@dataclass(frozen=True, slots=True)
class TableLinkShufflerSettings:
    """`allow_commands` is off unless the operator's configuration says otherwise."""

    link: TableLinkSettings = field(default_factory=lambda: TableLinkSettings(DeviceRole.SHUFFLER))
    allow_commands: bool = False


@dataclass(frozen=True, slots=True)
class TableLinkShufflerState:
    life: Life = field(default_factory=Life)

    @property
    def stage(self) -> Stage:
        return self.life.stage


@dataclass(frozen=True, slots=True)
class TableLinkShuffler:
    """Follows drivers.interface.Driver."""

    settings: TableLinkShufflerSettings = field(default_factory=TableLinkShufflerSettings)

    def initial(self) -> TableLinkShufflerState:
        """The state before the port was ever opened."""
        return TableLinkShufflerState()

    def receive(
        self, state: TableLinkShufflerState, event: PortEvent
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        """Take what the port tells."""
        match event:
            case PortOpened():
                life, events = lives.port_opened(state.life)
            case PortLost(reason=reason):
                life, events = lives.port_lost(state.life, reason)
            case Chunk():
                return state, DriverOutput()
            case _:
                assert_never(event)
        return replace(state, life=life), DriverOutput(events)

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
                return self._ordered(state, command)
            case _:
                assert_never(command)
        return state, _answer(command, CommandOutcome.REFUSED, detail)

    def tick(
        self, state: TableLinkShufflerState, at: Timestamp
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        """A deadline may have passed."""
        return state, DriverOutput()

    def next_deadline_ns(self, state: TableLinkShufflerState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return None

    def _ordered(
        self, state: TableLinkShufflerState, command: OrderShuffler
    ) -> tuple[TableLinkShufflerState, DriverOutput]:
        request = request_of(command)
        if isinstance(request, str):
            return state, _answer(command, CommandOutcome.REFUSED, request)
        if not self.settings.allow_commands and command.order is not ShufflerOrder.STATUS:
            detail = "orders are not allowed: set allow_commands = true in the shuffler's settings"
            return state, _answer(command, CommandOutcome.REFUSED, detail)
        if state.stage in (Stage.CLOSED, Stage.LOST):
            detail = "the shuffler's port is not open: check its cable and its power"
        else:
            detail = "the shuffler has not proved who it is yet: order it again when it has"
        return state, _answer(command, CommandOutcome.NO_ANSWER, detail)


def _answer(command: DeviceCommand, outcome: CommandOutcome, detail: str) -> DriverOutput:
    name = type(command).__name__
    if isinstance(command, OrderShuffler):
        detail = f"{command.order.value}: {detail}"
    return DriverOutput(events=(CommandAnswered(name, outcome, detail),))
