"""P1b, P2, P2b: latency at a dealing pace with cold caches, and a byte's way to its handler.

One report every 200 to 300 ms to each side in turn: compute alone (program, reference) and the
round trip over a pty (the whole running table, a raw echo). The round trip ends when the byte
written after the store is read at the other end: reader thread, queue, loop thread, core, journal
in memory (no fsync), writer thread.

Source: goals P1b, P2, P2b.
"""

import os
import select
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from typing import Self

from drivers.shoes.models import ANGEL_EYE_II_EX
from firmware_bridge.transport.port import Chunk, PortEvent, PortOpened
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.serial_port import SerialPort
from hil.bench.card_path.compute import InMemoryProgram, Pipes, run_time_ns
from hil.bench.measure.fixtures import (
    CARD,
    Plan,
    bench_core,
    deal_reports,
    folder_in_memory,
    one_processor,
)
from hil.bench.measure.reference import Reference, with_crc
from hil.bench.measure.table_on_pty import served_table
from hil.measure.checks import (
    Bound,
    CannotMeasure,
    Check,
    check_goal,
    check_goal_unless,
    report_figure,
    too_few_reason,
)
from hil.measure.figures import NS_PER_MS, NS_PER_US, PACED_SAMPLES_MIN, Unit, percentile

ANSWER_S_MAX = 5.0
# Four sides share a gap of 200 to 300 ms.
SLOT_MS = (50, 75)


class Terminal:
    """A pty in raw mode, its device end kept open."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.path = os.ttyname(self.slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.master)
        os.close(self.slave)

    def wait_for_answer(self) -> None:
        """Wait for a byte from the host. Raises CannotMeasure."""
        if not select.select([self.master], [], [], ANSWER_S_MAX)[0]:
            raise CannotMeasure(f"no answer over the pty within {ANSWER_S_MAX} s")
        os.read(self.master, 64)

    def round_trip(self, data: bytes) -> int:
        """Nanoseconds from the write to the byte that answers it."""
        began_ns = time.perf_counter_ns()
        os.write(self.master, data)
        self.wait_for_answer()
        return time.perf_counter_ns() - began_ns


@contextmanager
def echoing(terminal: Terminal) -> Iterator[None]:
    """The raw side: a thread that reads and writes back one byte; `quit` ends it."""

    def echo() -> None:
        while os.read(terminal.slave, 64) != b"quit":
            os.write(terminal.slave, b"+")

    thread = threading.Thread(target=echo, name="raw echo")
    thread.start()
    try:
        yield
    finally:
        os.write(terminal.master, b"quit")
        thread.join()


Side = Callable[[bytes], int]


def measure_paced(plan: Plan) -> tuple[Check, ...]:
    """P1b and P2."""
    frames_wanted = plan.count(PACED_SAMPLES_MIN, 12)
    with ExitStack() as stack:
        stack.enter_context(one_processor())
        program_line, raw_line = (stack.enter_context(Terminal()) for _ in range(2))
        stack.enter_context(echoing(raw_line))
        folder = stack.enter_context(folder_in_memory())
        stack.enter_context(served_table(program_line.path, folder, answers=True))
        program_line.wait_for_answer()  # the first store after the port opened
        ours, others = Pipes(), Pipes()
        stack.callback(ours.close)
        stack.callback(others.close)
        program = InMemoryProgram(ours, bench_core())
        reference = Reference(others.source, others.sink)
        sides: tuple[Side, ...] = (
            lambda data: run_time_ns(ours.feed, data, program.run_once),
            lambda data: run_time_ns(others.feed, with_crc(data), reference.run_once),
            program_line.round_trip,
            raw_line.round_trip,
        )
        compute, other, trip, raw = _in_turn(sides, frames_wanted)
    return (*_compute_checks(compute, other), *_trip_checks(trip, raw))


def _in_turn(sides: tuple[Side, ...], cards_wanted: int) -> list[list[int]]:
    """Give each report to each side, with a pause before each; the times of cards."""
    jitter = Random(3)  # noqa: S311 - reproducible, not secret
    samples: list[list[int]] = [[] for _ in sides]
    for report in deal_reports(seed=3):
        for side, times in zip(sides, samples, strict=True):
            if report.code == CARD:
                time.sleep(jitter.uniform(*SLOT_MS) / 1_000)
            ns = side(report.frame)
            if report.code == CARD:
                times.append(ns)
        if len(samples[0]) >= cards_wanted:
            break
    return samples


def _compute_checks(ours: list[int], others: list[int]) -> tuple[Check, ...]:
    few = too_few_reason(len(ours), PACED_SAMPLES_MIN)
    p50, p99 = (percentile(ours, percent) / NS_PER_US for percent in (50, 99))
    other_p50, other_p99 = (percentile(others, percent) / NS_PER_US for percent in (50, 99))
    what, beside = "card to verdict, paced", f"reference {other_p50:.0f} us"
    return (
        check_goal_unless(few, "P1b", f"{what} p50", p50, Unit.US, Bound(500, 250), beside),
        check_goal_unless(
            few,
            "P1b",
            f"{what} p99",
            p99,
            Unit.US,
            Bound(1_200, 600),
            f"reference {other_p99:.0f} us",
        ),
        report_figure("P1b", f"{what} p50 against the reference", p50 / other_p50, Unit.RATIO),
    )


def _trip_checks(ours: list[int], raw: list[int]) -> tuple[Check, ...]:
    few = too_few_reason(len(ours), PACED_SAMPLES_MIN)
    p50, raw_p50 = percentile(ours, 50), percentile(raw, 50)
    beside = f"{p50 / NS_PER_US:.0f} us, raw echo {raw_p50 / NS_PER_US:.0f} us"
    raw_max = f"raw echo {max(raw) / NS_PER_MS:.2f} ms"
    return (
        check_goal_unless(
            few, "P2", "round trip, paced p50", p50 / raw_p50, Unit.RATIO, Bound(3, 2), beside
        ),
        check_goal(
            "P2", "round trip, paced max", max(ours) / NS_PER_MS, Unit.MS, Bound(20), raw_max
        ),
        report_figure(
            "P2",
            "round trip, paced p99",
            percentile(ours, 99) / NS_PER_US,
            Unit.US,
            f"raw echo {percentile(raw, 99) / NS_PER_US:.0f} us",
        ),
    )


POLL_S = 0.1


class Arrivals:
    """Notes when bytes arrived."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self._arrived = threading.Event()
        self._at_ns = 0

    def put(self, event: PortEvent) -> None:
        if isinstance(event, Chunk):
            self.note()
        elif isinstance(event, PortOpened):
            self.opened.set()

    def note(self) -> None:
        self._at_ns = time.perf_counter_ns()
        self._arrived.set()

    def time_byte(self, terminal: Terminal) -> int:
        """Write a byte; nanoseconds until it arrived. Raises CannotMeasure."""
        self._arrived.clear()
        began_ns = time.perf_counter_ns()
        os.write(terminal.master, b".")
        if not self._arrived.wait(ANSWER_S_MAX):
            raise CannotMeasure("a byte written to the pty did not arrive")
        return self._at_ns - began_ns


def measure_arrival(plan: Plan) -> tuple[Check, ...]:
    """P2b."""
    pauses = Random(4)  # noqa: S311 - reproducible, not secret
    ours: list[int] = []
    polled: list[int] = []
    pumped, polled_arrivals = Arrivals(), Arrivals()
    stopping = threading.Event()
    with ExitStack() as stack:
        line, poll_line = (stack.enter_context(Terminal()) for _ in range(2))
        os.set_blocking(poll_line.slave, False)
        pump = PortPump(line.path, SerialPort(line.path, ANGEL_EYE_II_EX.baud), pumped.put)

        def poll() -> None:
            while not stopping.wait(POLL_S):
                try:
                    os.read(poll_line.slave, 64)
                except BlockingIOError:
                    continue
                polled_arrivals.note()

        poller = threading.Thread(target=poll, name="polling loop")
        poller.start()
        pump.start()
        stack.callback(poller.join)
        stack.callback(stopping.set)
        stack.callback(pump.join)
        stack.callback(pump.stop)
        if not pumped.opened.wait(ANSWER_S_MAX):
            raise CannotMeasure("the pty could not be opened")
        for _ in range(plan.count(100, 5)):
            time.sleep(pauses.uniform(0.02, 0.12))
            ours.append(pumped.time_byte(line))
            polled.append(polled_arrivals.time_byte(poll_line))
    p50, polled_p50 = percentile(ours, 50), percentile(polled, 50)
    beside = f"{p50 / NS_PER_US:.0f} us, polling {polled_p50 / NS_PER_MS:.1f} ms"
    bound = Bound(50, 100, at_least=True)
    what = "arrival to handler, idle: faster than polling"
    return (check_goal("P2b", what, polled_p50 / p50, Unit.RATIO, bound, beside),)
