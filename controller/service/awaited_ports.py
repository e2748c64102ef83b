"""Which ports of a starting table are not open yet, and why; silent once all were open.

Not: a port that is lost in play, which the device log and the table's status report.
Source: controller/table/README.md, "Running a table".
"""

import threading
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from controller.messages.catalogue import to_words
from firmware_bridge.transport.port import PortEvent, PortLost, PortOpened

PutPort: TypeAlias = Callable[[PortEvent], object]

_NOT_YET: Final = "it has not opened yet"


class AwaitedPorts:
    """The ports that a table waits for, each with the role of its device.

    `say` is called with what is awaited, in words, at `begin` and at each change; with empty words
    once all ports are open, and then no more. It may be called by any port's reader thread.
    """

    def __init__(self, roles: Mapping[str, str], say: Callable[[str], object]) -> None:
        self._roles = roles
        self._say = say
        self._changed = threading.Condition()
        # Guarded by the condition: why a port is not open; absent while it is open.
        self._why = dict.fromkeys(roles, _NOT_YET)
        self._begun = False
        self._ended = False

    def watching(self, put: PutPort) -> PutPort:
        """Wrap `put`: note that a port opened or was lost, then pass the event on."""

        def note_and_put(event: PortEvent) -> object:
            if not self._ended and isinstance(event, PortOpened | PortLost):
                self._note(event)
            return put(event)

        return note_and_put

    def begin(self, wait_s: float) -> None:
        """Say what is awaited once each port has opened or failed, after `wait_s` at the latest."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._all_tried, wait_s)
            self._begun = True
            self._say_once()

    def end(self) -> None:
        """Wait no longer, and say no more. From any thread."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    @property
    def _all_tried(self) -> bool:
        return _NOT_YET not in self._why.values()

    def _note(self, event: PortOpened | PortLost) -> None:
        with self._changed:
            if isinstance(event, PortOpened):
                self._why.pop(event.port, None)
            else:
                self._why[event.port] = to_words(event.reason).removeprefix(f"{event.port}: ")
            self._changed.notify_all()
            if self._begun:
                self._say_once()

    def _say_once(self) -> None:
        if self._ended:
            return
        self._ended = not self._why
        self._say(
            ", ".join(f"{self._roles[port]} at {port} ({why})" for port, why in self._why.items())
        )
