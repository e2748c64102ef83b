"""Asks for PINs, at a terminal without showing them, or reads them from a file or stdin."""
# ruff: noqa: PLC0415 - accounts are loaded only where a person is proved.

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from controller.record.snapshot import Snapshot
from controller.system.atomic_file import SmallFileError, decode_text
from controller.system.command_line.errors import CommandError, ExitCode
from controller.system.named_file import read_secret

if TYPE_CHECKING:
    from controller.journal.people import PeopleFile
    from controller.rules.actions.declaration import Author, Role

Plain: TypeAlias = dict[str, object]

NO_UNIX: Final[Mapping[str, str]] = MappingProxyType({})

_STDIN: Final = Path("-")
_MARK: Final = "\ufeff"
_FILE_CHARACTERS_MAX: Final = 200

PinFile = Annotated[
    Path | None,
    typer.Option("--pin-file", metavar="FILE", help="The person's PIN is in it; - is stdin."),
]
SecondPinFile = Annotated[
    Path | None,
    typer.Option("--second-pin-file", metavar="FILE", help="The second person's PIN is in it."),
]
NewPinFile = Annotated[
    Path | None,
    typer.Option("--new-pin-file", metavar="FILE", help="The new PIN is in it; - is stdin."),
]


def sign_on_requests(shown: Snapshot, *people: tuple[str, Path | None]) -> list[Plain]:
    """The requests that sign these persons on, each with the file of the PIN, if given.

    Nobody is asked where the table has no accounts. An empty PIN at a terminal signs nobody on:
    the account of the machine may be the person's.
    """
    pins = ((name, read_pin(name, file, always=False)) for name, file in people if name)
    if not shown.people.accounts and all(file is None for _, file in people):
        return []
    return [{"request": "sign-on", "by": name, "pin": pin} for name, pin in pins if pin]


def author_of(
    people: "PeopleFile",
    name: str,
    file: Path | None,
    roles: "tuple[Role, ...]",
    what: str,
    unix: Mapping[str, str] = NO_UNIX,
) -> "Author":
    """The person who does `what` beside a running table, proved where `people` has accounts.

    Raises CommandError, ActionError, JournalError.
    """
    from controller.outlets.control.requests import checked_text
    from controller.table.accounts.sign_on import (
        AccountError,
        Accounts,
        SignOnSession,
        unix_account,
    )
    from firmware_bridge.transport.clock import now

    name = checked_text("--by", name, required=True)
    # No table takes inputs here: a lock-out is written to the file of accounts alone.
    accounts = Accounts(people, now, lambda _locked: None, unix)
    session = SignOnSession(accounts, unix_account(os.geteuid()))
    asked = file is not None or people.account_count()
    pin = read_pin(name, file, always=False) if asked else ""
    try:
        if pin:
            session.sign_on(name, pin)
        return session.author(name, roles, what)
    except AccountError as error:
        raise CommandError(str(error), ExitCode.NO) from error


def read_pin(name: str, file: Path | None, *, always: bool = True) -> str:
    """The PIN of a person; empty where there is no file and no terminal, and that is allowed."""
    if file is not None:
        return _from_file(file)
    if sys.stdin.isatty():
        return str(_ask(f"PIN of {name}"))
    if always:
        raise CommandError(
            "the PIN is missing",
            place="--new-pin-file",
            allowed="a file, or - for stdin",
            remedy="name one, or run the command at a terminal",
        )
    return ""


def read_new_pin(name: str, file: Path | None) -> str:
    """A new PIN, asked for twice at a terminal."""
    pin = read_pin(f"{name} (new)", file)
    if file is None and _ask("the same again") != pin:
        raise CommandError("the two PINs differ", place="PIN", remedy="type it again")
    return pin


def _ask(words: str) -> str:
    return str(typer.prompt(words, default="", show_default=False, hide_input=True, err=True))


def _from_file(file: Path) -> str:
    try:
        if file == _STDIN:
            return sys.stdin.readline(_FILE_CHARACTERS_MAX).strip().removeprefix(_MARK)
        line = read_secret(file).partition(b"\n")[0]
        return decode_text(line, str(file)).strip()
    except SmallFileError as error:
        raise CommandError(str(error)) from error
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise CommandError(
            f"the PIN cannot be read: {why}",
            place=str(file),
            remedy="name a file that holds the PIN in its first line",
        ) from error
