"""The evidence log of a table: what it says and refuses, and what a crash cannot take."""

import logging
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from itertools import chain, repeat
from pathlib import Path

import pytest

from controller.archive import sealer as sealer_module
from controller.archive.log_writer import SPOKEN_WITHIN_NS, LogWriter
from controller.archive.signer import NoSigner, Signer
from controller.journal.encoding import link
from controller.journal.evidence_log.checkpoint import TreeHead
from controller.journal.evidence_log.leaf import Leaf, LeafKind
from controller.journal.evidence_log.log import LogRefused, leaves_newest_first, stored_note
from controller.journal.evidence_log.note import KeyType, NoteKey, valid_signatures
from controller.journal.folder import read_sealed, sealed_files
from controller.journal.log_database import LogDatabase
from controller.journal.store import Journal
from controller.journal.values import Head, JournalError
from controller.journal.verify import verify
from controller.rules.actions.actions import Resolution
from controller.rules.actions.choices import FloorDecision, Provisional
from controller.system.keys import PublicKey, TableKey, load_public, make_key
from firmware_bridge.transport.clock import now
from foundation.timestamp import Timestamp
from hil.simulation.sealed_journal import store_sealed

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
LAST_COUPS = (
    *("44 81 C9", "44 91 92", "43", "44 82 AD", "44 92 B5", "47 90"),
    *("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90"),
)

OVERDRAW = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "44 83 A3")
BEGUN = ("commissioned", "start", "opening", "burn")

# --- what it says ---------------------------------------------------------------------------------


def test_commissioning_start_coups_and_stop_are_leaves(logged) -> None:
    table = logged().run()

    assert table.kinds() == [*BEGUN, "coup", "coup", "stop"]
    with Journal.open(table.folder) as journal:
        newest = table.leaves()[-1]
        assert (newest.seq, newest.chain) == (journal.head.seq, journal.head.chain)


def test_a_floorpersons_decision_is_a_leaf(logged) -> None:
    table = logged("44 91 92")
    table.script.acted(Resolution(FloorDecision.VOID_COUP, Provisional.TAKE_OVER))

    assert "decision" in table.run().kinds()


def test_an_irregularity_is_a_leaf_whose_head_the_tables_key_signs(logged) -> None:
    table = logged(*OVERDRAW).run()

    number = table.kinds().index("irregularity")
    key = NoteKey("M7", KeyType.ED25519, load_public(table.folder / "table.key.pub"))
    with LogDatabase.open_read_only(table.folder) as log:
        assert valid_signatures(stored_note(log, number + 1), [key])


def test_no_leaf_waits_once_all_are_in_the_log(logged) -> None:
    with logged().running() as sealer:
        pass

    assert sealer.status.log.size == 7
    assert sealer.status.log.waiting == 0


def test_every_head_is_signed_by_the_key_that_the_leaf_before_names(logged) -> None:
    table = logged().run()
    leaves = table.leaves()
    with LogDatabase.open_read_only(table.folder) as log:
        for size in range(2, len(leaves) + 1):
            key = NoteKey("M7", KeyType.ED25519, PublicKey(leaves[size - 2].next_key))
            assert valid_signatures(stored_note(log, size), [key])


def test_the_tables_key_signs_every_head_but_those_after_coups(logged) -> None:
    table = logged().run()
    key = NoteKey("M7", KeyType.ED25519, load_public(table.folder / "table.key.pub"))
    with LogDatabase.open_read_only(table.folder) as log:
        notes = [stored_note(log, size) for size in range(1, log.size + 1)]

    signed = [key.id in {one.key_id for one in note.signatures} for note in notes]
    assert signed == [True, True, True, True, False, False, True]
    assert [len(note.signatures) for note in notes] == [1, 2, 2, 2, 1, 1, 2]
    for note in (*notes[:4], notes[6]):
        assert valid_signatures(note, [key])


def test_the_first_leaf_names_the_tables_key(logged) -> None:
    table = logged().run()
    key = load_public(table.folder / "table.key.pub")
    assert table.leaves()[0].key == b"\x01" + key.raw


def test_a_used_key_is_nowhere_in_the_folder(logged) -> None:
    """Whoever takes the machine has the key of the next head, and none of an earlier one."""
    table = logged().run()
    stored = (table.folder / "log.keys").read_bytes()
    size = len(table.leaves()) + 1
    slots = [stored[72 * (one % 2) :][:72] for one in (size, size + 1)]
    next_one, _ = slots

    assert [int.from_bytes(one[:8], "big") for one in slots] == [size, size + 1]
    for file in (table.folder / "log.db", table.folder / "log.db-wal"):
        if file.exists():
            assert next_one[8:40] not in file.read_bytes()


def test_the_log_of_the_program_has_a_line_for_what_people_look_for_and_none_for_a_coup(
    logged, caplog
) -> None:
    caplog.set_level(logging.INFO, "smartshoe.evidence")
    table = logged(*OVERDRAW)
    table.script.resolved()
    table.run()

    lines = [one.getMessage() for one in caplog.records if one.levelno == logging.INFO]
    heads = [one.split(", ")[1] for one in lines if one.startswith("evidence log: head ")]
    assert "coup" in table.kinds()
    assert heads == ["start", "irregularity", "decision", "stop"]


# --- what nothing else speaks of ------------------------------------------------------------------


def test_conclusions_that_waited_have_a_leaf_before_the_next_ones(fast_dir: Path, script) -> None:
    """A dealer who waits in the middle of a coup: two cards have no leaf of their own."""
    dealt = script().begun().reported(*OPENING, *COUP, "44 81 C9", "44 91 92")
    dealt.later(SPOKEN_WITHIN_NS)
    dealt.reported("44 82 AD")

    store_sealed(fast_dir, dealt.inputs, "M7")

    with LogDatabase.open_read_only(fast_dir) as log:
        stop, records, coup, *_ = leaves_newest_first(log)
    kinds = [one.kind for one in (coup, records, stop)]
    assert kinds == [LeafKind.COUP, LeafKind.RECORDS, LeafKind.STOP]
    assert coup.seq < records.seq < stop.seq
    assert verify(fast_dir).problems == []


class NotingWriter(LogWriter):
    """Says that so many leaves are in the log."""

    def __init__(self, signer: Signer, clock: Callable[[], Timestamp], size: int) -> None:
        super().__init__("M7", lambda: signer, clock)
        self.full = threading.Event()
        self._full_size = size

    def _publish(self, head: TreeHead, leaf: Leaf | None) -> None:
        super()._publish(head, leaf)
        if head.size == self._full_size:
            self.full.set()


def test_conclusions_have_a_leaf_in_time_although_nothing_follows_them(fast_dir: Path) -> None:
    times = chain((0, SPOKEN_WITHIN_NS - 10**6), repeat(SPOKEN_WITHIN_NS))
    log = NotingWriter(NoSigner("", wanted=False), lambda: Timestamp(next(times), 5), 2)
    with Journal.open(fast_dir / "journal") as journal:
        log.begin(journal)
        log.concluded(Head(9, bytes(32)), Timestamp(0, 0))
        assert log.full.wait()
        log.end()
    with LogDatabase.open_read_only(fast_dir / "journal") as database:
        newest = next(leaves_newest_first(database))
    assert (newest.kind, newest.seq) == (LeafKind.RECORDS, 9)


class HangingToken:
    """A token that signs the first head, and the others once it may go on."""

    words = "a token"

    def __init__(self, key: TableKey) -> None:
        self.public = key.public
        self.may_go_on = threading.Event()
        self._key = key
        self._signed = 0

    def sign(self, data: bytes) -> bytes:
        self._signed += 1
        if self._signed > 1:
            self.may_go_on.wait()
        return self._key.sign(data)


def test_no_leaf_waits_for_a_token_that_hangs(fast_dir: Path, tmp_path: Path) -> None:
    token = HangingToken(make_key(tmp_path / "token.key"))
    log = NotingWriter(token, now, 3)
    with Journal.open(fast_dir / "journal") as journal:
        log.begin(journal)
        for seq in (1, 2):
            log.add(Leaf(LeafKind.IRREGULARITY, seq, bytes(32), 0))
        assert log.full.wait()
        token.may_go_on.set()
        log.end()

    key = NoteKey("M7", KeyType.ED25519, token.public)
    with LogDatabase.open_read_only(fast_dir / "journal") as database:
        for size in (1, 2, 3):
            assert valid_signatures(stored_note(database, size), [key])


# --- the open shoe cannot be forged ---------------------------------------------------------------


def forge(table, old: bytes, new: bytes) -> None:
    """Change a record of the open shoe, compute the chain again, delete the saved state."""
    with closing(sqlite3.connect(table.folder / "live.db")) as live, live:
        chain = live.execute("SELECT chain FROM base").fetchone()[0]
        changed = 0
        for seq, record in live.execute("SELECT seq, record FROM records ORDER BY seq").fetchall():
            changed += old in record
            record = record.replace(old, new)
            chain = link(chain, record)
            live.execute(
                "UPDATE records SET record = ?, chain = ? WHERE seq = ?", (record, chain, seq)
            )
        live.execute("DELETE FROM checkpoint")
    assert changed


def test_a_reason_changed_in_the_open_shoe_refuses_the_next_start(logged) -> None:
    """Somebody with all rights on the machine changes live.db while the table stands still."""
    table = logged("44 91 92")
    table.script.acted(Resolution(FloorDecision.VOID_COUP, Provisional.TAKE_OVER))
    table.run()
    forge(table, b"seen by me", b"seen by us")

    with pytest.raises(LogRefused, match="was changed after the"):
        table.run()


def test_records_taken_away_at_the_end_refuse_the_next_start(logged) -> None:
    table = logged().run()
    table.execute("DELETE FROM records WHERE seq > 30", "DELETE FROM checkpoint")
    with pytest.raises(LogRefused, match="records were removed, or this is an older"):
        table.run()


def test_a_journal_without_its_log_is_refused(logged) -> None:
    table = logged().run()
    for path in table.folder.glob("log.db*"):
        path.unlink()
    with pytest.raises(LogRefused, match="there are records, but no evidence log"):
        table.run()


def test_a_changed_leaf_is_refused(logged) -> None:
    table = logged().run()
    table.execute("UPDATE leaves SET entry = x'80' WHERE number = 2", file="log.db")
    with pytest.raises(LogRefused, match="its leaves do not lead to its newest head"):
        table.run()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM marks WHERE number = 0",
        "UPDATE marks SET kind = 'key' WHERE number = 0",
        "INSERT INTO marks VALUES (3, 'revoked')",
    ],
)
def test_changed_marks_are_a_problem(logged, statement: str) -> None:
    """A start looks for keys by them alone."""
    table = logged(*LAST_COUPS).run()
    table.execute(statement, file="log.db")

    (problem,) = verify(table.folder).problems
    assert str(problem) == "log.db: the marks are not those of its leaves"


def test_without_the_next_key_nobody_goes_on(logged) -> None:
    table = logged().run()
    (table.folder / "log.keys").write_bytes(bytes(144))
    with pytest.raises(LogRefused, match=r"log\.keys does not hold it"):
        table.run()


def test_the_log_of_another_table_is_refused(logged, fast_dir: Path) -> None:
    logged().run()
    log = LogWriter("M8", lambda: NoSigner("", wanted=False), now)
    with (
        Journal.open(fast_dir / "journal") as journal,
        pytest.raises(LogRefused, match="log of table M7, and the configuration names M8"),
    ):
        log.begin(journal)


EVIDENCE = ("live.db*", "log.db*", "log.keys", "log")


def delete(folder: Path, *patterns: str) -> None:
    for pattern in patterns:
        for path in folder.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.parametrize("deleted", [EVIDENCE, EVIDENCE[:1]], ids=["all", "live.db"])
def test_no_journal_is_begun_beside_sealed_shoes(logged, deleted: tuple[str, ...]) -> None:
    """Sealed shoes are records: whoever deletes all the rest gets no table without a past."""
    table = logged(*LAST_COUPS).run()
    delete(table.folder, *deleted)
    left = sorted(table.folder.iterdir())

    with pytest.raises(JournalError, match=r"sealed shoe shoes/.*damaged-journal\.md"):
        table.run()
    assert sorted(table.folder.iterdir()) == left


def test_an_empty_live_part_beside_sealed_shoes_is_refused(logged) -> None:
    table = logged(*LAST_COUPS).run()
    shoes = table.folder / "shoes"
    shoes.rename(table.folder.parent / "aside")
    delete(table.folder, *EVIDENCE)
    Journal.open(table.folder).close()
    (table.folder.parent / "aside").rename(shoes)

    with pytest.raises(JournalError, match="it is missing or holds no record"):
        table.run()


# --- a crash --------------------------------------------------------------------------------------


def test_a_damaged_newest_sealed_shoe_refuses_no_start(logged, monkeypatch) -> None:
    table = logged(*LAST_COUPS)
    with monkeypatch.context() as killed:
        killed.setattr(LogWriter, "add", lambda *_: None)
        table.run(stop=False)
    (path,) = sealed_files(table.folder)
    path.write_bytes(path.read_bytes()[:20])

    assert table.run().kinds()[-1] == "stop"
    assert "shoe" not in table.kinds()


def test_coups_that_a_kill_kept_out_of_the_log_are_added_at_the_start(logged, monkeypatch) -> None:
    table = logged()
    with monkeypatch.context() as killed:
        killed.setattr(sealer_module, "leaves_of_entry", lambda *_: ())
        table.run(stop=False)
    assert table.kinds() == ["commissioned"]

    table.run()

    assert table.kinds() == [*BEGUN, "coup", "coup", "stop"]


def test_a_sealed_shoe_that_a_kill_kept_out_of_the_log_is_added_at_the_start(
    logged, monkeypatch
) -> None:
    table = logged(*LAST_COUPS)
    with monkeypatch.context() as killed:
        killed.setattr(LogWriter, "add", lambda *_: None)
        table.run(stop=False)
    assert sealed_files(table.folder)

    table.run()

    assert table.kinds().count("shoe") == 1
    assert table.leaves()[-2].seal == read_sealed(sealed_files(table.folder)[0]).digest
