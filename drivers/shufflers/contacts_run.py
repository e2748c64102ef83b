"""One run of a shuffler as its running lamp and done lamp show it: when it began, whether it ended.

A run counts only where the done lamp came on during it, and it took as long as a shuffle takes: a
lamp that is switched by hand, or was on before, shows no shuffle.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from drivers.shuffler_events import ShuffleShown
from foundation.message import Message, message

# The shuffler as a whole: contacts know no compartments.
COMPARTMENT: Final = 1
NS_PER_MS: Final = 1_000_000


class RunLimits(Struct, frozen=True):
    """How long a shuffle takes, and how far its end and its done lamp may be apart; nanoseconds."""

    shuffle_ns_min: int
    shuffle_ns_max: int
    done_ns_max: int


class LampRun(Struct, frozen=True):
    """A run under way, all times monotonic in nanoseconds.

    `dark`: the done lamp was seen off during it. `done_ns`: when that lamp came on, `stopped_ns`:
    when the running lamp went off; None before.
    """

    cycle: int
    began_ns: int
    dark: bool
    done_ns: int | None = None
    stopped_ns: int | None = None

    def deadline_ns(self, limits: RunLimits) -> int:
        """When this run is taken to be broken off."""
        ends = [one for one in (self.done_ns, self.stopped_ns) if one is not None]
        if ends:
            return min(ends) + limits.done_ns_max
        return self.began_ns + limits.shuffle_ns_max


def next_run(run: LampRun, *, running: bool, done: bool, at_ns: int) -> LampRun:
    """The run after one more reading of its lamps, which was true at that time at the latest."""
    if not running and run.stopped_ns is None:
        run = replace(run, stopped_ns=at_ns)
    if not done and not run.dark:
        run = replace(run, dark=True)
    if done and run.dark and run.done_ns is None:
        run = replace(run, done_ns=at_ns)
    return run


def end_of(run: LampRun, limits: RunLimits) -> ShuffleShown | Message | None:
    """The shuffle that this run shows, or why it shows none; None while it has not ended."""
    if run.done_ns is None or run.stopped_ns is None:
        return None
    ran_ns = max(0, min(run.done_ns, run.stopped_ns) - run.began_ns)
    if ran_ns < limits.shuffle_ns_min:
        least_ms = limits.shuffle_ns_min // NS_PER_MS
        return message("shuffle_too_short", ran_ms=ran_ns // NS_PER_MS, least_ms=least_ms)
    return ShuffleShown(COMPARTMENT, run.cycle, ran_ns // NS_PER_MS)


def overdue(run: LampRun, limits: RunLimits) -> Message:
    """Why a run whose deadline has passed shows no shuffle."""
    if run.done_ns is not None:
        return message("done_lamp_while_running")
    if run.stopped_ns is not None:
        return message("running_lamp_off_without_done_lamp")
    return message("shuffle_too_long", most_ms=limits.shuffle_ns_max // NS_PER_MS)
