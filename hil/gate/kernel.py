"""The gate's own kernel: User Mode Linux, built once from Debian's source and cached.

The kernel's options are in kernel.config.
Source: Linux Documentation/virt/uml/user_mode_linux_howto_v2.rst.
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
# Bytes of a process's registers that the source makes room for, and that the largest processor has.
REGISTER_BYTES = (2696, 11008)


class GateUnable(Exception):
    """The gate cannot run here; the message names what is missing and how to get it."""


def installed_version(package: str) -> str:
    """The version of an installed Debian package; empty if it is not installed."""
    query = ("dpkg-query", "-W", "-f", "${db:Status-Abbrev}|${Version}", package)
    try:
        done = subprocess.run(query, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    status, _, version = done.stdout.partition("|")
    return version if status.startswith("ii") else ""


def require(packages: tuple[str, ...], what: str) -> None:
    """Raise GateUnable if one of the packages is not installed."""
    absent = [package for package in packages if not installed_version(package)]
    if absent:
        names = " ".join(absent)
        raise GateUnable(
            f"{what} needs Debian packages that are not installed: {names};"
            f" apt-get install --no-install-recommends {names}"
        )


def cache_folder() -> Path:
    """The folder of cached kernels, outside the repository."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "smartshoe" / "gate"


def cached_kernel() -> Path | None:
    """A cached kernel with the current options, of the installed source package if any."""
    built = cache_folder() / _name(installed_version(SOURCE_PACKAGE))
    if built.is_file():
        return built
    if installed_version(SOURCE_PACKAGE):
        return None
    return next(iter(sorted(cache_folder().glob(f"linux-{_options()}-*"))), None)


def build_kernel() -> Path:
    """Build and cache the kernel; about five minutes on two cores. Raises GateUnable."""
    require(TO_BUILD, "building the kernel")
    cache_folder().mkdir(parents=True, exist_ok=True)
    # In the cache folder: the system's folder for temporary files is often too small.
    with tempfile.TemporaryDirectory(prefix="build-", dir=cache_folder()) as name:
        folder = Path(name)
        log = folder / "build.log"
        output = folder / "output"
        output.mkdir()
        _run(("tar", "xf", str(SOURCE), "-C", name), folder, log)
        (source,) = (path for path in folder.glob("linux-source-*") if path.is_dir())
        _make_room_for_registers(source)
        make = ("make", "ARCH=um", f"O={output}")
        _run((*make, f"KCONFIG_ALLCONFIG={OPTIONS}", "allnoconfig"), source, log)
        _check_options(output / ".config")
        _run((*make, f"-j{JOBS}", "linux"), source, log)
        _run(("strip", "-o", str(folder / "stripped"), str(output / "linux")), folder, log)
        result = cache_folder() / _name(installed_version(SOURCE_PACKAGE))
        shutil.move(folder / "stripped", result)
    return result


def _make_room_for_registers(source: Path) -> None:
    """Let the kernel keep the registers of processors with AMX; without it they boot nothing."""
    offsets = source / "arch/x86/um/user-offsets.c"
    text = offsets.read_text()
    before, after = (f"DEFINE_LONGS(HOST_FP_SIZE, {size});" for size in REGISTER_BYTES)
    if before not in text:
        raise GateUnable(f"{offsets.name} of {SOURCE_PACKAGE} is another: {before} is not in it")
    offsets.write_text(text.replace(before, after))


def _options() -> str:
    made_of = (OPTIONS.read_bytes(), repr(REGISTER_BYTES).encode())
    return hashlib.sha256(b"".join(made_of)).hexdigest()[:16]


def _name(source_version: str) -> str:
    return f"linux-{_options()}-{source_version}"


def _check_options(config: Path) -> None:
    """Raise GateUnable if kconfig silently dropped an option with unmet dependencies."""
    chosen = config.read_text().splitlines()
    wanted = (line for line in OPTIONS.read_text().splitlines() if line.startswith("CONFIG_"))
    lost = [line for line in wanted if line not in chosen]
    if lost:
        raise GateUnable(f"the kernel source does not accept these options: {', '.join(lost)}")


def _run(command: tuple[str, ...], folder: Path, log: Path) -> None:
    with log.open("ab") as log_file:
        done = subprocess.run(command, cwd=folder, stdout=log_file, stderr=log_file, check=False)
    if done.returncode:
        saved = shutil.copy(log, cache_folder() / "build.log")
        end = "\n  ".join(log.read_text(errors="replace").splitlines()[-8:])
        raise GateUnable(f"{command[0]} failed; the whole log is in {saved}, its end:\n  {end}")
