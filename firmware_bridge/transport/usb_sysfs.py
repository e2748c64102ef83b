"""The USB devices the kernel sees, read from /sys without opening one, and their coming and going.

A kernel notification only triggers a scan of /sys, which is also scanned every second: a lost or
forged notification changes nothing.

Source: firmware_bridge/transport/README.md, "USB devices"; Linux
Documentation/ABI/stable/sysfs-bus-usb; libudev(3).
"""

import errno
import os
import select
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from firmware_bridge.transport.allow_list import PLACE, AllowList, UsbDeviceRefused, refuse_keyboard
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import PortUnavailable
from firmware_bridge.transport.port_url import UsbUrl
from firmware_bridge.transport.usb_identity import (
    DeviceAppeared,
    DeviceGone,
    UsbDeviceEvent,
    UsbIdentity,
    boot_keyboards,
    interfaces_in,
)
from foundation.context_thread import ContextThread
from foundation.message import message
from foundation.recorded_text import ForeignText, foreign_text
from foundation.timestamp import Timestamp

if TYPE_CHECKING:
    import pyudev

SYSFS: Final = Path("/sys")
# 18 bytes of the device and every configuration; the kernel reads at most 64 KiB of one.
_DESCRIPTOR_BYTES_MAX: Final = 65536 * 2
_TEXT_BYTES_MAX: Final = 1024
_SCAN_MS: Final = 1000
# A notification may arrive shortly before /sys shows the change.
_RESCAN_MS: Final = 100
# udev sends its notifications after applying its rules: permissions are set by then.
_UDEV_CONTROL: Final = Path("/run/udev/control")


class UsbAddress(Struct, frozen=True):
    """The kernel's address of a device; it changes each time the device is plugged in."""

    bus: int
    address: int


class AttachedDevice(Struct, frozen=True):
    """A device that is plugged in; root hubs (usb1, ...) are left out."""

    identity: UsbIdentity
    address: UsbAddress


def attached_devices(sysfs: Path = SYSFS) -> tuple[AttachedDevice, ...]:
    """All USB devices, by place; one that disappears while it is read is left out."""
    found = (device_at(path, sysfs) for path in occupied_places(sysfs))
    return tuple(device for device in found if device is not None)


def address_at(path: str, sysfs: Path = SYSFS) -> UsbAddress | None:
    """The address of the device at a place; None if there is none."""
    folder = sysfs / "bus/usb/devices" / path
    try:
        return UsbAddress(_number(folder, "busnum"), _number(folder, "devnum"))
    except (OSError, ValueError):
        return None


def occupied_places(sysfs: Path = SYSFS) -> tuple[str, ...]:
    """The places where a device is plugged in."""
    try:
        names = sorted(entry.name for entry in (sysfs / "bus/usb/devices").iterdir())
    except OSError:
        return ()  # a machine without USB
    return tuple(name for name in names if PLACE.fullmatch(name))


def device_at(path: str, sysfs: Path = SYSFS) -> AttachedDevice | None:
    """The device at a place; None if there is none."""
    return _read(sysfs / "bus/usb/devices" / path)


def device_behind(port: str, sysfs: Path = SYSFS) -> UsbIdentity | None:
    """The USB device that a serial port belongs to; None if it does not belong to one."""
    try:
        status = Path(port).stat()
        if not stat.S_ISCHR(status.st_mode):
            return None
        name = Path(port).resolve().name
        folder = (sysfs / "class/tty" / name / "device").resolve(strict=True)
    except OSError:
        return None
    for place in folder.parents:
        if PLACE.fullmatch(place.name) and (device := _read(place)) is not None:
            return device.identity
    return None


def find_device(url: UsbUrl, allowed: AllowList | None, sysfs: Path = SYSFS) -> AttachedDevice:
    """Find the only device a URL names, if it may be opened. Raises PortUnavailable."""
    ids = (url.vendor_id, url.product_id)
    same = tuple(
        device
        for device in attached_devices(sysfs)
        if (device.identity.vendor_id, device.identity.product_id) == ids
    )
    named = tuple(
        device
        for device in same
        if url.serial_number in ("", device.identity.serial_number)
        and url.path in ("", device.identity.path)
    )
    if len(named) > 1:
        places = tuple(device.identity.path for device in named)
        raise PortUnavailable(
            message(
                "usb_several_such_devices",
                port=str(url),
                number=len(named),
                places=places,
                example=f"{url.scheme}://.../@{places[0]}",
            )
        )
    if not named and same:
        others = tuple(device.identity.name for device in same)
        raise PortUnavailable(message("usb_others_plugged_in", port=str(url), others=others))
    if not named:
        raise PortUnavailable(message("usb_not_plugged_in", port=str(url)))
    refuse_unless_allowed(named[0].identity, allowed)
    return named[0]


def refuse_unless_allowed(device: UsbIdentity, allowed: AllowList | None) -> None:
    """Raise PortUnavailable with the reason; without a list, only keyboards are refused."""
    if allowed is not None:
        decision = allowed.check(device)
        if isinstance(decision, UsbDeviceRefused):
            raise PortUnavailable(decision.reason)
    elif boot_keyboards(device):
        raise PortUnavailable(refuse_keyboard(device).reason)


def _read(folder: Path) -> AttachedDevice | None:
    try:
        identity = UsbIdentity(
            vendor_id=int(_text(folder, "idVendor"), 16),
            product_id=int(_text(folder, "idProduct"), 16),
            serial_number=_serial_number(folder),
            path=folder.name,
            interfaces=interfaces_in(_bytes(folder / "descriptors", _DESCRIPTOR_BYTES_MAX)),
        )
        address = UsbAddress(_number(folder, "busnum"), _number(folder, "devnum"))
    except (OSError, ValueError):
        return None
    return AttachedDevice(identity, address)


def _serial_number(folder: Path) -> ForeignText:
    try:
        return foreign_text(_text(folder, "serial"))
    except FileNotFoundError:
        return ""  # the device has none


def _number(folder: Path, name: str) -> int:
    return int(_text(folder, name))


def _text(folder: Path, name: str) -> str:
    data = _bytes(folder / name, _TEXT_BYTES_MAX)
    return data.decode("utf-8", "replace").removesuffix("\n")


def _bytes(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


class DeviceWatch:
    """Calls `on_event` on its own thread, in order, beginning with the devices present.

    `on_event` is not called after join() has returned.
    """

    def __init__(
        self,
        on_event: Callable[[UsbDeviceEvent], None],
        *,
        clock: Callable[[], Timestamp] = now,
        sysfs: Path = SYSFS,
    ) -> None:
        self._on_event = on_event
        self._clock = clock
        self._sysfs = sysfs
        self._known: dict[str, AttachedDevice] = {}
        self._notifications: pyudev.Monitor | None = None
        self._stopping = threading.Event()
        self._wake_read, self._wake_write = os.pipe()
        self._thread = ContextThread(target=self._watch, name="USB devices", daemon=True)

    def start(self) -> None:
        """Report the devices present, then start the thread; call once.

        A device that disappears after this has returned is therefore always reported.
        """
        self._notifications = _notifications()
        self._scan()
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; returns at once."""
        if not self._stopping.is_set():
            self._stopping.set()
            os.close(self._wake_write)

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the thread; return whether it has ended."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _watch(self) -> None:
        notifications = self._notifications
        waiting = select.poll()
        waiting.register(self._wake_read, select.POLLIN)
        if notifications is not None:
            waiting.register(notifications.fileno(), select.POLLIN)
        wait_ms = _SCAN_MS
        while not self._stopping.is_set():
            wait_ms = _RESCAN_MS if waiting.poll(wait_ms) else _SCAN_MS
            if notifications is not None and not _drain(notifications):
                waiting.unregister(notifications.fileno())
                notifications = None
            if not self._stopping.is_set():
                self._scan()
        os.close(self._wake_read)

    def _scan(self) -> None:
        """Report the difference between the devices present and those known."""
        present = occupied_places(self._sysfs)
        for path, known in tuple(self._known.items()):
            # Another address at the same place: it was unplugged and plugged in again.
            if path not in present or address_at(path, self._sysfs) != known.address:
                del self._known[path]
                self._on_event(DeviceGone(self._clock(), known.identity))
        for path in present:
            if path in self._known:
                continue
            device = device_at(path, self._sysfs)
            if device is not None:
                self._known[path] = device
                self._on_event(DeviceAppeared(self._clock(), device.identity))


def _notifications() -> "pyudev.Monitor | None":
    """Subscribe to kernel notifications; None if unavailable, as in some containers."""
    # Only who waits for devices loads it: others look once.
    import pyudev  # noqa: PLC0415

    try:
        source = "udev" if _UDEV_CONTROL.exists() else "kernel"
        monitor = pyudev.Monitor.from_netlink(pyudev.Context(), source)
        monitor.filter_by("usb", device_type="usb_device")
        monitor.start()
    except (ImportError, OSError):
        return None
    return monitor


def _drain(notifications: "pyudev.Monitor") -> bool:
    """Discard pending notifications; False if no more will come."""
    try:
        while notifications.poll(timeout=0) is not None:
            pass
    except OSError as error:
        # Notifications overflowed, which does not matter: /sys is scanned anyway.
        return error.errno == errno.ENOBUFS
    return True
