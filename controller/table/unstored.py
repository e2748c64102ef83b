"""Inputs taken from a table's queue and not stored yet; retried after an internal error."""

import threading
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from controller.core.tape.entries import Entry
from controller.core.tape.inputs import Input, NotJudged
from controller.rules.actions.actions import OperatorAction
from controller.rules.actions.declaration import name_of
from firmware_bridge.transport.port import Chunk, PortLost, PortOpened
from foundation.timestamp import Timestamp


class AwaitedInput(Struct):
    """An input whose sender waits until its entries are stored."""

    item: Input
    done: threading.Event = field(default_factory=threading.Event)
    entries: tuple[Entry, ...] = ()
    stored: bool = False


TableInput: TypeAlias = Input | AwaitedInput


class UnstoredInputs:
    """Inputs taken from the queue and not stored yet. Used by the table's thread."""

    def __init__(self) -> None:
        self._unstored: list[TableInput] = []
        self._retries: list[TableInput] = []
        self._current: TableInput | None = None
        self._open_ports: dict[str, PortOpened] = {}

    @property
    def has_retries(self) -> bool:
        """Whether inputs wait to be processed again."""
        return bool(self._retries)

    def take_retries(self) -> list[TableInput]:
        """Remove and return the inputs that are to be processed again."""
        retries, self._retries = self._retries, []
        return retries

    def add(self, items: Sequence[TableInput]) -> None:
        """Add inputs from the queue."""
        self._unstored.extend(items)
        for item in items:
            match item:
                case PortOpened(port=port):
                    self._open_ports[port] = item
                case PortLost(port=port):
                    self._open_ports.pop(port, None)
                case _:
                    pass

    def each(self, items: Iterable[TableInput]) -> Iterable[tuple[Input, AwaitedInput | None]]:
        """Yield each input, and its awaited form if any; an error meanwhile is attributed to it."""
        for item in items:
            self._current = item
            if isinstance(item, AwaitedInput):
                yield item.item, item
            else:
                yield item, None
        self._current = None

    def mark_stored(self) -> None:
        """All these inputs are stored now."""
        for item in self._unstored:
            if isinstance(item, AwaitedInput):
                item.stored = True
        self._unstored.clear()

    def retry_others(self) -> None:
        """After an internal error: note the input that caused it in its place, retry the others."""
        culprit, self._current = self._current, None
        again: list[TableInput] = []
        for item in self._unstored:
            if item is not culprit:
                again.append(item)
            elif instead := self._in_its_place(item):
                again.append(instead)
        self._retries = [*again, *self._retries]
        self._unstored.clear()
        if isinstance(culprit, AwaitedInput):
            culprit.done.set()

    def _in_its_place(self, culprit: TableInput) -> Input | None:
        """What is on record of it; None for an input that no person and no device brought.

        Bytes that the link cannot take either are dropped, and their port is opened again: a whole
        cycle of reports may be in them, which the next number alone would not show.
        """
        match culprit.item if isinstance(culprit, AwaitedInput) else culprit:
            case Chunk(port=port, at=at, data=data):
                return NotJudged(at, port, data)
            case OperatorAction(at=at, person=person, action=action):
                return NotJudged(at, action=name_of(action), person=person)
            case NotJudged(port=port, at=at) if port in self._open_ports:
                return replace(self._open_ports[port], at=at)
            case _:
                return None

    def release_waiters(self) -> None:
        """No input will be processed any more: wake all senders that wait."""
        for item in (*self._unstored, *self._retries):
            if isinstance(item, AwaitedInput):
                item.done.set()

    def open_ports(self, at: Timestamp) -> tuple[PortOpened, ...]:
        """The open ports, as inputs with this timestamp."""
        return tuple(replace(opened, at=at) for opened in self._open_ports.values())
