"""Signs a table's seals: with its key file, through the house's own program, or not at all.

Source: RFC 8032 (Ed25519), RFC 3279 (an ECDSA signature in DER).
"""

import os
import subprocess
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from controller.journal.shoe_file import ShoeFile
from controller.system.keys import (
    KeyAlgorithm,
    KeyFileError,
    PublicKey,
    TableKey,
    fingerprint_text,
    load_key,
    load_public,
    make_key,
    public_path,
    signature_of_der,
)

PROGRAM_S_MAX: Final = 10.0
_PRINTED: Final = {
    KeyAlgorithm.ED25519: "64 raw bytes, Ed25519 over its standard input",
    KeyAlgorithm.ECDSA_P256: "DER, ECDSA over the SHA-256 of its standard input",
}


class SignFailed(Exception):
    """No signature could be made; the message says why and what to do."""


class SigningSettings(Struct, frozen=True):
    """Who signs: the key file `key`, a `program`, or nobody where `sign` is False.

    `make` creates a missing key file at the first start. `public_key` verifies the signatures of
    `program`.
    """

    key: Path
    make: bool = True
    sign: bool = True
    program: tuple[str, ...] = ()
    public_key: Path | None = None

    @property
    def makes_key(self) -> bool:
        """Whether a first start makes the key: a file that is to be there, and is not yet."""
        return self.sign and self.make and not self.program and not self.key.exists()


class KeySigner(Struct, frozen=True):
    """Signs with the key in a file. `words` name file and fingerprint."""

    key: TableKey
    words: str

    @property
    def public(self) -> PublicKey:
        return self.key.public

    def sign(self, data: bytes) -> bytes:
        """The signature, 64 bytes."""
        return self.key.sign(data)


class ProgramSigner(Struct, frozen=True):
    """Runs the house's own program, which has access to the key, for each signature."""

    program: tuple[str, ...]
    public: PublicKey
    words: str
    timeout_s: float = PROGRAM_S_MAX

    def sign(self, data: bytes) -> bytes:
        """The signature, 64 bytes, verified. Raises SignFailed."""
        name = self.program[0]
        try:
            done = subprocess.run(  # noqa: S603 - the house names it in its own table.toml
                self.program,
                input=data,
                capture_output=True,
                timeout=self.timeout_s,
                check=False,
                start_new_session=True,
            )
        except subprocess.TimeoutExpired:
            raise SignFailed(
                f"{name} returned no signature within {self.timeout_s:g} s. Remedy: check that its"
                " token is plugged in and unlocked"
            ) from None
        except OSError as error:
            raise SignFailed(
                f"{name} cannot be run: {error.strerror}. Remedy: see that evidence.signer names a"
                " program that this account may run"
            ) from error
        if done.returncode != 0:
            lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
            why = f": {lines[-1][:200]}" if lines else ""
            raise SignFailed(
                f"{name} ended with {done.returncode}{why}. Remedy: run it by hand with a file on"
                " its standard input"
            )
        signature = self._signature(done.stdout)
        if not self.public.verifies(signature, data):
            raise SignFailed(
                f"{name} did not print a signature by the key of evidence.public_key. Allowed:"
                f" {_PRINTED[self.public.algorithm]}. Remedy: name the public key of the token that"
                " it uses"
            )
        return signature

    def _signature(self, printed: bytes) -> bytes:
        """The signature in what the program printed; empty where it is none."""
        if self.public.algorithm is KeyAlgorithm.ED25519:
            return printed
        try:
            return signature_of_der(printed)
        except ValueError:
            return b""


class NoSigner(Struct, frozen=True):
    """Nobody signs; `words` say why. `wanted`: signing is configured but not possible."""

    words: str
    wanted: bool


Signer: TypeAlias = KeySigner | ProgramSigner | NoSigner


def seal_holds(shoe: ShoeFile) -> bool:
    """Whether the key that a sealed file names made its signature."""
    key = PublicKey(shoe.heading.signer)
    named = shoe.heading.algorithm == key.algorithm
    return named and key.verifies(shoe.signature, shoe.signed_bytes)


def open_signer(settings: SigningSettings, *, make: bool = False) -> Signer:
    """The signer that the settings name. With `make`, a missing key file is created."""
    if not settings.sign:
        return NoSigner("evidence.sign is false", wanted=False)
    try:
        if settings.program and settings.public_key is not None:
            public = load_public(settings.public_key)
            words = f"{settings.program[0]}, key {fingerprint_text(public.fingerprint)}"
            return ProgramSigner(settings.program, public, words)
        return _key_signer(settings, make=make)
    except KeyFileError as error:
        return NoSigner(str(error), wanted=True)


def why_not_made(settings: SigningSettings, journal: Path, *, by_table: bool = True) -> str:
    """Why a first start could not make the key file, with a remedy; empty where it can.

    The journal's own folder it makes first. `by_table`: this account is the table's.
    """
    key, public = settings.key, public_path(settings.key)
    if not settings.makes_key:
        return ""
    if public.exists():
        return (
            f"{key} cannot be made: {public.name} of another key is there. Remedy: put that key"
            " back, or move this file away, too"
        )
    folder = key.parent
    usable = os.access(folder, os.W_OK | os.X_OK, effective_ids=True) if by_table else False
    if usable or (folder.is_dir() and not by_table) or folder == journal:
        return ""
    return (
        f"{key} cannot be made: {folder} is not there, or the table's account may not write into"
        " it. Remedy: make it and give it to that account, or name another file in [evidence] key"
    )


def _key_signer(settings: SigningSettings, *, make: bool) -> KeySigner:
    new = make and settings.makes_key
    key = make_key(settings.key) if new else load_key(settings.key)
    created = ", just created" if new else ""
    fingerprint = fingerprint_text(key.public.fingerprint)
    return KeySigner(key, f"{settings.key}{created}, fingerprint {fingerprint}")
