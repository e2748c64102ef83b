"""The packages for ARM64: built, unpacked into a Debian for ARM64, run under emulation.

Nothing is installed by its scripts: that would need a kernel that starts programs of ARM64.
Source: qemu-user(1), unshare(1).
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from hil.gate.arm64 import DEBIAN, unpack_debian
from hil.gate.debian_root import cached, run_quietly
from hil.gate.kernel import GateUnable, cache_folder
from hil.gate.package import ALONE, GATE
from hil.gate.repository import build_packages, versions_of

CASES: Final = GATE / "package_on_arm64.py"
EMULATOR: Final = Path("/usr/bin/qemu-aarch64-static")


def run_arm64_package_cases() -> bool:
    """Build the packages, run their programs, print it; whether every case passed.

    Raises GateUnable.
    """
    if not CASES.is_file():
        raise GateUnable("the gate runs from a clone of the repository: tests/gate is missing")
    with tempfile.TemporaryDirectory(prefix="arm64-package-", dir=_made_cache()) as name:
        root = Path(name) / "root"
        begun_s = time.monotonic()
        packages = build_packages(Path(name) / "packages", DEBIAN, "arm64")
        took_s = time.monotonic() - begun_s
        print(f"ok    {', '.join(versions_of(packages))} is built ({took_s:.1f} s)", flush=True)
        run_quietly(("cp", "-a", "--reflink=auto", str(_debian()), str(root)))
        for package in packages:
            run_quietly(("dpkg-deb", "-x", str(package), str(root)))
        shutil.copy(EMULATOR, root / "usr/bin")
        words = (*ALONE, sys.executable, str(CASES), str(root))
        return subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode == 0


def _made_cache() -> Path:
    cache_folder().mkdir(parents=True, exist_ok=True)
    return cache_folder()


def _debian() -> Path:
    """The unpacked packages of a minimal Debian for ARM64 with Python, cached."""
    return cached("arm64-root", DEBIAN, "a Debian for ARM64 once", unpack_debian)
