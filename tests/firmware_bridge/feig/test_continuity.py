"""Whether the reader ran through, as its timer shows it.

Responsible for: what each value of the timer proves, after seconds, hours, midnight and a restart.
Not responsible for: when it is asked (test_link).
Source: firmware_bridge README, "FEIG OBID", continuity.
"""

import pytest

from firmware_bridge.feig.continuity import (
    Continuity,
    Verdict,
    age_ms,
    asking,
    judged,
    reopened,
    told,
)
from firmware_bridge.timestamp import Timestamp

MS = 1_000_000
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
UTC_NS = 10**18


def at(ms: int, boot_ms: int = 0) -> Timestamp:
    """A moment of the day; the monotonic clock began at `boot_ms`."""
    return Timestamp((ms - boot_ms) * MS, UTC_NS + ms * MS)


def heard(timer_ms: int, ms: int, state: Continuity | None = None) -> Continuity:
    state, _ = judged(asking(state or Continuity(), at(ms)), timer_ms, at(ms), HOUR_MS * MS)
    return state


def verdict_after(timer_ms: int, asked: Timestamp, answered: Timestamp, first_ms: int) -> Verdict:
    """What a second value shows; the first was `first_ms`, at one second past the beginning."""
    state = reopened(heard(first_ms, 1_000))
    state, verdict = judged(asking(state, asked), timer_ms, answered, HOUR_MS * MS)
    if verdict is Verdict.ASK_AGAIN:
        _, verdict = judged(asking(state, asked), timer_ms, answered, HOUR_MS * MS)
    return verdict


@pytest.mark.parametrize(
    ("first_ms", "ms", "timer_ms", "proven"),
    [
        pytest.param(500_000, 11_000, 510_000, True, id="ten seconds on both"),
        pytest.param(500_000, 11_000, 510_340, True, id="within the tolerance"),
        pytest.param(500_000, 11_000, 510_360, False, id="beyond the tolerance"),
        pytest.param(500_000, 11_000, 509_640, False, id="behind by more than the tolerance"),
        pytest.param(500_000, 11_000, 2_000, False, id="began anew"),
        pytest.param(500_000, 1_001_000, 1_508_000, True, id="a timer that is 0.8 percent fast"),
        pytest.param(DAY_MS - 4_000, 11_000, 6_000, True, id="ran over midnight"),
        pytest.param(DAY_MS - 4_000, 11_000, 9_000, False, id="began anew near midnight"),
        pytest.param(500_000, 1_000 + HOUR_MS + 1, 500_001 + HOUR_MS, False, id="after an hour"),
    ],
)
def test_a_second_value_of_the_timer(first_ms: int, ms: int, timer_ms: int, proven: bool) -> None:
    due = Verdict.PROVEN if proven else Verdict.UNPROVEN

    assert verdict_after(timer_ms, at(ms), at(ms), first_ms) is due


def test_the_time_between_question_and_answer_is_allowed_for() -> None:
    for timer_ms in (510_000, 510_250, 510_500):
        verdict = verdict_after(timer_ms, at(11_000), at(11_500), 500_000)
        assert verdict is Verdict.PROVEN, str(timer_ms)


def test_after_a_restart_of_the_machine_the_time_of_day_is_compared() -> None:
    later = at(301_000, boot_ms=290_000)

    assert verdict_after(800_000, later, later, 500_000) is Verdict.PROVEN
    assert verdict_after(60_000, later, later, 500_000) is Verdict.UNPROVEN


def test_a_clock_set_back_proves_nothing() -> None:
    earlier = Timestamp(500 * MS, UTC_NS - 100_000 * MS)

    assert verdict_after(500_100, earlier, earlier, 500_000) is Verdict.UNPROVEN


def test_the_first_value_that_does_not_fit_is_asked_for_again() -> None:
    state = reopened(heard(500_000, 1_000))
    _, verdict = judged(asking(state, at(11_000)), 2_000, at(11_000), HOUR_MS * MS)

    assert verdict is Verdict.ASK_AGAIN


def test_before_anything_was_heard_there_is_nothing_to_prove() -> None:
    _, verdict = judged(reopened(Continuity()), 2_000, at(1_000), HOUR_MS * MS)

    assert verdict is Verdict.PROVEN


def test_records_given_and_no_timer_heard_proves_nothing() -> None:
    _, verdict = judged(reopened(Continuity(given=True)), 2_000, at(1_000), HOUR_MS * MS)

    assert verdict is Verdict.UNPROVEN


def test_what_was_told_is_not_told_again() -> None:
    state = told(reopened(heard(500_000, 1_000)))
    _, verdict = judged(state, 2_000, at(11_000), HOUR_MS * MS)

    assert verdict is Verdict.PROVEN


# --- the age of a record -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("time_ms", "ms", "age"),
    [
        pytest.param(500_000, 1_000, 0, id="made now"),
        pytest.param(497_000, 1_000, 2_750, id="at least so long, for asking takes time"),
        pytest.param(500_000, 11_000, 9_650, id="ten seconds later, less what a timer may err"),
        pytest.param(500_100, 1_000, 0, id="while the timer was asked"),
        pytest.param(DAY_MS - 1_000, 1_000, 500_750, id="before the timer began anew"),
    ],
)
def test_how_old_a_record_is(time_ms: int, ms: int, age: int) -> None:
    assert age_ms(heard(500_000, 1_000), time_ms, at(ms)) == age


def test_a_record_is_as_old_after_the_host_was_started_anew() -> None:
    assert age_ms(heard(500_000, 1_000), 500_000, at(11_000, boot_ms=9_000)) == 9_650


def test_without_a_timer_no_age_is_known() -> None:
    assert age_ms(Continuity(), 500_000, at(1_000)) is None
    assert age_ms(heard(500_000, 1_000), None, at(1_000)) is None
