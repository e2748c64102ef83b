"""`python -m hil.gate`: a real kernel, clean machines and a bare one of each Debian, and ARM64.

And other releases of libraries, every point of crash and damage, and the firmware rig many times.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from hil.gate.arm64 import TO_EMULATE, run_arm64_cases
from hil.gate.arm64_package import run_arm64_package_cases
from hil.gate.bare_root import run_bare
from hil.gate.boot import run_unit_cases, run_usb_cases
from hil.gate.crash_matrix import TO_DISTURB, run_crash_matrix
from hil.gate.debian13 import run_on_debian13
from hil.gate.debian_root import TO_MAKE
from hil.gate.kernel import TO_RUN, GateUnable, build_kernel, cache_folder, cached_kernel, require
from hil.gate.package import run_debian_upgrade, run_package_cases
from hil.gate.releases import run_on_other_releases
from hil.gate.repository import TO_INSTALL
from hil.reference_firmware.build import NEEDS, Build
from hil.reference_firmware.qemu import QEMU
from hil.run_guard import ending_at_once, guarded_run
from hil.run_record import record_run

PASSED, FAILED, UNABLE = 0, 1, 2
EPILOG: Final = """\
examples:
  python -m hil.gate             all parts
  python -m hil.gate unit        the unit alone
  python -m hil.gate bare        README and tests on a Debian with its packages alone

The kernel is built once, in about five minutes, and cached.
exit codes: 0 passed; 1 a case failed; 2 it cannot run here, or wrong usage
"""


Kernel = Callable[[], Path]


class Part(NamedTuple):
    """One part of the gate: what it tries, how long it takes, the Debian packages it needs.

    `run` asks for the kernel if it boots one: building that takes minutes.
    """

    title: str
    takes: str
    needs: tuple[str, ...]
    run: Callable[[Kernel], bool]


PARTS: Final = {
    "usb": Part(
        "USB and lines on a real kernel", "a minute", TO_RUN, lambda kernel: run_usb_cases(kernel())
    ),
    "unit": Part(
        "the unit under systemd",
        "two minutes",
        (*TO_RUN, *TO_MAKE),
        lambda kernel: run_unit_cases(kernel()),
    ),
    "package": Part(
        "the packages on clean machines of each Debian",
        "twelve minutes",
        (*TO_RUN, *TO_INSTALL),
        lambda kernel: run_package_cases(kernel()),
    ),
    "upgrade": Part(
        "a machine with a table from Debian 12 to 13",
        "five minutes",
        TO_INSTALL,
        lambda _: run_debian_upgrade(),
    ),
    "debian13": Part(
        "README and every test on Debian 13",
        "half an hour",
        (*TO_MAKE, "git"),
        lambda _: run_on_debian13(whole=True),
    ),
    "firmware": Part(
        "the firmware rig sixty times beside two busy loops",
        "quarter of an hour",
        (QEMU[1], *NEEDS[Build.ARM][1].split()),
        lambda _: _ends_well("hil.scenario.commands.firmware_runs"),
    ),
    "arm64": Part(
        "rules, records and the package on ARM64",
        "three minutes",
        TO_EMULATE,
        lambda _: run_arm64_cases() and run_arm64_package_cases(),
    ),
    "bare": Part(
        "README, and tests that need nothing, where nothing is",
        "quarter of an hour",
        TO_MAKE,
        lambda _: run_bare(),
    ),
    "releases": Part(
        "libraries in their lowest and newest releases",
        "two minutes",
        (),
        lambda _: run_on_other_releases(),
    ),
    "crash": Part(
        "every point of crash and damage",
        "three quarters of an hour",
        TO_DISTURB,
        lambda _: run_crash_matrix(),
    ),
}


def main(words: Sequence[str] | None = None) -> int:
    """Run parts of the gate; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m hil.gate",
        description=(__doc__ or "").splitlines()[0],
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; else all")
    names = parser.parse_args(words).parts or list(PARTS)
    began_s = time.monotonic()
    if unknown := [name for name in names if name not in PARTS]:
        parser.error(f"no part {', '.join(unknown)}. Allowed: {', '.join(PARTS)}")
    parts = [PARTS[name] for name in names]
    try:
        require(tuple(dict.fromkeys(one for part in parts for one in part.needs)), "the gate")
        passed = _run(parts)
    except GateUnable as unable:
        print(f"gate: {unable}", file=sys.stderr)
        return UNABLE
    for part, held in zip(parts, passed, strict=True):
        print(f"gate: {part.title} {'passed' if held else 'FAILED'}")
    if names == list(PARTS):
        figures = {"parts passed": passed.count(True), "parts failed": passed.count(False)}
        record_run("python -m hil.gate", figures, time.monotonic() - began_s)
    return PASSED if all(passed) else FAILED


def _run(parts: Sequence[Part]) -> list[bool]:
    """Whether each part passed. Raises GateUnable."""
    passed = []
    with ending_at_once(), guarded_run():
        for part in parts:
            print(f"gate: {part.title}, about {part.takes}", flush=True)
            passed.append(part.run(_kernel))
    return passed


def _ends_well(module: str) -> bool:
    """Run a command of the bench; whether its exit code is 0."""
    return subprocess.run([sys.executable, "-m", module], check=False).returncode == 0


def _kernel() -> Path:
    """The gate's kernel, built if there is none. Raises GateUnable."""
    kernel = cached_kernel()
    if kernel is None:
        print(f"gate: building the kernel once, about five minutes; cached in {cache_folder()}")
        kernel = build_kernel()
    return kernel


if __name__ == "__main__":
    sys.exit(main())
