"""The evidence log as files: full tiles once, partial ones of one head, and its checkpoint.

Source: C2SP tlog-tiles.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.evidence_log.checkpoint import TreeHead, parse_checkpoint
from controller.journal.evidence_log.leaf import Leaf, LeafKind
from controller.journal.evidence_log.log import EvidenceLog
from controller.journal.evidence_log.note import SignedNote, parse_note
from controller.journal.evidence_log.tile_files import write_tiles, written_size
from controller.journal.evidence_log.tiles import StoredTree, read_entries, read_tile, tile_roots_of
from controller.journal.evidence_log.tree import frontier_of, leaf_hash
from controller.journal.log_database import LogDatabase


def filled(folder: Path, size: int) -> LogDatabase:
    """A log of so many entries; its heads are signed by nobody."""
    log = LogDatabase.open(folder, create=True)
    tree = StoredTree(log.entries)
    for number in range(size):
        entry = b"entry %d" % number
        tree.add(leaf_hash(entry))
        note = SignedNote(TreeHead("BAC-12", number + 1, tree.frontier.root).text(), ())
        log._connection.execute("INSERT INTO leaves VALUES (?, ?)", (number, entry))
        log._connection.execute("INSERT INTO heads VALUES (?, ?)", (number + 1, note.to_bytes()))
    return log


def names(folder: Path) -> list[str]:
    return sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file())


def test_a_small_log_has_one_partial_tile_and_its_entries(fast_dir: Path) -> None:
    with filled(fast_dir, 3) as log:
        write_tiles(fast_dir / "log", log, StoredTree(log.entries), 3)

    found = fast_dir / "log"
    assert names(found) == ["checkpoint", "tile/0/000.p/3", "tile/entries/000.p/3"]
    entries = read_entries((found / "tile/entries/000.p/3").read_bytes(), 3)
    assert entries == (b"entry 0", b"entry 1", b"entry 2")
    hashes = read_tile((found / "tile/0/000.p/3").read_bytes(), 3)
    head = parse_checkpoint(parse_note((found / "checkpoint").read_bytes(), unsigned=True).text)
    assert head == TreeHead("BAC-12", 3, frontier_of(hashes).root)


def test_the_folder_may_be_named_from_where_one_is(fast_dir: Path, monkeypatch) -> None:
    monkeypatch.chdir(fast_dir)
    with filled(fast_dir, 3) as log:
        write_tiles(Path("log"), log, StoredTree(log.entries), 3)
    assert names(fast_dir / "log") == ["checkpoint", "tile/0/000.p/3", "tile/entries/000.p/3"]


def test_a_tile_that_became_full_replaces_the_partial_one(fast_dir: Path) -> None:
    with filled(fast_dir, 600) as log:
        tree = StoredTree(log.entries)
        write_tiles(fast_dir / "log", log, tree, 200)
        write_tiles(fast_dir / "log", log, tree, 600, 200)

    found = fast_dir / "log"
    assert names(found) == [
        "checkpoint",
        "tile/0/000",
        "tile/0/001",
        "tile/0/002.p/88",
        "tile/1/000.p/2",
        "tile/entries/000",
        "tile/entries/001",
        "tile/entries/002.p/88",
    ]
    above = read_tile((found / "tile/1/000.p/2").read_bytes(), 2)
    for index, root in enumerate(above):
        tile = read_tile((found / f"tile/0/{index:03}").read_bytes(), 256)
        assert frontier_of(tile).root == root


def test_the_table_writes_them_at_a_shoes_end(fast_dir: Path, sealed_journal) -> None:
    journal = sealed_journal(1)
    with LogDatabase.open_read_only(journal) as log:
        said = parse_note((journal / "log" / "checkpoint").read_bytes())
        head = parse_checkpoint(said.text)
        assert head.size <= log.size
        assert log.note(head.size) == said.to_bytes()
        root = StoredTree(log.entries).root(0, head.size)
    assert root == head.root


def test_a_log_is_opened_by_the_roots_of_its_tiles(fast_dir: Path) -> None:
    with filled(fast_dir, 600) as log:
        tree = StoredTree(log.entries)
        write_tiles(fast_dir / "log", log, tree, 600)

        roots = tile_roots_of(fast_dir / "log")
        read: list[int] = []

        def entries_from(first: int) -> Iterator[bytes]:
            read.append(first)
            return log.entries(first)

        quick = StoredTree(entries_from, roots)
        assert read == [512], "only the entries of the last tile are read"
        assert quick.frontier == tree.frontier
        assert quick.root(0, 600) == tree.root(0, 600)
        assert written_size(fast_dir / "log", log) == 600


@pytest.mark.parametrize("damage", [b"", b"x" * 31, b"x" * 64])
def test_damaged_tiles_are_not_believed(fast_dir: Path, damage: bytes) -> None:
    """The newest head is compared; the leaves alone count."""
    log = EvidenceLog.begin(fast_dir, "BAC-12", Leaf(LeafKind.COMMISSIONED, 0, bytes(32), 1))
    for number in range(1, 300):
        log.add(Leaf(LeafKind.COUP, number, bytes(32), number, "2026-11-21", 7))
    head = log.head
    write_tiles(fast_dir / "log", log.database, log.tree, log.size)
    log.close()
    (tile,) = (fast_dir / "log" / "tile" / "1" / "000.p").iterdir()
    tile.write_bytes(damage)

    again = EvidenceLog.open(fast_dir, "BAC-12")
    assert again.head == head
    again.close()


def test_the_files_of_another_log_are_written_again(fast_dir: Path, tmp_path: Path) -> None:
    with filled(fast_dir, 3) as log, filled(tmp_path, 5) as other:
        write_tiles(fast_dir / "log", log, StoredTree(log.entries), 3)
        (fast_dir / "log" / "checkpoint").write_bytes((other.note(2) or b"").replace(b"2", b"3"))
        assert written_size(fast_dir / "log", log) == 0
