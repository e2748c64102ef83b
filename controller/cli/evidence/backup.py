"""`smartshoe backup | restore`: a table on a spare machine. `smartshoe journal begin-log`."""
# ruff: noqa: PLC0415 - storage is loaded only by the command that needs it.

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.table.pins import PinFile, author_of
from controller.system.command_line.output import echo, echo_json
from controller.system.command_line.path_parameters import TableFile
from controller.system.messages.quantity import counted

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
_By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who does it; goes on record.")]


def backup(
    config: TableFile,
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="A new folder, on another disk.")],
    json: _Json = False,
) -> None:
    """Copy a table's configuration, keys, names and journal, also while it plays."""
    from controller.archive.backup import TableFiles, make_backup
    from controller.service.config.load import load_config
    from controller.service.config.table_files import files_beside
    from controller.table.stored_until import NOTE_SUFFIX
    from firmware_bridge.transport.clock import now

    table = load_config(config)
    # The note of what is stored is of the running process.
    beside = tuple(one for one in files_beside(table.file) if one.suffix != NOTE_SUFFIX)
    own = TableFiles(table.file, beside, table.batches_folder)
    files, size = make_backup(own, table.journal_folder, to, now().utc_ns)
    if json:
        echo_json({"backup": str(to), "files": files, "bytes": size})
        return
    echo(f"{to}: {counted(files, 'file')}, {size} bytes")
    echo("  it holds the table's keys: keep it as safe as the table's own disk")


def restore(
    backup: Annotated[Path, typer.Argument(metavar="BACKUP", help="What `backup` made.")],
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="A new folder for table.toml.")],
    by: _By,
    pin_file: PinFile = None,
    json: _Json = False,
) -> None:
    """Put a backup back on a spare machine; the old one must be off, or burnt."""
    from controller.archive.backup import (
        CONFIG,
        TABLE_FILE,
        accounts_in,
        check_backup,
        put_config,
        put_journal,
        say_restored,
    )
    from controller.archive.signer import open_signer
    from controller.record.people import author_words
    from controller.rules.actions.declaration import PIT_MANAGERS
    from controller.service.config.load import load_config
    from firmware_bridge.transport.clock import now

    names = check_backup(backup)
    people = accounts_in(backup)
    unix = load_config(backup / CONFIG / TABLE_FILE).unix_people if people.account_count() else {}
    author = author_of(people, by, pin_file, PIT_MANAGERS, "a restored table", unix)
    put_config(backup, names, to)
    table = load_config(to / TABLE_FILE)
    put_journal(backup, names, table.journal_folder)
    signer = open_signer(table.signing)
    done = say_restored(table.journal_folder, table.settings.table, signer, author, now().utc_ns)
    if json:
        echo_json(
            {
                "table": table.settings.table,
                "config": str(table.file),
                "journal": str(table.journal_folder),
                "record": done.record,
                "log_size": done.log_size,
                "unsigned": done.unsigned,
                "by": by,
                "proof": author.proof.value,
            }
        )
        return
    echo(f"table {table.settings.table}: {table.file}, journal {table.journal_folder}")
    known = author_words(by, author.proof)
    echo(f"  it goes on after record {done.record}; head {done.log_size} of its log names {known}")
    if done.unsigned:
        echo(f"  that head is not signed by the table's key: {done.unsigned}")
    echo("  the old machine must never run this table again: any witness would notice")


def begin_log(config: TableFile, by: _By, pin_file: PinFile = None, json: _Json = False) -> None:
    """Begin a new evidence log in place of one that is gone; verification says so for ever."""
    from controller.archive.log_writer import begin_log_anew
    from controller.cli.evidence.key_life import change_at_rest
    from controller.record.people import author_words

    table, author, (aside, record) = change_at_rest(
        config,
        by,
        pin_file,
        "a new evidence log",
        lambda journal, *values: (begin_log_anew(journal, *values), journal.head.seq),
        make_key=True,
    )
    folder = table.journal_folder
    if json:
        said = {"journal": str(folder), "record": record, "aside": str(aside)}
        echo_json({**said, "by": by, "proof": author.proof.value})
        return
    known = author_words(by, author.proof)
    echo(f"{folder}: a new evidence log begins at record {record}, by {known}")
    echo(f"  what was there is in {aside}: keep it")
