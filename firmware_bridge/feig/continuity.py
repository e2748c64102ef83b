"""Compares the reader's timer with the host's clock: can the reader have lost its buffer?

A reader without power loses its buffer, and its timer starts again. A question takes time, so the
timer's value belongs to some moment between question and answer.
Source: firmware_bridge/feig/README.md, continuity.
"""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.feig.messages import DAY_MS
from foundation.timestamp import Timestamp, elapsed_ns

_NS_PER_MS = 1_000_000
_SLACK_MS = 250
# The manufacturer promises no accuracy of the timer: assumed is one part in so many.
_DRIFT = 100


class ContinuityCheck(StrEnum):
    """What a value of the timer proves."""

    PROVEN = "proven"
    ASK_AGAIN = "ask_again"  # the answer may belong to an earlier question
    UNPROVEN = "unproven"


class TimerReading(Struct, frozen=True):
    """A value of the timer, and when it was requested and answered."""

    timer_ms: int
    asked_at: Timestamp
    answered_at: Timestamp


class ContinuityState(Struct, frozen=True):
    """`proof_due`: nobody listened for a time, so continuity must be proved.

    `records_delivered`: records were delivered, so there is something to lose. `no_answer`: the
    timer question was not answered. `doubted`: one timer value did not fit; it is requested again.
    `asked_at`: when the timer was first requested without an answer since.
    """

    last: TimerReading | None = None
    records_delivered: bool = False
    proof_due: bool = False
    no_answer: bool = False
    doubted: bool = False
    asked_at: Timestamp | None = None


def require_proof(state: ContinuityState) -> ContinuityState:
    """The port was opened: continuity with the records before must be proved."""
    proof_due = state.proof_due or state.records_delivered or state.last is not None
    return replace(state, proof_due=proof_due, no_answer=False, doubted=False, asked_at=None)


def require_proof_after_silence(state: ContinuityState) -> ContinuityState:
    """The reader answers again on a port that stayed open: continuity must be proved."""
    if state.proof_due or state.last is None:
        return state
    return replace(state, proof_due=True, no_answer=False, doubted=False)


def is_pending(state: ContinuityState) -> bool:
    """Whether the proof is due and the timer question has not failed."""
    return state.proof_due and not state.no_answer


def record_question(state: ContinuityState, at: Timestamp) -> ContinuityState:
    """Remember when the timer was first requested without an answer."""
    return replace(state, asked_at=at if state.asked_at is None else state.asked_at)


def record_no_answer(state: ContinuityState) -> ContinuityState:
    """The timer question was not answered in time."""
    return replace(state, no_answer=True)


def reset_after_report(state: ContinuityState) -> ContinuityState:
    """After a report that continuity is unproven: the next timer value starts again."""
    return ContinuityState(records_delivered=state.records_delivered, asked_at=state.asked_at)


def check_timer(
    state: ContinuityState, timer_ms: int, at: Timestamp, gap_ns_max: int
) -> tuple[ContinuityState, ContinuityCheck]:
    """Compare a timer value with the last one; return the new state and what it proves."""
    now = TimerReading(timer_ms, at if state.asked_at is None else state.asked_at, at)
    proven = _has_run_through(state.last, now, gap_ns_max) if state.last else not state.proof_due
    if not proven and state.last is not None and not state.doubted:
        return replace(
            state, doubted=True, no_answer=False, asked_at=None
        ), ContinuityCheck.ASK_AGAIN
    after = ContinuityState(last=now, records_delivered=state.records_delivered)
    return after, ContinuityCheck.PROVEN if proven else ContinuityCheck.UNPROVEN


def age_ms(state: ContinuityState, time_ms: int | None, at: Timestamp) -> int | None:
    """Minimum age of a record with this reader time; None if no timer value is known."""
    if state.last is None or time_ms is None:
        return None
    passed_ms = elapsed_ns(state.last.answered_at, at) // _NS_PER_MS
    ago_ms = (state.last.timer_ms + passed_ms - time_ms) % DAY_MS
    # A record made during a timer request, or by a timer that runs fast, is not a day old.
    if ago_ms >= DAY_MS // 2:
        return 0
    return max(0, ago_ms - _SLACK_MS - abs(passed_ms) // _DRIFT)


def _has_run_through(last: TimerReading, now: TimerReading, gap_ns_max: int) -> bool:
    """Whether the timer advanced as far as the host's clock."""
    most_ns = elapsed_ns(last.asked_at, now.answered_at)
    least_ns = elapsed_ns(last.answered_at, now.asked_at)
    if most_ns < 0 or most_ns > gap_ns_max:
        return False
    slack_ms = _SLACK_MS + most_ns // _NS_PER_MS // _DRIFT
    least_ms = least_ns // _NS_PER_MS - slack_ms
    most_ms = most_ns // _NS_PER_MS + slack_ms
    return (now.timer_ms - last.timer_ms - least_ms) % DAY_MS <= most_ms - least_ms
