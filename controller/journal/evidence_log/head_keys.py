"""The one-time keys of heads: each signs one head, is durable before a leaf names it, then erased.

The key after the next is written over the used one, so that one write does both.
"""

import os
from hashlib import sha256
from pathlib import Path
from typing import Final

from controller.system.keys import PRIVATE_MODE, TableKey, key_of_seed, new_seed
from controller.system.named_file import require_regular

HEAD_KEYS_NAME: Final = "log.keys"
_SEED_BYTES: Final = 32
_SLOT_BYTES: Final = 8 + _SEED_BYTES + 32
_SLOTS: Final = 2


def _slot(size: int) -> bytes:
    """A new key for the head of that size, as it is stored."""
    head = size.to_bytes(8, "big") + new_seed()
    return head + sha256(head).digest()


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
            require_regular(self.path)
        except OSError as error:
            raise HeadKeysMissing(f"{self.path}: {error.strerror}") from None
        try:
            self._descriptor = os.open(self.path, flags, PRIVATE_MODE)
        except FileNotFoundError:
            raise HeadKeysMissing(f"{self.path}: there is no such file") from None
        if create:
            # The first head has no key of its own.
            os.pwrite(self._descriptor, _slot(2) + _slot(1), 0)
            os.fsync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)

    def key(self, size: int) -> TableKey | None:
        """The key of the head of that size, if it is here and whole."""
        stored = os.pread(self._descriptor, _SLOT_BYTES, self._at(size))
        head, digest = stored[: 8 + _SEED_BYTES], stored[8 + _SEED_BYTES :]
        if sha256(head).digest() != digest or int.from_bytes(head[:8], "big") != size:
            return None
        return key_of_seed(head[8:])

    def replace(self, used: int) -> None:
        """Write the key of the second head after that size over its own; durable on return."""
        os.pwrite(self._descriptor, _slot(used + _SLOTS), self._at(used))
        os.fdatasync(self._descriptor)

    @staticmethod
    def _at(size: int) -> int:
        return _SLOT_BYTES * (size % _SLOTS)
