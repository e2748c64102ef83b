"""The symbolic link to an emulated line: replaces nothing, and removes nothing but its own link.

It points to the descriptor of the process that serves the line, and not to the terminal's number:
the kernel gives that to the next terminal. A program that a killed run has left would open it there
and take the reports of another run's device.

Source: symlink(2); proc_pid_fd(5); pts(4).
"""

import os
import re
from pathlib import Path
from typing import Final

from hil.emulator.lines.line import LineUnavailable

_TERMINAL: Final = re.compile(r"/dev/pts/[0-9]+|/proc/[0-9]+/fd/[0-9]+")


class PtyLink:
    """Points a new path to a terminal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own: tuple[int, int, str] | None = None

    def point_to(self, descriptor: int) -> None:
        """Make the link to this process's open terminal.

        Raises LineUnavailable if anything has its name.
        """
        terminal = f"/proc/{os.getpid()}/fd/{descriptor}"
        try:
            self.path.symlink_to(terminal)
            self._own = _identity(self.path)
        except FileExistsError:
            raise LineUnavailable(self._refusal()) from None
        except OSError as error:
            raise LineUnavailable(
                f"{self.path}: the link to the terminal cannot be made: {error.strerror}. Allowed:"
                " a path in a folder that exists and that you may write to. Remedy: name another"
            ) from None

    def remove(self) -> None:
        """Remove the link if it is still the one that was made here."""
        own, self._own = self._own, None
        try:
            if own is not None and _identity(self.path) == own:
                self.path.unlink()
        except OSError:
            return  # its folder has gone, and the link with it

    def _refusal(self) -> str:
        other = "Allowed: a new path. Remedy: name another, or remove it yourself"
        if not self.path.is_symlink():
            kind = "folder" if self.path.is_dir() else "file"
            return f"{self.path}: a {kind} with this name exists and is left as it is. {other}"
        target = self.path.readlink()
        words = f"{self.path}: a link to {target} exists and is left as it is"
        if _TERMINAL.fullmatch(str(target)):
            words += ": a terminal in use" if self.path.exists() else ": a terminal that is gone"
        return f"{words}. {other}"


def _identity(path: Path) -> tuple[int, int, str]:
    """What distinguishes that link from any other, also from one with the same inode number."""
    found = path.lstat()
    return found.st_ino, found.st_ctime_ns, str(path.readlink())
