"""Counts what a table's records say: a projection of the journal, so that counts outlive a restart.

The same records give the same counts, whether they come from the table as it stores them or are
read again; only numbers are kept, and no card: by the name of the sample, then by the values of its
labels. A histogram is counted in buckets, each by its upper bound; the page adds them up.
Not: what no record says (table_metrics).
Source: performance goal P14; field practice (shuffle downtime is a figure to watch).
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from types import NoneType
from typing import ClassVar, Final, TypeAlias

from msgspec import Struct, field

from controller.core.state import Conclusion
from controller.core.tape.entries import (
    ClockStepped,
    DeviceEventRecorded,
    Entry,
    EventVerdicts,
)
from controller.core.tape.inputs import Started
from controller.core.tape.shuffler_use import NOT_USED, ShufflerUse
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.outlets.metrics.definitions import (
    BATCHES,
    BY_NAME,
    DEVICES,
    MACHINE,
    PLAY,
    REFUSED,
    SHUFFLER,
    VOID,
    Definition,
    MetricKind,
    ReadResult,
    Since,
    UnprovenShuffle,
)
from controller.procedure.effects import (
    BurnDone,
    CoupClosed,
    CoupCorrected,
    CoupFate,
    ResolutionRecorded,
    ShoeEnded,
    ShoeOpened,
    WarningClosed,
    WarningOpened,
)
from controller.procedure.events import (
    CardDrawn,
    CardRepeated,
    ClockJumped,
    CustodyFindingRaised,
    DomainEvent,
    GamingDayChanged,
    Loss,
    ReportsMissing,
    ShufflerReported,
)
from controller.procedure.verdicts import Irregularity, Verdict
from controller.record.people import decisions_made
from controller.rules.actions.actions import OperatorAction
from drivers.events import CardPassed, Stage, StageChanged, TagSeen
from drivers.faults import DeviceFault
from drivers.shuffler_events import ShuffleAborted, ShuffleShown
from firmware_bridge.transport.port import Chunk

# --- samples --------------------------------------------------------------------------------------

NS_PER_S: Final = 1_000_000_000
INFINITY: Final = "+Inf"
Labels: TypeAlias = tuple[str, ...]
# A sample that is not there has no entry; one without labels has the entry ().
Samples: TypeAlias = dict[str, dict[Labels, float]]
NO_LABELS: Final[Labels] = ()


def bounds(definition: Definition) -> tuple[str, ...]:
    """The upper bounds of a histogram's buckets, in their canonical form."""
    return (*(str(float(one)) for one in definition.buckets), INFINITY)


_BOUNDS: Final = {
    one.name: bounds(one) for one in BY_NAME.values() if one.kind is MetricKind.HISTOGRAM
}


def sample_names(definition: Definition) -> tuple[str, ...]:
    """The names of a metric's samples as they are kept here."""
    match definition.kind:
        case MetricKind.HISTOGRAM:
            return f"{definition.name}_bucket", f"{definition.name}_sum"
        case MetricKind.SUMMARY:
            return f"{definition.name}_count", f"{definition.name}_sum"
        case _:
            return (definition.name,)


def zeros(definition: Definition, **configured: Iterable[str]) -> Samples:
    """A sample of 0 for each combination of label values; `configured` are those not closed."""
    every = [configured.get(label, values) for label, values in definition.labels]
    labels: list[Labels] = list(product(*every))
    found: Samples = {name: dict.fromkeys(labels, 0) for name in sample_names(definition)}
    if definition.kind is MetricKind.HISTOGRAM:
        buckets = [(bound,) for bound in _BOUNDS[definition.name]]
        found[f"{definition.name}_bucket"] = dict.fromkeys(buckets, 0)
    return found


def observe(samples: Samples, name: str, seconds: float) -> None:
    """Count a time in a histogram."""
    definition = BY_NAME[name]
    bound = _BOUNDS[name][bisect_left(definition.buckets, seconds)]
    samples[f"{name}_bucket"][(bound,)] += 1
    samples[f"{name}_sum"][NO_LABELS] += seconds


def add_time(samples: Samples, name: str, seconds: float, *labels: str) -> None:
    """Count a time in a summary."""
    samples[f"{name}_count"][labels] += 1
    samples[f"{name}_sum"][labels] += seconds


def states(current: str, values: Iterable[str], *before: str) -> Mapping[Labels, float]:
    """A sample for each state: 1 for the current one. `before` are the labels before the state."""
    return {(*before, one): int(one == current) for one in values}


def seconds_of(ns: int) -> float:
    """A duration; 0 for a negative one, where the clock was set."""
    return max(0, ns) / NS_PER_S


# --- what records say -----------------------------------------------------------------------------

_US_PER_S: Final = 1_000_000
_MS_PER_S: Final = 1000
Durations: TypeAlias = tuple[int | None, int | None]
# Concluded from other things than what a device reported.
_NOT_REPORTED: Final = frozenset({CustodyFindingRaised, GamingDayChanged, ClockJumped, NoneType})
_LOST_AS: Final = {Loss.UNREADABLE: ReadResult.UNREADABLE, Loss.UNPROVEN: ReadResult.UNPROVEN}
_READ: Final = (ReadResult.READ.value,)
_UNREAD: Final = (ReadResult.UNREAD.value,)
_REPEATED: Final = (ReadResult.REPEATED.value,)
_NO_EVENTS: Final = (DeviceFault, StageChanged)
_CARDS_WITH_TAGS: Final = (CardPassed, TagSeen)
_OTHERS: Final = frozenset(
    {
        CoupClosed,
        CoupCorrected,
        ResolutionRecorded,
        ShoeOpened,
        BurnDone,
        ShoeEnded,
    }
)
# Follow from the records alone.
COUNTED: Final = tuple(
    one
    for one in (*PLAY, *DEVICES, *MACHINE)
    if one.since is Since.JOURNAL and one.kind is not MetricKind.GAUGE
)
# How many labels each of their samples has.
_LABELS: Final = {
    name: 1 if name.endswith("_bucket") else len(one.labels)
    for one in COUNTED
    for name in sample_names(one)
}


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


class DealtTimes(Struct, frozen=True):
    """`cards` are the times of the cards that are of no ended coup, `ended_ns` that of the last
    card of the coup before, None in front of a shoe's first one. Times are UTC, in ns.
    """

    cards: tuple[int, ...] = ()
    ended_ns: int | None = None
    burning: bool = False


NO_CARDS_YET: Final = DealtTimes()


class Cadence:
    """Follows the cards of one table."""

    # A coup has at most six cards, and errors; a burn ten and more.
    CARDS_MAX: ClassVar[int] = 64

    def __init__(self, times: DealtTimes) -> None:
        self._cards = list(times.cards)
        self._ended_ns = times.ended_ns
        self._burning = times.burning

    @property
    def times(self) -> DealtTimes:
        """What a new one goes on from."""
        return DealtTimes(tuple(self._cards), self._ended_ns, self._burning)

    def card(self, at_ns: int) -> None:
        """A card left the shoe."""
        if len(self._cards) < self.CARDS_MAX:
            self._cards.append(at_ns)

    def open_shoe(self, *, joined: bool) -> None:
        """A shoe was opened, perhaps by its first card: that is the newest one so far."""
        self._cards = [] if joined else self._cards[-1:]
        self._ended_ns, self._burning = None, not joined

    def end_burn(self, removed: int) -> None:
        """The burn is done; a card after it begins the first coup."""
        if self._burning:
            self._cards, self._burning = self._cards[removed:], False

    def end_shoe(self) -> None:
        self._cards, self._ended_ns, self._burning = [], None, False

    def end_coup(self, cards: int) -> Durations:
        """A coup of so many cards ended: the ns it took and those before it, None if not known.

        Where no result is reported the first card of the next coup ends it, and is not of it.
        """
        dealt, self._cards = self._cards[:cards], self._cards[cards:]
        ended_ns = self._ended_ns
        if not dealt:
            self._ended_ns = None
            return None, None
        self._ended_ns = dealt[-1]
        return dealt[-1] - dealt[0], None if ended_ns is None else dealt[0] - ended_ns

    def move(self, by_ns: int) -> None:
        """The clock was set by so much."""
        self._cards = [at_ns + by_ns for at_ns in self._cards]
        if self._ended_ns is not None:
            self._ended_ns += by_ns


class Carried(Struct, frozen=True):
    """What counting has to remember beside the counts. Times are UTC, in ns.

    `waiting` are irregularities by number with their times, the newest ones; `events` the last
    event of each device.
    """

    last_card_ns: int = 0
    last_coup_ns: int = 0
    waiting: tuple[tuple[int, int], ...] = ()
    events: dict[str, int] = field(default_factory=dict)
    times: DealtTimes = NO_CARDS_YET
    shuffler: ShufflerUse = NOT_USED


class TableCounts:
    """The counts of one table. For one thread at a time.

    `devices` are the labels of the devices by their ports; others go by their port.
    """

    # So many irregularities at most wait for their decision here; older ones have no duration.
    WAITING_MAX: ClassVar[int] = 64

    def __init__(self, devices: Mapping[str, str]) -> None:
        self.samples: Samples = {}
        self.last_card_ns = 0
        self.last_coup_ns = 0
        self.waiting: dict[int, int] = {}
        self.events: dict[str, int] = {}
        self._devices = devices
        self._cadence = Cadence(NO_CARDS_YET)
        for definition in COUNTED:
            self.samples |= zeros(definition, device=devices.values())
        self.samples["decisions_total"].clear()
        # Counted for every card.
        self._cards = self.samples["cards_drawn_total"]
        self._reads = self.samples["reads_total"]
        port = next((port for port in devices if devices[port] == SHUFFLER), None)
        self._shuffler = None if port is None else ShufflerCounts(port, self.samples)

    # --- saving -----------------------------------------------------------------------------------

    def carried(self) -> Carried:
        """What to give `go_on` beside the samples."""
        return Carried(
            last_card_ns=self.last_card_ns,
            last_coup_ns=self.last_coup_ns,
            waiting=tuple(self.waiting.items()),
            events=dict(self.events),
            times=self._cadence.times,
            shuffler=NOT_USED if self._shuffler is None else self._shuffler.use,
        )

    def go_on(self, samples: Samples, carried: Carried) -> None:
        """Go on from saved counts. Metrics that are no more, or not here, are left out.

        So are counts by other labels than a metric has now: nobody could say whose they are.
        """
        for name, values in samples.items():
            if name in self.samples:
                labels = _LABELS[name]
                kept = {one: value for one, value in values.items() if len(one) == labels}
                self.samples[name] |= kept
        self.last_card_ns, self.last_coup_ns = carried.last_card_ns, carried.last_coup_ns
        self.waiting = dict(carried.waiting)
        self.events = dict(carried.events)
        self._cadence = Cadence(carried.times)
        if self._shuffler is not None:
            self._shuffler.use = carried.shuffler

    # --- counting ---------------------------------------------------------------------------------

    def take(self, conclusion: Conclusion) -> None:
        """Count one input and what was concluded from it."""
        item, entries = conclusion.item, conclusion.entries
        at_ns = item.at.utc_ns
        if len(entries) != 1 or type(entries[0]) is ClockStepped:
            self._count_clock_steps(entries)
        if self._shuffler is not None:
            self._shuffler.take(at_ns, entries)
        if type(item) is OperatorAction:
            for _, decision, count in decisions_made(entries):
                self._add("decisions_total", item.role.value, decision, count=count)
        reported, tagged = 0, False
        for entry in entries:
            if type(entry) is EventVerdicts:
                event = entry.event
                # The verdict on a card with a tag follows its report: one event.
                if not tagged and type(event) not in _NOT_REPORTED:
                    reported += 1
                self._count_event(event, entry.verdicts, at_ns)
            elif type(entry) is DeviceEventRecorded:
                kind = type(entry.event)
                reported += kind not in _NO_EVENTS
                tagged = tagged or kind in _CARDS_WITH_TAGS
                self._count_fault(entry, began=type(item) is Started)
            elif type(entry) in _OTHERS:
                self._count_other(entry, at_ns)
        if reported and type(item) is Chunk:
            self._count_reported(item.port, reported, at_ns)

    def _count_clock_steps(self, entries: Iterable[Entry]) -> None:
        """First of all: what else was concluded is measured by the clock as it is now."""
        for entry in entries:
            if type(entry) is ClockStepped:
                self._add("clock_steps_total")
                self._move(entry.by_ns)

    def _add(self, name: str, *labels: str, count: int = 1) -> None:
        values = self.samples.get(name)
        if values is not None:
            values[labels] = values.get(labels, 0) + count

    def _count_event(
        self, event: DomainEvent | None, verdicts: Iterable[Verdict], at_ns: int
    ) -> None:
        if type(event) is CardDrawn:
            self._cards[NO_LABELS] += 1
            self._reads[_READ if event.card is not None else _UNREAD] += 1
            self.last_card_ns = at_ns
            self._cadence.card(at_ns)
        elif type(event) is CardRepeated:
            self._reads[_REPEATED] += 1
        elif type(event) is ReportsMissing:
            lost = _LOST_AS.get(event.loss, ReadResult.MISSED)
            missed = max(event.count_min, 1) if lost is ReadResult.MISSED else 1
            self._add("reads_total", lost.value, count=missed)
        for verdict in verdicts:
            if type(verdict) is Irregularity:
                self._add("irregularities_total", verdict.code.value)
                self.waiting[verdict.number] = at_ns
                if len(self.waiting) > self.WAITING_MAX:
                    del self.waiting[next(iter(self.waiting))]

    def _count_other(self, entry: Entry, at_ns: int) -> None:
        match entry:
            case CoupClosed():
                self._count_coup(entry, at_ns)
            case CoupCorrected(outcome=outcome):
                self._add("coup_corrections_total", outcome.value)
            case ResolutionRecorded(decision=decision, closed=closed):
                since = [found for one in closed if (found := self.waiting.pop(one, None))]
                if since:
                    waited_s = seconds_of(at_ns - min(since))
                    add_time(self.samples, "decision_seconds", waited_s, decision.value)
            case ShoeOpened():
                self._cadence.open_shoe(joined=entry.joined)
            case BurnDone():
                self._cadence.end_burn(entry.removed)
            case ShoeEnded():
                self._cadence.end_shoe()

    def _count_coup(self, closed: CoupClosed, at_ns: int) -> None:
        record = closed.record
        self._add("coups_total", VOID if record.outcome is None else record.outcome.value)
        self.last_coup_ns = at_ns
        dealt_ns, between_ns = self._cadence.end_coup(len(record.cards) + len(record.aside))
        if record.suspended_cards:
            return
        if dealt_ns is not None and record.fate is CoupFate.COUNTED:
            observe(self.samples, "coup_seconds", seconds_of(dealt_ns))
        if between_ns is not None:
            observe(self.samples, "between_coups_seconds", seconds_of(between_ns))

    # --- devices ----------------------------------------------------------------------------------

    def _count_reported(self, port: str, count: int, at_ns: int) -> None:
        """Count the events in the bytes of a device."""
        device = self._device(port)
        events, labels = self.samples["device_events_total"], (device,)
        events[labels] = events.get(labels, 0) + count
        self.events[device] = at_ns

    def _count_fault(self, entry: DeviceEventRecorded, *, began: bool) -> None:
        """Count a fault or a loss; that a start finds the ports closed is none."""
        match entry.event:
            case DeviceFault(kind=fault):
                self._add("link_errors_total", self._device(entry.port), fault.value)
            case StageChanged(stage=Stage.LOST) if not began:
                self._add("device_lost_total", self._device(entry.port))

    def _device(self, port: str) -> str:
        return self._devices.get(port, port)

    def _move(self, by_ns: int) -> None:
        """The clock was set: move the times from which durations are measured."""
        self.waiting = {number: at_ns + by_ns for number, at_ns in self.waiting.items()}
        self._cadence.move(by_ns)
        if self._shuffler is not None:
            self._shuffler.move(by_ns)
