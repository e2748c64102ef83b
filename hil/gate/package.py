"""The package on clean machines: without a network from a local repository, then under systemd.

Source: deploy/debian/README.md; docs/installation.md; hil/README.md, "The package on a clean
machine"; unshare(1).
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from hil.gate.boot import boot_machine
from hil.gate.kernel import GateUnable, cache_folder
from hil.gate.machine import add_cases
from hil.gate.repository import build_packages, clean_machine, versions_of

ROOT: Final = Path(__file__).resolve().parents[2]
GATE: Final = ROOT / "tests" / "gate"
WITHOUT_NETWORK, UNDER_SYSTEMD = GATE / "package_on_debian.py", GATE / "package_on_systemd.py"
BEGIN: Final = Path(__file__).with_name("package_unit.sh")
# Its own network with nothing but loopback, its own mounts; all of it ends with its first process.
ALONE: Final = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


def run_package_cases(kernel: Path) -> bool:
    """Build the package, try it on clean machines, print it; whether every case passed.

    Raises GateUnable.
    """
    if not GATE.is_dir():
        raise GateUnable("the gate runs from a clone of the repository: tests/gate is missing")
    if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
        raise GateUnable("the gate needs root and namespaces: unshare --net --mount --pid fails")
    with tempfile.TemporaryDirectory(prefix="package-", dir=cache_folder()) as name:
        folder = Path(name)
        begun_s = time.monotonic()
        packages = build_packages(folder)
        size = packages[-1].stat().st_size / 1e6
        took_s = time.monotonic() - begun_s
        print(f"ok    two versions are built ({took_s:.1f} s), {size:.0f} MB each", flush=True)
        passed = _run_without_network(clean_machine(folder / "alone", packages), packages)
        machine = clean_machine(folder / "machine", packages)
        return _run_under_systemd(kernel, machine, packages) and passed


def _run_under_systemd(kernel: Path, root: Path, packages: tuple[Path, ...]) -> bool:
    add_cases(root, UNDER_SYSTEMD, f"/bin/sh /gate/begin {' '.join(versions_of(packages))}")
    shutil.copy(BEGIN, root / "gate/begin")
    return boot_machine(kernel, root)


def _run_without_network(root: Path, packages: tuple[Path, ...]) -> bool:
    words = (sys.executable, str(WITHOUT_NETWORK), str(root), *versions_of(packages))
    return subprocess.run([*ALONE, *words], stdin=subprocess.DEVNULL, check=False).returncode == 0
