"""The desk for USB devices that come and go: judged, recorded, and the ports woken.

Responsible for: telling the table of each device that appeared or went, with the allow-list's
judgement, and having every port that waits try at once.
Not responsible for: seeing devices (firmware_bridge.transport.hotplug), the list itself
(allow_list), and opening (pump).
Source: package README, "Devices of a table"; field practice (an exposed USB port).
"""

from collections.abc import Callable, Sequence
from typing import Final

from controller.tape.inputs import DevicePlugged, DeviceUnplugged
from firmware_bridge.transport.allow_list import AllowList, Refused, keyboard_refused
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.usb_identity import (
    DeviceAppeared,
    DeviceEvent,
    UsbIdentity,
    boot_keyboards,
)

_HUB_CLASS: Final = 0x09


class DeviceDesk:
    """`tell` is called on the watch's own thread."""

    def __init__(
        self,
        allowed: AllowList | None,
        pumps: Sequence[PortPump],
        put: Callable[[DevicePlugged | DeviceUnplugged], None],
    ) -> None:
        self._allowed = allowed
        self._pumps = tuple(pumps)
        self._put = put

    def tell(self, event: DeviceEvent) -> None:
        """Record one device; a hub is no device of anybody's."""
        device = event.device
        if device.interfaces and all(one.class_code == _HUB_CLASS for one in device.interfaces):
            return
        if not isinstance(event, DeviceAppeared):
            self._put(DeviceUnplugged(event.at, device.path))
            return
        self._put(
            DevicePlugged(
                at=event.at,
                vendor_id=device.vendor_id,
                product_id=device.product_id,
                serial_number=device.serial_number,
                path=device.path,
                refused=self._refused(device),
            )
        )
        for pump in self._pumps:
            pump.wake()

    def _refused(self, device: UsbIdentity) -> str:
        """Why it is not let in, empty where it is; with no list any but a keyboard is."""
        if self._allowed is None:
            return keyboard_refused(device).reason if boot_keyboards(device) else ""
        judged = self._allowed.judge(device)
        return judged.reason if isinstance(judged, Refused) else ""
