"""Plays the tapes through core, loop, journal and sealer, without threads and clocks.

What a table hands to its outlets is handed on at the same places: each transaction once it is
stored, the journal's folder, the state that is published. Source: tests/outlets/README.md.
"""

import logging
import lzma
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from controller.archive.sealer import Sealer, SealingStatus
from controller.archive.signer import SigningSettings
from controller.core.build import build_core
from controller.core.core import Core
from controller.core.state import CoreState, Stored
from controller.core.tape.entries import Entry
from controller.core.tape.inputs import Input, Started
from controller.core.tape.records import inputs_in, read_input
from controller.journal.encoding import link
from controller.journal.people import PeopleFile
from controller.journal.store import Journal
from controller.journal.tape_file import TapeReader
from controller.journal.values import SavedState, StoredRecord
from controller.record.snapshot import Health
from controller.rules.profiles.load import load_clauses
from controller.table.loop import Loop
from foundation.timestamp import Timestamp

HERE: Final = Path(__file__).parent
SCRIPTED: Final = ("face_up", "face_down_dealer", "mixed", "players_reveal")
RECORDED: Final = ("format-1-angel-eye", "format-1-rfid")
TAPES: Final = {
    **{name: HERE / "tapes" / f"{name}.tape.xz" for name in SCRIPTED},
    **{name: HERE.parent / "tapes" / f"{name}.tape.xz" for name in RECORDED},
}
# So that signatures and fingerprints are the same each time.
KEY: Final = """\
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIKvjKIifBGF3AijnKm4pCMFlcgD6JnaIczFHLpfaSQJJ
-----END PRIVATE KEY-----
"""
# Those who act in the scripts; one of them has no name here, as after its erasure.
PEOPLE: Final = {"person-d00000000001": "Dee Dealer", "person-f00000000002": "Ann Lee"}


class Followed(Protocol):
    """What follows a played table, as subscribers of a running one do."""

    def stored(self, stored: Stored) -> None: ...


class _KeptJournal(Journal):
    """A journal that remembers what was appended: a sealed shoe leaves live.db."""

    appended: list[StoredRecord]

    def append(self, records: list[bytes], saved_state: SavedState | None = None) -> None:
        before = self.head
        super().append(records, saved_state)
        chain = before.chain
        for seq, record in enumerate(records, before.seq + 1):
            chain = link(chain, record)
            self.appended.append(StoredRecord(seq, record, chain))


class PlayedTable:
    """A table whose inputs come from a tape. It has what outlets ask of a running one."""

    def __init__(self, folder: Path, inputs: tuple[Input, ...]) -> None:
        started = inputs[0]
        assert isinstance(started, Started)
        self.folder = folder
        self.health, self.failure, self.version, self.followers = Health.RUNNING, "", 0, ()
        self.at: Timestamp = started.at
        self.core: Core = build_core(started, load_clauses())
        self.name = self.core.settings.table
        self.state: CoreState = self.core.initial()
        self.records: list[StoredRecord] = []
        self.waiting = self.stored_seq = 0
        self.people = PeopleFile(folder)
        self.sealer = Sealer(self.name, SigningSettings(folder.parent / "key"), lambda: self.at)
        self._inputs = inputs
        self._outputs: dict[type[Input], None] = {}

    @property
    def published(self) -> tuple[Core, CoreState]:
        return self.core, self.state

    @property
    def sealing_status(self) -> SealingStatus:
        return self.sealer.status

    def play(self, *followers: Followed) -> Iterator[Stored]:
        """Each transaction, after all followers have taken it."""
        with _opened(self.folder) as journal:
            journal.appended = self.records
            self.sealer.begin(journal)
            loop = Loop(journal, self.core, self.state, lambda: self.at)
            for item in self._inputs:
                self.at = item.at
                if isinstance(item, Started):
                    self.core = build_core(item, load_clauses())
                    loop = Loop(journal, self.core, self.state, lambda: self.at)
                    stored: Stored | None = loop.begin(item)
                else:
                    loop.take(item)
                    stored = loop.store_if_due()
                self.state = loop.state
                yield from self._hand_on(journal, stored, followers)
            yield from self._hand_on(journal, loop.store_if_due(force=True), followers)
            self.sealer.end(journal.head)

    def _hand_on(
        self, journal: Journal, stored: Stored | None, followers: tuple[Followed, ...]
    ) -> Iterator[Stored]:
        if stored is None:
            return
        self.version, self.stored_seq = self.version + 1, stored.head.seq
        self.sealer.stored(stored)
        self.sealer.move_made(journal)
        for one in followers:
            one.stored(stored)
        yield stored

    # What is asked of a running table; here nobody acts.

    def put(self, _item: Input) -> bool:
        return False

    def wait_for_change(self, _since: int, _timeout_s: float | None) -> int:
        return self.version


@contextmanager
def _opened(folder: Path) -> Iterator[_KeptJournal]:
    with _KeptJournal.open(folder) as journal:
        assert isinstance(journal, _KeptJournal)
        yield journal


@contextmanager
def table_of(name: str, folder: Path) -> Iterator[PlayedTable]:
    """The table of that tape, its journal in `folder`; nothing is played yet."""
    journal = folder / "journal"
    journal.mkdir(mode=0o700)
    key = folder / "key"
    key.touch(0o600)
    key.write_text(KEY)
    PeopleFile(journal).id_of("Somebody else")
    with closing(sqlite3.connect(journal / "people.db")) as people, people:
        people.execute("DELETE FROM people")
        for person, named in PEOPLE.items():
            people.execute("INSERT INTO people VALUES (?, ?, ?)", (person, named, named.lower()))
    yield PlayedTable(journal, tape_inputs(name))


def tape_inputs(name: str) -> tuple[Input, ...]:
    """The inputs of a tape; chain and digest are checked."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "one.tape"
        path.write_bytes(lzma.decompress(TAPES[name].read_bytes()))
        with TapeReader(path) as tape:
            items = [read_input(one.record) for one in tape.records()]
    return tuple(part for one in items if one is not None for part in inputs_in(one))


class LogLines(logging.Handler):
    """The lines of the program's log, without their time."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@contextmanager
def log_lines() -> Iterator[list[str]]:
    """What is logged meanwhile."""
    handler, log = LogLines(), logging.getLogger("smartshoe")
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        yield handler.lines
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def entry_counts(name: str) -> Counter[type[Entry]]:
    """How many entries of each kind the core concludes from a tape."""
    counts: Counter[type[Entry]] = Counter()
    core: Core | None = None
    state: CoreState | None = None
    for item in tape_inputs(name):
        if isinstance(item, Started):
            core = build_core(item, load_clauses())
            state = core.initial() if state is None else state
        assert core is not None
        assert state is not None
        state, output = core.handle(state, item)
        counts.update(map(type, output.entries))
    return counts


Collected = dict[str, list[str]]
Collect = Callable[[PlayedTable], Collected]
