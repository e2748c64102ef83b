"""Builds the reference firmware on demand and caches it, one build per state of the sources."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "firmware"
BUILD_S_MAX = 300
MAKE_OUTPUT = "make-output.txt"


class FirmwareUnable(Exception):
    """The firmware cannot be built or run here; the message names what is missing."""


class FirmwareRole(StrEnum):
    SHOE = "shoe"
    SHUFFLER = "shuffler"


class Build(StrEnum):
    """A target of the Makefile: for the board, native with sanitizers, for fuzzing."""

    ARM = "arm"
    HOST = "host"
    FUZZ = "fuzz"


# build: (program, Debian packages that provide it and its dependencies)
NEEDS = {
    Build.ARM: ("arm-none-eabi-gcc", "gcc-arm-none-eabi libnewlib-arm-none-eabi"),
    Build.HOST: ("gcc", "gcc libc6-dev"),
    Build.FUZZ: ("clang", "clang libclang-rt-14-dev"),
}


@dataclass(frozen=True, slots=True)
class FirmwareBuild:
    """One build: the folder of its files, and the output of make (sizes)."""

    folder: Path
    make_output: str


def require(program: str, packages: str) -> str:
    """The program's path. Raises FirmwareUnable."""
    found = shutil.which(program)
    if found is None:
        raise FirmwareUnable(
            f"{program} is not installed; on Debian:"
            f" apt-get install --no-install-recommends {packages}"
        )
    return found


def build_firmware(
    build: Build, role: FirmwareRole, ring_places: int | None = None
) -> FirmwareBuild:
    """Return the build, from the cache if possible; `ring_places` None: the role's default.

    Raises FirmwareUnable.
    """
    require("make", "make")
    compiler = require(*NEEDS[build])
    ring = "" if ring_places is None else str(ring_places)
    folder = cache_folder() / f"{role}-{build}-{ring or 'default'}-{_source_digest(compiler)}"
    if not folder.is_dir():
        _build(build, role, ring, folder)
    return FirmwareBuild(folder, (folder / MAKE_OUTPUT).read_text(encoding="utf-8"))


def cache_folder() -> Path:
    """The folder of cached builds, outside the repository."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "smartshoe" / "firmware"


def _source_digest(compiler: str) -> str:
    digest = hashlib.sha256(compiler.encode())
    version = (compiler, "--version")
    digest.update(subprocess.run(version, capture_output=True, check=True).stdout)
    for path in sorted(path for path in SOURCES.rglob("*") if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(SOURCES)} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _build(build: Build, role: FirmwareRole, ring: str, folder: Path) -> None:
    """Build in a temporary folder, then rename it: two processes may build at the same time."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="build-", dir=folder.parent) as name:
        output = Path(name) / "out"
        output.mkdir()
        command = ("make", "-s", "-C", str(SOURCES), build.value)
        settings = (f"ROLE={role}", f"RING={ring}", f"OUT={output}")
        done = subprocess.run(
            (*command, *settings),
            capture_output=True,
            text=True,
            check=False,
            timeout=BUILD_S_MAX,
        )
        if done.returncode:
            end = "\n  ".join(done.stderr.strip().splitlines()[-8:])
            raise FirmwareUnable(
                f"make {build} failed; it needs the Debian packages {NEEDS[build][1]}:\n  {end}"
            )
        (output / MAKE_OUTPUT).write_text(done.stdout, encoding="utf-8")
        with suppress(OSError):  # another process was faster, with the same result
            output.rename(folder)
    if not folder.is_dir():
        raise FirmwareUnable(f"{folder} cannot be written; check free space and ownership")
