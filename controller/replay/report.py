"""Replay: the inputs of a whole journal through this program, compared with what it stored.

Responsible for: streaming a journal once, sealed shoes and live part, checking the chain on the
way, and a report of where this program concludes something else. Where the first shoes are archived
it begins at the first that can be told alone. Memory does not grow with the journal.
Not responsible for: telling the inputs again (retelling), locating damage (journal.verify) and
how a report is shown (the command line). A report names no card.
Source: package README, "Replay".
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from controller.core.state import STATES
from controller.journal.encoding.codec import CanonicalError
from controller.journal.record import link
from controller.journal.store import JournalError, JournalReader, StoredRecord, open_read_only
from controller.journal.values import Base
from controller.profiles.load import load_clauses
from controller.profiles.profile import ProfileError
from controller.replay.replayer import Difference, Retelling, can_begin_at
from controller.replay.upgrade import Ledger
from controller.tape.inputs import Started
from controller.tape.records import read_older_input
from controller.version import VERSION
from firmware_bridge.transport.clock import now

# A report is for people; beyond these only the number grows.
DIFFERENCES_LISTED_MAX: Final = 20
VERSIONS_LISTED_MAX: Final = 20
_PROGRESS_RECORDS: Final = 1024

Progress = Callable[[int, int], None]


class Finding(StrEnum):
    """What a replay found, the gravest first."""

    DAMAGED = "damaged"  # it could not be told to its end
    UNTOLD = "untold"  # no state to begin with: only its chain was checked
    DIFFERENT = "different"  # records of this very version are not what it concludes
    OTHER_VERSION = "other_version"  # verdicts of another version were compared
    SAME = "same"


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """`different` counts differences in records of this version, `otherwise` those in another's.

    `differences` lists the first of both. `passed_over` counts records that were not told: of
    another version's runs whose settings have a form that this version cannot read, and all where
    nothing could be `told`, because no state is here that this version could begin with.
    `first_seq` is the first record looked at. `checkpoint`: whether the stored state was compared.
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
    otherwise: int
    passed_over: int
    differences: tuple[Difference, ...]
    checkpoint: bool
    told: bool
    damage: str
    elapsed_ns: int

    @property
    def finding(self) -> Finding:
        if self.damage:
            return Finding.DAMAGED
        if not self.told:
            return Finding.UNTOLD
        if self.different:
            return Finding.DIFFERENT
        if any(version != VERSION for version in self.versions):
            return Finding.OTHER_VERSION
        return Finding.SAME

    @property
    def coups_per_s(self) -> int:
        return self.coups * 1_000_000_000 // max(1, self.elapsed_ns)


def replay(
    path: Path, progress: Progress | None = None, *, verdicts_only: bool = False
) -> ReplayReport:
    """Replay a journal, given by its folder or file. Raises JournalError where it cannot be opened.

    `progress` gets records done and records in all. `verdicts_only`: differences in bytes alone
    do not count, as between two versions.
    """
    began_ns = now().monotonic_ns
    with open_read_only(path) as journal:
        replaying = _Replaying(Retelling(load_clauses()), verdicts_only)
        replaying.run(journal, progress or _silent)
    return replaying.report(path, now().monotonic_ns - began_ns)


def _silent(_done: int, _total: int) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class _KeptState:
    """A state stored after record `seq`."""

    seq: int
    software: str
    state: bytes
    what: str


@dataclass(slots=True)
class _Replaying:
    """One replay on its way."""

    retelling: Retelling
    verdicts_only: bool
    told: bool = True
    first_seq: int = 1
    records: int = 0
    passed_over: int = 0
    coups: int = 0
    shoes: int = 0
    different: int = 0
    otherwise: int = 0
    checkpoint_compared: bool = False
    damage: str = ""
    differences: list[Difference] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)

    def run(self, journal: JournalReader, progress: Progress) -> None:
        total = journal.head.seq
        try:
            begin = self._begin(journal)
            self.first_seq, total = begin.seq + 1, journal.head.seq - begin.seq
            states = _kept_states(journal)
            for stored in _chained(journal.records(after_seq=begin.seq), begin):
                if not self.told:
                    self._pass_over(stored)
                    continue
                self._take(stored)
                for kept in states:
                    if kept.seq == stored.seq:
                        self._compare_state(kept)
                if self.records % _PROGRESS_RECORDS == 0:
                    progress(self.records, total)
            self._note(self.retelling.finish(journal.head.seq), exact=self.retelling.exact)
            self.damage = "; ".join(journal.damages)
        except JournalError as error:
            self.damage = str(error)
        except _Damaged as error:
            self.damage = f"{error}; `smartshoe verify` says more"
        except (CanonicalError, ProfileError, ValueError) as error:
            self.damage = f"record {self.first_seq + self.records} cannot be told again: {error}"
        progress(self.records, total)

    def _begin(self, journal: JournalReader) -> Base:
        """The first record; where that one is archived, the first place with a state to go on from.

        Where there is none, nothing is told.
        """
        if journal.first_available_seq == 1:
            return Base()
        usable, oldest = None, journal.base
        for oldest in journal.bases():
            if can_begin_at(oldest):
                usable = oldest
        if usable is None:
            self.told = False
            self._list_version(oldest.started)
            return oldest
        self.retelling.begin_at(usable)
        return usable

    def _pass_over(self, stored: StoredRecord) -> None:
        """Nothing is known of the state before it, so nothing can be concluded from it."""
        self.records += 1
        self.passed_over += 1
        self._list_version(stored.record)

    def _list_version(self, record: bytes) -> None:
        item = read_older_input(record) if b"Started" in record else None
        if isinstance(item, Started):
            self._list(item.software)

    def _list(self, version: str) -> None:
        listed = len(self.versions) == VERSIONS_LISTED_MAX
        if version and not listed and version not in self.versions:
            self.versions.append(version)

    def _take(self, stored: StoredRecord) -> None:
        # What is missing before the first input of a run belongs to the run before it.
        before, exact = self.retelling.ledger, self.retelling.exact
        self._note(self.retelling.take(stored), exact=exact)
        self._count(before, self.retelling.ledger)
        self.records += 1
        run = self.retelling.run
        self._list(run.software if run is not None else self.retelling.unread_version)

    def _count(self, before: Ledger, after: Ledger) -> None:
        if (before.day, before.shoe, before.open) != (after.day, after.shoe, after.open):
            self.shoes += after.open
        elif after.coups != before.coups:
            self.coups += 1

    def _compare_state(self, kept: _KeptState) -> None:
        """The state that a start would go on from is the one its inputs lead to."""
        state = self.retelling.state
        if kept.software != VERSION or not self.retelling.exact or state is None:
            return
        self.checkpoint_compared = True
        if STATES.encode(state) != kept.state:
            self._note(Difference(kept.seq, kept.what, "another state"), exact=True)

    def _note(self, difference: Difference | None, *, exact: bool) -> None:
        if difference is None:
            return
        if self.verdicts_only and difference.stored == difference.concluded:
            return
        if exact:
            self.different += 1
        else:
            self.otherwise += 1
        if len(self.differences) < DIFFERENCES_LISTED_MAX:
            self.differences.append(difference)

    def report(self, path: Path, elapsed_ns: int) -> ReplayReport:
        return ReplayReport(
            path=path,
            first_seq=self.first_seq,
            records=self.records,
            inputs=self.retelling.inputs,
            entries=self.retelling.entries,
            coups=self.coups,
            shoes=self.shoes,
            versions=tuple(self.versions),
            different=self.different,
            otherwise=self.otherwise,
            passed_over=self.retelling.passed_over + self.passed_over,
            differences=tuple(self.differences),
            checkpoint=self.checkpoint_compared,
            told=self.told,
            damage=self.damage,
            elapsed_ns=elapsed_ns,
        )


def _kept_states(journal: JournalReader) -> tuple[_KeptState, ...]:
    """The states that live.db holds for a start."""
    checkpoint, base = journal.checkpoint(), journal.base
    kept = []
    if checkpoint is not None:
        kept.append(
            _KeptState(checkpoint.seq, checkpoint.software, checkpoint.state, "its checkpoint")
        )
    if base.state:
        kept.append(_KeptState(base.seq, base.software, base.state, "the state at its base"))
    return tuple(kept)


class _Damaged(Exception):
    """The chain does not hold; the message says where."""


def _chained(records: Iterator[StoredRecord], begin: Base) -> Iterator[StoredRecord]:
    """The records after `begin`, each checked against the chain before it is told."""
    expected, chain = begin.seq + 1, begin.chain
    for stored in records:
        if stored.seq != expected:
            raise _Damaged(f"record {expected} is missing")
        if link(chain, stored.record) != stored.chain:
            raise _Damaged(f"record {expected} and its chain value do not belong together")
        yield stored
        expected, chain = expected + 1, stored.chain
