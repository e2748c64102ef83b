"""Restores the exact state at start-up from the saved state and the inputs after it.

Compares what is concluded on the way with what is stored, and decides whether a changed version or
setting may start while a shoe is open.
Source: D-22, D-27.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import starmap, takewhile

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.replay.replayer import Difference, Replayer, Run, can_begin_at
from controller.archive.replay.upgrade import LEDGERS, UpgradeLedger, carried_over_state
from controller.core.approved_lists import older_lists
from controller.core.core import Core
from controller.core.state import CoreState
from controller.core.tape.entries import StateDigest
from controller.core.tape.inputs import Started
from controller.core.tape.records import holds, read_as, read_entry
from controller.journal.encoding import EncodingError
from controller.journal.reader import JournalReader
from controller.journal.values import Base, Head, SavedState, StoredRecord
from controller.procedure.people.setting_changes import effective_book, refusals_at_start
from controller.rules.profiles.borrowing import with_citation
from controller.rules.profiles.clauses import Clause
from controller.rules.profiles.profile import ProfileError
from controller.system.json_document import time_text
from controller.system.messages.catalogue import to_words
from controller.version import software_identifier
from drivers.model import MissingDriver


class RecoveryError(Exception):
    """The table cannot continue from this journal; the message says why and what to do."""


class RecoveredState(Struct, frozen=True):
    """What the next run takes over from a journal. `inputs` were replayed after the saved state.

    `run` and `state` are None where another version wrote last: then `software` names it, and only
    the ledger is known. `state_gone`: the state that was stored with the last coup is not there.
    """

    run: Run | None
    state: CoreState | None
    ledger: UpgradeLedger
    inputs: int
    software: str = ""
    state_gone: bool = False

    @property
    def shoe_open(self) -> bool:
        if self.state is None:
            return self.ledger.open
        shoe = self.state.table.shoe
        return shoe is not None and not shoe.ended

    def initial_state(self, core: Core) -> CoreState:
        """The state before the next run's first input."""
        if self.state is not None:
            return self.state
        return carried_over_state(core, self.ledger) if self.software else core.initial()


def recover(journal: JournalReader, clauses: Mapping[str, Clause]) -> RecoveredState:
    """Restore the state. Raises RecoveryError, JournalError.

    Only live.db is read, unless both the saved state and the state at its base are damaged.
    """
    if journal.head.seq == 0:
        return RecoveredState(None, None, UpgradeLedger(), 0)
    try:
        saved_state = journal.saved_state()
        versions = _versions_since(journal, saved_state)
        if versions[-1] != software_identifier():
            return _other_version(journal, versions[-1])
        replayer = Replayer(clauses)
        if all(version == software_identifier() for version in versions):
            after = _restore_newest(journal, saved_state, replayer)
        else:
            after = _start_in_other_version(journal, versions[0], replayer)
        recovered = _replay_after(journal, replayer, after)
        gone = saved_state is None and not journal.saved_state_damage and _ends_coup(journal)
        return replace(recovered, state_gone=gone)
    except MissingDriver as error:
        # As after another version of the program: the state of that driver cannot be read.
        return _other_version(journal, f"with another driver ({error})")
    except (EncodingError, ProfileError, ValueError) as error:
        raise RecoveryError(
            f"{journal.file}: a record cannot be read: {error}. Remedy: keep the file as evidence; "
            "`smartshoe verify` names the record; to go on dealing, start with another journal "
            "folder, and the gap will be declared"
        ) from error


def _ends_coup(journal: JournalReader) -> bool:
    """Whether the live part has a coup's end: a state is stored with each."""
    return any(holds(one.record, StateDigest) for one in journal.records(journal.base.seq))


def _restore_newest(
    journal: JournalReader, saved_state: SavedState | None, replayer: Replayer
) -> int:
    """Restore the newest usable state; return the number of the record it follows."""
    if saved_state is not None:
        started = saved_state.started_seq, _started(journal, saved_state.started_seq)
        at = Head(saved_state.seq, b"")
        state = saved_state.software, saved_state.state
        replayer.restore_base(Base.of(at, b"", started, state))
        return saved_state.seq
    base = next(filter(can_begin_at, journal.bases()), None)
    if base is None:
        raise RecoveryError(
            f"{journal.file}: the state after record {journal.base.seq} is damaged or not known, "
            "and the sealed shoes from which it could be restored are not here. Remedy: put the"
            " last archived shoes back into the journal's folder and start again; or start with "
            "another journal folder, and the gap will be declared"
        )
    replayer.restore_base(base)
    if any(version != software_identifier() for version in _versions_after(journal, base.seq)):
        replayer.ledger = _ledger(journal, base)
    return base.seq


def _start_in_other_version(journal: JournalReader, software: str, replayer: Replayer) -> int:
    """Start in another version's run, of which only the ledger is known; return the base's seq."""
    base = journal.base
    if base.seq > 0:
        replayer.start_in_unread_run(software, _ledger(journal, base))
    return base.seq


def _replay_after(journal: JournalReader, replayer: Replayer, after: int) -> RecoveredState:
    for stored in journal.records(after_seq=after):
        # Conclusions of another version need not agree; only the numbering is taken from them.
        of_this_version = replayer.exact
        difference = replayer.replay(stored)
        if difference is not None and of_this_version:
            raise _disagreement(journal, difference)
    difference = replayer.finish(journal.head.seq)
    if difference is not None:
        raise _disagreement(journal, difference)
    return RecoveredState(replayer.run, replayer.state, replayer.ledger, replayer.inputs)


def _disagreement(journal: JournalReader, difference: Difference) -> RecoveryError:
    return RecoveryError(
        f"{journal.file}: record {difference.seq} holds {difference.stored}, but this "
        f"program concludes {difference.concluded}. Remedy: keep the file as evidence and run "
        "`smartshoe verify` and `smartshoe replay` on it"
    )


def _other_version(journal: JournalReader, software: str) -> RecoveredState:
    """Read the ledger only: another version's state cannot be read."""
    base = journal.base
    ledger = _ledger_after(_ledger(journal, base), journal.records(after_seq=base.seq))
    return RecoveredState(None, None, ledger, 0, software)


def _ledger(journal: JournalReader, base: Base) -> UpgradeLedger:
    """The ledger at a base: as stored, or derived from the sealed shoes that are here."""
    if base.seq == 0:
        return UpgradeLedger()
    if base.ledger:
        with contextlib.suppress(EncodingError):
            return LEDGERS.decode(base.ledger)
    earlier = journal.records(after_seq=journal.first_available_seq - 1)
    return _ledger_after(UpgradeLedger(), takewhile(lambda stored: stored.seq <= base.seq, earlier))


def _ledger_after(ledger: UpgradeLedger, records: Iterable[StoredRecord]) -> UpgradeLedger:
    for stored in records:
        entry = read_entry(stored.record)
        if entry is not None:
            ledger = ledger.after(entry)
    return ledger


def _versions_since(journal: JournalReader, saved_state: SavedState | None) -> tuple[str, ...]:
    """The versions that wrote from the saved state on, its own first; else from the base on."""
    if saved_state is not None:
        return (saved_state.software, *_versions_after(journal, saved_state.seq))
    for base in journal.bases():
        begun = _version(base.started) if base.started else ()
        versions = (*begun, *_versions_after(journal, base.seq))
        if versions and (begun or base.seq == 0):
            return versions
    raise EncodingError("the first input of a journal must be Started; no run begins in it")


def _versions_after(journal: JournalReader, seq: int) -> Iterator[str]:
    for stored in journal.records(after_seq=seq):
        yield from _version(stored.record)


def _version(record: bytes) -> tuple[str, ...]:
    started = read_as(record, Started)
    return (started.software,) if started is not None else ()


def _started(journal: JournalReader, seq: int) -> bytes:
    """The record, numbered `seq`, that began the run of a saved state."""
    base = journal.base
    if base.started and seq == base.started_seq:
        return base.started
    stored = next(journal.records(after_seq=max(seq - 1, 0)), None)
    if stored is None:
        raise EncodingError(f"record {seq} should begin a run")
    return stored.record


def refusal_to_start(
    recovered: RecoveredState, core: Core, *, replace_allowed: bool, at_ns: int = 0
) -> str:
    """Why a run may not begin with these settings at `at_ns` (UTC); empty if it may.

    Settings that a shoe in play uses change between shoes only (D-27), and settings that need
    notice only after that notice.
    """
    if recovered.state is not None and (older := older_lists(recovered.state, core.settings)):
        return "; ".join(starmap(_older_list_text, older))
    if not recovered.shoe_open:
        return _missing_notice(recovered, core, at_ns)
    if recovered.state is None and not replace_allowed:
        return (
            f"a shoe is open that version {recovered.software} began, but this is version"
            f" {software_identifier()}. Remedy: start that version again (`smartshoe --version`"
            " prints the same words) and finish the shoe, or start this one with"
            " --close-coup-as-partial: the coup on the table is then held for a floorperson"
        )
    changes = _changed_settings(recovered, core)
    if changes:
        return (
            f"a shoe is open, and {', '.join(changes)} changed since it began. These change "
            "between shoes only. Remedy: put the old value back, finish or close the shoe, then"
            " change it"
        )
    return ""


def _older_list_text(section: str, signed_ns: int, newest_ns: int) -> str:
    signed, newest = time_text(signed_ns), time_text(newest_ns)
    return (
        f"{section}.approved: the list of approved firmware was signed at {signed}, and this table"
        f" has seen one of {newest}: an older list may approve what was withdrawn since. Allowed:"
        " that list or a newer one. Remedy: put the newest list back, or sign its images again"
        " with `smartshoe firmware approve`"
    )


def _missing_notice(recovered: RecoveredState, now: Core, at_ns: int) -> str:
    """What table.toml changes between shoes without the notice that its clause requires."""
    if recovered.run is None or recovered.state is None:
        return ""
    table = recovered.state.table
    running, coming = (
        effective_book(book, table).profile for book in (recovered.run.core.book, now.book)
    )
    refused = refusals_at_start(running, coming, table.notices, at_ns, table.phase)
    own = coming.own_clauses
    return "; ".join(with_citation(own, to_words(one.why), one.clauses) for one in refused)


def _changed_settings(recovered: RecoveredState, now: Core) -> tuple[str, ...]:
    """The names of changed settings that an open shoe depends on."""
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
