"""A finished shoe is moved: its records stand in live.db or in its file, after any crash.

Responsible for: `move_sealed`, what it refuses, what a failing disk leaves, and what it costs.
Not responsible for: what is put into a sealed file and when (sealing), reading across files
(test_folder).
Source: controller/journal/README.md, "Folder", "Base".
"""

from pathlib import Path

from controller.journal.chain import GENESIS
from controller.journal.folder import sealed_files, shoe_path
from controller.journal.shoe_file import NO_SEAL, ShoeHeading, ShoeParts, read_shoe, shoe_bytes
from controller.journal.store import Base, Checkpoint, Head, Journal

DAY = "2026-11-21"


def sealed_bytes(journal: Journal, shoe: int, started: bytes = b"", state: bytes = b"") -> bytes:
    """The sealed file of everything in the live part."""
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
        previous=base.seal,
        signer=b"",
        started_seq=base.started_seq,
        state_software="",
        opened_seq=1,
        clean=True,
        batch="",
        back="",
        decks=8,
        coups=0,
        irregularities=0,
    )
    return shoe_bytes(heading, b"", ShoeParts(started, state, records))


def sealed(journal: Journal, shoe: int) -> Base:
    """Move everything in the live part into the file of that shoe."""
    data = sealed_bytes(journal, shoe)
    base = Base.of(journal.head, read_shoe(data).digest, (1, b"began"), ("1.0", b"state"))
    return journal.move_sealed(shoe_path(journal.file.parent, DAY, shoe), data, base)


def filled(folder: Path, count: int = 5) -> Journal:
    journal = Journal.open(folder)
    journal.append(
        [b"record %d" % number for number in range(1, count + 1)],
        Checkpoint.of(count, 1, "1.0", b"state"),
    )
    return journal


def test_a_new_journal_begins_after_record_0(fast_dir: Path) -> None:
    with Journal.open(fast_dir) as journal:
        assert journal.base == Base(seq=0, chain=GENESIS, seal=NO_SEAL)


def test_moved_records_stand_in_the_file_and_no_more_in_live_db(fast_dir: Path) -> None:
    with filled(fast_dir) as journal:
        before, head = list(journal.records()), journal.head
        base = sealed(journal, 1)
        (left,) = journal._connection.execute("SELECT count(*) FROM records").fetchone()

        assert left == 0
        assert (journal.head, journal.base, base.seq) == (head, base, 5)
        (path,) = sealed_files(fast_dir)
        assert list(read_shoe(path.read_bytes()).records()) == before


def test_after_a_move_the_journal_goes_on_and_opens_again(fast_dir: Path) -> None:
    with filled(fast_dir) as journal:
        base = sealed(journal, 1)
    with Journal.open(fast_dir) as journal:
        assert (journal.base, journal.head) == (base, Head(base.seq, base.chain))
        assert journal.checkpoint() == Checkpoint.of(5, 1, "1.0", b"state")
        journal.append([b"record 6"])
        assert [(stored.seq, stored.record) for stored in journal.records(5)] == [(6, b"record 6")]
        assert journal.verify_all() is None
