"""The evidence log on disk: a step cut short is finished or undone at the next opening."""

import errno
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.evidence_log import head_keys
from controller.journal.evidence_log.checkpoint import TreeHead, parse_checkpoint
from controller.journal.evidence_log.head_keys import HeadKeys
from controller.journal.evidence_log.leaf import LEAVES, Leaf, LeafKind
from controller.journal.evidence_log.log import EvidenceLog, LogRefused, stored_note
from controller.journal.evidence_log.note import KeyType, NoteKey, valid_signatures
from controller.journal.evidence_log.shoe_proof import shoe_leaves
from controller.journal.evidence_log.tree import frontier_of, leaf_hash
from controller.journal.log_database import LogDatabase
from controller.system.keys import PublicKey

FIRST = Leaf(LeafKind.COMMISSIONED, 0, bytes(32), 1)


def coup(number: int) -> Leaf:
    return Leaf(LeafKind.COUP, number, bytes([number]) * 32, number, "2026-11-21", 7)


class PowerCut(BaseException):
    """The machine has no power from here on."""


def require_whole(folder: Path, coups: int) -> None:
    """Every leaf is there once, and every head but the first is signed by the key before it."""
    with LogDatabase.open_read_only(folder) as log:
        entries = list(log.entries())
        leaves = [LEAVES.decode(one) for one in entries]
        assert [one.seq for one in leaves] == list(range(coups + 1))
        hashes = [leaf_hash(one) for one in entries]
        for size in range(1, len(leaves) + 1):
            note = stored_note(log, size)
            root = frontier_of(hashes[:size]).root
            assert parse_checkpoint(note.text) == TreeHead("BAC-12", size, root)
            if size > 1:
                key = NoteKey("BAC-12", KeyType.ED25519, PublicKey(leaves[size - 2].next_key))
                assert valid_signatures(note, [key])


def test_leaves_and_heads_go_on_after_each_opening(fast_dir: Path) -> None:
    EvidenceLog.begin(fast_dir, "BAC-12", FIRST).close()
    for number in (1, 2, 3):
        log = EvidenceLog.open(fast_dir, "BAC-12")
        log.add(coup(number))
        log.close()
    require_whole(fast_dir, 3)


def cut_at(monkeypatch: pytest.MonkeyPatch, write: int, *, torn: bool) -> None:
    """The power fails at that write of a step: 0 leaf and head, 1 the key over the used one."""
    store, append = HeadKeys.replace, LogDatabase.append

    def cut_replace(keys: HeadKeys, used: int) -> None:
        if write == 1:
            if torn:
                store(keys, used)
                os.pwrite(keys._descriptor, bytes(42), 72 * (used % 2) + 30)
            raise PowerCut
        store(keys, used)

    def cut_append(log: LogDatabase, number: int, entry: bytes, note: bytes, mark: str) -> None:
        if write == 0:
            raise PowerCut
        append(log, number, entry, note, mark)

    monkeypatch.setattr(HeadKeys, "replace", cut_replace)
    monkeypatch.setattr(LogDatabase, "append", cut_append)


@pytest.mark.parametrize("torn", [False, True], ids=["not written", "half written"])
@pytest.mark.parametrize("write", [0, 1], ids=["leaf and head", "key"])
@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_step_cut_short_is_finished_or_undone(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch, before: int, write: int, torn: bool
) -> None:
    log = EvidenceLog.begin(fast_dir, "BAC-12", FIRST)
    for number in range(1, before + 1):
        log.add(coup(number))
    with monkeypatch.context() as power:
        cut_at(power, write, torn=torn)
        with pytest.raises(PowerCut):
            log.add(coup(before + 1))
    log.close()

    log = EvidenceLog.open(fast_dir, "BAC-12")
    stored = log.size - 1
    assert stored == before + write
    kept = {slot(fast_dir, size) for size in (log.size, log.size + 1)}
    for number in range(stored + 1, before + 4):
        log.add(coup(number))
    log.close()

    assert kept == {stored + 2, stored + 3}, "the used key is gone, those of the next two are here"
    require_whole(fast_dir, before + 3)


def slot(folder: Path, size: int) -> int:
    """The size of the head whose key is in the place of that one's."""
    stored = (folder / head_keys.HEAD_KEYS_NAME).read_bytes()[72 * (size % 2) :][:8]
    return int.from_bytes(stored, "big")


def test_a_failed_step_may_be_repeated(fast_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = EvidenceLog.begin(fast_dir, "BAC-12", FIRST)
    with monkeypatch.context() as power:
        cut_at(power, 0, torn=False)
        with pytest.raises(PowerCut):
            log.add(coup(1))
    log.add(coup(1))
    log.close()
    require_whole(fast_dir, 1)


def test_a_disk_that_refuses_the_key_after_a_leaf_adds_no_leaf_twice(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    log = EvidenceLog.begin(fast_dir, "BAC-12", FIRST)
    with monkeypatch.context() as disk:
        disk.setattr(HeadKeys, "replace", refuse)
        log.add(coup(1))
        with pytest.raises(OSError, match="Input/output error"):
            log.add(coup(2))
    log.add(coup(2))
    log.close()
    require_whole(fast_dir, 2)


def replace_slot(folder: Path, size: int, change: Callable[[bytes], bytes]) -> None:
    path = folder / head_keys.HEAD_KEYS_NAME
    data = bytearray(path.read_bytes())
    at = 72 * (size % 2)
    data[at : at + 72] = change(bytes(data[at : at + 72]))
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    "change",
    [
        lambda _: bytes(72),
        lambda one: one[:-1] + bytes([one[-1] ^ 1]),
        lambda one: bytes(8) + one[8:],
    ],
    ids=["erased", "damaged", "of another head"],
)
def test_without_the_key_of_the_next_head_the_log_is_refused(
    fast_dir: Path, change: Callable[[bytes], bytes]
) -> None:
    EvidenceLog.begin(fast_dir, "BAC-12", FIRST).close()
    replace_slot(fast_dir, 2, change)
    with pytest.raises(LogRefused, match="the key that signs the next head is not here"):
        EvidenceLog.open(fast_dir, "BAC-12")


def test_another_key_in_the_place_of_the_next_is_refused(fast_dir: Path) -> None:
    EvidenceLog.begin(fast_dir, "BAC-12", FIRST).close()
    keys = HeadKeys(fast_dir)
    keys.replace(0)
    keys.close()
    with pytest.raises(LogRefused, match=r"log\.keys does not hold it"):
        EvidenceLog.open(fast_dir, "BAC-12")


def test_the_key_file_is_for_this_account_alone_and_no_link(fast_dir: Path) -> None:
    EvidenceLog.begin(fast_dir, "BAC-12", FIRST).close()
    path = fast_dir / head_keys.HEAD_KEYS_NAME
    assert path.stat().st_mode & 0o777 == 0o600
    path.rename(fast_dir / "elsewhere")
    path.symlink_to(fast_dir / "elsewhere")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        EvidenceLog.open(fast_dir, "BAC-12")


def test_a_log_of_format_1_goes_on_as_format_2(fast_dir: Path) -> None:
    """Its leaves stay as they are; those that a start looks for are marked from then on."""
    with closing(EvidenceLog.begin(fast_dir, "BAC-12", FIRST)) as log:
        log.add(coup(1))
        log.add(Leaf(LeafKind.SHOE, 2, bytes(32), 2, "2026-11-21", 7, bytes([7]) * 32))
    with closing(sqlite3.connect(fast_dir / "log.db")) as database, database:
        database.execute("DROP TABLE marks")
        database.execute("PRAGMA user_version = 1")
    with LogDatabase.open_read_only(fast_dir) as before:
        entries, shoes = list(before.entries()), list(shoe_leaves(before))

    with closing(EvidenceLog.open(fast_dir, "BAC-12")) as log:
        log.add(Leaf(LeafKind.IRREGULARITY, 3, bytes(32), 3))

    with LogDatabase.open_read_only(fast_dir) as after:
        assert after.is_marked
        assert list(after.entries())[:-1] == entries
        assert list(shoe_leaves(after)) == shoes
        assert [number for number, _ in after.marked("commissioned", "shoe")] == [0, 2]


def test_the_used_key_is_overwritten_on_the_disk_before_the_step_is_done(
    fast_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a power cut would leave a key with which somebody could sign another head."""
    log = EvidenceLog.begin(fast_dir, "BAC-12", FIRST)
    calls: list[str] = []
    for name in ("pwrite", "fdatasync"):
        call = getattr(os, name)

        def noted(*given: object, call=call, name=name) -> object:
            calls.append(name)
            return call(*given)

        monkeypatch.setattr(head_keys.os, name, noted)
    log.add(coup(1))
    log.close()

    assert calls == ["pwrite", "fdatasync"]
