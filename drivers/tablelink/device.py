"""Common part of the TableLink drivers: from port events to ordered reports of a shoe or shuffler.

It asks each admitted device for its status, which is unknown after a restart.

Source: drivers/README.md, "TableLink devices".
"""

from typing import TypeAlias, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.events import DeviceEvent, LossReason, ReportsLost, Stage
from drivers.faults import DeviceFault
from drivers.tablelink import lifecycle
from drivers.tablelink.lifecycle import TableLinkLifecycle
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.message import message
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
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import Chunk, PortEvent, PortLost, PortOpened

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


class DeviceOutput(Struct, frozen=True):
    """The result of one call: reports in the order they happened, bytes as in DriverOutput."""

    reports: tuple[TableLinkReport, ...] = ()
    to_write: tuple[bytes, ...] = ()
    at_once: tuple[bytes, ...] = ()


TableLinkStep: TypeAlias = tuple[TableLinkDeviceState, DeviceOutput]
TableLinkLinkResult: TypeAlias = tuple[TableLinkState, LinkOutput[TableLinkItem]]


class TableLinkDevice(Struct, frozen=True):
    """One device. Total: no input raises."""

    settings: TableLinkSettings

    def initial(self) -> TableLinkDeviceState:
        """The state before the port was first opened."""
        return TableLinkDeviceState(self._link.initial())

    def receive(self, state: TableLinkDeviceState, event: PortEvent) -> TableLinkStep:
        """Process one event of the port."""
        match event:
            case PortOpened(at=at, entropy=entropy):
                life, events = lifecycle.port_opened(state.life)
                linked = self._link.opened(state.link, at, entropy)
            case PortLost(at=at, reason=reason):
                life, events = lifecycle.port_lost(state.life, reason)
                linked = self._link.closed(state.link, at)
            case Chunk(at=at, data=data):
                life, events = state.life, ()
                linked = self._link.receive(state.link, data, at)
            case _:
                assert_never(event)
        state, output = self._apply(replace(state, life=life), linked, at)
        return state, replace(output, reports=(*events, *output.reports))

    def send_request(
        self, state: TableLinkDeviceState, request: TableLinkRequest, at: Timestamp
    ) -> TableLinkStep:
        """Send a request of a person or the table; its answer comes as a report."""
        if request == _STATUS:
            state = _with_pending_status(state, by_person=True)
        return self._apply(state, self._link.send(state.link, request, at), at)

    def tick(self, state: TableLinkDeviceState, at: Timestamp) -> TableLinkStep:
        """Process deadlines that have passed."""
        return self._apply(state, self._link.tick(state.link, at), at)

    def next_deadline_ns(self, state: TableLinkDeviceState) -> int | None:
        """Monotonic time of the next deadline, or None."""
        return self._link.next_deadline_ns(state.link)

    def _apply(
        self, state: TableLinkDeviceState, linked: TableLinkLinkResult, at: Timestamp
    ) -> TableLinkStep:
        link, output = linked
        state, reports = apply_items(state, link, output.items)
        admitted = any(isinstance(item, DeviceAdmitted) for item in output.items)
        if not admitted or state.stage is not Stage.ONLINE:
            return state, DeviceOutput(reports, output.to_write, output.at_once)
        link, request_output = self._link.send(state.link, _STATUS, at)
        state, more = apply_items(
            _with_pending_status(state, by_person=False), link, request_output.items
        )
        return state, DeviceOutput(
            (*reports, *more),
            (*output.to_write, *request_output.to_write),
            (*output.at_once, *request_output.at_once),
        )

    @property
    def _link(self) -> TableLink:
        return TableLink(self.settings)


def apply_items(
    state: TableLinkDeviceState, link: TableLinkState, items: tuple[TableLinkItem | LinkFault, ...]
) -> tuple[TableLinkDeviceState, tuple[TableLinkReport, ...]]:
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
    state: TableLinkDeviceState, received: int | None
) -> tuple[TableLinkDeviceState, tuple[DeviceStatus, ...]]:
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
    state: TableLinkDeviceState, answer: RequestAnswer
) -> tuple[TableLinkDeviceState, tuple[TableLinkReport, ...]]:
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


def _with_pending_status(state: TableLinkDeviceState, *, by_person: bool) -> TableLinkDeviceState:
    return replace(state, pending_status=(*state.pending_status, by_person)[:_PENDING_STATUS_MAX])
