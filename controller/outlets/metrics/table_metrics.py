"""The metrics of one table: counts of what it stored, and figures of its newest state.

No metric has a label from an open set, and none discloses a card (controller.record.disclosure).
After a start, and where transactions were left out, the counts read on from the journal, beside
play: no start and no card waits, and what was counted once is not counted again. The file of saved
counts is written when a shoe has ended and at an orderly stop, never for a card; without it the
counts begin with the records that are here.
Source: Prometheus documentation, "Metric and label naming"; performance goals P14, P14b.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, Protocol

from msgspec import Struct

from controller.archive.replay.stored_conclusions import conclusions_between
from controller.archive.sealer import SealingStatus
from controller.core.core import Core
from controller.core.settings import Settings
from controller.core.state import Conclusion, CoreState, Stored, read_at, sync_state
from controller.core.tape.entries import EventVerdicts
from controller.core.tape.inputs import DiskLevel
from controller.custody.batch_life.state import Lineage
from controller.custody.state import batch_counts
from controller.journal.database import FILE_NAME
from controller.journal.encoding import EncodingError
from controller.journal.folder import COUNTS_NAME
from controller.journal.reader import JournalReader
from controller.journal.store import open_read_only
from controller.journal.values import Head, JournalError
from controller.outlets.metrics.counts import (
    NO_LABELS,
    NS_PER_S,
    Carried,
    Labels,
    Samples,
    TableCounts,
    add_time,
    observe,
    states,
    zeros,
)
from controller.outlets.metrics.definitions import BY_NAME, DEALING_SHOE, SHUFFLER, WITHHELD
from controller.procedure.events import CardDrawn
from controller.procedure.opening.gaming_day import gaming_day_due
from controller.procedure.people.pit_values import differences_from_pit, pit_in_force
from controller.procedure.people.setting_changes import effective_book
from controller.procedure.phases import Phase
from controller.procedure.shuffler.interlock import is_interlocked
from controller.procedure.state import ShoeState, TableState
from controller.record.build import shown_phase
from controller.record.custody import disclosed_places
from controller.record.snapshot import Health
from controller.rules.advisory import AdvisoryKind
from controller.rules.settlement.pit import NO_PIT_SETTINGS, PIT_VALUES
from controller.system.atomic_file import SmallFileError
from controller.table.saved_projection import DamagedProjection, load_projection, save_projection
from controller.table.subscribers import Follower
from controller.version import VERSION, software_identifier
from drivers.events import Stage
from firmware_bridge.transport.clock import now
from foundation.timestamp import Timestamp

# --- counts at the newest record ------------------------------------------------------------------

_FORM: Final = "smartshoe-counts-1"
LOG: Final = logging.getLogger("smartshoe.metrics")
_NOT_READ: Final = (
    "the metrics count less before record %d: the journal could not be read. Run `smartshoe verify`"
)


class SavedCounts(Struct, frozen=True, forbid_unknown_fields=True):
    """Each sample by its name and the values of its labels, and what counting goes on with."""

    counts: tuple[tuple[str, Labels, float], ...]
    carried: Carried


def save_counts(folder: Path, samples: Samples, carried: Carried, head: Head) -> None:
    """Replace the file: the counts up to this record. Raises SmallFileError."""
    rows = tuple(
        (name, labels, value) for name, kept in samples.items() for labels, value in kept.items()
    )
    save_projection(folder / COUNTS_NAME, _FORM, head, SavedCounts(rows, carried))


def load_counts(folder: Path, counts: TableCounts, journal: JournalReader) -> int:
    """Let fresh counts go on from the file; the record up to which they count then.

    Raises SmallFileError where there is none that can be read, DamagedProjection, JournalError.
    """
    seq, saved = load_projection(folder / COUNTS_NAME, _FORM, SavedCounts, journal)
    samples: Samples = {}
    for name, labels, value in saved.counts:
        samples.setdefault(name, {})[labels] = value
    counts.go_on(samples, saved.carried)
    return seq


class FollowedCounts:
    """The counts of one table. `stored` is for one thread, `save` and `now` for any.

    Without a `journal` they count what is given, from 0.
    """

    def __init__(self, devices: Mapping[str, str], journal: Path | None) -> None:
        self._devices = devices
        self._journal = journal
        self._lock = threading.Lock()
        self._counts = TableCounts(devices)
        self._ready = journal is None
        # The newest record that was taken in; None before the first transaction.
        self.head: Head | None = None
        # The same once all up to it is counted.
        self._counted: Head | None = None

    def stored(self, stored: Stored) -> None:
        """Count one transaction, after what is missing before it."""
        # Set first: what cannot be counted is left out, and not read again and again.
        before, self.head, self._counted = self.head, stored.head, None
        if self._journal is not None and (before is None or before.seq != stored.after_seq):
            self._read_on(self._journal, before, stored.after_seq)
        with self._lock:
            for conclusion in stored.conclusions:
                self._counts.take(conclusion)
            self._counted, self._ready = stored.head, True
        if stored.shoe_ended:
            self.save()

    def save(self) -> None:
        """Write the file of counts, if there are some and they are those of a record."""
        with self._lock:
            head, (samples, carried) = self._counted, self._copy()
        if self._journal is None or head is None:
            return
        try:
            save_counts(self._journal, samples, carried, head)
        except SmallFileError as error:
            LOG.warning("the counts are not saved, and a start reads more: %s", error)

    def now(self) -> tuple[Samples, Carried] | None:
        """A copy of the counts; None while a start still reads on: they would only seem to fall."""
        if not self._ready:
            return None
        with self._lock:
            return self._copy()

    def _copy(self) -> tuple[Samples, Carried]:
        samples = {name: dict(values) for name, values in self._counts.samples.items()}
        return samples, self._counts.carried()

    def _read_on(self, journal: Path, before: Head | None, until_seq: int) -> None:
        """Count the journal's records after `before`, None for a start, up to `until_seq`."""
        if until_seq == 0:
            return
        try:
            with open_read_only(journal) as reader:
                after = self._begin(journal, reader) if before is None else before.seq
                for conclusion in conclusions_between(reader, after, until_seq):
                    with self._lock:
                        self._counts.take(conclusion)
        except (JournalError, EncodingError, OSError):
            # Not the error's own message: it may name a card.
            LOG.warning(_NOT_READ, until_seq)

    def _begin(self, journal: Path, reader: JournalReader) -> int:
        """Go on from the saved counts, if they are of this journal; the record up to which."""
        saved = self._load(journal, reader)
        if saved >= reader.base.seq:
            return saved
        first = reader.first_available_seq
        if saved < first - 1:
            LOG.warning("the metrics do not count records %d to %d: not here", saved + 1, first - 1)
        return max(saved, first - 1)

    def _load(self, journal: Path, reader: JournalReader) -> int:
        """The record up to which saved counts go on; 0 without any."""
        file = journal / COUNTS_NAME
        if not file.exists():
            LOG.info("%s is not there: the metrics count the records that are", file)
            return 0
        try:
            return load_counts(journal, self._counts, reader)
        except (SmallFileError, DamagedProjection) as error:
            LOG.warning("%s: %s. The metrics count the records that are here", file, error)
            self._counts = TableCounts(self._devices)
            return 0


# --- the metrics of a table -----------------------------------------------------------------------

_HEALTHS: Final = BY_NAME["table_health"].values("health")
_NO_DEVICES: Final[Mapping[str, str]] = MappingProxyType({})
_PHASES = BY_NAME["phase"].values("phase")
_DISK_LEVELS = BY_NAME["disk_room"].values("level")
_SYNCS = BY_NAME["clock_sync"].values("state")
_STAGES = BY_NAME["device_stage"].values("stage")
_BATCH_STAGES = BY_NAME["batch_stage"].values("stage")


class ConsumerStatus(Protocol):
    """One consumer now.

    `lag_events` are stored and not acknowledged, `lag_seconds` is the age of the oldest of them;
    `sent` counts acknowledged events since the start of the program.
    """

    @property
    def consumer(self) -> str: ...
    @property
    def connected(self) -> bool: ...
    @property
    def lag_events(self) -> int: ...
    @property
    def lag_seconds(self) -> float: ...
    @property
    def sent(self) -> int: ...


class ScrapedTable(Protocol):
    """What a scrape reads of a table, whether it runs or not."""

    name: str
    health: Health

    @property
    def published(self) -> tuple[Core, CoreState] | None: ...
    @property
    def stored_seq(self) -> int: ...
    @property
    def sealing_status(self) -> SealingStatus | None: ...
    @property
    def followers(self) -> Sequence[Follower]: ...
    @property
    def waiting(self) -> int: ...


def device_labels(settings: Settings) -> Mapping[str, str]:
    """The labels of a table's devices by their ports; those beside shoe and shuffler are ports."""
    beside = (*settings.readers, *settings.scanners)
    labels = {settings.shoe.port: DEALING_SHOE, **{one.port: one.port for one in beside}}
    if settings.shuffler is not None:
        labels[settings.shuffler.port] = SHUFFLER
    return labels


class TableMetrics:
    """Follows what a table stores. Any thread may ask for `samples`; a collector shows them.

    `devices`: their labels by port. `journal`: the folder from which counts go on after a start;
    None: they begin at 0. `consumers` are those of the table's feed.
    """

    name: ClassVar[str] = "metrics"

    def __init__(
        self,
        table: ScrapedTable,
        pit: str = "",
        *,
        devices: Mapping[str, str] = _NO_DEVICES,
        journal: Path | None = None,
        consumers: Callable[[], Iterable[ConsumerStatus]] = tuple,
        clock: Callable[[], Timestamp] = now,
    ) -> None:
        self.table = table.name
        self.pit = pit
        self._scraped = table
        self._devices = devices
        self._consumers = consumers
        self._journal = journal
        self._clock = clock
        self._lock = threading.Lock()
        self._read_ns: int | None = None
        self._taken_seq = 0
        self._counts = FollowedCounts(devices, journal)
        # Of this run of the program alone: no record says it.
        self._run: Samples = {}
        for name in ("advisories_total", "device_bytes_total", "journal_transactions_total"):
            self._run |= zeros(BY_NAME[name], device=devices.values())
        for name in ("scan_to_stored_seconds", "scrape_seconds"):
            self._run |= zeros(BY_NAME[name])

    def stored(self, stored: Stored) -> None:
        """Count one durable transaction."""
        self._counts.stored(stored)
        with self._lock:
            self._run["journal_transactions_total"][NO_LABELS] += 1
            for conclusion in stored.conclusions:
                for entry in conclusion.entries:
                    if type(entry) is EventVerdicts and type(entry.event) is CardDrawn:
                        self._observe_delay(conclusion, stored)
                        break
        self._taken_seq = stored.head.seq

    @property
    def stored_seq(self) -> int:
        """The number of the newest record that a status shows."""
        return self._scraped.stored_seq

    def has_counted(self, seq: int) -> bool:
        """Whether every record up to this one is in the counts; any thread may ask."""
        return self._taken_seq >= seq

    def save(self) -> None:
        """Save the counts at an orderly stop, once the table hands on nothing more."""
        self._counts.save()

    def count_advisory(self, kind: AdvisoryKind) -> None:
        """Count one advisory; any thread may call it."""
        with self._lock:
            self._run["advisories_total"][(kind.value,)] += 1

    def count_bytes(self, port: str, count: int) -> None:
        """Count bytes that came from a port; any thread may call it."""
        device = (self._devices.get(port, port),)
        with self._lock:
            counted = self._run["device_bytes_total"]
            counted[device] = counted.get(device, 0) + count

    def count_page(self, began: Timestamp) -> None:
        """Count a page that was served, begun then; any thread may call it."""
        took_s = (self._clock().monotonic_ns - began.monotonic_ns) / NS_PER_S
        with self._lock:
            add_time(self._run, "scrape_seconds", took_s)
            self._read_ns = began.monotonic_ns

    @property
    def read_s(self) -> int | None:
        """Seconds since a page of them was last served, None before the first."""
        read_ns = self._read_ns
        return None if read_ns is None else int((self._clock().monotonic_ns - read_ns) // NS_PER_S)

    def samples(self) -> Samples:
        """All samples now."""
        table = self._scraped
        found: Samples = {
            "table_health": dict(states(table.health.value, _HEALTHS)),
            "inputs_waiting": {NO_LABELS: table.waiting},
            **_follower_samples(table.followers, self._clock()),
            **_feed_samples(self._consumers()),
        }
        if self._journal is not None:
            found |= _disk_samples(self._journal)
        sealing = table.sealing_status
        if sealing is not None:
            found |= _seal_samples(sealing)
        published = table.published
        if published is not None:
            found |= _state_samples(*published)
        if self._counts.head is not None:
            found["journal_records"] = {NO_LABELS: self._counts.head.seq}
        counted = self._counts.now()
        if counted is not None:
            samples, carried = counted
            found |= samples
            found |= _times(carried, published[1].table if published is not None else None)
        with self._lock:
            found |= {name: dict(values) for name, values in self._run.items()}
        return found

    def _observe_delay(self, conclusion: Conclusion, stored: Stored) -> None:
        read = read_at(conclusion)
        if read is not None:
            took_s = (stored.at.monotonic_ns - read.monotonic_ns) / NS_PER_S
            observe(self._run, "scan_to_stored_seconds", took_s)


def _times(carried: Carried, table: TableState | None) -> Samples:
    found: Samples = {
        "device_last_event_timestamp_seconds": {
            (device,): at_ns / NS_PER_S for device, at_ns in carried.events.items()
        }
    }
    if carried.last_card_ns:
        found["last_card_timestamp_seconds"] = {NO_LABELS: carried.last_card_ns / NS_PER_S}
    if carried.last_coup_ns:
        found["last_coup_timestamp_seconds"] = {NO_LABELS: carried.last_coup_ns / NS_PER_S}
    suspends = None if table is None else _suspending_code(table)
    since_ns = None if suspends is None else dict(carried.waiting).get(suspends[0])
    if suspends is not None and since_ns is not None:
        found["suspended_since_timestamp_seconds"] = {(suspends[1],): since_ns / NS_PER_S}
    return found


def _follower_samples(followers: Sequence[Follower], at: Timestamp) -> Samples:
    since_ns = [one.taking_since_ns for one in followers]
    oldest_ns = min((one for one in since_ns if one is not None), default=at.monotonic_ns)
    return {
        "stored_waiting": {(one.name,): one.waiting for one in followers},
        "stored_left_out_total": {(one.name,): one.skipped for one in followers},
        "journal_lag_seconds": {NO_LABELS: max(0, at.monotonic_ns - oldest_ns) / NS_PER_S},
    }


def _seal_samples(sealing: SealingStatus) -> Samples:
    numbers: dict[str, float] = {
        "shoes_unsealed": sealing.unsealed,
        "seals_unsigned": int(bool(sealing.unsigned)),
        "seal_seconds_count": sealing.sealed,
        "seal_seconds_sum": sealing.seconds,
    }
    head = sealing.log
    if head.size:
        numbers |= {
            "log_size": head.size,
            "log_root48": int.from_bytes(head.root[:6], "big"),
            "log_leaves_waiting": head.waiting,
            "log_witnesses_behind": len(head.absent),
        }
    return {name: {NO_LABELS: value} for name, value in numbers.items()}


def _feed_samples(consumers: Iterable[ConsumerStatus]) -> Samples:
    """The samples of all consumers of a table."""
    every = tuple(consumers)
    return {
        "feed_connected": {(one.consumer,): int(one.connected) for one in every},
        "feed_events_total": {(one.consumer,): one.sent for one in every},
        "feed_lag_events": {(one.consumer,): one.lag_events for one in every},
        "feed_lag_seconds": {(one.consumer,): one.lag_seconds for one in every},
    }


def _disk_samples(journal: Path) -> Samples:
    """Free bytes of the disk, and what the journal takes of it; nothing if it does not answer."""
    try:
        usage = os.statvfs(journal)
        size = (journal / FILE_NAME).stat().st_size
        log = journal / f"{FILE_NAME}-wal"
        if log.exists():
            size += log.stat().st_size
    except OSError:
        return {}
    return {
        "disk_free_bytes": {NO_LABELS: usage.f_bavail * usage.f_frsize},
        "journal_bytes": {NO_LABELS: size},
    }


# --- the newest state -----------------------------------------------------------------------------


def _state_samples(core: Core, state: CoreState) -> Samples:
    """The samples of a published state. What is not known is left out."""
    table, settings = state.table, core.settings
    book = effective_book(core.book, table)
    phase = shown_phase(book, table)
    disk = state.host.disk.level if state.host.disk is not None else DiskLevel.UNKNOWN
    build = software_identifier().removeprefix(f"{VERSION}+")
    day = table.shoe_day or table.today
    info = (VERSION, build, book.profile.name, book.document, day)
    numbers = {
        "suspended": int(table.phase is Phase.SUSPENDED),
        "open_irregularities": len(table.open_irregularities),
        "gaming_day_due": int(gaming_day_due(table) is not None),
        **_shoe_numbers(table.shoe),
    }
    found: Samples = {name: {NO_LABELS: value} for name, value in numbers.items()}
    found["table_info"] = {info: 1}
    found["phase"] = dict(states(WITHHELD if phase.value is None else phase.value, _PHASES))
    found["disk_room"] = dict(states(disk.value, _DISK_LEVELS))
    found["clock_sync"] = dict(states(sync_state(state.host).value, _SYNCS))
    if pit_in_force(book, table) != NO_PIT_SETTINGS:
        differing = {one.setting for one in differences_from_pit(book, table)}
        found["pit_differs"] = {(one,): int(one in differing) for one in PIT_VALUES}
    stages = dict(_stages(core, state))
    found["device_stage"] = {
        labels: value
        for device, stage in stages.items()
        for labels, value in states(stage.value, _STAGES, device).items()
    }
    found["cards_at"] = {
        (batch.back, place): count
        for batch in batch_counts(state.custody)
        for place, count in disclosed_places(batch.places)
    }
    identities: dict[str, tuple[bool, bool]] = {}
    if settings.shoe_model.proves_identity:
        identities[DEALING_SHOE] = (state.shoe_identity.trusted, state.shoe_identity.bare)
    if settings.shuffler is not None:
        lineage = table.lineage
        trusted = stages[SHUFFLER] is Stage.ONLINE and lineage.trusted
        identities[SHUFFLER] = (trusted, lineage.bare)
        down = not trusted or is_interlocked(book, table)
        found |= _shuffler(lineage, down=down)
    found["device_trusted"] = {(one,): int(trusted) for one, (trusted, _) in identities.items()}
    found["device_bare"] = {(one,): int(bare) for one, (_, bare) in identities.items()}
    return found


def _suspending_code(table: TableState) -> tuple[int, str] | None:
    """Number and code of the first open irregularity that suspends the table; None for none."""
    if table.phase is not Phase.SUSPENDED:
        return None
    suspends = ((one.number, one.code.value) for one in table.open_irregularities if one.suspends)
    return next(suspends, None)


def _shoe_numbers(shoe: ShoeState | None) -> dict[str, int]:
    """Absent rather than wrong: no shoe yet, or one joined after some cards had left."""
    if shoe is None:
        return {}
    left = {} if shoe.joined else {"cards_left": shoe.cards_left()}
    return {**left, "shoe_number": shoe.number, "coups_in_shoe": shoe.coups_begun}


def _stages(core: Core, state: CoreState) -> Iterator[tuple[str, Stage]]:
    yield DEALING_SHOE, state.shoe_driver.stage
    shuffler = core.settings.shuffler
    for one in state.auxiliary:
        of_shuffler = shuffler is not None and one.port == shuffler.port
        yield SHUFFLER if of_shuffler else one.port, one.state.stage


def _shuffler(lineage: Lineage, *, down: bool) -> Samples:
    found: Samples = {
        "shuffler_down": {NO_LABELS: int(down)},
        "shuffler_warnings_open": {NO_LABELS: len(lineage.warnings)},
        "batch_stage": {
            labels: value
            for life in lineage.lives
            for labels, value in states(life.stage.value, _BATCH_STAGES, life.back).items()
        },
        "batch_bars": {(life.back,): len(life.block_reasons) for life in lineage.lives},
    }
    if lineage.warnings:
        since_ns = min(one.since_ns for one in lineage.warnings)
        found["shuffler_warning_since_seconds"] = {NO_LABELS: since_ns / NS_PER_S}
    return found
