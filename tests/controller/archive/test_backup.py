"""A spare machine takes over: a backup in the middle of a shoe, what the restored table says."""

import shutil
from pathlib import Path

import pytest

from controller.archive import backup as backup_module
from controller.archive.backup import (
    BackupFailed,
    TableFiles,
    check_backup,
    make_backup,
    put_config,
    put_journal,
    say_restored,
)
from controller.archive.log_writer import begin_log_anew
from controller.archive.replay.recovery import recover
from controller.archive.signer import SigningSettings, open_signer
from controller.journal.database import copy_database
from controller.journal.evidence_log.leaf import LeafKind
from controller.journal.evidence_log.log import LogRefused, leaves_newest_first
from controller.journal.folder import COUNTS_NAME
from controller.journal.log_database import LogDatabase
from controller.journal.people import PeopleFile
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.rules.actions.declaration import Author
from controller.rules.profiles.load import load_clauses

AT_NS = 1_795_000_000_000_000_000


@pytest.fixture
def table(fast_dir: Path, logged):
    """A table in the middle of a shoe, with a configuration beside its journal."""
    (fast_dir / "M-12.toml").write_text("the settings")
    (fast_dir / "house.toml").write_text("the rules")
    (fast_dir / "batches").mkdir()
    (fast_dir / "batches" / "RED-0001.json").write_text("a batch")
    return logged("44 91 92")


def backed_up(table, to: Path) -> Path:
    folder = table.folder.parent
    beside = (folder / "house.toml", folder / "not there any more")
    own = TableFiles(folder / "M-12.toml", beside, folder / "batches")
    make_backup(own, table.folder, to, AT_NS)
    return to


def restored(backup: Path, spare: Path) -> Path:
    names = check_backup(backup)
    put_config(backup, names, spare)
    put_journal(backup, names, spare / "journal")
    return spare / "journal"


def test_a_backup_of_a_running_table_restores_its_state_in_mid_shoe(table, tmp_path: Path) -> None:
    with table.running():
        backup = backed_up(table, tmp_path / "backup")
    journal = restored(backup, tmp_path / "spare")

    with Journal.open(journal) as opened:
        state = recover(opened, load_clauses())
    assert state.shoe_open
    assert state.state is not None
    assert state.state.table == table.script.state.table
    assert (tmp_path / "spare" / "table.toml").read_text() == "the settings"
    assert (tmp_path / "spare" / "house.toml").read_text() == "the rules"
    assert (tmp_path / "spare" / "batches" / "RED-0001.json").read_text() == "a batch"


def test_the_counts_of_the_metrics_go_along_and_verify_minds_none(table, tmp_path: Path) -> None:
    table.run()
    (table.folder / COUNTS_NAME).write_text("counts")
    journal = restored(backed_up(table, tmp_path / "backup"), tmp_path / "spare")
    assert (journal / COUNTS_NAME).read_text() == "counts"
    assert verify(table.folder).intact


def test_the_restored_table_says_who_restored_it_and_goes_on(table, tmp_path: Path) -> None:
    with table.running(stop=False):
        backup = backed_up(table, tmp_path / "backup")
    journal = restored(backup, tmp_path / "spare")
    signer = open_signer(SigningSettings(journal / "table.key"))

    done = say_restored(journal, "M7", signer, Author("Ann Lee"), AT_NS)

    table.folder = journal
    said = table.leaves()[-1]
    assert said.kind is LeafKind.RESTORED
    assert said.person == PeopleFile(journal).id_of("Ann Lee")
    assert (said.seq, len(table.leaves())) == (done.record, done.log_size)
    table.run()
    assert table.kinds()[-2:] == ["restored", "stop"]


def test_files_of_a_backup_are_for_one_account_alone(table, tmp_path: Path) -> None:
    with table.running():
        backup = backed_up(table, tmp_path / "backup")
    modes = {path.stat().st_mode & 0o077 for path in (backup, *backup.rglob("*"))}
    assert modes == {0}


@pytest.mark.parametrize("name", ["journal/live.db", "journal/log.keys", "config/table.toml"])
def test_a_changed_or_missing_file_is_refused(table, tmp_path: Path, name: str) -> None:
    table.run()
    backup = backed_up(table, tmp_path / "backup")
    (backup / name).write_bytes((backup / name).read_bytes() + b"?")
    with pytest.raises(BackupFailed, match="was changed since the backup was made"):
        check_backup(backup)
    (backup / name).unlink()
    with pytest.raises(BackupFailed, match="it is missing, or was changed"):
        check_backup(backup)


def test_a_journal_or_configuration_that_is_there_is_not_overwritten(table, tmp_path: Path) -> None:
    table.run()
    backup = backed_up(table, tmp_path / "backup")
    names = check_backup(backup)
    with pytest.raises(BackupFailed, match="there is a journal already"):
        put_journal(backup, names, table.folder)
    with pytest.raises(BackupFailed, match="it is not empty"):
        put_config(backup, names, table.folder.parent)
    with pytest.raises(BackupFailed, match="there is a file or folder of this name"):
        backed_up(table, backup)


def test_an_interrupted_backup_leaves_nothing(table, tmp_path: Path, monkeypatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    table.run()
    monkeypatch.setattr("controller.archive.backup.copy_database", interrupt)
    with pytest.raises(KeyboardInterrupt):
        backed_up(table, tmp_path / "backup")
    assert list(tmp_path.iterdir()) == []


def test_a_log_begun_anew_names_the_person_and_every_sealed_shoe(logged, tmp_path: Path) -> None:
    last = ("44 81 C9", "44 91 92", "43", "44 82 AD", "44 92 B5", "47 90")
    table = logged(*last, *last[:2], *last[3:]).run()
    for path in table.folder.glob("log*"):
        path.unlink() if path.is_file() else shutil.rmtree(path)
    with pytest.raises(LogRefused, match="journal begin-log"):
        table.run()

    with Journal.open(table.folder, create=False) as journal:
        signer = open_signer(SigningSettings(table.folder / "table.key"))
        begin_log_anew(journal, "M7", signer, Author("person-0123456789ab"), AT_NS)

    assert table.kinds() == ["begun-anew", "shoe"]
    assert table.leaves()[0].person == "person-0123456789ab"
    assert table.run().kinds()[:2] == ["begun-anew", "shoe"]


def test_a_log_of_a_backup_speaks_of_no_record_that_is_not_in_it(
    table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A coup ends, and has its leaf, between the copies of the two files."""
    copies: list[str] = []

    def copied(file: Path, to: Path) -> None:
        copy_database(file, to)
        copies.append(file.name)
        if len(copies) == 1:
            table.script.reported("44 82 AD", "44 92 B5", "47 90")
            table.run(stop=False)

    monkeypatch.setattr(backup_module, "copy_database", copied)
    table.run(stop=False)
    journal = restored(backed_up(table, tmp_path / "backup"), tmp_path / "spare")

    assert copies[:2] == ["log.db", "live.db"]
    with Journal.open(journal) as opened, LogDatabase.open_read_only(journal) as log:
        assert max(one.seq for one in leaves_newest_first(log)) <= opened.head.seq
