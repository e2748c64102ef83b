"""The list of approved firmware: which images may run on the table's devices, signed.

Responsible for: what the list states, the bytes that are signed, its small readable JSON file,
adding to it, and whether it is signed by a key that may approve.
Not responsible for: keys and the arithmetic of signatures (keys), and judging a device by the list
(firmware_bridge.attestation).
Source: package README, "Approved firmware". Signed is the canonical CBOR of the statement
(controller/journal/README.md).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controller.journal.encoding.codec import Codec
from controller.system.atomic_file import SmallFileError, problem_lines, read_text, store_text
from controller.system.json_document import JsonFields, time_text
from controller.system.keys import PublicKey, TableKey, fingerprint_text
from firmware_bridge.attestation import IMAGE_BYTES, SIGNATURE_BYTES, ApprovedImage
from firmware_bridge.timestamp import Timestamp

FINGERPRINT_BYTES: Final = 32
VERSION_MAX: Final = 64
NOTE_MAX: Final = 200
_REMEDY: Final = (
    "take the list as it was signed, or approve its images again with `smartshoe firmware approve`"
)


@dataclass(frozen=True, slots=True)
class ApprovedEntry:
    """One image, and why it was approved."""

    sha256: bytes
    version: str
    security_counter: int
    note: str


@dataclass(frozen=True, slots=True)
class ApprovedStatement:
    """What is signed: the images, when, and by which key."""

    images: tuple[ApprovedEntry, ...]
    at_utc_ns: int
    key_fingerprint: bytes


@dataclass(frozen=True, slots=True)
class ApprovedList:
    """A statement with its Ed25519 signature."""

    statement: ApprovedStatement
    signature: bytes

    def images(self) -> tuple[ApprovedImage, ...]:
        """As a link compares them."""
        return tuple(
            ApprovedImage(one.sha256, one.version, one.security_counter)
            for one in self.statement.images
        )


STATEMENTS: Final[Codec[ApprovedStatement]] = Codec(ApprovedStatement)


def signed_bytes(statement: ApprovedStatement) -> bytes:
    """What the signature is over."""
    return STATEMENTS.encode(statement)


def sign(images: Sequence[ApprovedEntry], key: TableKey, at: Timestamp) -> ApprovedList:
    """A signed list; images by their digest, each once."""
    by_image = {one.sha256: one for one in images}
    statement = ApprovedStatement(
        images=tuple(by_image[digest] for digest in sorted(by_image)),
        at_utc_ns=at.utc_ns,
        key_fingerprint=key.public.fingerprint,
    )
    return ApprovedList(statement, key.sign(signed_bytes(statement)))


def list_fields(approved: ApprovedList) -> dict[str, object]:
    """What it says, as plain values."""
    said = approved.statement
    return {
        "images": [
            {
                "sha256": one.sha256.hex(),
                "version": one.version,
                "security_counter": one.security_counter,
                "note": one.note,
            }
            for one in said.images
        ],
        "signed_at": time_text(said.at_utc_ns),
        "key_fingerprint": said.key_fingerprint.hex(),
    }


def list_text(approved: ApprovedList) -> str:
    """The file: JSON, a field a line."""
    fields = {
        **list_fields(approved),
        "signature": approved.signature.hex(),
    }
    return json.dumps(fields, indent=2, ensure_ascii=False) + "\n"


def store_list(path: Path, approved: ApprovedList) -> None:
    """Write the list in place of the one that may be there. Raises SmallFileError."""
    store_text(path, list_text(approved))


def load_list(path: Path) -> ApprovedList:
    """A list, its signature not looked at. Raises SmallFileError with every problem."""
    if not path.exists():
        raise SmallFileError(
            f"{path}: there is no such file. Remedy: `smartshoe firmware approve --list {path}"
            " --key table.key --image FIRMWARE --version V --counter N` makes it"
        )
    fields = JsonFields.of(read_text(path), _REMEDY)
    images = tuple(
        ApprovedEntry(
            sha256=one.hex("sha256", IMAGE_BYTES),
            version=one.text("version"),
            security_counter=one.number("security_counter"),
            note=one.text("note"),
        )
        for one in fields.each("images")
    )
    found = ApprovedList(
        ApprovedStatement(
            images=images,
            at_utc_ns=fields.time("signed_at"),
            key_fingerprint=fields.hex("key_fingerprint", FINGERPRINT_BYTES),
        ),
        fields.hex("signature", SIGNATURE_BYTES),
    )
    problems = fields.problems()
    if not problems and not images:
        problems = (
            (
                "images: it is empty, so that no firmware may run. Remedy: approve an image with"
                " `smartshoe firmware approve`"
            ),
        )
    if problems:
        raise SmallFileError(problem_lines(path, problems))
    return found


def why_not(approved: ApprovedList, trusted: Sequence[PublicKey]) -> str:
    """Why a list is not believed; empty where a trusted key signed it as it stands."""
    said = approved.statement
    key = next((one for one in trusted if one.fingerprint == said.key_fingerprint), None)
    if key is None:
        return (
            f"it is signed with the key {fingerprint_text(said.key_fingerprint)}, which may not"
            " approve firmware here. Remedy: have it signed by one who may, or add the public key"
            " to `approved_keys` after comparing its fingerprint with its owner"
        )
    if not key.verifies(approved.signature, signed_bytes(said)):
        return (
            "the signature is wrong: the list was changed after it was signed. Remedy: put it"
            " back from a backup, or approve its images again with `smartshoe firmware approve`"
        )
    return ""


def believed_list(path: Path, trusted: Sequence[PublicKey]) -> ApprovedList:
    """A list that a trusted key signed as it stands. Raises SmallFileError."""
    found = load_list(path)
    why = why_not(found, trusted)
    if why:
        raise SmallFileError(f"{path}: {why}")
    return found
