"""The signed list of firmware images approved for the devices of the table.

Not: checking a device against the list (firmware_bridge.attestation).
Source: controller/service/commissioning/README.md, "Approved firmware". Signed is the MessagePack
of the statement (controller/journal/README.md).
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.journal.encoding import Codec
from controller.system.atomic_file import SmallFileError, store_text
from controller.system.json_document import (
    Count,
    Digest,
    Document,
    Signature,
    UtcTime,
    load_document,
    plain_fields,
    time_text,
)
from controller.system.keys import PublicKey, TableKey, fingerprint_text
from firmware_bridge.attestation import ApprovedImage
from foundation.timestamp import Timestamp

VERSION_MAX: Final = 64
NOTE_MAX: Final = 200
_REMEDY: Final = (
    "take the list as it was signed, or approve its images again with `smartshoe firmware approve`"
)


class ApprovedEntry(Struct, frozen=True):
    """One approved image, and a note on its approval."""

    sha256: bytes
    version: str
    security_counter: int
    note: str


class ApprovedStatement(Struct, frozen=True, tag="approved-statement"):
    """The signed data: the images, the time, and the key."""

    images: tuple[ApprovedEntry, ...]
    at_utc_ns: int
    key_fingerprint: bytes


class ApprovedList(Struct, frozen=True):
    """A statement with its Ed25519 signature."""

    statement: ApprovedStatement
    signature: bytes

    def images(self) -> tuple[ApprovedImage, ...]:
        """The images as a link compares them."""
        return tuple(
            ApprovedImage(one.sha256, one.version, one.security_counter)
            for one in self.statement.images
        )


STATEMENTS: Final[Codec[ApprovedStatement]] = Codec(ApprovedStatement)


def signed_bytes(statement: ApprovedStatement) -> bytes:
    """The bytes that are signed."""
    return STATEMENTS.encode(statement)


def sign(
    images: Sequence[ApprovedEntry], key: TableKey, at: Timestamp, before_ns: int = 0
) -> ApprovedList:
    """A signed list; images sorted by digest, each once.

    `before_ns`: when the list that it replaces was signed. The new one is later, whatever the clock
    says, because a table believes no list that is older than one it has seen.
    """
    by_image = {one.sha256: one for one in images}
    statement = ApprovedStatement(
        images=tuple(by_image[digest] for digest in sorted(by_image)),
        at_utc_ns=max(at.utc_ns, before_ns + 1),
        key_fingerprint=key.public.fingerprint,
    )
    return ApprovedList(statement, key.sign(signed_bytes(statement)))


def list_fields(approved: ApprovedList) -> dict[str, object]:
    """The statement as plain JSON values."""
    statement = approved.statement
    return {
        "images": [
            {
                "sha256": one.sha256.hex(),
                "version": one.version,
                "security_counter": one.security_counter,
                "note": one.note,
            }
            for one in statement.images
        ],
        "signed_at": time_text(statement.at_utc_ns),
        "key_fingerprint": statement.key_fingerprint.hex(),
    }


def list_text(approved: ApprovedList) -> str:
    """The file's text: JSON, one field per line."""
    fields = {
        **list_fields(approved),
        "signature": approved.signature.hex(),
    }
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def store_list(path: Path, approved: ApprovedList) -> None:
    """Write the list, replacing an existing one. Raises SmallFileError."""
    store_text(path, list_text(approved))


class _ImageEntry(Document, frozen=True):
    sha256: Digest
    version: str
    security_counter: Count
    note: str


class _ListFile(Document, frozen=True):
    images: tuple[_ImageEntry, ...]
    signed_at: UtcTime
    key_fingerprint: Digest
    signature: Signature


def load_list(path: Path) -> ApprovedList:
    """A list, without checking its signature. Raises SmallFileError."""
    if not path.exists():
        raise SmallFileError(
            f"{path}: there is no such file. Remedy: `smartshoe firmware approve --list {path}"
            " --key table.key --image FIRMWARE --version V --counter N` creates it"
        )
    file = load_document(path, _ListFile, _REMEDY)
    if not file.images:
        raise SmallFileError(
            f"{path}: images: it is empty, so no firmware may run. Remedy: approve an image with"
            " `smartshoe firmware approve`"
        )
    images = tuple(ApprovedEntry(**plain_fields(one)) for one in file.images)
    statement = ApprovedStatement(images, int(file.signed_at), bytes(file.key_fingerprint))
    return ApprovedList(statement, bytes(file.signature))


def trust_problem(approved: ApprovedList, trusted: Sequence[PublicKey]) -> str:
    """Why a list is not trusted; empty where a trusted key signed it unchanged."""
    statement = approved.statement
    key = next((one for one in trusted if one.fingerprint == statement.key_fingerprint), None)
    if key is None:
        return (
            f"it is signed with the key {fingerprint_text(statement.key_fingerprint)}, which may"
            " not approve firmware here. Remedy: have it signed with an approved key, or add the"
            " public key to `approved_keys` after comparing its fingerprint with its owner"
        )
    if not key.verifies(approved.signature, signed_bytes(statement)):
        return (
            "the signature is wrong: the list was changed after it was signed. Remedy: put it"
            " back from a backup, or approve its images again with `smartshoe firmware approve`"
        )
    return ""


def load_trusted_list(path: Path, trusted: Sequence[PublicKey]) -> ApprovedList:
    """A list that a trusted key signed. Raises SmallFileError."""
    found = load_list(path)
    why = trust_problem(found, trusted)
    if why:
        raise SmallFileError(f"{path}: {why}")
    return found
