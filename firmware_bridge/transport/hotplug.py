"""Watches USB devices appear and disappear on its own thread; the only importer of `pyudev`.

A kernel notification only triggers a scan of /sys, which is also scanned every second: a lost or
forged notification changes nothing.
Source: firmware_bridge/transport/README.md, "USB devices"; libudev(3).
"""

import errno
import os
import select
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pyudev

from firmware_bridge.transport.clock import now
from firmware_bridge.transport.usb_identity import (
    DeviceAppeared,
    DeviceGone,
    UsbDeviceEvent,
)
from firmware_bridge.transport.usb_sysfs import (
    SYSFS,
    AttachedDevice,
    address_at,
    device_at,
    occupied_places,
)
from foundation.context_thread import ContextThread
from foundation.timestamp import Timestamp

_SCAN_MS: Final = 1000
# A notification may arrive shortly before /sys shows the change.
_RESCAN_MS: Final = 100
# udev sends its notifications after applying its rules: permissions are set by then.
_UDEV_CONTROL: Final = Path("/run/udev/control")


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


def _notifications() -> pyudev.Monitor | None:
    """Subscribe to kernel notifications; None if unavailable, as in some containers."""
    try:
        source = "udev" if _UDEV_CONTROL.exists() else "kernel"
        monitor = pyudev.Monitor.from_netlink(pyudev.Context(), source)
        monitor.filter_by("usb", device_type="usb_device")
        monitor.start()
    except (ImportError, OSError):
        return None
    return monitor


def _drain(notifications: pyudev.Monitor) -> bool:
    """Discard pending notifications; False if no more will come."""
    try:
        while notifications.poll(timeout=0) is not None:
            pass
    except OSError as error:
        # Notifications overflowed, which does not matter: /sys is scanned anyway.
        return error.errno == errno.ENOBUFS
    return True
