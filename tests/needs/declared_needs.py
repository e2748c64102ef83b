"""Reads needs.toml: what is absent here, and what brings it on this Debian.

Of the standard library alone: .ci/run calls it with Debian's Python before any environment exists.
"""

import argparse
import ctypes
import os
import platform
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

FILE = Path(__file__).with_name("needs.toml")
SYSTEM_PYTHON = "/usr/bin/python3"
# Below the environment, which may lie in a closed home: what another account may start.
PYTHON_OF_ANYBODY = str(Path(sys.executable).resolve())
# linux/capability.h
CAP_SYS_ADMIN = 21


@dataclass(frozen=True, slots=True)
class Setting:
    """A number of the kernel: tests need more than `above`, .ci/run writes `write`."""

    file: str
    above: int
    write: int

    def is_set(self) -> bool:
        try:
            return int(Path(self.file).read_text("ascii")) > self.above
        except (OSError, ValueError):
            return False


@dataclass(frozen=True, slots=True)
class Need:
    """One entry of the file, with the packages of this Debian."""

    name: str
    what: str
    programs: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    system_modules: tuple[str, ...] = ()
    distributions: tuple[str, ...] = ()
    setting: Setting | None = None
    account: str = ""
    open_python: bool = False
    mount: bool = False
    user_namespace: bool = False
    packages: tuple[str, ...] = ()
    command: str = ""
    long: bool = False

    def absent(self) -> str:
        """The first thing that is not here; empty if all is."""
        return next(self._absent_parts(), "")

    def _absent_parts(self) -> Iterator[str]:
        if self.programs and shutil.which(self.programs[0]) is None:
            yield self.programs[0]
        yield from (one for one in self.libraries if not loads(one))
        yield from (one for one in self.files if not any(Path("/").glob(one[1:])))
        yield from (one for one in self.system_modules if not is_system_module(one))
        yield from (one for one in self.distributions if not is_installed(one))
        if self.setting is not None and not self.setting.is_set():
            yield self.setting.file
        if self.account == "root" and os.geteuid() != 0:
            yield "root"
        if self.open_python and not others_enter(Path(PYTHON_OF_ANYBODY)):
            yield PYTHON_OF_ANYBODY
        if self.mount and not may_mount():
            yield "the right to mount"
        if self.user_namespace and not begins_user_namespace():
            yield "the right to begin a user namespace"


@cache
def needs(file: Path = FILE, release: str = "") -> Mapping[str, Need]:
    """Every need by its name, with the packages of a Debian release, such as `12`; else of this."""
    entries = tomllib.loads(file.read_text("utf-8"))["needs"]
    return {
        name: _need(name, entry, release or debian_release()) for name, entry in entries.items()
    }


def _need(name: str, entry: Mapping[str, object], release: str) -> Need:
    known = {key.replace("-", "_"): value for key, value in entry.items() if "debian" not in key}
    setting = known.pop("setting", None)
    values = {key: tuple(one) if isinstance(one, list) else one for key, one in known.items()}
    packages = [*listed(entry, "debian"), *listed(entry, f"debian-{release}")]
    values["setting"] = Setting(**setting) if isinstance(setting, dict) else None
    return Need(name=name, packages=tuple(packages), **values)  # type: ignore[arg-type]


def listed(entry: Mapping[str, object], key: str) -> list[str]:
    """A list of words of an entry; empty where it has none."""
    value = entry.get(key, [])
    assert isinstance(value, list), f"{FILE.name}: {key} is no list"
    return value


@cache
def base(key: str, file: Path = FILE) -> tuple[str, ...]:
    """README's packages (`debian`), or the programs that every test may start (`programs`)."""
    return tuple(tomllib.loads(file.read_text("utf-8"))["base"][key])


def remedies(absent: Iterable[Need]) -> list[str]:
    """What brings these needs on this machine, one command a line."""
    found = list(absent)
    packages = dict.fromkeys(package for one in found for package in one.packages)
    lines = [f"apt-get install {' '.join(packages)}"] if packages else []
    if any(one.distributions and not all(map(is_installed, one.distributions)) for one in found):
        lines.append("make test-services, which installs the libraries that only these tests need")
    return lines + list(dict.fromkeys(one.command for one in found if one.command))


def debian_release() -> str:
    """The number of this Debian, such as `12`; empty elsewhere."""
    try:
        found = platform.freedesktop_os_release()
    except OSError:
        return ""
    return found.get("VERSION_ID", "") if found.get("ID") == "debian" else ""


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


@cache
def is_system_module(name: str) -> bool:
    """Whether Debian's own Python has the module."""
    look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is None)"
    try:
        return subprocess.run([SYSTEM_PYTHON, "-I", "-c", look], check=False).returncode == 0
    except OSError:
        return False


@cache
def is_installed(distribution: str) -> bool:
    try:
        metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def others_enter(path: Path) -> bool:
    """Whether every account may go through the folders to this place."""
    return all(folder.stat().st_mode & 0o001 for folder in path.parents)


def may_mount() -> bool:
    status = Path("/proc/self/status").read_text("ascii")
    (effective,) = (line.split()[1] for line in status.splitlines() if line.startswith("CapEff:"))
    return bool(int(effective, 16) >> CAP_SYS_ADMIN & 1)


@cache
def begins_user_namespace() -> bool:
    began = subprocess.run(["unshare", "--user", "true"], capture_output=True, check=False)
    return began.returncode == 0


def main(words: Sequence[str] | None = None) -> int:
    """For .ci/run: what to install and to set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("packages", "settings"))
    given = parser.parse_args(words)
    short = [one for one in needs().values() if not one.long]
    if given.what == "packages":
        wanted = (*base("debian"), *(package for one in short for package in one.packages))
        print(*dict.fromkeys(wanted), sep="\n")
    else:
        for one in short:
            if one.setting is not None:
                print(one.setting.file, one.setting.write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
