"""How long a wait goes on: as long as the processes that it watches move, not for some seconds.

Watched are this process and its descendants. Seconds in which they used a processor, wanted one and
did not get it, or waited for a disk do not count: a busy machine makes a wait longer, not red.

Source: proc_pid_stat(5); Linux, Documentation/scheduler/sched-stats.rst.
"""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

# No wait is longer, whatever moves: what spins does not stand still either.
BOUND_S: Final = 1200.0
STILL_S: Final = 30.0
SAMPLE_S: Final = 0.5
POLL_S: Final = 0.02
# Where so much of a sample was movement, the count of still seconds begins again.
MOVED_SHARE: Final = 0.5
NOT_SO: Final = "it is not so"
_NS_PER_S: Final = 1_000_000_000
_TICK_NS: Final = _NS_PER_S // os.sysconf("SC_CLK_TCK")
# Of /proc/PID/stat, counted from the field after the name.
_STATE, _PARENT, _TIMES = 0, 1, slice(11, 15)
_WANTS_A_PROCESSOR_OR_DISK: Final = frozenset("RD")
_COMMAND_LENGTH: Final = 120


class StoodStill(Exception):
    """What a wait was for did not come, and nothing moved any more; the message says what stood."""


@dataclass(frozen=True, slots=True)
class _Use:
    """What a process and its ended children have used, and how long its threads have queued."""

    cpu_ns: int
    queued_ns: int
    is_busy: bool

    def moved_since_ns(self, before: "_Use | None") -> int:
        earlier = before or _Use(0, 0, is_busy=False)
        # A thread that has ended takes its queueing with it.
        return max(0, self.cpu_ns - earlier.cpu_ns) + max(0, self.queued_ns - earlier.queued_ns)


@dataclass(slots=True)
class Patience:
    """One wait. It is over when all stood still for `still_s`, or after `bound_s` in any case.

    `progress`, where given, is what the wait sees of its matter (bytes, records, lines): with each
    new value the count of still seconds begins again.
    """

    still_s: float = STILL_S
    progress: Callable[[], object] | None = None
    bound_s: float = BOUND_S
    _began_s: float = field(default_factory=time.monotonic)
    _sampled_s: float = 0.0
    _stood_s: float = 0.0
    _uses: Mapping[int, _Use] = field(default_factory=dict)
    _seen: object = None
    _moved_s: dict[int, float] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Looks at the processes at most twice a second, and not in the first half second."""
        now_s = time.monotonic()
        if now_s - (self._sampled_s or self._began_s) >= min(SAMPLE_S, self.still_s):
            self._sample(now_s)
        return self._stood_s >= self.still_s or now_s - self._began_s >= self.bound_s

    def account(self) -> str:
        """How long nothing moved, and each process with what it does and when it last moved."""
        now_s = time.monotonic()
        waited_s = now_s - self._began_s
        lines = [f"nothing moved for {self._stood_s:.0f} s, of {waited_s:.0f} s that it waited"]
        if self.progress is not None:
            lines.append(f"it stands at {self._seen!r}")
        for pid in sorted(self._uses, key=lambda one: -self._moved_s.get(one, 0.0)):
            moved_s = self._moved_s.get(pid)
            when = "did not move" if moved_s is None else f"moved last {now_s - moved_s:.0f} s ago"
            cpu_s = self._uses[pid].cpu_ns / _NS_PER_S
            lines.append(f"process {pid}, {when}, {cpu_s:.1f} s of processor: {_command(pid)}")
        return "\n  ".join(lines)

    def check(self, what: str) -> None:
        """Raises StoodStill when it is over; `what` did not come."""
        if self.is_over:
            raise StoodStill(f"{what}: {self.account()}")

    def _sample(self, now_s: float) -> None:
        uses, seen = _uses_below(os.getpid()), self.progress and self.progress()
        if self._sampled_s:
            elapsed_s = now_s - self._sampled_s
            moved_s = min(elapsed_s, self._moved(uses, elapsed_s, now_s))
            if moved_s >= MOVED_SHARE * elapsed_s or seen != self._seen:
                self._stood_s = 0.0
            else:
                self._stood_s += elapsed_s - moved_s
        self._uses, self._seen, self._sampled_s = uses, seen, now_s

    def _moved(self, uses: Mapping[int, _Use], elapsed_s: float, now_s: float) -> float:
        """How many seconds they moved since the sample before; all of them where one still does."""
        total_s = 0.0
        for pid, use in uses.items():
            moved_s = use.moved_since_ns(self._uses.get(pid)) / _NS_PER_S
            moved_s = elapsed_s if use.is_busy else moved_s
            if moved_s >= MOVED_SHARE * elapsed_s:
                self._moved_s[pid] = now_s
            total_s += moved_s
        return total_s


def wait_while_moving(
    wait: Callable[[float], object],
    still_s: float = STILL_S,
    progress: Callable[[], object] | None = None,
) -> bool:
    """Call `wait` with some seconds, as an Event's, until it is true; False if all stood still."""
    patience = Patience(still_s, progress)
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


def _uses_below(root: int) -> dict[int, _Use]:
    """What each process uses that `root` has started, at whatever depth, and `root` itself."""
    stats = dict(_stats())
    found, children = {}, dict[int, list[int]]()
    for pid, fields in stats.items():
        children.setdefault(int(fields[_PARENT]), []).append(pid)
    left = [root]
    while left:
        pid = left.pop()
        left.extend(children.get(pid, ()))
        if pid in stats:
            found[pid] = _use(pid, stats[pid])
    return found


def _stats() -> Iterator[tuple[int, list[str]]]:
    for name in os.listdir("/proc"):  # noqa: PTH208 - some hundred times a minute
        if name.isdecimal():
            with suppress(OSError):  # it has ended meanwhile
                yield int(name), _stat_fields(f"/proc/{name}/stat")


def _stat_fields(path: str) -> list[str]:
    return Path(path).read_text("utf-8", "replace").rpartition(")")[2].split()


def _use(pid: int, fields: list[str]) -> _Use:
    queued_ns, is_busy, own = 0, False, threading.get_native_id()
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            task = f"/proc/{pid}/task/{thread}"
            with suppress(OSError):  # the thread has ended, or this kernel does not count
                if int(thread) != own:
                    is_busy |= _stat_fields(f"{task}/stat")[_STATE] in _WANTS_A_PROCESSOR_OR_DISK
                queued_ns += int(Path(f"{task}/schedstat").read_text("ascii").split()[1])
    cpu_ns = sum(map(int, fields[_TIMES])) * _TICK_NS
    return _Use(cpu_ns, queued_ns, is_busy)


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return "it has ended"
    return words.decode("utf-8", "replace")[:_COMMAND_LENGTH].strip() or "no command line"
