"""The program's TableLink link with a store, in the order of the program's loop, and crashes.

Source: firmware_bridge README, "TableLink/1".
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum

from controller.journal.encoding import Codec
from firmware_bridge.attestation import Trust
from firmware_bridge.link import LinkFault
from firmware_bridge.tablelink.items import TableLinkEvent, TableLinkItem
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.link_call import TableLinkResult
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.tablelink.state import TableLinkState

STATE: Codec[TableLinkState] = Codec(TableLinkState)


class Crash(StrEnum):
    """When the program is killed: before or after its next store; nothing is written then."""

    BEFORE_STORE = "before_store"
    AFTER_STORE = "after_store"


class StoredLink(ABC):
    """`journal`: the stored items, in order. `crash`: whether and how the next store crashes."""

    def __init__(self, role: int, trust: Trust) -> None:
        self._link = TableLink(TableLinkSettings(DeviceRole(role), trust))
        self._state = self._stored = self._link.initial()
        self.journal: list[TableLinkItem | LinkFault] = []
        self.crash: Crash | None = None

    @property
    def events(self) -> list[TableLinkEvent]:
        """The delivered events, in the order in which they were stored."""
        return [item for item in self.journal if isinstance(item, TableLinkEvent)]

    @abstractmethod
    def restart(self) -> None:
        """Kill the program and start it again."""

    @abstractmethod
    def _write(self, pieces: Sequence[bytes]) -> None:
        """Write bytes to the device."""

    def _restore_stored(self) -> None:
        """Return to the stored state."""
        self.crash = None
        self._stored = STATE.decode(STATE.encode(self._stored))
        self._state = self._stored

    def _commit(self, linked: TableLinkResult) -> None:
        """As in the program's loop: write `at_once`, store, then write `to_write`."""
        self._state, output = linked
        self._write(output.at_once)
        if not output.items and not output.to_write:
            return
        if self.crash is Crash.BEFORE_STORE:
            self.restart()
            return
        self._stored = self._state
        self.journal.extend(output.items)
        if self.crash is Crash.AFTER_STORE:
            self.restart()
            return
        self._write(output.to_write)
