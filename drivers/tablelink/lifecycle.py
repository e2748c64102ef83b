"""Follows the life cycle of a TableLink device: identity, stages, silence, missing events.

Source: firmware_bridge README, "TableLink/1".
"""

from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from drivers.events import DeviceEvent, LossReason, ReportsLost, Stage
from drivers.faults import DeviceFault
from drivers.lifecycle import StageStep, advance_through
from drivers.shuffler_events import (
    ContactRestored,
    DeviceMemoryFilling,
    DeviceSilent,
    IdentityProven,
    IdentityRefused,
)
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.items import (
    DeviceAdmitted,
    DeviceHello,
    DeviceNotAdmitted,
    DeviceSilence,
    EventsMissing,
    RequestAnswer,
    RingFillLevel,
    SilenceEnded,
    TableLinkEvent,
    TableLinkItem,
)
from foundation.message import Message, message
from foundation.recorded_text import ForeignText, foreign_text

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
