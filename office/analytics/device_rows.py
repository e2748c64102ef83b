"""What devices report of themselves, as rows: stages, faults, identities, lost reports.

Not: cards, chips and locks: a lock follows from cards.
"""

from typing import TypeAlias

from controller.core.settings import Settings
from controller.procedure.events import (
    CardRepeated,
    DomainEvent,
    ReportsMissing,
    ShoeDeviceStarted,
    ShufflerDisconnected,
    ShufflerEventsLost,
    ShufflerReported,
)
from drivers.events import (
    DeviceErrorCleared,
    DeviceErrorRaised,
    DeviceEvent,
    DeviceStarted,
    ReportsLost,
    StageChanged,
)
from drivers.faults import DeviceFault
from drivers.shuffler_events import (
    ContactRestored,
    DeviceMemoryFilling,
    DeviceSilent,
    DeviceTampered,
    DoorMoved,
    IdentityProven,
    IdentityRefused,
    JamReported,
    ModeChanged,
    ResidualCards,
    SelfTested,
    ShuffleAborted,
    ShufflerStarted,
    ShufflerWarning,
    ShuffleStarted,
)

DeviceRow: TypeAlias = dict[str, object]


def domain_row(event: DomainEvent | None, settings: Settings | None) -> DeviceRow | None:
    """The row of what devices made happen at the table; None where it says nothing of a device."""
    shoe = settings.shoe.port if settings is not None else ""
    shuffler = settings.shuffler.port if settings is not None and settings.shuffler else ""
    match event:
        case ShufflerReported(event=reported):
            return device_row(shuffler, reported)
        case ShufflerEventsLost(count=count):
            return _row(shuffler, event, count=count)
        case ShufflerDisconnected():
            return _row(shuffler, event)
        case ReportsMissing(loss=loss, count_min=count):
            return _row(shoe, event, loss.value, count=count)
        case ShoeDeviceStarted() | CardRepeated():
            return _row(shoe, event)
        case _:
            return None


def device_row(port: str, event: DeviceEvent) -> DeviceRow | None:
    """The row of a device's event; None for one that is about cards, chips or a lock."""
    match event:
        case StageChanged(stage=stage, detail=detail):
            return _row(port, event, stage.value, detail.id)
        case DeviceFault(kind=kind, detail=detail):
            return _row(port, event, kind.value, detail.id)
        case (
            DeviceErrorRaised(code=code, meaning=meaning)
            | DeviceErrorCleared(code=code, meaning=meaning)
        ):
            return _row(port, event, str(code), meaning.id)
        case ReportsLost(reason=reason, missing_min=count):
            return _row(port, event, reason.value, count=count)
        case IdentityProven(device=device, version=version):
            return _row(port, event) | {"identity": device or None, "version": version or None}
        case IdentityRefused(device=device, why=why):
            return _row(port, event, detail=why.id) | {"identity": device or None}
        case DeviceSilent(silent_ms=count, lost=lost):
            return _row(port, event, "lost" if lost else "silent", count=count)
        case _:
            return _shuffler_row(port, event)


def _shuffler_row(port: str, event: DeviceEvent) -> DeviceRow | None:
    match event:
        case ShuffleAborted(reason=reason):
            return _row(port, event, reason.value)
        case ModeChanged(mode=mode):
            return _row(port, event, mode.value)
        case JamReported(cleared=cleared):
            return _row(port, event, "cleared" if cleared else "jammed")
        case DoorMoved(open=opened):
            return _row(port, event, "opened" if opened else "closed")
        case ResidualCards(cards=count):
            return _row(port, event, count=count)
        case ShufflerWarning(code=code, active=active):
            return _row(port, event, f"{code} {'on' if active else 'off'}")
        case SelfTested(passed=passed):
            return _row(port, event, "passed" if passed else "failed")
        case DeviceTampered(what=what):
            return _row(port, event, detail=what.id)
        case ShuffleStarted() | ShufflerStarted() | ContactRestored() | DeviceStarted():
            return _row(port, event)
        case DeviceMemoryFilling(stored=stored, stopped=stopped):
            return _row(port, event, "stopped" if stopped else "filling", count=stored)
        case _:
            return None


def _row(
    port: str,
    event: DeviceEvent | DomainEvent,
    what: str | None = None,
    detail: str | None = None,
    count: int | None = None,
) -> DeviceRow:
    return {
        "port": port or None,
        "event": str(event.__struct_config__.tag),
        "what": what,
        "detail": detail,
        "count": count,
    }
