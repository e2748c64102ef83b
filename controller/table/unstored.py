"""What a table has taken from its queue and not stored yet.

Responsible for: taking it again after a fault of this program, all but the input that brought the
fault, and remembering which ports are open, since a run after a fault has to be told.
Not responsible for: the queue and the threads (table), and storing (loop).
Source: package README, "Failure has four kinds".
"""

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from controller.tape.entries import Entry
from controller.tape.inputs import Input
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.transport.port import PortLost, PortOpened
from firmware_bridge.values import replace


@dataclass(slots=True)
class Ask:
    """An input whose asker waits for what was concluded from it."""

    item: Input
    done: threading.Event = field(default_factory=threading.Event)
    entries: tuple[Entry, ...] = ()
    stored: bool = False


Taken: TypeAlias = Input | Ask


class Pending:
    """Used by the table's thread."""

    def __init__(self) -> None:
        self._unstored: list[Taken] = []
        self._again: list[Taken] = []
        self._being_told: Taken | None = None
        self._open_ports: dict[str, PortOpened] = {}

    @property
    def again(self) -> bool:
        """Whether something is to be taken again."""
        return bool(self._again)

    def take_again(self) -> list[Taken]:
        """What a fault left over; once."""
        again, self._again = self._again, []
        return again

    def taken(self, items: Sequence[Taken]) -> None:
        """These came from the queue."""
        self._unstored.extend(items)
        for item in items:
            match item:
                case PortOpened(port=port):
                    self._open_ports[port] = item
                case PortLost(port=port):
                    self._open_ports.pop(port, None)
                case _:
                    pass

    def telling(self, items: Iterable[Taken]) -> Iterable[tuple[Input, Ask | None]]:
        """Each input in turn, with whoever asks; a fault until the next one is this one's."""
        for item in items:
            self._being_told = item
            if isinstance(item, Ask):
                yield item.item, item
            else:
                yield item, None
        self._being_told = None

    def stored(self) -> None:
        """All of it is stored now."""
        for item in self._unstored:
            if isinstance(item, Ask):
                item.stored = True
        self._unstored.clear()

    def faulted(self) -> None:
        """A fault of this program came: its input is left out, the others are taken again."""
        culprit, self._being_told = self._being_told, None
        left = [item for item in self._unstored if item is not culprit]
        self._again = [*left, *self._again]
        self._unstored.clear()
        if isinstance(culprit, Ask):
            culprit.done.set()

    def let_go(self) -> None:
        """Nothing will be taken any more: tell whoever asks."""
        for item in (*self._unstored, *self._again):
            if isinstance(item, Ask):
                item.done.set()

    def open_ports(self, at: Timestamp) -> tuple[PortOpened, ...]:
        """The ports that are open, as an input of this moment."""
        return tuple(replace(opened, at=at) for opened in self._open_ports.values())
