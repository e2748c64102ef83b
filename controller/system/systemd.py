"""Notifies systemd of readiness, status, watchdog and stop; does nothing without systemd.

Source: sd_notify(3), sd_watchdog_enabled(3).
"""

import contextlib
import os
import socket
from collections.abc import Mapping
from typing import Final

from foundation.timestamp import Timestamp

# Notify three times per watchdog period: waiting and probing the table take a third each.
_WATCHDOG_PARTS: Final = 3
_US_PER_S: Final = 1_000_000
# Each step of a start takes well below a second, even on a slow disk.
_STARTING_US: Final = 60 * _US_PER_S


class Notifier:
    """`watchdog_interval_s` is the interval for alive(); 0.0 without a watchdog."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        self.watchdog_interval_s = _watchdog_interval_s(environment)

    def ready(self, status: str) -> None:
        """Report that the program is ready."""
        self._send("READY=1", _status(status))

    def starting(self, status: str) -> None:
        """Report a step of the start, and extend the time limit for it."""
        self._send(_status(status), f"EXTEND_TIMEOUT_USEC={_STARTING_US}")

    def status(self, status: str) -> None:
        """Set the line that `systemctl status` shows."""
        self._send(_status(status))

    def reloading(self, at: Timestamp) -> None:
        """Report that the configuration is read again; `ready` ends it."""
        self._send("RELOADING=1", f"MONOTONIC_USEC={at.monotonic_ns // 1_000}")

    def alive(self) -> None:
        """Reset the watchdog; without it systemd restarts the program."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """Report that the program is stopping."""
        self._send("STOPPING=1")

    def _send(self, *lines: str) -> None:
        # Other forms of address (vsock) are not for services of this machine.
        if not self._address.startswith(("/", "@")):
            return
        address = self._address
        if address.startswith("@"):
            address = "\0" + address[1:]
        # A table does not stop because systemd does not read.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.settimeout(1.0)
            out.sendto("\n".join(lines).encode(), address)


def _status(text: str) -> str:
    return "STATUS=" + " ".join(text.split())


def _watchdog_interval_s(environment: Mapping[str, str]) -> float:
    period_us = environment.get("WATCHDOG_USEC", "")
    watched_pid = environment.get("WATCHDOG_PID", str(os.getpid()))
    if not environment.get("NOTIFY_SOCKET") or watched_pid != str(os.getpid()):
        return 0.0
    if not period_us.isascii() or not period_us.isdecimal():
        return 0.0
    return int(period_us) / _US_PER_S / _WATCHDOG_PARTS
