"""A replayed journal gives the same entries, and any change of it is found."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.replay.report import DIFFERENCES_LISTED_MAX, ReplayFinding, replay
from controller.core.tape.entries import CommandGiven, EventVerdicts, StateDigest
from controller.core.tape.inputs import Started
from controller.core.tape.records import entry_record, input_record, read_entry, read_input
from controller.journal.encoding import GENESIS, link
from controller.journal.store import JournalError
from controller.procedure.verdicts import Accepted, Irregularity
from foundation.message import message

Deal = Callable[..., Path]
Change = Callable[[bytes], bytes | None]
UNLOCK = CommandGiven(
    "port", message("device_command", command="UnlockExit"), message("warnings_are_cleared")
)


def rewrite(folder: Path, change: Change) -> None:
    """Change every record with `change` (None: drop it), with matching chain and numbers."""
    with closing(sqlite3.connect(folder / "live.db", isolation_level=None)) as database:
        rewritten = [
            changed
            for (record,) in database.execute("SELECT record FROM records ORDER BY seq").fetchall()
            if (changed := change(record)) is not None
        ]
        database.execute("DELETE FROM records")
        database.execute("DELETE FROM checkpoint")
        chain = GENESIS
        for seq, record in enumerate(rewritten, start=1):
            chain = link(chain, record)
            database.execute("INSERT INTO records VALUES (?, ?, ?)", (seq, record, chain))


def accepted_instead(record: bytes) -> bytes:
    """Replace the overdraw's verdict by accepted."""
    entry = read_entry(record)
    if not isinstance(entry, EventVerdicts) or not isinstance(entry.verdicts[0], Irregularity):
        return record
    return entry_record(replace(entry, verdicts=(Accepted(message("deal_face_up")),)))


def other_texts(record: bytes) -> bytes:
    """The same verdicts with other texts."""
    entry = read_entry(record)
    if not isinstance(entry, EventVerdicts) or not isinstance(entry.verdicts[0], Accepted):
        return record
    return entry_record(replace(entry, verdicts=(Accepted(message("deal_face_down")),)))


def written_by(version: str, then: Change = lambda record: record) -> Change:
    """Mark the journal as written by that version."""

    def change(record: bytes) -> bytes | None:
        item = read_input(record)
        if isinstance(item, Started):
            return input_record(replace(item, software=version))
        return then(record)

    return change


def test_an_intact_journal_is_the_same(three_coups: Path) -> None:
    report = replay(three_coups)

    assert (report.finding, report.differences) == (ReplayFinding.SAME, ())
    assert (report.coups, report.shoes) == (3, 1)
    assert report.records == report.inputs + report.entries


def test_the_stored_saved_state_is_what_the_inputs_lead_to(three_coups: Path) -> None:
    assert replay(three_coups).saved_state_compared


def test_a_suspended_table_is_replayed(suspended: Path) -> None:
    assert replay(suspended).finding is ReplayFinding.SAME


def test_a_journal_may_be_named_by_its_file(three_coups: Path) -> None:
    assert replay(three_coups / "live.db").finding is ReplayFinding.SAME


def test_progress_ends_with_all_records(three_coups: Path) -> None:
    progress: list[tuple[int, int]] = []

    report = replay(three_coups, lambda done, total: progress.append((done, total)))

    assert progress[-1] == (report.records, report.records)


def test_a_changed_verdict_is_found_although_the_chain_fits(suspended: Path) -> None:
    rewrite(suspended, accepted_instead)

    report = replay(suspended)

    assert (report.finding, report.different) == (ReplayFinding.DIFFERENT, 1)
    (difference,) = report.differences
    assert difference.stored == "CardDrawn judged accepted"
    assert difference.concluded == "CardDrawn judged OVERDRAW"


def test_an_entry_left_out_is_found(suspended: Path) -> None:
    def without_overdraw(record: bytes) -> bytes | None:
        return record if accepted_instead(record) == record else None

    rewrite(suspended, without_overdraw)

    assert replay(suspended).finding is ReplayFinding.DIFFERENT


def test_an_invented_entry_is_found(three_coups: Path) -> None:
    def opened_as_well(record: bytes) -> bytes:
        is_result = isinstance(read_entry(record), StateDigest)
        return entry_record(UNLOCK) if is_result else record

    rewrite(three_coups, opened_as_well)

    assert "CommandGiven" in [one.stored for one in replay(three_coups).differences]


def test_a_changed_text_is_a_difference_in_bytes(three_coups: Path) -> None:
    rewrite(three_coups, other_texts)

    assert replay(three_coups).finding is ReplayFinding.DIFFERENT


def test_a_changed_text_is_not_a_difference_in_verdicts(three_coups: Path) -> None:
    rewrite(three_coups, other_texts)

    assert replay(three_coups, verdicts_only=True).finding is ReplayFinding.SAME


def test_the_list_of_differences_is_bounded(
    deal: Deal, opening_and_coups: Callable[..., tuple[str, ...]]
) -> None:
    folder = deal(*opening_and_coups(6))
    rewrite(folder, other_texts)

    report = replay(folder)

    assert len(report.differences) == DIFFERENCES_LISTED_MAX < report.different


def test_another_version_is_compared_by_its_verdicts(three_coups: Path) -> None:
    rewrite(three_coups, written_by("0.0.9", other_texts))

    report = replay(three_coups)

    assert (report.finding, report.versions) == (ReplayFinding.OTHER_VERSION, ("0.0.9",))
    assert report.other_version_differences == 0


def test_another_versions_different_verdict_is_listed(suspended: Path) -> None:
    rewrite(suspended, written_by("0.0.9", accepted_instead))

    report = replay(suspended)

    assert report.finding is ReplayFinding.OTHER_VERSION
    assert "CardDrawn judged OVERDRAW" in [one.concluded for one in report.differences]


def test_a_broken_chain_is_damage(three_coups: Path) -> None:
    with closing(sqlite3.connect(three_coups / "live.db", isolation_level=None)) as database:
        database.execute("UPDATE records SET chain = zeroblob(32) WHERE seq = 7")

    report = replay(three_coups)

    assert report.finding is ReplayFinding.DAMAGED
    assert "record 7 " in report.damage


def test_a_missing_record_is_damage(three_coups: Path) -> None:
    with closing(sqlite3.connect(three_coups / "live.db", isolation_level=None)) as database:
        database.execute("DELETE FROM records WHERE seq = 5")

    assert "record 5 is missing" in replay(three_coups).damage


def test_a_journal_that_does_not_begin_with_a_start_is_damage(three_coups: Path) -> None:
    def without_start(record: bytes) -> bytes | None:
        return None if isinstance(read_input(record), Started) else record

    rewrite(three_coups, without_start)

    assert replay(three_coups).finding is ReplayFinding.DAMAGED


def test_a_changed_saved_state_is_damage(three_coups: Path) -> None:
    with closing(sqlite3.connect(three_coups / "live.db", isolation_level=None)) as database:
        database.execute("UPDATE checkpoint SET digest = zeroblob(32)")

    assert replay(three_coups).finding is ReplayFinding.DAMAGED


def test_a_path_without_a_journal_cannot_be_opened(fast_dir: Path) -> None:
    (fast_dir / "live.db").write_bytes(b"not a journal, but long enough to be looked at" * 100)

    with pytest.raises(JournalError):
        replay(fast_dir)


def test_replay_changes_nothing_in_the_folder(three_coups: Path) -> None:
    before = {path.name: path.read_bytes() for path in three_coups.iterdir()}

    replay(three_coups)

    assert {path.name: path.read_bytes() for path in three_coups.iterdir()} == before


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_bytes_are_the_same_under_any_hash_seed(suspended: Path, seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "controller.cli.main", "replay", str(suspended)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("the same: ")
