"""The packages on clean machines: without a network from a local repository, then under systemd.

Source: unshare(1).
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hil.gate import debian_root
from hil.gate.boot import boot_machine
from hil.gate.debian_root import DEBIANS, Debian
from hil.gate.kernel import GateUnable, cache_folder
from hil.gate.machine import add_cases
from hil.gate.repository import (
    NEXT_PLACE,
    add_repository,
    build_packages,
    build_versions,
    clean_machine,
    packages_of_an_upgrade,
    versions_of,
)

ROOT: Final = Path(__file__).resolve().parents[2]
GATE: Final = ROOT / "tests" / "gate"
# The gate's kernel is older than what the systemd of later ones asks for.
BOOTED: Final = DEBIANS[12]
TO_NEXT_DEBIAN: Final = GATE / "package_to_next_debian.py"
WITHOUT_NETWORK, UNDER_SYSTEMD = GATE / "package_on_debian.py", GATE / "package_on_systemd.py"
BEGIN: Final = Path(__file__).with_name("package_unit.sh")
# Its own network with nothing but loopback, its own mounts; all of it ends with its first process.
ALONE: Final = (*debian_root.ALONE, "--net")


def run_package_cases(kernel: Path) -> bool:
    """Build the packages, try them on clean machines, print it; whether every case passed.

    Raises GateUnable.
    """
    _require_namespaces()
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="package-", dir=cache_folder()) as name:
        folder = Path(name)
        passed = True
        for debian in DEBIANS.values():
            packages = _built(folder, debian)
            root = clean_machine(folder / f"alone-{debian.number}", debian, packages)
            passed = _run_cases(WITHOUT_NETWORK, root, packages) and passed
            if debian is BOOTED:
                machine = clean_machine(folder / "machine", debian, packages)
                passed = _run_under_systemd(kernel, machine, packages) and passed
        return passed


def run_debian_upgrade() -> bool:
    """Take a machine with a table to the next Debian; whether every case passed.

    Raises GateUnable.
    """
    _require_namespaces()
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="package-", dir=cache_folder()) as name:
        folder = Path(name)
        before, after = DEBIANS[12], DEBIANS[13]
        old, new = (
            build_packages(folder / f"packages-{debian.number}", debian)
            for debian in (before, after)
        )
        print(f"ok    {' and '.join(versions_of((*old, *new)))} are built", flush=True)
        root = clean_machine(folder / "machine", before, old)
        add_repository(root, NEXT_PLACE, packages_of_an_upgrade(before, after), new)
        return _run_cases(TO_NEXT_DEBIAN, root, (*old, *new))


def _require_namespaces() -> None:
    if not GATE.is_dir():
        raise GateUnable("the gate runs from a clone of the repository: tests/gate is missing")
    if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
        raise GateUnable("the gate needs root and namespaces: unshare --net --mount --pid fails")


def _built(folder: Path, debian: Debian) -> tuple[Path, ...]:
    begun_s = time.monotonic()
    packages = build_versions(folder, debian)
    took_s = time.monotonic() - begun_s
    sizes = (f"{one.name.split('_')[0]} {one.stat().st_size / 1e6:.1f} MB" for one in packages)
    print(f"ok    two versions are built ({took_s:.1f} s): {', '.join(dict.fromkeys(sizes))}")
    return packages


def _run_under_systemd(kernel: Path, root: Path, packages: Sequence[Path]) -> bool:
    add_cases(root, UNDER_SYSTEMD, f"/bin/sh /gate/begin {' '.join(versions_of(packages))}")
    shutil.copy(BEGIN, root / "gate/begin")
    return boot_machine(kernel, root)


def _run_cases(cases: Path, root: Path, packages: Sequence[Path]) -> bool:
    words = (sys.executable, str(cases), str(root), *versions_of(packages))
    return subprocess.run([*ALONE, *words], stdin=subprocess.DEVNULL, check=False).returncode == 0
