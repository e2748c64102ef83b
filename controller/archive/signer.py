"""Who signs a table's seals: its key file, a program that asks a token, or nobody.

Responsible for: opening the key that the configuration names, making the usual one where none is
there yet, asking the house's own program for a signature and checking it, and saying in words who
signs or why nobody does.
Not responsible for: what is signed (sealing, seal_list), and for key files (keys).
Source: package README, "Evidence", "The table's key"; RFC 8032 (Ed25519).
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from controller.system.keys import (
    KeyFileError,
    PublicKey,
    TableKey,
    fingerprint_text,
    load_key,
    load_public,
    make_key,
)

PROGRAM_S_MAX: Final = 10.0
SIGNATURE_BYTES: Final = 64


class SignFailed(Exception):
    """There is no signature now; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class SigningSettings:
    """Who signs: the key file `key`, made at the first start where `make` says so, or `program`,

    whose signatures `public_key` verifies; nobody where `sign` is not wanted.
    """

    key: Path
    make: bool = True
    sign: bool = True
    program: tuple[str, ...] = ()
    public_key: Path | None = None


@dataclass(frozen=True, slots=True)
class KeySigner:
    """Signs with a key of a file."""

    key: TableKey
    words: str

    @property
    def public(self) -> PublicKey:
        return self.key.public

    def sign(self, data: bytes) -> bytes:
        """The signature, 64 bytes."""
        return self.key.sign(data)


@dataclass(frozen=True, slots=True)
class ProgramSigner:
    """Asks a program of the house, which holds the key, for each signature."""

    program: tuple[str, ...]
    public: PublicKey
    words: str
    timeout_s: float = PROGRAM_S_MAX

    def sign(self, data: bytes) -> bytes:
        """The signature, 64 bytes, checked. Raises SignFailed."""
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
                f"{name} gave no signature within {self.timeout_s:g} s. Remedy: look whether its"
                " token is plugged in and unlocked"
            ) from None
        except OSError as error:
            raise SignFailed(
                f"{name} cannot be run: {error.strerror}. Remedy: see that evidence.signer names a"
                " program that this account may run"
            ) from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            why = f": {said[-1][:200]}" if said else ""
            raise SignFailed(
                f"{name} ended with {done.returncode}{why}. Remedy: run it by hand with a file on"
                " its standard input"
            )
        if len(done.stdout) != SIGNATURE_BYTES or not self.public.verifies(done.stdout, data):
            raise SignFailed(
                f"what {name} printed is no signature by the key of evidence.public_key. Allowed:"
                f" {SIGNATURE_BYTES} raw bytes, Ed25519 over its standard input. Remedy: name the"
                " public key of the token that it asks"
            )
        return done.stdout


@dataclass(frozen=True, slots=True)
class NoSigner:
    """Nobody signs; `words` say why. `wanted`: somebody should."""

    words: str
    wanted: bool


Signer: TypeAlias = KeySigner | ProgramSigner | NoSigner


def open_signer(settings: SigningSettings, *, make: bool = False) -> Signer:
    """Who signs. With `make` the usual key is made where there is none yet."""
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


def _key_signer(settings: SigningSettings, *, make: bool) -> KeySigner:
    fresh = make and settings.make and not settings.key.exists()
    key = make_key(settings.key) if fresh else load_key(settings.key)
    made = ", just made" if fresh else ""
    fingerprint = fingerprint_text(key.public.fingerprint)
    return KeySigner(key, f"{settings.key}{made}, fingerprint {fingerprint}")
