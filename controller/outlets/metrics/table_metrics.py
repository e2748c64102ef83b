"""The metrics of one table: counts of what it stored, and figures of its newest state.

No metric has a label from an open set, and none discloses a card (controller.record.disclosure).
Source: Prometheus documentation, "Metric and label naming"; performance goals P14, P14b.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, Protocol

from controller.archive.sealer import SealingStatus
from controller.core.core import Core
from controller.core.settings import Settings
from controller.core.state import Conclusion, CoreState, Stored, read_at
from controller.core.tape.entries import EventVerdicts
from controller.outlets.metrics.consumers import ConsumerStatus, feed_samples
from controller.outlets.metrics.counts import Carried
from controller.outlets.metrics.definitions import BY_NAME, DEALING_SHOE, SHUFFLER
from controller.outlets.metrics.follow import FollowedCounts
from controller.outlets.metrics.journal_disk import disk_samples
from controller.outlets.metrics.samples import (
    NO_LABELS,
    NS_PER_S,
    Samples,
    add_time,
    observe,
    states,
    zeros,
)
from controller.outlets.metrics.state_samples import state_samples, suspending_code
from controller.procedure.events import CardDrawn
from controller.procedure.state import TableState
from controller.record.snapshot import Health
from controller.rules.advisory import AdvisoryKind
from controller.table.subscribers import Follower
from firmware_bridge.transport.clock import now
from foundation.timestamp import Timestamp

_HEALTHS: Final = BY_NAME["table_health"].values("health")
_NO_DEVICES: Final[Mapping[str, str]] = MappingProxyType({})


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
            **feed_samples(self._consumers()),
        }
        if self._journal is not None:
            found |= disk_samples(self._journal)
        sealing = table.sealing_status
        if sealing is not None:
            found |= _seal_samples(sealing)
        published = table.published
        if published is not None:
            found |= state_samples(*published)
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
    suspends = None if table is None else suspending_code(table)
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
