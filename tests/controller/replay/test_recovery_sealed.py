"""A start after shoes were sealed goes on exactly as if none had been.

Responsible for: the state after every transaction with every shoe sealed at its end; a start from
live.db alone; damage of checkpoint, base and both; another version's sealed shoes.
Not responsible for: a start without sealed shoes (test_recovery), sealing (test_seal_desk).
Source: controller/journal/README.md, "Base"; package README, "Restart".
"""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from controller.archive.sealer import SealDesk
from controller.archive.signer import SigningSettings
from controller.core.state import STATES
from controller.journal.folder import sealed_files
from controller.journal.store import Journal, JournalError
from controller.procedure.effects import ShoeOpened
from controller.profiles.load import load_clauses
from controller.replay.recovery import Recovered, RecoveryError, recover, refusal_to_start
from controller.table.loop import Loop
from firmware_bridge.transport.clock import now

CLAUSES = load_clauses()
OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
WHOLE_SHOE = (*OPENING, *COUP, *COUP[:2], "43", *COUP[2:], *COUP)
OTHER = "0.0.9"

NO_CHECKPOINT = "UPDATE checkpoint SET state = zeroblob(1024)"
NO_BASE_STATE = "UPDATE base SET state = x'00'"


def edit(folder: Path, *statements: str) -> None:
    connection = sqlite3.connect(folder / "live.db", isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def recovered(folder: Path) -> Recovered:
    with Journal.open(folder) as journal:
        return recover(journal, CLAUSES)


def seal_all(folder: Path) -> Path:
    """Seal every finished shoe of a journal, as the next start would."""
    with Journal.open(folder) as journal:
        SealDesk("M7", SigningSettings(folder / "table.key"), now).started(journal)
    assert sealed_files(folder)
    return folder


@pytest.fixture
def sealed_as_played(fast_dir: Path, stored_and_sealed) -> Callable[..., Path]:
    """Store a script's inputs, sealing each shoe at its end, and look after each transaction."""

    def played(
        script, look: Callable[[Journal, Loop], None] = lambda _journal, _loop: None
    ) -> Path:
        folder = fast_dir / "journal"
        stored_and_sealed(folder, script, folder / "table.key", look)
        return folder

    return played


@pytest.fixture
def three_shoes(script):
    """Two whole shoes, the second with an overdraw decided, and a third with two coups of it."""
    table = script().begun().reported(*WHOLE_SHOE, *OPENING, *OVERDRAW)
    table.resolved()
    table.reported("47 90", *COUP[:2], "43", *COUP[2:], *COUP)
    return table.reported(*OPENING, *COUP, *COUP, *COUP[:2])


# --- the same version -----------------------------------------------------------------------------


class Damaged:
    """A journal without a usable checkpoint, and without the state at its base where that is so."""

    def __init__(self, journal: Journal, *, base_too: bool) -> None:
        self.head, self.file, self.records = journal.head, journal.file, journal.records
        lost = replace(journal.base, software="", state=b"", digest=b"")
        self.base = lost if base_too else journal.base
        self._bases = journal.bases

    def checkpoint(self) -> None:
        return None

    def bases(self):
        yield self.base
        yield from list(self._bases())[1:]


@pytest.mark.parametrize(
    ("seen", "every"),
    [
        (lambda journal: journal, 1),
        (lambda journal: Damaged(journal, base_too=False), 5),
        (lambda journal: Damaged(journal, base_too=True), 7),
    ],
    ids=["whole", "no checkpoint", "no state at all"],
)
def test_the_state_after_transactions(three_shoes, sealed_as_played, seen, every: int) -> None:
    """With a checkpoint after each; without, where a start tells much again, after some."""
    pairs: list[tuple[int, bool]] = []
    begun: list[int] = []

    def look(journal: Journal, loop: Loop) -> None:
        begun.append(journal.base.seq)
        if len(begun) % every == 0 or begun[-2:-1] != begun[-1:]:
            found = recover(seen(journal), CLAUSES)
            pairs.append((len(begun), STATES.encode(loop.state) == STATES.encode(found.state)))

    sealed_as_played(three_shoes, look)
    assert [at for at, same in pairs if not same] == []
    assert len(begun) == len(three_shoes.inputs)
    assert len(set(begun)) == 3


def test_a_start_needs_live_db_alone(three_shoes, sealed_as_played) -> None:
    folder = sealed_as_played(three_shoes)
    (folder / "shoes").rename(folder / "archived")
    found = recovered(folder)
    assert (found.state, found.inputs) == (three_shoes.state, 2)


def test_a_damaged_checkpoint_leaves_the_inputs_of_the_open_shoe(
    three_shoes, sealed_as_played
) -> None:
    folder = sealed_as_played(three_shoes)
    (folder / "shoes").rename(folder / "archived")
    edit(folder, NO_CHECKPOINT)
    found = recovered(folder)
    assert (found.state, found.inputs) == (three_shoes.state, len(OPENING) + 2 * len(COUP) + 2)


def test_without_any_state_the_last_shoe_is_told_again(three_shoes, sealed_as_played) -> None:
    folder = sealed_as_played(three_shoes)
    sealed_files(folder)[0].unlink()
    edit(folder, NO_CHECKPOINT, NO_BASE_STATE)
    found = recovered(folder)
    assert found.state == three_shoes.state
    assert found.inputs < len(three_shoes.inputs) - len(WHOLE_SHOE)


def test_a_damaged_last_shoe_is_named_where_it_is_needed(three_shoes, sealed_as_played) -> None:
    folder = sealed_as_played(three_shoes)
    last = sealed_files(folder)[-1]
    data = bytearray(last.read_bytes())
    data[-200] ^= 1
    last.write_bytes(data)
    assert recovered(folder).state == three_shoes.state
    edit(folder, NO_CHECKPOINT, NO_BASE_STATE)
    with pytest.raises(JournalError, match=r"0002\.shoe"):
        recovered(folder)


def test_without_any_state_and_without_shoes_the_remedy_is_told(
    three_shoes, sealed_as_played
) -> None:
    folder = sealed_as_played(three_shoes)
    (folder / "shoes").rename(folder / "archived")
    edit(folder, NO_CHECKPOINT, NO_BASE_STATE)
    with pytest.raises(RecoveryError, match="Put the last archived shoes back into the journal's"):
        recovered(folder)


@pytest.mark.parametrize("damage", [(), (NO_CHECKPOINT,)], ids=["base", "base and checkpoint"])
def test_a_damaged_base_is_told_again(three_shoes, sealed_as_played, damage) -> None:
    folder = sealed_as_played(three_shoes)
    edit(folder, "UPDATE base SET started = x'00'", *damage)
    assert recovered(folder).state == three_shoes.state


def test_shoes_sealed_late_leave_the_same_state(three_shoes, record) -> None:
    """Of the first shoe's end no state is kept; of the last one's the checkpoint may be newer."""
    folder = seal_all(record(three_shoes))
    assert recovered(folder).state == three_shoes.state
    (folder / "shoes").rename(folder / "archived")
    assert recovered(folder).state == three_shoes.state


def test_shoes_sealed_late_are_told_again_from_the_first(three_shoes, record) -> None:
    folder = seal_all(record(three_shoes))
    edit(folder, NO_CHECKPOINT)
    found = recovered(folder)
    assert (found.state, found.inputs) == (three_shoes.state, len(three_shoes.inputs))


# --- another version ------------------------------------------------------------------------------


def begin(folder: Path, script) -> int:
    """This version begins a run, and ends before its first checkpoint; the record of its start."""
    with Journal.open(folder) as journal:
        seq = journal.head.seq + 1
        state = recover(journal, CLAUSES).before(script.core)
        loop = Loop(journal, script.core, state, lambda: script.at)
        loop.begin(script.started)
        script.state = loop.state
        return seq


@pytest.fixture
def of_another(script, record) -> Path:
    """Two whole shoes of another version, sealed, the second with an irregularity."""
    table = script(software=OTHER).begun().reported(*WHOLE_SHOE, *OPENING, *OVERDRAW)
    table.resolved()
    table.reported("47 90", *COUP[:2], "43", *COUP[2:], *COUP)
    return seal_all(record(table))


@pytest.mark.parametrize("archived", [False, True])
def test_another_versions_sealed_shoes_leave_their_numbers(of_another, archived: bool) -> None:
    if archived:
        (of_another / "shoes").rename(of_another / "archived")
    left = recovered(of_another)
    assert (left.run, left.state, left.software, left.shoe_open) == (None, None, OTHER, False)
    ledger = left.ledger
    assert (ledger.day, ledger.shoe, ledger.coups, ledger.irregularities) == ("2025-11-21", 2, 3, 2)


def test_a_ledger_that_is_not_known_is_told_from_the_shoes(of_another) -> None:
    kept = recovered(of_another).ledger
    with Journal.open(of_another) as journal:
        journal._rebase(replace(journal.base, ledger=b""))
    assert recovered(of_another).ledger == kept


@pytest.mark.parametrize("damage", [(), (NO_CHECKPOINT,), (NO_CHECKPOINT, NO_BASE_STATE)])
def test_numbers_go_on_behind_another_versions_sealed_shoes(of_another, script, damage) -> None:
    table = script()
    begin(of_another, table)
    (of_another / "shoes").rename(of_another / "archived")
    edit(of_another, *damage)
    again = recovered(of_another)
    assert again.state == table.state
    assert refusal_to_start(again, table.core, replace_allowed=False) == ""
    table.opened()
    table.reported("53")
    assert [one.shoe for one in table.of(ShoeOpened)] == [3]


def test_this_version_goes_on_from_another_after_its_first_sealed_shoe(of_another, script) -> None:
    table = script()
    started_seq = begin(of_another, table)
    with Journal.open(of_another) as journal:
        desk = SealDesk("M7", SigningSettings(of_another / "table.key"), lambda: table.at)
        loop = Loop(journal, table.core, table.state, lambda: table.at)
        loop._started_seq, loop._software = started_seq, table.started.software
        table.opened()
        table.reported(*WHOLE_SHOE)
        for item in table.inputs:
            loop.take(item)
            stored = loop.store_if_due(force=True)
            if stored is not None and stored.shoe_ended:
                desk.shoes_ended(journal, stored.shoe_ends)
    (of_another / "shoes").rename(of_another / "archived")
    for damage in (), (NO_CHECKPOINT,):
        edit(of_another, *damage)
        assert recovered(of_another).state == table.state
