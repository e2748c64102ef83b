"""From bytes in to the verdict with a shoe that speaks TableLink: P1 with CARD_OUT.

Responsible for: a shoe dealt once at a table under a simulated clock, and its inputs given once
more, timed where a card is told; beside the reference, on the same number of bytes.
Included and not included: as with an Angel Eye (compute). The frame is whole when it is read.
Not responsible for: the 115200 baud line itself, and the device's own time.
Source: package README, "What is measured"; goal P1.
"""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

from controller.core.settings import Settings, ShoeDeviceSettings
from controller.procedure.events import CardDrawn
from controller.table.loop import Loop
from controller.tape.entries import Entry, Judged
from controller.tape.inputs import Input
from firmware_bridge.attestation import Trust
from firmware_bridge.transport.clock import now
from firmware_bridge.transport.port import Chunk
from hil.bench.card_path.compute import Pipes, timed
from hil.bench.measure.checks import Bound, Check, disturbed, judged, judged_if, too_few
from hil.bench.measure.figures import (
    NS_PER_MS,
    NS_PER_S,
    NS_PER_US,
    P99_SAMPLES_MIN,
    Unit,
    median_of_medians,
    percentile,
    pooled,
)
from hil.bench.measure.reference import Reference, with_crc
from hil.bench.measure.stage import PORT, ChainOnly, Plan, one_processor, taken_away
from hil.dealing.actions import Action, CutCard, Draw, NewShoe
from hil.dealing.dealer import Dealer, DealerSettings
from hil.emulator.tablelink.shoe import TableLinkShoe, TableLinkShoeSettings
from hil.rig.shoe_runner import batch_of_shoe
from hil.simulation.table import SimulatedTable

BETWEEN_ACTS_NS = 300 * NS_PER_MS
FRAME_BYTES_MAX = 64


@dataclass(frozen=True, slots=True)
class Dealt:
    """A shoe as it was told: every input, and whether a card was concluded from it."""

    table: SimulatedTable
    inputs: tuple[tuple[Input, bool], ...]


def dealt_at_tablelink(seed: int) -> Dealt:
    """One shoe without a mistake, dealt on a device that proves nothing of itself."""
    shoe = TableLinkShoe(TableLinkShoeSettings(bare=True))
    told = ShoeDeviceSettings(
        *(PORT, "tablelink", True, "0-9A-F", "stx_counted", 250), trust=Trust(bare=True)
    )
    table = _Listening(Settings("BENCH-1", "bench", 8, 0, (), told), "s42-mini", {PORT: shoe})
    table.later(NS_PER_S)
    for action in Dealer(DealerSettings(seed=seed)).actions():
        _act(shoe, action)
        table.later(BETWEEN_ACTS_NS)
    return Dealt(table, tuple(zip(table.inputs, table.cards, strict=True)))


class _Listening(SimulatedTable):
    """Notes, for each input, whether a card was concluded from it."""

    def take(self, item: Input) -> tuple[Entry, ...]:
        entries = super().take(item)
        self.cards = [*getattr(self, "cards", ()), any(map(_is_card, entries))]
        return entries


def _is_card(entry: Entry) -> bool:
    return isinstance(entry, Judged) and isinstance(entry.event, CardDrawn)


def _act(shoe: TableLinkShoe, action: Action) -> None:
    """What this device has a part in; it has no keys."""
    match action:
        case NewShoe():
            shoe.load(batch_of_shoe(action), action.loading.slots())
        case Draw():
            shoe.draw(action.card)
        case CutCard():
            shoe.draw_cut_card()
        case _:
            pass


class ToldAgain:
    """The program's side: inputs as they were recorded, each stamp read as well as given."""

    def __init__(self, pipes: Pipes, dealt: Dealt) -> None:
        core = dealt.table.core
        self._pipes = pipes
        self._loop = Loop(ChainOnly.as_journal(), core, core.initial(), now)

    def take(self, item: Input) -> None:
        """One input, untimed."""
        self._loop.take(item)
        self._loop.written_at_once()
        self._loop.store_if_due(force=True)

    def once(self, item: Chunk) -> None:
        """From the read of the waiting bytes to the verdict."""
        data = os.read(self._pipes.source, len(item.data))
        now()
        self._loop.take(Chunk(item.port, item.at, data))
        self._loop.written_at_once()
        stored = self._loop.store_if_due()
        os.write(self._pipes.sink, b"+" if stored is not None else b"-")


def measure_tablelink(plan: Plan) -> tuple[Check, ...]:
    """P1 with CARD_OUT."""
    dealt = dealt_at_tablelink(seed=1)
    cards = [item for item, is_card in dealt.inputs if is_card]
    frames = [item.data for item in cards if isinstance(item, Chunk)]
    assert len(frames) == len(cards), "a card comes of bytes"
    pipes = Pipes()
    ours: list[list[int]] = []
    others: list[list[int]] = []
    disturbances = 0
    try:
        with one_processor():
            for _ in range(plan.repeats):
                before = taken_away()
                ours.append(_told_again(pipes, dealt))
                disturbances += taken_away() - before
                others.append(_reference(pipes, frames))
    finally:
        pipes.close()
    return _checks(ours, others, disturbances)


def _told_again(pipes: Pipes, dealt: Dealt) -> list[int]:
    program = ToldAgain(pipes, dealt)
    times: list[int] = []
    for item, is_card in dealt.inputs:
        if is_card and isinstance(item, Chunk):
            os.write(pipes.feed, item.data)
            began_ns = time.perf_counter_ns()
            program.once(item)
            times.append(time.perf_counter_ns() - began_ns)
        else:
            program.take(item)
    return times


def _reference(pipes: Pipes, frames: Sequence[bytes]) -> list[int]:
    reference = Reference(pipes.source, pipes.sink)
    whole = [with_crc(frame[: FRAME_BYTES_MAX - 2]) for frame in frames]
    return [timed(pipes.feed, frame, reference.once) for frame in whole]


def _checks(ours: list[list[int]], others: list[list[int]], disturbances: int) -> tuple[Check, ...]:
    p50, other = median_of_medians(ours), median_of_medians(others)
    samples = pooled(ours)
    unfit = too_few(len(samples), P99_SAMPLES_MIN) or disturbed(disturbances, len(samples))
    what = "TableLink CARD_OUT to verdict, hot"
    beside = f"{p50 / NS_PER_US:.1f} us, reference {other / NS_PER_US:.1f} us"
    p99 = percentile(samples, 99) / NS_PER_US
    return (
        judged("P1", f"{what} p50", p50 / other, Unit.RATIO, Bound(3, 2), beside),
        judged("P1", f"{what} p50", p50 / NS_PER_US, Unit.US, Bound(80)),
        judged_if(unfit, "P1", f"{what} p99 of {len(samples)}", p99, Unit.US, Bound(185, 100)),
    )
