"""The shipped alarms over histories of the simulated clock: each in its incident, none in play.

Clean shoes and incidents are played in one run, written as OpenMetrics with their simulated times,
made into blocks by promtool, and judged by a real Prometheus.
"""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from floor_incidents import ELSEWHERE, INCIDENTS, READY
from rule_files import HEARTBEAT, Alarm, alarms, expanded
from simulated_history import STEP_S, SimulatedPage, page_of

from hil.rig.servers.prometheus import Prometheus, Sample
from hil.simulation.table import UTC_NS

pytestmark = [pytest.mark.needs("prometheus")]

FACES, TAGS = "device shoe angel-eye", "device shoe rfid\ndevice shuffler tablelink"
# Shoes at each clean table: with a reader of faces, and with tags and a shuffler.
SHORT = ((FACES, 9), (FACES, 9), (TAGS, 2))
LONG = (*((FACES, 18) for _ in range(10)), (TAGS, 10), (TAGS, 10))
SEED = 11
CLEAN = "clean-"
Fired = set[tuple[str, str]]


def clean_page(name: str, heading: str, shoes: int, seed: int) -> SimulatedPage:
    """A table at which shoes are dealt without a mistake, the two batches in turn."""
    page = page_of(name, heading, seed)
    with_shuffler = heading == TAGS
    if with_shuffler:
        page.play(*READY)
    for number in range(shoes):
        back, other = (("red", "blue"), ("blue", "red"))[number % 2]
        if not with_shuffler:
            page.play(f"hand-shuffle {back}")
        page.deal_shoe(back)
        if with_shuffler:
            page.play(f"shuffle {back}", f"bring out {other}")
    return page


def incident_pages() -> Iterator[SimulatedPage]:
    for one in INCIDENTS:
        page = SimulatedPage(one.name, one.scenario, one.seed)
        one.play(page)
        yield page


class History:
    """Blocks of a Prometheus from the pages of many tables, and what its alarms say of them."""

    def __init__(self, folder: Path, clean: Sequence[tuple[str, int]]) -> None:
        self.folder = folder
        text = folder / "history.om"
        self.scrapes = self.samples = self.shoes = 0
        self.clean = len(clean)
        self.until_s = 0.0
        with text.open("w", encoding="utf-8") as file:
            for page in self._pages(clean):
                file.writelines(f"{line}\n" for line in page.lines)
                self.scrapes += page.scrapes
                self.samples += len(page.lines)
                self.until_s = max(self.until_s, (UTC_NS + page.table.clock_ns) / 1e9)
                page.lines.clear()
            file.write("# EOF\n")
        data = folder / "data"
        subprocess.run(
            ["promtool", "tsdb", "create-blocks-from", "openmetrics", str(text), str(data)],
            check=True,
            capture_output=True,
        )
        text.unlink()

    def _pages(self, clean: Sequence[tuple[str, int]]) -> Iterator[SimulatedPage]:
        for number, (heading, shoes) in enumerate(clean):
            page = clean_page(f"{CLEAN}{number}", heading, shoes, SEED + number)
            self.shoes += page.table.state.table.shoe_number
            assert page.table.state.table.irregularities == 0, f"{page.name} was not clean"
            yield page
        yield from incident_pages()

    def fired(self) -> Fired:
        """(alarm, table) of every alarm that fires at any time."""
        config = self.folder / "prometheus.yml"
        config.write_text("global: {}\n", encoding="utf-8")
        # A scrape is 30 s here: who is silent for a minute is gone, as by Prometheus's own marks.
        options = ("--query.lookback-delta=1m", "--storage.tsdb.retention.time=100y")
        with Prometheus(self.folder, config, options=options) as prometheus:
            return {
                (alarm.name, sample.labels.get("table", ""))
                for alarm in alarms()
                for sample in self._series(prometheus, alarm)
                if fires(alarm, sample)
            }

    def _series(self, prometheus: Prometheus, alarm: Alarm) -> tuple[Sample, ...]:
        expression = expanded(alarm.expression)
        return prometheus.query_range(expression, UTC_NS / 1e9, self.until_s, STEP_S)


def fires(alarm: Alarm, sample: Sample) -> bool:
    """Whether the expression holds without a break for as long as the alarm waits."""
    began_s = last_s = None
    for at_s, _ in sample.values:
        if last_s is None or at_s > last_s + STEP_S:
            began_s = at_s
        last_s = at_s
        if began_s is not None and at_s - began_s >= alarm.for_s:
            return True
    return False


def assert_few_and_true(history: History) -> None:
    fired = history.fired()
    heartbeats = {one.name for one in alarms() if one.severity == HEARTBEAT}
    told: dict[str, set[str]] = {}
    for alarm, table in fired:
        if alarm not in heartbeats:
            told.setdefault(table.removesuffix(ELSEWHERE), set()).add(alarm)
    silent = [f"{CLEAN}{number}" for number in range(history.clean)]

    assert {name: told[name] for name in silent if name in told} == {}
    assert told == {one.name: set(one.alarms) for one in INCIDENTS}
    assert {one for found in told.values() for one in found} | heartbeats == {
        one.name for one in alarms()
    }
    assert {alarm for alarm, table in fired if not table} == heartbeats


def test_each_alarm_fires_in_its_incident_and_none_over_clean_shoes(fast_dir: Path) -> None:
    history = History(fast_dir, SHORT)

    assert history.shoes == 20
    assert_few_and_true(history)


@pytest.mark.full
def test_each_alarm_fires_in_its_incident_and_none_over_200_clean_shoes(fast_dir: Path) -> None:
    history = History(fast_dir, LONG)

    assert history.shoes == 200
    assert_few_and_true(history)
