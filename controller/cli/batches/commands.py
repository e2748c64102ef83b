"""`smartshoe batch`: the batches of a table, from the maker's list or the cards themselves.

Responsible for: the commands' options, and importing, exporting, listing and showing batches.
Not responsible for: reading cards (cli_enrol, cli_recount), files (batches) and their forms
(custody).
Source: package README, "The batch file", "Receipts", "Enrolling a batch".
"""
# ruff: noqa: PLC0415 - devices and the library of keys are loaded only when they are used.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.batches import enrol as cli_enrol
from controller.cli.batches import recount as cli_recount
from controller.cli.batches.keys import DEFAULT_KEY
from controller.cli.batches.options import (
    FolderOption,
    JsonOption,
    KeyOption,
    MakerOption,
    NameArgument,
    OperatorOption,
    ReplaceOption,
    TrustOption,
    one_line,
    other_batches,
    right_name,
    trusted_keys,
)
from controller.cli.errors import Exit, Unable
from controller.cli.output import remark, say, say_json, say_table

if TYPE_CHECKING:
    from controller.commissioning.batch_folder import BatchFile

DEFAULT_FOLDER: Final = Path("batches")


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    batch = typer.Typer(
        help="Batches of cards with chips: enrol, count again, import, export, list, show.",
        epilog="\b\nexamples:\n"
        "  smartshoe batch enrol RED-0001 --back red --reader /dev/ttyUSB0 --maker Acme --operator "
        '"Ann Lee"\n'
        "  smartshoe batch verify RED-0001 --reader /dev/ttyUSB0\n"
        "  smartshoe batch list",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    cli_enrol.add_to(batch)
    cli_recount.add_to(batch)
    batch.command(
        "import",
        epilog="\b\nexamples:\n"
        '  smartshoe batch import from-maker.csv --maker Acme --operator "Ann Lee"\n\n'
        "The file is checked whole before anything is written; its receipt says that no card was "
        "read.",
    )(import_batch)
    batch.command(
        epilog="\b\nexamples:\n  smartshoe batch export RED-0001 > red.csv\n"
        "  smartshoe batch export RED-0001 --to red.csv"
    )(export)
    batch.command(
        "list",
        epilog="\b\nexamples:\n  smartshoe batch list\n  smartshoe batch list --json\n\n"
        "Exit code 1: a batch is not for play.",
    )(list_batches)
    batch.command(
        epilog="\b\nexamples:\n  smartshoe batch show RED-0001\n\n"
        "Exit code 1: the batch is not for play."
    )(show)
    app.add_typer(batch, name="batch")


def import_batch(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The maker's CSV file.")],
    maker: MakerOption,
    operator: OperatorOption,
    folder: FolderOption = DEFAULT_FOLDER,
    key: KeyOption = DEFAULT_KEY,
    replace: ReplaceOption = False,
    json: JsonOption = False,
) -> None:
    """Take a maker's list of a whole batch, and sign a receipt for it."""
    from controller.commissioning.batch_folder import (
        load_manifest,
        receipt_of,
        require_room,
        store_batch,
    )
    from controller.custody.receipt import ReceiptResult
    from controller.system.keys import load_key
    from firmware_bridge.transport.clock import now

    made_by, by = one_line("--maker", maker), one_line("--operator", operator)
    table_key = load_key(key)
    manifest = load_manifest(file)
    if not replace:
        require_room(folder, manifest.batch)
    for other in other_batches(folder, manifest.batch):
        shared = sum(manifest.find(one.tag) is not None for one in other.cards())
        if shared:
            raise Unable(
                f"{file}: {shared} of its cards are of batch {other.batch}, too. Allowed: each"
                f" identity in one batch. Remedy: move the files of {other.batch} out of {folder}"
                " if that batch is no more"
            )
    receipt = receipt_of(
        manifest, table_key, ReceiptResult.IMPORTED, maker=made_by, operator=by, at=now()
    )
    store_batch(folder, manifest, receipt)
    cli_enrol.tell_stored(folder, manifest, receipt, json=json)


def export(
    name: NameArgument,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this new file, not to stdout.")
    ] = None,
    folder: FolderOption = DEFAULT_FOLDER,
    key: KeyOption = DEFAULT_KEY,
    trust: TrustOption = None,
) -> None:
    """Print a batch's cards as CSV."""
    from controller.commissioning.batch_folder import store_text
    from controller.custody.manifest_csv import write_manifest

    batch = _batch(folder, name, key, trust)
    if batch.manifest is None:
        raise Unable(batch.problem)
    if batch.problem:
        remark(f"smartshoe: not for play: {batch.problem}")
    text = write_manifest(batch.manifest)
    if to is None:
        say(text.removesuffix("\n"))
        return
    if to.exists():
        raise Unable(f"{to}: there is a file of this name, and it is not overwritten")
    store_text(to, text)


def list_batches(
    folder: FolderOption = DEFAULT_FOLDER,
    key: KeyOption = DEFAULT_KEY,
    trust: TrustOption = None,
    json: JsonOption = False,
) -> None:
    """List the batches of a folder, and what is wrong with each."""
    from controller.commissioning.batch_folder import load_batches

    batches = load_batches(folder, trusted_keys(key, trust))
    if json:
        say_json({"folder": str(folder), "batches": [_plain(one) for one in batches]})
    elif not batches:
        say(f"{folder}: no batches")
    else:
        headings = ("batch", "back", "decks", "tags", "result", "maker", "operator", "time", "")
        say_table(headings, [_row(one) for one in batches])
        for one in batches:
            if one.problem:
                remark(f"{one.name}: not for play: {one.problem}")
    if any(one.problem for one in batches):
        raise typer.Exit(Exit.NO)


def show(
    name: NameArgument,
    folder: FolderOption = DEFAULT_FOLDER,
    key: KeyOption = DEFAULT_KEY,
    trust: TrustOption = None,
    json: JsonOption = False,
) -> None:
    """Show a batch, its receipt, and what is wrong with it."""
    batch = _batch(folder, name, key, trust)
    if batch.manifest is None:
        raise Unable(batch.problem)
    if json:
        say_json(_plain(batch))
    else:
        for word, value in _plain(batch).items():
            if word != "problem":
                say(f"{word.replace('_', ' '):<18}{value}")
        say("for play          yes" if not batch.problem else f"not for play: {batch.problem}")
    if batch.problem:
        raise typer.Exit(Exit.NO)


def _batch(folder: Path, name: str, key: Path, trust: list[Path] | None) -> "BatchFile":
    from controller.commissioning.batch_folder import load_batch

    return load_batch(folder, right_name(name), trusted_keys(key, trust))


def _plain(batch: "BatchFile") -> dict[str, object]:
    from controller.system.json_document import time_text

    shown: dict[str, object] = {"batch": batch.name, "problem": batch.problem}
    if batch.manifest is not None:
        cut_cards = batch.manifest.faces.count(0)
        shown |= {
            "back": batch.manifest.back,
            "decks": batch.manifest.decks,
            "cards": len(batch.manifest) - cut_cards,
            "cut_cards": cut_cards,
        }
    if batch.receipt is not None:
        said = batch.receipt.statement
        shown |= {
            "result": said.result.value,
            "maker": said.maker,
            "operator": said.operator,
            "time": time_text(said.at_utc_ns),
            "manifest_sha256": said.manifest_sha256.hex(),
            "key_fingerprint": said.key_fingerprint.hex(),
        }
    return shown


def _row(batch: "BatchFile") -> tuple[str, ...]:
    shown = _plain(batch)
    tags = "" if batch.manifest is None else str(len(batch.manifest))
    words = ("result", "maker", "operator", "time")
    return (
        batch.name,
        str(shown.get("back", "")),
        str(shown.get("decks", "")),
        tags,
        *(str(shown.get(word, "")) for word in words),
        "not for play" if batch.problem else "",
    )
