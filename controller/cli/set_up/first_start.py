"""The first start of a new table: it makes journal and key, and its people get their accounts.

Accounts are made at the running table, so that each is on record before it counts.
"""
# ruff: noqa: S603 - the program is this one; the file is the one just written.

import os
import pwd
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from msgspec import Struct

from controller.journal.people import PeopleFile
from controller.outlets.control.client import ControlClient, ControlError, TableNotRunning
from controller.service.config.table_config import TableConfig
from controller.service.config.table_files import INSTALLED
from controller.service.install.new_table import NewPerson, SetUpError
from controller.service.install.table_account import ACCOUNT

# -P: no folder of the caller shadows one of the program's packages.
PROGRAM: Final = (sys.executable, "-P", "-m", "controller.cli.main", "run")
_START_S_MAX: Final = 60.0
_END_S_MAX: Final = 30.0
_POLL_S: Final = 0.2
_LOG_LINES: Final = 6
_STATE_MODE: Final = 0o700
_UMASK: Final = 0o077


class _Account(Struct, frozen=True):
    """The account of the unit, where the table is installed and root sets it up."""

    uid: int
    gid: int
    groups: tuple[int, ...]


def is_running(config: TableConfig) -> bool:
    """Whether somebody answers at the table's control socket."""
    try:
        ControlClient(config.control_socket).status()
    except TableNotRunning:
        return False
    except ControlError:
        return True
    return True


def without_account(config: TableConfig, people: Sequence[NewPerson]) -> tuple[NewPerson, ...]:
    """Those of them who have no account at this table yet. Raises JournalError."""
    file = PeopleFile(config.journal_folder)
    return tuple(one for one in people if file.account(file.find(one.name)) is None)


def add_people(config: TableConfig, people: Sequence[NewPerson]) -> None:
    """Start the table, give these people their accounts, and end it. Raises SetUpError."""
    account = _account(config)
    _make_state_folder(config, account)
    with _started(config, account) as client:
        for person in people:
            answer = client.request(
                {
                    "request": "people",
                    "change": "added",
                    "name": person.name,
                    "role": person.role.value,
                    "pin": person.pin,
                    "by": "",
                }
            )
            if not answer.ok:
                raise SetUpError(f"{person.name} has no account: {answer.error}")


def give_to_account(config: TableConfig) -> None:
    """Let the unit's account read the file, where the table is installed and root sets it up."""
    account = _account(config)
    if account is not None:
        os.chown(config.file, 0, account.gid)


def _account(config: TableConfig) -> _Account | None:
    if os.geteuid() or not config.file.resolve().is_relative_to(INSTALLED):
        return None
    try:
        entry = pwd.getpwnam(ACCOUNT)
    except KeyError:
        return None
    return _Account(entry.pw_uid, entry.pw_gid, tuple(os.getgrouplist(ACCOUNT, entry.pw_gid)))


def _make_state_folder(config: TableConfig, account: _Account | None) -> None:
    """What the unit makes by StateDirectory, in case it is made here before."""
    folder = config.journal_folder.parent
    if account is None:
        return
    # A table of a pit has its folder in that of the pit's unit.
    missing = [one for one in (folder.parent, folder) if not one.exists()]
    for one in missing:
        one.mkdir(_STATE_MODE)
        os.chown(one, account.uid, account.gid)


@contextmanager
def _started(config: TableConfig, account: _Account | None) -> Iterator[ControlClient]:
    """The running table; it has ended in order after the block. Raises SetUpError."""
    with tempfile.TemporaryFile() as log:
        process = _start(config.file, account, log)
        try:
            client = ControlClient(config.control_socket)
            _wait_until_ready(process, client, log)
            yield client
        finally:
            process.terminate()
            try:
                process.wait(_END_S_MAX)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _start(file: Path, account: _Account | None, log: IO[bytes]) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"}
    as_root = ["--as-root"] if account is None and not os.geteuid() else []
    # In a session of its own: Ctrl-C ends the set-up, which ends the table in order.
    return subprocess.Popen(
        # What a shoe deals before anybody runs the table is no play of it.
        [*PROGRAM, "--no-devices", *as_root, str(file)],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=environment,
        umask=_UMASK,
        start_new_session=True,
        user=None if account is None else account.uid,
        group=None if account is None else account.gid,
        extra_groups=None if account is None else account.groups,
    )


def _wait_until_ready(
    process: subprocess.Popen[bytes], client: ControlClient, log: IO[bytes]
) -> None:
    for _ in range(round(_START_S_MAX / _POLL_S)):
        with suppress(ControlError):
            client.status()
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(_POLL_S)
            break
    log.seek(0)
    lines = log.read().decode(errors="replace").splitlines()[-_LOG_LINES:]
    said = "\n".join(f"  {line}" for line in lines)
    raise SetUpError(
        f"the table is written, and does not start, so nobody has an account yet. Remedy: correct"
        f" what its log says, then `smartshoe people add` at the running table\n{said}"
    )
