"""The signed receipt of a batch: who vouches for which cards; its JSON text.

Not: keys and signing (controller.system.keys).
Source: S42-a-4-iii-same, NY-a-4-iv-b-same (a batch stays the same cards);
controller/service/commissioning/README.md, "Receipts". Signed is the MessagePack of the statement
(controller/journal/README.md).

The manifest is named by the SHA-256 of its canonical CSV text, so that a person can check it with
any tool. A receipt exists only for a complete batch; `result` says how that is known.
"""

import hashlib
import json
from enum import StrEnum
from typing import Final

from msgspec import Struct

from controller.custody.manifest import Manifest
from controller.custody.manifest_csv import write_manifest
from controller.journal.encoding import Codec
from controller.system.json_document import (
    Count,
    Digest,
    Document,
    Signature,
    UtcTime,
    plain_fields,
    read_document,
    time_text,
)
from foundation.message import Message, message

MAKER_MAX: Final = 64
_REMEDY: Final = "restore the receipt as it was written; it is signed, so it cannot be edited"


class ReceiptResult(StrEnum):
    """How it is known that the batch is complete."""

    READ = "read"  # a reader at the table read every card
    IMPORTED = "imported"  # from a maker's complete list; no card was read


class ReceiptStatement(Struct, frozen=True, tag="receipt-statement"):
    """The signed data. `count` is the number of tags with cut cards; `maker` made the cards."""

    batch: str
    back: str
    decks: int
    count: int
    result: ReceiptResult
    maker: str
    operator: str
    at_utc_ns: int
    manifest_sha256: bytes
    key_fingerprint: bytes


class Receipt(Struct, frozen=True):
    """A statement with its Ed25519 signature."""

    statement: ReceiptStatement
    signature: bytes


STATEMENTS: Final[Codec[ReceiptStatement]] = Codec(ReceiptStatement)


def manifest_digest(manifest: Manifest) -> bytes:
    """SHA-256 of the canonical CSV text."""
    return hashlib.sha256(write_manifest(manifest).encode()).digest()


def make_statement(
    manifest: Manifest,
    result: ReceiptResult,
    *,
    maker: str,
    operator: str,
    at_utc_ns: int,
    key_fingerprint: bytes,
) -> ReceiptStatement:
    """The statement about a manifest."""
    return ReceiptStatement(
        batch=manifest.batch,
        back=manifest.back,
        decks=manifest.decks,
        count=len(manifest),
        result=result,
        maker=maker,
        operator=operator,
        at_utc_ns=at_utc_ns,
        manifest_sha256=manifest_digest(manifest),
        key_fingerprint=key_fingerprint,
    )


def signed_bytes(statement: ReceiptStatement) -> bytes:
    """The bytes that are signed."""
    return STATEMENTS.encode(statement)


def contradictions(statement: ReceiptStatement, manifest: Manifest) -> tuple[Message, ...]:
    """The differences between a receipt and a manifest; empty where they match."""
    fields: tuple[tuple[str, int | str, int | str], ...] = (
        ("batch", statement.batch, manifest.batch),
        ("back", statement.back, manifest.back),
        ("decks", statement.decks, manifest.decks),
        ("count", statement.count, len(manifest)),
    )
    found = tuple(
        message("receipt_says_otherwise", name=name, configured=stated, actual=actual)
        for name, stated, actual in fields
        if stated != actual
    )
    if statement.manifest_sha256 != manifest_digest(manifest):
        found = (*found, message("cards_not_of_receipt"))
    return found


# --- the file ------------------------------------------------------------------------------------


class _ReceiptFile(Document, frozen=True):
    batch: str
    back: str
    decks: Count
    count: Count
    result: ReceiptResult
    maker: str
    operator: str
    time: UtcTime
    manifest_sha256: Digest
    key_fingerprint: Digest
    signature: Signature


def write_receipt(receipt: Receipt) -> str:
    """The receipt as JSON text, one field per line."""
    statement = receipt.statement
    fields = {
        "batch": statement.batch,
        "back": statement.back,
        "decks": statement.decks,
        "count": statement.count,
        "result": statement.result.value,
        "maker": statement.maker,
        "operator": statement.operator,
        "time": time_text(statement.at_utc_ns),
        "manifest_sha256": statement.manifest_sha256.hex(),
        "key_fingerprint": statement.key_fingerprint.hex(),
        "signature": receipt.signature.hex(),
    }
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def read_receipt(text: str) -> Receipt:
    """Read the text of `write_receipt`. Raises JsonError."""
    fields = plain_fields(read_document(text, _ReceiptFile, _REMEDY))
    signature = fields.pop("signature")
    return Receipt(ReceiptStatement(at_utc_ns=fields.pop("time"), **fields), signature)
