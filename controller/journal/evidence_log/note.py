"""Signed notes: a text and the signatures under it, as others' programs read and write them.

Source: C2SP signed-note and tlog-cosignature; RFC 8032 (Ed25519).
"""

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from enum import IntEnum
from hashlib import sha256
from typing import Final

from msgspec import Struct

from controller.system.keys import KeyAlgorithm, PublicKey, signature_der, signature_of_der

NOTE_BYTES_MAX: Final = 64 * 1024
SIGNATURES_MAX: Final = 64
_KEY_ID_BYTES: Final = 4
_TIME_BYTES: Final = 8
_ED25519_BYTES: Final = 64
_NAME: Final = re.compile(r"[^\s+\x00-\x1f]+")
_LINE: Final = re.compile("\u2014 ([^ ]+) ([A-Za-z0-9+/]+={0,2})")
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")


class NoteError(ValueError):
    """Bytes are not a signed note, or a signature does not hold; the message says which."""


class KeyType(IntEnum):
    """What a key signs; the number goes into the id of the key."""

    ED25519 = 0x01  # the text
    ECDSA = 0x02  # the same, in DER
    COSIGNATURE = 0x04  # the text and a time: a witness


class NoteKey(Struct, frozen=True):
    """A key whose signatures are known; its name has no spaces and no plus."""

    name: str
    type: KeyType
    public: PublicKey

    @property
    def id(self) -> bytes:
        """The 4 bytes by which a signature line names the key."""
        if self.type is KeyType.ECDSA:
            return sha256(self.public.der).digest()[:_KEY_ID_BYTES]
        named = self.name.encode() + b"\n" + bytes([self.type]) + self.public.raw
        return sha256(named).digest()[:_KEY_ID_BYTES]


def table_key(name: str, public: PublicKey) -> NoteKey:
    """The key of a table, or a one-time key, that signs texts under that name."""
    is_ecdsa = public.algorithm is KeyAlgorithm.ECDSA_P256
    return NoteKey(name, KeyType.ECDSA if is_ecdsa else KeyType.ED25519, public)


class SignatureLine(Struct, frozen=True):
    """One signature under a note: of which key, and its bytes without the key's id."""

    name: str
    key_id: bytes
    signature: bytes

    def text(self) -> str:
        encoded = base64.b64encode(self.key_id + self.signature).decode()
        return f"\u2014 {self.name} {encoded}\n"


class SignedNote(Struct, frozen=True):
    """A text, ending with a newline, and the signatures under it."""

    text: str
    signatures: tuple[SignatureLine, ...]

    def to_bytes(self) -> bytes:
        return f"{self.text}\n{''.join(one.text() for one in self.signatures)}".encode()


class ValidSignature(Struct, frozen=True):
    """A signature of a known key that holds; `time_s` is a witness's, in seconds since 1970."""

    key: NoteKey
    time_s: int | None = None


def is_key_name(name: str) -> bool:
    """Whether a text can name a key, and so a log."""
    return _NAME.fullmatch(name) is not None


def parse_note(data: bytes, *, unsigned: bool = False) -> SignedNote:
    """The note in these bytes; no signature is checked. Raises NoteError.

    `unsigned`: a text that nobody has signed yet is one, too.
    """
    if len(data) > NOTE_BYTES_MAX:
        raise NoteError(f"a note has at most {NOTE_BYTES_MAX} bytes, this one {len(data)}")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise NoteError("a note is UTF-8 text") from None
    if _CONTROL.search(text):
        raise NoteError("a note has no control characters but newlines")
    said, empty_line, signed = text.rpartition("\n\n")
    lines = signed.split("\n")
    if not empty_line or lines.pop() != "" or not (lines or unsigned):
        raise NoteError("a note is a text, an empty line, and lines of signatures")
    if len(lines) > SIGNATURES_MAX:
        raise NoteError(f"a note has at most {SIGNATURES_MAX} signatures, this one {len(lines)}")
    return SignedNote(f"{said}\n", tuple(map(_signature_line, lines)))


def _signature_line(line: str) -> SignatureLine:
    found = _LINE.fullmatch(line)
    if found is None or not is_key_name(found[1]):
        raise NoteError("a line of a signature is an em dash, a name, and base64")
    try:
        signed = base64.b64decode(found[2], validate=True)
    except binascii.Error:
        raise NoteError(f"the signature of {found[1]} is not base64") from None
    if len(signed) <= _KEY_ID_BYTES:
        raise NoteError(f"the signature of {found[1]} is too short")
    return SignatureLine(found[1], signed[:_KEY_ID_BYTES], signed[_KEY_ID_BYTES:])


def sign_line(key: NoteKey, text: str, sign: Callable[[bytes], bytes]) -> SignatureLine:
    """The table's signature line under a text; `sign` uses the private half of the key.

    It returns 64 bytes.
    """
    assert key.type is not KeyType.COSIGNATURE, "witnesses sign for themselves"
    signature = sign(text.encode())
    if key.type is KeyType.ECDSA:
        signature = signature_der(signature)
    return SignatureLine(key.name, key.id, signature)


def cosigned_bytes(text: str, time_s: int) -> bytes:
    """The bytes that a witness signs at that time."""
    return f"cosignature/v1\ntime {time_s}\n{text}".encode()


def valid_signatures(note: SignedNote, keys: Sequence[NoteKey]) -> tuple[ValidSignature, ...]:
    """The signatures of known keys; lines of unknown keys are passed over.

    Raises NoteError where a known key's line does not hold, and where no known key has signed.
    """
    known = {(one.name, one.id): one for one in keys}
    found: list[ValidSignature] = []
    for line in note.signatures:
        key = known.get((line.name, line.key_id))
        if key is None:
            continue
        checked = _checked(key, note.text, line.signature)
        if checked is None:
            raise NoteError(f"the signature of {key.name} does not hold")
        if checked.key not in [one.key for one in found]:
            found.append(checked)
    if not found:
        raise NoteError("no known key has signed it")
    return tuple(found)


def _checked(key: NoteKey, text: str, signature: bytes) -> ValidSignature | None:
    if key.type is not KeyType.COSIGNATURE:
        holds = _holds(key, signature, text.encode())
        return ValidSignature(key) if holds else None
    if len(signature) != _TIME_BYTES + _ED25519_BYTES:
        return None
    time_s = int.from_bytes(signature[:_TIME_BYTES], "big")
    signed = cosigned_bytes(text, time_s)
    holds = key.public.verifies(signature[_TIME_BYTES:], signed)
    return ValidSignature(key, time_s) if holds else None


def _holds(key: NoteKey, signature: bytes, data: bytes) -> bool:
    if key.type is KeyType.ECDSA:
        try:
            signature = signature_of_der(signature)
        except ValueError:
            return False
    return key.public.verifies(signature, data)
