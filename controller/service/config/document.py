"""Reads table.toml as a document, and of it alone what reaches the table that runs from it.

Not: every other setting (controller.service.config.load); a wrong one keeps nobody from seeing the
table.
"""

import errno
import tomllib
from pathlib import Path
from typing import Final

from controller.system.named_file import read_file

JOURNAL_FOLDER: Final = "journal"
CONTROL_SOCKET: Final = "control.sock"


class ConfigError(Exception):
    """Every problem of a configuration file, one per line, each with the file's name.

    `unreadable`: it is not known which file is meant, there is none, or the operating system
    refuses to read it.
    """

    def __init__(self, file: Path, problems: tuple[str, ...], *, unreadable: bool = False) -> None:
        lines = (f"{file}: {problem}" for problem in problems)
        super().__init__("\n".join(line if line.endswith("?") else f"{line}." for line in lines))
        self.problems = problems
        self.unreadable = unreadable


def read_document(path: Path) -> dict[str, object]:
    """The sections of a table.toml, not checked. Raises ConfigError."""
    try:
        data = read_file(path)
    except FileNotFoundError:
        example = "smartshoe check-config --example > table.toml"
        problem = f"no such file. Remedy: `{example}` writes an example"
        raise ConfigError(path, (problem,), unreadable=True) from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            why = f"{error.strerror}. Remedy: name a table's configuration"
            raise ConfigError(path, (why,)) from None
        problem = f"cannot be read: {error.strerror or error}. Remedy: name a file to be read"
        raise ConfigError(path, (problem,), unreadable=True) from error
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            path, (f"not UTF-8 text (in line {line}). Remedy: save the file as UTF-8",)
        ) from error
    except ValueError as error:  # a number of too many digits is no TOMLDecodeError
        raise ConfigError(path, (f"not TOML: {error}. Remedy: correct the text there",)) from error
    except RecursionError as error:
        raise ConfigError(
            path, ("not a configuration: brackets are nested too deeply. Remedy: write it flat",)
        ) from error


def file_path(text: object) -> str:
    """Return the path. Raises ValueError if the text is not a path."""
    if not isinstance(text, str) or not text.strip() or "\0" in text or text.startswith("~"):
        raise ValueError(f'{text!r} is not a path. Remedy: write it in full, "~" is not expanded')
    return text


def control_socket(path: Path, journal_folder: str, socket: str) -> Path:
    """The socket's path, which is relative to the parent of the journal's folder.

    The program may write there, while the folder of table.toml may be read-only.
    """
    return (path.absolute().parent / journal_folder).parent / socket


def control_socket_in(path: Path) -> Path:
    """The control socket of the table of this table.toml. Raises ConfigError."""
    document = read_document(path)
    folder = _path_in(document, path, "journal", "folder", JOURNAL_FOLDER)
    return control_socket(
        path, folder, _path_in(document, path, "control", "socket", CONTROL_SOCKET)
    )


def _path_in(document: dict[str, object], file: Path, section: str, key: str, default: str) -> str:
    values = document.get(section, {})
    try:
        return file_path(values.get(key, default) if isinstance(values, dict) else values)
    except ValueError as error:
        raise ConfigError(file, (f"{section}.{key}: {error}",)) from error
