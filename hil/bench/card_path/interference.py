"""P14, P14b: the delay that scrapes cause to a verdict, of one table and of sixteen at once.

Round trips over a pty to a whole table, in alternating blocks with and without a scrape a second.

Source: goals P14, P14b.
"""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle

from controller.outlets.console.sites import WebPlace, WebServer
from controller.outlets.console.table_parts import MetricsPart
from controller.service.app import SWITCH_S
from hil.bench.card_path.paced import Terminal
from hil.bench.measure.fixtures import Plan, deal_reports, folder_in_memory, preemptions
from hil.bench.measure.table_on_pty import ServedTable, served_table
from hil.measure.checks import (
    Bound,
    Check,
    check_goal_unless,
    disturbed_reason,
    report_figure,
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


TABLES = 16
TABLES_SAMPLES_MIN = 5_000
TRIP_S = 0.01
TABLES_BLOCKS = 5
# Every table every 5 s, all in the same tenth of a second; it says when the first are done.
_TABLES_SCRAPER = """\
import sys, threading, time, urllib.request
def scrape(url):
    urllib.request.urlopen(url).read()
while True:
    began = time.monotonic()
    threads = [threading.Thread(target=scrape, args=(url,)) for url in sys.argv[1:]]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    print(f"{time.monotonic() - began:.3f}", flush=True)
    time.sleep(5)
"""


def measure_scraped_tables(plan: Plan) -> tuple[Check, ...]:
    """P14."""
    trips = plan.count(TABLES_SAMPLES_MIN // TABLES_BLOCKS, 2 * TABLES)
    without: list[int] = []
    scraped: list[int] = []
    rounds: list[float] = []
    switched_s = sys.getswitchinterval()
    # As the program of several tables sets it.
    sys.setswitchinterval(SWITCH_S)
    with ExitStack() as stack:
        stack.callback(sys.setswitchinterval, switched_s)
        folder = stack.enter_context(folder_in_memory())
        terminals = [stack.enter_context(Terminal()) for _ in range(TABLES)]
        tables = [
            stack.enter_context(
                served_table(one.path, folder / str(number), f"T{number}", answers=True)
            )
            for number, one in enumerate(terminals)
        ]
        for one in terminals:
            one.wait_for_answer()
        server = _serve(tables)
        stack.callback(server.stop)
        urls = [server.url_of(one.table.name) for one in tables]
        reports = [report.frame for report in deal_reports(seed=19)]
        pace = cycle([(one, cycle(reports)) for one in terminals])
        before = preemptions()
        for _ in range(TABLES_BLOCKS):
            without.extend(_tables_trips(pace, trips))
            with _scraping_tables(urls, rounds):
                scraped.extend(_tables_trips(pace, trips))
        disturbances = preemptions() - before
    return _many_checks(without, scraped, rounds, disturbances)


def _serve(tables: Sequence[ServedTable]) -> WebServer:
    server = WebServer(WebPlace("127.0.0.1", 0), by_name=True)
    for one in tables:
        server.add(one.table.name, MetricsPart(one.table, one.metrics))
    server.start()
    return server


def _tables_trips(pace: Iterator[tuple[Terminal, Iterator[bytes]]], trips: int) -> Iterator[int]:
    due_ns = time.perf_counter_ns()
    for _ in range(trips):
        due_ns += int(TRIP_S * NS_PER_S)
        time.sleep(max(0, due_ns - time.perf_counter_ns()) / NS_PER_S)
        terminal, frames = next(pace)
        yield terminal.round_trip(next(frames))


@contextmanager
def _scraping_tables(urls: Sequence[str], rounds: list[float]) -> Iterator[None]:
    """Another process scrapes all; adds the seconds that each of its rounds took."""
    command = [sys.executable, "-c", _TABLES_SCRAPER, *urls]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as scraper:
        assert scraper.stdout is not None
        rounds.append(float(scraper.stdout.readline()))
        try:
            yield
        finally:
            scraper.kill()
            rounds.extend(map(float, scraper.stdout.read().split()))


def _many_checks(
    without: list[int], scraped: list[int], rounds: list[float], disturbances: int
) -> tuple[Check, ...]:
    unfit = too_few_reason(len(scraped), TABLES_SAMPLES_MIN) or disturbed_reason(
        disturbances, len(scraped) * 2
    )
    tail, bare = (percentile(times, 99.9) / NS_PER_MS for times in (scraped, without))
    beside = f"{tail:.1f} ms, without {bare:.1f} ms; {len(scraped)} verdicts each"
    what = f"{TABLES} tables scraped every 5 s: added to p99.9 of a verdict"
    all_pages = f"the slowest of {len(rounds)} rounds"
    return (
        check_goal_unless(unfit, "P14", what, tail - bare, Unit.MS, Bound(10, 5), beside),
        report_figure(
            "P14", f"{TABLES} pages asked for at once", max(rounds) * 1e3, Unit.MS, all_pages
        ),
    )
