"""Who an emulated TableLink device is: its key, its firmware, and what it signs.

Responsible for: the device's Ed25519 key, sealing a statement with it (COSE_Sign1), and the pinned
values a bench writes into the program's files.
Not responsible for: what is stated (tablelink_device, shuffler) and for keeping it over power loss.
Source: wire document of TableLink/1, "Identity"; RFC 9052, section 4.2; RFC 8032.
"""

# ruff: noqa: PLC0415 - Debian's own Python, which serves USB devices, may have no such library.

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from hil.emulator.tablelink.cbor import Map, encoded

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PROTECTED = bytes.fromhex("A10127")
SIGNED_CONTEXT = "Signature1"
CHECKPOINT_CONTEXT = b"TableLink/1 checkpoint"
SEED_BYTES = 32
FIRST_IMAGE = sha256(b"emulated firmware 1.0.0").digest()


@dataclass(frozen=True, slots=True)
class Firmware:
    """What runs: SHA-256 of its image, its version, its security counter."""

    image: bytes = FIRST_IMAGE
    version: str = "1.0.0"
    security_counter: int = 1


@dataclass(frozen=True, slots=True)
class Pins:
    """What a bench writes into the program's files: who the device is and what runs on it.

    `key` is empty of a bare device.
    """

    device: str
    key: str
    image: str
    version: str
    security_counter: int


@dataclass(frozen=True, slots=True)
class Identity:
    """Id, key seed (any bytes; empty: a bare device), firmware, and whether debugging is open."""

    device: bytes
    seed: bytes
    firmware: Firmware
    debug: bool = False

    @property
    def bare(self) -> bool:
        return not self.seed

    @property
    def public_key(self) -> bytes:
        """The 32 bytes of the public key; none of a bare device."""
        if self.bare:
            return b""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return self._key().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @property
    def pins(self) -> Pins:
        """What to pin and to approve."""
        ware = self.firmware
        key = self.public_key.hex()
        return Pins(self.device.hex(), key, ware.image.hex(), ware.version, ware.security_counter)

    def with_firmware(self, firmware: Firmware) -> "Identity":
        """The same device running something else."""
        return replace(self, firmware=firmware)

    def sealed(self, statement: Map) -> bytes:
        """A COSE_Sign1 of the statement."""
        payload = encoded(statement)
        signature = self._key().sign(encoded((SIGNED_CONTEXT, PROTECTED, b"", payload)))
        return encoded((PROTECTED, {}, payload, signature))

    def attested(self, nonce: bytes, boot_id: int, boot_count: int) -> Map:
        """The payload of ATTEST_RSP. The key is told for pairing alone."""
        if self.bare:
            return {2: True}
        ware = self.firmware
        statement: Map = {
            1: nonce,
            2: self.device,
            3: boot_id,
            4: ware.image,
            5: ware.version,
            6: ware.security_counter,
            7: boot_count,
            8: self.debug,
        }
        return {1: self.sealed(statement), 3: self.public_key}

    def checkpoint(self, number: int, chain: bytes) -> bytes:
        """The signature under the chain of events up to a number."""
        return self._key().sign(CHECKPOINT_CONTEXT + number.to_bytes(8, "little") + chain)

    def _key(self) -> "Ed25519PrivateKey":
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        seed = self.seed if len(self.seed) == SEED_BYTES else sha256(self.seed).digest()
        return Ed25519PrivateKey.from_private_bytes(seed)
