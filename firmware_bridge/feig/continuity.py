"""Did the reader run through? Its timer shows whether its buffer can have been lost.

Responsible for: comparing the timer's steps with the host's, and saying what that proves.
Not responsible for: asking the timer (link) and for its bytes (messages).

A reader without power loses its buffer, and its timer begins anew. Asking takes time, so the
timer's value belongs to some moment between question and answer.
Source: package README, "FEIG OBID", continuity.
"""

from enum import StrEnum

from firmware_bridge.feig.messages import DAY_MS
from firmware_bridge.timestamp import Timestamp
from firmware_bridge.values import dataclass, replace

_NS_PER_MS = 1_000_000
_SLACK_MS = 250
# The maker promises no accuracy of the timer: one part in so many.
_DRIFT = 100
# Two stamps whose clocks lie further apart than this are of different boots, or the clock was
# set: their monotonic times must not be compared.
_CLOCK_OFFSET_NS_MAX = 5_000_000_000


class Verdict(StrEnum):
    """What a value of the timer shows."""

    PROVEN = "proven"
    ASK_AGAIN = "ask_again"  # the answer may be to an older question
    UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True)
class TimerHeard:
    """A value of the timer, and when it was asked for and answered."""

    timer_ms: int
    asked: Timestamp
    answered: Timestamp


@dataclass(frozen=True, slots=True)
class Continuity:
    """`due`: nobody listened, so it is to be proved. `unasked`: the question found no answer.

    `given`: a record was given once, so there is something to lose. `asked` is when the question
    was first put that still has no answer.
    """

    last: TimerHeard | None = None
    given: bool = False
    due: bool = False
    unasked: bool = False
    doubted: bool = False
    asked: Timestamp | None = None


def reopened(state: Continuity) -> Continuity:
    """The port was opened; what came before is to be joined to what comes now."""
    due = state.due or state.given or state.last is not None
    return replace(state, due=due, unasked=False, doubted=False, asked=None)


def silence_ended(state: Continuity) -> Continuity:
    """The reader is heard again, on a port that was open all the time."""
    if state.due or state.last is None:
        return state
    return replace(state, due=True, unasked=False, doubted=False)


def is_open(state: Continuity) -> bool:
    """Whether it is to be proved and may still be: the timer has not been heard, nor in vain."""
    return state.due and not state.unasked


def asking(state: Continuity, at: Timestamp) -> Continuity:
    """The timer is asked for."""
    return replace(state, asked=at if state.asked is None else state.asked)


def unanswered(state: Continuity) -> Continuity:
    """The question found no answer, for now."""
    return replace(state, unasked=True)


def told(state: Continuity) -> Continuity:
    """It was said that nothing is proved: the next value of the timer is a new beginning."""
    return Continuity(given=state.given, asked=state.asked)


def judged(
    state: Continuity, timer_ms: int, at: Timestamp, gap_ns_max: int
) -> tuple[Continuity, Verdict]:
    """The timer was answered."""
    now = TimerHeard(timer_ms, at if state.asked is None else state.asked, at)
    proven = _runs_through(state.last, now, gap_ns_max) if state.last else not state.due
    if not proven and state.last is not None and not state.doubted:
        return replace(state, doubted=True, unasked=False, asked=None), Verdict.ASK_AGAIN
    after = Continuity(last=now, given=state.given)
    return after, Verdict.PROVEN if proven else Verdict.UNPROVEN


def age_ms(state: Continuity, time_ms: int | None, at: Timestamp) -> int | None:
    """How long ago, at least, a record with that time was made; None where no timer tells."""
    if state.last is None or time_ms is None:
        return None
    passed_ms = _elapsed_ns(state.last.answered, at) // _NS_PER_MS
    ago_ms = (state.last.timer_ms + passed_ms - time_ms) % DAY_MS
    # A record made while the timer was asked, or by one that runs fast, is not a day old.
    if ago_ms >= DAY_MS // 2:
        return 0
    return max(0, ago_ms - _SLACK_MS - abs(passed_ms) // _DRIFT)


def _runs_through(last: TimerHeard, now: TimerHeard, gap_ns_max: int) -> bool:
    """Whether the timer moved as far as the host's clock."""
    most_ns = _elapsed_ns(last.asked, now.answered)
    least_ns = _elapsed_ns(last.answered, now.asked)
    if most_ns < 0 or most_ns > gap_ns_max:
        return False
    slack_ms = _SLACK_MS + most_ns // _NS_PER_MS // _DRIFT
    least_ms = least_ns // _NS_PER_MS - slack_ms
    most_ms = most_ns // _NS_PER_MS + slack_ms
    return (now.timer_ms - last.timer_ms - least_ms) % DAY_MS <= most_ms - least_ms


def _elapsed_ns(earlier: Timestamp, later: Timestamp) -> int:
    """By the monotonic clock, or by UTC where that began anew."""
    monotonic_ns = later.monotonic_ns - earlier.monotonic_ns
    utc_ns = later.utc_ns - earlier.utc_ns
    same_boot = monotonic_ns >= 0 and abs(utc_ns - monotonic_ns) <= _CLOCK_OFFSET_NS_MAX
    return monotonic_ns if same_boot else utc_ns
