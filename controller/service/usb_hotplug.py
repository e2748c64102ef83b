"""Records USB devices that come and go, with the allow-list's decision, and wakes waiting ports.

Source: field practice (an exposed USB port).
"""

from collections.abc import Callable, Sequence
from typing import Final

from controller.core.tape.inputs import DevicePlugged, DeviceUnplugged
from firmware_bridge.transport.allow_list import AllowList, UsbDeviceRefused, refuse_keyboard
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.usb_identity import (
    DeviceAppeared,
    UsbDeviceEvent,
    UsbIdentity,
    boot_keyboards,
)
from foundation.message import Message, message

_HUB_CLASS: Final = 0x09


class UsbHotplug:
    """Passes USB events to the table; `on_device_event` is called on the watcher's thread."""

    def __init__(
        self,
        allowed: AllowList | None,
        pumps: Sequence[PortPump],
        put: Callable[[DevicePlugged | DeviceUnplugged], object],
    ) -> None:
        self._allowed = allowed
        self._pumps = tuple(pumps)
        self._put = put
        self._present: dict[str, UsbIdentity] = {}

    def on_device_event(self, event: UsbDeviceEvent) -> None:
        """Record a device that appeared or went; hubs are ignored."""
        device = event.device
        if device.interfaces and all(one.class_code == _HUB_CLASS for one in device.interfaces):
            return
        if not isinstance(event, DeviceAppeared):
            self._present.pop(device.path, None)
            self._put(DeviceUnplugged(event.at, device.path))
            return
        refused = self._refused(device) or self._doubled(device)
        self._present[device.path] = device
        self._put(
            DevicePlugged(
                at=event.at,
                vendor_id=device.vendor_id,
                product_id=device.product_id,
                serial_number=device.serial_number,
                path=device.path,
                refused=refused,
            )
        )
        for pump in self._pumps:
            pump.wake()

    def _doubled(self, device: UsbIdentity) -> Message | None:
        """Why a device cannot be told from one that is present: no port opens either of them."""
        for other in self._present.values():
            same = (other.vendor_id, other.product_id, other.serial_number) == (
                *(device.vendor_id, device.product_id, device.serial_number),
            )
            if same and device.serial_number and other.path != device.path:
                return message("usb_serial_number_twice", device=device.name, place=other.path)
        return None

    def _refused(self, device: UsbIdentity) -> Message | None:
        """Why a device is refused, else None; without a list only keyboards are refused."""
        if self._allowed is None:
            return refuse_keyboard(device).reason if boot_keyboards(device) else None
        decision = self._allowed.check(device)
        return decision.reason if isinstance(decision, UsbDeviceRefused) else None
