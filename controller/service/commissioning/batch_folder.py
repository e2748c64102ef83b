"""The folder of batches: reads, checks and writes each manifest with its signed receipt.

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
from controller.system.atomic_file import SmallFileError, sync_folder
from controller.system.json_document import JsonError
from controller.system.keys import PublicKey, TableKey, fingerprint_text
from controller.system.messages.catalogue import to_words
from foundation.message import Message, message
from foundation.timestamp import Timestamp

CARDS_SUFFIX: Final = ".csv"
RECEIPT_SUFFIX: Final = ".receipt.json"
PARTIAL_SUFFIX: Final = ".partial"
_PROBLEMS_SHOWN_MAX: Final = 20


class BatchFileError(Exception):
    """A file cannot be read or written; the message says why and what to do."""


class BatchFile(Struct, frozen=True):
    """One batch of the folder; usable for play only where there is no `problem`."""

    name: str
    manifest: Manifest | None
    receipt: Receipt | None
    problem: Message | None

    @property
    def problem_words(self) -> str:
        """The problem for people; empty where there is none."""
        return "" if self.problem is None else to_words(self.problem)


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
        manifest = read_manifest(_text(path))
    except ManifestError as error:
        return BatchFile(name, None, None, _problems_of_file(path, error))
    except BatchFileError as error:
        return BatchFile(name, None, None, message("in_its_own_words", foreign=str(error)))
    if manifest.batch != name:
        problem = message("heading_names_other_batch", path=str(path), name=manifest.batch)
        return BatchFile(name, manifest, None, problem)
    beside = receipt_path(folder, name)
    try:
        receipt = read_receipt(_text(beside))
    except BatchFileError as error:
        problem = message("no_receipt_as_reported", foreign=str(error))
        return BatchFile(name, manifest, None, problem)
    except JsonError as error:
        reported = message("in_its_own_words", foreign=str(error))
        problem = message("problem_of_file", path=str(beside), problem=reported)
        return BatchFile(name, manifest, None, problem)
    return BatchFile(name, manifest, receipt, _problem(beside, manifest, receipt, trusted))


def load_manifest(path: Path) -> Manifest:
    """A complete batch from any file. Raises BatchFileError with every problem."""
    try:
        return read_manifest(_text(path))
    except ManifestError as error:
        raise BatchFileError(to_words(_problems_of_file(path, error))) from error


def load_sheet(path: Path) -> BatchSheet:
    """Cards that need not be a complete batch. Raises BatchFileError with every problem."""
    try:
        return read_sheet(_text(path))
    except ManifestError as error:
        raise BatchFileError(to_words(_problems_of_file(path, error))) from error


def _problems_of_file(path: Path, error: ManifestError) -> Message:
    """The problems of one file, one per line, at most 20 and the number of the others."""
    shown = error.problems[:_PROBLEMS_SHOWN_MAX]
    more = len(error.problems) - len(shown)
    if more:
        shown = (*shown, message("and_more_problems", number=more))
    lines = tuple(message("problem_of_file", path=str(path), problem=one) for one in shown)
    return message("one_per_line", lines=lines)


def _problem(
    beside: Path, manifest: Manifest, receipt: Receipt, trusted: Sequence[PublicKey]
) -> Message | None:
    statement, path = receipt.statement, str(beside)
    differing = contradictions(statement, manifest)
    if differing:
        return message("receipt_of_other_cards", path=path, differing=differing)
    key = next((one for one in trusted if one.fingerprint == statement.key_fingerprint), None)
    if key is None:
        stranger = fingerprint_text(statement.key_fingerprint)
        return message("receipt_key_not_trusted", path=path, foreign=stranger)
    if not key.verifies(receipt.signature, signed_bytes(statement)):
        return message("receipt_signature_wrong", path=path)
    return None


def _without_shared_cards(batches: Iterable[BatchFile]) -> tuple[BatchFile, ...]:
    """Report batches that contain the same tag: a physical card belongs to one batch."""
    found = tuple(batches)
    owners: dict[str, list[str]] = {}
    for batch in found:
        for card in batch.manifest.cards() if batch.manifest is not None else ():
            owners.setdefault(card.tag, []).append(batch.name)
    shared: dict[str, Message] = {}
    for tag, names in owners.items():
        for name in names if len(names) > 1 else ():
            others = tuple(other for other in names if other != name)
            problem = message("tag_also_in_batch", name=name, tag=tag, others=others)
            shared.setdefault(name, problem)
    return tuple(replace(one, problem=one.problem or shared.get(one.name)) for one in found)


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
