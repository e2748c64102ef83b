"""Counts of one table for surveillance and technicians.

Responsible for: counting what was stored, and the gauges that follow from the newest state.
Not responsible for: serving them (metrics_server). No metric has a label from an open set, and none
tells a card: counts only (controller.views.disclosure, METRICS).
Source: package README, "Metrics"; Prometheus documentation, "Metric and label naming";
performance goals P14, P14b.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric, SummaryMetricFamily
from prometheus_client.registry import Collector

from controller.archive.sealer import SealStanding
from controller.core.core import Core
from controller.core.state import CoreState
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Lineage, WarningKind
from controller.custody.state import counts
from controller.procedure.effects import (
    CoupClosed,
    ShuffleRecorded,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.procedure.verdicts import Irregularity
from controller.rules.outcome import Outcome
from controller.table.loop import Conclusion, Stored, read_at
from controller.table.table import Health, Table
from controller.tape.entries import ClockStepped, DeviceNoted, Entry, Judged
from controller.tape.inputs import DiskLevel
from controller.version import VERSION
from controller.views.custody import told_places
from drivers.catalogue import SHOE_MODELS
from drivers.events import Stage
from drivers.faults import DeviceFault
from drivers.shuffler_events import ShuffleResult
from firmware_bridge.link import LinkFaultKind

# The part a device plays at the table; a "shoe" alone is a run of coups here.
DEALING_SHOE: Final = "dealing_shoe"
SHUFFLER: Final = "shuffler"
VOID: Final = "void"
_BUCKETS_US: Final = (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000)
SECONDS_BUCKETS: Final = tuple(us / 1_000_000 for us in (*_BUCKETS_US, 500_000, 1_000_000))
# How long a warning waited for a person: seconds to an hour.
WAITED_BUCKETS: Final = (5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
REFUSED: Final = "refused"
_NS_PER_S: Final = 1_000_000_000


class TableMetrics:
    """The registry of one table. `observe` is called by the table's loop after every store.

    `shuffler`: the table has one that tells, and its shuffles and warnings are counted.
    """

    def __init__(self, table_name: str, *, shuffler: bool = False) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        build = _gauge(registry, "build_info", "Version of the running program.", "version")
        build.labels(VERSION).set(1)
        named = _gauge(registry, "table_info", "Name of the table.", "table")
        named.labels(table_name).set(1)
        cards = "Cards that left the dealing shoe, burn cards included."
        self._cards = _counter(registry, "cards_drawn", cards)
        coups = _counter(registry, "coups", "Coups closed, by what counts.", "outcome")
        self._coups = {outcome: coups.labels(outcome.value) for outcome in Outcome}
        self._void = coups.labels(VOID)
        irregular = "Irregularities found, by code of the catalogue."
        codes = _counter(registry, "irregularities", irregular, "code")
        self._codes = {code: codes.labels(code.value) for code in IrregularityCode}
        faults = _counter(registry, "link_errors", "Faults of the wire to a device.", "kind")
        self._faults = {kind: faults.labels(kind.value) for kind in LinkFaultKind}
        stores = "Durable transactions of the journal."
        self._transactions = _counter(registry, "journal_transactions", stores)
        steps = "Times the machine's clock was found set, forward or back."
        self._clock_steps = _counter(registry, "clock_steps", steps)
        self._delay = Histogram(
            "smartshoe_scan_to_stored_seconds",
            "From the bytes of a card being read to its verdict being durable.",
            buckets=SECONDS_BUCKETS,
            registry=registry,
        )
        self._of_shuffler = _ShufflerCounts(registry) if shuffler else None

    def observe(self, stored: Stored) -> None:
        """Count one durable transaction."""
        self._transactions.inc()
        for conclusion in stored.conclusions:
            cards = 0
            for entry in conclusion.entries:
                if type(entry) is Judged:
                    cards += type(entry.event) is CardDrawn
                    for verdict in entry.verdicts:
                        if type(verdict) is Irregularity:
                            self._codes[verdict.code].inc()
                else:
                    self._count_other(entry)
            if cards:
                self._cards.inc(cards)
                self._observe_delay(conclusion, stored)

    def text(self, table: Table) -> bytes:
        """All of it now, as Prometheus reads it (text format 0.0.4)."""
        return generate_latest(_Scrape(self._registry, table))

    def _count_other(self, entry: Entry) -> None:
        if type(entry) is CoupClosed:
            outcome = entry.record.outcome
            (self._void if outcome is None else self._coups[outcome]).inc()
        elif type(entry) is DeviceNoted and type(entry.event) is DeviceFault:
            self._faults[entry.event.kind].inc()
        elif type(entry) is ClockStepped:
            self._clock_steps.inc()
        elif self._of_shuffler is not None:
            self._of_shuffler.count(entry)

    def _observe_delay(self, conclusion: Conclusion, stored: Stored) -> None:
        read = read_at(conclusion)
        if read is not None:
            self._delay.observe((stored.at.monotonic_ns - read.monotonic_ns) / _NS_PER_S)


class _ShufflerCounts:
    """Shuffles by what their proof came to, warnings, and how long people took to clear them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        words = "Shuffles, by the result of a receipt that counts; refused: one that does not."
        shuffles = _counter(registry, "shuffles", words, "result")
        results = (*(result.value for result in ShuffleResult), REFUSED)
        self._shuffles = {result: shuffles.labels(result) for result in results}
        words = "Warnings of the shuffler, by what they are about."
        warnings = _counter(registry, "shuffler_warnings", words, "kind")
        self._warnings = {kind.value: warnings.labels(kind.value) for kind in WarningKind}
        self._waited = Histogram(
            "smartshoe_shuffler_warning_wait_seconds",
            "From a warning of the shuffler to a named person clearing it.",
            buckets=WAITED_BUCKETS,
            registry=registry,
        )

    def count(self, entry: Entry) -> None:
        if type(entry) is ShuffleRecorded:
            result = REFUSED if entry.refused else entry.proof.result.value
            self._shuffles[result].inc()
        elif type(entry) is WarningOpened:
            self._warnings[entry.kind].inc()
        elif type(entry) is WarningClosed:
            self._waited.observe(entry.waited_ns / _NS_PER_S)


def _counter(registry: CollectorRegistry, name: str, words: str, *labels: str) -> Counter:
    return Counter(f"smartshoe_{name}", words, labels, registry=registry)


def _gauge(registry: CollectorRegistry, name: str, words: str, *labels: str) -> Gauge:
    return Gauge(f"smartshoe_{name}", words, labels, registry=registry)


class _Scrape(Collector):
    """One scrape: what was counted, and what the newest stored state says."""

    def __init__(self, registry: CollectorRegistry, table: Table) -> None:
        self._registry = registry
        self._table = table

    def collect(self) -> Iterable[Metric]:
        yield from self._registry.collect()
        health = self._table.health
        yield _one_of(
            "table_health",
            "How the table's loop is doing; 1 for what holds now.",
            ("health",),
            [((each.value,), each is health) for each in Health],
        )
        seals = self._table.seals
        if seals is not None:
            yield from _seal_metrics(seals)
        published = self._table.published
        if published is not None:
            yield from _state_gauges(*published)


def _seal_metrics(seals: SealStanding) -> Iterable[Metric]:
    words = "Shoes that have ended and are not sealed: their records wait in live.db."
    yield _number("shoes_unsealed", words, seals.unsealed)
    words = "1 while seals are to be signed and no key can be used."
    yield _number("seals_unsigned", words, bool(seals.unsigned))
    made = SummaryMetricFamily(
        "smartshoe_seal_seconds",
        "Shoes sealed since the program began, and how long that took.",
        count_value=seals.sealed,
        sum_value=seals.seconds,
    )
    yield made


def _state_gauges(core: Core, state: CoreState) -> Iterable[Metric]:
    table, stage = state.table, state.shoe_driver.stage
    shuffler = core.settings.shuffler
    of_shuffler = shuffler.port if shuffler is not None else None
    yield _one_of(
        "device_stage",
        "Life cycle of a device as its driver sees it; 1 for what holds now.",
        ("device", "stage"),
        [
            *(((DEALING_SHOE, each.value), each is stage) for each in Stage),
            *(
                (
                    (SHUFFLER if one.port == of_shuffler else one.port, each.value),
                    each is one.state.stage,
                )
                for one in state.beside
                for each in Stage
            ),
        ],
    )
    disk = state.host.disk.level if state.host.disk is not None else DiskLevel.ENOUGH
    yield _one_of(
        "disk_room",
        "Room on the disk of the journal; 1 for what holds now.",
        ("level",),
        [((each.value,), each is disk) for each in DiskLevel],
    )
    places = GaugeMetricFamily(
        "smartshoe_cards_at",
        "Cards of a batch by the place they are at.",
        labels=("back", "place"),
    )
    for batch in counts(state.custody):
        for place, count in told_places(batch.places):
            places.add_metric((batch.back, place), count)
    yield places
    suspended = table.phase is Phase.SUSPENDED
    yield _number("suspended", "1 while no card may be drawn before a decision.", suspended)
    waiting = len(table.open_irregularities)
    yield _number("open_irregularities", "Irregularities that wait for a person.", waiting)
    shoe = table.shoe
    # Absent rather than wrong: no shoe yet, or one that was joined after some cards had left.
    left = None if shoe is None or shoe.joined else shoe.cards_left()
    yield _number("cards_left", "Cards that should still be in the dealing shoe.", left)
    number = None if shoe is None else shoe.number
    yield _number("shoe_number", "Number of the shoe in its gaming day.", number)
    begun = None if shoe is None else shoe.coups_begun
    yield _number("coups_in_shoe", "Coups begun in this shoe.", begun)
    proven: list[tuple[str, bool, bool]] = []
    if SHOE_MODELS[core.settings.shoe.model].identity:
        proven.append((DEALING_SHOE, state.shoe_identity.trusted, state.shoe_identity.bare))
    if shuffler is not None:
        online = any(
            one.port == of_shuffler and one.state.stage is Stage.ONLINE for one in state.beside
        )
        proven.append((SHUFFLER, online and table.lineage.trusted, table.lineage.bare))
        yield from _lineage_gauges(table.lineage)
    if proven:
        yield from _identities(proven)


def _identities(devices: Sequence[tuple[str, bool, bool]]) -> Iterable[Metric]:
    """Device, whether it is trusted, whether it is bare."""
    yield _one_of(
        "device_trusted",
        "1 while the device has proven to be the one that was paired.",
        ("device",),
        [((device,), trusted) for device, trusted, _ in devices],
    )
    yield _one_of(
        "device_bare",
        "1 while a device without an identity is let in by the configuration.",
        ("device",),
        [((device,), bare) for device, _, bare in devices],
    )


def _lineage_gauges(lineage: Lineage) -> Iterable[Metric]:
    yield _one_of(
        "batch_stage",
        "Where a batch stands in its life; 1 for what holds now.",
        ("back", "stage"),
        [
            ((life.back, each.value), each is life.stage)
            for life in lineage.lives
            for each in BatchStage
        ],
    )
    barred = GaugeMetricFamily(
        "smartshoe_batch_bars", "Reasons why a batch may not be dealt from.", labels=("back",)
    )
    for life in lineage.lives:
        barred.add_metric((life.back,), len(life.bars))
    yield barred
    opened = len(lineage.warnings)
    yield _number("shuffler_warnings_open", "Warnings of the shuffler nobody cleared.", opened)
    since_ns = min((one.since_ns for one in lineage.warnings), default=None)
    yield GaugeMetricFamily(
        "smartshoe_shuffler_warning_since_seconds",
        "When the oldest open warning of the shuffler was given, in seconds since 1970.",
        value=None if since_ns is None else since_ns / _NS_PER_S,
    )


def _number(name: str, words: str, value: int | None) -> Metric:
    family = GaugeMetricFamily(f"smartshoe_{name}", words)
    if value is not None:
        family.add_metric((), value)
    return family


def _one_of(
    name: str,
    words: str,
    labels: Sequence[str],
    states: Iterable[tuple[Sequence[str], bool]],
) -> Metric:
    family = GaugeMetricFamily(f"smartshoe_{name}", words, labels=labels)
    for values, holds in states:
        family.add_metric(values, holds)
    return family
