"""What a table itself sealed is intact, also during play, and any changed bit is found."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.core.tape.inputs import Started
from controller.journal.encoding import link
from controller.journal.evidence_log.checkpoint import short_code
from controller.journal.evidence_log.log import read_head
from controller.journal.evidence_log.shoe_proof import shoe_leaves
from controller.journal.folder import sealed_files
from controller.journal.log_database import LogDatabase
from controller.journal.store import Journal
from controller.journal.verify import Verifier, verify
from controller.table.loop import Loop
from hil.simulation.sealed_journal import note_evidence

OPENING = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
WHOLE_SHOE = (*OPENING, *COUP, *COUP[:2], "43", *COUP[2:], *COUP)
BITS_CHANGED = 100


@pytest.fixture
def table(fast_dir: Path, script):
    """Deals shoes into a journal, each sealed as it ends, then a few cards of the next."""

    def sealed_table(shoes: int, *more: str) -> Path:
        folder = fast_dir / "journal"
        played = script().begun().reported(*WHOLE_SHOE * shoes, *more)
        sealer = Sealer("M7", SigningSettings(folder / "table.key"), lambda: played.at)
        with Journal.open(folder) as journal:
            sealer.begin(journal)
            loop = Loop(journal, played.core, played.core.initial(), lambda: played.at)
            for item in played.inputs:
                if isinstance(item, Started):
                    note_evidence(sealer, loop.begin(item), journal)
                    continue
                loop.take(item)
                note_evidence(sealer, loop.store_if_due(force=True), journal)
            assert verify(folder).problems == [], "beside the table in play"
            sealer.end(journal.head)
        return folder

    return sealed_table


def test_what_a_table_sealed_is_intact(table) -> None:
    folder = table(3, *OPENING, *COUP[:2])
    report = verify(folder, keys=(folder / "table.key.pub",))

    assert report.problems == []
    assert report.shoes == 3
    assert report.notes == []
    assert list(report.vouched) == [""]


def test_the_code_that_the_table_shows_is_the_code_that_is_checked(table) -> None:
    folder = table(2)
    with LogDatabase.open_read_only(folder) as log:
        newest = max(leaf.number for leaf in shoe_leaves(log))
        code = short_code(read_head(log, newest + 1)[0])

    assert verify(folder).codes == {"2025-11-21": code}
    assert verify(folder, witnesses=(code,)).intact


def test_a_record_changed_with_its_chain_is_found_by_the_log(table) -> None:
    """The attack on the open shoe: without the key everything is made to fit but the log."""
    folder = table(1, *OPENING, *COUP)
    assert verify(folder).intact
    with closing(sqlite3.connect(folder / "live.db", isolation_level=None)) as ask:
        rows = ask.execute("SELECT seq, record, chain FROM records ORDER BY seq").fetchall()
        (chain,) = ask.execute("SELECT chain FROM base").fetchone()
        ask.execute("DELETE FROM checkpoint")
        for seq, record, _ in rows:
            record = record.replace(b"player", b"banker")
            chain = link(chain, record)
            ask.execute(
                "UPDATE records SET (record, chain) = (?, ?) WHERE seq = ?", (record, chain, seq)
            )

    assert verify(folder / "live.db").intact, "by itself it is"
    found = [str(one) for one in verify(folder).problems]
    assert found
    assert all("is not the one of which leaf" in one for one in found)


def assert_bits_are_found(data: bytes, count: int) -> None:
    chance = random.Random(11)
    for _ in range(count):
        at, bit = chance.randrange(len(data)), chance.randrange(8)
        changed = data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]
        report = Verifier(Path("0002.shoe"))
        report.check_shoe("0002.shoe", changed)
        assert report.problems, f"byte {at}, bit {bit}"


def test_bits_changed_by_chance_are_found(table) -> None:
    assert_bits_are_found(sealed_files(table(2))[1].read_bytes(), BITS_CHANGED)


def test_any_missing_shoe_is_a_problem_but_the_oldest_is_a_note(table) -> None:
    folder = table(4, *OPENING)
    oldest, *others = sealed_files(folder)
    for path in others:
        aside = path.rename(folder / "aside")
        found = [problem.what for problem in verify(folder).problems]
        assert any("are missing" in what for what in found), path
        aside.rename(path)
    oldest.unlink()
    assert "log.db: 1 sealed shoe in it: not here" in verify(folder).notes
