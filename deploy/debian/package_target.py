"""What a package is made for, a Debian and an architecture, and what follows for pip and dpkg."""

import os
import platform
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from hil.gate.debian_root import DEBIANS, Debian

# Debian 12 has glibc 2.36: a wheel may ask for that of 2.34 at most.
MANYLINUX: Final = ("2_5", "2_12", "2_17", "2_28", "2_34")
MACHINES: Final[Mapping[str, str]] = {"amd64": "x86_64", "arm64": "aarch64"}


class PackageTarget(NamedTuple):
    """One Debian on one architecture."""

    debian: Debian
    arch: str

    def site(self, package: str) -> str:
        """A package's folder of modules, below the root."""
        return f"usr/lib/{package}/lib/{self.debian.interpreter}/site-packages"

    @property
    def depends(self) -> str:
        """Its own Python: what that has compiled is read by no other version."""
        major, minor = self.debian.python
        return f"python3 (>= {major}.{minor}), python3 (<< {major}.{minor + 1})"

    def upstream(self, version: str) -> str:
        """A version of Python's as one of Debian's that sorts alike: 0.9.0.dev0 is 0.9.0~dev0."""
        return re.sub(r"\.?(dev|a|b|rc)(\d+)", r"~\1\2", version)

    def version(self, version: str) -> str:
        """The package's version: that of a later Debian replaces that of an earlier one."""
        return f"{self.upstream(version)}+deb{self.debian.number}"

    def file_name(self, package: str, version: str) -> str:
        """The file that `make deb` writes."""
        return f"{package}_{self.version(version)}_{self.arch}.deb"

    def pip_words(self) -> tuple[str, ...]:
        """Wheels for that Python and machine, whatever is running here."""
        machine = MACHINES[self.arch]
        names = [f"manylinux_{one}_{machine}" for one in MANYLINUX]
        old = [f"manylinux{year}_{machine}" for year in ("1", "2010", "2014")]
        platforms = (f"--platform={one}" for one in (*names, *old))
        version = ".".join(map(str, self.debian.python))
        return (
            *("--only-binary=:all:", "--implementation=cp", f"--python-version={version}"),
            *platforms,
        )


def package_files(target: PackageTarget, package: str, version: str) -> dict[str, object]:
    """Which Debian this package is for, and its file for each on the same architecture."""
    every = (PackageTarget(debian, target.arch) for debian in DEBIANS.values())
    return {
        "debian": target.debian.number,
        "files": {str(one.debian.number): one.file_name(package, version) for one in every},
    }


def machine_architecture() -> str:
    """Debian's name of this machine's architecture."""
    machine = os.uname().machine
    return next((arch for arch, name in MACHINES.items() if name == machine), "amd64")


def debian_of_this_machine() -> int:
    """The number of the Debian here, if there is a package for it; else 12."""
    try:
        facts = platform.freedesktop_os_release()
    except OSError:
        return 12
    number = facts.get("VERSION_ID", "")
    here = facts.get("ID") == "debian" and number.isdecimal() and int(number) in DEBIANS
    return int(number) if here else 12
