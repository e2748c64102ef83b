"""A start after shoes were sealed continues exactly as if none had been."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.log_keys import begin_log
from controller.archive.replay.recovery import (
    RecoveredState,
    RecoveryError,
    recover,
    refusal_to_start,
)
from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings, open_signer
from controller.core.state import encode_state
from controller.journal.encoding import GENESIS
from controller.journal.evidence_log.leaf import Leaf, LeafKind
from controller.journal.folder import sealed_files
from controller.journal.store import Journal, JournalError
from controller.procedure.effects import ShoeOpened
from controller.rules.profiles.load import load_clauses
from controller.table.loop import Loop
from firmware_bridge.transport.clock import now

CLAUSES = load_clauses()
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
WHOLE_SHOE = (*OPENING, *COUP, *COUP[:2], "43", *COUP[2:], *COUP)
OTHER = "0.0.9"

NO_SAVED_STATE = "UPDATE checkpoint SET state = zeroblob(1024)"
NO_BASE_STATE = "UPDATE base SET state = x'00'"


def edit(folder: Path, *statements: str) -> None:
    connection = sqlite3.connect(folder / "live.db", isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def recovered(folder: Path) -> RecoveredState:
    with Journal.open(folder) as journal:
        return recover(journal, CLAUSES)


def seal_all(folder: Path) -> Path:
    """Seal every finished shoe of a journal, as the next start would."""
    with Journal.open(folder) as journal:
        signing = SigningSettings(folder / "table.key")
        first = Leaf(LeafKind.COMMISSIONED, 0, GENESIS, 0)
        begin_log(folder, "M7", first, open_signer(signing, make=True)).close()
        sealer = Sealer("M7", signing, now)
        sealer.begin(journal)
        sealer.end()
    assert sealed_files(folder)
    return folder


@pytest.fixture
def sealed_as_played(fast_dir: Path, stored_and_sealed) -> Callable[..., Path]:
    """Store a script's inputs, seal each shoe at its end, and check after each transaction."""

    def played(
        script, look: Callable[[Journal, Loop], None] = lambda _journal, _loop: None
    ) -> Path:
        folder = fast_dir / "journal"
        stored_and_sealed(folder, script, folder / "table.key", look)
        return folder

    return played


@pytest.fixture
def three_shoes(script):
    """Two whole shoes, the second with a decided overdraw, and two coups of a third."""
    table = script().begun().reported(*WHOLE_SHOE, *OPENING, *OVERDRAW)
    table.resolved()
    table.reported("47 90", *COUP[:2], "43", *COUP[2:], *COUP)
    return table.reported(*OPENING, *COUP, *COUP, *COUP[:2])


# --- the same version -----------------------------------------------------------------------------


class DamagedJournal:
    """A journal without a usable saved state, and optionally without the state at its base."""

    saved_state_damage = None

    def __init__(self, journal: Journal, *, base_too: bool) -> None:
        self.head, self.file, self.records = journal.head, journal.file, journal.records
        lost = replace(journal.base, software="", state=b"", digest=b"")
        self.base = lost if base_too else journal.base
        self._bases = journal.bases

    def saved_state(self) -> None:
        return None

    def bases(self):
        yield self.base
        yield from list(self._bases())[1:]


@pytest.mark.parametrize(
    ("seen", "every"),
    [
        (lambda journal: journal, 1),
        (lambda journal: DamagedJournal(journal, base_too=False), 5),
        (lambda journal: DamagedJournal(journal, base_too=True), 7),
    ],
    ids=["whole", "no saved state", "no state at all"],
)
def test_the_state_after_transactions(three_shoes, sealed_as_played, seen, every: int) -> None:
    """After every transaction with saved states; after some without, where starts are slow."""
    pairs: list[tuple[int, bool]] = []
    begun: list[int] = []

    def look(journal: Journal, loop: Loop) -> None:
        begun.append(journal.base.seq)
        if len(begun) % every == 0 or begun[-2:-1] != begun[-1:]:
            found = recover(seen(journal), CLAUSES)
            pairs.append((len(begun), encode_state(loop.state) == encode_state(found.state)))

    sealed_as_played(three_shoes, look)
    assert [at for at, same in pairs if not same] == []
    assert len(begun) == len(three_shoes.inputs)
    assert len(set(begun)) == 3


def test_a_start_needs_live_db_alone(three_shoes, sealed_as_played) -> None:
    folder = sealed_as_played(three_shoes)
    (folder / "shoes").rename(folder / "archived")
    found = recovered(folder)
    assert (found.state, found.inputs) == (three_shoes.state, 2)


def test_after_a_damaged_saved_state_the_open_shoe_is_replayed(
    three_shoes, sealed_as_played
) -> None:
    folder = sealed_as_played(three_shoes)
    (folder / "shoes").rename(folder / "archived")
    edit(folder, NO_SAVED_STATE)
    found = recovered(folder)
    assert (found.state, found.inputs) == (three_shoes.state, len(OPENING) + 2 * len(COUP) + 2)


def test_without_any_state_the_last_shoe_is_replayed(three_shoes, sealed_as_played) -> None:
    folder = sealed_as_played(three_shoes)
    sealed_files(folder)[0].unlink()
    edit(folder, NO_SAVED_STATE, NO_BASE_STATE)
    found = recovered(folder)
    assert found.state == three_shoes.state
    assert found.inputs < len(three_shoes.inputs) - len(WHOLE_SHOE)


def test_a_damaged_last_shoe_is_named_if_it_is_needed(three_shoes, sealed_as_played) -> None:
    folder = sealed_as_played(three_shoes)
    last = sealed_files(folder)[-1]
    data = bytearray(last.read_bytes())
    data[-200] ^= 1
    last.write_bytes(data)
    assert recovered(folder).state == three_shoes.state
    edit(folder, NO_SAVED_STATE, NO_BASE_STATE)
    with pytest.raises(JournalError, match=r"0002\.shoe"):
        recovered(folder)


def test_without_any_state_or_shoes_the_remedy_is_named(three_shoes, sealed_as_played) -> None:
    folder = sealed_as_played(three_shoes)
    (folder / "shoes").rename(folder / "archived")
    edit(folder, NO_SAVED_STATE, NO_BASE_STATE)
    with pytest.raises(
        RecoveryError, match="Remedy: put the last archived shoes back into the journal's"
    ):
        recovered(folder)


@pytest.mark.parametrize("damage", [(), (NO_SAVED_STATE,)], ids=["base", "base and saved state"])
def test_a_damaged_base_is_derived(three_shoes, sealed_as_played, damage) -> None:
    folder = sealed_as_played(three_shoes)
    edit(folder, "UPDATE base SET started = x'00'", *damage)
    assert recovered(folder).state == three_shoes.state


def test_shoes_sealed_late_leave_the_same_state(three_shoes, record) -> None:
    """No state is stored at the first shoe's end; after the last, a newer one may be."""
    folder = seal_all(record(three_shoes))
    assert recovered(folder).state == three_shoes.state
    (folder / "shoes").rename(folder / "archived")
    assert recovered(folder).state == three_shoes.state


def test_shoes_sealed_late_are_replayed_from_the_first(three_shoes, record) -> None:
    folder = seal_all(record(three_shoes))
    edit(folder, NO_SAVED_STATE)
    found = recovered(folder)
    assert (found.state, found.inputs) == (three_shoes.state, len(three_shoes.inputs))


# --- another version ------------------------------------------------------------------------------


def begin(folder: Path, script) -> int:
    """Begin a run that ends before its first saved state; returns its Started record."""
    with Journal.open(folder) as journal:
        seq = journal.head.seq + 1
        state = recover(journal, CLAUSES).initial_state(script.core)
        loop = Loop(journal, script.core, state, lambda: script.at)
        loop.begin(script.started)
        script.state = loop.state
        return seq


@pytest.fixture
def other_version_journal(script, record) -> Path:
    """Two whole shoes of another version, sealed, the second with an irregularity."""
    table = script(software=OTHER).begun().reported(*WHOLE_SHOE, *OPENING, *OVERDRAW)
    table.resolved()
    table.reported("47 90", *COUP[:2], "43", *COUP[2:], *COUP)
    return seal_all(record(table))


@pytest.mark.parametrize("archived", [False, True])
def test_another_versions_sealed_shoes_leave_their_numbers(
    other_version_journal, archived: bool
) -> None:
    if archived:
        (other_version_journal / "shoes").rename(other_version_journal / "archived")
    left = recovered(other_version_journal)
    assert (left.run, left.state, left.software, left.shoe_open) == (None, None, OTHER, False)
    ledger = left.ledger
    assert (ledger.day, ledger.shoe, ledger.coups, ledger.irregularities) == ("2025-11-21", 2, 3, 2)


def test_an_unknown_ledger_is_derived_from_the_shoes(other_version_journal) -> None:
    ledger = recovered(other_version_journal).ledger
    with Journal.open(other_version_journal) as journal:
        journal._set_base(replace(journal.base, ledger=b""))
    assert recovered(other_version_journal).ledger == ledger


@pytest.mark.parametrize("damage", [(), (NO_SAVED_STATE,), (NO_SAVED_STATE, NO_BASE_STATE)])
def test_numbers_continue_after_another_versions_sealed_shoes(
    other_version_journal, script, damage
) -> None:
    table = script()
    begin(other_version_journal, table)
    (other_version_journal / "shoes").rename(other_version_journal / "archived")
    edit(other_version_journal, *damage)
    again = recovered(other_version_journal)
    assert again.state == table.state
    assert refusal_to_start(again, table.core, replace_allowed=False) == ""
    table.opened()
    table.reported("53")
    assert [one.shoe for one in table.of(ShoeOpened)] == [3]


def test_this_version_continues_from_another_after_its_first_sealed_shoe(
    other_version_journal, script
) -> None:
    table = script()
    started_seq = begin(other_version_journal, table)
    with Journal.open(other_version_journal) as journal:
        sealer = Sealer(
            "M7", SigningSettings(other_version_journal / "table.key"), lambda: table.at
        )
        loop = Loop(journal, table.core, table.state, lambda: table.at)
        loop._started_seq, loop._software = started_seq, table.started.software
        table.opened()
        table.reported(*WHOLE_SHOE)
        for item in table.inputs:
            loop.take(item)
            stored = loop.store_if_due(force=True)
            if stored is not None and stored.shoe_ended:
                sealer._seal_earlier(journal)
    (other_version_journal / "shoes").rename(other_version_journal / "archived")
    for damage in (), (NO_SAVED_STATE,):
        edit(other_version_journal, *damage)
        assert recovered(other_version_journal).state == table.state
