"""Roots of Debian made by debootstrap: the releases, and folders made once and kept by recipe.

Source: debootstrap(8), unshare(1).
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from hil.gate.kernel import GateUnable, cache_folder


class Debian(NamedTuple):
    """A release that the program is packaged for, and the version of its own Python."""

    number: int
    suite: str
    python: tuple[int, int]

    @property
    def interpreter(self) -> str:
        """The name of its Python's program."""
        return f"python{self.python[0]}.{self.python[1]}"


DEBIANS: Final = {
    one.number: one for one in (Debian(12, "bookworm", (3, 11)), Debian(13, "trixie", (3, 13)))
}
TO_MAKE: Final = ("debootstrap",)
# What README's apt line names.
README_PACKAGES: Final = ("python3", "python3-venv", "make", "git")
# Its own mounts and processes: all of it ends with its first process, whoever kills that.
ALONE: Final = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
UNUSED_S_MAX: Final = 7 * 24 * 3600.0


def require_root(what: str) -> None:
    """Raise GateUnable unless this account may make a root of Debian and change into it."""
    if os.geteuid():
        raise GateUnable(f"{what} needs root, for debootstrap and chroot. Remedy: run it as root")
    if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
        raise GateUnable(f"{what} needs namespaces, and unshare --mount --pid fails here")


def cached(name: str, recipe: object, fetches: str, make: Callable[[Path], None]) -> Path:
    """The folder that `make` fills, made once for its recipe; `fetches` says what, and how long.

    A half-made one is never used. Those of other recipes go when nobody has used them for a week:
    another clone may be at work in one. Raises GateUnable.
    """
    digest = hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]
    with _alone(name) as cache:
        folder = cache / f"{name}-{digest}"
        if not folder.is_dir():
            _remove_unused(cache, name)
            part = folder.with_name(f"{folder.name}.part")
            if part.is_dir():
                shutil.rmtree(part)
            part.mkdir()
            print(f"gate: fetching {fetches}; kept in {cache}", flush=True)
            make(part)
            part.rename(folder)
        os.utime(folder)
    return folder


def _remove_unused(cache: Path, name: str) -> None:
    own = re.compile(rf"{re.escape(name)}-[0-9a-f]{{16}}(\.part)?")
    for folder in [one for one in cache.iterdir() if own.fullmatch(one.name)]:
        if time.time() - folder.stat().st_mtime > UNUSED_S_MAX:
            shutil.rmtree(folder)


@contextmanager
def _alone(name: str) -> Iterator[Path]:
    """The cache's folder, while nobody else makes what has this name."""
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield cache


def bootstrap(debian: Debian, root: Path, packages: Iterable[str], *options: str) -> None:
    """Fill the folder `root` with a minimal Debian and these packages. Raises GateUnable."""
    include = f"--include={','.join(packages)}"
    words = ("debootstrap", "--variant=minbase", include, *options, debian.suite, str(root))
    # What it mounts goes with it, even where it is killed.
    run_quietly((*ALONE, *words, *archive_of_this_machine()))


def plain_root(debian: Debian) -> Path:
    """A minimal Debian with what README names, kept between runs. Raises GateUnable."""

    def make(root: Path) -> None:
        bootstrap(debian, root, README_PACKAGES)

    words = f"a Debian {debian.number} once, about two minutes"
    return cached(f"debian-{debian.number}", (debian, README_PACKAGES), words, make)


def archive_of_this_machine() -> tuple[str, ...]:
    """The address from which this machine has its Debian packages; none: debootstrap's own."""
    words = ("apt-get", "indextargets", "--format", "$(REPO_URI)", "Label: Debian")
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ()
    return tuple(sorted(set(done.stdout.split())))[:1]


def run_quietly(command: Sequence[str]) -> None:
    """Run a command; what it prints is shown only if it fails. Raises GateUnable."""
    environment = {**os.environ, "LANG": "C.UTF-8"}
    environment.pop("PYTHONPATH", None)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            check=False,
        )
    except FileNotFoundError as error:
        raise GateUnable(f"{error.filename} is not installed") from error
    if done.returncode:
        end = "\n  ".join(done.stdout.splitlines()[-8:])
        raise GateUnable(f"{' '.join(command[:3])} failed:\n  {end}")
