"""Names and accounts of persons, beside the record: it holds their ids, and a name can be erased.

Not: what an account may do, and how a PIN is hashed and checked (controller.table.accounts).
Source: Regulation (EU) 2016/679, article 17 (erasure).
"""

import fcntl
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import astuple

from controller.journal.database import DAMAGE, FILE_MODE, describe_error
from controller.journal.values import JournalError
from controller.system.named_file import require_regular, sqlite_files

PEOPLE_NAME: Final = "people.db"
_ID: Final = re.compile(r"person-[0-9a-f]{12}")
_ID_BYTES: Final = 6
_BUSY_S: Final = 2.0
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS people(id TEXT PRIMARY KEY, name TEXT NOT NULL,"
    " folded TEXT NOT NULL UNIQUE)"
)
_FIND: Final = "SELECT id FROM people WHERE folded = ? OR id = ?"
_ACCOUNTS: Final = (
    "CREATE TABLE IF NOT EXISTS accounts(person TEXT PRIMARY KEY, role TEXT NOT NULL,"
    " pin_hash TEXT NOT NULL, failures INTEGER NOT NULL, locked_until_ns INTEGER NOT NULL)"
)
# Beside the accounts, so that a version before this one finds those as it left them.
_ELSEWHERE: Final = (
    "CREATE TABLE IF NOT EXISTS wrong_pins_elsewhere(person TEXT PRIMARY KEY,"
    " failures INTEGER NOT NULL, locked_until_ns INTEGER NOT NULL)"
)
_TABLES: Final = "SELECT name FROM sqlite_master"
_ALL_ACCOUNTS: Final = "SELECT * FROM accounts ORDER BY person"
_ALL_ELSEWHERE: Final = "SELECT * FROM wrong_pins_elsewhere"

ValueT = TypeVar("ValueT")


class WrongPins(Struct, frozen=True):
    """Wrong PINs in a row, and until when no PIN is accepted (UTC)."""

    failures: int = 0
    locked_until_ns: int = 0


NO_WRONG_PINS: Final = WrongPins()


class Account(Struct, frozen=True):
    """The account of a person: role, hash of the PIN, wrong PINs.

    Those given at the table's own screen and socket, `here`, count apart from those from
    `elsewhere`. The account without a person counts the wrong PINs for names that have no account.
    """

    person: str
    role: str
    pin_hash: str
    here: WrongPins = NO_WRONG_PINS
    elsewhere: WrongPins = NO_WRONG_PINS


class PeopleFile:
    """Names and accounts of persons in a journal's folder. Every call may raise JournalError."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / PEOPLE_NAME

    @staticmethod
    def beside(journal: Path) -> "PeopleFile":
        """That of a journal named by its folder or by a file in it."""
        return PeopleFile(journal if journal.is_dir() else journal.parent)

    def id_of(self, name: str) -> str:
        """The id of that person; a new name is stored durably before its id is used.

        The same name in other letters or spaces is the same person; an id stays as it is.
        """
        with self._open(create=True) as people:
            known = people.execute(_FIND, (_folded(name), name)).fetchone()
            if known is not None:
                return str(known[0])
            person = f"person-{os.urandom(_ID_BYTES).hex()}"
            values = (person, " ".join(name.split()), _folded(name))
            # Another connection may have stored the name since: then its id holds.
            people.execute("INSERT OR IGNORE INTO people VALUES (?, ?, ?)", values)
            (person,) = people.execute(_FIND, (_folded(name), name)).fetchone()
        return str(person)

    def find(self, name: str) -> str:
        """The id of that person, empty where the name is not known."""
        if not self._path.exists():
            return ""
        with self._open(create=False) as people:
            row = people.execute(_FIND, (_folded(name), name)).fetchone()
        return "" if row is None else str(row[0])

    def names(self) -> Mapping[str, str]:
        """Every name that is there, by id."""
        if not self._path.exists():
            return {}
        with self._open(create=False) as people:
            return dict(people.execute("SELECT id, name FROM people ORDER BY folded").fetchall())

    def erase(self, person: str) -> str:
        """Overwrite the name of that person, given by name or id; returns the id, "" if unknown."""
        if self.account(self.find(person)) is not None:
            raise JournalError(
                f"{person}: this person has an account here. Remedy: remove it first, with"
                " `smartshoe people remove`"
            )
        with self._open(create=True) as people:
            row = people.execute(_FIND, (_folded(person), person)).fetchone()
            people.execute("DELETE FROM people WHERE id = ?", row or ("",))
        return str(row[0]) if row is not None else ""

    def accounts(self) -> tuple[Account, ...]:
        """Every account, by person; the one without a person too, once it counts."""
        if not self._path.exists():
            return ()
        with self._open(create=False) as people:
            tables = {str(name) for (name,) in people.execute(_TABLES)}
            if "accounts" not in tables:
                return ()
            elsewhere = {}
            if "wrong_pins_elsewhere" in tables:
                elsewhere = {row[0]: WrongPins(*row[1:]) for row in people.execute(_ALL_ELSEWHERE)}
            rows = people.execute(_ALL_ACCOUNTS).fetchall()
        return tuple(
            Account(person, role, pin, WrongPins(*here), elsewhere.get(person, NO_WRONG_PINS))
            for person, role, pin, *here in rows
        )

    def account_count(self) -> int:
        """How many persons have an account."""
        return sum(1 for one in self.accounts() if one.person)

    def account(self, person: str) -> Account | None:
        """The account of the person of that id."""
        return next((one for one in self.accounts() if one.person == person), None)

    def put_account(self, account: Account) -> None:
        """Store an account durably, in place of the person's earlier one."""
        of = account.person
        with self._open(create=True) as people:
            people.execute(
                "INSERT OR REPLACE INTO accounts VALUES (?, ?, ?, ?, ?)",
                (of, account.role, account.pin_hash, *astuple(account.here)),
            )
            people.execute(
                "INSERT OR REPLACE INTO wrong_pins_elsewhere VALUES (?, ?, ?)",
                (of, *astuple(account.elsewhere)),
            )

    def remove_account(self, person: str) -> None:
        """Overwrite the account of the person of that id."""
        with self._open(create=True) as people:
            people.execute("DELETE FROM accounts WHERE person = ?", (person,))
            people.execute("DELETE FROM wrong_pins_elsewhere WHERE person = ?", (person,))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until no other thread or program that asks for it is at these accounts."""
        # The folder's lock: closing the file itself would end SQLite's locks on it.
        try:
            folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._failed(error) from error
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    @contextmanager
    def _open(self, *, create: bool) -> Iterator[sqlite3.Connection]:
        """One transaction, durable when it is left."""
        mode = "rwc" if create else "ro"
        try:
            require_regular(*sqlite_files(self._path))
            if create:
                # SQLite creates files that everybody may read.
                os.close(
                    os.open(
                        self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE
                    )
                )
            url = f"{self._path.absolute().as_uri()}?mode={mode}"
            with closing(sqlite3.connect(url, uri=True, timeout=_BUSY_S)) as people:
                if create:
                    people.execute("PRAGMA synchronous = EXTRA")
                    people.execute("PRAGMA secure_delete = ON")
                    people.execute(_TABLE)
                    people.execute(_ACCOUNTS)
                    people.execute(_ELSEWHERE)
                with people:
                    yield people
        except (*DAMAGE, OSError) as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> JournalError:
        return JournalError(
            f"{self._path}: the names of persons cannot be read or stored:"
            f" {describe_error(error)}. Remedy: check that the file belongs to this program's"
            " account and that its disk has room"
        )


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def put_names(value: ValueT, names: Mapping[str, str]) -> ValueT:
    """A text, or plain lists and dictionaries of texts, with names in place of the ids of persons.

    An id whose name was erased stays.
    """
    match value:
        case str():
            return _ID.sub(lambda found: names.get(found[0], found[0]), value)  # type: ignore[return-value]
        case dict():
            return {key: put_names(one, names) for key, one in value.items()}  # type: ignore[return-value]
        case list():
            return [put_names(one, names) for one in value]  # type: ignore[return-value]
        case _:
            return value


def names_in(text: str, names: Mapping[str, str]) -> dict[str, str]:
    """The names of the persons whose ids are in a text, by id."""
    return {one: names[one] for one in sorted(set(_ID.findall(text))) if one in names}
