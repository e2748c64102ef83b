"""A port that reads the levels of GPIO lines: each reading is one frame of contacts.

Source: firmware_bridge/contacts/README.md.
"""

import contextlib
import os
import select
import threading
from collections.abc import Sequence
from typing import Final

from firmware_bridge.contacts.frames import encode
from firmware_bridge.gpio.chip import GpioContacts, GpioUnavailable
from firmware_bridge.gpio.line import GpioLine
from firmware_bridge.transport.port import READ_TIMEOUT_S, PortGone, PortUnavailable
from firmware_bridge.transport.system_error import system_error
from foundation.message import message

_CONSUMER: Final = "smartshoe"


class GpioPort:
    """Implements firmware_bridge.transport.port.Port; contacts take nothing."""

    def __init__(self, url: str, lines: Sequence[GpioLine]) -> None:
        """Lines of one chip, requested by `open`."""
        self._url = url
        self._lines = tuple(lines)
        self._contacts: GpioContacts | None = None
        self._first_is_due = False
        self._closing = threading.Event()
        # close() wakes a read and waits for it: no descriptor is closed under it.
        self._reading = threading.Lock()
        self._waking = threading.Lock()
        self._woken: int | None = None

    def open(self) -> None:
        """Request the lines; the first read gives their levels. Raises PortUnavailable."""
        assert self._contacts is None
        self._closing.clear()
        try:
            self._contacts = GpioContacts(self._lines, _CONSUMER)
        except GpioUnavailable as error:
            why = message("in_its_own_words", foreign=str(error))
            raise PortUnavailable(why) from error
        self._woken = os.eventfd(0)
        self._first_is_due = True

    def read(self) -> bytes:
        """Wait for a change; the frames of all that wait, or b"" after a second.

        Raises PortGone.
        """
        with self._reading:
            contacts, woken = self._contacts, self._woken
            if contacts is None or woken is None or self._closing.is_set():
                raise PortGone(message("port_is_closed", port=self._url))
            try:
                if self._first_is_due:
                    self._first_is_due = False
                    return encode(contacts.levels())
                ready, _, _ = select.select((contacts.fd, woken), (), (), READ_TIMEOUT_S)
                if self._closing.is_set():
                    raise PortGone(message("port_was_closed", port=self._url))
                if ready:
                    return b"".join(map(encode, contacts.changes()))
                # A chip that is gone, or a change that was missed, shows only when it is asked.
                known = contacts.known
                return b"" if contacts.levels() == known else encode(contacts.known)
            except OSError as error:
                why = system_error(error)
                raise PortGone(message("port_failed", port=self._url, why=why)) from error

    def write(self, data: bytes) -> None:
        """Take nothing: raises PortGone."""
        raise PortGone(message("contacts_take_no_bytes", port=self._url))

    def close(self) -> None:
        """Close and wake a blocked read. Never raises; may be called twice."""
        self._closing.set()
        with self._waking:
            if self._woken is not None:
                os.eventfd_write(self._woken, 1)
        with self._reading, self._waking:
            contacts, self._contacts = self._contacts, None
            woken, self._woken = self._woken, None
            if woken is not None:
                os.close(woken)
            if contacts is not None:
                with contextlib.suppress(OSError):
                    contacts.close()
