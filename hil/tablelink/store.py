"""The program's TableLink link with the store under it, as the program's loop keeps them.

Responsible for: the order in which the loop acts (what need not wait, the store, what waited for
it), crashes before and after a store, and the state a killed program finds again.
Not responsible for: where the bytes go and when (tablelink_run, tablelink_port).
Source: controller/README.md, "Store before you act"; firmware_bridge README, "TableLink/1".
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum

from controller.journal.encoding.codec import Codec
from firmware_bridge.attestation import Trust
from firmware_bridge.link import LinkFault
from firmware_bridge.tablelink.items import Happened, TableLinkItem
from firmware_bridge.tablelink.link import TableLink
from firmware_bridge.tablelink.settings import DeviceRole, TableLinkSettings
from firmware_bridge.tablelink.state import TableLinkState
from firmware_bridge.tablelink.turn import Linked

STATE: Codec[TableLinkState] = Codec(TableLinkState)


class Crash(StrEnum):
    """When the program dies: at its next store, with it undone or done; nothing is written."""

    BEFORE_STORE = "before_store"
    AFTER_STORE = "after_store"


class StoredLink(ABC):
    """`journal` is what was stored, in order. `crash`: at the next store."""

    def __init__(self, role: int, trust: Trust) -> None:
        self._link = TableLink(TableLinkSettings(DeviceRole(role), trust))
        self._state = self._stored = self._link.initial()
        self.journal: list[TableLinkItem | LinkFault] = []
        self.crash: Crash | None = None

    @property
    def happened(self) -> list[Happened]:
        """The events that were delivered, in the order in which they were stored."""
        return [item for item in self.journal if isinstance(item, Happened)]

    @abstractmethod
    def restart(self) -> None:
        """The program is killed here and now, and started again."""

    @abstractmethod
    def _write(self, pieces: Sequence[bytes]) -> None:
        """Bytes to the device."""

    def _killed(self) -> None:
        """What was not stored never was."""
        self.crash = None
        self._stored = STATE.decode(STATE.encode(self._stored))
        self._state = self._stored

    def _take(self, linked: Linked) -> None:
        """As the loop does it: what need not wait, the store, what waited for it."""
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
