"""Fixtures for tests of the journal: meaningless records, sealed and moved as a table would."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from controller.journal.folder import shoe_path
from controller.journal.shoe_file import ShoeHeading, ShoeParts, read_shoe, shoe_bytes
from controller.journal.store import Base, Journal, SavedState

DAY = "2026-11-21"


def sealed_bytes(journal: Journal, shoe: int) -> bytes:
    """The sealed file of the whole live part."""
    base, head = journal.base, journal.head
    records = tuple(stored.record for stored in journal.records(base.seq))
    heading = ShoeHeading(
        table="Table 7",
        software="0.5.0",
        gaming_day=DAY,
        shoe=shoe,
        first_seq=base.seq + 1,
        last_seq=head.seq,
        chain_before=base.chain,
        chain_after=head.chain,
        from_ns=1,
        until_ns=2,
        algorithm="",
        signer=b"",
        started_seq=base.started_seq,
        state_software=base.software,
        opened_seq=1,
        clean=True,
        batch="",
        back="",
        decks=8,
        coups=0,
        irregularities=0,
    )
    return shoe_bytes(heading, b"", ShoeParts(base.started, base.state, records))


def base_after_sealing(journal: Journal, data: bytes) -> Base:
    """The base after the whole live part, sealed as `data`."""
    head = journal.head
    state = ("1.0", b"state after %d" % head.seq)
    return Base.of(head, read_shoe(data).digest, (1, b"began"), state, b"ledger")


def filled_journal(folder: Path, count: int = 5) -> Journal:
    """An open journal with `count` more records, and a saved state after the last."""
    journal = Journal.open(folder)
    first = journal.head.seq + 1
    last = journal.head.seq + count
    journal.append(
        [b"record %d" % number for number in range(first, last + 1)],
        SavedState.of(last, 1, "1.0", b"state after %d" % last),
    )
    return journal


def seal_shoe(journal: Journal, shoe: int) -> Base:
    data = sealed_bytes(journal, shoe)
    path = shoe_path(journal.file.parent, DAY, shoe)
    return journal.move_sealed(path, data, base_after_sealing(journal, data))


@pytest.fixture
def sealed_bytes_of() -> Callable[[Journal, int], bytes]:
    """The sealed file of the whole live part, as that shoe; nothing is moved."""
    return sealed_bytes


@pytest.fixture
def base_of() -> Callable[[Journal, bytes], Base]:
    """The base after the whole live part, sealed as those bytes."""
    return base_after_sealing


@pytest.fixture
def filled() -> Callable[..., Journal]:
    """Opens a journal and stores more records, with a saved state after the last."""
    return filled_journal


@pytest.fixture
def seal() -> Callable[[Journal, int], Base]:
    """Moves the whole live part into the file of that shoe."""
    return seal_shoe


@pytest.fixture
def five_shoes(fast_dir: Path) -> Path:
    """The folder of a journal of five sealed shoes of five records each, and three live ones."""
    folder = fast_dir / "journal"
    for shoe in range(1, 6):
        with filled_journal(folder) as journal:
            seal_shoe(journal, shoe)
    filled_journal(folder, 3).close()
    return folder


@pytest.fixture
def open_files() -> Callable[[Path], list[str]]:
    """What this process holds open of a folder, the folder too."""

    def open_files(folder: Path) -> list[str]:
        found = []
        for descriptor in Path("/proc/self/fd").iterdir():
            # The listing's own descriptor is closed by now.
            with suppress(FileNotFoundError):
                found.append(descriptor.readlink())
        return sorted(str(one) for one in found if one.is_relative_to(folder.resolve()))

    return open_files
