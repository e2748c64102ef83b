"""The rules and the stored records on ARM64: Debian's own Python under user-mode emulation.

No chroot and no kernel support is needed: each program runs as `qemu-aarch64-static -L ROOT`.
Source: qemu-user(1), debootstrap(8).
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from hil.gate.debian_root import DEBIANS, bootstrap, cached, run_quietly
from hil.gate.kernel import GateUnable

ROOT: Final = Path(__file__).resolve().parents[2]
DEBIAN: Final = DEBIANS[12]
LOCK: Final = ROOT / "requirements-dev.lock"
TO_EMULATE: Final = ("debootstrap", "qemu-user-static")
# What a table's machine of 2021 and later takes (glibc 2.34 is older than Debian 12).
PLATFORMS: Final = tuple(f"manylinux_2_{minor}_aarch64" for minor in (17, 28, 34))
# It is pure, with an extension that speeds it up and that it is built without where no compiler is.
BUILT_PURE: Final = ("cobs",)
CASES: Final = ("tests/controller/rules", "tests/tapes")
IMPORTS: Final = (
    "import cobs.cobs, cryptography.hazmat.bindings._rust, fastcrc, gpiod, jinja2, msgspec, pkcs11,"
    " pydantic_core, prometheus_client, serial, sqlite3, transitions, usb.core, platform, sys;"
    " print('      Python', sys.version.split()[0], 'on', platform.machine())"
)
WRAPPER: Final = """\
#!/bin/sh
# Programs that this one starts by sys.executable run through here, too.
exec qemu-aarch64-static -0 "$0" -L {root} {root}/usr/bin/{interpreter} "$@"
"""


def run_arm64_cases() -> bool:
    """Run the cases, print their output, and return whether every one passed. Raises GateUnable."""
    folder = _prepared()
    environment = {
        **os.environ,
        "PYTHONHOME": str(folder / "root/usr"),
        "PYTHONPATH": f"{folder / 'site'}:{ROOT}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    pytest = ("-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider", "-p", "no:xdist")
    for words in (("-c", IMPORTS), (*pytest, *CASES)):
        command = [str(folder / "bin" / DEBIAN.interpreter), *words]
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
            return False
    return True


def _prepared() -> Path:
    """A folder with Debian's Python for ARM64 and every locked wheel; made once and cached."""

    def make(folder: Path) -> None:
        unpack_debian(folder / "root")
        _install_wheels(folder / "site")

    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    words = "Debian's Python and wheels for ARM64 once"
    folder = cached("arm64", (DEBIAN, digest), words, make)
    wrapper = folder / "bin" / DEBIAN.interpreter
    wrapper.parent.mkdir(exist_ok=True)
    text = WRAPPER.format(root=folder / "root", interpreter=DEBIAN.interpreter)
    wrapper.write_text(text, encoding="utf-8")
    wrapper.chmod(0o755)
    return folder


def unpack_debian(root: Path) -> None:
    """Unpack the packages and leave them so: their scripts would need an ARM64 kernel."""
    bootstrap(DEBIAN, root, ("python3",), "--arch=arm64", "--foreign")
    for package in sorted((root / "var/cache/apt/archives").glob("*.deb")):
        run_quietly(("dpkg-deb", "-x", str(package), str(root)))


def _install_wheels(site: Path) -> None:
    pure, others = _split_lock()
    lock = site.with_name("lock.txt")
    lock.write_text(others, encoding="utf-8")
    install = (*_pip("install"), "--target", str(site))
    run_quietly((*install, *_platform(), "-r", str(lock)))
    lock.write_text(pure, encoding="utf-8")
    run_quietly(("env", "CC=/bin/false", *install, "--no-binary=:all:", "-r", str(lock)))


def _pip(command: str) -> tuple[str, ...]:
    words = ("-m", "pip", "--quiet", "--disable-pip-version-check", command)
    return (sys.executable, *words, "--no-deps", "--require-hashes")


def _platform() -> tuple[str, ...]:
    platforms = (f"--platform={one}" for one in PLATFORMS)
    return (
        "--only-binary=:all:",
        f"--python-version={'.'.join(map(str, DEBIAN.python))}",
        "--implementation=cp",
        *platforms,
    )


def _split_lock() -> tuple[str, str]:
    """The pins of what is built pure, and all others, with their hashes."""
    pins = LOCK.read_text(encoding="utf-8").replace(" \\\n", " ").splitlines()
    pins = [one for one in pins if not one.lstrip().startswith("#")]
    pure = [one for one in pins if one.partition("==")[0] in BUILT_PURE]
    if len(pure) != len(BUILT_PURE):
        raise GateUnable(f"{LOCK.name} does not pin {', '.join(BUILT_PURE)}")
    return "\n".join(pure), "\n".join(one for one in pins if one not in pure)
