"""Finds the running table that a person means: by its file, else by its control socket.

Who decides at a table need not read its file, which names keys and brokers. A socket of the machine
counts only if the tables' own account made it and listens at it.
Source: unix(7), SO_PEERCRED.
"""

import pwd
import stat
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.outlets.control.client import (
    ANSWER_TIMEOUT_S,
    ControlClient,
    ControlError,
    NoPermission,
    TableNotRunning,
    group_of,
)
from controller.service.config.document import ConfigError, control_socket_in
from controller.service.config.table_files import INSTALLED, is_hidden, names_meant, table_file
from controller.service.install.table_account import ACCOUNT

# The folder of the units' sockets (deploy/smartshoe.tmpfiles.conf).
SOCKETS: Final = Path("/run/smartshoe")
_SUFFIX: Final = ".sock"
# A table that runs answers within milliseconds; one that hangs must not hide the others.
_ASK_S: Final = 2.0


class Machine(Struct, frozen=True):
    """Where a machine has its tables: their files, their sockets, the account that runs them."""

    files: Path = INSTALLED
    sockets: Path = SOCKETS
    account: str = ACCOUNT


# The one seam for tests.
MACHINE = Machine()


def find_table(given: Path, answer_s: float = ANSWER_TIMEOUT_S) -> ControlClient:
    """The client of the table that is meant by its file or its name.

    A file that this account may read says where the table answers; else the sockets of the machine
    are asked. Raises ConfigError, ControlError.
    """
    file = None
    try:
        file = table_file(given, MACHINE.files)
        return ControlClient(control_socket_in(file), answer_s)
    except ConfigError as error:
        hidden = file if file is not None and _is_of_machine(file) and is_hidden(file) else None
        names = names_meant(given, MACHINE.files) if hidden is None else (hidden.stem,)
        if not error.unreadable or not names:
            raise
        try:
            return _find_by_name(names, hidden, answer_s)
        except TableNotRunning:
            if hidden is not None:
                raise
            raise error from None


def _is_of_machine(file: Path) -> bool:
    return file.absolute().is_relative_to(MACHINE.files)


def _find_by_name(names: tuple[str, ...], hidden: Path | None, answer_s: float) -> ControlClient:
    """The client of the running table with one of these names; `hidden` is its file.

    Raises ControlError.
    """
    search = _Search(names)
    search.ask_all()
    if len(search.found) == 1:
        return ControlClient(search.found[0], answer_s, served_by=search.uid)
    if search.found:
        raise ControlError(
            f"{names[-1]}: several tables of this name run: {', '.join(map(str, search.found))}."
            " Allowed: one of them. Remedy: name its socket by --socket"
        )
    raise search.error(hidden)


class _Search:
    """Asks the sockets of the machine for a table with one of these names.

    `found` are the sockets where such a table answers.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self.found: list[Path] = []
        self.uid = _uid_of(MACHINE.account)
        self._names = names
        self._usual = tuple(f"{name}{_SUFFIX}" for name in names)
        self._others: list[str] = []
        self._barred = False
        self._busy: ControlError | None = None

    def ask_all(self) -> None:
        """Ask each socket, first the one that is named as the table, which is then the only one."""
        for name in self._sockets():
            self._ask(MACHINE.sockets / name)
            if self.found and name in self._usual:
                return

    def error(self, hidden: Path | None) -> ControlError:
        """Why nothing was found."""
        if self._busy is not None:
            return self._busy
        where = "runs here that this account may ask" if self._barred else "runs here"
        words = f"no table {self._names[-1]} {where}"
        if hidden is not None:
            words += f"; {hidden} is there and this account may not read it"
        if self._barred:
            group = group_of(MACHINE.sockets)
            return NoPermission(f"{words}. Allowed: {group}. Remedy: ask to be added to it")
        if self._others:
            words += f". Allowed: {', '.join(sorted(self._others))}"
        return TableNotRunning(f"{words}. Remedy: have the table started, or name one that runs")

    def _sockets(self) -> list[str]:
        """Names of the folder itself: no name that somebody typed makes a path."""
        try:
            names = [one.name for one in MACHINE.sockets.iterdir()]
        except OSError as error:
            self._barred = isinstance(error, PermissionError)
            return []
        return sorted(names, key=lambda name: (name not in self._usual, name))

    def _ask(self, path: Path) -> None:
        if self.uid is None or not _is_socket_of(self.uid, path):
            return
        try:
            table = ControlClient(path, _ASK_S, served_by=self.uid).status().table
        except NoPermission:
            self._barred = True
        except TableNotRunning:
            pass
        except ControlError as error:
            if path.name in self._usual:
                self._busy = error
        else:
            if table in self._names:
                self.found.append(path)
            else:
                self._others.append(table)


def _is_socket_of(uid: int, path: Path) -> bool:
    """Whether it is a socket that this account made; a link is none."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == uid


def _uid_of(account: str) -> int | None:
    try:
        return pwd.getpwnam(account).pw_uid
    except KeyError:
        return None
