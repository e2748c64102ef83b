"""Follows the life cycle of a TableLink device: identity, stages, silence, missing events.

Source: drivers/README.md, "TableLink devices"; firmware_bridge README, "TableLink/1".
"""

from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from drivers.events import DeviceEvent, LossReason, ReportsLost, Stage
from drivers.faults import DeviceFault
from drivers.lifecycle import advance, advance_through
from drivers.shuffler_events import (
    ContactRestored,
    DeviceMemoryFilling,
    DeviceSilent,
    IdentityProven,
    IdentityRefused,
)
from drivers.tablelink.printable import SENTENCE_MAX, device_id, printable_text
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

# What the shoe's or the shuffler's own mapping still has to map.
LifecycleReport: TypeAlias = DeviceEvent | TableLinkEvent | RequestAnswer


class TableLinkLifecycle(Struct, frozen=True):
    """How far the device is known; its reports are accepted while it is online.

    `version` and `boot_count` come from its last HELLO, proven only when it is admitted.
    """

    stage: Stage = Stage.CLOSED
    version: str = ""
    boot_count: int = 0


def port_opened(life: TableLinkLifecycle) -> tuple[TableLinkLifecycle, tuple[DeviceEvent, ...]]:
    """The port was opened; the device has yet to prove its identity."""
    return _move(life, Stage.OPENED, "port open")


def port_lost(
    life: TableLinkLifecycle, reason: str
) -> tuple[TableLinkLifecycle, tuple[DeviceEvent, ...]]:
    """The port was lost."""
    return _move(life, Stage.LOST, reason)


def apply_item(
    life: TableLinkLifecycle, item: TableLinkItem | LinkFault
) -> tuple[TableLinkLifecycle, tuple[LifecycleReport, ...]]:
    """Process one item of the link; items about cards or batches are passed on unchanged."""
    match item:
        case TableLinkEvent() | RequestAnswer():
            return life, (item,)
        case LinkFault(kind, detail):
            return life, (DeviceFault(kind, printable_text(detail, SENTENCE_MAX)),)
        case DeviceHello():
            return _apply_hello(life, item)
        case DeviceAdmitted():
            return _apply_admission(life, item)
        case DeviceNotAdmitted(device, why, rolled_back):
            refused = IdentityRefused(
                device_id(device), printable_text(why, SENTENCE_MAX), rolled_back
            )
            life, events = _fall_back(life, "the device is not admitted")
            return life, (*events, refused)
        case EventsMissing(count):
            detail = _missing_text(count)
            return life, (
                DeviceFault(LinkFaultKind.SEQUENCE_GAP, detail),
                ReportsLost(LossReason.GAP, count),
            )
        case DeviceSilence(silent_ms, lost):
            life, events = _fall_back(life, "no frames from the device") if lost else (life, ())
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
    version = printable_text(item.firmware)
    life, events = _fall_back(life, "the device opens a new session")
    life = replace(life, version=version, boot_count=item.boot_count)
    debug = ", debugging on" if item.debug else ""
    detail = f"device {device_id(item.device)}: firmware {version}, boot {item.boot_count}{debug}"
    stage, changed = advance(life.stage, Stage.IDENTIFIED, detail)
    return replace(life, stage=stage), (*events, *changed)


def _apply_admission(
    life: TableLinkLifecycle, item: DeviceAdmitted
) -> tuple[TableLinkLifecycle, tuple[DeviceEvent, ...]]:
    stated = item.attestation
    if stated is None:
        proven = IdentityProven(
            device=device_id(item.device),
            version=life.version,
            image=b"",
            security_counter=0,
            boot_count=life.boot_count,
            bare=True,
        )
        detail = "admitted without an identity, as configured"
    else:
        proven = IdentityProven(
            device=device_id(item.device),
            version=printable_text(stated.version),
            image=stated.image,
            security_counter=stated.security_counter,
            boot_count=stated.boot_count,
            bare=False,
        )
        detail = "identity proved"
    steps = ((Stage.IDENTIFIED, "the device answered"), (Stage.ONLINE, detail))
    stage, changed = advance_through(life.stage, steps)
    return replace(life, stage=stage), (*changed, proven)


def _fall_back(
    life: TableLinkLifecycle, detail: str
) -> tuple[TableLinkLifecycle, tuple[DeviceEvent, ...]]:
    """Leave the online stage: the device has to prove its identity again."""
    if life.stage is not Stage.ONLINE:
        return life, ()
    return _move(life, Stage.OPENED, detail)


def _missing_text(count: int) -> str:
    if not count:
        return "events of the device are lost for good"
    return f"{count} event{'s' if count > 1 else ''} of the device lost for good"


def _move(
    life: TableLinkLifecycle, to: Stage, detail: str
) -> tuple[TableLinkLifecycle, tuple[DeviceEvent, ...]]:
    stage, changed = advance(life.stage, to, detail)
    return replace(life, stage=stage), changed
