"""Emulates a TableLink device's identity: its Ed25519 key, its firmware and what it signs.

Source: wire document of TableLink/1, "Identity"; RFC 9052, section 4.2; RFC 8032.
"""

# ruff: noqa: PLC0415 - Debian's own Python, which serves USB devices, may have no such library.

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from hil.emulator.tablelink.cbor import Map, encode

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PROTECTED = bytes.fromhex("A10127")
SIGNED_CONTEXT = "Signature1"
CHECKPOINT_CONTEXT = b"TableLink/1 checkpoint"
SEED_BYTES = 32
FIRST_IMAGE = sha256(b"emulated firmware 1.0.0").digest()


@dataclass(frozen=True, slots=True)
class Firmware:
    """The running firmware: SHA-256 of its image, its version, its security counter."""

    image: bytes = FIRST_IMAGE
    version: str = "1.0.0"
    security_counter: int = 1


@dataclass(frozen=True, slots=True)
class Pins:
    """The values that pin a device in the program's files: its identity and its firmware.

    `key` is empty for a bare device.
    """

    device: str
    key: str
    image: str
    version: str
    security_counter: int


@dataclass(frozen=True, slots=True)
class TableLinkIdentity:
    """Id, key seed (any bytes; empty: a bare device), firmware, open debugging, a chain."""

    device: bytes
    seed: bytes
    firmware: Firmware
    debug: bool = False
    chained: bool = False

    @property
    def bare(self) -> bool:
        return not self.seed

    @property
    def public_key(self) -> bytes:
        """The public key, 32 bytes; empty for a bare device."""
        if self.bare:
            return b""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return self._key().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @property
    def pins(self) -> Pins:
        """The values to pin and to approve."""
        firmware = self.firmware
        key = self.public_key.hex()
        return Pins(
            self.device.hex(),
            key,
            firmware.image.hex(),
            firmware.version,
            firmware.security_counter,
        )

    def with_firmware(self, firmware: Firmware) -> "TableLinkIdentity":
        """The same device with other firmware."""
        return replace(self, firmware=firmware)

    def sign_statement(self, statement: Map) -> bytes:
        """Sign a statement as COSE_Sign1."""
        payload = encode(statement)
        signature = self._key().sign(encode((SIGNED_CONTEXT, PROTECTED, b"", payload)))
        return encode((PROTECTED, {}, payload, signature))

    def attestation(self, nonce: bytes, boot_id: int, boot_count: int) -> Map:
        """The payload of ATTEST_RSP. The key is included for pairing alone."""
        if self.bare:
            return {2: True}
        firmware = self.firmware
        statement: Map = {
            1: nonce,
            2: self.device,
            3: boot_id,
            4: firmware.image,
            5: firmware.version,
            6: firmware.security_counter,
            7: boot_count,
            8: self.debug,
        }
        if self.chained:
            statement[9] = True
        return {1: self.sign_statement(statement), 3: self.public_key}

    def sign_checkpoint(self, number: int, chain: bytes) -> bytes:
        """Sign the chain of events up to a number."""
        return self._key().sign(CHECKPOINT_CONTEXT + number.to_bytes(8, "little") + chain)

    def _key(self) -> "Ed25519PrivateKey":
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        seed = self.seed if len(self.seed) == SEED_BYTES else sha256(self.seed).digest()
        return Ed25519PrivateKey.from_private_bytes(seed)
