"""The gate's own kernel: Linux as one ordinary process, built once from Debian's source.

Responsible for: which Debian packages that needs, where the built kernel is kept, and building it.
Not responsible for: running it (boot). The options stand in kernel.config.
Source: Linux Documentation/virt/uml/user_mode_linux_howto_v2.rst; package README, "USB on a real
kernel".
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE_PACKAGE = "linux-source-6.1"
SOURCE = Path("/usr/src/linux-source-6.1.tar.xz")
OPTIONS = Path(__file__).with_name("kernel.config")
TO_RUN = ("libusb-1.0-0", "udev")
TO_BUILD = (
    *(SOURCE_PACKAGE, "gcc", "make", "flex", "bison", "bc", "xz-utils", "binutils"),
    *("libc6-dev", "libelf-dev", "libssl-dev"),
)
JOBS = os.cpu_count() or 1


class GateUnable(Exception):
    """The gate cannot be run here; the message says what is missing and how to get it."""


def installed_version(package: str) -> str:
    """The version of an installed Debian package; empty: it is not installed."""
    query = ("dpkg-query", "-W", "-f", "${db:Status-Abbrev}|${Version}", package)
    try:
        done = subprocess.run(query, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    status, _, version = done.stdout.partition("|")
    return version if status.startswith("ii") else ""


def require(packages: tuple[str, ...], what: str) -> None:
    """Raises GateUnable where one is not installed."""
    absent = [package for package in packages if not installed_version(package)]
    if absent:
        names = " ".join(absent)
        raise GateUnable(
            f"{what} needs Debian packages that are not installed: {names};"
            f" apt-get install --no-install-recommends {names}"
        )


def kept_in() -> Path:
    """The folder for built kernels, outside the repository."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "smartshoe" / "gate"


def kept_kernel() -> Path | None:
    """A kernel built of the options as they are, from the source as it is (or was) installed."""
    built = kept_in() / _name(installed_version(SOURCE_PACKAGE))
    if built.is_file():
        return built
    if installed_version(SOURCE_PACKAGE):
        return None
    return next(iter(sorted(kept_in().glob(f"linux-{_options()}-*"))), None)


def build_kernel() -> Path:
    """Build and keep it; some five minutes on two cores. Raises GateUnable."""
    require(TO_BUILD, "building the kernel")
    kept_in().mkdir(parents=True, exist_ok=True)
    # Beside the result: a folder for temporary files is often too small.
    with tempfile.TemporaryDirectory(prefix="build-", dir=kept_in()) as name:
        folder = Path(name)
        log = folder / "build.log"
        output = folder / "output"
        output.mkdir()
        _run(("tar", "xf", str(SOURCE), "-C", name), folder, log)
        (source,) = (path for path in folder.glob("linux-source-*") if path.is_dir())
        make = ("make", "ARCH=um", f"O={output}")
        _run((*make, f"KCONFIG_ALLCONFIG={OPTIONS}", "allnoconfig"), source, log)
        _check_options(output / ".config")
        _run((*make, f"-j{JOBS}", "linux"), source, log)
        _run(("strip", "-o", str(folder / "stripped"), str(output / "linux")), folder, log)
        result = kept_in() / _name(installed_version(SOURCE_PACKAGE))
        shutil.move(folder / "stripped", result)
    return result


def _options() -> str:
    return hashlib.sha256(OPTIONS.read_bytes()).hexdigest()[:16]


def _name(source_version: str) -> str:
    return f"linux-{_options()}-{source_version}"


def _check_options(made: Path) -> None:
    """An option whose own conditions do not hold is dropped without a word: find it now."""
    chosen = made.read_text().splitlines()
    wanted = (line for line in OPTIONS.read_text().splitlines() if line.startswith("CONFIG_"))
    lost = [line for line in wanted if line not in chosen]
    if lost:
        raise GateUnable(f"the kernel source does not take these options: {', '.join(lost)}")


def _run(command: tuple[str, ...], folder: Path, log: Path) -> None:
    with log.open("ab") as said:
        done = subprocess.run(command, cwd=folder, stdout=said, stderr=said, check=False)
    if done.returncode:
        kept = shutil.copy(log, kept_in() / "build.log")
        end = "\n  ".join(log.read_text(errors="replace").splitlines()[-8:])
        raise GateUnable(f"{command[0]} failed; the whole log is in {kept}, its end:\n  {end}")
