"""Driver of a TableLink dealing shoe, and the state of its lock.

What the shoe claims is passed on unchecked.

Source: firmware_bridge README, "TableLink/1".
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
from drivers.shell import is_closed, refused, unanswered
from drivers.shoes.tablelink_events import events_of, status_of
from drivers.tablelink.device import (
    NOT_ANSWERED,
    TableLinkDevice,
    TableLinkDeviceState,
    TableLinkReport,
    with_detail,
)
from firmware_bridge.tablelink.bodies import DeviceStatus
from firmware_bridge.tablelink.items import (
    RequestAnswer,
    RequestStatus,
    RequestType,
    TableLinkEvent,
    TableLinkRequest,
)
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from foundation.message import message

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


class TableLinkShoeState(TableLinkDeviceState, frozen=True, tag="table-link-shoe-state"):
    """`locked` is the gate's state as last reported; None while it is unknown."""

    locked: bool | None = None


class TableLinkShoe(TableLinkDevice[TableLinkShoeState], frozen=True):
    settings: TableLinkShoeSettings = field(default_factory=TableLinkShoeSettings)

    @property
    def link_settings(self) -> TableLinkSettings:
        return self.settings.link

    def initial(self) -> TableLinkShoeState:
        """The state before the port was first opened."""
        return TableLinkShoeState(self.link.initial())

    def request(
        self, state: TableLinkShoeState, command: DeviceCommand
    ) -> TableLinkRequest | CommandAnswered | None:
        """What to send for a command, or its answer; this shoe reports unasked."""
        match command:
            case SetPolling():
                return None
            case ClearError():
                return refused(command, message("shoe_clears_own_errors"))
            case ListTags():
                return refused(command, message("shoe_reads_cards_in_play"))
            case OrderShuffler():
                return refused(command, message("this_is_a_shoe"))
            case _ if not self.settings.allow_commands:
                return refused(command, message("commands_to_shoe_not_allowed"))
            case _ if is_closed(state):
                return unanswered(command, message("shoe_port_not_open"))
            case LockExit():
                return TableLinkRequest(RequestType.LOCK)
            case UnlockExit():
                return TableLinkRequest(RequestType.UNLOCK)
            case _:
                assert_never(command)

    def mapped(
        self, state: TableLinkShoeState, reports: tuple[TableLinkReport, ...]
    ) -> tuple[TableLinkShoeState, tuple[DeviceEvent, ...]]:
        """The state after reports in the order they happened, and their device events."""
        locked = state.locked
        events: list[DeviceEvent] = []
        for report in reports:
            locked, found = map_report(locked, report)
            events.extend(found)
        return replace(state, locked=locked), tuple(events)


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


def _lock_changes(before: bool | None, now: bool | None) -> tuple[LockChanged, ...]:
    return () if now is None or now == before else (LockChanged(now),)


def _command_answer(answer: RequestAnswer) -> CommandAnswered:
    name = _NAMES.get(answer.request.kind, answer.request.kind.name)
    outcome, said = NOT_ANSWERED if answer.status is None else _ANSWERS[answer.status]
    return CommandAnswered(name, outcome, with_detail(said, answer.detail))
