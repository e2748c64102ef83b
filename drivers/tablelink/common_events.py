"""Maps events that any TableLink device reports about itself to device events.

Source: drivers/README.md, "TableLink devices"; firmware_bridge README, "TableLink/1", "Events".
"""

from typing import TypeAlias, assert_never

from drivers.events import DeviceEvent
from drivers.faults import DeviceFault
from drivers.shuffler_events import DeviceTampered
from drivers.tablelink.printable import printable_text
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.tablelink import bodies

CommonBody: TypeAlias = (
    bodies.Tamper
    | bodies.ConfigChanged
    | bodies.FirmwareChanged
    | bodies.Overflow
    | bodies.Checkpoint
)


def events_of(body: CommonBody) -> tuple[DeviceEvent, ...]:
    """The device events of one of these, in order."""
    match body:
        case bodies.Tamper(what):
            return (DeviceTampered(printable_text(what)),)
        case bodies.ConfigChanged(what):
            return (DeviceTampered(f"its settings were changed: {printable_text(what)}"),)
        case bodies.FirmwareChanged(_image, version):
            return (DeviceTampered(f"it was given other firmware: {printable_text(version)}"),)
        case bodies.Overflow():
            detail = "the device's event memory is full: it does nothing more until it is read"
            return (DeviceFault(LinkFaultKind.BUFFER_OVERFLOW, detail),)
        case bodies.Checkpoint():
            return ()  # the link compares the device's chain itself
        case _:
            assert_never(body)
