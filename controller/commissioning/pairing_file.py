"""The identity file of a paired device: its key, the date, and who paired it.

Source: controller/commissioning/README.md, "The shuffler's identity"; firmware_bridge/README.md,
"TableLink/1", "Identity".

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
    problem_lines,
    read_text,
    require_new,
    store_text,
)
from controller.system.json_document import U64_MAX, JsonFields, time_text
from controller.system.keys import fingerprint_text
from firmware_bridge.attestation import DEVICE_BYTES, IMAGE_BYTES, KEY_BYTES, ApprovedImage, Pin

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


def load_pairing(path: Path) -> PairedDevice:
    """Read the file of `smartshoe identity pair`. Raises SmallFileError with every problem."""
    if not path.exists():
        raise SmallFileError(
            f"{path}: there is no such file. Remedy: `smartshoe identity pair PORT --out {path}"
            " --person NAME` pairs the device at PORT and writes it"
        )
    fields = JsonFields.of(read_text(path), _REMEDY)
    role = PairedRole(fields.choice("role", PairedRole))
    pin = Pin(
        device=fields.hex("device", DEVICE_BYTES.start, DEVICE_BYTES.stop - 1),
        key=fields.hex("public_key", KEY_BYTES),
        pairing=fields.text("pairing"),
        first_event=fields.number("first_event", U64_MAX),
    )
    fingerprint = fields.hex("fingerprint", hashlib.sha256().digest_size)
    firmware = ApprovedImage(
        version=fields.text("firmware_version"),
        image=fields.hex("firmware_sha256", IMAGE_BYTES),
        security_counter=fields.number("security_counter"),
    )
    paired = PairedDevice(
        role=role,
        pin=pin,
        firmware=firmware,
        boot_count=fields.number("boot_count"),
        person=fields.text("paired_by"),
        at_utc_ns=fields.time("paired_at"),
    )
    problems = fields.problems()
    if not problems and paired.fingerprint != fingerprint:
        problems = (
            (
                "fingerprint: it does not match public_key,"
                f" {fingerprint_text(paired.fingerprint)}: one of them was changed. Remedy:"
                f" {_REMEDY}"
            ),
        )
    if problems:
        raise SmallFileError(problem_lines(path, problems))
    return paired
