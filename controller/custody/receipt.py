"""The receipt of a batch: who vouches for which cards, signed with a table's key.

Responsible for: what a receipt states, the bytes that are signed, its small readable JSON file, and
whether it is about a given manifest.
Not responsible for: keys and the arithmetic of signatures (controller.system.keys) and for files
(controller.commissioning.batch_folder).
Source: S42-a-4-iii-same, NY-a-4-iv-b-same (a batch stays the same cards); controller/README.md,
"Receipts". Signed is the canonical CBOR of the statement (controller/journal/README.md).

Decisions. The manifest is named by the SHA-256 of its canonical CSV text, so that a person can
check it with any tool. A receipt is only made for a whole batch; `result` says how that is known.
"""

import hashlib
import json
from enum import StrEnum
from typing import Final

from controller.custody.manifest import Manifest
from controller.custody.manifest_csv import write_manifest
from controller.journal.encoding.codec import Codec
from controller.system.json_document import JsonFields, time_text
from firmware_bridge.values import dataclass

SHA256_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
MAKER_MAX: Final = 64
_REMEDY: Final = "take the receipt as it was written; it cannot be mended by hand, as it is signed"


class ReceiptResult(StrEnum):
    """How it is known that the batch is whole."""

    READ = "read"  # a reader at the table read every card
    IMPORTED = "imported"  # a maker's list is whole; no card was read


@dataclass(frozen=True, slots=True)
class ReceiptStatement:
    """What is signed. `count` is all tags, cut cards included; `maker` is who made the cards."""

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


@dataclass(frozen=True, slots=True)
class Receipt:
    """A statement with its Ed25519 signature."""

    statement: ReceiptStatement
    signature: bytes


class ReceiptError(ValueError):
    """A file that is no receipt; `problems` name every field that is wrong."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


STATEMENTS: Final[Codec[ReceiptStatement]] = Codec(ReceiptStatement)


def manifest_digest(manifest: Manifest) -> bytes:
    """SHA-256 of the canonical CSV text."""
    return hashlib.sha256(write_manifest(manifest).encode()).digest()


def state(
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
    """What the signature is over."""
    return STATEMENTS.encode(statement)


def contradictions(statement: ReceiptStatement, manifest: Manifest) -> tuple[str, ...]:
    """Where a receipt and a manifest differ; empty where the one is about the other."""
    told = (
        ("batch", statement.batch, manifest.batch),
        ("back", statement.back, manifest.back),
        ("decks", statement.decks, manifest.decks),
        ("count", statement.count, len(manifest)),
    )
    found = tuple(
        f"{name}: the receipt says {there}, the file {here}"
        for name, there, here in told
        if there != here
    )
    if statement.manifest_sha256 != manifest_digest(manifest):
        found = (*found, "the cards are not those the receipt was made for")
    return found


# --- the file ------------------------------------------------------------------------------------


def write_receipt(receipt: Receipt) -> str:
    """The receipt as JSON text, a field a line."""
    said = receipt.statement
    fields = {
        "batch": said.batch,
        "back": said.back,
        "decks": said.decks,
        "count": said.count,
        "result": said.result.value,
        "maker": said.maker,
        "operator": said.operator,
        "time": time_text(said.at_utc_ns),
        "manifest_sha256": said.manifest_sha256.hex(),
        "key_fingerprint": said.key_fingerprint.hex(),
        "signature": receipt.signature.hex(),
    }
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def read_receipt(text: str) -> Receipt:
    """What `write_receipt` wrote. Raises ReceiptError with every problem."""
    fields = JsonFields.of(text, _REMEDY)
    receipt = Receipt(
        ReceiptStatement(
            batch=fields.text("batch"),
            back=fields.text("back"),
            decks=fields.number("decks"),
            count=fields.number("count"),
            result=ReceiptResult(fields.choice("result", ReceiptResult)),
            maker=fields.text("maker"),
            operator=fields.text("operator"),
            at_utc_ns=fields.time("time"),
            manifest_sha256=fields.hex("manifest_sha256", SHA256_BYTES),
            key_fingerprint=fields.hex("key_fingerprint", SHA256_BYTES),
        ),
        fields.hex("signature", SIGNATURE_BYTES),
    )
    problems = fields.problems()
    if problems:
        raise ReceiptError(problems)
    return receipt
