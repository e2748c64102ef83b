"""USB devices that come and go: the only importer of `pyudev`.

Responsible for: one thread that tells each device there is, each that appears and each that goes,
within moments where the kernel's announcements can be heard, else within a second.
Not responsible for: judging (allow_list), opening (usb_port) and recording devices.

An announcement only says that it is time to look: what is told comes from /sys, so that a lost or
forged announcement changes nothing, and a second look follows within a second anyway.
Source: package README, "USB devices"; libudev(3).
"""

import errno
import os
import select
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pyudev

from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.usb_identity import (
    DeviceAppeared,
    DeviceEvent,
    DeviceGone,
)
from firmware_bridge.transport.usb_sysfs import (
    SYSFS,
    AttachedDevice,
    address_at,
    device_at,
    places,
)

_LOOK_MS: Final = 1000
# An announcement may come a moment before /sys shows what it is about.
_LOOK_AGAIN_MS: Final = 100
# While udev runs, its announcements come after its rules: permissions are set by then.
_UDEV_RUNS: Final = Path("/run/udev/control")


class DeviceWatch:
    """Calls `tell` on its own thread, in order, beginning with the devices there are.

    `tell` is not called any more after join() returned.
    """

    def __init__(
        self,
        tell: Callable[[DeviceEvent], None],
        *,
        clock: Callable[[], Timestamp] = now,
        sysfs: Path = SYSFS,
    ) -> None:
        self._tell = tell
        self._clock = clock
        self._sysfs = sysfs
        self._known: dict[str, AttachedDevice] = {}
        self._announcements: pyudev.Monitor | None = None
        self._stopping = threading.Event()
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._watch, name="USB devices", daemon=True)

    def start(self) -> None:
        """Tell of the devices that are there, then start the thread; once.

        So whatever goes once this has returned was known, and is told of.
        """
        self._announcements = _announcements()
        self._look()
        self._thread.start()

    def stop(self) -> None:
        """Tell the thread to end; returns at once."""
        if not self._stopping.is_set():
            self._stopping.set()
            os.close(self._wake_write)

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the thread; whether it has ended."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _watch(self) -> None:
        announcements = self._announcements
        waiting = select.poll()
        waiting.register(self._wake_read, select.POLLIN)
        if announcements is not None:
            waiting.register(announcements.fileno(), select.POLLIN)
        wait_ms = _LOOK_MS
        while not self._stopping.is_set():
            wait_ms = _LOOK_AGAIN_MS if waiting.poll(wait_ms) else _LOOK_MS
            if announcements is not None and not _take_all(announcements):
                waiting.unregister(announcements.fileno())
                announcements = None
            if not self._stopping.is_set():
                self._look()
        os.close(self._wake_read)

    def _look(self) -> None:
        """Compare what is there with what was, and tell the difference."""
        there = places(self._sysfs)
        for path, known in tuple(self._known.items()):
            # The same place under another address: it was unplugged, and plugged in again.
            if path not in there or address_at(path, self._sysfs) != known.address:
                del self._known[path]
                self._tell(DeviceGone(self._clock(), known.identity))
        for path in there:
            if path in self._known:
                continue
            device = device_at(path, self._sysfs)
            if device is not None:
                self._known[path] = device
                self._tell(DeviceAppeared(self._clock(), device.identity))


def _announcements() -> pyudev.Monitor | None:
    """The kernel's announcements; None where they cannot be heard, as in some containers."""
    try:
        source = "udev" if _UDEV_RUNS.exists() else "kernel"
        monitor = pyudev.Monitor.from_netlink(pyudev.Context(), source)
        monitor.filter_by("usb", device_type="usb_device")
        monitor.start()
    except (ImportError, OSError):
        return None
    return monitor


def _take_all(announcements: pyudev.Monitor) -> bool:
    """Take what was announced; False where nothing more will come."""
    try:
        while announcements.poll(timeout=0) is not None:
            pass
    except OSError as error:
        # More than the kernel keeps for us is lost, which is no matter: we look anyway.
        return error.errno == errno.ENOBUFS
    return True
