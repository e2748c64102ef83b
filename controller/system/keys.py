"""The table's key: an Ed25519 key pair in a file that only the table's account can read.

Responsible for: making the key once, reading it only from a file nobody else can read or change,
exporting the public key beside it, signing, verifying and fingerprints.
Not responsible for: what is signed (controller.custody.receipt).
Source: package README, "The table's key"; RFC 8032 (Ed25519), RFC 8410 (its PEM form).

Nothing here prints, logs or returns the private key: a TableKey shows its fingerprint only.
"""

import contextlib
import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

PRIVATE_MODE: Final = 0o600
PUBLIC_MODE: Final = 0o644
PUBLIC_SUFFIX: Final = ".pub"
_OTHERS: Final = 0o077
_FILE_BYTES_MAX: Final = 16_384
_GROUP_DIGITS: Final = 8


class KeyFileError(Exception):
    """A key file cannot be made or used; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key by its 32 bytes."""

    raw: bytes

    @property
    def fingerprint(self) -> bytes:
        """SHA-256 of the 32 bytes."""
        return hashlib.sha256(self.raw).digest()

    def pem(self) -> str:
        """The key as other programs read it."""
        return _public(self).public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()

    def verifies(self, signature: bytes, data: bytes) -> bool:
        """Whether the owner of this key signed the data."""
        try:
            _public(self).verify(signature, data)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class TableKey:
    """A key pair. The private half is no part of what is shown or compared."""

    public: PublicKey
    _private: Ed25519PrivateKey = field(repr=False, compare=False)

    def sign(self, data: bytes) -> bytes:
        """The signature, 64 bytes."""
        return self._private.sign(data)


def fingerprint_text(fingerprint: bytes) -> str:
    """A fingerprint as people compare it: small hex digits in groups of eight."""
    digits = fingerprint.hex()
    return " ".join(digits[at : at + _GROUP_DIGITS] for at in range(0, len(digits), _GROUP_DIGITS))


def public_path(path: Path) -> Path:
    """Where the public key of a key file stands."""
    return path.with_name(path.name + PUBLIC_SUFFIX)


def make_key(path: Path) -> TableKey:
    """Make a new key in a new file, and its public key beside it. Raises KeyFileError.

    A file that is there is never written to, whatever it holds.
    """
    beside = public_path(path)
    if beside.exists() and not path.exists():
        raise KeyFileError(
            f"{beside}: this public key is of a key that is not here, and it is not overwritten."
            " Remedy: put that key back, or move this file away, too"
        )
    private = Ed25519PrivateKey.generate()
    key = _key(private)
    text = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    _write_new(path, text, PRIVATE_MODE)
    export_public(path, key.public)
    return key


def export_public(path: Path, public: PublicKey) -> Path:
    """Write the public key beside the key file; one that says the same stays as it is.

    Raises KeyFileError.
    """
    beside = public_path(path)
    text = public.pem().encode()
    if _content(beside) != text:
        _write_new(beside, text, PUBLIC_MODE)
    return beside


def load_key(path: Path) -> TableKey:
    """The key of a file only this account can read. Raises KeyFileError."""
    try:
        # No link is followed: whoever may change a link could exchange the key.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise KeyFileError(
            f"{path}: there is no key. Make one with `smartshoe keys make {path}`"
        ) from None
    except OSError as error:
        raise KeyFileError(
            f"{path}: cannot be opened: {error.strerror}. Allowed: a file, no link, that this"
            " account may read. Remedy: name the key file itself, or give it to this account"
        ) from error
    try:
        _require_private(path, os.fstat(descriptor))
        data = os.read(descriptor, _FILE_BYTES_MAX)
    finally:
        os.close(descriptor)
    try:
        private = load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        private = None
    if not isinstance(private, Ed25519PrivateKey):
        raise KeyFileError(
            f"{path}: this is no Ed25519 key, or it is damaged. Remedy: put the file back from its"
            " backup, or move it away and make a new key; receipts of the old key then need its"
            f" public key ({public_path(path).name}) as a trusted one"
        )
    return _key(private)


def load_public(path: Path) -> PublicKey:
    """The public key of a file as `smartshoe keys` exports it. Raises KeyFileError."""
    data = _content(path)
    if data is None:
        raise KeyFileError(
            f"{path}: there is no such public key, or it cannot be read. Remedy: `smartshoe keys"
            " show` writes a table's public key beside its key"
        )
    try:
        public = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        public = None
    if not isinstance(public, Ed25519PublicKey):
        raise KeyFileError(
            f"{path}: this is no Ed25519 public key. Allowed: a file ending with {PUBLIC_SUFFIX} as"
            " `smartshoe keys show` exports it. Remedy: export it again"
        )
    return _public_of(public)


def _require_private(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise KeyFileError(f"{path}: this is no file. Remedy: name the key file")
    if found.st_uid != os.geteuid():
        raise KeyFileError(
            f"{path}: it belongs to account {found.st_uid}. Allowed: the account that runs this"
            f" program ({os.geteuid()}) alone. Remedy: run it as that account, or"
            f" `chown {os.geteuid()} {path}`"
        )
    if found.st_mode & _OTHERS:
        mode = stat.S_IMODE(found.st_mode)
        raise KeyFileError(
            f"{path}: its mode is {mode:04o}, so that others may read or change it. Allowed:"
            f" {PRIVATE_MODE:04o}. Remedy: `chmod 600 {path}`; if others could have read it, make a"
            " new key"
        )


def _write_new(path: Path, data: bytes, mode: int) -> None:
    """A new file with its name on the disk. What could not be written whole is taken away."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except FileExistsError:
        raise KeyFileError(
            f"{path}: there is a file of this name, and it is not overwritten. Remedy: use it, or"
            " move it away first"
        ) from None
    except OSError as error:
        raise KeyFileError(
            f"{path}: cannot be made: {error.strerror}. Remedy: make its folder, and let this"
            " account write there"
        ) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(path.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise KeyFileError(f"{path}: cannot be written: {error.strerror}") from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _content(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(_FILE_BYTES_MAX)
    except OSError:
        return None


def _key(private: Ed25519PrivateKey) -> TableKey:
    return TableKey(_public_of(private.public_key()), private)


def _public_of(public: Ed25519PublicKey) -> PublicKey:
    return PublicKey(public.public_bytes_raw())


def _public(key: PublicKey) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(key.raw)
