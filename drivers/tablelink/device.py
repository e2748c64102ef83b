"""Common part of the TableLink drivers: from port events to ordered reports of a shoe or shuffler.

It follows the device's life (identity, stages, silence, missing events), and asks each admitted
device for its status, which is unknown after a restart.
Source: firmware_bridge README, "TableLink/1".
"""

from typing import Final, TypeAlias, TypeVar, assert_never

from msgspec import Struct, field
from msgspec.structs import replace

from drivers.commands import DeviceCommand
from drivers.events import CommandOutcome, DeviceEvent, LossReason, ReportsLost, Stage
from drivers.faults import DeviceFault
from drivers.interface import DriverOutput
from drivers.shell import LinkDriver, StageStep, advance_through
from drivers.shuffler_events import (
    ContactRestored,
    DeviceMemoryFilling,
    DeviceSilent,
    IdentityProven,
    IdentityRefused,
)
from firmware_bridge.link import LinkFault, LinkFaultKind, LinkOutput
from firmware_bridge.tablelink import frames
from firmware_bridge.tablelink.bodies import DeviceStatus
from firmware_bridge.tablelink.items import (
    DeviceAdmitted,
    DeviceHello,
    DeviceNotAdmitted,
    DeviceSilence,
    EventsMissing,
    RequestAnswer,
    RequestType,
    RingFillLevel,
    SilenceEnded,
    TableLinkEvent,
    TableLinkItem,
    TableLinkRequest,
)
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.settings import TableLinkSettings
from firmware_bridge.tablelink.state import TableLinkState
from firmware_bridge.transport.port import PortOpened
from foundation.message import Message, message
from foundation.recorded_text import ForeignText, foreign_text
from foundation.timestamp import Timestamp

# What the shoe's or the shuffler's own mapping still has to map.
LifecycleReport: TypeAlias = DeviceEvent | TableLinkEvent | RequestAnswer


class TableLinkLifecycle(Struct, frozen=True):
    """How far the device is known; its reports are accepted while it is online.

    `version` and `boot_count` come from its last HELLO, proven only when it is admitted.
    """

    stage: Stage = Stage.CLOSED
    version: ForeignText = ""
    boot_count: int = 0


def advance_life(
    life: TableLinkLifecycle, steps: tuple[StageStep, ...]
) -> tuple[TableLinkLifecycle, tuple[DeviceEvent, ...]]:
    """The port was opened or lost; an opened device has yet to prove its identity."""
    stage, changed = advance_through(life.stage, steps)
    return replace(life, stage=stage), changed


def apply_item(
    life: TableLinkLifecycle, item: TableLinkItem | LinkFault
) -> tuple[TableLinkLifecycle, tuple[LifecycleReport, ...]]:
    """Process one item of the link; items about cards or batches are passed on unchanged."""
    match item:
        case TableLinkEvent() | RequestAnswer():
            return life, (item,)
        case LinkFault(kind, detail):
            return life, (DeviceFault(kind, detail),)
        case DeviceHello():
            return _apply_hello(life, item)
        case DeviceAdmitted():
            return _apply_admission(life, item)
        case DeviceNotAdmitted(device, why, rolled_back):
            refused = IdentityRefused(device.hex(), why, rolled_back)
            life, events = _fall_back(life, message("device_not_admitted"))
            return life, (*events, refused)
        case EventsMissing(count):
            return life, (
                DeviceFault(LinkFaultKind.SEQUENCE_GAP, _describe_missing(count)),
                ReportsLost(LossReason.GAP, count),
            )
        case DeviceSilence(silent_ms, lost):
            life, events = _fall_back(life, message("no_frames")) if lost else (life, ())
            return life, (DeviceSilent(silent_ms, lost), *events)
        case SilenceEnded():
            return life, (ContactRestored(),)
        case RingFillLevel(stored, capacity, gate_closed):
            return life, (DeviceMemoryFilling(stored, capacity, gate_closed),)
        case _:
            assert_never(item)


def _apply_hello(
    life: TableLinkLifecycle, item: DeviceHello
) -> tuple[TableLinkLifecycle, tuple[DeviceEvent, ...]]:
    life, events = _fall_back(life, message("device_opens_new_session"))
    life = replace(life, version=item.firmware, boot_count=item.boot_count)
    life, changed = advance_life(life, ((Stage.IDENTIFIED, _describe_hello(item)),))
    return life, (*events, *changed)


def _describe_hello(item: DeviceHello) -> Message:
    device, firmware, boot = item.device.hex(), item.firmware, item.boot_count
    if item.debug:
        return message("device_said_hello_debugging", device=device, foreign=firmware, boot=boot)
    return message("device_said_hello", device=device, foreign=firmware, boot=boot)


def _apply_admission(
    life: TableLinkLifecycle, item: DeviceAdmitted
) -> tuple[TableLinkLifecycle, tuple[DeviceEvent, ...]]:
    stated = item.attestation
    if stated is None:
        proven = IdentityProven(
            device=item.device.hex(),
            version=life.version,
            image=b"",
            security_counter=0,
            boot_count=life.boot_count,
            bare=True,
        )
        detail = message("admitted_without_identity")
    else:
        proven = IdentityProven(
            device=item.device.hex(),
            version=foreign_text(stated.version),
            image=stated.image,
            security_counter=stated.security_counter,
            boot_count=stated.boot_count,
            bare=False,
        )
        detail = message("identity_proved")
    steps = ((Stage.IDENTIFIED, message("device_answered")), (Stage.ONLINE, detail))
    stage, changed = advance_through(life.stage, steps)
    return replace(life, stage=stage), (*changed, proven)


def _fall_back(
    life: TableLinkLifecycle, detail: Message
) -> tuple[TableLinkLifecycle, tuple[DeviceEvent, ...]]:
    """Leave the online stage: the device has to prove its identity again."""
    if life.stage is not Stage.ONLINE:
        return life, ()
    return advance_life(life, ((Stage.OPENED, detail),))


def _describe_missing(count: int) -> Message:
    if not count:
        return message("events_lost_for_good")
    return message("number_of_events_lost_for_good", count=count)


NOT_ANSWERED: Final = (CommandOutcome.NO_ANSWER, message("no_answer"))


def with_detail(said: Message, detail: Message | None) -> Message:
    """The answer, and what was added to it."""
    return said if detail is None else message("answer_with_detail", answer=said, detail=detail)


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
        life, changed = advance_life(state.life, steps)
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
        life, found = apply_item(state.life, item)
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
