"""A release: every file of an installed tree, the statement that signs them, and a comparison.

Not: what of the tree a running process has loaded (running.py).
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller import version as running_version
from controller.service.install.statement import (
    SignedStatement,
    SignedStatementError,
    read_statement,
    sign_statement,
)
from controller.system.keys import PublicKey, TableKey
from controller.system.named_file import read_file

KIND: Final = "smartshoe-release/1"
RELEASE_SUFFIX: Final = ".release"
LIST_SUFFIX: Final = ".files"
LINK: Final = "link"
_PROGRAM: Final = "controller/version.py"
_LIST_BYTES_MAX: Final = 1 << 25
_LINE: Final = re.compile(r"([0-9a-f]{64}) ([0-9]{1,15}|link) (.+)")


class FileEntry(Struct, frozen=True):
    """One file: path below the tree, SHA-256, size in bytes; of a link those of its target's text.

    `size` is the word "link" for a link.
    """

    path: str
    size: str
    sha256: str

    def line(self) -> str:
        return f"{self.sha256} {self.size} {self.path}"


class Release(Struct, frozen=True):
    """A signed release: its version, its files by path, and who signed it."""

    version: str
    files: dict[str, FileEntry]
    statement: SignedStatement


class TreeDifference(StrEnum):
    """How a file differs from the release."""

    CHANGED = "changed"
    MISSING = "missing"
    FOREIGN = "not of the release"


def tree_files(tree: Path) -> dict[str, FileEntry]:
    """Every file and link below `tree` by its path; no link is followed.

    Raises SignedStatementError for what is neither file, link nor folder, and OSError.
    """
    return {one.path: one for one in _walk(tree, "")}


def _walk(folder: Path, above: str) -> Iterator[FileEntry]:
    for one in sorted(os.scandir(folder), key=lambda entry: entry.name):
        path = f"{above}{one.name}"
        if "\n" in path or not path.isprintable():
            raise SignedStatementError(f"{path!r}: such a name is in no release. Remedy: remove it")
        if one.is_dir(follow_symlinks=False):
            yield from _walk(Path(one.path), f"{path}/")
        elif one.is_symlink():
            yield FileEntry(path, LINK, _digest(os.fsencode(Path(one.path).readlink())))
        else:
            yield _file_entry(one.path, path)


def _file_entry(place: str, path: str) -> FileEntry:
    found = Path(place).lstat()
    # A pipe would block, and a device never end.
    if not stat.S_ISREG(found.st_mode):
        raise SignedStatementError(f"{place}: it is no file. Remedy: remove it from the tree")
    with Path(place).open("rb") as file:
        return FileEntry(path, str(found.st_size), hashlib.file_digest(file, "sha256").hexdigest())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def program_in(tree: Path) -> str:
    """The identifier of the program in a tree; that of this program where a tree has none.

    Raises SignedStatementError where the program there is of another version, OSError.
    """
    found = sorted(tree.rglob(_PROGRAM))
    if not found:
        return running_version.software_identifier()
    running = Path(running_version.__file__)
    if len(found) > 1 or found[0].read_bytes() != running.read_bytes():
        places = ", ".join(map(str, found))
        raise SignedStatementError(
            f"{places}: it is another version of the program than this, or there are several."
            " Allowed: the tree of one version, signed by its own program. Remedy: run `smartshoe"
            " sign-release` of that tree"
        )
    return running_version.identifier_at(found[0].parents[1])


def sign_release(tree: Path, version: str, name: str, key: TableKey) -> tuple[bytes, bytes]:
    """A tree's signed statement, and the list that it names.

    Raises SignedStatementError, OSError.
    """
    files = tree_files(tree)
    listed = "".join(f"{one.line()}\n" for one in files.values()).encode()
    lines = (version, f"files {len(files)}", f"sha256 {_digest(listed)}")
    return sign_statement(KIND, lines, name, key), listed


def read_release(path: Path, keys: tuple[PublicKey, ...]) -> Release:
    """The release that `path` signs, with the list beside it. Raises SignedStatementError."""
    statement = read_statement(path, KIND, keys)
    place = path.with_suffix(LIST_SUFFIX)
    try:
        listed = read_file(place, _LIST_BYTES_MAX)
    except OSError as error:
        raise SignedStatementError(
            f"{place}: cannot be read: {error.strerror}. Remedy: put the release's list of files"
            " beside its statement"
        ) from error
    version = statement.lines[0] if statement.lines else ""
    if f"sha256 {_digest(listed)}" not in statement.lines[1:]:
        raise SignedStatementError(
            f"{place}: it is not the list that {path.name} signs. Remedy: take both from the maker"
        )
    return Release(version, dict(map(_parsed, listed.decode().splitlines())), statement)


def _parsed(line: str) -> tuple[str, FileEntry]:
    found = _LINE.fullmatch(line)
    if found is None:
        raise SignedStatementError(
            f"{line!r}: no file of a release. Remedy: have the release made again"
        )
    return found[3], FileEntry(found[3], found[2], found[1])


def differences(release: Release, tree: Path) -> dict[str, TreeDifference]:
    """Each file of the tree that is not as released, by path.

    Raises SignedStatementError, OSError.
    """
    found = tree_files(tree)
    result = {path: TreeDifference.MISSING for path in release.files if path not in found}
    for path, one in found.items():
        if path not in release.files:
            result[path] = TreeDifference.FOREIGN
        elif one != release.files[path]:
            result[path] = TreeDifference.CHANGED
    return dict(sorted(result.items()))
