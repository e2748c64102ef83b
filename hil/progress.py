"""How long a wait goes on: as long as what it watches moves, not for some seconds.

A wait for play watches play alone: reports, conclusions and stages of devices, in real time. Any
other wait watches this process and its descendants. Seconds in which they used a processor, wanted
one and did not get it, or waited for a disk do not count: a busy machine makes it longer, not red.

Source: proc_pid_stat(5); Linux, Documentation/scheduler/sched-stats.rst.
"""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

# No wait is longer, whatever moves: what spins does not stand still either.
BOUND_S: Final = 600.0
STILL_S: Final = 30.0
# Play stands still after so long without a new report, a conclusion or another stage of a device.
PLAY_STILL_S = 60.0
SAMPLE_S: Final = 0.5
POLL_S: Final = 0.02
# Who used so much of the time that it did not queue works; the count of still seconds begins again.
MOVED_SHARE: Final = 0.5
NOT_SO: Final = "it is not so"
_NS_PER_S: Final = 1_000_000_000
_TICK_NS: Final = _NS_PER_S // os.sysconf("SC_CLK_TCK")
# Of /proc/PID/stat, counted from the field after the name.
_STATE, _PARENT, _GROUP, _TIMES = 0, 1, 2, slice(11, 15)
# In place of the state: the thread that takes the samples.
_LOOKS: Final = "looks"
_COMMAND_LENGTH: Final = 120


class StoodStill(Exception):
    """What a wait was for did not come, and nothing moved any more; the message says what stood."""


@dataclass(frozen=True, slots=True)
class _Thread:
    """What a thread has used, how long it has queued for a processor, and how often it got one."""

    cpu_ns: int = 0
    queued_ns: int = 0
    slices: int = 0
    state: str = ""

    def moved_ns(self, before: "_Thread", elapsed_ns: int) -> int:
        """How long it worked or queued. All of the time, where it used what it could get."""
        cpu_ns, queued_ns = self.cpu_ns - before.cpu_ns, self.queued_ns - before.queued_ns
        if self.state == _LOOKS:
            return 0
        # Who still queues is not charged for it yet.
        queues = self.state == before.state == "R" and self.slices == before.slices
        # One that polls queues as well, but does little with what it gets.
        works = cpu_ns >= MOVED_SHARE * (elapsed_ns - queued_ns)
        if self.state == "D" or queues or works:
            return elapsed_ns
        return cpu_ns + queued_ns


@dataclass(frozen=True, slots=True)
class _Process:
    """`cpu_ns` counts its ended threads and children, too."""

    cpu_ns: int
    threads: Mapping[int, _Thread]
    group: int

    def moved_ns(self, before: "_Process | None", elapsed_ns: int) -> int:
        if before is None or self.cpu_ns - before.cpu_ns >= MOVED_SHARE * elapsed_ns:
            return elapsed_ns
        new = _Thread()
        return max(
            one.moved_ns(before.threads.get(thread, new), elapsed_ns)
            for thread, one in (self.threads or {0: new}).items()
        )


@dataclass(slots=True)
class Patience:
    """One wait. It is over when all stood still for `still_s`, or after `bound_s` in any case.

    `progress`, where given, is what the wait sees of its matter (bytes, records, lines): with each
    new value the count of still seconds begins again. What processes of the groups `not_of` do is
    no progress of this wait; with `by_work` False what any process does is none.
    """

    still_s: float = STILL_S
    progress: Callable[[], object] | None = None
    bound_s: float = BOUND_S
    not_of: Callable[[], Set[int]] = frozenset
    by_work: bool = True
    _began_s: float = field(default_factory=time.monotonic)
    _sampled_s: float = 0.0
    _stood_s: float = 0.0
    _processes: Mapping[int, _Process] = field(default_factory=dict)
    _seen: object = None
    _moved_s: dict[int, float] = field(default_factory=dict)

    @classmethod
    def with_play(cls, progress: Callable[[], object]) -> "Patience":
        """A wait for play: `progress` counts reports, conclusions and stages, and they alone.

        A heartbeat, a poll, a keep-alive and a further copy of a report are none of them.
        """
        return cls(PLAY_STILL_S, progress, by_work=False)

    @property
    def is_over(self) -> bool:
        """Looks at the processes at most twice a second, and not in the first half second."""
        now_s = time.monotonic()
        if now_s - (self._sampled_s or self._began_s) >= min(SAMPLE_S, self.still_s):
            self._sample(now_s)
        return self._stood_s >= self.still_s or self.is_out_of_bounds

    @property
    def is_out_of_bounds(self) -> bool:
        """Whether it has lasted as long as any wait may, whatever moved."""
        return time.monotonic() - self._began_s >= self.bound_s

    def account(self) -> str:
        """How long nothing moved, and each process with what it does and when it last moved."""
        now_s = time.monotonic()
        waited_s = now_s - self._began_s
        if not self.by_work:
            return (
                f"no report, conclusion or stage for {self._stood_s:.0f} s, of {waited_s:.0f} s"
                f" that it waited; it stands at: {self._seen}"
            )
        lines = [f"nothing moved for {self._stood_s:.0f} s, of {waited_s:.0f} s that it waited"]
        if self.progress is not None:
            lines.append(f"it stands at {self._seen!r}")
        for pid in sorted(self._processes, key=lambda one: -self._moved_s.get(one, 0.0)):
            moved_s = self._moved_s.get(pid)
            when = "did not move" if moved_s is None else f"moved last {now_s - moved_s:.0f} s ago"
            cpu_s = self._processes[pid].cpu_ns / _NS_PER_S
            lines.append(f"process {pid}, {when}, {cpu_s:.1f} s of processor: {_command(pid)}")
        return "\n  ".join(lines)

    def check(self, what: str) -> None:
        """Raises StoodStill when it is over; `what` did not come."""
        if self.is_over:
            raise StoodStill(f"{what}: {self.account()}")

    def _sample(self, now_s: float) -> None:
        processes = self._awaited() if self.by_work else {}
        seen = self.progress and self.progress()
        if self._sampled_s:
            # What this thread took to look was nobody's to move in: it holds the interpreter.
            looked_s = self._looked_s(processes) if self.by_work else 0.0
            elapsed_s = now_s - self._sampled_s - looked_s
            moved_s = self._moved(processes, elapsed_s, now_s)
            if moved_s >= elapsed_s or seen != self._seen:
                self._stood_s = 0.0
            else:
                self._stood_s += elapsed_s - moved_s
        self._processes, self._seen, self._sampled_s = processes, seen, now_s

    def _awaited(self) -> Mapping[int, _Process]:
        below, others = _processes_below(os.getpid()), self.not_of()
        return {pid: one for pid, one in below.items() if one.group not in others}

    def _looked_s(self, processes: Mapping[int, _Process]) -> float:
        pid, thread = os.getpid(), threading.get_native_id()
        now, before = (
            one[pid].threads.get(thread, _Thread()) if pid in one else _Thread()
            for one in (processes, self._processes)
        )
        return (now.cpu_ns + now.queued_ns - before.cpu_ns - before.queued_ns) / _NS_PER_S

    def _moved(self, processes: Mapping[int, _Process], elapsed_s: float, now_s: float) -> float:
        """The seconds since the sample before in which one of them moved."""
        elapsed_ns = int(elapsed_s * _NS_PER_S)
        most_ns = 0
        for pid, process in processes.items():
            moved_ns = process.moved_ns(self._processes.get(pid), elapsed_ns)
            if moved_ns >= elapsed_ns:
                self._moved_s[pid] = now_s
            most_ns = max(most_ns, moved_ns)
        return most_ns / _NS_PER_S


def wait_while_moving(
    wait: Callable[[float], object],
    still_s: float = STILL_S,
    progress: Callable[[], object] | None = None,
    not_of: Callable[[], Set[int]] = frozenset,
) -> bool:
    """Call `wait` with some seconds, as an Event's, until it is true; False if all stood still."""
    patience = Patience(still_s, progress, not_of=not_of)
    while not wait(min(SAMPLE_S, still_s)):
        if patience.is_over:
            return False
    return True


def process_ends(process: "subprocess.Popen[Any]", still_s: float = STILL_S) -> bool:
    """Wait for the end of a process; False if all stood still."""

    def wait(wait_s: float) -> bool:
        with suppress(subprocess.TimeoutExpired):
            process.wait(wait_s)
        return process.returncode is not None

    return wait_while_moving(wait, still_s)


def thread_ends(thread: threading.Thread) -> bool:
    """Wait for the end of a thread; False if all stood still."""

    def wait(wait_s: float) -> bool:
        thread.join(wait_s)
        return not thread.is_alive()

    return wait_while_moving(wait)


def poll_until(
    ready: Callable[[], object],
    what: str = NOT_SO,
    still_s: float = STILL_S,
    progress: Callable[[], object] | None = None,
) -> None:
    """Poll until `ready` is true. Raises StoodStill, which begins with `what`."""
    patience = Patience(still_s, progress)
    while not ready():
        patience.check(what)
        time.sleep(POLL_S)


def _processes_below(root: int) -> dict[int, _Process]:
    """`root` and each process that it has started, at whatever depth."""
    stats = dict(_stats())
    found, children = {}, dict[int, list[int]]()
    for pid, fields in stats.items():
        children.setdefault(int(fields[_PARENT]), []).append(pid)
    left = [root]
    while left:
        pid = left.pop()
        left.extend(children.get(pid, ()))
        if pid in stats:
            cpu_ns = sum(map(int, stats[pid][_TIMES])) * _TICK_NS
            found[pid] = _Process(cpu_ns, _threads(pid), int(stats[pid][_GROUP]))
    return found


def _stats() -> Iterator[tuple[int, list[str]]]:
    for name in os.listdir("/proc"):  # noqa: PTH208 - some hundred times a minute
        if name.isdecimal():
            with suppress(OSError):  # it has ended meanwhile
                yield int(name), _stat_fields(f"/proc/{name}/stat")


def _stat_fields(path: str) -> list[str]:
    return Path(path).read_text("utf-8", "replace").rpartition(")")[2].split()


def _threads(pid: int) -> dict[int, _Thread]:
    found, own = {}, threading.get_native_id()
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            task, thread = f"/proc/{pid}/task/{name}", int(name)
            with suppress(OSError):  # the thread has ended, or this kernel does not count
                state = _stat_fields(f"{task}/stat")[_STATE] if thread != own else _LOOKS
                cpu_ns, queued_ns, slices = map(
                    int, Path(f"{task}/schedstat").read_text("ascii").split()
                )
                found[thread] = _Thread(cpu_ns, queued_ns, slices, state)
    return found


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return "it has ended"
    return words.decode("utf-8", "replace")[:_COMMAND_LENGTH].strip() or "no command line"
