"""A clean Debian without the program, and a local repository as the only source of packages.

The repository holds the packages, the version before them, and those of Debian's packages that they
need and a minimal Debian lacks.
Source: sources.list(5).
"""

import re
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from hil.gate.debian_root import ALONE, Debian, bootstrap, cached, run_quietly
from hil.gate.machine import copy_sources

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGING: Final = ROOT / "deploy" / "debian"
TO_INSTALL: Final = ("debootstrap", "dpkg-dev")
# What every installed Debian has and `--variant=minbase` leaves out.
INCLUDED: Final = ("systemd", "systemd-sysv", "dbus", "udev")
# What keeps the clock: the package recommends one of several.
RECOMMENDED: Final = ("systemd-timesyncd",)
# The version before is the same program under a number that sorts before every other.
BEFORE: Final = "0.0.1+before"
SOURCE: Final = "deb [trusted=yes] file:/{} ./\n"
PLACE: Final = "srv/repository"
NEXT_PLACE: Final = "srv/next-debian"


def clean_machine(folder: Path, debian: Debian, packages: Sequence[Path]) -> Path:
    """A root of that Debian in the new folder `folder`, whose only source holds the packages.

    Raises GateUnable.
    """
    base = _clean_debian(debian)
    root = folder / "root"
    folder.mkdir()
    run_quietly(("cp", "-a", "--reflink=auto", str(base / "root"), str(root)))
    add_repository(root, PLACE, base / "packages", packages)
    (root / "etc/apt/sources.list").write_text(SOURCE.format(PLACE), encoding="utf-8")
    (root / "etc/resolv.conf").unlink(missing_ok=True)
    return root


def add_repository(root: Path, place: str, debian: Path, packages: Sequence[Path]) -> None:
    """A repository at that place of the root, with Debian's own packages and these."""
    repository = root / place
    shutil.copytree(debian, repository)
    for package in packages:
        shutil.copy(package, repository)
    scan = 'cd "$0" && dpkg-scanpackages --multiversion . >Packages 2>scan.log'
    run_quietly(("sh", "-c", scan, str(repository)))


def packages_of_an_upgrade(before: Debian, after: Debian) -> Path:
    """A folder with what a machine of one Debian fetches to become the next; cached.

    It has what the table's package needs. Raises GateUnable.
    """
    needed = (*_needed(), *RECOMMENDED)

    def make(folder: Path) -> None:
        root = folder / "root"
        run_quietly(("cp", "-a", "--reflink=auto", str(_clean_debian(before) / "root"), str(root)))
        _apt(root, "update")
        _apt(root, "install", "--no-install-recommends", *needed)
        sources = root / "etc/apt/sources.list"
        sources.write_text(sources.read_text().replace(before.suite, after.suite))
        _apt(root, "update")
        _apt(root, "full-upgrade", "--download-only")
        _apt(root, "install", "--download-only", "--no-install-recommends", *needed)
        _move_packages(root, folder / "packages")
        shutil.rmtree(root)

    words = f"the packages from Debian {before.number} to {after.number} once"
    return cached("upgrade", (before, after, INCLUDED, needed), words, make) / "packages"


def _apt(root: Path, *words: str) -> None:
    """Run apt-get in a root, which keeps what it fetches."""
    kept = ("-o", "APT::Keep-Downloaded-Packages=true")
    quiet = ("env", "DEBIAN_FRONTEND=noninteractive")
    # What a package starts ends with it.
    run_quietly((*ALONE, "chroot", str(root), *quiet, "apt-get", "--yes", *kept, *words))


def _move_packages(root: Path, target: Path) -> None:
    target.mkdir()
    for package in (root / "var/cache/apt/archives").glob("*.deb"):
        package.rename(target / package.name)


def build_versions(folder: Path, debian: Debian) -> tuple[Path, ...]:
    """The packages of the version before, and those of the sources. Raises GateUnable."""
    before = folder / "before"
    if not before.is_dir():
        copy_sources(before, BEFORE)
    out = folder / f"packages-{debian.number}"
    with ThreadPoolExecutor() as pool:
        first = pool.submit(build_packages, out / "now", debian)
        second = pool.submit(build_packages, out / "before", debian, source=before)
        return (*second.result(), *first.result())


def versions_of(packages: Sequence[Path]) -> tuple[str, ...]:
    """The Debian versions in the names of packages, each once."""
    return tuple(dict.fromkeys(one.name.split("_")[1] for one in packages))


def build_packages(
    out: Path, debian: Debian, arch: str = "", *, source: Path = ROOT
) -> tuple[Path, ...]:
    """The packages of these sources in the new folder `out`; by default for this architecture.

    Raises GateUnable.
    """
    words = (*(("--arch", arch) if arch else ()), "--source", str(source), "--out", str(out))
    target = ("--debian", str(debian.number))
    run_quietly((sys.executable, str(PACKAGING / "build_package.py"), *target, *words))
    return tuple(sorted(out.glob("*.deb")))


def _clean_debian(debian: Debian) -> Path:
    """A minimal Debian, and beside it the packages to be put into the repository; cached."""
    needed = (*_needed(), *RECOMMENDED)

    def make(folder: Path) -> None:
        root = folder / "root"
        bootstrap(debian, root, INCLUDED)
        _apt(root, "clean")
        _apt(root, "update")
        _apt(root, "install", "--no-install-recommends", "--download-only", *needed)
        _move_packages(root, folder / "packages")
        for one in (root / "var/lib/apt/lists").iterdir():
            if one.is_file():
                one.unlink()

    words = f"a clean Debian {debian.number} once, about a minute"
    return cached(f"clean-{debian.number}", (debian, INCLUDED, needed), words, make)


def _needed() -> tuple[str, ...]:
    """The names of the packages that the table's depends on."""
    control = (PACKAGING / "control").read_text(encoding="utf-8")
    depends = re.search(r"^Depends: (.*)$", control, re.MULTILINE)
    assert depends is not None, "deploy/debian/control has no Depends"
    named = depends[1].replace("{python}", "python3")
    return tuple(dict.fromkeys(one.split()[0] for one in named.split(",")))
