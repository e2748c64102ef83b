"""Finds the port of a device by plugging it in: what is there afterwards and was not before."""

import threading
from collections.abc import Callable, Mapping
from typing import Final

from controller.cli.devices.attached_devices import is_hub, list_serial, list_usb
from firmware_bridge.transport.serial_port import list_serial_ports
from firmware_bridge.transport.usb_sysfs import attached_devices

# A device that begins with a boot loader of its own needs so long until its port appears.
APPEARS_S_MAX: Final = 20.0
# Its link by id, and its further interfaces, come a little later.
_SETTLES_S: Final = 0.5
_POLL_S: Final = 0.2

Ports = Mapping[str, str]


def pause(seconds: float) -> None:
    """Wait so long."""
    threading.Event().wait(seconds)


def ports_now() -> Ports:
    """Every port that a device of a table may have now: what to write, and what it is."""
    ports = list_serial_ports()
    attached = tuple(one for one in attached_devices() if not is_hub(one.identity))
    serial = {one.stable_name: one.description for one in list_serial(ports, attached)}
    usb = list_usb(attached, ports, {}, None)
    # The port of a serial adapter is in the list already, by its stable name.
    others = {
        one.url: f"USB device {one.usb_id}"
        for one in usb
        if one.url and not one.url.startswith("usbserial:")
    }
    return serial | others


def wait_for_new(
    before: Ports,
    look: Callable[[], Ports] = ports_now,
    wait: Callable[[float], object] = pause,
) -> Ports:
    """The ports that have appeared since; empty if none does in `APPEARS_S_MAX`."""
    for _ in range(round(APPEARS_S_MAX / _POLL_S)):
        if _appeared(before, look()):
            wait(_SETTLES_S)
            return _appeared(before, look())
        wait(_POLL_S)
    return {}


def _appeared(before: Ports, after: Ports) -> Ports:
    return {port: words for port, words in after.items() if port not in before}
