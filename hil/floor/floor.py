"""Runs a floor: processes of tables, dealers, one Prometheus, one broker; measures a span of it."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from hil.floor.feed import FEED, await_consumed, consumed_coups, feed_gaps, longest_lag_s
from hil.floor.figures import FeedFigures, FloorFigures, ServerFigures
from hil.floor.plan import FloorPlan
from hil.floor.scraping import await_coups, scrape_figures, write_config
from hil.floor.table_process import TableProcess
from hil.measure.figures import NS_PER_S
from hil.measure.program import cpu_ns_of, rss_of
from hil.rig.servers.feed_consumer import BrokerAccess, FeedConsumer
from hil.rig.servers.mosquitto import Mosquitto
from hil.rig.servers.prometheus import Prometheus

# Dealers begin so long apart together, so that not all tables deal at one moment.
SPREAD_S = 3.0


class _Moment(Struct, frozen=True):
    """Time and processor time at the beginning or the end of the measured span."""

    at_ns: int
    tables_cpu_ns: int
    prometheus_cpu_ns: int
    broker_cpu_ns: int
    cards: int


def run_floor(plan: FloorPlan, progress: Callable[[str], object]) -> FloorFigures:
    """Run and measure it. Raises CannotMeasure and ServerUnavailable."""
    with ExitStack() as stack:
        servers = plan.folder / "servers"
        broker = stack.enter_context(Mosquitto(servers / "broker"))
        consumer = stack.enter_context(FeedConsumer(BrokerAccess(broker.port), "floor"))
        processes = _start_tables(plan, stack, FEED.format(port=broker.port), progress)
        config = write_config(servers, processes, plan.scrape_s)
        prometheus = stack.enter_context(Prometheus(servers / "prometheus", config))
        began_s = time.monotonic()
        for process in processes:
            process.begin(SPREAD_S / plan.tables)
        # A scrape of each table before the span begins.
        time.sleep(2 * plan.scrape_s)
        begun = _moment(processes, prometheus.pid, broker.pid)
        _let_pass(plan.seconds, progress)
        ended = _moment(processes, prometheus.pid, broker.pid)
        scrape = scrape_figures(prometheus, plan.seconds)
        lag_s = longest_lag_s(prometheus, plan.seconds)
        progress("dealers finish their coups")
        for process in processes:
            process.leave()
        dealt = {name: count for one in processes for name, count in one.dealt().items()}
        ran_s = time.monotonic() - began_s
        scraped = await_coups(prometheus, dealt)
        await_consumed(consumer, dealt)
        held = consumer.held
        return FloorFigures(
            tables=plan.tables,
            processes=len(processes),
            seconds=(ended.at_ns - begun.at_ns) / NS_PER_S,
            ran_s=ran_s,
            cards=ended.cards - begun.cards,
            scrape_s=plan.scrape_s,
            cpu_percent=_percent(begun, ended, ended.tables_cpu_ns - begun.tables_cpu_ns),
            rss=sum(one.measured.rss_bytes() for one in processes),
            threads=sum(one.measured.threads() for one in processes),
            scrape=scrape,
            prometheus=ServerFigures(
                _percent(begun, ended, ended.prometheus_cpu_ns - begun.prometheus_cpu_ns),
                rss_of(prometheus.pid),
            ),
            feed=FeedFigures(
                events=sum(map(len, held.events.values())),
                repeats=held.repeats,
                gaps=feed_gaps(held),
                lag_s_max=lag_s,
                broker=ServerFigures(
                    _percent(begun, ended, ended.broker_cpu_ns - begun.broker_cpu_ns),
                    rss_of(broker.pid),
                ),
            ),
            dealt=dealt,
            journaled={name: count for one in processes for name, count in one.journaled().items()},
            scraped=scraped,
            consumed=consumed_coups(held),
        )


def _start_tables(
    plan: FloorPlan, stack: ExitStack, more: str, progress: Callable[[str], object]
) -> list[TableProcess]:
    """Start all processes; `more` are further sections of each table."""
    processes: list[TableProcess] = []
    for number, tables in enumerate(plan.processes(), 1):
        folder = plan.folder / f"process-{number}"
        process = TableProcess(folder, tables, plan.card_ms, more)
        processes.append(stack.enter_context(process))
        progress(f"{sum(len(one.tables) for one in processes)} of {plan.tables} tables run")
    return processes


def _let_pass(seconds: int, progress: Callable[[str], object]) -> None:
    until_s = time.monotonic() + seconds
    while (left_s := until_s - time.monotonic()) > 0:
        progress(f"measuring, {left_s:.0f} s left")
        time.sleep(min(5.0, left_s))


def _moment(processes: Sequence[TableProcess], prometheus: int, broker: int) -> _Moment:
    """Now; `prometheus` and `broker` are their processes."""
    return _Moment(
        at_ns=time.perf_counter_ns(),
        tables_cpu_ns=sum(one.measured.cpu_ns() for one in processes),
        prometheus_cpu_ns=cpu_ns_of(prometheus),
        broker_cpu_ns=cpu_ns_of(broker),
        cards=sum(len(shoe.sent_ns) for one in processes for shoe in one.shoes.values()),
    )


def _percent(begun: _Moment, ended: _Moment, used_ns: int) -> float:
    """Of one core, over the span."""
    return 100 * used_ns / (ended.at_ns - begun.at_ns)


def new_folder(root: Path) -> Path:
    """An empty folder for a floor below `root`."""
    folder, number = root, 1
    while folder.exists():
        number += 1
        folder = root.with_name(f"{root.name}-{number}")
    folder.mkdir(parents=True)
    return folder
