"""`python -m hil.gate`: USB, lines and the unit of a table on a real kernel, and ARM64.

Source: hil/README.md, "USB on a real kernel", "The unit under systemd", "ARM64".
"""

import sys

from hil.gate.arm64 import TO_EMULATE, run_arm64_cases
from hil.gate.boot import run_unit_cases, run_usb_cases
from hil.gate.kernel import TO_RUN, GateUnable, build_kernel, cache_folder, cached_kernel, require
from hil.gate.machine import TO_MAKE
from hil.run_guard import ending_at_once, guarded_run

PASSED, FAILED, UNABLE = 0, 1, 2


def main() -> int:
    """Run the gate; exit code 0: passed, 1: a case failed, 2: it cannot run here."""
    try:
        require((*TO_RUN, *TO_MAKE, *TO_EMULATE), "the gate")
        kernel = cached_kernel()
        if kernel is None:
            print(f"gate: building the kernel once, about five minutes; cached in {cache_folder()}")
            kernel = build_kernel()
        print(f"gate: USB cases in {kernel.name}, about a minute", flush=True)
        with ending_at_once(), guarded_run():
            usb = run_usb_cases(kernel)
            print("gate: the unit on a Debian machine of its own, about two minutes", flush=True)
            unit = run_unit_cases(kernel)
            print("gate: the rules and the stored records on ARM64, about two minutes", flush=True)
            arm64 = run_arm64_cases()
    except GateUnable as unable:
        print(f"gate: {unable}", file=sys.stderr)
        return UNABLE
    print(f"gate: USB on a real kernel {'passed' if usb else 'FAILED'}")
    print(f"gate: the unit under systemd {'passed' if unit else 'FAILED'}")
    print(f"gate: ARM64 {'passed' if arm64 else 'FAILED'}")
    return PASSED if usb and unit and arm64 else FAILED


if __name__ == "__main__":
    sys.exit(main())
