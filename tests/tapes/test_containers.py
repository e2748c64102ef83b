"""Every later version reads these containers to the last byte: none of these files is ever changed.

Source: docs/evidence.md, "The containers"; controller/journal/README.md, "Shoe file", "Evidence
log"; controller/evidence/README.md, "Evidence bundle".
"""

import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.archive.signer import seal_holds
from controller.evidence_log.checkpoint import TreeHead, parse_checkpoint
from controller.evidence_log.leaf import LEAVES, LeafKind
from controller.evidence_log.note import parse_note
from controller.evidence_log.shoe_proof import shoe_leaves
from controller.evidence_log.tree import frontier_of, leaf_hash
from controller.journal.log_database import LOG_NAME, LogDatabase
from controller.journal.shoe_file import read_shoe, shoe_bytes
from controller.journal.verify import verify

CONTAINERS = Path(__file__).parent / "containers"


def stored(name: str) -> bytes:
    return lzma.decompress((CONTAINERS / f"{name}.xz").read_bytes())


@pytest.fixture
def archive(fast_dir: Path) -> Path:
    """The sealed shoe and the log as an archive has them."""
    shoe = fast_dir / "archive" / "shoes" / "2026-11-23" / "0001.shoe"
    shoe.parent.mkdir(parents=True)
    shoe.write_bytes(stored("shoe-4.shoe"))
    (fast_dir / "archive" / LOG_NAME).write_bytes(stored("log-1.db"))
    return fast_dir / "archive"


def test_a_sealed_shoe_of_format_4_is_read_and_written_to_the_same_bytes() -> None:
    data = stored("shoe-4.shoe")
    shoe = read_shoe(data)

    assert seal_holds(shoe)
    assert len(list(shoe.records())) == 1593
    again = shoe_bytes(shoe.heading, shoe.rows, shoe.parts(), lambda _: shoe.signature)
    # What zlib makes of the same records may differ between its versions; what it unpacks may not.
    assert read_shoe(again).parts() == shoe.parts()
    assert (read_shoe(again).heading, read_shoe(again).rows) == (shoe.heading, shoe.rows)


def test_every_leaf_and_head_of_log_format_1_is_read_and_written_to_the_same_bytes(
    archive: Path,
) -> None:
    with LogDatabase.open_read_only(archive) as log:
        entries = list(log.entries())
        notes = [log.note(size) or b"" for size in range(1, log.size + 1)]
    assert [LEAVES.encode(LEAVES.decode(one)) for one in entries] == entries
    assert [parse_note(one).to_bytes() for one in notes] == notes
    hashes = [leaf_hash(one) for one in entries]
    for size, note in enumerate(notes, 1):
        head = TreeHead("DEMO-1", size, frontier_of(hashes[:size]).root)
        assert parse_checkpoint(parse_note(note).text) == head
    kinds = {LEAVES.decode(one).kind for one in entries}
    assert kinds == {
        LeafKind.COMMISSIONED,
        LeafKind.START,
        LeafKind.COUP,
        LeafKind.DECISION,
        LeafKind.SHOE,
        LeafKind.STOP,
    }


def test_the_log_names_the_sealed_shoe(archive: Path) -> None:
    with LogDatabase.open_read_only(archive) as log:
        (leaf,) = shoe_leaves(log)
    assert leaf.leaf.seal == read_shoe(stored("shoe-4.shoe")).digest


def whole(folder: Path) -> Path:
    path = folder / "bundle.zip"
    path.write_bytes(stored("bundle-2.zip"))
    return path


@pytest.mark.parametrize("where", [whole, None], ids=["bundle", "archive"])
def test_they_stay_intact(
    fast_dir: Path, archive: Path, where: Callable[[Path], Path] | None
) -> None:
    report = verify(archive if where is None else where(fast_dir))
    assert report.intact, report.problems
