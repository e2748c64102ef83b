"""What a running process shows of the tree it was started from, as the kernel says it.

Not: what is in its memory; a process can change that, and nothing outside can prove it.
Source: proc(5).
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from controller.service.install.statement import SignedStatementError

PROC: Final = Path("/proc")
# Variables by which others' code gets into a Python program.
_LOADING: Final = frozenset(
    {
        *("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONPYCACHEPREFIX", "PYTHONINSPECT"),
        *("PYTHONBREAKPOINT", "PYTHONWARNINGS", "PYTHONPLATLIBDIR"),
        *("LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"),
    }
)
_DELETED: Final = " (deleted)"
_START_FIELD: Final = 19  # of /proc/PID/stat, counted from the state after the name
_NS_PER_S: Final = 1_000_000_000


class RunningProcess(Struct, frozen=True):
    """A process: when it was started (UTC), its interpreter, words, mapped files, variables."""

    pid: int
    started_utc_ns: int
    interpreter: Path
    words: tuple[str, ...]
    mapped: tuple[str, ...]
    variables: tuple[str, ...]


def running_program(pid: int, proc: Path = PROC) -> RunningProcess:
    """What the kernel says of a process. Raises SignedStatementError."""
    folder = proc / str(pid)
    try:
        return RunningProcess(
            pid=pid,
            started_utc_ns=_started_utc_ns(folder, proc),
            interpreter=(folder / "exe").readlink(),
            words=_texts(folder / "cmdline"),
            mapped=tuple(_mapped((folder / "maps").read_text(errors="replace"))),
            variables=tuple(one.partition("=")[0] for one in _texts(folder / "environ")),
        )
    except OSError as error:
        raise SignedStatementError(
            f"--pid: process {pid} cannot be looked into: {error.strerror}. Allowed: a running"
            " table, by root alone. Remedy: run it as root, with the number that `systemctl show -p"
            " MainPID smartshoe@TABLE` prints"
        ) from error


def problems(running: RunningProcess, tree: Path) -> list[str]:
    """Why the process may be running something else than the files of this tree."""
    tree = tree.resolve()
    found = [f"{name} is set, which loads others' code" for name in _set_variables(running)]
    for word in running.words[:2]:
        # The interpreter of a tree is a link to the system's: its own folder counts.
        place = Path(word).parent.resolve() / Path(word).name
        if not place.is_relative_to(tree):
            found.append(f"it was started as {word}, which is not of {tree}")
    found += [
        f"{one.removesuffix(_DELETED)} was replaced after it was loaded"
        for one in running.mapped
        if one.endswith(_DELETED) and one.startswith(f"{tree}/")
    ]
    newest = max(_changes(tree), default=(0, tree))
    if newest[0] > running.started_utc_ns:
        found.append(f"{newest[1]} was changed after it was started")
    return found


def _set_variables(running: RunningProcess) -> list[str]:
    return sorted(_LOADING.intersection(running.variables))


def _changes(tree: Path) -> Iterator[tuple[int, Path]]:
    """When the kernel last changed each file; no program writes that time, save by the clock."""
    for folder, _, names in os.walk(tree):
        for path in (Path(folder, name) for name in names):
            yield path.lstat().st_ctime_ns, path


def _texts(path: Path) -> tuple[str, ...]:
    return tuple(os.fsdecode(one) for one in path.read_bytes().split(b"\0") if one)


def _mapped(maps: str) -> list[str]:
    paths = (line.split(maxsplit=5)[5:] for line in maps.splitlines())
    return sorted({path for found in paths for path in found if path.startswith("/")})


def _started_utc_ns(folder: Path, proc: Path) -> int:
    """The start, rounded up: the kernel gives it in hundredths after the second of its boot."""
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[_START_FIELD])
    (boot_s,) = (
        int(line.split()[1])
        for line in (proc / "stat").read_text().splitlines()
        if line.startswith("btime ")
    )
    return (boot_s + 1) * _NS_PER_S + ticks * _NS_PER_S // os.sysconf("SC_CLK_TCK")
