"""`smartshoe keys rotate | lost | revoke | retire`: changes of a table's key, by a named person."""
# ruff: noqa: PLC0415 - storage and keys are loaded only by the command that needs them.

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer
from msgspec.structs import replace

from controller.cli.table.pins import PinFile, author_of
from controller.system.command_line.output import echo, echo_json
from controller.system.command_line.path_parameters import TableFile

DoneT = TypeVar("DoneT")

if TYPE_CHECKING:
    from controller.archive.signer import Signer
    from controller.journal.evidence_log.checkpoint import TreeHead
    from controller.journal.store import Journal
    from controller.rules.actions.declaration import Author
    from controller.service.config.table_config import TableConfig

    # Journal, name of the table, its signer, who does it, UTC.
    Change = Callable[[Journal, str, Signer, Author, int], DoneT]

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
_By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides; goes on record.")]


def rotate(
    config: TableFile,
    by: _By,
    old: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The table.toml that names the key before."),
    ] = None,
    pin_file: PinFile = None,
    json: _Json = False,
) -> None:
    """Put the key that table.toml names on record; the key before signs that, too."""
    from controller.archive.key_life import name_key
    from controller.archive.signer import open_signer
    from controller.service.config.load import load_config

    before = None if old is None else open_signer(load_config(old).signing)
    _change(
        config,
        by,
        pin_file,
        lambda journal, origin, signer, author, at_ns: name_key(
            journal, origin, signer, author, at_ns, old=before
        ),
        "the table's key is the one of table.toml; the key before signs no more",
        json=json,
    )


def lost(config: TableFile, by: _By, pin_file: PinFile = None, json: _Json = False) -> None:
    """Put the key that table.toml names on record where the key before is gone."""
    from controller.archive.key_life import name_key

    _change(
        config,
        by,
        pin_file,
        lambda journal, origin, signer, author, at_ns: name_key(
            journal, origin, signer, author, at_ns, lost=True
        ),
        "the table's key is the one of table.toml; the lost one did not agree",
        json=json,
    )


def revoke(
    config: TableFile,
    key: Annotated[Path, typer.Option(metavar="FILE", help="The public key.")],
    by: _By,
    pin_file: PinFile = None,
    json: _Json = False,
) -> None:
    """Say that a key that was the table's is not to be trusted from now on."""
    from controller.archive.key_life import revoke_key
    from controller.system.keys import fingerprint_text, load_public

    public = load_public(key)
    _change(
        config,
        by,
        pin_file,
        lambda journal, origin, signer, author, at_ns: revoke_key(
            journal, origin, signer, public, author, at_ns
        ),
        f"key {fingerprint_text(public.fingerprint)} is revoked",
        json=json,
    )


def retire(config: TableFile, by: _By, pin_file: PinFile = None, json: _Json = False) -> None:
    """End a table for good: its log takes no further leaf, and no run follows."""
    from controller.archive.key_life import retire_table

    _change(config, by, pin_file, retire_table, "it is retired: no run follows", json=json)


def _change(
    config: Path,
    by: str,
    pin_file: Path | None,
    change: "Change[TreeHead]",
    done: str,
    *,
    json: bool,
) -> None:
    from controller.journal.evidence_log.checkpoint import short_code
    from controller.record.people import author_words

    what = "a change of the table's key"
    table, author, head = change_at_rest(config, by, pin_file, what, change)
    name, code = table.settings.table, short_code(head)
    if json:
        said = {"table": name, "done": done, "head": head.size, "code": code}
        echo_json({**said, "by": by, "proof": author.proof.value})
        return
    known = author_words(by, author.proof)
    echo(f"table {name}: {done}")
    echo(f"  head {head.size} of its evidence log names {known}; short code {code}")


def change_at_rest(
    config: Path,
    by: str,
    pin_file: Path | None,
    what: str,
    change: "Change[DoneT]",
    *,
    make_key: bool = False,
) -> "tuple[TableConfig, Author, DoneT]":
    """Let a pit manager change the evidence log of a table that does not run; `what` it is.

    Where no accounts are set up, whoever is named is believed. Returns the table's configuration,
    the person, and what `change` returned. Raises CommandError, JournalError.
    """
    from controller.archive.signer import open_signer
    from controller.journal.people import PeopleFile
    from controller.journal.store import Journal
    from controller.rules.actions.declaration import PIT_MANAGERS
    from controller.service.config.load import load_config
    from firmware_bridge.transport.clock import now

    table = load_config(config)
    people = PeopleFile(table.journal_folder)
    author = author_of(people, by, pin_file, PIT_MANAGERS, what, table.unix_people)
    signer = open_signer(table.signing, make=make_key)
    with Journal.open(table.journal_folder, create=False) as journal:
        author = replace(author, person=people.id_of(author.person))
        done = change(journal, table.settings.table, signer, author, now().utc_ns)
    return table, author, done
