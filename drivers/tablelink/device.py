"""Common part of the TableLink drivers: from port events to ordered reports of a shoe or shuffler.

It asks each admitted device for its status, which is unknown after a restart.
"""

from typing import TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.commands import DeviceCommand
from drivers.events import DeviceEvent, LossReason, ReportsLost, Stage
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.lifecycle import StageStep
from drivers.shell import LinkDriver
from drivers.tablelink import lifecycle
from drivers.tablelink.lifecycle import TableLinkLifecycle
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.tablelink import frames
from firmware_bridge.tablelink.bodies import DeviceStatus
from firmware_bridge.tablelink.items import (
    DeviceAdmitted,
    RequestAnswer,
    RequestType,
    TableLinkEvent,
    TableLinkItem,
    TableLinkRequest,
)
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.settings import TableLinkSettings
from firmware_bridge.tablelink.state import TableLinkState
from firmware_bridge.transport.port import PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

# What the shoe's or the shuffler's own mapping still has to map.
TableLinkReport: TypeAlias = DeviceEvent | TableLinkEvent | RequestAnswer | DeviceStatus

_STATUS = TableLinkRequest(RequestType.STATUS)
# The link answers every request; of more pending requests than this the origin is not stored.
_PENDING_STATUS_MAX = 32


class TableLinkDeviceState(Struct, frozen=True):
    """`pending_status`: status requests without an answer yet, True where a person asked.

    They are answered in order. `early_status` is a status that overtook the device's events.
    """

    link: TableLinkState
    life: TableLinkLifecycle = field(default_factory=TableLinkLifecycle)
    pending_status: tuple[bool, ...] = ()
    early_status: DeviceStatus | None = None

    @property
    def stage(self) -> Stage:
        return self.life.stage


TableLinkLinkResult: TypeAlias = tuple[TableLinkState, LinkOutput[TableLinkItem]]
TableLinkStateT = TypeVar("TableLinkStateT", bound=TableLinkDeviceState)


class TableLinkDevice(LinkDriver[TableLinkStateT, TableLinkItem | LinkFault], frozen=True):
    """One device; a shoe or a shuffler says what its reports mean."""

    @property
    def link_settings(self) -> TableLinkSettings:
        raise NotImplementedError

    @property
    def link(self) -> TableLink:
        return TableLink(self.link_settings)

    def mapped(
        self, state: TableLinkStateT, reports: tuple[TableLinkReport, ...]
    ) -> tuple[TableLinkStateT, tuple[DeviceEvent, ...]]:
        """The state after reports in the order they happened, and their device events."""
        raise NotImplementedError

    def split(self, state: TableLinkStateT, data: bytes) -> tuple[bytes, ...]:
        """Cut received bytes after each frame."""
        return frames.split(state.link.unframed, data)

    def opened(self, state: TableLinkStateT, event: PortOpened) -> TableLinkLinkResult:
        """Let the link know that its port is open, with chance for its session."""
        return self.link.opened(state.link, event.at, event.entropy)

    def command(
        self, state: TableLinkStateT, command: DeviceCommand, at: Timestamp
    ) -> tuple[TableLinkStateT, DriverOutput]:
        """Send a command; answered at once where it is not allowed or not possible."""
        if self.request(state, command) == _STATUS:
            state = _with_pending_status(state, by_person=True)
        return super().command(state, command, at)

    def apply(
        self,
        state: TableLinkStateT,
        link: TableLinkState,
        items: tuple[TableLinkItem | LinkFault, ...],
        at: Timestamp,
        steps: tuple[StageStep, ...],
    ) -> tuple[TableLinkStateT, tuple[DeviceEvent, ...], tuple[TableLinkRequest, ...]]:
        """Apply the link's items; a device that was admitted is asked for its status."""
        life, changed = lifecycle.advance_life(state.life, steps)
        state, reports = apply_items(replace(state, life=life), link, items)
        state, events = self.mapped(state, (*changed, *reports))
        admitted = any(isinstance(item, DeviceAdmitted) for item in items)
        if not admitted or state.stage is not Stage.ONLINE:
            return state, events, ()
        return _with_pending_status(state, by_person=False), events, (_STATUS,)


def apply_items(
    state: TableLinkStateT, link: TableLinkState, items: tuple[TableLinkItem | LinkFault, ...]
) -> tuple[TableLinkStateT, tuple[TableLinkReport, ...]]:
    """Map the link's items to reports; `link` is the link's state after them."""
    last = _last_event_number(state.link)
    state = replace(state, link=link)
    reports: list[TableLinkReport] = []
    for item in items:
        if isinstance(item, DeviceAdmitted):
            last = None  # the link decides where counting continues
            state = replace(state, early_status=None)
        elif isinstance(item, TableLinkEvent):
            state, status = _release_status(state, item.number - 1)
            reports.extend(status)
            reports.extend(_unreadable_events(last, item.number - 1))
            last = item.number
        life, found = lifecycle.apply_item(state.life, item)
        state = replace(state, life=life)
        for report in found:
            if isinstance(report, RequestAnswer) and report.request == _STATUS:
                state, answers = _apply_status_answer(state, report)
                reports.extend(answers)
            else:
                reports.append(report)
    received = _last_event_number(link)
    reports.extend(_unreadable_events(last, received))
    state, status = _release_status(state, received)
    return state, (*reports, *status)


def _release_status(
    state: TableLinkStateT, received: int | None
) -> tuple[TableLinkStateT, tuple[DeviceStatus, ...]]:
    """Release the early status once all events it already includes were received."""
    status = state.early_status
    if status is None or (received or 0) < status.recorded:
        return state, ()
    return replace(state, early_status=None), (status,)


def _last_event_number(link: TableLinkState) -> int | None:
    """The number of the last event received."""
    return None if link.known is None else link.known.last


def _unreadable_events(last: int | None, received: int | None) -> tuple[ReportsLost, ...]:
    """Report events that arrived whole but gave no item, because their content is invalid."""
    if last is None or received is None or received <= last:
        return ()
    return (ReportsLost(LossReason.UNREADABLE, received - last),)


def _apply_status_answer(
    state: TableLinkStateT, answer: RequestAnswer
) -> tuple[TableLinkStateT, tuple[TableLinkReport, ...]]:
    by_person, rest = (
        (state.pending_status[0], state.pending_status[1:]) if state.pending_status else (False, ())
    )
    state = replace(state, pending_status=rest)
    status = answer.device_status
    if by_person:
        return replace(state, early_status=status or state.early_status), (answer,)
    if False in rest:
        # Requested before the device was admitted again: the status may be outdated.
        return state, ()
    if status is not None or state.stage is not Stage.ONLINE:
        return replace(state, early_status=status or state.early_status), ()
    why = answer.detail or message("no_answer")
    detail = message("device_did_not_report_status", why=why)
    return state, (DeviceFault(LinkFaultKind.NO_ANSWER, detail),)


def _with_pending_status(state: TableLinkStateT, *, by_person: bool) -> TableLinkStateT:
    return replace(state, pending_status=(*state.pending_status, by_person)[:_PENDING_STATUS_MAX])
