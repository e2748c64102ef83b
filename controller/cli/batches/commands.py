"""`smartshoe batch`: imports, exports, lists and shows batches of cards with chips."""
# ruff: noqa: PLC0415 - devices and the library of keys are loaded only when they are used.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.batches import enrol as cli_enrol
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
    checked_name,
    other_batches,
    trusted_keys,
)
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.command_line.output import echo, echo_json, echo_stderr, echo_table
from controller.system.command_line.usage import checked_line

if TYPE_CHECKING:
    from controller.service.commissioning.batch_folder import BatchFile

DEFAULT_FOLDER: Final = Path("batches")


def import_batch(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The maker's CSV file.")],
    maker: MakerOption,
    operator: OperatorOption,
    folder: FolderOption = DEFAULT_FOLDER,
    key: KeyOption = DEFAULT_KEY,
    replace: ReplaceOption = False,
    json: JsonOption = False,
) -> None:
    """Import a maker's list of a whole batch, and sign a receipt for it."""
    from controller.custody.receipt import ReceiptResult
    from controller.service.commissioning.batch_folder import (
        load_manifest,
        make_receipt,
        require_free_name,
        store_batch,
    )
    from controller.system.keys import load_key
    from firmware_bridge.transport.clock import now

    made_by, by = checked_line("--maker", maker), checked_line("--operator", operator)
    table_key = load_key(key)
    manifest = load_manifest(file)
    if not replace:
        require_free_name(folder, manifest.batch)
    for other in other_batches(folder, manifest.batch):
        shared = sum(manifest.find(one.tag) is not None for one in other.cards())
        if shared:
            raise CommandError(
                f"{file}: {shared} of its cards also belong to batch {other.batch}. Allowed: each"
                f" identity in one batch. Remedy: move the files of {other.batch} out of {folder}"
                " if that batch no longer exists"
            )
    receipt = make_receipt(
        manifest, table_key, ReceiptResult.IMPORTED, maker=made_by, operator=by, at=now()
    )
    store_batch(folder, manifest, receipt)
    cli_enrol.print_stored_batch(folder, manifest, receipt, json=json)


def export(
    name: NameArgument,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to this new file, not to stdout.")
    ] = None,
    folder: FolderOption = DEFAULT_FOLDER,
    key: KeyOption = DEFAULT_KEY,
    trust: TrustOption = None,
    json: JsonOption = False,
) -> None:
    """Print a batch's cards as CSV."""
    from controller.custody.manifest_csv import write_manifest
    from controller.system.atomic_file import require_new, store_text

    batch = _batch(folder, name, key, trust)
    if batch.manifest is None:
        raise CommandError(batch.problem_words)
    if batch.problem_words:
        echo_stderr(f"smartshoe: not for play: {batch.problem_words}")
    text = write_manifest(batch.manifest)
    if to is not None:
        require_new(to)
        store_text(to, text)
    if json:
        cards = {"csv": text} if to is None else {"file": str(to)}
        echo_json({**_plain(batch), **cards})
    elif to is None:
        echo(text.removesuffix("\n"))


def list_batches(
    folder: FolderOption = DEFAULT_FOLDER,
    key: KeyOption = DEFAULT_KEY,
    trust: TrustOption = None,
    json: JsonOption = False,
) -> None:
    """List the batches of a folder and their problems."""
    from controller.service.commissioning.batch_folder import load_batches

    batches = load_batches(folder, trusted_keys(key, trust))
    if json:
        echo_json({"folder": str(folder), "batches": [_plain(one) for one in batches]})
    elif not batches:
        echo(f"{folder}: no batches")
    else:
        headings = ("batch", "back", "decks", "tags", "result", "maker", "operator", "time", "")
        echo_table(headings, [_row(one) for one in batches])
        for one in batches:
            if one.problem_words:
                echo_stderr(f"{one.name}: not for play: {one.problem_words}")
    if any(one.problem_words for one in batches):
        raise typer.Exit(ExitCode.NO)


def show(
    name: NameArgument,
    folder: FolderOption = DEFAULT_FOLDER,
    key: KeyOption = DEFAULT_KEY,
    trust: TrustOption = None,
    json: JsonOption = False,
) -> None:
    """Show a batch, its receipt and its problems."""
    batch = _batch(folder, name, key, trust)
    if batch.manifest is None:
        raise CommandError(batch.problem_words)
    if json:
        echo_json(_plain(batch))
    else:
        for word, value in _plain(batch).items():
            if word != "problem":
                echo(f"{word.replace('_', ' '):<18}{value}")
        echo(
            "for play          yes"
            if not batch.problem_words
            else f"not for play: {batch.problem_words}"
        )
    if batch.problem_words:
        raise typer.Exit(ExitCode.NO)


def _batch(folder: Path, name: str, key: Path, trust: list[Path] | None) -> "BatchFile":
    from controller.service.commissioning.batch_folder import load_batch

    return load_batch(folder, checked_name(name), trusted_keys(key, trust))


def _plain(batch: "BatchFile") -> dict[str, object]:
    from controller.system.json_document import time_text

    shown: dict[str, object] = {"batch": batch.name, "problem": batch.problem_words}
    if batch.manifest is not None:
        cut_cards = batch.manifest.faces.count(0)
        shown |= {
            "back": batch.manifest.back,
            "decks": batch.manifest.decks,
            "cards": len(batch.manifest) - cut_cards,
            "cut_cards": cut_cards,
        }
    if batch.receipt is not None:
        statement = batch.receipt.statement
        shown |= {
            "result": statement.result.value,
            "maker": statement.maker,
            "operator": statement.operator,
            "time": time_text(statement.at_utc_ns),
            "manifest_sha256": statement.manifest_sha256.hex(),
            "key_fingerprint": statement.key_fingerprint.hex(),
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
        "not for play" if batch.problem_words else "",
    )
