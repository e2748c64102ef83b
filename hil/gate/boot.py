"""One run of the gate's kernel: boots it, runs the cases on its USB stack, returns the outcome.

Source: Linux Documentation/virt/uml/user_mode_linux_howto_v2.rst; hil/README.md, "USB on a real
kernel".
"""

import os
import subprocess
import sys
import threading
from pathlib import Path

from hil.gate.kernel import GateUnable

ROOT = Path(__file__).resolve().parents[2]
INIT = Path(__file__).with_name("init.sh")
CASES = ROOT / "tests" / "gate" / "usb_cases.py"
MEMORY = "384M"
RUN_S_MAX = 300.0
PASSED = "gate: cases ended with 0"


def run_cases(kernel: Path) -> bool:
    """Boot, print the output, and return whether every case passed. Raises GateUnable."""
    if not CASES.is_file():
        raise GateUnable("the gate runs from a clone of the repository: tests/gate is missing")
    command = [
        *(str(kernel), f"mem={MEMORY}", "rootfstype=hostfs", "ro", f"init={INIT}"),
        *("con=null", "con0=null,fd:1", "quiet", "loglevel=1"),
        *(f"SMARTSHOE_ROOT={ROOT}", f"SMARTSHOE_PYTHON={sys.executable}"),
    ]
    # UML traces its own processes: switching between processors makes that three times slower.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    assert process.stdout is not None
    overdue = threading.Timer(RUN_S_MAX, process.kill)
    overdue.start()
    passed = False
    try:
        for line in process.stdout:
            print(line, end="", flush=True)
            passed = passed or line.strip() == PASSED
        process.wait()
    finally:
        overdue.cancel()
    return passed
