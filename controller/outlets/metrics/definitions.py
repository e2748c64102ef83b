"""Every metric of a table as data: its name, kind, labels, closed label values, and words.

The program, the README's table and the tests of both go by this list. Names are stable: what is
renamed or removed is in the change log.
Source: Prometheus documentation, "Metric and label naming".
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from controller.core.tape.inputs import ClockSync, DiskLevel
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import WarningKind
from controller.procedure.irregularities import IrregularityCode
from controller.procedure.phases import Phase
from controller.record.snapshot import Health
from controller.rules.actions.choices import FloorDecision
from controller.rules.actions.declaration import Role
from controller.rules.advisory import AdvisoryKind
from controller.rules.outcome import Outcome
from controller.rules.settlement.pit import PIT_VALUES
from drivers.events import Stage
from drivers.shuffler_events import ShuffleResult
from firmware_bridge.link import LinkFaultKind

PREFIX: Final = "smartshoe_"
# Every series has these labels, so that hundreds of tables stay apart.
COMMON_LABELS: Final = ("table", "pit")
# Values of the label `device`; "shoe" alone would mean a run of coups.
DEALING_SHOE: Final = "dealing_shoe"
SHUFFLER: Final = "shuffler"
VOID: Final = "void"
REFUSED: Final = "refused"
CORRECT_COUP: Final = "correct-coup"
WITHHELD: Final = "withheld"
_BUCKETS_US: Final = (100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000)
SECONDS_BUCKETS: Final = tuple(us / 1_000_000 for us in (*_BUCKETS_US, 500_000, 1_000_000))


class MetricKind(StrEnum):
    """Kinds of metrics; `info` is a gauge that is always 1 in the classic text format."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    SUMMARY = "summary"  # sum and count, no quantiles
    INFO = "info"


class Since(StrEnum):
    """What a metric covers."""

    NOW = "now"
    JOURNAL = "journal"  # counts on over restarts: it follows from the records
    START = "start"  # begins at 0 with each start of the program


class ReadResult(StrEnum):
    """How a card of the dealing shoe was read."""

    READ = "read"
    UNREAD = "unread"  # it left the shoe, and its face or tag was not read
    REPEATED = "repeated"  # reported again
    MISSED = "missed"  # its report is proven to be missing
    UNREADABLE = "unreadable"  # a report arrived whole with invalid content
    UNPROVEN = "unproven"  # nothing proves that no report was lost


class UnprovenShuffle(StrEnum):
    """Ends of shuffles beside the results of receipts."""

    SHOWN = "shown"  # lamps alone show it
    ABORTED = "aborted"


ANY: Final = ()


class Definition(Struct, frozen=True):
    """One metric. `name` is without the prefix; of a counter it ends in _total.

    `labels` are those besides the common ones, each with the closed set of its values, or ANY where
    the table's configuration gives them. `when`: where or when the metric is there, empty for
    always.
    """

    name: str
    kind: MetricKind
    since: Since
    words: str
    labels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    when: str = ""
    buckets: tuple[float, ...] = ()

    def values(self, label: str) -> tuple[str, ...]:
        """The closed set of values of a label."""
        return dict(self.labels)[label]


def _of(*kinds: type[StrEnum], more: tuple[str, ...] = ()) -> tuple[str, ...]:
    return (*(one.value for kind in kinds for one in kind), *more)


def _gauge(
    name: str, words: str, since: Since = Since.NOW, when: str = "", **labels: tuple[str, ...]
) -> Definition:
    return Definition(name, MetricKind.GAUGE, since, words, tuple(labels.items()), when)


def _counter(
    name: str, words: str, since: Since = Since.JOURNAL, when: str = "", **labels: tuple[str, ...]
) -> Definition:
    return Definition(name, MetricKind.COUNTER, since, words, tuple(labels.items()), when)


def _summary(
    name: str, words: str, since: Since = Since.JOURNAL, when: str = "", **labels: tuple[str, ...]
) -> Definition:
    return Definition(name, MetricKind.SUMMARY, since, words, tuple(labels.items()), when)


def _histogram(
    name: str,
    words: str,
    *buckets: float,
    since: Since = Since.JOURNAL,
    when: str = "",
) -> Definition:
    return Definition(name, MetricKind.HISTOGRAM, since, words, (), when, buckets)


_NOW, _JOURNAL, _START = Since.NOW, Since.JOURNAL, Since.START
_WITH_SHUFFLER: Final = "with a shuffler"
_WITH_SEALS: Final = "where shoes are sealed"
_WITH_FEED: Final = "with a feed"
_WITH_HEAD: Final = "once a head is signed"
_IDENTITY: Final = "of devices with an identity"
_AFTER_ONE: Final = "after one"

TABLE: Final = (
    Definition(
        "table_info",
        MetricKind.INFO,
        _NOW,
        "Version and build, rules, their document, and the gaming day",
        (
            ("version", ANY),
            ("build", ANY),
            ("profile", ANY),
            ("document", ANY),
            ("gaming_day", ANY),
        ),
    ),
    _gauge(
        "table_health",
        "Health of the table's loop; 1 for the current one",
        health=_of(Health),
    ),
    _gauge(
        "phase",
        "Phase as people are shown it; 1 for the current one",
        phase=_of(Phase, more=(WITHHELD,)),
    ),
    _gauge("last_card_timestamp_seconds", "Time of the last card", _JOURNAL, _AFTER_ONE),
    _gauge("last_coup_timestamp_seconds", "Time when the last coup ended", _JOURNAL, _AFTER_ONE),
    _gauge(
        "pit_differs",
        "1 while the table has another value than its pit",
        when="where the pit shares settings",
        setting=tuple(PIT_VALUES),
    ),
    _gauge("suspended", "1 while no card may be drawn before a decision"),
    _gauge(
        "suspended_since_timestamp_seconds",
        "Time and code of the first open irregularity that suspends the table",
        _JOURNAL,
        "while suspended",
        code=_of(IrregularityCode),
    ),
    _gauge("open_irregularities", "Irregularities that await a decision"),
    _gauge(
        "cards_left",
        "Cards that should still be in the dealing shoe",
        when="in a shoe seen from its beginning",
    ),
    _gauge("shoe_number", "Number of the shoe in its gaming day", when="in a shoe"),
    _gauge("coups_in_shoe", "Coups begun in this shoe", when="in a shoe"),
    _gauge("gaming_day_due", "1 while a person has to state the gaming day"),
)
PLAY: Final = (
    _counter("cards_drawn_total", "Cards that left the dealing shoe, burn cards included"),
    _counter(
        "reads_total",
        "Cards of the dealing shoe by how they were read",
        result=_of(ReadResult),
    ),
    _counter(
        "coups_total",
        "Coups closed, by outcome; the rate is coups per hour",
        outcome=_of(Outcome, more=(VOID,)),
    ),
    _counter(
        "coup_corrections_total",
        "Corrections of a counted coup, by the outcome that counts now; coups_total stays",
        outcome=_of(Outcome),
    ),
    _histogram(
        "coup_seconds",
        "From the first to the last card of a counted coup",
        *(5, 10, 15, 20, 30, 45, 60, 120),
    ),
    _histogram(
        "between_coups_seconds",
        "From the last card of a coup to the first of the next in its shoe",
        *(10, 20, 30, 45, 60, 90, 120, 300, 900),
    ),
    _counter(
        "irregularities_total",
        "Irregularities by code of the catalogue",
        code=_of(IrregularityCode),
    ),
    _counter(
        "decisions_total",
        "Decisions of people by role; no person is named. A series appears with its first one",
        when=_AFTER_ONE,
        role=_of(Role),
        decision=_of(FloorDecision, more=(CORRECT_COUP,)),
    ),
    _summary(
        "decision_seconds",
        "From the oldest irregularity that a decision closes to the decision",
        decision=_of(FloorDecision),
    ),
    _counter(
        "advisories_total",
        "Advisories of the shoe monitors; none is a verdict",
        _START,
        kind=_of(AdvisoryKind),
    ),
)
DEVICES: Final = (
    _gauge(
        "device_stage",
        "Stage of a device as its driver sees it; 1 for the current one",
        device=ANY,
        stage=_of(Stage),
    ),
    _counter("device_bytes_total", "Bytes that came from a device", _START, device=ANY),
    _counter(
        "link_errors_total",
        "Bytes that were no frame, and other faults of the link to a device",
        device=ANY,
        kind=_of(LinkFaultKind),
    ),
    _counter(
        "device_events_total",
        "Events that a device reported; faults and stages are none",
        device=ANY,
    ),
    _gauge(
        "device_last_event_timestamp_seconds",
        "Time of the last such event",
        _JOURNAL,
        _AFTER_ONE,
        device=ANY,
    ),
    _counter("device_lost_total", "How often a device was lost", device=ANY),
    _gauge(
        "device_trusted",
        "1 while the device has proven to be the one that was paired",
        when=_IDENTITY,
        device=ANY,
    ),
    _gauge(
        "device_bare",
        "1 while the configuration accepts the device without an identity",
        when=_IDENTITY,
        device=ANY,
    ),
)
BATCHES: Final = (
    _gauge(
        "cards_at",
        "Cards of a batch by their place",
        when="of bound batches",
        back=ANY,
        place=ANY,
    ),
    _gauge(
        "batch_stage",
        "Stage of a batch; 1 for the current one",
        when=_WITH_SHUFFLER,
        back=ANY,
        stage=_of(BatchStage),
    ),
    _gauge(
        "batch_bars",
        "Reasons why a batch may not be dealt from",
        when=_WITH_SHUFFLER,
        back=ANY,
    ),
    _counter(
        "shuffles_total",
        "Shuffles by the result of the receipt; refused: it does not count; shown: by lamps alone",
        when=_WITH_SHUFFLER,
        result=_of(ShuffleResult, UnprovenShuffle, more=(REFUSED,)),
    ),
    _summary(
        "shuffle_seconds",
        "How long shuffles took, by the shuffler's own clock or its lamps",
        when=_WITH_SHUFFLER,
    ),
    _gauge(
        "shuffler_down",
        "1 while the shuffler is offline, interlocked by a warning, or not trusted",
        when=_WITH_SHUFFLER,
    ),
    _counter(
        "shuffler_down_seconds_total",
        "How long it was so while the program ran, up to the newest record",
        when=_WITH_SHUFFLER,
    ),
    _counter(
        "shuffler_warnings_total",
        "Warnings of the shuffler",
        when=_WITH_SHUFFLER,
        kind=_of(WarningKind),
    ),
    _gauge("shuffler_warnings_open", "Warnings that no person has cleared", when=_WITH_SHUFFLER),
    _gauge(
        "shuffler_warning_since_seconds",
        "Time of the oldest of them",
        when="while one is open",
    ),
    _histogram(
        "shuffler_warning_wait_seconds",
        "From a warning, which interlocks play, to its clearance by a named person",
        *(5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600),
        when=_WITH_SHUFFLER,
    ),
)
RECORDS: Final = (
    _histogram(
        "scan_to_stored_seconds",
        "From reading the bytes of a card to storing its verdict",
        *SECONDS_BUCKETS,
        since=_START,
    ),
    _gauge("inputs_waiting", "Inputs that wait for the table's loop"),
    _counter("journal_transactions_total", "Durable transactions of the journal", _START),
    _gauge("journal_records", "Number of the newest record"),
    _gauge("journal_bytes", "Size of live.db and its write-ahead log"),
    _gauge(
        "journal_lag_seconds",
        "Age of the oldest stored transaction that a subscriber has not taken in; 0 for none",
    ),
    _gauge(
        "stored_waiting",
        "Stored transactions that a subscriber has not taken in",
        subscriber=ANY,
    ),
    _counter(
        "stored_left_out_total",
        "Those that it was too slow for, or failed at",
        _START,
        subscriber=ANY,
    ),
    _gauge("shoes_unsealed", "Finished shoes that wait in live.db", when=_WITH_SEALS),
    _gauge("seals_unsigned", "1 while no key is usable", when=_WITH_SEALS),
    _summary("seal_seconds", "How long sealing a shoe took", _START, _WITH_SEALS),
    _gauge(
        "log_size",
        "Leaves of the evidence log in its newest signed head: who scrapes keeps a witness",
        when=_WITH_HEAD,
    ),
    _gauge(
        "log_root48",
        "First 48 bits of the root of that head, as a number",
        when=_WITH_HEAD,
    ),
    _gauge(
        "log_leaves_waiting",
        "Leaves that wait for the evidence log's disk",
        when=_WITH_HEAD,
    ),
    _gauge(
        "log_witnesses_behind",
        "Witnesses that have not cosigned the newest head offered to them",
        when=_WITH_HEAD,
    ),
)
FEED: Final = (
    _gauge("feed_connected", "1 while connected", when=_WITH_FEED, consumer=ANY),
    _counter(
        "feed_events_total",
        "Events that the consumer acknowledged",
        _START,
        _WITH_FEED,
        consumer=ANY,
    ),
    _gauge(
        "feed_lag_events",
        "Events that it has not acknowledged",
        when=_WITH_FEED,
        consumer=ANY,
    ),
    _gauge(
        "feed_lag_seconds",
        "Age of the oldest of them; 0 for none",
        when=_WITH_FEED,
        consumer=ANY,
    ),
)
MACHINE: Final = (
    _counter("clock_steps_total", "How often the machine's clock was set"),
    _gauge(
        "clock_sync",
        "What the kernel says of the clock; 1 for the current state",
        state=_of(ClockSync),
    ),
    _gauge(
        "disk_room",
        "Level of free space on the journal's disk; 1 for the current one",
        level=_of(DiskLevel),
    ),
    _gauge("disk_free_bytes", "Free bytes on the journal's disk"),
    _summary("scrape_seconds", "What the scrapes of this page took before this one", _START),
)
GROUPS: Final = MappingProxyType(
    {
        "The table": TABLE,
        "Play": PLAY,
        "Devices": DEVICES,
        "Batches and shuffler": BATCHES,
        "Records": RECORDS,
        "Feed": FEED,
        "Machine": MACHINE,
    }
)
METRICS: Final = tuple(one for group in GROUPS.values() for one in group)
BY_NAME: Final = MappingProxyType({one.name: one for one in METRICS})
