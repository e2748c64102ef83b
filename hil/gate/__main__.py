"""`python -m hil.gate`: USB, lines, unit and package of a table on a real kernel, and ARM64.

Source: hil/README.md, "USB on a real kernel", "The unit under systemd", "The package on a clean
machine", "ARM64".
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from hil.gate.arm64 import TO_EMULATE, run_arm64_cases
from hil.gate.arm64_package import run_arm64_package_cases
from hil.gate.boot import run_unit_cases, run_usb_cases
from hil.gate.kernel import TO_RUN, GateUnable, build_kernel, cache_folder, cached_kernel, require
from hil.gate.machine import TO_MAKE
from hil.gate.package import run_package_cases
from hil.gate.repository import TO_INSTALL
from hil.run_guard import ending_at_once, guarded_run

PASSED, FAILED, UNABLE = 0, 1, 2
EPILOG: Final = """\
examples:
  python -m hil.gate             all parts
  python -m hil.gate unit        the unit alone

The kernel is built once, in about five minutes, and cached.
exit codes: 0 passed; 1 a case failed; 2 it cannot run here, or wrong usage
"""


class Part(NamedTuple):
    """One part of the gate: what it tries, how long it takes, the Debian packages it needs."""

    title: str
    takes: str
    needs: tuple[str, ...]
    run: Callable[[Path], bool]


PARTS: Final = {
    "usb": Part("USB and lines on a real kernel", "a minute", TO_RUN, run_usb_cases),
    "unit": Part("the unit under systemd", "two minutes", (*TO_RUN, *TO_MAKE), run_unit_cases),
    "package": Part(
        "the package on a clean machine",
        "six minutes",
        (*TO_RUN, *TO_INSTALL),
        run_package_cases,
    ),
    "arm64": Part(
        "rules, records and the package on ARM64",
        "three minutes",
        TO_EMULATE,
        lambda _: run_arm64_cases() and run_arm64_package_cases(),
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
    return PASSED if all(passed) else FAILED


def _run(parts: Sequence[Part]) -> list[bool]:
    """Whether each part passed. Raises GateUnable."""
    kernel = cached_kernel()
    if kernel is None:
        print(f"gate: building the kernel once, about five minutes; cached in {cache_folder()}")
        kernel = build_kernel()
    passed = []
    with ending_at_once(), guarded_run():
        for part in parts:
            print(f"gate: {part.title}, about {part.takes}", flush=True)
            passed.append(part.run(kernel))
    return passed


if __name__ == "__main__":
    sys.exit(main())
