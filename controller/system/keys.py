"""The table's key: an Ed25519 key pair in a file that only the table's account can read.

A TableKey never prints, logs or returns the private key; it shows only the fingerprint. A public
key may also be of ECDSA: such a private key is in hardware.
Source: RFC 8032 (Ed25519), RFC 8410 (its PEM form), FIPS 186-5 (ECDSA), SEC 1 (its points), RFC
3279 (its signatures in DER).
"""

import contextlib
import hashlib
import os
import stat
from enum import StrEnum
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from msgspec import Struct

from controller.system.named_file import open_file

PRIVATE_MODE: Final = 0o600
PUBLIC_MODE: Final = 0o644
PUBLIC_SUFFIX: Final = ".pub"
_OTHERS: Final = 0o077
_FILE_BYTES_MAX: Final = 16_384
_GROUP_DIGITS: Final = 8
_COORDINATE_BYTES: Final = 32
_POINT_BYTES: Final = 1 + 2 * _COORDINATE_BYTES


class KeyFileError(Exception):
    """A key file cannot be made or used; the message says why and what to do."""


class KeyAlgorithm(StrEnum):
    """How a key signs."""

    ED25519 = "ed25519"
    ECDSA_P256 = "ecdsa-p256"  # over the SHA-256 of the data


class PublicKey(Struct, frozen=True):
    """A public key: of Ed25519, 32 bytes; of ECDSA P-256, the uncompressed point, 65 bytes."""

    raw: bytes

    @property
    def algorithm(self) -> KeyAlgorithm:
        is_point = len(self.raw) == _POINT_BYTES
        return KeyAlgorithm.ECDSA_P256 if is_point else KeyAlgorithm.ED25519

    @property
    def fingerprint(self) -> bytes:
        """SHA-256 of the raw bytes."""
        return hashlib.sha256(self.raw).digest()

    @property
    def der(self) -> bytes:
        """The key as SubjectPublicKeyInfo. Raises ValueError where the bytes are no key."""
        return _crypto_key(self).public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    def pem(self) -> str:
        """The key as PEM. Raises ValueError where the bytes are no key."""
        return (
            _crypto_key(self).public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        )

    def verifies(self, signature: bytes, data: bytes) -> bool:
        """Whether the owner of this key signed the data; a signature has 64 bytes."""
        try:
            match _crypto_key(self):
                case Ed25519PublicKey() as key:
                    key.verify(signature, data)
                case key:
                    key.verify(signature_der(signature), data, ec.ECDSA(SHA256()))
        except (InvalidSignature, ValueError):
            return False
        return True


def signature_der(signature: bytes) -> bytes:
    """The DER form of an ECDSA signature, given as r and s, 32 bytes each. Raises ValueError."""
    if len(signature) != 2 * _COORDINATE_BYTES:
        raise ValueError(f"{len(signature)} bytes")
    halves = signature[:_COORDINATE_BYTES], signature[_COORDINATE_BYTES:]
    return encode_dss_signature(*(int.from_bytes(half, "big") for half in halves))


def signature_of_der(der: bytes) -> bytes:
    """The 64 bytes of an ECDSA signature in DER. Raises ValueError where it is none."""
    try:
        return b"".join(
            half.to_bytes(_COORDINATE_BYTES, "big") for half in decode_dss_signature(der)
        )
    except OverflowError:
        raise ValueError("a signature of another curve") from None


class TableKey(Struct, frozen=True):
    """A key pair; repr and comparison leave out the private key."""

    public: PublicKey
    _private: Ed25519PrivateKey

    def __repr__(self) -> str:
        return f"TableKey(public={self.public!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TableKey) and self.public == other.public

    def __hash__(self) -> int:
        return hash(self.public)

    def sign(self, data: bytes) -> bytes:
        """The signature, 64 bytes."""
        return self._private.sign(data)


def fingerprint_text(fingerprint: bytes) -> str:
    """A fingerprint for people to compare: lower-case hex digits in groups of eight."""
    digits = fingerprint.hex()
    return " ".join(digits[at : at + _GROUP_DIGITS] for at in range(0, len(digits), _GROUP_DIGITS))


def public_path(path: Path) -> Path:
    """The path of a key file's public key."""
    return path.with_name(path.name + PUBLIC_SUFFIX)


def make_key(path: Path) -> TableKey:
    """Make a new key in a new file, and its public key beside it. Raises KeyFileError.

    An existing file is never overwritten.
    """
    public_file = public_path(path)
    if public_file.exists() and not path.exists():
        raise KeyFileError(
            f"{public_file}: the key of this public key is not here, and it is not overwritten."
            " Remedy: put that key back, or move this file away, too"
        )
    private = Ed25519PrivateKey.generate()
    key = _table_key(private)
    text = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    _write_new(path, text, PRIVATE_MODE)
    export_public(path, key.public)
    return key


def new_seed() -> bytes:
    """The 32 bytes of a new Ed25519 key that is kept in no key file."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def key_of_seed(seed: bytes) -> TableKey:
    """The key of these 32 bytes."""
    return _table_key(Ed25519PrivateKey.from_private_bytes(seed))


def export_public(path: Path, public: PublicKey) -> Path:
    """Write the public key beside the key file, unless it is there already.

    Raises KeyFileError.
    """
    public_file = public_path(path)
    text = public.pem().encode()
    if _read_bytes(public_file) != text:
        _write_new(public_file, text, PUBLIC_MODE)
    return public_file


def load_key(path: Path) -> TableKey:
    """Load a key from a file that only this account can read. Raises KeyFileError."""
    try:
        # Symbolic links are not followed: the owner of a link could replace the key.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise KeyFileError(
            f"{path}: there is no key. Remedy: make one with `smartshoe keys make {path}`"
        ) from None
    except OSError as error:
        raise KeyFileError(
            f"{path}: cannot be opened: {error.strerror}. Allowed: a file, not a link, that this"
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
            f"{path}: this is not an Ed25519 key, or it is damaged. Remedy: restore the file from"
            " its backup, or move it away and make a new key; receipts of the old key then need its"
            f" public key ({public_path(path).name}) as a trusted one"
        )
    return _table_key(private)


def load_public(path: Path) -> PublicKey:
    """Load a public key as `smartshoe keys` exports it. Raises KeyFileError."""
    data = _read_bytes(path)
    if data is None:
        raise KeyFileError(
            f"{path}: there is no such public key, or it cannot be read. Remedy: `smartshoe keys"
            " show` writes a table's public key beside its key"
        )
    try:
        public = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        public = None
    match public:
        case Ed25519PublicKey():
            return _public_key(public)
        case ec.EllipticCurvePublicKey(curve=ec.SECP256R1()):
            return PublicKey(public.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))
        case _:
            raise KeyFileError(
                f"{path}: this is no public key of Ed25519 or ECDSA P-256. Allowed: a file ending"
                f" with {PUBLIC_SUFFIX} as `smartshoe keys show` or a token's tool exports it."
                " Remedy: export it again"
            )


def _require_private(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise KeyFileError(f"{path}: this is not a file. Remedy: name the key file")
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
    """Write a new file and fsync it and its folder; an incomplete file is removed."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except FileExistsError:
        raise KeyFileError(
            f"{path}: there is a file of this name, and it is not overwritten. Remedy: use it, or"
            " move it away first"
        ) from None
    except OSError as error:
        raise KeyFileError(
            f"{path}: cannot be made: {error.strerror}. Remedy: create its folder, and let this"
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
        raise KeyFileError(
            f"{path}: cannot be written: {error.strerror}. Remedy: make room, or name another disk"
        ) from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_bytes(path: Path) -> bytes | None:
    try:
        with open_file(path) as file:
            return file.read(_FILE_BYTES_MAX)
    except OSError:
        return None


def _table_key(private: Ed25519PrivateKey) -> TableKey:
    return TableKey(_public_key(private.public_key()), private)


def _public_key(public: Ed25519PublicKey) -> PublicKey:
    return PublicKey(public.public_bytes_raw())


def _crypto_key(key: PublicKey) -> Ed25519PublicKey | ec.EllipticCurvePublicKey:
    if key.algorithm is KeyAlgorithm.ED25519:
        return Ed25519PublicKey.from_public_bytes(key.raw)
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key.raw)
