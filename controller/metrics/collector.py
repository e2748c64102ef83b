"""Prometheus metrics of one table: counters of stored entries, and gauges from the newest state.

No metric has a label from an open set, and none discloses a card (controller.views.disclosure).
Source: controller/metrics/README.md, "Metrics"; Prometheus documentation, "Metric and label
naming"; performance goals P14, P14b.
"""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from controller.actions.actions import OperatorAction
from controller.archive.sealer import SealingStatus
from controller.core.core import Core
from controller.core.host_state import sync_state
from controller.core.state import Conclusion, CoreState, Stored, read_at
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import Lineage, WarningKind
from controller.custody.state import batch_counts
from controller.monitors.advisory import AdvisoryKind
from controller.procedure.effects import CoupClosed, CoupCorrected, WarningClosed, WarningOpened
from controller.procedure.events import CardDrawn
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.opening.gaming_day import gaming_day_due
from controller.procedure.phases import Phase
from controller.procedure.verdicts import Irregularity
from controller.rules.outcome import Outcome
from controller.table.subscribers import Follower
from controller.table.table import Table
from controller.tape.entries import ClockStepped, DeviceEventRecorded, Entry, EventVerdicts
from controller.tape.inputs import ClockSync, DiskLevel
from controller.version import VERSION
from controller.views.custody import disclosed_places
from controller.views.people import decisions_made
from controller.views.snapshot import Health
from drivers.events import Stage
from drivers.faults import DeviceFault
from drivers.shuffler_events import ShuffleResult
from firmware_bridge.link import LinkFaultKind

# Values of the label `device`; "shoe" alone would mean a run of coups.
DEALING_SHOE: Final = "dealing_shoe"
SHUFFLER: Final = "shuffler"
VOID: Final = "void"
_BUCKETS_US: Final = (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000)
SECONDS_BUCKETS: Final = tuple(us / 1_000_000 for us in (*_BUCKETS_US, 500_000, 1_000_000))
# Seconds from a warning to its clearance by a person.
WAITED_BUCKETS: Final = (5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
REFUSED: Final = "refused"
_NS_PER_S: Final = 1_000_000_000


class TableMetrics:
    """The registry of one table: a subscriber that counts, in memory alone.

    `shuffler`: the table has a connected shuffler, whose shuffles and warnings are counted.
    """

    name: ClassVar[str] = "metrics"

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
        coups = _counter(registry, "coups", "Coups closed, by outcome.", "outcome")
        self._coups = {outcome: coups.labels(outcome.value) for outcome in Outcome}
        self._void = coups.labels(VOID)
        words = "Corrections of the outcome of a counted coup, by the outcome that counts now."
        corrections = _counter(registry, "coup_corrections", words, "outcome")
        self._corrections = {outcome: corrections.labels(outcome.value) for outcome in Outcome}
        irregular = "Irregularities found, by code of the catalogue."
        codes = _counter(registry, "irregularities", irregular, "code")
        self._codes = {code: codes.labels(code.value) for code in IrregularityCode}
        words = "Decisions of people, by role and kind; no person is named."
        self._decisions = _counter(registry, "decisions", words, "role", "decision")
        faults = _counter(registry, "link_errors", "Faults of the link to a device.", "kind")
        self._faults = {kind: faults.labels(kind.value) for kind in LinkFaultKind}
        words = "Advisories of the shoe monitors, by kind; none is a verdict."
        advisories = _counter(registry, "advisories", words, "kind")
        self._advisories = {kind: advisories.labels(kind.value) for kind in AdvisoryKind}
        stores = "Durable transactions of the journal."
        self._transactions = _counter(registry, "journal_transactions", stores)
        steps = "Steps of the machine's clock, forward or back."
        self._clock_steps = _counter(registry, "clock_steps", steps)
        self._delay = Histogram(
            "smartshoe_scan_to_stored_seconds",
            "From reading the bytes of a card to storing its verdict.",
            buckets=SECONDS_BUCKETS,
            registry=registry,
        )
        self._shuffler_counts = _ShufflerCounts(registry) if shuffler else None

    def stored(self, stored: Stored) -> None:
        """Count one durable transaction."""
        self._transactions.inc()
        for conclusion in stored.conclusions:
            cards = 0
            if type(conclusion.item) is OperatorAction:
                for _, decision, count in decisions_made(conclusion.entries):
                    self._decisions.labels(conclusion.item.role.value, decision).inc(count)
            for entry in conclusion.entries:
                if type(entry) is EventVerdicts:
                    cards += type(entry.event) is CardDrawn
                    for verdict in entry.verdicts:
                        if type(verdict) is Irregularity:
                            self._codes[verdict.code].inc()
                else:
                    self._count_other(entry)
            if cards:
                self._cards.inc(cards)
                self._observe_delay(conclusion, stored)

    def count_advisory(self, kind: AdvisoryKind) -> None:
        """Count one advisory; any thread may call it."""
        self._advisories[kind].inc()

    def text(self, table: Table) -> bytes:
        """All metrics now, in the Prometheus text format 0.0.4."""
        return generate_latest(_Scrape(self._registry, table))

    def _count_other(self, entry: Entry) -> None:
        if type(entry) is CoupClosed:
            outcome = entry.record.outcome
            (self._void if outcome is None else self._coups[outcome]).inc()
        elif type(entry) is CoupCorrected:
            self._corrections[entry.outcome].inc()
        elif type(entry) is DeviceEventRecorded and type(entry.event) is DeviceFault:
            self._faults[entry.event.kind].inc()
        elif type(entry) is ClockStepped:
            self._clock_steps.inc()
        elif self._shuffler_counts is not None:
            self._shuffler_counts.count(entry)

    def _observe_delay(self, conclusion: Conclusion, stored: Stored) -> None:
        read = read_at(conclusion)
        if read is not None:
            self._delay.observe((stored.at.monotonic_ns - read.monotonic_ns) / _NS_PER_S)


class _ShufflerCounts:
    """Counts of shuffles by result and of warnings, and the time until warnings were cleared."""

    def __init__(self, registry: CollectorRegistry) -> None:
        words = "Shuffles, by the result of an accepted receipt; refused: a rejected one."
        shuffles = _counter(registry, "shuffles", words, "result")
        results = (*(result.value for result in ShuffleResult), REFUSED)
        self._shuffles = {result: shuffles.labels(result) for result in results}
        words = "Warnings of the shuffler, by kind."
        warnings = _counter(registry, "shuffler_warnings", words, "kind")
        self._warnings = {kind.value: warnings.labels(kind.value) for kind in WarningKind}
        self._waited = Histogram(
            "smartshoe_shuffler_warning_wait_seconds",
            "From a warning of the shuffler to its clearance by a person.",
            buckets=WAITED_BUCKETS,
            registry=registry,
        )

    def count(self, entry: Entry) -> None:
        if type(entry) is ShuffleRecorded:
            result = REFUSED if entry.refused is not None else entry.proof.result.value
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
    """One scrape: the counters, and gauges from the newest stored state."""

    def __init__(self, registry: CollectorRegistry, table: Table) -> None:
        self._registry = registry
        self._table = table

    def collect(self) -> Iterable[Metric]:
        yield from self._registry.collect()
        health = self._table.health
        yield _state_set(
            "table_health",
            "Health of the table's loop; 1 for the current one.",
            ("health",),
            [((each.value,), each is health) for each in Health],
        )
        sealing = self._table.sealing_status
        if sealing is not None:
            yield from _seal_metrics(sealing)
        yield from _follower_metrics(self._table.followers)
        published = self._table.published
        if published is not None:
            yield from _state_gauges(*published)


def _follower_metrics(followers: Iterable[Follower]) -> Iterable[Metric]:
    waiting = GaugeMetricFamily(
        "smartshoe_stored_waiting",
        "Transactions that are stored and that a subscriber has not taken in.",
        labels=("subscriber",),
    )
    left_out = CounterMetricFamily(
        "smartshoe_stored_left_out",
        "Transactions that a subscriber was too slow for, or that it failed to take in.",
        labels=("subscriber",),
    )
    for one in followers:
        waiting.add_metric((one.name,), one.waiting)
        left_out.add_metric((one.name,), one.skipped)
    yield from (waiting, left_out)


def _seal_metrics(sealing: SealingStatus) -> Iterable[Metric]:
    words = "Shoes that have ended and are not sealed: their records are in live.db."
    yield _number("shoes_unsealed", words, sealing.unsealed)
    words = "1 while seals are to be signed and no key is usable."
    yield _number("seals_unsigned", words, bool(sealing.unsigned))
    head = sealing.log
    if head.size:
        yield _number(
            "log_size", "Leaves of the evidence log in its newest signed head.", head.size
        )
        words = "The first 48 bits of the root of that head, as a number."
        yield _number("log_root48", words, int.from_bytes(head.root[:6], "big"))
        words = "Leaves that wait for the evidence log's disk."
        yield _number("log_leaves_waiting", words, head.waiting)
        words = "Witnesses that have not cosigned the newest head offered to them."
        yield _number("log_witnesses_behind", words, len(head.absent))
    made = SummaryMetricFamily(
        "smartshoe_seal_seconds",
        "Shoes sealed since the program started, and the time that took.",
        count_value=sealing.sealed,
        sum_value=sealing.seconds,
    )
    yield made


def _state_gauges(core: Core, state: CoreState) -> Iterable[Metric]:
    table, stage = state.table, state.shoe_driver.stage
    shuffler = core.settings.shuffler
    of_shuffler = shuffler.port if shuffler is not None else None
    yield _state_set(
        "device_stage",
        "Stage of a device as its driver sees it; 1 for the current one.",
        ("device", "stage"),
        [
            *(((DEALING_SHOE, each.value), each is stage) for each in Stage),
            *(
                (
                    (SHUFFLER if one.port == of_shuffler else one.port, each.value),
                    each is one.state.stage,
                )
                for one in state.auxiliary
                for each in Stage
            ),
        ],
    )
    disk = state.host.disk.level if state.host.disk is not None else DiskLevel.UNKNOWN
    yield _state_set(
        "disk_room",
        "Level of free space on the journal's disk; 1 for the current one, unknown until checked.",
        ("level",),
        [((each.value,), each is disk) for each in DiskLevel],
    )
    sync = sync_state(state.host)
    yield _state_set(
        "clock_sync",
        "Whether the kernel counts the machine's clock as synchronised; 1 for the current state.",
        ("state",),
        [((each.value,), each is sync) for each in ClockSync],
    )
    waits = gaming_day_due(table) is not None
    text = "1 while a person has to state the gaming day after a jump of the clock."
    yield _number("gaming_day_due", text, waits)
    places = GaugeMetricFamily(
        "smartshoe_cards_at",
        "Cards of a batch by their place.",
        labels=("back", "place"),
    )
    for batch in batch_counts(state.custody):
        for place, count in disclosed_places(batch.places):
            places.add_metric((batch.back, place), count)
    yield places
    suspended = table.phase is Phase.SUSPENDED
    yield _number("suspended", "1 while no card may be drawn before a decision.", suspended)
    waiting = len(table.open_irregularities)
    yield _number("open_irregularities", "Irregularities that await a decision.", waiting)
    shoe = table.shoe
    # Absent rather than wrong: no shoe yet, or one joined after some cards had left.
    left = None if shoe is None or shoe.joined else shoe.cards_left()
    yield _number("cards_left", "Cards that should still be in the dealing shoe.", left)
    number = None if shoe is None else shoe.number
    yield _number("shoe_number", "Number of the shoe in its gaming day.", number)
    begun = None if shoe is None else shoe.coups_begun
    yield _number("coups_in_shoe", "Coups begun in this shoe.", begun)
    proven: list[tuple[str, bool, bool]] = []
    if core.settings.shoe_model.proves_identity:
        proven.append((DEALING_SHOE, state.shoe_identity.trusted, state.shoe_identity.bare))
    if shuffler is not None:
        online = any(
            one.port == of_shuffler and one.state.stage is Stage.ONLINE for one in state.auxiliary
        )
        proven.append((SHUFFLER, online and table.lineage.trusted, table.lineage.bare))
        yield from _lineage_gauges(table.lineage)
    if proven:
        yield from _identities(proven)


def _identities(devices: Sequence[tuple[str, bool, bool]]) -> Iterable[Metric]:
    """Gauges for (device, trusted, bare)."""
    yield _state_set(
        "device_trusted",
        "1 while the device has proven to be the one that was paired.",
        ("device",),
        [((device,), trusted) for device, trusted, _ in devices],
    )
    yield _state_set(
        "device_bare",
        "1 while the configuration accepts the device without an identity.",
        ("device",),
        [((device,), bare) for device, _, bare in devices],
    )


def _lineage_gauges(lineage: Lineage) -> Iterable[Metric]:
    yield _state_set(
        "batch_stage",
        "Stage of a batch; 1 for the current one.",
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
        barred.add_metric((life.back,), len(life.block_reasons))
    yield barred
    opened = len(lineage.warnings)
    yield _number(
        "shuffler_warnings_open", "Warnings of the shuffler that are not cleared.", opened
    )
    since_ns = min((one.since_ns for one in lineage.warnings), default=None)
    yield GaugeMetricFamily(
        "smartshoe_shuffler_warning_since_seconds",
        "Time of the oldest open warning of the shuffler, in seconds since 1970.",
        value=None if since_ns is None else since_ns / _NS_PER_S,
    )


def _number(name: str, words: str, value: int | None) -> Metric:
    family = GaugeMetricFamily(f"smartshoe_{name}", words)
    if value is not None:
        family.add_metric((), value)
    return family


def _state_set(
    name: str,
    words: str,
    labels: Sequence[str],
    states: Iterable[tuple[Sequence[str], bool]],
) -> Metric:
    family = GaugeMetricFamily(f"smartshoe_{name}", words, labels=labels)
    for values, holds in states:
        family.add_metric(values, holds)
    return family
