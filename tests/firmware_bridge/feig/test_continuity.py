"""What a FEIG reader's timer proves: after seconds, hours, midnight, and a restart of the host.

Source: firmware_bridge README, "FEIG OBID", continuity.
"""

import pytest

from firmware_bridge.feig.continuity import (
    ContinuityCheck,
    ContinuityState,
    age_ms,
    check_timer,
    record_question,
    require_proof,
    reset_after_report,
)
from foundation.timestamp import Timestamp

MS = 1_000_000
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
UTC_NS = 10**18


def at(ms: int, boot_ms: int = 0) -> Timestamp:
    """A moment of the day; the monotonic clock began at `boot_ms`."""
    return Timestamp((ms - boot_ms) * MS, UTC_NS + ms * MS)


def reading_of(timer_ms: int, ms: int, state: ContinuityState | None = None) -> ContinuityState:
    state, _ = check_timer(
        record_question(state or ContinuityState(), at(ms)), timer_ms, at(ms), HOUR_MS * MS
    )
    return state


def verdict_after(
    timer_ms: int, asked_at: Timestamp, answered: Timestamp, first_ms: int
) -> ContinuityCheck:
    """Check a second timer value; the first was `first_ms`, one second after the start."""
    state = require_proof(reading_of(first_ms, 1_000))
    state, verdict = check_timer(record_question(state, asked_at), timer_ms, answered, HOUR_MS * MS)
    if verdict is ContinuityCheck.ASK_AGAIN:
        _, verdict = check_timer(record_question(state, asked_at), timer_ms, answered, HOUR_MS * MS)
    return verdict


@pytest.mark.parametrize(
    ("first_ms", "ms", "timer_ms", "proven"),
    [
        pytest.param(500_000, 11_000, 510_000, True, id="ten seconds on both"),
        pytest.param(500_000, 11_000, 510_340, True, id="within the tolerance"),
        pytest.param(500_000, 11_000, 510_360, False, id="beyond the tolerance"),
        pytest.param(500_000, 11_000, 509_640, False, id="behind by more than the tolerance"),
        pytest.param(500_000, 11_000, 2_000, False, id="restarted"),
        pytest.param(500_000, 1_001_000, 1_508_000, True, id="a timer that is 0.8 percent fast"),
        pytest.param(DAY_MS - 4_000, 11_000, 6_000, True, id="ran over midnight"),
        pytest.param(DAY_MS - 4_000, 11_000, 9_000, False, id="restarted near midnight"),
        pytest.param(500_000, 1_000 + HOUR_MS + 1, 500_001 + HOUR_MS, False, id="after an hour"),
    ],
)
def test_a_second_value_of_the_timer(first_ms: int, ms: int, timer_ms: int, proven: bool) -> None:
    due = ContinuityCheck.PROVEN if proven else ContinuityCheck.UNPROVEN

    assert verdict_after(timer_ms, at(ms), at(ms), first_ms) is due


def test_the_time_between_question_and_answer_is_tolerated() -> None:
    for timer_ms in (510_000, 510_250, 510_500):
        verdict = verdict_after(timer_ms, at(11_000), at(11_500), 500_000)
        assert verdict is ContinuityCheck.PROVEN, str(timer_ms)


def test_after_a_restart_of_the_machine_the_time_of_day_is_compared() -> None:
    later = at(301_000, boot_ms=290_000)

    assert verdict_after(800_000, later, later, 500_000) is ContinuityCheck.PROVEN
    assert verdict_after(60_000, later, later, 500_000) is ContinuityCheck.UNPROVEN


def test_a_clock_set_back_proves_nothing() -> None:
    earlier = Timestamp(500 * MS, UTC_NS - 100_000 * MS)

    assert verdict_after(500_100, earlier, earlier, 500_000) is ContinuityCheck.UNPROVEN


def test_the_first_contradictory_value_is_requested_again() -> None:
    state = require_proof(reading_of(500_000, 1_000))
    _, verdict = check_timer(record_question(state, at(11_000)), 2_000, at(11_000), HOUR_MS * MS)

    assert verdict is ContinuityCheck.ASK_AGAIN


def test_before_the_first_value_there_is_nothing_to_prove() -> None:
    _, verdict = check_timer(require_proof(ContinuityState()), 2_000, at(1_000), HOUR_MS * MS)

    assert verdict is ContinuityCheck.PROVEN


def test_delivered_records_without_a_timer_value_are_unproven() -> None:
    _, verdict = check_timer(
        require_proof(ContinuityState(records_delivered=True)), 2_000, at(1_000), HOUR_MS * MS
    )

    assert verdict is ContinuityCheck.UNPROVEN


def test_unproven_continuity_is_reported_once() -> None:
    state = reset_after_report(require_proof(reading_of(500_000, 1_000)))
    _, verdict = check_timer(state, 2_000, at(11_000), HOUR_MS * MS)

    assert verdict is ContinuityCheck.PROVEN


# --- the age of a record -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("time_ms", "ms", "age"),
    [
        pytest.param(500_000, 1_000, 0, id="made now"),
        pytest.param(497_000, 1_000, 2_750, id="at least so long, for asking takes time"),
        pytest.param(500_000, 11_000, 9_650, id="ten seconds later, less what a timer may err"),
        pytest.param(500_100, 1_000, 0, id="while the timer was asked"),
        pytest.param(DAY_MS - 1_000, 1_000, 500_750, id="before the timer restarted"),
    ],
)
def test_the_age_of_a_record(time_ms: int, ms: int, age: int) -> None:
    assert age_ms(reading_of(500_000, 1_000), time_ms, at(ms)) == age


def test_the_age_of_a_record_survives_a_restart_of_the_host() -> None:
    assert age_ms(reading_of(500_000, 1_000), 500_000, at(11_000, boot_ms=9_000)) == 9_650


def test_without_a_timer_value_the_age_is_unknown() -> None:
    assert age_ms(ContinuityState(), 500_000, at(1_000)) is None
    assert age_ms(reading_of(500_000, 1_000), None, at(1_000)) is None
