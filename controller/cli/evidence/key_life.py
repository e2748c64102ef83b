"""`smartshoe keys rotate | lost | revoke | retire`: changes of a table's key, by a named person.

Source: controller/archive/README.md, "The life of the key".
"""
# ruff: noqa: PLC0415 - storage and keys are loaded only by the command that needs them.

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller.cli.errors import CommandError
from controller.cli.output import echo, echo_json
from controller.cli.path_parameters import TableFile

if TYPE_CHECKING:
    from controller.archive.signer import Signer
    from controller.evidence_log.checkpoint import TreeHead
    from controller.journal.store import Journal

    # Journal, name of the table, its signer, id of the person, UTC.
    Change = Callable[[Journal, str, Signer, str, int], TreeHead]

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
_By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides; goes on record.")]


def rotate(
    config: TableFile,
    by: _By,
    old: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The table.toml that names the key before."),
    ] = None,
    json: _Json = False,
) -> None:
    """Put the key that table.toml names on record; the key before signs that, too."""
    from controller.archive.key_life import name_key
    from controller.archive.signer import open_signer
    from controller.config.load import load_config

    before = None if old is None else open_signer(load_config(old).signing)
    _change(
        config,
        by,
        lambda journal, origin, signer, person, at_ns: name_key(
            journal, origin, signer, person, at_ns, old=before
        ),
        "the table's key is the one of table.toml; the key before signs no more",
        json=json,
    )


def lost(config: TableFile, by: _By, json: _Json = False) -> None:
    """Put the key that table.toml names on record where the key before is gone."""
    from controller.archive.key_life import name_key

    _change(
        config,
        by,
        lambda journal, origin, signer, person, at_ns: name_key(
            journal, origin, signer, person, at_ns, lost=True
        ),
        "the table's key is the one of table.toml; the lost one did not agree",
        json=json,
    )


def revoke(
    config: TableFile,
    key: Annotated[Path, typer.Option(metavar="FILE", help="The public key.")],
    by: _By,
    json: _Json = False,
) -> None:
    """Say that a key that was the table's is not to be trusted from now on."""
    from controller.archive.key_life import revoke_key
    from controller.system.keys import fingerprint_text, load_public

    public = load_public(key)
    _change(
        config,
        by,
        lambda journal, origin, signer, person, at_ns: revoke_key(
            journal, origin, signer, public, person, at_ns
        ),
        f"key {fingerprint_text(public.fingerprint)} is revoked",
        json=json,
    )


def retire(config: TableFile, by: _By, json: _Json = False) -> None:
    """End a table for good: its log takes no further leaf, and no run follows."""
    from controller.archive.key_life import retire_table

    _change(config, by, retire_table, "it is retired: no run follows", json=json)


def _change(config: Path, by: str, change: "Change", done: str, *, json: bool) -> None:
    from controller.archive.signer import open_signer
    from controller.config.load import load_config
    from controller.evidence_log.checkpoint import short_code
    from controller.journal.people import PeopleFile
    from controller.journal.store import Journal
    from firmware_bridge.transport.clock import now

    if not by.strip():
        raise CommandError("it is missing", place="--by", remedy="name the person who decides")
    table = load_config(config)
    signer, name = open_signer(table.signing), table.settings.table
    with Journal.open(table.journal_folder, create=False) as journal:
        person = PeopleFile(table.journal_folder).id_of(by)
        head = change(journal, name, signer, person, now().utc_ns)
    code = short_code(head)
    if json:
        echo_json({"table": name, "done": done, "head": head.size, "code": code})
        return
    echo(f"table {name}: {done}")
    echo(f"  head {head.size} of its evidence log names {by}; short code {code}")
