"""Which ports of a starting table another program holds; silent once all are free.

Not: a device that is absent, or lost in play, which the device log and the table's status report.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from controller.system.messages.catalogue import to_words
from firmware_bridge.transport.port import PortEvent, PortLost, PortOpened

PutPort: TypeAlias = Callable[[PortEvent], object]

_UNTRIED: Final = ""
_HELD: Final = "port_held_by_other_program"


class AwaitedPorts:
    """The ports that a table waits for since another program holds them, by their devices' roles.

    `say` is called with what is awaited, in words, at `begin` and at each change; with empty words
    once no port is held, and then no more. It may be called by any port's reader thread.
    """

    def __init__(self, roles: Mapping[str, str], say: Callable[[str], object]) -> None:
        self._roles = roles
        self._say = say
        self._changed = threading.Condition()
        # Guarded by the condition: why a held port is not open; absent while nobody holds it.
        self._why = dict.fromkeys(roles, _UNTRIED)
        self._said: str | None = None
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
        """Say what is awaited once each port was tried, after `wait_s` at the latest."""
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
        return _UNTRIED not in self._why.values()

    def _note(self, event: PortOpened | PortLost) -> None:
        with self._changed:
            if isinstance(event, PortLost) and event.reason.id == _HELD:
                self._why[event.port] = to_words(event.reason).removeprefix(f"{event.port}: ")
            else:
                self._why.pop(event.port, None)
            self._changed.notify_all()
            if self._begun:
                self._say_once()

    def _say_once(self) -> None:
        if self._ended:
            return
        self._ended = not self._why
        held = ", ".join(
            f"{self._roles[port]} at {port} ({why})" for port, why in self._why.items() if why
        )
        if held != self._said:
            self._said = held
            self._say(held)
