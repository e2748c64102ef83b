"""Attacks on a table's evidence, and what finds each: the rows of the table in docs/evidence.md."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.signer import SigningSettings, open_signer
from controller.journal.encoding import link
from controller.journal.evidence_log.checkpoint import TreeHead, short_code
from controller.journal.evidence_log.leaf import LEAVES, SIGNED_BY_TABLE, Leaf
from controller.journal.evidence_log.log import read_head
from controller.journal.evidence_log.note import KeyType, NoteKey, SignedNote, sign_line
from controller.journal.evidence_log.tree import Frontier, leaf_hash
from controller.journal.folder import sealed_files
from controller.journal.log_database import LogDatabase
from controller.journal.shoe_file import read_shoe, shoe_bytes
from controller.journal.verify import verify
from controller.system.keys import TableKey, key_of_seed, new_seed
from office.audit.run import audit
from office.audit.shoe import AuditSettings

LAST_COUPS = (
    *("44 81 C9", "44 91 92", "43", "44 82 AD", "44 92 B5", "47 90"),
    *("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90"),
)


def problems(folder: Path, *witnesses: str) -> list[str]:
    key = folder / "table.key.pub"
    return list(map(str, verify(folder, keys=[key], witnesses=witnesses).problems))


def change_records(folder: Path, change: Callable[[bytes], bytes]) -> None:
    """Change records of the open shoe and compute the chain again, as if nothing had happened."""
    with closing(sqlite3.connect(folder / "live.db")) as live, live:
        (chain,) = live.execute("SELECT chain FROM base").fetchone()
        for seq, record in live.execute("SELECT seq, record FROM records ORDER BY seq").fetchall():
            changed = change(record)
            chain = link(chain, changed)
            values = (changed, chain, seq)
            live.execute("UPDATE records SET record = ?, chain = ? WHERE seq = ?", values)
        live.execute("DELETE FROM checkpoint")


def drop_reason(record: bytes) -> bytes:
    return record.replace(b"seen by me", b"seen by us")


def chains(folder: Path) -> dict[int, bytes]:
    with closing(sqlite3.connect(folder / "live.db")) as live:
        return dict(live.execute("SELECT seq, chain FROM records").fetchall())


def rewrite_log(folder: Path, signer: TableKey, first: int = 0) -> None:
    """Write the leaves from number `first` on again over the records as they are now.

    Whoever does it has the table's key, and makes one-time keys of his own.
    """
    now = chains(folder)
    with LogDatabase.open_read_only(folder) as log:
        leaves = [LEAVES.decode(one) for one in log.entries()]
    frontier, one_time = Frontier(), key_of_seed(new_seed())
    with closing(sqlite3.connect(folder / "log.db")) as log, log:
        for number, leaf in enumerate(leaves):
            following = key_of_seed(new_seed())
            entry = LEAVES.encode(leaf)
            if number >= first:
                said = replace(leaf, chain=now.get(leaf.seq, leaf.chain))
                entry = LEAVES.encode(replace(said, next_key=following.public.raw))
            frontier = frontier.with_leaf(leaf_hash(entry))
            if number >= first:
                note = forged_note(
                    leaf, TreeHead("M7", number + 1, frontier.root), one_time, signer
                )
                log.execute("UPDATE leaves SET entry = ? WHERE number = ?", (entry, number))
                log.execute("UPDATE heads SET note = ? WHERE size = ?", (note, number + 1))
            one_time = following


def forged_note(leaf: Leaf, head: TreeHead, one_time: TableKey, signer: TableKey) -> bytes:
    keys = [signer] if leaf.kind in SIGNED_BY_TABLE else []
    keys += [one_time] if head.size > 1 else []
    lines = (
        sign_line(NoteKey("M7", KeyType.ED25519, one.public), head.text(), one.sign) for one in keys
    )
    return SignedNote(head.text(), tuple(lines)).to_bytes()


@pytest.fixture
def decided(logged):
    """A table in mid-shoe, stopped, after a floorperson's decision."""
    from controller.rules.actions.actions import Resolution  # noqa: PLC0415
    from controller.rules.actions.choices import FloorDecision, Provisional  # noqa: PLC0415

    table = logged("44 91 92")
    table.script.acted(Resolution(FloorDecision.VOID_COUP, Provisional.TAKE_OVER))
    return table.run()


def table_key(folder: Path) -> TableKey:
    signer = open_signer(SigningSettings(folder / "table.key"))
    return signer.key


def test_an_untouched_table_is_intact(decided) -> None:
    assert problems(decided.folder) == []


def test_a_reason_changed_in_the_open_shoe_is_found_without_any_key(decided) -> None:
    change_records(decided.folder, drop_reason)
    found = problems(decided.folder)
    assert any("is not the one of which leaf" in one for one in found), found


def found_by_audit(folder: Path) -> list[str]:
    report = audit((folder,), AuditSettings())
    return [f"{one.weight.value}: {one.words}" for one in report.messages]


def test_the_audit_of_an_open_shoe_finds_what_the_verifier_finds(decided) -> None:
    assert found_by_audit(decided.folder) == []
    change_records(decided.folder, drop_reason)

    (found,) = found_by_audit(decided.folder)
    assert found.startswith("finding: record ")
    assert found.endswith("is not the one of which the log speaks")


def test_the_audit_finds_records_taken_away_at_the_end(decided) -> None:
    with closing(sqlite3.connect(decided.folder / "live.db")) as live, live:
        live.execute("DELETE FROM checkpoint")
        live.execute("DELETE FROM records WHERE seq > (SELECT max(seq) - 3 FROM records)")

    found = found_by_audit(decided.folder)
    assert any("are missing: the evidence log speaks of them" in one for one in found)


def test_the_audit_says_where_it_cannot_know(decided, tmp_path: Path) -> None:
    shutil.copy(decided.folder / "live.db", tmp_path)

    (note,) = found_by_audit(tmp_path / "live.db")
    assert note == "note: no log.db beside it: whether its records were changed is not checked"


def test_the_tables_key_does_not_write_history_again(decided) -> None:
    """Whoever takes the machine at a head, with every key on it, cannot write one before it."""
    change_records(decided.folder, drop_reason)
    rewrite_log(decided.folder, table_key(decided.folder), first=2)
    found = problems(decided.folder)
    assert any("head 3" in one for one in found), found


def test_a_log_written_anew_from_the_first_leaf_fails_against_any_head_that_was_noted(
    decided,
) -> None:
    """The key's holder writes another log from its commissioning: alone it looks intact."""
    with LogDatabase.open_read_only(decided.folder) as log:
        noted = [short_code(read_head(log, size)[0]) for size in (1, log.size)]
    change_records(decided.folder, drop_reason)
    rewrite_log(decided.folder, table_key(decided.folder))

    assert problems(decided.folder) == []
    for code in noted:
        assert any("witness" in one for one in problems(decided.folder, code))


def test_an_older_image_of_the_disk_fails_against_a_later_head(decided, tmp_path: Path) -> None:
    image = shutil.copytree(decided.folder, tmp_path / "image")
    decided.run()
    with LogDatabase.open_read_only(decided.folder) as log:
        later = short_code(read_head(log, log.size)[0])

    assert problems(image) == []
    assert any("witness" in one for one in problems(image, later))


def test_a_sealed_shoe_sealed_again_by_the_keys_holder_is_found(logged) -> None:
    table = logged(*LAST_COUPS).run()
    (path,) = sealed_files(table.folder)
    sealed = read_shoe(path.read_bytes())
    other = replace(sealed.heading, until_ns=sealed.heading.until_ns + 1)
    path.write_bytes(shoe_bytes(other, sealed.rows, sealed.parts(), table_key(table.folder).sign))

    found = problems(table.folder)
    assert any("0001.shoe" in one for one in found), found


def test_a_sealed_shoe_taken_away_is_found(logged) -> None:
    table = logged(*LAST_COUPS).run()
    assert problems(table.folder) == []
    sealed_files(table.folder)[0].unlink()
    assert problems(table.folder) != []


def test_the_newest_leaves_taken_away_are_found_against_a_later_head(decided) -> None:
    with LogDatabase.open_read_only(decided.folder) as log:
        newest = short_code(read_head(log, log.size)[0])
        size = log.size
    with closing(sqlite3.connect(decided.folder / "log.db")) as log, log:
        log.execute("DELETE FROM leaves WHERE number >= ?", (size - 2,))
        log.execute("DELETE FROM heads WHERE size > ?", (size - 2,))
    assert any("witness" in one for one in problems(decided.folder, newest))
