"""The reference firmware, built when it is needed and kept.

Responsible for: which Debian packages each build needs, calling the Makefile of hil/firmware, and
where what was built is kept: once for each state of the sources.
Not responsible for: how it is compiled (hil/firmware/Makefile) and running it (firmware_qemu,
firmware_native).
Source: package README, "Reference firmware".
"""

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


class FirmwareUnable(Exception):
    """The firmware cannot be built or run here; the message says what is missing."""


class Role(StrEnum):
    SHOE = "shoe"
    SHUFFLER = "shuffler"


class Build(StrEnum):
    """A target of the Makefile: for the board, native with sanitizers, for fuzzing."""

    ARM = "arm"
    HOST = "host"
    FUZZ = "fuzz"


# build: (program, the Debian packages that bring it and what it needs)
NEEDS = {
    Build.ARM: ("arm-none-eabi-gcc", "gcc-arm-none-eabi libnewlib-arm-none-eabi"),
    Build.HOST: ("gcc", "gcc libc6-dev"),
    Build.FUZZ: ("clang", "clang libclang-rt-14-dev"),
}


@dataclass(frozen=True, slots=True)
class Built:
    """What one run of the Makefile gave: its files, and what it said of sizes."""

    folder: Path
    said: str


def require(program: str, packages: str) -> str:
    """The program's path. Raises FirmwareUnable."""
    found = shutil.which(program)
    if found is None:
        raise FirmwareUnable(
            f"{program} is not installed; on Debian:"
            f" apt-get install --no-install-recommends {packages}"
        )
    return found


def built(build: Build, role: Role, ring_places: int | None = None) -> Built:
    """Raises FirmwareUnable. `ring_places` None: as many as suit the role."""
    require("make", "make")
    compiler = require(*NEEDS[build])
    ring = "" if ring_places is None else str(ring_places)
    kept = kept_in() / f"{build}-{role}-{ring or 'usual'}-{_state_of_sources(compiler)}"
    if not kept.is_dir():
        _build(build, role, ring, kept)
    return Built(kept, (kept / "said").read_text(encoding="utf-8"))


def kept_in() -> Path:
    """The folder for what was built, outside the repository."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "smartshoe" / "firmware"


def _state_of_sources(compiler: str) -> str:
    digest = hashlib.sha256(compiler.encode())
    version = (compiler, "--version")
    digest.update(subprocess.run(version, capture_output=True, check=True).stdout)
    for path in sorted(path for path in SOURCES.rglob("*") if path.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(SOURCES)} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _build(build: Build, role: Role, ring: str, kept: Path) -> None:
    """Beside its place, then moved there in one step: two processes may build at a time."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="build-", dir=kept.parent) as name:
        making = Path(name) / "out"
        making.mkdir()
        command = ("make", "-s", "-C", str(SOURCES), build.value)
        settings = (f"ROLE={role}", f"RING={ring}", f"OUT={making}")
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
        (making / "said").write_text(done.stdout, encoding="utf-8")
        with suppress(OSError):  # another process was first, with the same
            making.rename(kept)
    if not kept.is_dir():
        raise FirmwareUnable(f"{kept} cannot be written; is there room, and is it yours?")
