"""Passwords of programs that scrape: a file of names and hashes, and who is admitted (RFC 7617).

A password is hashed once; after that the same header is known again by a keyed digest, so that a
scrape costs no hash.
Source: OWASP Password Storage Cheat Sheet.
"""

import base64
import hmac
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controller.system.atomic_file import SmallFileError, read_text
from controller.table.accounts.pin import (
    COSTS_ALLOWED,
    NO_HASH,
    NOT_A_HASH,
    PinHasher,
    hash_problem,
)

_SCHEME: Final = "basic "
_ALLOWED: Final = (
    f"Allowed: lines NAME:HASH, the hash as `argon2 SALT -id -e` prints it, with {COSTS_ALLOWED}"
)
_NAMES_MAX: Final = 64


def read_passwords(path: Path) -> Mapping[str, str]:
    """The hashes by name. Raises SmallFileError for what is wrong with the file; it names no hash.

    Empty lines and those that begin with # are left out.
    """
    found: dict[str, str] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, password_hash = line.strip().partition(":")
        what = hash_problem(password_hash) if name else NOT_A_HASH
        if name in found:
            what = "this name is there twice"
        if what:
            raise SmallFileError(f"{path}, line {number}: {what}. {_ALLOWED}. Remedy: correct it")
        found[name] = password_hash
    if not 0 < len(found) <= _NAMES_MAX:
        raise SmallFileError(
            f"{path}: it has {len(found)} names. {_ALLOWED}, 1 to {_NAMES_MAX} of them. Remedy: add"
            " one with its hash"
        )
    return found


class Passwords:
    """Who may ask. `admits` may be called from any thread; one hash is made at a time."""

    def __init__(self, hashes: Mapping[str, str]) -> None:
        self._hashes = hashes
        self._hasher = PinHasher()
        self._key = os.urandom(32)
        # The digest of the header that was right last, by name.
        self._known: dict[str, bytes] = {}

    def admits(self, authorization: str) -> bool:
        """Whether a request with this field may be answered."""
        if not authorization.lower().startswith(_SCHEME):
            return False
        encoded = authorization[len(_SCHEME) :].strip()
        digest = hmac.digest(self._key, encoded.encode(), "sha256")
        if any(hmac.compare_digest(digest, known) for known in tuple(self._known.values())):
            return True
        try:
            name, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
        except ValueError:
            return False
        # An unknown name costs as much as a wrong password.
        right = self._hasher.matches(password, self._hashes.get(name, NO_HASH))
        if right and name in self._hashes:
            self._known[name] = digest
            return True
        return False
