"""P10 and P12: cold starts, `--help`, the libraries they load, and resident memory.

Source: goals P10, P12.
"""

import json
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
from hil.measure.figures import NS_PER_MS, Unit
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
_HELP = """\
import contextlib, io, json, sys
from controller.cli.main import main
with contextlib.redirect_stdout(io.StringIO()):
    main(["--help"])
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
    """Which of these libraries an interpreter has loaded after a program. Raises CannotMeasure."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CannotMeasure(f"cannot be loaded: {done.stderr.strip().splitlines()[-1]}")
    modules = frozenset(json.loads(done.stdout))
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
