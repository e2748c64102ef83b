"""The evidence log as files: full tiles once, partial ones of one head, and its checkpoint.

Source: controller/archive/README.md, "The evidence log"; C2SP tlog-tiles.
"""

from pathlib import Path

from controller.archive.log_tiles import write_tiles
from controller.evidence_log.checkpoint import TreeHead, parse_checkpoint
from controller.evidence_log.note import SignedNote, parse_note
from controller.evidence_log.stored_tree import StoredTree
from controller.evidence_log.tiles import read_entries, read_tile
from controller.evidence_log.tree import frontier_of, leaf_hash
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
