"""Counts what a table's records say of its shuffler: shuffles, warnings, and time it was down.

Source: field practice (shuffle downtime is a figure to watch).
"""

from collections.abc import Sequence
from typing import Final

from controller.core.tape.entries import Entry, EventVerdicts
from controller.core.tape.shuffler_use import NOT_USED
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.outlets.metrics.definitions import (
    BATCHES,
    REFUSED,
    MetricKind,
    Since,
    UnprovenShuffle,
)
from controller.outlets.metrics.samples import (
    NO_LABELS,
    Samples,
    add_time,
    observe,
    seconds_of,
    zeros,
)
from controller.procedure.effects import WarningClosed, WarningOpened
from controller.procedure.events import ShufflerReported
from drivers.shuffler_events import ShuffleAborted, ShuffleShown

_US_PER_S: Final = 1_000_000
_MS_PER_S: Final = 1000


class ShufflerCounts:
    """Counts into `samples` of its table. `use` is what it goes on from."""

    def __init__(self, port: str, samples: Samples) -> None:
        self.use = NOT_USED
        self._port = port
        self._samples = samples
        for definition in BATCHES:
            if definition.since is Since.JOURNAL and definition.kind is not MetricKind.GAUGE:
                samples |= zeros(definition)

    def take(self, at_ns: int, entries: Sequence[Entry]) -> None:
        """Count what one input at `at_ns` (UTC) brought; first the time since the one before."""
        if down_ns := self.use.down_ns(at_ns, entries):
            self._samples["shuffler_down_seconds_total"][NO_LABELS] += seconds_of(down_ns)
        self.use = self.use.after(self._port, at_ns, entries)
        for entry in entries:
            match entry:
                case EventVerdicts(event=ShufflerReported(event=event)):
                    self._take_event(event)
                case ShuffleRecorded():
                    self._count_receipt(entry)
                case WarningOpened(kind=kind):
                    self._add("shuffler_warnings_total", kind.value)
                case WarningClosed():
                    waited_s = seconds_of(entry.waited_ns)
                    observe(self._samples, "shuffler_warning_wait_seconds", waited_s)

    def move(self, by_ns: int) -> None:
        """The clock was set by so much."""
        self.use = self.use.moved(by_ns)

    def _take_event(self, event: object) -> None:
        match event:
            case ShuffleShown(ran_ms=ran_ms):
                self._add("shuffles_total", UnprovenShuffle.SHOWN.value)
                add_time(self._samples, "shuffle_seconds", ran_ms / _MS_PER_S)
            case ShuffleAborted():
                self._add("shuffles_total", UnprovenShuffle.ABORTED.value)

    def _count_receipt(self, entry: ShuffleRecorded) -> None:
        proof = entry.proof
        if entry.refused is not None:
            self._add("shuffles_total", REFUSED)
            return
        self._add("shuffles_total", proof.result.value)
        took_s = max(0, proof.ended_us - proof.began_us) / _US_PER_S
        add_time(self._samples, "shuffle_seconds", took_s)

    def _add(self, name: str, label: str) -> None:
        self._samples[name][(label,)] += 1
