"""The symbolic link to an emulated line: replaces and removes no file but its own.

Source: symlink(2), flock(2); hil/README.md, "Serving an emulator".
"""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hil.emulator.lines.line import LineUnavailable

_TERMINAL: Final = re.compile(r"/dev/pts/[0-9]+")


class PtyLink:
    """Points a path to a terminal. Only the link of a run that has ended is replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own: tuple[int, int, str] | None = None

    def point_to(self, terminal: str) -> None:
        """Make the link. Raises LineUnavailable if anything else has its name."""
        try:
            with _locked(self.path.parent):
                if _is_left_over(self.path, terminal):
                    self.path.unlink()
                self.path.symlink_to(terminal)
                self._own = _identity(self.path)
        except FileExistsError:
            raise LineUnavailable(self._refusal()) from None
        except OSError as error:
            raise LineUnavailable(
                f"{self.path}: the link to the terminal cannot be made: {error.strerror}; name a "
                "path in a folder that exists and that you may write to"
            ) from None

    def remove(self) -> None:
        """Remove the link if it is still the one that was made here."""
        own, self._own = self._own, None
        if own is None:
            return
        try:
            with _locked(self.path.parent):
                if _identity(self.path) == own:
                    self.path.unlink()
        except OSError:
            return  # its folder has gone, and the link with it

    def _refusal(self) -> str:
        other = "name another path, or remove it yourself"
        if not self.path.is_symlink():
            kind = "folder" if self.path.is_dir() else "file"
            return f"{self.path}: a {kind} with this name exists and is left as it is; {other}"
        target = self.path.readlink()
        if _TERMINAL.fullmatch(str(target)):
            other = "name another path, or remove the link if that run has ended"
            return (
                f"{self.path}: a link to {target} exists, a terminal in use, perhaps of another "
                f"emulator; {other}"
            )
        return f"{self.path}: a link to {target} exists and is left as it is; {other}"


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other emulators from changing links in that folder between a look and a change."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _is_left_over(path: Path, terminal: str) -> bool:
    """Whether it is what a killed run leaves: a link to a terminal that is gone.

    A link to `terminal` is that, too: this run has just opened it, so the number is used again.
    """
    target = str(path.readlink()) if path.is_symlink() else ""
    gone = target == terminal or not path.exists()
    return gone and _TERMINAL.fullmatch(target) is not None


def _identity(path: Path) -> tuple[int, int, str]:
    """What distinguishes that link from any other, also from one with the same inode number."""
    found = path.lstat()
    return found.st_ino, found.st_ctime_ns, str(path.readlink())
