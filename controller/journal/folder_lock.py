"""The journal's folder: made for its account alone, and locked by the one program that writes it.

Source: flock(2).
"""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Final

from controller.journal.database import FILE_MODE, FOLDER_MODE, describe_error
from controller.journal.values import JournalError
from controller.system.named_file import require_regular

LOCK_NAME: Final = "lock"
_OF_OTHERS: Final = 0o077


def narrow_modes(folder: Path) -> bool:
    """Take a journal from every account but its own; False where it was so already.

    Raises JournalError.
    """
    try:
        if not folder.stat().st_mode & _OF_OTHERS:
            return False
        # The folder first: then nobody else comes to what is in it.
        for one in (folder, *folder.rglob("*")):
            if not one.is_symlink():
                one.chmod(one.stat().st_mode & ~_OF_OTHERS & 0o7777)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise JournalError(
            f"{folder}: other accounts may read it, and that cannot be changed:"
            f" {describe_error(error)}. Remedy: make it, and what is in it, belong to the account"
            " that runs the table"
        ) from error
    return True


class FolderLock:
    """The lock on a journal's folder; held until released or the process ends."""

    __slots__ = ("_descriptor",)

    def __init__(self, folder: Path) -> None:
        """Raises JournalError naming the process that holds the lock."""
        path = folder / LOCK_NAME
        try:
            require_regular(path)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            self._descriptor = os.open(path, flags, FILE_MODE)
            # Versions to 0.7 made one that everybody could open, and hold.
            with contextlib.suppress(PermissionError):
                os.fchmod(self._descriptor, FILE_MODE)
        except OSError as error:
            raise JournalError(
                f"{path}: cannot create the lock file: {error.strerror}. Remedy: check that the"
                " folder belongs to this program's account and is not read-only."
            ) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._descriptor, 32).decode("ascii", "replace").strip()
            os.close(self._descriptor)
            raise JournalError(
                f"{folder}: process {holder or 'unknown'} already writes this journal. Allowed: one"
                " program at a time. Remedy: stop the other one first"
            ) from error
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, b"%d\n" % os.getpid(), 0)

    def release(self) -> None:
        """Let the next program in. The file stays: removing it would let two in at once."""
        os.close(self._descriptor)


def make_folder(folder: Path) -> None:
    """Create the folder durably. Raises JournalError."""
    try:
        folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(folder.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise JournalError(
            f"{folder}: cannot create the journal's folder: {error.strerror}. Remedy: create it by"
            " hand and give it to this program's account."
        ) from error
