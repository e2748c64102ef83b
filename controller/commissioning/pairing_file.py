"""The file of a paired device: who it is, by which key, since when, and who paired it.

Responsible for: the file as people read it, and reading it back with every problem.
Not responsible for: pairing (pairing), judging a device by it (firmware_bridge.attestation),
and the list of approved firmware (approved_firmware).
Source: package README, "The shuffler's identity"; firmware_bridge/README.md, "TableLink/1",
"Identity".

Decisions. The file holds nothing secret. It is not signed: whoever may change it may change
table.toml beside it, too.
"""

import hashlib
import json
from enum import StrEnum
from pathlib import Path
from typing import Final

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
from firmware_bridge.values import dataclass

_REMEDY: Final = "put the file back as `smartshoe identity pair` wrote it, or pair the device again"


class PairedRole(StrEnum):
    """What a paired device is."""

    SHOE = "shoe"
    SHUFFLER = "shuffler"


@dataclass(frozen=True, slots=True)
class PairedDevice:
    """A pairing. `firmware` is what the device ran then, and `boot_count` its starts until then."""

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
    """What people compare instead of a key: its SHA-256."""
    return hashlib.sha256(key).digest()


def pairing_plain(paired: PairedDevice) -> dict[str, object]:
    """What the file holds."""
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
    """The file: JSON, a field a line."""
    return json.dumps(pairing_plain(paired), indent=2, ensure_ascii=False) + "\n"


def store_pairing(path: Path, paired: PairedDevice) -> None:
    """Write a new file; one that is there stays. Raises SmallFileError."""
    require_new(path)
    store_text(path, pairing_text(paired))


def load_pairing(path: Path) -> PairedDevice:
    """What `smartshoe identity pair` wrote. Raises SmallFileError with every problem."""
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
                "fingerprint: it is not that of public_key,"
                f" {fingerprint_text(paired.fingerprint)}: one of them was changed. Remedy:"
                f" {_REMEDY}"
            ),
        )
    if problems:
        raise SmallFileError(problem_lines(path, problems))
    return paired
