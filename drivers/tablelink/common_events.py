"""Maps events that any TableLink device reports about itself to device events.

Source: firmware_bridge README, "TableLink/1", "Events".
"""

from typing import TypeAlias, assert_never

from drivers.events import DeviceEvent
from drivers.faults import DeviceFault
from drivers.shuffler_events import DeviceTampered
from firmware_bridge.link import LinkFaultKind
from firmware_bridge.tablelink import bodies
from foundation.message import message

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
            return (DeviceTampered(message("in_its_own_words", foreign=what)),)
        case bodies.ConfigChanged(what):
            return (DeviceTampered(message("device_settings_changed", foreign=what)),)
        case bodies.FirmwareChanged(_image, version):
            return (DeviceTampered(message("device_given_other_firmware", foreign=version)),)
        case bodies.Overflow():
            return (DeviceFault(LinkFaultKind.BUFFER_OVERFLOW, message("device_memory_full")),)
        case bodies.Checkpoint():
            return ()  # the link compares the device's chain itself
        case _:
            assert_never(body)
