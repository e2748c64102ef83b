"""The folder of batches: reads, checks and writes each manifest with its signed receipt.

Source: controller/commissioning/README.md, "The batch file", "Receipts".

A power cut during a write leaves the old file or the new one.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.manifest import Manifest, ManifestError
from controller.custody.manifest_csv import BatchSheet, read_manifest, read_sheet, write_manifest
from controller.custody.receipt import (
    Receipt,
    ReceiptResult,
    contradictions,
    make_statement,
    read_receipt,
    signed_bytes,
    write_receipt,
)
from controller.system import atomic_file as small_files
from controller.system.atomic_file import SmallFileError, problem_lines, sync_folder
from controller.system.json_document import JsonError
from controller.system.keys import PublicKey, TableKey, fingerprint_text
from firmware_bridge.timestamp import Timestamp

CARDS_SUFFIX: Final = ".csv"
RECEIPT_SUFFIX: Final = ".receipt.json"
PARTIAL_SUFFIX: Final = ".partial"


class BatchFileError(Exception):
    """A file cannot be read or written; the message says why and what to do."""


class BatchFile(Struct, frozen=True):
    """One batch of the folder; usable for play only where `problem` is empty."""

    name: str
    manifest: Manifest | None
    receipt: Receipt | None
    problem: str


def cards_path(folder: Path, name: str) -> Path:
    return folder / f"{name}{CARDS_SUFFIX}"


def receipt_path(folder: Path, name: str) -> Path:
    return folder / f"{name}{RECEIPT_SUFFIX}"


def partial_path(folder: Path, name: str) -> Path:
    """The file with the complete decks of an unfinished enrolment."""
    return folder / f"{name}{PARTIAL_SUFFIX}"


def make_receipt(
    manifest: Manifest,
    key: TableKey,
    result: ReceiptResult,
    *,
    maker: str,
    operator: str,
    at: Timestamp,
) -> Receipt:
    """A signed receipt for a complete batch."""
    statement = make_statement(
        manifest,
        result,
        maker=maker,
        operator=operator,
        at_utc_ns=at.utc_ns,
        key_fingerprint=key.public.fingerprint,
    )
    return Receipt(statement, key.sign(signed_bytes(statement)))


# --- reading -------------------------------------------------------------------------------------


def load_batches(folder: Path, trusted: Sequence[PublicKey]) -> tuple[BatchFile, ...]:
    """Every batch of a folder by name, each with its problem. Raises BatchFileError."""
    try:
        names = sorted(
            path.name.removesuffix(CARDS_SUFFIX)
            for path in folder.iterdir()
            if path.name.endswith(CARDS_SUFFIX) and not path.name.startswith(".")
        )
    except OSError as error:
        raise BatchFileError(
            f"{folder}: this folder of batches cannot be read: {error.strerror}. Remedy: create"
            " it, or name another one"
        ) from error
    return _without_shared_cards(load_batch(folder, name, trusted) for name in names)


def load_batch(folder: Path, name: str, trusted: Sequence[PublicKey]) -> BatchFile:
    """One batch; unreadable or mismatched files are reported in its `problem`."""
    path = cards_path(folder, name)
    try:
        manifest = load_manifest(path)
    except BatchFileError as error:
        return BatchFile(name, None, None, str(error))
    if manifest.batch != name:
        problem = (
            f"{path}: the heading names batch {manifest.batch}. Allowed: the file's own name."
            f" Remedy: name it {manifest.batch}{CARDS_SUFFIX}"
        )
        return BatchFile(name, manifest, None, problem)
    beside = receipt_path(folder, name)
    try:
        receipt = read_receipt(_text(beside))
    except BatchFileError as error:
        remedy = f"{error}; a batch without its receipt is not for play"
        return BatchFile(name, manifest, None, remedy)
    except JsonError as error:
        return BatchFile(name, manifest, None, f"{beside}: {error}")
    return BatchFile(name, manifest, receipt, _problem(beside, manifest, receipt, trusted))


def load_manifest(path: Path) -> Manifest:
    """A complete batch from any file. Raises BatchFileError with every problem."""
    try:
        return read_manifest(_text(path))
    except ManifestError as error:
        raise BatchFileError(problem_lines(path, error.problems)) from error


def load_sheet(path: Path) -> BatchSheet:
    """Cards that need not be a complete batch. Raises BatchFileError with every problem."""
    try:
        return read_sheet(_text(path))
    except ManifestError as error:
        raise BatchFileError(problem_lines(path, error.problems)) from error


def _problem(
    beside: Path, manifest: Manifest, receipt: Receipt, trusted: Sequence[PublicKey]
) -> str:
    statement = receipt.statement
    differing = contradictions(statement, manifest)
    if differing:
        remedy = "Remedy: enrol or import the batch again, or put both files back from a backup"
        return f"{beside}: {'; '.join(differing)}. {remedy}"
    key = next((one for one in trusted if one.fingerprint == statement.key_fingerprint), None)
    if key is None:
        return (
            f"{beside}: it is signed with the key {fingerprint_text(statement.key_fingerprint)},"
            " which is not trusted here. Remedy: enrol the batch at this table, or trust that key"
            " after comparing its fingerprint with its owner"
        )
    if not key.verifies(receipt.signature, signed_bytes(statement)):
        return (
            f"{beside}: the signature is wrong: the receipt was changed after it was signed."
            " Remedy: put it back from a backup, or enrol the batch again"
        )
    return ""


def _without_shared_cards(batches: Iterable[BatchFile]) -> tuple[BatchFile, ...]:
    """Report batches that contain the same tag: a physical card belongs to one batch."""
    found = tuple(batches)
    owners: dict[str, list[str]] = {}
    for batch in found:
        for card in batch.manifest.cards() if batch.manifest is not None else ():
            owners.setdefault(card.tag, []).append(batch.name)
    shared: dict[str, str] = {}
    for tag, names in owners.items():
        for name in names if len(names) > 1 else ():
            others = ", ".join(other for other in names if other != name)
            shared.setdefault(
                name,
                f"{name}: tag {tag} is also in batch {others}. Allowed: each tag in one batch."
                " Remedy: move the files of the batch that no longer exists away",
            )
    return tuple(
        replace(one, problem=shared[one.name]) if one.name in shared and not one.problem else one
        for one in found
    )


def _text(path: Path) -> str:
    try:
        return small_files.read_text(path)
    except SmallFileError as error:
        raise BatchFileError(str(error)) from error


# --- writing -------------------------------------------------------------------------------------


def require_free_name(folder: Path, name: str) -> None:
    """Raises BatchFileError where a batch of that name exists."""
    for path in (cards_path(folder, name), receipt_path(folder, name)):
        if path.exists():
            raise BatchFileError(
                f"{path}: a batch of this name exists; it is not overwritten. Remedy: give this"
                " batch another name, or use --replace if the other one no longer exists"
            )


def store_batch(folder: Path, manifest: Manifest, receipt: Receipt) -> None:
    """Write both files, replacing those of that name. Raises BatchFileError.

    A crash between the two leaves cards without a matching receipt: not usable for play.
    """
    store_text(cards_path(folder, manifest.batch), write_manifest(manifest))
    store_text(receipt_path(folder, manifest.batch), write_receipt(receipt))


def store_text(path: Path, text: str) -> None:
    """Write a file, replacing an existing one. Raises BatchFileError."""
    try:
        small_files.store_text(path, text)
    except SmallFileError as error:
        raise BatchFileError(str(error)) from error


def remove(path: Path) -> None:
    """Remove a file if it exists. Raises BatchFileError."""
    try:
        path.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise BatchFileError(
            f"{path}: cannot be removed: {error.strerror}. Remedy: let this account write there"
        ) from error
