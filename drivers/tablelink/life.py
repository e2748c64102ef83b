"""What all TableLink devices share, shoe or shuffler: who it is, its life, its silence, its memory.

Responsible for: the stages of its life, the words for identity, silence and missing events, and
handing what it says of cards and batches to the device's own mapping.
Not responsible for: what is on the wire and whom to trust (firmware_bridge), and for the meaning of
what a shoe (shoes.tablelink_shoe) or a shuffler (shufflers.tablelink_shuffler) tells.
Source: package README, "TableLink devices"; firmware_bridge README, "TableLink/1".
"""

from typing import TypeAlias, assert_never

from drivers.events import DeviceEvent, LossReason, ReportsLost, Stage
from drivers.faults import DeviceFault
from drivers.lifecycle import advance, advance_through
from drivers.shuffler_events import (
    DeviceHeardAgain,
    DeviceMemoryFilling,
    DeviceSilent,
    IdentityProven,
    IdentityRefused,
)
from drivers.tablelink.texts import SENTENCE_MAX, harmless, identity
from firmware_bridge.link import LinkFault, LinkFaultKind
from firmware_bridge.tablelink.items import (
    Admitted,
    Answered,
    DeviceSaidHello,
    EventsMissing,
    Happened,
    HeardAgain,
    NotAdmitted,
    RingFilling,
    Silent,
    TableLinkItem,
)
from firmware_bridge.values import dataclass, replace

# What is left for the shoe's or the shuffler's own mapping.
Said: TypeAlias = DeviceEvent | Happened | Answered


@dataclass(frozen=True, slots=True)
class Life:
    """How far the device is known; what it tells is taken while it is online.

    `version` and `boot_count` are of its last greeting, proven only where it is admitted.
    """

    stage: Stage = Stage.CLOSED
    version: str = ""
    boot_count: int = 0


def port_opened(life: Life) -> tuple[Life, tuple[DeviceEvent, ...]]:
    """The port is open; who is there is yet to be proved."""
    return _moved(life, Stage.OPENED, "port open")


def port_lost(life: Life, reason: str) -> tuple[Life, tuple[DeviceEvent, ...]]:
    """The port is gone."""
    return _moved(life, Stage.LOST, reason)


def hear(life: Life, item: TableLinkItem | LinkFault) -> tuple[Life, tuple[Said, ...]]:
    """One item of the link; what concerns cards or batches is handed on as it is."""
    match item:
        case Happened() | Answered():
            return life, (item,)
        case LinkFault(kind, detail):
            return life, (DeviceFault(kind, harmless(detail, SENTENCE_MAX)),)
        case DeviceSaidHello():
            return _greeted(life, item)
        case Admitted():
            return _admitted(life, item)
        case NotAdmitted(device, why, rolled_back):
            refused = IdentityRefused(identity(device), harmless(why, SENTENCE_MAX), rolled_back)
            life, events = _fallen_back(life, "the device is not let in")
            return life, (*events, refused)
        case EventsMissing(count):
            many = f"{count} events" if count else "events"
            detail = f"{many} of the device are missing for ever"
            return life, (
                DeviceFault(LinkFaultKind.SEQUENCE_GAP, detail),
                ReportsLost(LossReason.GAP, count),
            )
        case Silent(silent_ms, lost):
            life, events = _fallen_back(life, "nothing is heard of it") if lost else (life, ())
            return life, (DeviceSilent(silent_ms, lost), *events)
        case HeardAgain():
            return life, (DeviceHeardAgain(),)
        case RingFilling(kept, capacity, gate_closed):
            return life, (DeviceMemoryFilling(kept, capacity, gate_closed),)
        case _:
            assert_never(item)


def _greeted(life: Life, item: DeviceSaidHello) -> tuple[Life, tuple[DeviceEvent, ...]]:
    version = harmless(item.firmware)
    life, events = _fallen_back(life, "the device begins anew")
    life = replace(life, version=version, boot_count=item.boot_count)
    debug = ", debugging on" if item.debug else ""
    detail = f"device {identity(item.device)}: firmware {version}, boot {item.boot_count}{debug}"
    stage, changed = advance(life.stage, Stage.IDENTIFIED, detail)
    return replace(life, stage=stage), (*events, *changed)


def _admitted(life: Life, item: Admitted) -> tuple[Life, tuple[DeviceEvent, ...]]:
    stated = item.attestation
    if stated is None:
        proven = IdentityProven(
            device=identity(item.device),
            version=life.version,
            image=b"",
            security_counter=0,
            boot_count=life.boot_count,
            bare=True,
        )
        detail = "let in without an identity, as the configuration says"
    else:
        proven = IdentityProven(
            device=identity(item.device),
            version=harmless(stated.version),
            image=stated.image,
            security_counter=stated.security_counter,
            boot_count=stated.boot_count,
            bare=False,
        )
        detail = "it proved who it is"
    steps = ((Stage.IDENTIFIED, "it answered"), (Stage.ONLINE, detail))
    stage, changed = advance_through(life.stage, steps)
    return replace(life, stage=stage), (*changed, proven)


def _fallen_back(life: Life, detail: str) -> tuple[Life, tuple[DeviceEvent, ...]]:
    """Nothing it told before counts for what comes now."""
    if life.stage is not Stage.ONLINE:
        return life, ()
    return _moved(life, Stage.OPENED, detail)


def _moved(life: Life, to: Stage, detail: str) -> tuple[Life, tuple[DeviceEvent, ...]]:
    stage, changed = advance(life.stage, to, detail)
    return replace(life, stage=stage), changed
