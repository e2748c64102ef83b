"""P20: a TCP peer that floods the shoe's port: memory, /healthz, bytes stored, the end by SIGTERM.

Source: goal P20.
"""

import http.client
import time
from http import HTTPStatus
from pathlib import Path

from hil.bench.measure.fixtures import Plan, folder_on_disk
from hil.measure.checks import Bound, Check, check_goal, report_figure
from hil.measure.figures import Unit
from hil.measure.program import RunningProgram
from hil.rig.flood_peer import Flood, FloodPeer, flood_block

MB = 1_000_000
HEALTH_MS_MAX = 2_000
NO_ANSWER_MS = 10_000.0
# 1 MB of noise an hour, and the journal's reserve of 1 MiB.
STORED_MB_MAX = 2.1
SETTLE_S = 2.0
PAUSE_S = 0.2
NOISE = (Flood.GARBAGE, Flood.ZEROS, Flood.ONE_REPORT)


def measure_flood(plan: Plan) -> tuple[Check, ...]:
    """P20."""
    checks: list[Check] = []
    for flood in Flood:
        with folder_on_disk(plan) as folder:
            checks.extend(_check_flood(folder / "flooded", flood, plan.count(30, 5)))
    return tuple(checks)


def _check_flood(folder: Path, flood: Flood, seconds: int) -> tuple[Check, ...]:
    with (
        FloodPeer(flood_block(flood)) as peer,
        RunningProgram(folder, peer.url, shoe="") as program,
    ):
        time.sleep(SETTLE_S)
        before = most = program.rss_bytes()
        peer.begin()
        answers_ms: list[float] = []
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            answers_ms.append(_health_ms(program))
            most = max(most, program.rss_bytes())
            time.sleep(PAUSE_S)
        stored = sum(path.stat().st_size for path in (folder / "journal").iterdir())
        taken = peer.sent
        end_ms = program.end_s() * 1_000
    rate = f"{taken / MB:.1f} MB taken in {seconds} s"
    what = f"{flood}: stored on disk"
    return (
        check_goal("P20", f"{flood}: memory", (most - before) / MB, Unit.MB, Bound(10), rate),
        check_goal("P20", f"{flood}: end after SIGTERM", end_ms, Unit.MS, Bound(2_000)),
        check_goal(
            "P20", f"{flood}: slowest /healthz", max(answers_ms), Unit.MS, Bound(HEALTH_MS_MAX)
        ),
        check_goal("P20", what, stored / MB, Unit.MB, Bound(STORED_MB_MAX))
        if flood in NOISE
        else report_figure("P20", what, stored / MB, Unit.MB),
    )


def _health_ms(program: RunningProgram) -> float:
    """Milliseconds until /healthz answers that all is well; NO_ANSWER_MS if it does not."""
    began_s = time.perf_counter()
    connection = http.client.HTTPConnection(*program.metrics_address, timeout=10)
    try:
        connection.request("GET", "/healthz")
        if connection.getresponse().status != HTTPStatus.OK:
            return NO_ANSWER_MS
    except OSError:
        return NO_ANSWER_MS
    finally:
        connection.close()
    return (time.perf_counter() - began_s) * 1_000
