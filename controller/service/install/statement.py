"""A signed statement of who makes or approves what is installed: a kind, lines, whose key.

Source: C2SP signed-note.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.journal.evidence_log.note import (
    NOTE_BYTES_MAX,
    KeyType,
    NoteError,
    NoteKey,
    SignedNote,
    is_key_name,
    parse_note,
    sign_line,
    valid_signatures,
)
from controller.system.keys import PublicKey, TableKey, fingerprint_text
from controller.system.named_file import read_file

_REMEDY: Final = "Remedy: take it as it was signed, and the key of who signed it"


class SignedStatementError(Exception):
    """A statement cannot be read or believed; the message says why and what to do."""


class SignedStatement(Struct, frozen=True):
    """The lines of a statement, and the key whose signature holds."""

    lines: tuple[str, ...]
    name: str
    key: PublicKey

    @property
    def signer(self) -> str:
        """The name that the signer gives itself, and the key, which alone proves it."""
        return f"{self.name}, key {fingerprint_text(self.key.fingerprint)}"


def sign_statement(kind: str, lines: Sequence[str], name: str, key: TableKey) -> bytes:
    """The signed note. Raises SignedStatementError for a name that no note can have."""
    if not is_key_name(name):
        raise SignedStatementError(
            f"--name: {name!r} cannot name a key. Allowed: one word without a plus. Remedy: write"
            " a name such as maker.example"
        )
    text = "".join(f"{line}\n" for line in (kind, *lines))
    named = NoteKey(name, KeyType.ED25519, key.public)
    return SignedNote(text, (sign_line(named, text, key.sign),)).to_bytes()


def read_statement(path: Path, kind: str, keys: Sequence[PublicKey]) -> SignedStatement:
    """A statement of that kind that one of these keys has signed. Raises SignedStatementError."""
    try:
        note = parse_note(read_file(path, NOTE_BYTES_MAX))
        known = [
            NoteKey(line.name, KeyType.ED25519, key) for line in note.signatures for key in keys
        ]
        signed = valid_signatures(note, known)[0].key
    except OSError as error:
        raise SignedStatementError(
            f"{path}: cannot be read: {error.strerror}. Remedy: correct the path"
        ) from error
    except NoteError as error:
        raise SignedStatementError(f"{path}: {error}. {_REMEDY}") from error
    first, *lines = note.text.splitlines()
    if first != kind:
        raise SignedStatementError(f"{path}: it is no {kind}, but {first!r}. {_REMEDY}")
    return SignedStatement(tuple(lines), signed.name, signed.public)
