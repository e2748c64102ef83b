"""The identity file of a paired device: its key, the date, and who paired it.

Source: firmware_bridge/tablelink/README.md, "Identity".

The file holds no secret. It is not signed: whoever may change it may also change table.toml.
"""

import hashlib
import json
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.system.atomic_file import (
    SmallFileError,
    require_new,
    store_text,
)
from controller.system.json_document import (
    Count,
    Digest,
    Document,
    HexBytes,
    LongCount,
    UtcTime,
    load_document,
    time_text,
)
from controller.system.keys import fingerprint_text
from firmware_bridge.attestation import DEVICE_BYTES, ApprovedImage, Pin

_REMEDY: Final = "put the file back as `smartshoe identity pair` wrote it, or pair the device again"


class PairedRole(StrEnum):
    """The role of a paired device."""

    SHOE = "shoe"
    SHUFFLER = "shuffler"


class PairedDevice(Struct, frozen=True):
    """A pairing. `firmware` and `boot_count` are those of the device when it was paired."""

    role: PairedRole
    pin: Pin
    firmware: ApprovedImage
    boot_count: int
    person: str
    at_utc_ns: int

    @property
    def fingerprint(self) -> bytes:
        """SHA-256 of the device's public key."""
        return key_fingerprint(self.pin.key)


def key_fingerprint(key: bytes) -> bytes:
    """The SHA-256 of a key, which people compare instead of the key."""
    return hashlib.sha256(key).digest()


def pairing_fields(paired: PairedDevice) -> dict[str, object]:
    """The file's fields as plain JSON values."""
    return {
        "device": paired.pin.device.hex(),
        "role": paired.role.value,
        "public_key": paired.pin.key.hex(),
        "fingerprint": paired.fingerprint.hex(),
        "pairing": paired.pin.pairing,
        "first_event": paired.pin.first_event,
        "firmware_version": paired.firmware.version,
        "firmware_sha256": paired.firmware.image.hex(),
        "security_counter": paired.firmware.security_counter,
        "boot_count": paired.boot_count,
        "paired_by": paired.person,
        "paired_at": time_text(paired.at_utc_ns),
    }


def pairing_text(paired: PairedDevice) -> str:
    """The file's text: JSON, one field per line."""
    return json.dumps(pairing_fields(paired), indent=2, ensure_ascii=False) + "\n"


def store_pairing(path: Path, paired: PairedDevice) -> None:
    """Write a new file; an existing one is not replaced. Raises SmallFileError."""
    require_new(path)
    store_text(path, pairing_text(paired))


class _Device(HexBytes):
    SIZES = DEVICE_BYTES


class _PairingFile(Document, frozen=True):
    device: _Device
    role: PairedRole
    public_key: Digest
    fingerprint: Digest
    pairing: str
    first_event: LongCount
    firmware_version: str
    firmware_sha256: Digest
    security_counter: Count
    boot_count: Count
    paired_by: str
    paired_at: UtcTime


def load_pairing(path: Path) -> PairedDevice:
    """Read the file of `smartshoe identity pair`. Raises SmallFileError."""
    if not path.exists():
        raise SmallFileError(
            f"{path}: there is no such file. Remedy: `smartshoe identity pair PORT --out {path}"
            " --person NAME` pairs the device at PORT and writes it"
        )
    file = load_document(path, _PairingFile, _REMEDY)
    image = bytes(file.firmware_sha256)
    paired = PairedDevice(
        role=file.role,
        pin=Pin(bytes(file.device), bytes(file.public_key), file.pairing, file.first_event),
        firmware=ApprovedImage(image, file.firmware_version, file.security_counter),
        boot_count=file.boot_count,
        person=file.paired_by,
        at_utc_ns=int(file.paired_at),
    )
    if paired.fingerprint != file.fingerprint:
        raise SmallFileError(
            f"{path}: fingerprint: it does not match public_key,"
            f" {fingerprint_text(paired.fingerprint)}: one of them was changed. Remedy: {_REMEDY}"
        )
    return paired
