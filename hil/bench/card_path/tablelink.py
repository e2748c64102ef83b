"""P1 with CARD_OUT: from bytes to the verdict with a TableLink shoe.

A shoe is dealt once under a simulated clock; its inputs are given again and timed where a card is
concluded. Included and not included is the same as with an Angel Eye (compute); a frame is whole
when it is read.

Source: goal P1.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

from controller.core.settings import DeviceSettings, Settings
from controller.core.tape.entries import Entry, EventVerdicts
from controller.core.tape.inputs import Input
from controller.procedure.events import CardDrawn
from controller.table.loop import Loop
from firmware_bridge.attestation import Trust
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk
from hil.bench.card_path.compute import Pipes, run_time_ns
from hil.bench.measure.fixtures import PORT, ChainOnlyJournal, Plan, one_processor, preemptions
from hil.bench.measure.reference import Reference, with_crc
from hil.dealing.actions import DealerAction, Draw, DrawCutCard, NewShoe
from hil.dealing.dealer import Dealer, DealerSettings
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
