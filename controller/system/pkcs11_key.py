"""Signs with a key in a PKCS#11 token: a smart card, a USB token, a hardware security module.

Source: OASIS PKCS#11 version 3.0, sections 2.3 (elliptic curves: ECDSA, EdDSA); python-pkcs11.
"""

import hashlib
from pathlib import Path

import pkcs11
from msgspec import Struct
from pkcs11 import KeyType, Mechanism, ObjectClass, PKCS11Error
from pkcs11.types import SignMixin

from controller.system.keys import signature_der
from controller.system.named_file import read_secret, require_regular


class TokenFailed(Exception):
    """The token did not sign; the message says why and what to do."""


class TokenKey(Struct, frozen=True):
    """Where a key is: the token's library and label, the key's label, and a file with the PIN."""

    module: Path
    token: str
    label: str
    pin_file: Path

    def sign(self, data: bytes) -> bytes:
        """The signature: Ed25519, 64 bytes; or ECDSA over SHA-256, in DER. Raises TokenFailed."""
        try:
            pin = read_secret(self.pin_file).decode("utf-8-sig").strip()
            require_regular(self.module)
            token = pkcs11.lib(str(self.module)).get_token(token_label=self.token)
            with token.open(user_pin=pin) as session:
                key = session.get_key(object_class=ObjectClass.PRIVATE_KEY, label=self.label)
                assert isinstance(key, SignMixin), "a private key signs"
                if key.key_type == KeyType.EC:
                    digest = hashlib.sha256(data).digest()
                    return signature_der(key.sign(digest, mechanism=Mechanism.ECDSA))
                return key.sign(data, mechanism=Mechanism.EDDSA)
        except (PKCS11Error, OSError, ValueError) as error:
            why = str(error) or type(error).__name__
            raise TokenFailed(
                f"key {self.label} in token {self.token}: {why}. Allowed: a key of Ed25519 or ECDSA"
                f" P-256. Remedy: check that the token is plugged in, and the PIN in"
                f" {self.pin_file}; `pkcs11-tool --module {self.module} --list-objects` shows what"
                " is there"
            ) from error
