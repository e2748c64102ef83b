"""One run of the gate's kernel: boots it, runs the cases on its USB stack or under its systemd.

Source: Linux Documentation/virt/uml/user_mode_linux_howto_v2.rst.
"""

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from hil.gate.kernel import GateUnable, cache_folder
from hil.gate.machine import RESULT, make_machine

# A kernel's whole run, from boot to halt.
RUN_S_MAX = 1200.0
ROOT = Path(__file__).resolve().parents[2]
INIT = Path(__file__).with_name("init.sh")
CASES = ROOT / "tests" / "gate"
USB_MEMORY, MACHINE_MEMORY = "384M", "512M"
PASSED = "gate: cases ended with 0"
UNIT_PASSED = "gate: unit ended with 0"
END_LINES = 20


def run_usb_cases(kernel: Path) -> bool:
    """Boot, print the output, and return whether every case passed. Raises GateUnable."""
    _require_cases()
    passed = False

    def on_line(line: str) -> None:
        nonlocal passed
        print(line, end="", flush=True)
        passed = passed or line.strip() == PASSED

    arguments = (f"mem={USB_MEMORY}", "rootfstype=hostfs", "ro", f"init={INIT}", "loglevel=1")
    facts = (f"SMARTSHOE_ROOT={ROOT}", f"SMARTSHOE_PYTHON={sys.executable}")
    _boot((str(kernel), *arguments, *facts), on_line)
    return passed


def run_unit_cases(kernel: Path) -> bool:
    """Make a machine, boot its systemd, print what the cases say; whether every one passed.

    Raises GateUnable.
    """
    _require_cases()
    # Beside the cached system, on a disk: the machine has some 800 MB.
    with tempfile.TemporaryDirectory(prefix="machine-", dir=cache_folder()) as name:
        return boot_machine(kernel, make_machine(Path(name)))


def boot_machine(kernel: Path, root: Path) -> bool:
    """Boot the systemd of a root folder, print what its cases say; whether every one passed."""
    console: list[str] = []
    arguments = (f"mem={MACHINE_MEMORY}", "root=/dev/root", "rootfstype=hostfs", "rw")
    facts = (f"rootflags={root}", "init=/lib/systemd/systemd")
    _boot((str(kernel), *arguments, *facts), console.append)
    result = root / RESULT
    output = result.read_text(encoding="utf-8") if result.is_file() else ""
    print(output or "".join(console[-END_LINES:]), end="", flush=True)
    return UNIT_PASSED in output.splitlines()


def _require_cases() -> None:
    if not CASES.is_dir():
        raise GateUnable("the gate runs from a clone of the repository: tests/gate is missing")


def _boot(command: tuple[str, ...], on_line: Callable[[str], None]) -> None:
    """Run a kernel to its end, or to the time limit."""
    # UML traces its own processes: switching between processors makes that three times slower.
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    process = subprocess.Popen(
        [*command, "con=null", "con0=null,fd:1", "quiet"],
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
    try:
        for line in process.stdout:
            on_line(line)
        process.wait()
    finally:
        overdue.cancel()
        os.sched_setaffinity(0, processors)
