"""`python -m hil.gate`: USB on a real kernel's own stack, before a release.

Responsible for: a kernel that is kept or built, one run of the cases in it, and the exit code.
Not responsible for: the kernel (kernel), the run (boot) and the cases (tests/gate).
Source: package README, "USB on a real kernel".
"""

import sys

from hil.gate.boot import run_cases
from hil.gate.kernel import TO_RUN, GateUnable, build_kernel, kept_in, kept_kernel, require

PASSED, FAILED, UNABLE = 0, 1, 2


def main() -> int:
    """Run the gate: 0 passed, 1 a case failed, 2 it cannot be run here."""
    try:
        require(TO_RUN, "the gate")
        kernel = kept_kernel()
        if kernel is None:
            print(f"gate: building the kernel once, about five minutes; kept in {kept_in()}")
            kernel = build_kernel()
        print(f"gate: USB cases in {kernel.name}, about a minute", flush=True)
        passed = run_cases(kernel)
    except GateUnable as unable:
        print(f"gate: {unable}", file=sys.stderr)
        return UNABLE
    print(f"gate: USB on a real kernel {'holds' if passed else 'FAILED'}")
    return PASSED if passed else FAILED


if __name__ == "__main__":
    sys.exit(main())
