"""A scripted table that stores in a journal; its subscribers are called without threads."""

from controller.core.state import Stored, Subscriber
from controller.core.tape.inputs import Started
from controller.journal.store import Journal
from controller.table.loop import Loop


class FollowedTable:
    """`subscribers` are called with each transaction; `newest` is the last one."""

    def __init__(self, journal: Journal, script) -> None:
        self.script = script().begun()
        self.folder = journal.file.parent
        self.subscribers: list[Subscriber] = []
        self.newest: Stored | None = None
        self._loop = Loop(
            journal, script().core, self.script.core.initial(), lambda: self.script.at
        )
        self._taken = 0

    def reported(self, *reports: str) -> None:
        self.script.reported(*reports)
        self.store()

    def acted(self, action) -> None:
        self.script.acted(action)
        self.store()

    def store(self) -> None:
        """Store what the script has given since the last call."""
        for item in self.script.inputs[self._taken :]:
            if isinstance(item, Started):
                stored = self._loop.begin(item)
            else:
                self._loop.take(item)
                stored = self._loop.store_if_due(force=True)
            assert stored is not None
            self.newest = stored
            for one in self.subscribers:
                one.stored(stored)
        self._taken = len(self.script.inputs)
