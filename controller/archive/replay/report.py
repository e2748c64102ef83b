"""Replays a whole journal and reports where this program concludes something else than is stored.

Reads sealed shoes and live part once and checks the chain on the way; memory does not grow with the
journal. Where the first shoes are archived it begins at the first with a usable state. A report
names no card.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from controller.archive.replay.replayer import Difference, Replayer, can_begin_at
from controller.archive.replay.upgrade import UpgradeLedger
from controller.core.state import encode_state
from controller.core.tape.inputs import Started
from controller.core.tape.records import read_as, read_input
from controller.journal.encoding import EncodingError, link
from controller.journal.store import JournalError, JournalReader, StoredRecord, open_read_only
from controller.journal.values import Base
from controller.rules.profiles.load import load_clauses
from controller.rules.profiles.profile import ProfileError
from controller.version import software_identifier
from firmware_bridge.transport.clock import now

# A report is for people; beyond these only the number grows.
DIFFERENCES_LISTED_MAX: Final = 20
VERSIONS_LISTED_MAX: Final = 20
_PROGRESS_RECORDS: Final = 1024

Progress = Callable[[int, int], None]


class ReplayFinding(StrEnum):
    """The result of a replay, the most serious first."""

    DAMAGED = "damaged"  # it could not be replayed to its end
    NOT_REPLAYED = "untold"  # no state to begin with: only its chain was checked
    DIFFERENT = "different"  # this version wrote records that it does not conclude now
    OTHER_VERSION = "other_version"  # verdicts of another version were compared
    SAME = "same"


class ReplayReport(Struct, frozen=True):
    """The counts and differences of one replay.

    `different` counts differences in records of this version, `other_version_differences` those in
    another's; `differences` lists the first of both. `skipped` counts records that were not
    replayed: those of another version's runs whose settings this version cannot read, and all of
    them where `replayed` is False because no usable state is here. `first_seq` is the first record
    read. `saved_state_compared`: whether the stored state was compared with the replayed one.
    """

    path: Path
    first_seq: int
    records: int
    inputs: int
    entries: int
    coups: int
    shoes: int
    versions: tuple[str, ...]
    different: int
    other_version_differences: int
    skipped: int
    differences: tuple[Difference, ...]
    saved_state_compared: bool
    replayed: bool
    damage: str
    elapsed_ns: int

    @property
    def finding(self) -> ReplayFinding:
        if self.damage:
            return ReplayFinding.DAMAGED
        if not self.replayed:
            return ReplayFinding.NOT_REPLAYED
        if self.different:
            return ReplayFinding.DIFFERENT
        if any(version != software_identifier() for version in self.versions):
            return ReplayFinding.OTHER_VERSION
        return ReplayFinding.SAME

    @property
    def coups_per_s(self) -> int:
        return self.coups * 1_000_000_000 // max(1, self.elapsed_ns)


def replay(
    path: Path, progress: Progress | None = None, *, verdicts_only: bool = False
) -> ReplayReport:
    """Replay a journal, given by its folder or file. Raises JournalError where it cannot be opened.

    `progress` is called with records done and total. `verdicts_only`: differences in bytes alone
    do not count, as between two versions.
    """
    began_ns = now().monotonic_ns
    with open_read_only(path) as journal:
        replay_run = _ReplayRun(Replayer(load_clauses()), verdicts_only)
        replay_run.run(journal, progress or _no_progress)
    return replay_run.report(path, now().monotonic_ns - began_ns)


def _no_progress(_done: int, _total: int) -> None:
    """Default progress callback: does nothing."""


class _StateToCompare(Struct, frozen=True):
    """A state stored after record `seq`; `what` names it in a difference."""

    seq: int
    software: str
    state: bytes
    what: str


class _ReplayRun(Struct):
    """The running state of one replay."""

    replayer: Replayer
    verdicts_only: bool
    replayed: bool = True
    first_seq: int = 1
    records: int = 0
    skipped: int = 0
    coups: int = 0
    shoes: int = 0
    different: int = 0
    other_version_differences: int = 0
    saved_state_compared: bool = False
    damage: str = ""
    differences: list[Difference] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)

    def run(self, journal: JournalReader, progress: Progress) -> None:
        total = journal.head.seq
        try:
            begin = self._begin(journal)
            self.first_seq, total = begin.seq + 1, journal.head.seq - begin.seq
            states = _stored_states(journal)
            for stored in _check_chain(journal.records(after_seq=begin.seq), begin):
                if not self.replayed:
                    self._skip(stored)
                    continue
                self._replay(stored)
                for state in states:
                    if state.seq == stored.seq:
                        self._compare_state(state)
                if self.records % _PROGRESS_RECORDS == 0:
                    progress(self.records, total)
            self._note(self.replayer.finish(journal.head.seq), exact=self.replayer.exact)
            self.damage = "; ".join(journal.damages)
        except JournalError as error:
            self.damage = str(error)
        except _ChainBroken as error:
            self.damage = f"{error}; `smartshoe verify` says more"
        except (EncodingError, ProfileError, ValueError) as error:
            self.damage = f"record {self.first_seq + self.records} cannot be replayed: {error}"
        progress(self.records, total)

    def _begin(self, journal: JournalReader) -> Base:
        """The base to start from: record 0, or if that is archived, the first with a usable state.

        Where there is none, nothing is replayed.
        """
        if journal.first_available_seq == 1:
            return Base()
        usable, oldest = None, journal.base
        for oldest in journal.bases():
            if can_begin_at(oldest):
                usable = oldest
        if usable is None:
            self.replayed = False
            self._list_version(oldest.started)
            return oldest
        self.replayer.restore_base(usable)
        return usable

    def _skip(self, stored: StoredRecord) -> None:
        """Count a record that cannot be replayed because the state before it is unknown."""
        self.records += 1
        self.skipped += 1
        if read_input(stored.record) is not None:
            self.replayer.inputs += 1
        else:
            self.replayer.entries += 1
        self._list_version(stored.record)

    def _list_version(self, record: bytes) -> None:
        started = read_as(record, Started)
        if started is not None:
            self._add_version(started.software)

    def _add_version(self, version: str) -> None:
        full = len(self.versions) == VERSIONS_LISTED_MAX
        if version and not full and version not in self.versions:
            self.versions.append(version)

    def _replay(self, stored: StoredRecord) -> None:
        # An entry missing before the first input of a run belongs to the run before it.
        before, exact = self.replayer.ledger, self.replayer.exact
        self._note(self.replayer.replay(stored), exact=exact)
        if self.replayer.ledger is not before:
            self._count(before, self.replayer.ledger)
        self.records += 1
        run = self.replayer.run
        self._add_version(run.software if run is not None else self.replayer.unread_version)

    def _count(self, before: UpgradeLedger, after: UpgradeLedger) -> None:
        if (before.day, before.shoe, before.open) != (after.day, after.shoe, after.open):
            self.shoes += after.open
        elif after.coups != before.coups:
            self.coups += 1

    def _compare_state(self, stored: _StateToCompare) -> None:
        """The state that a start would begin with must be the one that its inputs lead to."""
        state = self.replayer.state
        if stored.software != software_identifier() or not self.replayer.exact or state is None:
            return
        self.saved_state_compared = True
        if encode_state(state) != stored.state:
            self._note(Difference(stored.seq, stored.what, "another state"), exact=True)

    def _note(self, difference: Difference | None, *, exact: bool) -> None:
        if difference is None:
            return
        if self.verdicts_only and difference.stored == difference.concluded:
            return
        if exact:
            self.different += 1
        else:
            self.other_version_differences += 1
        if len(self.differences) < DIFFERENCES_LISTED_MAX:
            self.differences.append(difference)

    def report(self, path: Path, elapsed_ns: int) -> ReplayReport:
        return ReplayReport(
            path=path,
            first_seq=self.first_seq,
            records=self.records,
            inputs=self.replayer.inputs,
            entries=self.replayer.entries,
            coups=self.coups,
            shoes=self.shoes,
            versions=tuple(self.versions),
            different=self.different,
            other_version_differences=self.other_version_differences,
            skipped=self.replayer.skipped + self.skipped,
            differences=tuple(self.differences),
            saved_state_compared=self.saved_state_compared,
            replayed=self.replayed,
            damage=self.damage,
            elapsed_ns=elapsed_ns,
        )


def _stored_states(journal: JournalReader) -> tuple[_StateToCompare, ...]:
    """The states that live.db holds for a start."""
    saved_state, base = journal.saved_state(), journal.base
    states = []
    if saved_state is not None:
        seq, software = saved_state.seq, saved_state.software
        states.append(_StateToCompare(seq, software, saved_state.state, "its saved state"))
    if base.state:
        states.append(_StateToCompare(base.seq, base.software, base.state, "the state at its base"))
    return tuple(states)


class _ChainBroken(Exception):
    """The chain does not hold; the message says where."""


def _check_chain(records: Iterator[StoredRecord], begin: Base) -> Iterator[StoredRecord]:
    """The records after `begin`, each checked against the chain before it is replayed."""
    expected, chain = begin.seq + 1, begin.chain
    for stored in records:
        if stored.seq != expected:
            raise _ChainBroken(f"record {expected} is missing")
        if link(chain, stored.record) != stored.chain:
            raise _ChainBroken(f"record {expected} does not match its chain value")
        yield stored
        expected, chain = expected + 1, stored.chain
