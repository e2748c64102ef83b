"""Replays stored inputs through the core and compares its entries with the stored ones."""

from collections import deque
from collections.abc import Mapping

from msgspec import Struct

from controller.archive.replay.upgrade import UpgradeLedger, carried_over_state
from controller.core.build import build_core
from controller.core.core import Core
from controller.core.state import CoreState
from controller.core.tape.entries import Entry, EventVerdicts, StateDigest
from controller.core.tape.inputs import Input, Started
from controller.core.tape.records import (
    entry_record,
    inputs_in,
    read_entry,
    read_input,
)
from controller.journal.encoding import EncodingError
from controller.journal.values import Base, StoredRecord
from controller.procedure.verdicts import Irregularity
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.profile import ProfileError
from controller.version import software_identifier


class Difference(Struct, frozen=True):
    """Record `seq` differs from what this program concludes; both sides are described in words."""

    seq: int
    stored: str
    concluded: str


class Run(Struct, frozen=True):
    """One run of the program, as configured by its first input."""

    core: Core
    started_seq: int
    software: str


def can_begin_at(base: Base) -> bool:
    """Whether this version can replay from a base: it is record 0, or has a state it can read."""
    return base.seq == 0 or (base.software == software_identifier() and base.state_holds)


class Replayer:
    """Replays records, given in stored order. Entries follow the input they were concluded from.

    A run of another version whose settings this one cannot read is skipped: meanwhile
    `unread_version` names that version, and only the ledger is kept up to date.
    """

    def __init__(self, clauses: Mapping[str, Clause]) -> None:
        self._clauses = clauses
        self._expected: deque[bytes] = deque()
        self._concluded: deque[Entry] = deque()
        self.run: Run | None = None
        self.state: CoreState | None = None
        self._before_run = b""
        self.ledger = UpgradeLedger()
        self.inputs = 0
        self.entries = 0
        self.unread_version = ""
        self.skipped = 0

    def restore(self, run: Run | None, state: bytes) -> None:
        """Start from a saved state instead of from the first record.

        Without a run the next record begins one, whose devices read their part of the state.
        """
        self.run = run
        self.state = None if run is None else run.core.devices.read_state(state, same_run=True)
        self._before_run = state if run is None else b""

    def restore_base(self, base: Base) -> None:
        """Start from the state at a base. Raises EncodingError."""
        if base.seq > 0:
            self.restore(self._run_of(base), base.state)

    def _run_of(self, base: Base) -> Run | None:
        """The run in force at a base; None where its first input is the next record."""
        if not base.started:
            return None
        item = read_input(base.started)
        if not isinstance(item, Started):
            raise EncodingError(f"record {base.started_seq} should begin a run")
        return Run(build_core(item, self._clauses), base.started_seq, item.software)

    def start_in_unread_run(self, software: str, ledger: UpgradeLedger) -> None:
        """Start within a run of another version that is skipped; `ledger` is the one there."""
        self.unread_version = software
        self.ledger = ledger

    @property
    def exact(self) -> bool:
        """Whether the current records are of this very version, so that bytes must be equal."""
        if self.unread_version:
            return False
        return self.run is None or self.run.software == software_identifier()

    def replay(self, stored: StoredRecord) -> Difference | None:
        """Replay one record. Raises EncodingError where it cannot be read."""
        if self._expected and self._expected[0] == stored.record:
            # Equal bytes are equal entries: nothing needs decoding.
            self.entries += 1
            self._expected.popleft()
            self.ledger = self.ledger.after(self._concluded.popleft())
            return None
        item = read_input(stored.record)
        if item is not None:
            self.inputs += 1
        if self.unread_version and not isinstance(item, Started):
            self._skip(stored)
            return None
        if item is not None:
            missing = self._left_over(stored.seq)
            if isinstance(item, Started) and self._cannot_begin(item):
                self.run, self.state, self.unread_version = None, None, item.software
                self.skipped += 1
                return missing
            for one in inputs_in(item):
                self._handle(one, stored.seq)
            return missing
        self.entries += 1
        return self._compare(stored)

    def finish(self, seq: int) -> Difference | None:
        """Call after the last record: every concluded entry must have been stored."""
        return self._left_over(seq + 1)

    def _handle(self, item: Input, seq: int) -> None:
        if isinstance(item, Started):
            self._begin(item, seq)
        if self.run is None or self.state is None:
            raise EncodingError("the first input of a journal must be Started, this is another")
        self.state, output = self.run.core.handle(self.state, item)
        for entry in output.entries:
            if isinstance(entry, StateDigest) and not self.exact:
                continue  # No verdict: another version may state it elsewhere.
            self._concluded.append(entry)
            self._expected.append(entry_record(entry))

    def _begin(self, started: Started, seq: int) -> None:
        core = build_core(started, self._clauses)
        if self.unread_version:
            self.state = carried_over_state(core, self.ledger)
            self.unread_version = ""
        elif self._before_run:
            self.state = core.devices.read_state(self._before_run)
            self._before_run = b""
        elif self.state is None:
            self.state = core.initial()
        elif self.run is not None and self.run.software != started.software:
            self.state = carried_over_state(core, self.ledger)
        self.run = Run(core, seq, started.software)

    def _cannot_begin(self, started: Started) -> bool:
        """Whether this version cannot read another version's settings or profile."""
        if started.software == software_identifier():
            return False
        try:
            build_core(started, self._clauses)
        except (EncodingError, ProfileError):
            return True
        return False

    def _skip(self, stored: StoredRecord) -> None:
        """Skip a record of an unread run: only the ledger takes it in."""
        self.skipped += 1
        entry = read_entry(stored.record)
        if entry is not None:
            self.entries += 1
            self.ledger = self.ledger.after(entry)

    def _compare(self, stored: StoredRecord) -> Difference | None:
        """Compare an entry whose bytes are not the expected ones."""
        entry = read_entry(stored.record)
        assert entry is not None, "an input is handled before"
        self.ledger = self.ledger.after(entry)
        if isinstance(entry, StateDigest) and not self.exact:
            return None
        if not self._expected:
            return Difference(stored.seq, describe_entry(entry), "nothing")
        self._expected.popleft()
        concluded = self._concluded.popleft()
        if not self.exact and same_verdicts(entry, concluded):
            return None
        return Difference(stored.seq, describe_entry(entry), describe_entry(concluded))

    def _left_over(self, seq: int) -> Difference | None:
        if not self._expected:
            return None
        concluded = self._concluded[0]
        self._expected.clear()
        self._concluded.clear()
        return Difference(seq, "nothing", describe_entry(concluded))


def same_verdicts(stored: Entry, concluded: Entry) -> bool:
    """Whether two versions agree: the same kind of entry with the same irregularity codes."""
    if type(stored) is not type(concluded):
        return False
    if isinstance(stored, EventVerdicts) and isinstance(concluded, EventVerdicts):
        return _codes(stored) == _codes(concluded)
    return True


def _codes(entry: EventVerdicts) -> tuple[str, ...]:
    return tuple(v.code if isinstance(v, Irregularity) else "accepted" for v in entry.verdicts)


def describe_entry(entry: Entry) -> str:
    """An entry in one line for a report, which anybody may read: no card is named."""
    if isinstance(entry, EventVerdicts):
        return f"{type(entry.event).__name__} judged {', '.join(_codes(entry))}"
    return type(entry).__name__
