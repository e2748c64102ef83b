"""P10, P12, P13: cold starts, `--help`, libraries, memory, and a start with a year of shoes.

Source: goals P10, P12, P13.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from hil.bench.measure.fixtures import Plan, folder_on_disk
from hil.bench.process.page_streams import page_streams
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.measure.checks import Bound, CannotMeasure, Check, check_goal
from hil.measure.figures import NS_PER_MS, NS_PER_S, Unit
from hil.measure.program import RunningProgram, smartshoe
from hil.rig.shoe_runner import ShoeRunner

MB = 1_000_000
SETTLE_S = 1.5
PAGES = 4
NO_PAGE = "\n[console]\nenabled = false\n"
HEAVY_FOR_RUN = ("typer", "rich")
HEAVY_FOR_HELP = (
    *("serial", "usb", "starlette", "uvicorn", "aiohttp", "http.server", "prometheus_client"),
    *("cryptography", "paho", "sqlite3"),
)
_LOADED = "import {module}, json, sys; json.dump(sorted(sys.modules), sys.stdout)"
_HELP = f"""\
import contextlib, json, runpy, sys
sys.argv[1:] = ["--help"]
with contextlib.suppress(SystemExit):
    runpy.run_path({smartshoe()[0]!r}, run_name="__main__")
json.dump(sorted(sys.modules), sys.stdout)
"""


def measure_start_up(plan: Plan) -> tuple[Check, ...]:
    """P10 and P12."""
    with folder_on_disk(plan) as folder:
        return (*_starts(plan, folder), *_help(plan), *_running(plan, folder))


def _starts(plan: Plan, folder: Path) -> tuple[Check, ...]:
    times: list[int] = []
    with PtyServer(AngelEye(), LineServerSettings()) as server:
        for number in range(plan.count(9, 2)):
            with RunningProgram(folder / f"start-{number}", server.path) as program:
                times.append(program.ready_ns)
    ms = median(times) / NS_PER_MS
    beside = f"{len(times)} starts, slowest {max(times) / NS_PER_MS:.0f} ms"
    return (check_goal("P12", "cold start to READY", ms, Unit.MS, Bound(500, 300), beside),)


def _help(plan: Plan) -> tuple[Check, ...]:
    times: list[int] = []
    bare: list[int] = []
    for _ in range(plan.count(9, 2)):
        times.append(_run_time_ns(smartshoe("--help")))
        bare.append(_run_time_ns([sys.executable, "-c", "pass"]))
    beside = f"bare interpreter {median(bare) / NS_PER_MS:.0f} ms"
    heavy = _loaded_modules(_HELP, HEAVY_FOR_HELP)
    what = "--help loads device, web, crypto, broker libraries"
    return (
        check_goal("P12", "--help", median(times) / NS_PER_MS, Unit.MS, Bound(200, 120), beside),
        check_goal("P12", what, len(heavy), Unit.COUNT, Bound(0), ", ".join(heavy)),
    )


def _run_time_ns(command: list[str]) -> int:
    began_ns = time.perf_counter_ns()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter_ns() - began_ns


def _loaded_modules(program: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Which of these libraries a program has loaded, by its last line. Raises CannotMeasure."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CannotMeasure(f"cannot be loaded: {done.stderr.strip().splitlines()[-1]}")
    modules = frozenset(json.loads(done.stdout.splitlines()[-1]))
    return tuple(name for name in wanted if name in modules)


def _memory(folder: Path, coups: int, more: str, pages: int = 0) -> tuple[int, int]:
    """Resident bytes at READY, and after so many coups, with browsers at the page."""
    with (
        PtyServer(AngelEye(), LineServerSettings()) as server,
        RunningProgram(folder, server.path, more=more) as program,
        page_streams(program.metrics_address, pages),
    ):
        at_start = program.rss_bytes()
        ShoeRunner(Dealer(DealerSettings(seed=11)), server, coups_max=coups).run()
        time.sleep(SETTLE_S)
        return at_start, program.rss_bytes()


def _running(plan: Plan, folder: Path) -> tuple[Check, ...]:
    coups = plan.count(80, 2)
    at_start, after = _memory(folder / "running", coups, NO_PAGE)
    heavy = _loaded_modules(_LOADED.format(module="controller.service.app"), HEAVY_FOR_RUN)
    beside = f"{at_start / MB:.1f} MB at READY; no console, no feed, metrics on"
    _, with_page = _memory(folder / "with-page", coups, "", pages=PAGES)
    looked_at = f"{PAGES} browsers at the operator page; no feed"
    return (
        check_goal(
            "P10", f"memory after {coups} coups", after / MB, Unit.MB, Bound(60, 50), beside
        ),
        check_goal(
            "P10", "memory with the page", with_page / MB, Unit.MB, Bound(85, 70), looked_at
        ),
        check_goal(
            "P10", "run loads typer, rich", len(heavy), Unit.COUNT, Bound(0), ", ".join(heavy)
        ),
    )


DAYS, SHOES_A_DAY = 250, 20
SEALED_BYTES = 40_000
GONE_S_MAX = 5.0


def measure_start_with_archive(plan: Plan) -> tuple[Check, ...]:
    """P13: from start to ready, with a year of journals."""
    short: list[int] = []
    long: list[int] = []
    with folder_on_disk(plan) as folder, PtyServer(AngelEye(), LineServerSettings()) as server:
        empty, full = folder / "empty", folder / "full"
        _leave_shoe_open(empty, server)
        shutil.copytree(empty, full, ignore=shutil.ignore_patterns("*.sock"))
        files = _make_sealed_files(full / "journal", days=plan.count(DAYS, 5))
        for _ in range(plan.count(5, 1)):
            short.append(_start_and_kill(empty, server.path))
            long.append(_start_and_kill(full, server.path))
    ms, alone = median(long) / NS_PER_MS, median(short) / NS_PER_MS
    what = f"start with an open shoe and {files} sealed ones"
    beside = f"{alone:.0f} ms without them"
    return (
        check_goal("P13", what, ms, Unit.MS, Bound(500 + 50, 250 + 50), beside),
        check_goal("P13", "  of it the sealed ones", max(0, ms - alone), Unit.MS, Bound(50, 25)),
    )


def _leave_shoe_open(folder: Path, server: PtyServer[AngelEye]) -> None:
    with RunningProgram(folder, server.path) as program:
        ShoeRunner(Dealer(DealerSettings(seed=19)), server, coups_max=5).run()
        _kill(program.pid)


def _start_and_kill(folder: Path, port: str) -> int:
    with RunningProgram(folder, port) as program:
        ready_ns = program.ready_ns
        _kill(program.pid)
    return ready_ns


def _kill(pid: int) -> None:
    """SIGKILL it and wait until it is gone. Raises CannotMeasure."""
    os.kill(pid, signal.SIGKILL)
    until_ns = time.monotonic_ns() + int(GONE_S_MAX * NS_PER_S)
    status = Path(f"/proc/{pid}/stat")
    while (
        status.exists() and status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    ):
        if time.monotonic_ns() > until_ns:
            raise CannotMeasure("a killed program does not end")
        time.sleep(0.001)


def _make_sealed_files(journal: Path, days: int) -> int:
    """Make folders of days with files of the size of a sealed shoe; the number of files."""
    for day in range(days):
        folder = journal / "shoes" / f"2020-{1 + day // 28:02}-{1 + day % 28:02}"
        folder.mkdir(parents=True)
        for number in range(1, SHOES_A_DAY + 1):
            # Nothing reads them, so they need no content.
            (folder / f"{number:04}.shoe").touch()
            os.truncate(folder / f"{number:04}.shoe", SEALED_BYTES)
    return days * SHOES_A_DAY
