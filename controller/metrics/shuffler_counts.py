"""Counts what a table's records say of its shuffler: shuffles, warnings, and time it was down.

Source: controller/metrics/README.md, "Metrics"; field practice (shuffle downtime is a figure to
watch).
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from controller.custody.batch_life.facts import ShuffleRecorded
from controller.metrics.definitions import BATCHES, REFUSED, MetricKind, Since, UnprovenShuffle
from controller.metrics.samples import (
    NO_LABELS,
    Samples,
    add_time,
    observe,
    seconds_of,
    zeros,
)
from controller.procedure.effects import WarningClosed, WarningOpened
from controller.procedure.events import ShufflerReported
from controller.tape.entries import DeviceEventRecorded, Entry, EventVerdicts, RunBegan
from drivers.events import Stage, StageChanged
from drivers.shuffler_events import (
    IdentityProven,
    IdentityRefused,
    ShuffleAborted,
    ShuffleShown,
)

_US_PER_S: Final = 1_000_000
_MS_PER_S: Final = 1000


class ShufflerUse(Struct, frozen=True):
    """Whether the shuffler can be used: it is online, has proven who it is, and warns of nothing.

    `warnings` are the numbers of the open ones. `at_ns` is UTC of the newest record of this run;
    None before a run.
    """

    online: bool = False
    trusted: bool = False
    warnings: tuple[int, ...] = ()
    at_ns: int | None = None

    @property
    def down(self) -> bool:
        return not (self.online and self.trusted) or bool(self.warnings)


NOT_USED: Final = ShufflerUse()


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
        before, began = self.use, False
        for entry in entries:
            match entry:
                case RunBegan():
                    began = True
                    self.use = replace(self.use, online=False, trusted=False)
                case DeviceEventRecorded(port=port, event=StageChanged(stage=stage)):
                    if port == self._port:
                        self.use = replace(self.use, online=stage is Stage.ONLINE)
                case EventVerdicts(event=ShufflerReported(event=event)):
                    self._take_event(event)
                case ShuffleRecorded():
                    self._count_receipt(entry)
                case WarningOpened(number=number, kind=kind):
                    self._add("shuffler_warnings_total", kind.value)
                    self.use = replace(self.use, warnings=(*self.use.warnings, number))
                case WarningClosed():
                    waited_s = seconds_of(entry.waited_ns)
                    observe(self._samples, "shuffler_warning_wait_seconds", waited_s)
                    left = tuple(one for one in self.use.warnings if one != entry.number)
                    self.use = replace(self.use, warnings=left)
        # Nobody knows what was while the program did not run.
        if before.down and before.at_ns is not None and not began:
            down = self._samples["shuffler_down_seconds_total"]
            down[NO_LABELS] += seconds_of(at_ns - before.at_ns)
        self.use = replace(self.use, at_ns=at_ns)

    def move(self, by_ns: int) -> None:
        """The clock was set by so much."""
        if self.use.at_ns is not None:
            self.use = replace(self.use, at_ns=self.use.at_ns + by_ns)

    def _take_event(self, event: object) -> None:
        match event:
            case IdentityProven():
                self.use = replace(self.use, trusted=True)
            case IdentityRefused():
                self.use = replace(self.use, trusted=False)
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
