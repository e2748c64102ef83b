"""P22: the statistics inside the shoe, a card.

Fair shoes of two batches, one after another, with earlier shoes to compare with; each happening of
a coup is taken, and what a coup costs is put to its cards.

Source: goal P22.
"""

import time
from collections.abc import Iterator
from random import Random
from statistics import median

from controller.monitors.items import CardSeen, CoupBegins, CoupEnds, MonitorItem, ShoeOpens
from controller.monitors.state import MonitorState, decode_state, encode_state
from controller.monitors.take import take
from controller.rules.cards import Card, Rank, Suit
from hil.bench.card_path.compute import Pipes, run_time_ns
from hil.bench.measure.fixtures import Plan, one_processor
from hil.bench.measure.reference import Reference, with_crc
from hil.measure.checks import Bound, Check, check_goal, report_figure
from hil.measure.figures import NS_PER_US, Unit

DECKS = 8
EARLIER_SHOES = 5
_SHOE = tuple(CardSeen(Card(rank, suit)) for rank in Rank for suit in Suit) * DECKS
_FRAME = with_crc(b"D" * 20)


def measure_monitors(plan: Plan) -> tuple[Check, ...]:
    """P22."""
    chance = Random(22)  # noqa: S311 - reproducible, not secret
    state = MonitorState()
    for number in range(1, EARLIER_SHOES + 1):
        state, _ = _take_shoe(state, number, chance)
    ours: list[float] = []
    opening: list[float] = []
    reference: list[float] = []
    with one_processor():
        for number in range(plan.count(60, 4)):
            state, times = _take_shoe(state, EARLIER_SHOES + 1 + number, chance)
            opening.append(times[0])
            ours.append(sum(times[1:]) / len(_SHOE))
            reference.append(_reference_ns())
    card_ns, reference_ns = median(ours), median(reference)
    stored = _encoding_ns(state)
    beside = f"{card_ns / reference_ns:.2f} of the reference's {reference_ns / NS_PER_US:.1f} us"
    return (
        check_goal("P22", "monitors, a card", card_ns / NS_PER_US, Unit.US, Bound(15, 5), beside),
        report_figure("P22", "  a shoe's end", median(opening) / NS_PER_US, Unit.US),
        report_figure("P22", "  their state, encoded", stored / NS_PER_US, Unit.US),
        report_figure("P22", "  its size", len(encode_state(state)), Unit.BYTES),
    )


def _happenings(number: int, chance: Random) -> Iterator[MonitorItem]:
    """A shoe from its opening, which ends the one before."""
    yield ShoeOpens(number, DECKS, "red" if number % 2 else "blue")
    cards = chance.sample(_SHOE, len(_SHOE))
    while cards:
        count = chance.choices((4, 5, 6), (38, 30, 32))[0]
        yield CoupBegins(len(cards))
        yield from cards[:count]
        yield CoupEnds(("dealer-1",))
        del cards[:count]


def _take_shoe(state: MonitorState, number: int, chance: Random) -> tuple[MonitorState, list[int]]:
    """The state after a shoe, and the nanoseconds of each happening, the opening first."""
    times: list[int] = []
    for item in tuple(_happenings(number, chance)):
        began_ns = time.perf_counter_ns()
        state, _ = take(state, item)
        times.append(time.perf_counter_ns() - began_ns)
    return state, times


def _reference_ns() -> float:
    pipes = Pipes()
    try:
        reference = Reference(pipes.source, pipes.sink)
        return median(run_time_ns(pipes.feed, _FRAME, reference.run_once) for _ in range(50))
    finally:
        pipes.close()


def _encoding_ns(state: MonitorState) -> float:
    assert decode_state(encode_state(state)) == state
    times: list[int] = []
    for _ in range(100):
        began_ns = time.perf_counter_ns()
        encode_state(state)
        times.append(time.perf_counter_ns() - began_ns)
    return median(times)
