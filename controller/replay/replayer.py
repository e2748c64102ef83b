"""Telling a tape again: stored inputs through the core, compared with the stored entries.

Responsible for: the state after each stored record, and the first place where this program
concludes something else than what is stored.
Not responsible for: reading files, progress and reports (recovery, replay).
Source: package README, "Replay".
"""

from collections import deque
from collections.abc import Mapping

from controller.core.build import core_of
from controller.core.core import Core
from controller.core.state import STATES, CoreState
from controller.journal.encoding.codec import CanonicalError
from controller.journal.values import Base, StoredRecord
from controller.procedure.verdicts import Irregularity
from controller.profiles.clauses import Clause
from controller.profiles.profile import ProfileError
from controller.replay.upgrade import Ledger, carried
from controller.tape.entries import Entry, Judged
from controller.tape.inputs import Input, Started
from controller.tape.records import (
    RecordedInput,
    entry_record,
    inputs_in,
    read_entry,
    read_input,
    read_older_entry,
    read_older_input,
)
from controller.version import VERSION
from firmware_bridge.values import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """Record `seq` is not what this program concludes; both sides in words."""

    seq: int
    stored: str
    concluded: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the program as its first input tells it."""

    core: Core
    started_seq: int
    software: str


def can_begin_at(base: Base) -> bool:
    """Whether this version can tell the records after a base: from the first, or from a state."""
    return base.seq == 0 or (base.software == VERSION and base.state_holds)


class Retelling:
    """Takes records in stored order. Entries must follow the input they were concluded from.

    A run that another version began with settings of a form this one cannot read is passed over:
    `unread_version` names that version meanwhile, and only the ledger follows it.
    """

    def __init__(self, clauses: Mapping[str, Clause]) -> None:
        self._clauses = clauses
        self._expected: deque[bytes] = deque()
        self._concluded: deque[Entry] = deque()
        self.run: Run | None = None
        self.state: CoreState | None = None
        self.ledger = Ledger()
        self.inputs = 0
        self.entries = 0
        self.unread_version = ""
        self.passed_over = 0

    def put_back(self, run: Run | None, state: CoreState) -> None:
        """Go on from a checkpoint instead of from the first record."""
        self.run = run
        self.state = state

    def begin_at(self, base: Base) -> None:
        """Go on from where a shoe was sealed. Raises CanonicalError."""
        if base.seq > 0:
            self.put_back(self._run_of(base), STATES.decode(base.state))

    def _run_of(self, base: Base) -> Run | None:
        """The run in force there; none where its first input is the next record."""
        if not base.started:
            return None
        item = read_input(base.started)
        if not isinstance(item, Started):
            raise CanonicalError(f"record {base.started_seq} should begin a run")
        return Run(core_of(item, self._clauses), base.started_seq, item.software)

    def begin_behind(self, software: str, ledger: Ledger) -> None:
        """Begin within another version's run, which is not told: the ledger is what it left."""
        self.unread_version = software
        self.ledger = ledger

    @property
    def exact(self) -> bool:
        """Whether the records now told are of this very version, so that bytes must be equal."""
        if self.unread_version:
            return False
        return self.run is None or self.run.software == VERSION

    def take(self, stored: StoredRecord) -> Difference | None:
        """Take one record. Raises CanonicalError where it cannot be read."""
        item = self._input_in(stored)
        if self.unread_version and not isinstance(item, Started):
            self._pass_over(stored)
            return None
        if item is not None:
            missing = self._left_over(stored.seq)
            if isinstance(item, Started) and self._cannot_begin(item):
                self.run, self.state, self.unread_version = None, None, item.software
                self.passed_over += 1
                return missing
            for one in inputs_in(item):
                self._tell(one, stored.seq)
            return missing
        self.entries += 1
        return self._compare(stored)

    def _input_in(self, stored: StoredRecord) -> RecordedInput | None:
        """An input; the first of another version's run says so, and the rest is read as older."""
        if self.exact and b"Started" not in stored.record:
            return read_input(stored.record)
        item = read_older_input(stored.record)
        of_this_version = isinstance(item, Started) and item.software == VERSION
        return read_input(stored.record) if of_this_version else item

    def finish(self, seq: int) -> Difference | None:
        """The tape is at its end: nothing concluded may be left over."""
        return self._left_over(seq + 1)

    def _tell(self, item: Input, seq: int) -> None:
        self.inputs += 1
        if isinstance(item, Started):
            self._begin(item, seq)
        if self.run is None or self.state is None:
            raise CanonicalError("the first input of a journal is Started, this is another")
        self.state, output = self.run.core.handle(self.state, item)
        self._concluded.extend(output.entries)
        self._expected.extend(entry_record(entry) for entry in output.entries)

    def _begin(self, started: Started, seq: int) -> None:
        core = core_of(started, self._clauses)
        if self.unread_version:
            self.state = carried(core, self.ledger)
            self.unread_version = ""
        elif self.state is None:
            self.state = core.initial()
        elif self.run is not None and self.run.software != started.software:
            self.state = carried(core, self.ledger)
        self.run = Run(core, seq, started.software)

    def _cannot_begin(self, started: Started) -> bool:
        """Whether another version's settings or profile have a form that this one cannot read."""
        if started.software == VERSION:
            return False
        try:
            core_of(started, self._clauses)
        except (CanonicalError, ProfileError):
            return True
        return False

    def _pass_over(self, stored: StoredRecord) -> None:
        """A record of a run that is not told: only the ledger follows it."""
        self.passed_over += 1
        entry = read_older_entry(stored.record)
        if entry is not None:
            self.entries += 1
            self.ledger = self.ledger.after(entry)

    def _compare(self, stored: StoredRecord) -> Difference | None:
        if self._expected and self._expected[0] == stored.record:
            # The same bytes are the same entry: there is nothing to read.
            self._expected.popleft()
            self.ledger = self.ledger.after(self._concluded.popleft())
            return None
        entry = read_entry(stored.record) if self.exact else read_older_entry(stored.record)
        if entry is None:
            return self._without_word_for(stored)
        self.ledger = self.ledger.after(entry)
        if not self._expected:
            return Difference(stored.seq, in_words(entry), "nothing")
        self._expected.popleft()
        concluded = self._concluded.popleft()
        if not self.exact and same_verdicts(entry, concluded):
            return None
        return Difference(stored.seq, in_words(entry), in_words(concluded))

    def _without_word_for(self, stored: StoredRecord) -> Difference:
        """An entry of another version that this one does not have."""
        concluded = self._concluded.popleft() if self._concluded else None
        if self._expected:
            self._expected.popleft()
        said = in_words(concluded) if concluded is not None else "nothing"
        return Difference(stored.seq, "an entry of another version", said)

    def _left_over(self, seq: int) -> Difference | None:
        if not self._expected:
            return None
        concluded = self._concluded[0]
        self._expected.clear()
        self._concluded.clear()
        return Difference(seq, "nothing", in_words(concluded))


def same_verdicts(stored: Entry, concluded: Entry) -> bool:
    """Whether two versions judge alike: the same kind of entry, the same irregularity codes."""
    if type(stored) is not type(concluded):
        return False
    if isinstance(stored, Judged) and isinstance(concluded, Judged):
        return _codes(stored) == _codes(concluded)
    return True


def _codes(entry: Judged) -> tuple[str, ...]:
    return tuple(v.code if isinstance(v, Irregularity) else "accepted" for v in entry.verdicts)


def in_words(entry: Entry) -> str:
    """One line for a report. Names no card: a report may be read by anyone."""
    if isinstance(entry, Judged):
        return f"{type(entry.event).__name__} judged {', '.join(_codes(entry))}"
    return type(entry).__name__
