"""Finds the configuration that a person means: a file, a folder with one table, or a table's name.

Not: what is in it (controller.service.config.load). Of a file only the table's name and socket are
read.
"""
# ruff: noqa: PLC0415 - words are compared only for an error.

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Final

from controller.service.config.document import ConfigError, read_document

# Where the configurations of an installed machine are.
INSTALLED: Final = Path("/etc/smartshoe")
_SUFFIX: Final = ".toml"
_NAMES_SHOWN: Final = 12


def table_files(folder: Path) -> tuple[Path, ...]:
    """The table files of a folder, `*.toml` sorted by name; a hidden one is none.

    Raises ConfigError if there is none.
    """
    try:
        found = _toml_files(folder)
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}. Remedy: name a folder to be read"
        raise ConfigError(folder, (problem,), unreadable=True) from error
    if not found:
        problem = (
            "this folder has no table. Allowed: a folder with a NAME.toml for each table. Remedy:"
            " `smartshoe check-config --example > NAME.toml` writes an example"
        )
        raise ConfigError(folder, (problem,), unreadable=True)
    return found


def installed_files(installed: Path = INSTALLED) -> tuple[Path, ...]:
    """Every table file of the machine: of the folder itself, then of the folders in it (pits).

    What cannot be read is left out.
    """
    folders = (installed, *_folders_in(installed))
    return tuple(chain.from_iterable(map(_readable_files, folders)))


def table_file(given: Path, installed: Path = INSTALLED) -> Path:
    """The configuration that is meant by a file, a folder with one table, FOLDER/NAME or NAME.

    A name is looked for in its folder and the folders directly in it (pits), a plain one in
    `installed`, then in the current folder. Raises ConfigError. Whatever is there but a folder is
    the file itself, readable or not; but the plain name of an installed table is that table, for
    the current folder may be anybody's.
    """
    if (installed_table := _installed_table(given, installed)) is not None:
        return installed_table
    try:
        mode = given.stat().st_mode
    except FileNotFoundError:
        return _file_named(given, installed)
    except OSError:
        return given  # whoever reads it says why it cannot
    if not S_ISDIR(mode):
        return given
    files = table_files(given)
    if len(files) > 1:
        names = tuple(table_name(file) or file.name for file in files)
        problem = (
            f"this folder has {len(files)} tables. Allowed: {_listed(names)}. Remedy: name one of"
            f" them, such as {given / names[0]}"
        )
        raise ConfigError(given, (problem,), unreadable=True)
    return files[0]


def is_folder(given: Path, installed: Path = INSTALLED) -> bool:
    """Whether a folder is given, so that all its tables may be meant."""
    return S_ISDIR(_mode(given)) and _installed_table(given, installed) is None


def is_hidden(file: Path) -> bool:
    """Whether it is a file that is there, and this account may not read it."""
    return S_ISREG(_mode(file)) and not os.access(file, os.R_OK, effective_ids=True)


def names_meant(given: Path, installed: Path = INSTALLED) -> tuple[str, ...]:
    """The names by which a table may be meant whose file is not found; none by a file's path."""
    if given.suffix == _SUFFIX or S_ISDIR(_mode(given)):
        return ()
    place = _place(installed / given)
    inside = place is not None and place[0].is_relative_to(installed)
    names = (place[1],) if place is not None and inside else ()
    return names if given.is_absolute() else tuple(dict.fromkeys((*names, str(given))))


def table_name(file: Path) -> str:
    """The table's name in this file; empty if it has none or cannot be read."""
    try:
        section = read_document(file).get("table")
    except ConfigError:
        return ""
    name = section.get("name") if isinstance(section, dict) else None
    return name if isinstance(name, str) else ""


def files_beside(file: Path) -> tuple[Path, ...]:
    """The files beside a table file that may be its own: profiles, keys, pairings; sorted.

    Not: the files of other tables, and what those name and this one does not.
    """
    files = tuple(one for one in sorted(file.parent.iterdir()) if S_ISREG(_mode(one)))
    others = [
        one for one in files if one.name.endswith(_SUFFIX) and one != file and table_name(one)
    ]
    own = _names_in(read_document(file))
    of_others = frozenset(chain.from_iterable(_names_in(read_document(one)) for one in others))
    return tuple(
        one
        for one in files
        if one != file
        and one not in others
        and (_is_named(one, own) or not _is_named(one, of_others))
    )


def _names_in(value: object) -> frozenset[str]:
    """The file names that the texts of a document may mean."""
    match value:
        case str():
            return frozenset((Path(value).name,))
        case dict():
            return frozenset(chain.from_iterable(map(_names_in, value.values())))
        case list():
            return frozenset(chain.from_iterable(map(_names_in, value)))
        case _:
            return frozenset()


def _is_named(file: Path, names: frozenset[str]) -> bool:
    """Whether one of the names is the file's, or that with an ending, such as .pub, .toml."""
    return any(file.name == name or (name and file.name.startswith(f"{name}.")) for name in names)


def _installed_table(given: Path, installed: Path) -> Path | None:
    """The file of the installed table whose plain name this is."""
    usual = installed / f"{given}{_SUFFIX}"
    plain = len(given.parts) == 1 and given.suffix != _SUFFIX and given != given.parent
    return usual if plain and _holds(usual, str(given)) else None


def _holds(file: Path, name: str) -> bool:
    """Whether it is the file of the table of that name; one that is hidden is, by its own name."""
    return S_ISREG(_mode(file)) and _name_in(file) == name


def _name_in(file: Path) -> str:
    """The table's name in this file; where this account may not read it, it is the file's."""
    return file.stem if is_hidden(file) else table_name(file)


def _toml_files(folder: Path) -> tuple[Path, ...]:
    """Whatever has such a name but a folder: a link that leads nowhere is a table's problem."""
    files = sorted(one for one in folder.iterdir() if one.name.endswith(_SUFFIX))
    return tuple(one for one in files if not one.name.startswith(".") and not S_ISDIR(_mode(one)))


def _mode(path: Path) -> int:
    """Type and rights of what is there; 0 if nothing is, or it is not to be known."""
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _file_named(given: Path, installed: Path) -> Path:
    """The file of the table with the name that is given. Raises ConfigError."""
    known: dict[str, list[Path]] = {}
    for folder, name in _places(given, installed):
        usual = folder / f"{name}{_SUFFIX}"
        if _holds(usual, name):
            return usual
        here = _tables_below(folder)
        files = here.get(name, [])
        if len(files) > 1:
            raise ConfigError(given, (_ambiguous(files),), unreadable=True)
        if files:
            return files[0]
        known |= here
    if not known:
        return given  # whoever reads it says that there is no such file
    raise ConfigError(given, (_unknown(given, sorted(known)),), unreadable=True)


def _places(given: Path, installed: Path) -> Iterator[tuple[Path, str]]:
    """Where a name may be looked for, and the name there.

    A table's name may have slashes in it, so the folder is the longest part that is one.
    """
    near = _place(given)
    if near is not None:
        yield near
    if given.is_absolute():
        return
    place = _place(installed / given)
    if place is not None and place[0].is_relative_to(installed):
        yield place
        if place[0] != installed:
            yield installed, str(given)
    if near is None:
        yield Path(), str(given)


def _place(path: Path) -> tuple[Path, str] | None:
    for folder in path.parents:
        if folder.name and S_ISDIR(_mode(folder)):
            return folder, str(path.relative_to(folder))
    return None


def _tables_below(folder: Path) -> dict[str, list[Path]]:
    """The tables of a folder and of those directly in it, by name.

    What cannot be understood is left out, and so is what is no regular file: a pipe would make it
    wait.
    A link to another of them is the same file.
    """
    found: dict[str, dict[Path, Path]] = {}
    for file in chain.from_iterable(map(_readable_files, (folder, *_folders_in(folder)))):
        if S_ISREG(_mode(file)) and (name := _name_in(file)):
            found.setdefault(name, {}).setdefault(file.resolve(), file)
    return {name: list(files.values()) for name, files in found.items()}


def _readable_files(folder: Path) -> tuple[Path, ...]:
    try:
        return _toml_files(folder)
    except OSError:
        return ()


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(one for one in folder.iterdir() if S_ISDIR(_mode(one)))
    except OSError:
        return []


def _ambiguous(files: Iterable[Path]) -> str:
    return (
        f"several files have a table with this name: {', '.join(map(str, files))}. Allowed: a name"
        " of its own for each table. Remedy: name the file"
    )


def _unknown(given: Path, names: list[str]) -> str:
    """What is wrong if there is neither such a file nor such a table, but others."""
    from difflib import get_close_matches

    similar = next(iter(get_close_matches(given.name, names, n=1)), "")
    hint = f'did you mean "{similar}"?' if similar else "name one of them, or a table.toml"
    return f"no such file, and no table has this name. Allowed: {_listed(names)}. Remedy: {hint}"


def _listed(names: Iterable[str]) -> str:
    every = tuple(names)
    more = f" and {len(every) - _NAMES_SHOWN} more" if len(every) > _NAMES_SHOWN else ""
    return ", ".join(every[:_NAMES_SHOWN]) + more
