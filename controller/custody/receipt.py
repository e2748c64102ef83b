"""The receipt of a batch: who vouches for which cards, signed with a table's key.

Responsible for: what a receipt states, the bytes that are signed, its small readable JSON file, and
whether it is about a given manifest.
Not responsible for: keys and the arithmetic of signatures (controller.keys) and for files
(controller.batches).
Source: S42-a-4-iii-same, NY-a-4-iv-b-same (a batch stays the same cards); controller/README.md,
"Receipts". Signed is the canonical CBOR of the statement (controller/journal/README.md).

Decisions. The manifest is named by the SHA-256 of its canonical CSV text, so that a person can
check it with any tool. A receipt is only made for a whole batch; `result` says how that is known.
Times in the file have all nine digits, because a signed time is not rounded.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from controller.custody.manifest import Manifest
from controller.custody.manifest_csv import write_manifest
from controller.journal.canonical import Codec

SHA256_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
MAKER_MAX: Final = 64
_NS_PER_S: Final = 1_000_000_000
# The last second a four-digit year can say.
_UTC_NS_MAX: Final = 253_402_300_800 * _NS_PER_S
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})Z", re.ASCII)


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
    reading = _Reading(_object(text))
    receipt = Receipt(
        ReceiptStatement(
            batch=reading.text("batch"),
            back=reading.text("back"),
            decks=reading.number("decks"),
            count=reading.number("count"),
            result=reading.result(),
            maker=reading.text("maker"),
            operator=reading.text("operator"),
            at_utc_ns=reading.time(),
            manifest_sha256=reading.hex("manifest_sha256", SHA256_BYTES),
            key_fingerprint=reading.hex("key_fingerprint", SHA256_BYTES),
        ),
        reading.hex("signature", SIGNATURE_BYTES),
    )
    reading.end()
    return receipt


def time_text(utc_ns: int) -> str:
    """UTC with nine digits after the point, such as 2026-11-21T10:00:00.000000001Z."""
    if not 0 <= utc_ns < _UTC_NS_MAX:
        return f"{utc_ns} ns"
    moment = datetime.fromtimestamp(utc_ns // _NS_PER_S, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{utc_ns % _NS_PER_S:09}Z"


def _object(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReceiptError((f"it is not JSON: {error}",)) from error
    if not isinstance(value, dict):
        raise ReceiptError(("it is not a JSON object. Remedy: take the receipt's own file",))
    return value


class _Reading:
    """The fields of one file, taken off one by one."""

    def __init__(self, fields: dict[str, object]) -> None:
        self._fields = dict(fields)
        self._problems: list[str] = []

    def text(self, name: str) -> str:
        value = self._fields.pop(name, None)
        if isinstance(value, str) and value.isprintable():
            return value
        self._tell(name, "one line of text")
        return ""

    def number(self, name: str) -> int:
        value = self._fields.pop(name, None)
        if type(value) is int and 0 <= value < 2**32:
            return value
        self._tell(name, "a whole number")
        return 0

    def result(self) -> ReceiptResult:
        value = self._fields.pop("result", None)
        if isinstance(value, str) and value in tuple(ReceiptResult):
            return ReceiptResult(value)
        self._tell("result", ", ".join(ReceiptResult))
        return ReceiptResult.READ

    def hex(self, name: str, length: int) -> bytes:
        value = self._fields.pop(name, None)
        if isinstance(value, str) and re.fullmatch(rf"[0-9a-f]{{{2 * length}}}", value):
            return bytes.fromhex(value)
        self._tell(name, f"{length} bytes in small hex digits")
        return b""

    def time(self) -> int:
        value = self._fields.pop("time", None)
        found = _TIME.fullmatch(value) if isinstance(value, str) else None
        if found is not None:
            try:
                moment = datetime.fromisoformat(f"{found[1]}+00:00")
            except ValueError:
                pass
            else:
                utc_ns = round(moment.timestamp()) * _NS_PER_S + int(found[2])
                if utc_ns >= 0:
                    return utc_ns
        self._tell("time", "UTC such as 2026-11-21T10:00:00.000000000Z")
        return 0

    def end(self) -> None:
        self._problems.extend(
            f"{name[:40]!r}: there is no such field. Remedy: take it off" for name in self._fields
        )
        if self._problems:
            raise ReceiptError(tuple(self._problems))

    def _tell(self, name: str, allowed: str) -> None:
        self._problems.append(
            f"{name}: it is missing or wrong. Allowed: {allowed}. Remedy: take the receipt as it"
            " was written; it cannot be mended by hand, as it is signed"
        )
