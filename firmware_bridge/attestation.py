"""Who a device is: what it states under its own key, what it is pinned to, what may run on it.

Responsible for: the shape of a pin, of an approved image and of an attestation, and whether a
signed attestation is of the pinned device, fresh, and of an approved image that was not rolled
back. One importer of the signature library for the wire.
Not responsible for: where pins and lists are kept (controller), and for transport (tablelink).
Source: package README, "TableLink/1", "Identity"; RFC 9052 (COSE_Sign1), RFC 8032 (Ed25519).
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Pin:
    """The device that was paired: its id, its Ed25519 key (32 bytes), and the first event number

    that counts since the pairing. `pairing` tells one pairing from the next of the same device.
    """

    device: bytes
    key: bytes
    pairing: str
    first_event: int


@dataclass(frozen=True, slots=True)
class ApprovedImage:
    """Firmware that may run: SHA-256 of its image, its version and its security counter."""

    image: bytes
    version: str
    security_counter: int


@dataclass(frozen=True, slots=True)
class Trust:
    """Whom a link trusts. `bare`: a device without identity is let in, which is shown everywhere.

    Without a pin and without `bare` nothing is trusted.
    """

    pin: Pin | None = None
    approved: tuple[ApprovedImage, ...] = ()
    bare: bool = False


NO_TRUST: Final = Trust()


@dataclass(frozen=True, slots=True)
class Attestation:
    """What a device states of itself."""

    nonce: bytes
    device: bytes
    boot_id: int
    image: bytes
    version: str
    security_counter: int
    boot_count: int
    debug: bool
