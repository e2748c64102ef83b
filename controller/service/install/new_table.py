"""A new table from answers: its table.toml, checked as the program checks it, and its people.

The sections of the answers are those of table.toml, so nothing is checked twice in two ways.
"""

import contextlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Final

import tomli_w
from msgspec import Struct
from msgspec.structs import replace

from controller.outlets.control.requests import checked_text
from controller.rules.actions.declaration import ActionError, Role
from controller.service.config.collisions import checked_tables
from controller.service.config.document import ConfigError, read_document
from controller.service.config.load import load_config
from controller.service.config.sections import unit_name_problem
from controller.service.config.table_config import TableConfig
from controller.service.config.table_files import INSTALLED, installed_files, table_name
from controller.system.atomic_file import (
    SmallFileError,
    read_secret_text,
    read_text,
    store_text,
    write_synced,
)
from controller.table.accounts.pin import pin_problem
from controller.version import VERSION
from drivers.catalogue import DEFAULT_MODELS
from drivers.model import DeviceKind, toml_text

PEOPLE: Final = "person"
# The first port of the unit's range that is nobody's by custom; each process of tables has one.
WEB_PORT: Final = 9309
_WEB_PORT_MAX: Final = 9399
FILE_MODE: Final = 0o640
_PERSON_KEYS: Final = ("name", "role", "pin_file")
_HEADER: Final = """\
# Written by `smartshoe setup`, version {version}. `smartshoe check-config --example` shows every
# key with its default, `smartshoe check-config {name}` checks what you change.

"""
_EXAMPLE: Final = """\
# Answers of `smartshoe setup --answers FILE`: the sections of a table.toml
# (`smartshoe check-config --example` shows every key), and the people of the table.

[table]
name = "M-12"
pit = "3"
time_zone = "Europe/Vienna"

[rules]
profile = "s42-mini"
observed = ["result_button", "no_more_bets"]

[shoe]
model = $model
port = "socket://192.0.2.10:4001"

# Each with a file whose first line is the PIN; the file is not needed any more afterwards.
[[person]]
name = "Ann Lee"
role = "floorperson"
pin_file = "ann.pin"

[[person]]
name = "Bo Ray"
role = "pit_manager"
pin_file = "bo.pin"

# A dealer signs on at the table by PIN, and needs an account for it, too.
# [[person]]
# name = "Dee Dealer"
# role = "dealer"
# pin_file = "dee.pin"
"""


def example_answers() -> str:
    """Answers to start from; with the files of the PINs they are accepted."""
    return Template(_EXAMPLE).substitute(model=toml_text(DEFAULT_MODELS[DeviceKind.SHOE]))


class SetUpError(Exception):
    """A table cannot be set up; each line says where, what is allowed and what to do."""


class NewPerson(Struct, frozen=True):
    """A person who gets an account at the new table."""

    name: str
    role: Role
    pin: str

    def __repr__(self) -> str:
        """Without the PIN: tracebacks and logs show values."""
        return f"NewPerson({self.name!r}, {self.role.value})"


class Answers(Struct, frozen=True):
    """What is known of a new table: the sections of its table.toml, its people, where it is from.

    The file of the answers is no other table, though it may lie beside the table's.
    """

    sections: Mapping[str, object]
    people: tuple[NewPerson, ...]
    file: Path | None = None


class NewTable(Struct, frozen=True):
    """A checked table that is not written yet: its file, the file's text, and the people."""

    file: Path
    text: str
    config: TableConfig
    people: tuple[NewPerson, ...]


def read_answers(file: Path) -> Answers:
    """The answers of a file. Raises SetUpError, ConfigError."""
    document = read_document(file)
    people = document.pop(PEOPLE, [])
    if not isinstance(people, list) or not all(isinstance(one, dict) for one in people):
        raise SetUpError(
            f"{file}: person: it is not a list of persons. Allowed: a section for each of them."
            " Remedy: write [[person]] on a line of its own"
        )
    problems: list[str] = []
    read = [_person(file, number, one, problems) for number, one in enumerate(people, start=1)]
    if problems:
        raise SetUpError("\n".join(f"{file}: {one}" for one in problems))
    return Answers(document, tuple(one for one in read if one is not None), file)


def named_answers(answers: Answers, name: str) -> Answers:
    """The answers for a table of this name; as they are, if it is empty."""
    table = answers.sections.get("table", {})
    if not name or not isinstance(table, dict):
        return answers
    return replace(answers, sections={**answers.sections, "table": {**table, "name": name}})


def _person(
    file: Path, number: int, given: Mapping[str, object], problems: list[str]
) -> NewPerson | None:
    """A person of the answers; None, and its problems, where something is wrong."""
    place = f"person.{number}"
    before = len(problems)
    for key in given:
        if key not in _PERSON_KEYS:
            allowed = ", ".join(_PERSON_KEYS)
            problems.append(
                f"{place}.{key}: there is no such key. Allowed: {allowed}. Remedy: remove it"
            )
    texts = {key: given.get(key) for key in _PERSON_KEYS}
    for key, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            problems.append(f"{place}.{key}: it is missing. Allowed: a text. Remedy: write {key}")
    if len(problems) > before:
        return None
    name, role, pin_file = (str(texts[key]).strip() for key in _PERSON_KEYS)
    if role not in tuple(Role):
        problems.append(f"{place}.role: {role_problem(role)}")
    pin = _pin(file.absolute().parent / pin_file, f"{place}.pin_file", problems)
    return None if len(problems) > before else NewPerson(name, Role(role), pin)


def role_problem(role: str) -> str:
    """What is wrong with a word that is no role."""
    return f"{role!r} is no role. Allowed: {', '.join(Role)}. Remedy: choose one of them"


def _pin(file: Path, place: str, problems: list[str]) -> str:
    try:
        pin = read_secret_text(file).partition("\n")[0].strip()
    except SmallFileError as error:
        problems.append(f"{place}: {error}")
        return ""
    if problem := pin_problem(pin):
        problems.append(f"{place}: {problem.removeprefix('pin: ')}")
    return pin


# --- the file -------------------------------------------------------------------------------------


def table_folder(given: Path | None, installed: Path = INSTALLED) -> Path:
    """Where the file is written: the folder given, else that of installed tables, else here.

    Raises SetUpError where it may not be written.
    """
    folder = given or (installed if installed.is_dir() else Path())
    if not folder.is_dir():
        raise SetUpError(
            f"{folder}: there is no such folder. Allowed: a folder. Remedy: make it, or name"
            " another with --to"
        )
    if not os.access(folder, os.W_OK):
        raise SetUpError(
            f"{folder}: this account may not write there. Remedy: run it as root, or name another"
            " folder with --to"
        )
    return folder


def new_table(answers: Answers, folder: Path, installed: Path = INSTALLED) -> NewTable:
    """The table of these answers, to be written into the folder.

    Raises SetUpError with every problem, as check-config words it.
    """
    name = _file_name(answers.sections)
    file = folder / f"{name}.toml"
    _check_people(answers.people)
    others = _other_tables(file, answers.file)
    sections = _completed(answers.sections, file, others, installed)
    text = _HEADER.format(version=VERSION, name=name) + tomli_w.dumps(sections)
    try:
        config = _checked(file, text, others)
    except ConfigError as error:
        raise SetUpError("\n".join(error.problems)) from error
    return NewTable(file, text, config, answers.people)


def problems_at(sections: Mapping[str, object], folder: Path, place: str) -> tuple[str, ...]:
    """The problems of one key, such as "table.name", whatever else is missing yet."""
    # Those of a list go on with a number.
    mine = re.compile(rf"{re.escape(place)}(\.\d+)?: ")
    every = _every_problem(sections, folder)
    return tuple(mine.sub("", line, count=1) for line in every if mine.match(line))


def problems_in(sections: Mapping[str, object], folder: Path, section: str) -> tuple[str, ...]:
    """The problems of one section, each with its place, whatever else is missing yet."""
    return tuple(one for one in _every_problem(sections, folder) if one.startswith(f"{section}."))


def _every_problem(sections: Mapping[str, object], folder: Path) -> Sequence[str]:
    try:
        new_table(Answers(sections, ()), folder)
    except SetUpError as error:
        return str(error).splitlines()
    return ()


def _check_people(people: Sequence[NewPerson]) -> None:
    """Before anything is written: what the running table would refuse. Raises SetUpError."""
    problems, seen = [], set[str]()
    for number, one in enumerate(people, start=1):
        if problem := person_problem(one.name, seen):
            problems.append(f"person.{number}.{problem}")
        seen.add(one.name)
    if problems:
        raise SetUpError("\n".join(problems))


def person_problem(name: str, others: Iterable[str]) -> str:
    """What is wrong with the name of one more person; empty if nothing is."""
    try:
        checked_text("name", name, required=True)
    except ActionError as error:
        return str(error)
    if name in others:
        return (
            f"name: {name} is in the list already. Allowed: one account for each person. Remedy:"
            " leave one out"
        )
    return ""


def usual_web_port(folder: Path, name: str) -> int:
    """The port of page and metrics that a new table gets, unless it names one."""
    file = folder / f"{name}.toml"
    return web_port(file, _other_tables(file), INSTALLED)


def web_port(file: Path, beside: Sequence[Path], installed: Path) -> int:
    """The port for the table of this file, which stands beside those tables.

    Tables of a pit are one process and share theirs; each other table is a process of its own.
    """
    here, root = file.parent.resolve(), installed.resolve()
    below = here.is_relative_to(root)
    if beside and below and here != root:
        return _port_in(beside[0])
    others = installed_files(installed) if below else beside
    taken = {_port_in(one) for one in others if one.resolve() != file.resolve()}
    return next((one for one in range(WEB_PORT, _WEB_PORT_MAX) if one not in taken), WEB_PORT)


def _port_in(file: Path) -> int:
    """Where the metrics of a table are, and with them its page; 0 if its file cannot be read."""
    try:
        section = read_document(file).get("metrics", {})
    except ConfigError:
        return 0
    port = section.get("port", WEB_PORT) if isinstance(section, dict) else 0
    return port if isinstance(port, int) else 0


def _file_name(sections: Mapping[str, object]) -> str:
    """The table's name, which is its file's and its unit's. Raises SetUpError."""
    table = sections.get("table")
    name = table.get("name", "") if isinstance(table, dict) else ""
    if problem := unit_name_problem(name if isinstance(name, str) else ""):
        raise SetUpError(f"table.name: {problem}")
    return str(name)


def _completed(
    given: Mapping[str, object], file: Path, others: Sequence[Path], installed: Path
) -> dict[str, object]:
    """The sections, with places where the unit may write, or that no other table has."""
    sections = dict(given)
    for section, key, value in _places(file, others, installed):
        values = sections.get(section, {})
        if isinstance(values, dict):
            sections[section] = {key: value, **values}
    return sections


def _places(
    file: Path, others: Sequence[Path], installed: Path
) -> Iterable[tuple[str, str, object]]:
    here, root = file.parent.resolve(), installed.resolve()
    if here.is_relative_to(root):
        # The unit of a pit has a folder for all its tables.
        state = Path("/var/lib/smartshoe", here.relative_to(root), file.stem)
        yield "journal", "folder", str(state / "journal")
        yield "control", "socket", f"/run/smartshoe/{file.stem}.sock"
    elif others:
        yield "journal", "folder", f"{file.stem}/journal"
    else:
        return
    yield "metrics", "port", web_port(file, others, installed)


def _checked(file: Path, text: str, others: Sequence[Path]) -> TableConfig:
    """What the program reads of the text, alone and beside the other tables of the folder.

    Raises ConfigError.
    """
    draft = file.with_name(f".{file.name}.draft")

    def load(path: Path) -> TableConfig:
        return replace(load_config(draft), file=file) if path == file else load_config(path)

    try:
        # As the file will be: paths in it are relative to its folder.
        write_synced(draft, text.encode(), FILE_MODE)
        *_, mine = checked_tables((*others, file), load)
    except OSError as error:
        raise ConfigError(
            file, (f"cannot be written: {error.strerror}. Remedy: make room",)
        ) from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
    if mine.config is None or mine.problems:
        raise ConfigError(file, mine.problems)
    return mine.config


def _other_tables(file: Path, answers: Path | None = None) -> tuple[Path, ...]:
    here = sorted(file.parent.glob("*.toml"))
    no_table = {file.resolve(), *(() if answers is None else (answers.resolve(),))}
    return tuple(one for one in here if one.resolve() not in no_table and table_name(one))


def write_table(table: NewTable, *, over_old: bool) -> None:
    """Write the file; one that is there is kept beside it, if it may be replaced.

    Raises SetUpError, SmallFileError.
    """
    if table.file.exists():
        if not over_old:
            raise SetUpError(
                f"{table.file}: there is a file of this name, and it is not overwritten. Remedy:"
                " --replace keeps the old one beside it, or choose another name"
            )
        store_text(
            table.file.with_name(f"{table.file.name}.before"), read_text(table.file), FILE_MODE
        )
    store_text(table.file, table.text, FILE_MODE)
