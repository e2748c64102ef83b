"""P14: scrapes of the running program, and what counting costs a card.

Not: what scrapes do to a verdict (interference).

Source: goal P14.
"""

import http.client
import time
from statistics import median

from controller.core.state import Stored
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.rules.profiles.load import load_clauses
from controller.table.table import RunSpec, Table
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk
from hil.bench.measure.fixtures import (
    CARD,
    PORT,
    Plan,
    deal_reports,
    folder_in_memory,
    folder_on_disk,
    one_processor,
    running_loop,
    started_input,
)
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.measure.checks import (
    Bound,
    CannotMeasure,
    Check,
    check_goal,
    check_goal_unless,
)
from hil.measure.figures import NS_PER_MS, NS_PER_US, Unit, percentile
from hil.measure.program import RunningProgram
from hil.rig.shoe_runner import ShoeRunner

SERIES_MIN, SERIES_MAX = 200, 320
SCRAPES_MIN = 100
PAUSE_S = 0.02


def measure_scrape(plan: Plan) -> tuple[Check, ...]:
    """P14."""
    with (
        one_processor(),
        folder_on_disk(plan) as folder,
        PtyServer(AngelEye(), LineServerSettings()) as server,
        RunningProgram(folder / "scraped", server.path) as program,
    ):
        ShoeRunner(Dealer(DealerSettings(seed=13)), server, coups_max=3).run()
        times, series = _scrapes(program.metrics_address, plan.count(200, 10))
    p50, most = percentile(times, 50) / NS_PER_MS, max(times) / NS_PER_MS
    few = "" if len(times) >= SCRAPES_MIN else f"{len(times)} scrapes"
    other = "" if SERIES_MIN <= series <= SERIES_MAX else f"{series} series, the goal is for 300"
    beside = f"{series} series, {len(times)} scrapes"
    return (
        check_goal_unless(few or other, "P14", "scrape p50", p50, Unit.MS, Bound(10, 5), beside),
        check_goal_unless(few or other, "P14", "scrape max", most, Unit.MS, Bound(15)),
        _counting(),
    )


def _scrapes(address: tuple[str, int], scrapes: int) -> tuple[list[int], int]:
    """What each took, in ns, and the number of series."""
    times: list[int] = []
    page = scrape(address)
    for _ in range(scrapes):
        time.sleep(PAUSE_S)
        began_ns = time.perf_counter_ns()
        page = scrape(address)
        times.append(time.perf_counter_ns() - began_ns)
    return times, sum(not line.startswith("#") for line in page.splitlines())


def scrape(address: tuple[str, int]) -> str:
    """A page of metrics. Raises CannotMeasure."""
    connection = http.client.HTTPConnection(*address, timeout=5)
    try:
        connection.request("GET", "/metrics")
        answer = connection.getresponse()
        if answer.status != http.HTTPStatus.OK:
            raise CannotMeasure(f"/metrics answers {answer.status}")
        return answer.read().decode()
    finally:
        connection.close()


def _counting() -> Check:
    """The time the loop spends on counting one stored card."""
    loop = running_loop()
    times: list[int] = []
    with one_processor(), folder_in_memory() as folder:
        spec = RunSpec(folder, load_clauses(), lambda _replaced: started_input())
        metrics = TableMetrics(Table("BENCH-1", spec, now))
        for report in deal_reports(seed=14):
            loop.take(Chunk(PORT, now(), report.frame))
            stored: Stored | None = loop.store_if_due()
            assert stored is not None, "every report concludes something"
            began_ns = time.perf_counter_ns()
            metrics.stored(stored)
            elapsed_ns = time.perf_counter_ns() - began_ns
            if report.code == CARD:
                times.append(elapsed_ns)
    us = median(times) / NS_PER_US
    return check_goal("P14", "metrics of a card, hot", us, Unit.US, Bound(6, 3))
