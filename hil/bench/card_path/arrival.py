"""P2b: from a byte's arrival to its handler, against a loop that polls every 100 ms.

Source: goal P2b.
"""

import os
import threading
import time
from contextlib import ExitStack
from random import Random

from drivers.shoes.models import ANGEL_EYE_II_EX
from firmware_bridge.transport.port import Chunk, PortEvent, PortOpened
from firmware_bridge.transport.pump import PortPump
from firmware_bridge.transport.serial_port import SerialPort
from hil.bench.card_path.paced import ANSWER_S_MAX, Terminal
from hil.bench.measure.fixtures import Plan
from hil.measure.checks import Bound, CannotMeasure, Check, check_goal
from hil.measure.figures import NS_PER_MS, NS_PER_US, Unit, percentile

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
