"""P14: scrapes of the running program against a bare `generate_latest` and a bare HTTP answer.

Not: what a scrape does to a verdict (interference).

Source: hil/bench/README.md, "What is measured"; goal P14.
"""

import http.client
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from prometheus_client import generate_latest
from prometheus_client.core import Metric

from controller.core.state import Stored
from controller.metrics.collector import TableMetrics
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk
from hil.bench.measure.checks import (
    Bound,
    CannotMeasure,
    Check,
    check_goal,
    check_goal_unless,
)
from hil.bench.measure.figures import NS_PER_MS, NS_PER_US, Unit, percentile
from hil.bench.measure.fixtures import (
    CARD,
    PORT,
    Plan,
    deal_reports,
    folder_on_disk,
    one_processor,
    running_loop,
)
from hil.bench.measure.program import RunningProgram
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.angel_eye.device import AngelEye
from hil.emulator.lines.line import LineServerSettings
from hil.emulator.lines.serve import PtyServer
from hil.rig.shoe_runner import ShoeRunner

SERIES_MAX = 300
SCRAPES_MIN = 100
PAUSE_S = 0.02
_TYPE = re.compile(r"# TYPE (\S+) (\S+)")
_SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def measure_scrape(plan: Plan) -> tuple[Check, ...]:
    """P14."""
    with (
        one_processor(),
        folder_on_disk(plan) as folder,
        PtyServer(AngelEye(), LineServerSettings()) as server,
        RunningProgram(folder / "scraped", server.path) as program,
    ):
        ShoeRunner(Dealer(DealerSettings(seed=13)), server, coups_max=3).run()
        over_http, text_alone, http_alone, series = _alternate(program, plan.count(200, 10))
    p50, text, http_bare = (
        percentile(times, 50) / NS_PER_MS for times in (over_http, text_alone, http_alone)
    )
    beside = (
        f"{p50:.2f} ms, bare generate_latest {text:.2f} ms, bare HTTP {http_bare:.2f} ms,"
        f" {series} series"
    )
    few = "" if len(over_http) >= SCRAPES_MIN else f"{len(over_http)} scrapes"
    many = "" if series <= SERIES_MAX else f"{series} series, the goal is for {SERIES_MAX}"
    most = max(over_http) / NS_PER_MS
    return (
        check_goal_unless(
            few or many,
            "P14",
            "scrape p50",
            p50 / (text + http_bare),
            Unit.RATIO,
            Bound(1.5, 1.2),
            beside,
        ),
        check_goal_unless(few or many, "P14", "scrape p50", p50, Unit.MS, Bound(6, 3)),
        check_goal_unless(few or many, "P14", "scrape max", most, Unit.MS, Bound(15)),
        _counting(),
    )


def _alternate(
    program: RunningProgram, scrapes: int
) -> tuple[list[int], list[int], list[int], int]:
    """In turn a scrape, the same series alone, the same page alone; and the number of series."""
    series = 0
    over_http: list[int] = []
    text_alone: list[int] = []
    http_alone: list[int] = []
    with _bare_page(_scrape(program.metrics_address)) as bare_address:
        for _ in range(scrapes):
            time.sleep(PAUSE_S)
            began_ns = time.perf_counter_ns()
            text = _scrape(program.metrics_address)
            over_http.append(time.perf_counter_ns() - began_ns)
            registry = _StaticRegistry(text)
            began_ns = time.perf_counter_ns()
            generate_latest(registry)
            text_alone.append(time.perf_counter_ns() - began_ns)
            series = registry.series
            time.sleep(PAUSE_S)
            began_ns = time.perf_counter_ns()
            _scrape(bare_address)
            http_alone.append(time.perf_counter_ns() - began_ns)
    return over_http, text_alone, http_alone, series


@contextmanager
def _bare_page(text: str) -> Iterator[tuple[str, int]]:
    """A thread that answers each request with the same page; a request for "/end" ends it."""
    page = text.encode()
    answer = b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(page), page)
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        request = b""
        while not request.startswith(b"GET /end "):
            connection, _ = server.accept()
            with connection:
                request = connection.recv(4096)
                connection.sendall(answer)

    thread = threading.Thread(target=serve, name="bare page")
    thread.start()
    address: tuple[str, int] = server.getsockname()
    try:
        yield address
    finally:
        _get(address, "/end")
        thread.join()
        server.close()


def _scrape(address: tuple[str, int]) -> str:
    status, text = _get(address, "/metrics")
    if status != http.HTTPStatus.OK:
        raise CannotMeasure(f"/metrics answers {status}")
    return text


def _get(address: tuple[str, int], path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(*address, timeout=5)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


class _StaticRegistry:
    """The series of a scrape as a registry for `generate_latest`."""

    def __init__(self, text: str) -> None:
        self.series = 0
        self._families: list[Metric] = []
        family = None
        for line in text.splitlines():
            if (kind := _TYPE.fullmatch(line)) is not None:
                family = Metric(kind[1].removesuffix("_total"), "", kind[2])
                self._families.append(family)
            elif (sample := _SAMPLE.fullmatch(line)) is not None and family is not None:
                self.series += 1
                labels = dict(_LABEL.findall(sample[2] or ""))
                family.add_sample(sample[1], labels, float(sample[3]))

    def collect(self) -> Iterator[Metric]:
        yield from self._families


def _counting() -> Check:
    """The time the loop spends on counting one stored card."""
    metrics = TableMetrics("BENCH-1")
    loop = running_loop()
    times: list[int] = []
    with one_processor():
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
