"""Start-up: the exact state from the last checkpoint and the inputs after it.

Responsible for: rebuilding the state, comparing what is concluded on the way with what is stored,
and saying what a change of version or settings means for an open shoe.
Not responsible for: checking the chain (the journal does at opening) and for new inputs (loop).
Source: package README, "Restart"; D-22, D-27.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from controller.core.core import Core
from controller.core.state import CoreState
from controller.journal.encoding.codec import CanonicalError, OlderCodec
from controller.journal.reader import JournalReader
from controller.journal.values import Base, Checkpoint, Head, StoredRecord
from controller.procedure.people.setting_changes import effective, refused_at_start
from controller.profiles.clauses import Clause
from controller.profiles.profile import ProfileError
from controller.replay.replayer import Difference, Retelling, Run, can_begin_at
from controller.replay.upgrade import Ledger, carried
from controller.tape.inputs import Started
from controller.tape.records import read_older_entry, read_older_input
from controller.version import VERSION
from firmware_bridge.values import dataclass


class RecoveryError(Exception):
    """The table cannot go on from this journal; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a journal leaves to the next run. `inputs` were told again since the checkpoint.

    `run` and `state` are absent where another version wrote last: then `software` names it, and
    the ledger is all that is understood.
    """

    run: Run | None
    state: CoreState | None
    ledger: Ledger
    inputs: int
    software: str = ""

    @property
    def shoe_open(self) -> bool:
        if self.state is None:
            return self.ledger.open
        shoe = self.state.table.shoe
        return shoe is not None and not shoe.ended

    def before(self, core: Core) -> CoreState:
        """The state in which the next run's first input finds the table."""
        if self.state is not None:
            return self.state
        return carried(core, self.ledger) if self.software else core.initial()


def recover(journal: JournalReader, clauses: Mapping[str, Clause]) -> Recovered:
    """Rebuild the state. Raises RecoveryError, JournalError.

    Only live.db is read, but where both the checkpoint and the state at its base are damaged.
    """
    if journal.head.seq == 0:
        return Recovered(None, None, Ledger(), 0)
    try:
        checkpoint = journal.checkpoint()
        versions = _versions_since(journal, checkpoint)
        if versions[-1] != VERSION:
            return _other_version(journal, versions[-1])
        retelling = Retelling(clauses)
        if all(version == VERSION for version in versions):
            after = _begin(journal, checkpoint, retelling)
        else:
            after = _begin_behind(journal, versions[0], retelling)
        return _told(journal, retelling, after)
    except (CanonicalError, ProfileError, ValueError) as error:
        raise RecoveryError(
            f"{journal.file}: a record cannot be read: {error}. Keep the file as evidence; "
            "`smartshoe verify` names the record. To go on dealing, start with another journal "
            "folder; the gap will be declared"
        ) from error


def _begin(journal: JournalReader, checkpoint: Checkpoint | None, retelling: Retelling) -> int:
    """Put back the newest state there is; the record it was after."""
    if checkpoint is not None:
        started = checkpoint.started_seq, _started(journal, checkpoint.started_seq)
        at = Head(checkpoint.seq, b"")
        state = checkpoint.software, checkpoint.state
        retelling.begin_at(Base.of(at, b"", started, state))
        return checkpoint.seq
    base = next(filter(can_begin_at, journal.bases()), None)
    if base is None:
        raise RecoveryError(
            f"{journal.file}: the state after record {journal.base.seq} is damaged or not known, "
            "and the sealed shoes from which it could be told again are not here. Put the last "
            "archived shoes back into the journal's folder and start again; or start with "
            "another journal folder, and the gap will be declared"
        )
    retelling.begin_at(base)
    if any(version != VERSION for version in _versions_after(journal, base.seq)):
        retelling.ledger = _ledger(journal, base)
    return base.seq


def _begin_behind(journal: JournalReader, software: str, retelling: Retelling) -> int:
    """Another version went on from the newest state: what it left is in the ledger only."""
    base = journal.base
    if base.seq > 0:
        retelling.begin_behind(software, _ledger(journal, base))
    return base.seq


def _told(journal: JournalReader, retelling: Retelling, after: int) -> Recovered:
    for stored in journal.records(after_seq=after):
        # What another version concluded is its own; only the numbering is taken from it.
        of_this_version = retelling.exact
        difference = retelling.take(stored)
        if difference is not None and of_this_version:
            raise _disagrees(journal, difference)
    difference = retelling.finish(journal.head.seq)
    if difference is not None:
        raise _disagrees(journal, difference)
    return Recovered(retelling.run, retelling.state, retelling.ledger, retelling.inputs)


def _disagrees(journal: JournalReader, difference: Difference) -> RecoveryError:
    return RecoveryError(
        f"{journal.file}: record {difference.seq} holds {difference.stored}, but this "
        f"program concludes {difference.concluded}. Keep the file as evidence and run "
        "`smartshoe verify` and `smartshoe replay` on it"
    )


def _other_version(journal: JournalReader, software: str) -> Recovered:
    """Only the ledger is read: another version's state is not understood."""
    base = journal.base
    ledger = _ledger_after(_ledger(journal, base), journal.records(after_seq=base.seq))
    return Recovered(None, None, ledger, 0, software)


def _ledger(journal: JournalReader, base: Base) -> Ledger:
    """The ledger there: as it was stored, or told from the sealed shoes that are here."""
    if base.seq == 0:
        return Ledger()
    if base.ledger:
        with contextlib.suppress(CanonicalError):
            return OlderCodec[Ledger](Ledger).decode(base.ledger)
    earlier = journal.records(after_seq=journal.first_available_seq - 1)
    return _ledger_after(Ledger(), takewhile(lambda stored: stored.seq <= base.seq, earlier))


def _ledger_after(ledger: Ledger, records: Iterable[StoredRecord]) -> Ledger:
    for stored in records:
        entry = read_older_entry(stored.record)
        if entry is not None:
            ledger = ledger.after(entry)
    return ledger


def _versions_since(journal: JournalReader, checkpoint: Checkpoint | None) -> tuple[str, ...]:
    """The versions that wrote from the checkpoint on, its own first; else from the base on."""
    if checkpoint is not None:
        return (checkpoint.software, *_versions_after(journal, checkpoint.seq))
    for base in journal.bases():
        begun = _version(base.started) if base.started else ()
        versions = (*begun, *_versions_after(journal, base.seq))
        if versions and (begun or base.seq == 0):
            return versions
    raise CanonicalError("the first input of a journal is Started; no run begins in it")


def _versions_after(journal: JournalReader, seq: int) -> Iterator[str]:
    for stored in journal.records(after_seq=seq):
        # Whether a record may hold the first input of a run: only that one is read of another's.
        if b"Started" in stored.record:
            yield from _version(stored.record)


def _version(record: bytes) -> tuple[str, ...]:
    item = read_older_input(record)
    return (item.software,) if isinstance(item, Started) else ()


def _started(journal: JournalReader, seq: int) -> bytes:
    """The record that began the run of a checkpoint."""
    base = journal.base
    if base.started and seq == base.started_seq:
        return base.started
    stored = next(journal.records(after_seq=max(seq - 1, 0)), None)
    if stored is None:
        raise CanonicalError(f"record {seq} should begin a run")
    return stored.record


def refusal_to_start(
    recovered: Recovered, core: Core, *, replace_allowed: bool, at_ns: int = 0
) -> str:
    """Why a run may not begin with these settings at `at_ns` (UTC); empty where it may.

    What a shoe in play goes by changes between shoes only (D-27), and what needs notice only after
    it.
    """
    if not recovered.shoe_open:
        return _not_announced(recovered, core, at_ns)
    if recovered.state is None and not replace_allowed:
        return (
            f"a shoe is open that version {recovered.software} began, and this is version "
            f"{VERSION}. Start that version again and finish the shoe, or start this one with "
            "--close-coup-as-partial: the coup on the table is then held for a floorperson"
        )
    changes = _changes(recovered, core)
    if changes:
        return (
            f"a shoe is open, and {', '.join(changes)} changed since it began. These change "
            "between shoes only: put the old value back, finish or close the shoe, then change it"
        )
    return ""


def _not_announced(recovered: Recovered, now: Core, at_ns: int) -> str:
    """What table.toml changes between shoes without the notice its clause asks for."""
    if recovered.run is None or recovered.state is None:
        return ""
    table = recovered.state.table
    running, coming = (
        effective(book, table).profile for book in (recovered.run.core.book, now.book)
    )
    refused = refused_at_start(running, coming, table.notices, at_ns, table.phase)
    return "; ".join(
        f"{one.why} ({', '.join(one.clauses)})" if one.clauses else one.why for one in refused
    )


def _changes(recovered: Recovered, now: Core) -> tuple[str, ...]:
    """The settings that a shoe goes by and that are not what they were."""
    if recovered.run is None:
        ledger, settings = recovered.ledger, now.settings
        observed = tuple(fact.value for fact in settings.observed)
        pairs: tuple[tuple[str, object, object], ...] = (
            ("rules.profile", ledger.profile, now.book.profile.name),
            ("rules.decks", ledger.decks, settings.decks),
            ("rules.observed", ledger.observed, observed),
        )
    else:
        before = recovered.run.core
        pairs = (
            ("rules.profile", before.book.profile, now.book.profile),
            ("rules.decks", before.settings.decks, now.settings.decks),
            ("rules.observed", before.settings.observed, now.settings.observed),
            ("shoe.model", before.settings.shoe.model, now.settings.shoe.model),
        )
    return tuple(name for name, old, new in pairs if old != new)
