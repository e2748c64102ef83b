"""A process of several tables, each with an emulated shoe and its dealer; some tables are watched.

A verdict is seen when a subscriber of the table's control socket has read the snapshot that counts
the card: that is later than stored and judged, and what people at the table get.
"""

import bisect
import contextlib
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from controller.outlets.control.client import ControlClient, ControlError
from controller.record.snapshot import Health
from hil.measure.checks import CannotMeasure
from hil.measure.figures import NS_PER_MS, NS_PER_S
from hil.measure.program import MeasuredProgram
from hil.progress import Patience
from hil.rig.program import Program
from hil.rig.shoe_runner import Pace
from hil.rig.tables.table_folder import TableFolder
from hil.rig.tables.table_shoe import CardNumber, TableShoe

# A card a second; keys between them, as people press them.
_KEY_NS = 100 * NS_PER_MS
PACE = Pace(NS_PER_S, NS_PER_S, _KEY_NS, _KEY_NS, _KEY_NS, _KEY_NS)
WARM_S = 3.0
# So long a verdict may be late before it counts as never seen.
LATE_S = 5.0
POLL_S = 0.05
EFFECT_S_MAX = 30.0


class VerdictWatch:
    """Subscribes to one table and notes when each card was first counted."""

    def __init__(self, client: ControlClient) -> None:
        self.healths: set[Health] = set()
        self._client = client
        self._seen: list[CardNumber] = []
        self._seen_ns: list[int] = []
        self._thread = threading.Thread(target=self._watch, name="verdict watch", daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait until the table has ended."""
        self._thread.join()

    def seen_ns(self, card: CardNumber) -> int | None:
        """When that card was first counted, None if never."""
        at = bisect.bisect_left(self._seen, card)
        return self._seen_ns[at] if at < len(self._seen) else None

    def _watch(self) -> None:
        shoe, last = 0, 0
        with contextlib.suppress(ControlError):
            for snapshot in self._client.subscribe():
                seen_ns = time.perf_counter_ns()
                self.healths.add(snapshot.health)
                if snapshot.shoe is None:
                    continue
                drawn = snapshot.shoe.cards_drawn
                if not shoe or drawn < last:
                    shoe += 1
                last = drawn
                if not self._seen or self._seen[-1] < (shoe, drawn):
                    self._seen.append((shoe, drawn))
                    self._seen_ns.append(seen_ns)


@dataclass(frozen=True, slots=True)
class Window:
    """A span of a run, by `time.perf_counter_ns`, and the processor time of the program in it."""

    from_ns: int
    until_ns: int
    cpu_percent: float


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Nanoseconds from each card's report to its verdict, and how many were never seen."""

    delays: tuple[int, ...] = ()
    unseen: int = 0

    def __add__(self, other: "Verdicts") -> "Verdicts":
        return Verdicts(self.delays + other.delays, self.unseen + other.unseen)


class DealtTables:
    """Use as a context manager: all shoes deal when it begins, and the program ends with it.

    `others` are the ports of tables at which nobody deals, by name; `limits` further keys of a
    table's section `journal`. The tables `later` have a shoe, and no file yet.
    """

    def __init__(
        self,
        root: Path,
        names: Sequence[str],
        watched: Sequence[str],
        others: Mapping[str, str] | None = None,
        limits: Mapping[str, str] | None = None,
        later: Sequence[str] = (),
    ) -> None:
        self.folder = TableFolder(root)
        self.shoes = {name: TableShoe(seed, PACE) for seed, name in enumerate(names, 1)}
        self.watches: dict[str, VerdictWatch] = {}
        self._watched = tuple(watched)
        self._others = dict(others or {})
        self._limits = dict(limits or {})
        self._later = tuple(later)
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            for name, shoe in self.shoes.items():
                stack.enter_context(shoe)
                if name not in self._later:
                    self.folder.add(name, shoe.url, limits=self._limits.get(name, ""))
            for name, url in self._others.items():
                self.folder.add(name, url)
            self.program = Program(self.folder.configs, self.folder.log)
            self.measured = stack.enter_context(MeasuredProgram(self.program))
            for name in self._watched:
                self.watches[name] = VerdictWatch(self.folder.client_of(name))
            for name, shoe in self.shoes.items():
                if name not in self._later:
                    shoe.begin()
                time.sleep(1 / len(self.shoes))
            time.sleep(WARM_S)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)
        for watch in self.watches.values():
            watch.join()

    def measure(self, seconds: float) -> Window:
        """Let so much time pass."""
        return self.end_window(self.begin_window(), seconds)

    def begin_window(self) -> tuple[int, int]:
        """Now, and the processor time until now, for `end_window`."""
        return time.perf_counter_ns(), self.measured.cpu_ns()

    def end_window(self, begun: tuple[int, int], seconds: float) -> Window:
        """The window that began then, once it has lasted so long."""
        from_ns, cpu_ns = begun
        time.sleep(max(0.0, seconds - (time.perf_counter_ns() - from_ns) / NS_PER_S))
        until_ns = time.perf_counter_ns()
        used = self.measured.cpu_ns() - cpu_ns
        return Window(from_ns, until_ns, 100 * used / (until_ns - from_ns))

    def verdicts(self, *windows: Window) -> Verdicts:
        """Those of the cards of watched tables that were sent within these windows.

        Waits until each of them had the time to be seen.
        """
        wait_ns = max(window.until_ns for window in windows) - time.perf_counter_ns()
        time.sleep(max(0.0, LATE_S + wait_ns / NS_PER_S))
        total = Verdicts()
        for name, watch in self.watches.items():
            sent = self.shoes[name].sent_ns.copy()
            within = {
                card: at
                for card, at in sent.items()
                if any(window.from_ns <= at < window.until_ns for window in windows)
            }
            seen = [(at, watch.seen_ns(card)) for card, at in within.items()]
            delays = tuple(after - at for at, after in seen if after is not None)
            total += Verdicts(delays, len(seen) - len(delays))
        return total

    def read_folder_again(self) -> None:
        self.program.read_folder_again()

    def await_health(self, name: str, *healths: Health) -> None:
        """Wait until the table answers with one of these; none: until it does not answer.

        Raises CannotMeasure.
        """
        patience = Patience()
        found: Health | None = None
        while not patience.is_over:
            try:
                found = self.folder.client_of(name).status().health
            except ControlError:
                found = None
            if found in healths or (found is None and not healths):
                return
            time.sleep(POLL_S)
        wanted = ", ".join(healths) or "no answer"
        raise CannotMeasure(self.program.with_log_tail(f"{name} is {found}, not {wanted}"))

    def finish(self) -> None:
        """End the dealing at all tables with the coup that is being dealt there."""
        for shoe in self.shoes.values():
            shoe.leave_after_coup()
        for shoe in self.shoes.values():
            shoe.finish()
