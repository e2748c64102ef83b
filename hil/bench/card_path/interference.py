"""P14b: the delay that a scrape causes to a verdict.

Round trips over a pty to a whole table, in alternating blocks with and without a scrape a second.

Source: goal P14b.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle

from controller.outlets.console.sites import WebPlace, WebServer
from controller.outlets.console.table_parts import MetricsPart
from hil.bench.card_path.paced import Terminal
from hil.bench.measure.fixtures import Plan, deal_reports, folder_in_memory, preemptions
from hil.bench.measure.table_on_pty import served_table
from hil.measure.checks import (
    Bound,
    Check,
    check_goal_unless,
    disturbed_reason,
    too_few_reason,
)
from hil.measure.figures import NS_PER_MS, NS_PER_S, NS_PER_US, Unit, percentile

SAMPLES_MIN = 1_000
EVERY_S = 0.01
BLOCKS = 5
_SCRAPER = """\
import sys, time, urllib.request
while True:
    urllib.request.urlopen(sys.argv[1]).read()
    time.sleep(1)
"""


def measure_interference(plan: Plan) -> tuple[Check, ...]:
    """P14b."""
    trips = plan.count(200, 20)
    without: list[int] = []
    scraped: list[int] = []
    frames = cycle([report.frame for report in deal_reports(seed=18)])
    with folder_in_memory() as folder, Terminal() as terminal:
        before = preemptions()
        with served_table(terminal.path, folder, answers=True) as served:
            terminal.wait_for_answer()
            server = WebServer(WebPlace("127.0.0.1", 0))
            server.add(served.table.name, MetricsPart(served.table, served.metrics))
            server.start()
            try:
                for _ in range(BLOCKS):
                    without.extend(_trips(terminal, frames, trips))
                    with _scraping(server.url_of(served.table.name)):
                        scraped.extend(_trips(terminal, frames, trips))
            finally:
                server.stop()
        disturbances = preemptions() - before
    return _checks(without, scraped, disturbances)


def _trips(terminal: Terminal, frames: Iterator[bytes], trips: int) -> Iterator[int]:
    due_ns = time.perf_counter_ns()
    for _ in range(trips):
        due_ns += int(EVERY_S * NS_PER_S)
        time.sleep(max(0, due_ns - time.perf_counter_ns()) / NS_PER_S)
        yield terminal.round_trip(next(frames))


@contextmanager
def _scraping(url: str) -> Iterator[None]:
    scraper = subprocess.Popen([sys.executable, "-c", _SCRAPER, url])
    try:
        yield
    finally:
        scraper.kill()
        scraper.wait()


def _checks(without: list[int], scraped: list[int], disturbances: int) -> tuple[Check, ...]:
    unfit = too_few_reason(len(scraped), SAMPLES_MIN) or disturbed_reason(
        disturbances, len(scraped) * 2
    )
    p99, bare = (percentile(times, 99) / NS_PER_US for times in (scraped, without))
    added = (max(scraped) - percentile(without, 50)) / NS_PER_MS
    beside = f"{p99:.0f} us, without {bare:.0f} us; {len(scraped)} round trips each"
    most = f"without: {(max(without) - percentile(without, 50)) / NS_PER_MS:.1f} ms"
    what = "verdict p99 at a scrape a second"
    return (
        check_goal_unless(unfit, "P14b", what, p99 / bare, Unit.RATIO, Bound(1.3), beside),
        check_goal_unless(unfit, "P14b", "worst added delay", added, Unit.MS, Bound(10, 5), most),
    )
