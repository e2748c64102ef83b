"""Telling systemd how the program is doing.

Responsible for: readiness, a line of status, signs of life and the end, as datagrams to the
socket that systemd names; nothing at all where systemd did not start the program.
Not responsible for: deciding that all is well (app asks the table first).
Source: sd_notify(3), sd_watchdog_enabled(3).
"""

import contextlib
import os
import socket
from collections.abc import Mapping
from typing import Final

# A third of what systemd allows: one for waiting, one for asking the table, one to spare.
_WATCHDOG_PARTS: Final = 3
_US_PER_S: Final = 1_000_000
# Each step of a start takes well below a second, on a slow disk, too.
_STARTING_US: Final = 60 * _US_PER_S


class Notifier:
    """`watchdog_interval_s` says how often to call alive(); 0.0 where nobody waits for it."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        self.watchdog_interval_s = _watchdog_interval_s(environment)

    def ready(self, status: str) -> None:
        """The program is up."""
        self._send("READY=1", _status(status))

    def starting(self, status: str) -> None:
        """What has to be done before the program is up goes on; systemd waits longer for it."""
        self._send(_status(status), f"EXTEND_TIMEOUT_USEC={_STARTING_US}")

    def status(self, status: str) -> None:
        """One line that `systemctl status` shows."""
        self._send(_status(status))

    def alive(self) -> None:
        """All is well; systemd restarts the program when this stays away too long."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """The program is about to end."""
        self._send("STOPPING=1")

    def _send(self, *lines: str) -> None:
        # Other forms of address are not for services of one machine.
        if not self._address.startswith(("/", "@")):
            return
        address = self._address
        if address.startswith("@"):
            address = "\0" + address[1:]
        # A table does not stop because nobody listens to how it is doing.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.settimeout(1.0)
            out.sendto("\n".join(lines).encode(), address)


def _status(text: str) -> str:
    return "STATUS=" + " ".join(text.split())


def _watchdog_interval_s(environment: Mapping[str, str]) -> float:
    asked = environment.get("WATCHDOG_USEC", "")
    meant_for = environment.get("WATCHDOG_PID", str(os.getpid()))
    if not environment.get("NOTIFY_SOCKET") or meant_for != str(os.getpid()):
        return 0.0
    if not asked.isascii() or not asked.isdecimal():
        return 0.0
    return int(asked) / _US_PER_S / _WATCHDOG_PARTS
