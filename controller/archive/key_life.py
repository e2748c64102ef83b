"""Changes of the table's keys while it stands still, each a leaf with the person who made it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from controller.archive.log_keys import (
    KeysOnRecord,
    key_words,
    keys_on_record,
    numbered,
    numbered_key,
    require_in_service,
    require_key,
    sign_head,
    with_keys,
)
from controller.archive.log_writer import continue_log
from controller.archive.signer import NoSigner, Signer
from controller.journal.evidence_log.checkpoint import TreeHead
from controller.journal.evidence_log.leaf import Leaf, LeafKind, leaf_by
from controller.journal.evidence_log.log import EvidenceLog
from controller.journal.store import Journal
from controller.journal.values import JournalError
from controller.rules.actions.declaration import Author
from controller.system.keys import PublicKey

# What a key signs to show that it can; no head and no seal begins so.
_TRIAL: Final = b"smartshoe key trial\n"


class KeyRefused(JournalError):
    """The keys of the table do not change so; the message says why and what to do."""


def name_key(
    journal: Journal,
    origin: str,
    signer: Signer,
    by: Author,
    at_ns: int,
    *,
    old: Signer | None = None,
    lost: bool = False,
) -> TreeHead:
    """Put the table's key on record as its key from now on; `old`, the key before, signs that, too.

    `lost`: the key before is gone, and cannot. Raises KeyRefused, SignFailed, JournalError,
    OSError; where a key does not sign, nothing has changed.
    """
    with _open(journal, origin, at_ns) as log:
        found, folder = keys_on_record(log.database), journal.file.parent
        leaf = with_keys(leaf_by(by, LeafKind.KEY, journal.head, at_ns), folder, signer)
        _check_new(found, leaf)
        _check_old(found, leaf.key, b"" if old is None else numbered_key(old), lost=lost)
        signers = [one for one in (signer, old) if one is not None]
        for one in signers:
            _check_signs(one)
        log.add(leaf)
        for one in signers:
            sign_head(log, one)
        return log.head


def revoke_key(
    journal: Journal, origin: str, signer: Signer, key: PublicKey, by: Author, at_ns: int
) -> TreeHead:
    """Say that a key that was the table's is not to be trusted from now on.

    Raises KeyRefused, SignFailed, JournalError, OSError.
    """
    with _open(journal, origin, at_ns) as log:
        found, revoked = require_key(log, signer), numbered(key)
        if revoked == found.key:
            raise KeyRefused(
                f"{key_words(revoked)} is the table's key. Allowed: one that was it before. Remedy:"
                " put another on record first, with `smartshoe keys rotate` or `lost`"
            )
        if revoked not in found.others - found.revoked:
            raise KeyRefused(
                f"{key_words(revoked)} was never this table's key, or is revoked already. Allowed:"
                " a key that its evidence log names. Remedy: name the public key that is meant"
            )
        leaf = replace(leaf_by(by, LeafKind.REVOKED, journal.head, at_ns), key=revoked)
        return _add_signed(log, leaf, signer, found)


def retire_table(journal: Journal, origin: str, signer: Signer, by: Author, at_ns: int) -> TreeHead:
    """End the table's log: no run follows. Raises KeyRefused, SignFailed, JournalError, OSError."""
    with _open(journal, origin, at_ns) as log:
        leaf = leaf_by(by, LeafKind.RETIRED, journal.head, at_ns)
        return _add_signed(log, leaf, signer, require_key(log, signer))


@contextmanager
def _open(journal: Journal, origin: str, at_ns: int) -> Iterator[EvidenceLog]:
    log = continue_log(journal, origin, at_ns, require_in_service)
    try:
        yield log
    finally:
        log.close()


def _add_signed(log: EvidenceLog, leaf: Leaf, signer: Signer, found: KeysOnRecord) -> TreeHead:
    """Add a leaf whose head the table's key signs, where the table has one."""
    if found.key:
        _check_signs(signer)
    log.add(leaf)
    if not isinstance(signer, NoSigner):
        sign_head(log, signer)
    return log.head


def _check_signs(signer: Signer) -> None:
    """Before anything is on record: a leaf whose key never signed would be a failure for ever."""
    if isinstance(signer, NoSigner):
        raise KeyRefused(
            f"the table's key cannot sign: {signer.words}. Allowed: the key of [evidence] in"
            " table.toml. Remedy: put it in its place"
        )
    signer.sign(_TRIAL)


def _check_new(found: KeysOnRecord, leaf: Leaf) -> None:
    if leaf.key in found.revoked:
        raise KeyRefused(
            f"{key_words(leaf.key)} was revoked. Allowed: a key that was not. Remedy: make another,"
            " and name it in table.toml"
        )
    if (leaf.key, leaf.witness_key) == (found.key, found.witness_key):
        raise KeyRefused(
            f"the evidence log names {key_words(leaf.key)} already. Allowed: another key. Remedy:"
            " name the new one in table.toml first"
        )


def _check_old(found: KeysOnRecord, new: bytes, old: bytes, *, lost: bool) -> None:
    """Whether the key before signs as it must; there is none where the log names none, or `new`."""
    needed = found.key if found.key != new and not lost else b""
    if lost and found.key in (b"", new):
        raise KeyRefused(
            f"the evidence log names {key_words(found.key)}, and no other is gone. Remedy: use"
            " `smartshoe keys rotate`"
        )
    if old != needed:
        raise KeyRefused(
            f"{key_words(old)} signs as the key before, and the evidence log names"
            f" {key_words(found.key)}. Allowed: {key_words(needed)}. Remedy: name with --old the"
            " table.toml that names the key before; where that key is gone, use `smartshoe keys"
            " lost`"
        )
