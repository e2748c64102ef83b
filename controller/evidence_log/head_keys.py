"""The one-time keys of heads: each signs one head, is durable before a leaf names it, then erased.

Source: controller/journal/README.md, "Evidence log".
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import Final

from controller.system.keys import PRIVATE_MODE, TableKey, key_of_seed, new_seed

HEAD_KEYS_NAME: Final = "log.keys"
_SEED_BYTES: Final = 32
_SLOT_BYTES: Final = 8 + _SEED_BYTES + 32
_SLOTS: Final = 2
_ERASED: Final = bytes(_SLOT_BYTES)


class HeadKeysMissing(Exception):
    """The file of one-time keys is not there, or not one; the message says which."""


class HeadKeys:
    """The file with the keys of the next two heads. Every call may raise OSError."""

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        """Raises HeadKeysMissing where there is no such file and none is to be made."""
        self.path = folder / HEAD_KEYS_NAME
        flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
        if create:
            flags |= os.O_CREAT | os.O_TRUNC
        try:
            self._descriptor = os.open(self.path, flags, PRIVATE_MODE)
        except FileNotFoundError:
            raise HeadKeysMissing(f"{self.path}: there is no such file") from None
        if create:
            os.pwrite(self._descriptor, _ERASED * _SLOTS, 0)
            os.fsync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)

    def prepare(self, size: int) -> TableKey:
        """Make the key of the head of that size; it is durable on return."""
        seed = new_seed()
        head = size.to_bytes(8, "big") + seed
        self._store(size, head + sha256(head).digest())
        return key_of_seed(seed)

    def key(self, size: int) -> TableKey | None:
        """The key of the head of that size, if it is here and whole."""
        stored = os.pread(self._descriptor, _SLOT_BYTES, self._at(size))
        head, digest = stored[: 8 + _SEED_BYTES], stored[8 + _SEED_BYTES :]
        if sha256(head).digest() != digest or int.from_bytes(head[:8], "big") != size:
            return None
        return key_of_seed(head[8:])

    def erase(self, size: int) -> None:
        """Overwrite the key of that size, or what is in its place; durable on return."""
        if os.pread(self._descriptor, _SLOT_BYTES, self._at(size)) != _ERASED:
            self._store(size, _ERASED)

    def _store(self, size: int, slot: bytes) -> None:
        os.pwrite(self._descriptor, slot, self._at(size))
        os.fdatasync(self._descriptor)

    @staticmethod
    def _at(size: int) -> int:
        return _SLOT_BYTES * (size % _SLOTS)
