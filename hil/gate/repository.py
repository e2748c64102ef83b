"""A clean Debian without the program, and a local repository as the only source of packages.

The repository holds the package, the version before it, and those of Debian's packages that the
package needs and a minimal Debian lacks.
Source: deploy/debian/README.md; hil/README.md, "The package on a clean machine"; sources.list(5).
"""

import hashlib
import re
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from hil.gate.kernel import cache_folder
from hil.gate.machine import SUITE, copy_sources, run_quietly

ROOT: Final = Path(__file__).resolve().parents[2]
DEBIAN: Final = ROOT / "deploy" / "debian"
TO_INSTALL: Final = ("debootstrap", "dpkg-dev")
# What every installed Debian 12 has and `--variant=minbase` leaves out.
INCLUDED: Final = ("systemd", "systemd-sysv", "dbus", "udev")
# What keeps the clock: the package recommends one of several.
RECOMMENDED: Final = ("systemd-timesyncd",)
# The version before is the same program under a number that sorts before every other.
BEFORE: Final = "0.0.1+before"
SOURCE: Final = "deb [trusted=yes] file:/srv/repository ./\n"
PLACE: Final = "srv/repository"


def clean_machine(folder: Path, packages: Sequence[Path]) -> Path:
    """A root in the new folder `folder`, whose only source holds the packages.

    Raises GateUnable.
    """
    base = _clean_debian()
    root = folder / "root"
    folder.mkdir()
    run_quietly(("cp", "-a", "--reflink=auto", str(base / "root"), str(root)))
    repository = root / PLACE
    shutil.copytree(base / "packages", repository)
    for package in packages:
        shutil.copy(package, repository)
    scan = 'cd "$0" && dpkg-scanpackages --multiversion . >Packages 2>scan.log'
    run_quietly(("sh", "-c", scan, str(repository)))
    (root / "etc/apt/sources.list").write_text(SOURCE, encoding="utf-8")
    (root / "etc/resolv.conf").unlink(missing_ok=True)
    return root


def build_packages(folder: Path) -> tuple[Path, Path]:
    """The package of the version before, and that of the sources. Raises GateUnable."""
    before = copy_sources(folder / "before", BEFORE)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(build_package, folder / "packages/now")
        second = pool.submit(build_package, folder / "packages/before", source=before)
        return second.result(), first.result()


def versions_of(packages: Sequence[Path]) -> tuple[str, ...]:
    """The Debian versions in the names of packages."""
    return tuple(one.name.split("_")[1] for one in packages)


def build_package(out: Path, arch: str = "", *, source: Path = ROOT) -> Path:
    """The package of these sources in the new folder `out`; by default for this machine.

    Raises GateUnable.
    """
    words = (*(("--arch", arch) if arch else ()), "--source", str(source), "--out", str(out))
    run_quietly((sys.executable, str(DEBIAN / "build_package.py"), *words))
    (package,) = out.glob("*.deb")
    return package


def _clean_debian() -> Path:
    """A minimal Debian, and beside it the packages to be put into the repository; cached."""
    needed = (*_needed(), *RECOMMENDED)
    digest = hashlib.sha256(repr((SUITE, INCLUDED, needed)).encode()).hexdigest()[:16]
    base = cache_folder() / f"clean-{digest}"
    if base.is_dir():
        return base
    print(f"gate: fetching a clean Debian once, about a minute; cached in {cache_folder()}")
    part = base.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    root = part / "root"
    include = f"--include={','.join(INCLUDED)}"
    run_quietly(("debootstrap", "--variant=minbase", include, SUITE, str(root)))
    run_quietly(("chroot", str(root), "apt-get", "clean"))
    fetch = ("apt-get", "install", "--yes", "--no-install-recommends", "--download-only")
    run_quietly(("chroot", str(root), "apt-get", "update"))
    run_quietly(("chroot", str(root), *fetch, *needed))
    (part / "packages").mkdir()
    for package in (root / "var/cache/apt/archives").glob("*.deb"):
        package.rename(part / "packages" / package.name)
    for one in (root / "var/lib/apt/lists").iterdir():
        if one.is_file():
            one.unlink()
    part.rename(base)
    return base


def _needed() -> tuple[str, ...]:
    """The names of the packages that the package depends on."""
    control = (DEBIAN / "control").read_text(encoding="utf-8")
    depends = re.search(r"^Depends: (.*)$", control, re.MULTILINE)
    assert depends is not None, "deploy/debian/control has no Depends"
    names = dict.fromkeys(one.split()[0] for one in depends[1].split(","))
    return tuple(names)
