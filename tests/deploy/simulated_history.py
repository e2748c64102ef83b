"""A table under the simulated clock whose page of metrics is scraped at simulated times.

What is simulated: dealing, people, devices, lines, and the program's core and metrics. What the
program's other threads would say (sealing, feed, subscribers, the machine) is stated by `Around`.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from msgspec import Struct
from msgspec.structs import replace
from prometheus_client import generate_latest
from rule_files import SECONDS, alarms, expanded, matchers_of, metrics_of

from controller.archive.log_writer import LogStatus
from controller.archive.sealer import SealingStatus
from controller.core.core import Core
from controller.core.state import Conclusion, CoreState, Stored
from controller.core.tape.entries import CoreOutput
from controller.core.tape.inputs import Input
from controller.outlets.metrics.page import TablesCollector
from controller.outlets.metrics.table_metrics import TableMetrics, device_labels
from controller.procedure.phases import Phase
from controller.record.snapshot import Health
from controller.rules.advisory import AdvisoryKind
from firmware_bridge.transport.port import Chunk
from foundation.timestamp import Timestamp
from hil.scenario.benches.simulated_bench import SimulatedBench
from hil.scenario.language.reading import Scenario, parse_scenario
from hil.scenario.language.statements import DealCoups, Expect
from hil.scenario.play.performing import Performer
from hil.simulation.table import UTC_NS

PIT = "sim"
STEP_S = 30
NS_PER_S = 1_000_000_000
NS_PER_STEP = STEP_S * NS_PER_S
COUPS_MAX = 200
# Real pauses: a coup of three seconds and half a minute for wagers.
WAGERS = "wait 30s"
SIGNED = SealingStatus(signer="table.key")
LINE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")


class FedConsumer(Struct):
    """A consumer of the feed, as the feed would state it."""

    consumer: str = "floor"
    connected: bool = True
    lag_events: int = 0
    lag_seconds: float = 0.0
    sent: int = 0


class FollowerStands(Struct):
    """A subscriber of the table, as its queue would state it."""

    name: str = "monitors"
    waiting: int = 0
    skipped: int = 0
    taking_since_ns: int | None = None


@dataclass
class Around:
    """What is around the table's core: one thing of it goes wrong in each of some incidents.

    `up` and `scrape_s` are what Prometheus notes of its own scrape; `listed` is the name of the
    table in the list of targets; `twin`: another address answers with the same name.
    """

    up: bool = True
    scrape_s: float = 0.004
    listed: str = ""
    twin: bool = False
    health: Health = Health.RUNNING
    waiting: int = 0
    started_s: float = 1.0
    stores: bool = True
    sealing: SealingStatus = SIGNED
    head: LogStatus | None = None
    consumer: FedConsumer = field(default_factory=FedConsumer)
    follower: FollowerStands = field(default_factory=FollowerStands)


class SimulatedPage:
    """The page of a simulated table, scraped every STEP_S of its time from the first moment on.

    `lines` are samples in OpenMetrics with their times.
    """

    def __init__(self, name: str, scenario: Scenario, seed: int) -> None:
        self.name = name
        self.around = Around(listed=name)
        self.lines: list[str] = []
        self.scrapes = 0
        self._bench = SimulatedBench(scenario)
        self.table = self._bench.simulated
        self._performer = Performer(scenario, self._bench, seed)
        self._at_ns = self.table.clock_ns
        self._state: CoreState = self.table.state
        self._advisories = 0
        self.metrics = TableMetrics(
            self,
            PIT,
            devices=device_labels(self.table.core.settings),
            consumers=lambda: (self.around.consumer,),
            clock=lambda: Timestamp(self._at_ns, UTC_NS + self._at_ns + self.table.utc_step_ns),
        )
        self._next_ns = -(-self._at_ns // NS_PER_STEP) * NS_PER_STEP
        self.table.watches.append(self._stored)

    # --- playing ----------------------------------------------------------------------------------

    def play(self, *texts: str) -> None:
        """Do what these statements say; what they expect is not looked at."""
        for step in parse_scenario("\n".join(texts)).steps:
            self.perform(step.body)

    def perform(self, body: object) -> None:
        if not isinstance(body, Expect):
            self._performer.perform(body)
            self._scrape_until(self.table.clock_ns)

    def deal_shoe(self, back: str) -> None:
        """A whole shoe of a batch at a real pace, from its loading to its last card."""
        self.play(f"load {back}", "wait 2min", "deal burn", WAGERS)
        for _ in range(COUPS_MAX):
            self.perform(DealCoups(1))
            if self.phase is Phase.SHOE_OVER:
                break
            self.play(WAGERS)
        assert self.phase is Phase.SHOE_OVER, f"{self.name}: the shoe does not end"
        self.play("unload", "wait 3min")

    @property
    def phase(self) -> Phase:
        return self.table.state.table.phase

    # --- what a scrape reads of a table -----------------------------------------------------------

    @property
    def health(self) -> Health:
        return self.around.health

    @property
    def published(self) -> tuple[Core, CoreState]:
        return self.table.core, self._state

    @property
    def waiting(self) -> int:
        return self.around.waiting

    @property
    def followers(self) -> tuple[FollowerStands, ...]:
        return (self.around.follower,)

    @property
    def sealing_status(self) -> SealingStatus:
        size = 1 + len(self.table.inputs)
        head = LogStatus(size, hashlib.sha256(str(size).encode()).digest())
        return replace(self.around.sealing, log=self.around.head or head)

    def text(self) -> str:
        """Its page now, with what alarms read of the process."""
        page = generate_latest(TablesCollector([self.metrics])).decode()
        started = f'process_start_time_seconds{{pit="{PIT}",table="{self.name}"}}'
        return f"{page}{started} {self.around.started_s}\n"

    # --- scraping ---------------------------------------------------------------------------------

    def _stored(self, before: CoreState, item: Input, output: CoreOutput) -> None:
        """One input is stored: scrape what was due before it, then count it."""
        self._state = before
        self._scrape_until(self.table.clock_ns)
        if not self.around.stores:
            return
        if isinstance(item, Chunk):
            self.metrics.count_bytes(item.port, len(item.data))
        conclusion = Conclusion(item, output.entries)
        at, state = self.table.at, self.table.state
        self.metrics.stored(Stored((conclusion,), (), at, state, self.table.core.book))
        self._state = state

    def _scrape_until(self, until_ns: int) -> None:
        while self._next_ns <= until_ns:
            self._at_ns = self._next_ns
            self._next_ns += NS_PER_STEP
            self._count_advisories()
            self._scrape()
        self._at_ns = until_ns
        self._state = self.table.state if self.around.stores else self._state

    def _count_advisories(self) -> None:
        """The monitors say it once in a shoe; a new shoe begins a new list."""
        said = self.table.advisories
        fresh = said[self._advisories :] if len(said) >= self._advisories else said
        self._advisories = len(said)
        for one in fresh:
            self.metrics.count_advisory(one.kind)

    def advise(self, kind: AdvisoryKind) -> None:
        """An advisory that no dealing here raises."""
        self.metrics.count_advisory(kind)

    def _scrape(self) -> None:
        self.scrapes += 1
        time = f"{(UTC_NS + self._at_ns) / NS_PER_S:.3f}"
        around = self.around
        named = f'job="smartshoe",instance="{self.name}:9309",pit="{PIT}",table="{around.listed}"'
        self.lines.append(f"up{{{named}}} {int(around.up)} {time}")
        if not around.up:
            return
        self.lines.append(f"scrape_duration_seconds{{{named}}} {around.scrape_s} {time}")
        for name, labels, value in read_samples(self.text()):
            for instance in (self.name, f"{self.name}-b")[: 1 + around.twin]:
                of = f'job="smartshoe",instance="{instance}:9309"'
                self.lines.append(f"{name}{{{of},{labels}}} {value} {time}")


def read_samples(page: str) -> Iterator[tuple[str, str, str]]:
    """(name, labels, value) of the samples of a page that an alarm reads."""
    wanted, values = needed()
    for line in page.splitlines():
        name = line.partition("{")[0]
        if name not in wanted:
            continue
        found = LINE.match(line)
        assert found is not None, line
        labels = found[2]
        if all(
            not allowed or any(f'{label}="{one}"' in labels for one in allowed)
            for label, allowed in values.get(name, {}).items()
        ):
            yield name, labels, found[3]


@cache
def needed() -> tuple[frozenset[str], dict[str, dict[str, frozenset[str]]]]:
    """The metrics that alarms read; of those that all alarms select by values, these values."""
    wanted: set[str] = set()
    values: dict[str, dict[str, set[str]]] = {}
    for alarm in alarms():
        wanted |= metrics_of(alarm.expression)
        if 'kind!="' in alarm.expression:
            continue
        for metric, label, value in matchers_of(alarm.expression):
            values.setdefault(metric, {}).setdefault(label, set()).add(value)
    narrowed = {
        metric: {label: frozenset(found) for label, found in labels.items()}
        for metric, labels in values.items()
        if metric in ("smartshoe_irregularities_total", "smartshoe_table_health")
    }
    return frozenset(wanted), narrowed


def page_of(name: str, heading: str, seed: int) -> SimulatedPage:
    """A table with the devices of a scenario's heading."""
    return SimulatedPage(name, parse_scenario(heading, name, name), seed)


def longest_window_s() -> float:
    """How far back alarms look."""
    found = re.findall(r"\[(\d+)([smhd])\]", " ".join(expanded(one.expression) for one in alarms()))
    return max(int(number) * SECONDS[unit] for number, unit in found)
