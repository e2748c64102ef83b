"""What any TableLink device tells of itself, shoe or shuffler.

Responsible for: tampering, changed settings and firmware, a full memory, checkpoints of its chain.
Not responsible for: what it tells of cards or batches (each device's own mapping).
Source: package README, "TableLink devices"; firmware_bridge README, "TableLink/1", "Events".
"""

from typing import TypeAlias, assert_never

from drivers.events import DeviceEvent
from drivers.faults import DeviceFault
from drivers.shuffler_events import DeviceTampered
from drivers.tablelink.texts import harmless
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.tablelink import bodies

OwnAffair: TypeAlias = (
    bodies.Tamper
    | bodies.ConfigChanged
    | bodies.FirmwareChanged
    | bodies.Overflow
    | bodies.Checkpoint
)


def events_of(body: OwnAffair) -> tuple[DeviceEvent, ...]:
    """The device events of one of these, in order."""
    match body:
        case bodies.Tamper(what):
            return (DeviceTampered(harmless(what)),)
        case bodies.ConfigChanged(what):
            return (DeviceTampered(f"its settings were changed: {harmless(what)}"),)
        case bodies.FirmwareChanged(_image, version):
            return (DeviceTampered(f"it was given other firmware: {harmless(version)}"),)
        case bodies.Overflow():
            detail = "the device's memory of events is full: it does nothing more until it is read"
            return (DeviceFault(LinkFaultKind.BUFFER_OVERFLOW, detail),)
        case bodies.Checkpoint():
            return ()  # of the device's own chain, which is compared where it is read
        case _:
            assert_never(body)
