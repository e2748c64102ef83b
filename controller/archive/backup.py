"""Copies a table's configuration, keys, names and journal for a spare machine, and puts them back.

A backup may be made while the table plays, in the middle of a shoe. A restored table goes on from
the backup's newest head and says so in its evidence log.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from controller.archive.log_keys import (
    KeysOnRecord,
    key_words,
    keys_on_record,
    numbered_key,
    require_in_service,
    sign_head,
)
from controller.archive.log_writer import check_log
from controller.archive.signer import NoSigner, Signer, SignFailed
from controller.journal.database import FILE_NAME, copy_database
from controller.journal.evidence_log.head_keys import HEAD_KEYS_NAME
from controller.journal.evidence_log.leaf import LeafKind, leaf_by
from controller.journal.evidence_log.log import EvidenceLog
from controller.journal.folder import COUNTS_NAME, MONITORS_NAME, sealed_files, sync_file
from controller.journal.log_database import LOG_NAME, LogDatabase
from controller.journal.people import PEOPLE_NAME, PeopleFile
from controller.journal.store import Journal
from controller.journal.values import JournalError
from controller.rules.actions.declaration import Author
from controller.system.atomic_file import sync_folder, write_synced
from controller.system.json_document import Document, load_document, time_text
from controller.system.named_file import open_file, read_file
from controller.version import software_identifier

NOTE_NAME: Final = "backup.json"
CONFIG: Final = "config"
# Whatever the table's file is called where it runs.
TABLE_FILE: Final = "table.toml"
JOURNAL: Final = "journal"
_FORM: Final = "smartshoe-backup-1"
_PART: Final = ".part"
_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600
_ATTEMPTS: Final = 100
_HOLDS_NAME: Final = "holds"
_CONFIG_BYTES_MAX: Final = 1_000_000


class BackupFailed(JournalError):
    """A backup cannot be made or put back; the message says why and what to do."""


class TableFiles(Struct, frozen=True):
    """A table's configuration: its file, those beside it that are its own, and of its batches."""

    file: Path
    beside: tuple[Path, ...]
    batches: Path


class RestoredTable(Struct, frozen=True):
    """What a restored table goes on from: the newest record and the size of its evidence log.

    `unsigned`: why the table's key has not signed that head; empty where it has.
    """

    record: int
    log_size: int
    unsigned: str


# --- making one -----------------------------------------------------------------------------------


def make_backup(config: TableFiles, journal: Path, to: Path, at_ns: int) -> tuple[int, int]:
    """Copy a table into the new folder `to`; returns the number of files and of bytes.

    Raises BackupFailed, JournalError, OSError; `to` is then not there.
    """
    if to.exists():
        raise BackupFailed(f"{to}: there is a file or folder of this name. Remedy: name a new one")
    part = to.with_name(to.name + _PART)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(_FOLDER_MODE, parents=True)
    try:
        _copy_config(config, part / CONFIG)
        _copy_journal(journal, part / JOURNAL)
        names = {name: _digest(part / name) for name in sorted(_files(part))}
        note = {
            "form": _FORM,
            "made": time_text(at_ns),
            "by": software_identifier(),
            "files": names,
        }
        text = json.dumps(note, indent=2, ensure_ascii=False) + "\n"
        write_synced(part / NOTE_NAME, text.encode(), _FILE_MODE)
        _sync(part)
        part.rename(to)
        sync_folder(to.parent)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return len(names), sum((to / name).stat().st_size for name in names)


def _copy_config(config: TableFiles, to: Path) -> None:
    """The table's file as table.toml, the small files beside it; and the batches' folder."""
    to.mkdir(_FOLDER_MODE)
    _copy(config.file, to / TABLE_FILE)
    for path in config.beside:
        small = path.is_file() and path.stat().st_size <= _CONFIG_BYTES_MAX
        if small and not path.is_symlink() and path.name != TABLE_FILE:
            _copy(path, to / path.name)
    folder, batches = config.file.parent, config.batches
    if batches.is_relative_to(folder):
        for name in _files(batches):
            _copy(batches / name, to / batches.relative_to(folder) / name)


def _copy_journal(journal: Path, to: Path) -> None:
    """The log first: the records may be ahead of it, but it never speaks of one not here.

    Before the records, too, what the metrics count and what the monitors know: a table goes on
    from there.
    """
    to.mkdir(_FOLDER_MODE)
    for name in (COUNTS_NAME, MONITORS_NAME):
        if (journal / name).exists():
            _copy(journal / name, to / name)
    _copy_log(journal, to)
    _copy_database(journal / FILE_NAME, to / FILE_NAME)
    if (journal / PEOPLE_NAME).exists():
        _copy_database(journal / PEOPLE_NAME, to / PEOPLE_NAME)
    shoes = (path.relative_to(journal).as_posix() for path in sealed_files(journal))
    holds = (f"{_HOLDS_NAME}/{name}" for name in _files(journal / _HOLDS_NAME))
    beside = (one.name for one in journal.iterdir() if ".key" in one.name and one.is_file())
    for name in (*shoes, *holds, *beside):
        if name != HEAD_KEYS_NAME:
            _copy(journal / name, to / name)


def _copy_log(journal: Path, to: Path) -> None:
    """The log and the key of its next head, which a running table replaces at each head."""
    for _ in range(_ATTEMPTS):
        keys_before = read_file(journal / HEAD_KEYS_NAME)
        (to / LOG_NAME).unlink(missing_ok=True)
        _copy_database(journal / LOG_NAME, to / LOG_NAME)
        with LogDatabase.open_read_only(to) as log:
            size = log.size
        for keys in (keys_before, read_file(journal / HEAD_KEYS_NAME)):
            if _has_key(keys, size + 1):
                write_synced(to / HEAD_KEYS_NAME, keys, _FILE_MODE)
                return
    raise BackupFailed(
        f"{journal / LOG_NAME}: the log went on at each attempt to copy it. Remedy: try again, or"
        " stop the table and copy its folder"
    )


def _has_key(keys: bytes, size: int) -> bool:
    slot = len(keys) // 2
    return keys[slot * (size % 2) :][:8] == size.to_bytes(8, "big")


# --- putting one back -----------------------------------------------------------------------------


class _Note(Document, frozen=True):
    form: Literal["smartshoe-backup-1"]
    made: str
    by: str
    files: dict[str, str]


def check_backup(backup: Path) -> tuple[str, ...]:
    """The names of its files, each compared with its digest.

    Raises BackupFailed, SmallFileError.
    """
    note = load_document(backup / NOTE_NAME, _Note, "name a folder that `smartshoe backup` made")
    named = note.files
    for name, digest in named.items():
        path = backup / name
        if ".." in Path(name).parts or not path.is_file() or _digest(path) != digest:
            raise BackupFailed(
                f"{path}: it is missing, or was changed since the backup was made. Remedy: take"
                " another backup"
            )
    return tuple(named)


def put_config(backup: Path, names: tuple[str, ...], folder: Path) -> None:
    """Copy the configuration into a new folder. Raises BackupFailed, OSError."""
    if folder.exists() and any(folder.iterdir()):
        raise BackupFailed(f"{folder}: it is not empty. Remedy: name a new folder")
    for name in names:
        if name.startswith(f"{CONFIG}/"):
            _copy(backup / name, folder / name.removeprefix(f"{CONFIG}/"))


def put_journal(backup: Path, names: tuple[str, ...], journal: Path) -> None:
    """Copy the journal to its place, whole or not at all. Raises BackupFailed, OSError."""
    if journal.exists():
        raise BackupFailed(
            f"{journal}: there is a journal already. Remedy: restore on a machine that has none, or"
            " move it away and keep it"
        )
    part = journal.with_name(journal.name + _PART)
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(_FOLDER_MODE, parents=True)
    for name in names:
        if name.startswith(f"{JOURNAL}/"):
            _copy(backup / name, part / name.removeprefix(f"{JOURNAL}/"))
    _sync(part)
    part.rename(journal)
    sync_folder(journal.parent)


def accounts_in(backup: Path) -> PeopleFile:
    """The accounts in a backup, as a copy beside its files: wrong PINs change none of its digests.

    Raises JournalError, OSError.
    """
    stored = PeopleFile(backup / JOURNAL)
    if not stored.account_count():
        return stored
    if not (backup / PEOPLE_NAME).exists():
        _copy(backup / JOURNAL / PEOPLE_NAME, backup / PEOPLE_NAME)
    return PeopleFile(backup)


def say_restored(
    journal: Path, origin: str, signer: Signer, by: Author, at_ns: int
) -> RestoredTable:
    """A named person says in the evidence log that this machine goes on. Raises JournalError."""
    by = replace(by, person=PeopleFile(journal).id_of(by.person))
    with Journal.open(journal, create=False) as opened:
        log = EvidenceLog.open(journal, origin)
        with contextlib.closing(log):
            check_log(log, opened)
            require_in_service(log)
            head = opened.head
            # The key on record stays the table's: one in hardware that is not here is lost.
            found = keys_on_record(log.database)
            leaf = leaf_by(by, LeafKind.RESTORED, head, at_ns)
            log.add(replace(leaf, key=found.key, witness_key=found.witness_key))
            return RestoredTable(head.seq, log.size, _sign(log, signer, found))


def _sign(log: EvidenceLog, signer: Signer, found: KeysOnRecord) -> str:
    """Sign the newest head with the key on record; says why not, else nothing."""
    if isinstance(signer, NoSigner):
        return signer.words
    if numbered_key(signer) != found.key:
        return f"the log names {key_words(found.key)}"
    try:
        sign_head(log, signer)
    except SignFailed as error:
        return str(error)
    return ""


# --- files ----------------------------------------------------------------------------------------


def _files(folder: Path) -> Iterator[str]:
    """The names of the regular files in a folder and those inside it; links are not followed."""
    for one in sorted(folder.iterdir()) if folder.is_dir() else ():
        if one.is_symlink():
            continue
        if one.is_file():
            yield one.name
        elif one.is_dir():
            yield from (f"{one.name}/{name}" for name in _files(one))


def _copy_database(file: Path, to: Path) -> None:
    copy_database(file, to)
    to.chmod(_FILE_MODE)


def _copy(path: Path, to: Path) -> None:
    to.parent.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
    shutil.copyfile(path, to, follow_symlinks=False)
    to.chmod(_FILE_MODE)


def _digest(path: Path) -> str:
    with open_file(path) as file:
        return file_digest(file, "sha256").hexdigest()


def _sync(folder: Path) -> None:
    """Fsync every file of a folder and every folder in it. Raises OSError."""
    for parent, _, names in os.walk(folder):
        for name in names:
            sync_file(Path(parent, name))
        sync_folder(Path(parent))
