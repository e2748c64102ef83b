"""P1 hot: from bytes to the verdict without the disk, also with a TableLink shoe. P16: the machine.

Included: the blocking read of one whole report from a pipe, stamping, driver, intake, procedure,
encoding the input's and the entries' records, the chain, the write of one byte. Not included: the
two repeats of the report, threads and queues (P2), the store (P3), the 4800 baud line itself.

Source: goals P1, P16.
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from controller.core.core import Core
from controller.core.settings import DeviceSettings, Settings
from controller.core.tape.entries import Entry, EventVerdicts
from controller.core.tape.inputs import Input
from controller.core.tape.records import entry_record, input_record
from controller.procedure.events import CardDrawn
from controller.procedure.phases import Phase, Trigger
from controller.procedure.state import TableState
from controller.procedure.step_result import MACHINE, Step
from controller.table.loop import Loop
from firmware_bridge.attestation import Trust
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk
from hil.bench.measure.fixtures import (
    CARD,
    PORT,
    ChainOnlyJournal,
    Plan,
    bench_core,
    deal_reports,
    feed_chunk,
    one_processor,
    preemptions,
    running_loop,
)
from hil.bench.measure.reference import Reference, with_crc
from hil.dealing.actions import DealerAction, Draw, DrawCutCard, NewShoe
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.lines.reports import Report
from hil.emulator.tablelink.shoe import TableLinkShoe, TableLinkShoeSettings
from hil.measure.checks import (
    Bound,
    Check,
    check_goal,
    check_goal_unless,
    disturbed_reason,
    report_figure,
    too_few_reason,
)
from hil.measure.figures import (
    NS_PER_MS,
    NS_PER_S,
    NS_PER_US,
    P99_SAMPLES_MIN,
    Unit,
    median_of_medians,
    percentile,
    pool_samples,
)
from hil.rig.shoe_runner import batch_of_shoe
from hil.simulation.table import SimulatedTable

READ_BYTES = 4096


class Pipes:
    """A pipe that is filled before the clock starts, and a sink for the answers."""

    def __init__(self) -> None:
        self.source, self.feed = os.pipe()
        self.sink = os.open(os.devnull, os.O_WRONLY)

    def close(self) -> None:
        for descriptor in (self.source, self.feed, self.sink):
            os.close(descriptor)


class InMemoryProgram:
    """The program's side: everything from the read to the verdict, without the disk."""

    def __init__(self, pipes: Pipes, core: Core) -> None:
        self._pipes = pipes
        self._loop = running_loop(core=core)

    def run_once(self) -> None:
        """Process one read of the pipe, up to the verdict."""
        data = os.read(self._pipes.source, READ_BYTES)
        stored = feed_chunk(self._loop, data)
        os.write(self._pipes.sink, b"+" if stored else b"-")


def run_time_ns(feed: int, data: bytes, run_once: Callable[[], None]) -> int:
    """Nanoseconds from before the read to after the write; the bytes are in the pipe already."""
    os.write(feed, data)
    began_ns = time.perf_counter_ns()
    run_once()
    return time.perf_counter_ns() - began_ns


def measure_hot(plan: Plan) -> tuple[Check, ...]:
    """P1 and P16."""
    reports = deal_reports(seed=1)
    core = bench_core()
    pipes = Pipes()
    ours: list[list[int]] = []
    others: list[list[int]] = []
    results: list[int] = []
    parts: list[CardTimes] = []
    trigger_ns: list[float] = []
    disturbances = 0
    try:
        with one_processor():
            for _ in range(plan.repeats):
                program, block = InMemoryProgram(pipes, core), []
                before = preemptions()
                for report in reports:
                    ns = run_time_ns(pipes.feed, report.frame, program.run_once)
                    if report.code == CARD:
                        block.append(ns)
                    elif report.code == "G":
                        results.append(ns)
                ours.append(block)
                disturbances += preemptions() - before
                reference = Reference(pipes.source, pipes.sink)
                cards = [with_crc(report.frame) for report in reports if report.code == CARD]
                others.append([run_time_ns(pipes.feed, card, reference.run_once) for card in cards])
                parts.append(_card_times(core, reports))
                trigger_ns.append(_trigger_ns(core))
            triggers = _triggers(core, reports)
    finally:
        pipes.close()
    return (
        *_latency(ours, others, disturbances),
        *_shares(parts),
        report_figure("P1", "a result's report, hot p50", median(results) / NS_PER_US, Unit.US),
        *_machine_share(triggers, median(trigger_ns), median_of_medians(ours)),
    )


def _latency(
    ours: list[list[int]], others: list[list[int]], disturbances: int
) -> tuple[Check, ...]:
    p50, other_p50 = median_of_medians(ours), median_of_medians(others)
    samples = pool_samples(ours)
    beside = f"{p50 / NS_PER_US:.1f} us, reference {other_p50 / NS_PER_US:.1f} us"
    p99 = percentile(samples, 99) / NS_PER_US
    other_p99 = percentile(pool_samples(others), 99) / NS_PER_US
    unfit = too_few_reason(len(samples), P99_SAMPLES_MIN) or disturbed_reason(
        disturbances, len(samples)
    )
    return (
        check_goal(
            "P1", "card to verdict, hot p50", p50 / NS_PER_US, Unit.US, Bound(120, 80), beside
        ),
        # The reference knows no rules: a ratio to it says what judging costs, and is no goal.
        report_figure(
            "P1", "card to verdict, hot p50 against the reference", p50 / other_p50, Unit.RATIO
        ),
        check_goal_unless(
            unfit,
            "P1",
            f"card to verdict, hot p99 of {len(samples)}",
            p99,
            Unit.US,
            Bound(185, 100),
            f"reference {other_p99:.1f} us",
        ),
    )


@dataclass(frozen=True, slots=True)
class CardTimes:
    """The parts of a card's time, each timed alone: median nanoseconds of one repeat."""

    driver: float
    handle: float
    encoding: float


def _card_times(core: Core, reports: tuple[Report, ...]) -> CardTimes:
    state = running_loop(core=core).state
    driving: list[int] = []
    handling: list[int] = []
    encoding: list[int] = []
    for report in reports:
        item = Chunk(PORT, now(), report.frame)
        t0 = time.perf_counter_ns()
        core.devices.shoe.driver.receive(state.shoe_driver, item)
        t1 = time.perf_counter_ns()
        state, output = core.handle(state, item)
        t2 = time.perf_counter_ns()
        input_record(item)
        for entry in output.entries:
            entry_record(entry)
        t3 = time.perf_counter_ns()
        if report.code == CARD:
            driving.append(t1 - t0)
            handling.append(t2 - t1)
            encoding.append(t3 - t2)
    return CardTimes(median(driving), median(handling), median(encoding))


def _shares(parts: list[CardTimes]) -> tuple[Check, ...]:
    driver = median(part.driver for part in parts)
    handle = median(part.handle for part in parts)
    encoding = median(part.encoding for part in parts)
    named = (
        ("link and driver", driver),
        ("intake and procedure", handle - driver),
        ("encoding of records", encoding),
    )
    return tuple(
        report_figure("P1", f"  of it {name}", ns / NS_PER_US, Unit.US) for name, ns in named
    )


def _triggers(core: Core, reports: tuple[Report, ...]) -> list[int]:
    """The number of triggers of each card."""
    fired: list[object] = []
    loop = running_loop(core=core)
    triggers: list[int] = []
    MACHINE.prepare_event = [fired.append]
    try:
        for report in reports:
            fired.clear()
            feed_chunk(loop, report.frame)
            if report.code == CARD:
                triggers.append(len(fired))
    finally:
        MACHINE.prepare_event = []
    return triggers


def _trigger_ns(core: Core) -> float:
    """The time of one trigger: median nanoseconds of one repeat."""
    step, costs = Step(TableState(phase=Phase.PLAYER_1)), []
    for _ in range(500):
        began_ns = time.perf_counter_ns()
        step.advance(core.book, Trigger.CARD)
        costs.append(time.perf_counter_ns() - began_ns)
    return median(costs)


def _machine_share(triggers: list[int], trigger_ns: float, card_ns: float) -> tuple[Check, ...]:
    mean = sum(triggers) / len(triggers)
    share = 100 * mean * trigger_ns / card_ns
    beside = f"{mean:.2f} a card on average, {trigger_ns / NS_PER_US:.2f} us each"
    return (
        check_goal("P16", "most triggers of one card", max(triggers), Unit.COUNT, Bound(2), beside),
        check_goal("P16", "state machine's share of a card", share, Unit.PERCENT, Bound(40)),
    )


BETWEEN_ACTS_NS = 300 * NS_PER_MS
FRAME_BYTES_MAX = 64


@dataclass(frozen=True, slots=True)
class RecordedShoe:
    """A dealt shoe: every input, and whether a card was concluded from it."""

    table: SimulatedTable
    inputs: tuple[tuple[Input, bool], ...]


def record_shoe(seed: int) -> RecordedShoe:
    """Deal one shoe without a mistake on a device without an identity."""
    shoe = TableLinkShoe(TableLinkShoeSettings(bare=True))
    device = DeviceSettings(PORT, "tablelink", allow_commands=True, trust=Trust(bare=True))
    table = _RecordingTable(
        Settings("BENCH-1", "bench", 8, 0, (), device), "s42-mini", {PORT: shoe}
    )
    table.advance(NS_PER_S)
    for action in Dealer(DealerSettings(seed=seed)).actions():
        perform_tablelink(shoe, action)
        table.advance(BETWEEN_ACTS_NS)
    return RecordedShoe(table, tuple(zip(table.inputs, table.cards, strict=True)))


class _RecordingTable(SimulatedTable):
    """Notes, for each input, whether a card was concluded from it."""

    def take(self, item: Input) -> tuple[Entry, ...]:
        entries = super().take(item)
        self.cards = [*getattr(self, "cards", ()), any(map(_is_card, entries))]
        return entries


def _is_card(entry: Entry) -> bool:
    return isinstance(entry, EventVerdicts) and isinstance(entry.event, CardDrawn)


def perform_tablelink(shoe: TableLinkShoe, action: DealerAction) -> None:
    """Do to the device what concerns it; it has no keys."""
    match action:
        case NewShoe():
            shoe.load(batch_of_shoe(action), action.loading.slots())
        case Draw():
            shoe.draw(action.card)
        case DrawCutCard():
            shoe.draw_cut_card()
        case _:
            pass


class ReplayingProgram:
    """The program's side: takes recorded inputs; the clock is read as for a live input."""

    def __init__(self, pipes: Pipes, dealt: RecordedShoe) -> None:
        core = dealt.table.core
        self._pipes = pipes
        self._loop = Loop(ChainOnlyJournal.as_journal(), core, core.initial(), now)

    def take(self, item: Input) -> None:
        """One input, untimed."""
        self._loop.take(item)
        self._loop.take_immediate_writes()
        self._loop.store_if_due(force=True)

    def run_once(self, item: Chunk) -> None:
        """Process the bytes in the pipe, from the read to the verdict."""
        data = os.read(self._pipes.source, len(item.data))
        now()
        self._loop.take(Chunk(item.port, item.at, data))
        self._loop.take_immediate_writes()
        stored = self._loop.store_if_due()
        os.write(self._pipes.sink, b"+" if stored is not None else b"-")


def measure_tablelink(plan: Plan) -> tuple[Check, ...]:
    """P1 with CARD_OUT."""
    dealt = record_shoe(seed=1)
    cards = [item for item, is_card in dealt.inputs if is_card]
    frames = [item.data for item in cards if isinstance(item, Chunk)]
    assert len(frames) == len(cards), "every card is concluded from bytes"
    pipes = Pipes()
    ours: list[list[int]] = []
    others: list[list[int]] = []
    disturbances = 0
    try:
        with one_processor():
            for _ in range(plan.repeats):
                before = preemptions()
                ours.append(_replay_times(pipes, dealt))
                disturbances += preemptions() - before
                others.append(_reference(pipes, frames))
    finally:
        pipes.close()
    return _checks(ours, others, disturbances)


def _replay_times(pipes: Pipes, dealt: RecordedShoe) -> list[int]:
    program = ReplayingProgram(pipes, dealt)
    times: list[int] = []
    for item, is_card in dealt.inputs:
        if is_card and isinstance(item, Chunk):
            os.write(pipes.feed, item.data)
            began_ns = time.perf_counter_ns()
            program.run_once(item)
            times.append(time.perf_counter_ns() - began_ns)
        else:
            program.take(item)
    return times


def _reference(pipes: Pipes, frames: Sequence[bytes]) -> list[int]:
    reference = Reference(pipes.source, pipes.sink)
    whole = [with_crc(frame[: FRAME_BYTES_MAX - 2]) for frame in frames]
    return [run_time_ns(pipes.feed, frame, reference.run_once) for frame in whole]


def _checks(ours: list[list[int]], others: list[list[int]], disturbances: int) -> tuple[Check, ...]:
    p50, other = median_of_medians(ours), median_of_medians(others)
    samples = pool_samples(ours)
    unfit = too_few_reason(len(samples), P99_SAMPLES_MIN) or disturbed_reason(
        disturbances, len(samples)
    )
    what = "TableLink CARD_OUT to verdict, hot"
    beside = f"{p50 / NS_PER_US:.1f} us, reference {other / NS_PER_US:.1f} us"
    p99 = percentile(samples, 99) / NS_PER_US
    return (
        check_goal("P1", f"{what} p50", p50 / NS_PER_US, Unit.US, Bound(180), beside),
        report_figure("P1", f"{what} p50 against the reference", p50 / other, Unit.RATIO),
        check_goal_unless(
            unfit, "P1", f"{what} p99 of {len(samples)}", p99, Unit.US, Bound(185, 100)
        ),
    )
