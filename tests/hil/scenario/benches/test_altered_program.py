"""The built program with its clock moved, or one of its functions replaced."""

import subprocess
import sys
from pathlib import Path

from hil.scenario.benches.altered_program import BOOT_NS, OFFSETS, MovedClock

HOUR_NS = 3600 * 10**9
ALTERED = (sys.executable, "-P", "-m", "hil.scenario.benches.altered_program")


def offsets(file: Path) -> tuple[int, ...]:
    return OFFSETS.unpack(file.read_bytes())


def test_time_passes_on_both_clocks_and_a_step_moves_the_wall_clock_alone(tmp_path: Path) -> None:
    clock = MovedClock(tmp_path / "clock")
    clock.advance(HOUR_NS)
    clock.step(-HOUR_NS // 2)
    assert offsets(tmp_path / "clock") == (HOUR_NS, HOUR_NS // 2, 0, 0)
    assert clock.utc_ns == HOUR_NS // 2


def test_after_a_boot_the_monotonic_clock_begins_again(tmp_path: Path) -> None:
    clock = MovedClock(tmp_path / "clock")
    clock.boot()
    moved_ns, utc_ns, boot, _ = offsets(tmp_path / "clock")
    assert (utc_ns, boot) == (0, 1)
    assert moved_ns < BOOT_NS


def test_the_program_s_commands_run_as_they_are(tmp_path: Path) -> None:
    MovedClock(tmp_path / "clock")
    words = ["--clock", str(tmp_path / "clock"), "--version"]
    done = subprocess.run([*ALTERED, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0]) == (0, "smartshoe")


def test_a_function_is_replaced_before_the_program_starts() -> None:
    words = ["--patch", "tests_patch:without", "--version"]
    patch = (
        "import controller.version\ndef without():\n    controller.version.VERSION = 'patched'\n"
    )
    code = (
        "import sys, types\n"
        "module = types.ModuleType('tests_patch')\n"
        f"exec({patch!r}, module.__dict__)\n"
        "sys.modules['tests_patch'] = module\n"
        "from hil.scenario.benches.altered_program import main\n"
        f"sys.exit(main({words!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("smartshoe patched+")
