"""Start-up: the exact state from the last checkpoint and the inputs after it.

Responsible for: rebuilding the state, comparing what is concluded on the way with what is stored,
and saying what a change of version or settings means for an open shoe.
Not responsible for: checking the chain (the journal does at opening) and for new inputs (loop).
Source: package README, "Restart"; D-22, D-27.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from controller.carry_over import Ledger, carried
from controller.core import Core
from controller.core_state import STATES, CoreState
from controller.inputs import Started
from controller.journal.canonical import CanonicalError
from controller.journal.reader import JournalReader
from controller.journal.values import Checkpoint, StoredRecord
from controller.procedure.changes import effective, refused_at_start
from controller.retelling import Difference, Retelling, Run
from controller.rules.clauses import Clause
from controller.rules.profile import ProfileError
from controller.run import core_of
from controller.tape import read_input, read_older_entry, read_older_input
from controller.version import VERSION


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
    """Rebuild the state. Raises RecoveryError, JournalError."""
    if journal.head.seq == 0:
        return Recovered(None, None, Ledger(), 0)
    try:
        checkpoint = journal.checkpoint()
        versions = _versions_since(journal, checkpoint)
        if versions[-1] != VERSION:
            return _other_version(journal)
        if any(version != VERSION for version in versions):
            # Another version went on from that checkpoint: what it left is in the ledger only.
            checkpoint = None
        return _same_version(journal, clauses, checkpoint)
    except (CanonicalError, ProfileError, ValueError) as error:
        raise RecoveryError(
            f"{journal.file}: a record cannot be read: {error}. Keep the file as evidence; "
            "`smartshoe verify` names the record. To go on dealing, start with another journal "
            "folder; the gap will be declared"
        ) from error


def _same_version(
    journal: JournalReader, clauses: Mapping[str, Clause], checkpoint: Checkpoint | None
) -> Recovered:
    retelling = Retelling(clauses)
    after = 0
    if checkpoint is not None:
        run = _run_at(journal, checkpoint.started_seq, clauses)
        retelling.put_back(run, STATES.decode(checkpoint.state))
        after = checkpoint.seq
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


def _other_version(journal: JournalReader) -> Recovered:
    """Only the ledger is read: another version's state is not understood."""
    ledger = Ledger()
    software = ""
    for stored in journal.records():
        item = read_older_input(stored.record) if _may_begin(stored) else None
        if isinstance(item, Started):
            software = item.software
        entry = read_older_entry(stored.record)
        if entry is not None:
            ledger = ledger.after(entry)
    return Recovered(None, None, ledger, 0, software)


def _may_begin(stored: StoredRecord) -> bool:
    """Whether a record may hold the first input of a run: only that one is read of another's."""
    return b"Started" in stored.record


def _versions_since(journal: JournalReader, checkpoint: Checkpoint | None) -> tuple[str, ...]:
    """The versions that wrote from the checkpoint on, its own first; else from the first record."""
    versions = [checkpoint.software] if checkpoint is not None else []
    for stored in journal.records(after_seq=checkpoint.seq if checkpoint is not None else 0):
        if _may_begin(stored):
            item = read_older_input(stored.record)
            if isinstance(item, Started):
                versions.append(item.software)
    if not versions:
        raise CanonicalError("the first input of a journal is Started; no run begins in it")
    return tuple(versions)


def _run_at(journal: JournalReader, seq: int, clauses: Mapping[str, Clause]) -> Run:
    stored = next(iter(journal.records(after_seq=seq - 1)), None)
    item = read_input(stored.record) if stored is not None else None
    if not isinstance(item, Started):
        raise CanonicalError(f"record {seq} should begin a run")
    return Run(core_of(item, clauses), seq, item.software)


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
