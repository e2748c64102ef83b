"""Every later version reads these containers to the last byte: none of these ever changes."""

import lzma
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from controller.archive.signer import seal_holds
from controller.journal.evidence_log.checkpoint import TreeHead, parse_checkpoint
from controller.journal.evidence_log.leaf import LEAVES, MARKED, LeafKind
from controller.journal.evidence_log.note import parse_note
from controller.journal.evidence_log.shoe_proof import shoe_leaves
from controller.journal.evidence_log.tree import frontier_of, leaf_hash
from controller.journal.log_database import LOG_NAME, LogDatabase
from controller.journal.shoe_file import read_shoe, shoe_bytes
from controller.journal.verify import verify
from hil.dealing.dealer import DealerSettings
from hil.simulation.sealed_journal import DealtTable, write_sealed_journal

# An exit code of the verifier.
CANNOT_READ = 2
CONTAINERS = Path(__file__).parent / "containers"


def stored(name: str) -> bytes:
    return lzma.decompress((CONTAINERS / f"{name}.xz").read_bytes())


def archived(folder: Path, day: str, shoe: str, log: str) -> Path:
    """A sealed shoe and its log as an archive has them."""
    path = folder / "shoes" / day / "0001.shoe"
    path.parent.mkdir(parents=True)
    path.write_bytes(stored(shoe))
    (folder / LOG_NAME).write_bytes(stored(log))
    return folder


@pytest.fixture
def archive(fast_dir: Path) -> Path:
    """Of a run that wrote the log in format 1."""
    return archived(fast_dir / "archive", "2026-11-23", "shoe-4.shoe", "log-1.db")


@pytest.fixture
def archive_of_log_2(fast_dir: Path) -> Path:
    """Of a run that wrote it in format 2."""
    return archived(fast_dir / "archive-2", "2026-11-18", "shoe-4-of-log-2.shoe", "log-2.db")


def test_a_sealed_shoe_of_format_4_is_read_and_written_to_the_same_bytes() -> None:
    data = stored("shoe-4.shoe")
    shoe = read_shoe(data)

    assert seal_holds(shoe)
    assert len(list(shoe.records())) == 1593
    again = shoe_bytes(shoe.heading, shoe.rows, shoe.parts(), lambda _: shoe.signature)
    # What zlib makes of the same records may differ between its versions; what it unpacks may not.
    assert read_shoe(again).parts() == shoe.parts()
    assert (read_shoe(again).heading, read_shoe(again).rows) == (shoe.heading, shoe.rows)


KINDS_OF_FORMAT_1 = {
    LeafKind.COMMISSIONED,
    LeafKind.START,
    LeafKind.COUP,
    LeafKind.DECISION,
    LeafKind.SHOE,
    LeafKind.STOP,
}
KINDS_OF_FORMAT_2 = KINDS_OF_FORMAT_1 | {
    LeafKind.OPENING,
    LeafKind.BURN,
    LeafKind.IRREGULARITY,
    LeafKind.RECORDS,
}


@pytest.mark.parametrize(
    ("folder", "origin", "expected"),
    [
        ("archive", "DEMO-1", KINDS_OF_FORMAT_1),
        ("archive_of_log_2", "SIM-1", KINDS_OF_FORMAT_2),
    ],
    ids=["format 1", "format 2"],
)
def test_every_leaf_and_head_of_a_log_is_read_and_written_to_the_same_bytes(
    folder: str, origin: str, expected: set[LeafKind], request: pytest.FixtureRequest
) -> None:
    with LogDatabase.open_read_only(request.getfixturevalue(folder)) as log:
        entries = list(log.entries())
        notes = [log.note(size) or b"" for size in range(1, log.size + 1)]
    assert [LEAVES.encode(LEAVES.decode(one)) for one in entries] == entries
    assert [parse_note(one).to_bytes() for one in notes] == notes
    hashes = [leaf_hash(one) for one in entries]
    for size, note in enumerate(notes, 1):
        head = TreeHead(origin, size, frontier_of(hashes[:size]).root)
        assert parse_checkpoint(parse_note(note).text) == head
    kinds = {LEAVES.decode(one).kind for one in entries}
    assert kinds == expected


def test_log_format_2_marks_the_leaves_that_a_start_looks_for(archive_of_log_2: Path) -> None:
    with LogDatabase.open_read_only(archive_of_log_2) as log:
        marked = [LEAVES.decode(entry).kind for _, entry in log.marked(*sorted(MARKED))]
    assert marked == [LeafKind.COMMISSIONED, LeafKind.SHOE]


@pytest.mark.parametrize(
    ("folder", "shoe"), [("archive", "shoe-4.shoe"), ("archive_of_log_2", "shoe-4-of-log-2.shoe")]
)
def test_the_log_names_the_sealed_shoe(
    folder: str, shoe: str, request: pytest.FixtureRequest
) -> None:
    with LogDatabase.open_read_only(request.getfixturevalue(folder)) as log:
        (leaf,) = shoe_leaves(log)
    assert leaf.leaf.seal == read_shoe(stored(shoe)).digest


def whole(folder: Path) -> Path:
    path = folder / "bundle.zip"
    path.write_bytes(stored("bundle-2.zip"))
    return path


@pytest.mark.parametrize("where", ["bundle", "archive", "archive_of_log_2"])
def test_they_stay_intact(fast_dir: Path, where: str, request: pytest.FixtureRequest) -> None:
    path = whole(fast_dir) if where == "bundle" else request.getfixturevalue(where)
    report = verify(path)
    assert report.intact, report.problems


def test_a_verifier_of_an_earlier_version_says_that_the_format_is_another(fast_dir: Path) -> None:
    """It is the one in the bundle, and never says that honest evidence is not intact."""
    with zipfile.ZipFile(whole(fast_dir)) as bundle:
        (fast_dir / "verify.py").write_bytes(bundle.read("verify.py"))
    write_sealed_journal(fast_dir / "journal", DealtTable(DealerSettings(7)), fast_dir / "key")

    done = subprocess.run(
        [sys.executable, fast_dir / "verify.py", fast_dir / "journal"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == CANNOT_READ
    assert "it has another format" in done.stdout
    assert "NOT INTACT" not in done.stdout
