"""The device's clock beside this machine's.

Responsible for: that the true moment lies within the stated uncertainty, for clocks fast and slow
and ways long and short, and answers that cannot be true.
Not responsible for: when it is asked (test_link).
Source: firmware_bridge README, "TableLink/1", time and heartbeat.
"""

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.tablelink import clock
from firmware_bridge.tablelink.clock import Clock

SECOND = 1_000_000_000
MS = 1_000_000
BOOT_NS = 77 * SECOND


def device_us(true_ns: int, ppb: int) -> int:
    """What a device's clock shows that booted at BOOT_NS and gains `ppb`."""
    run_ns = true_ns - BOOT_NS
    return (run_ns + run_ns * ppb // SECOND) // 1000


def asked(before: Clock, at_ns: int, there_ns: int, back_ns: int, ppb: int) -> Clock:
    shown = device_us(at_ns + there_ns, ppb)
    return clock.heard(
        before,
        sent_ns=at_ns,
        came_us=shown,
        left_us=shown,
        back_ns=at_ns + there_ns + back_ns,
        window=16,
    )


def test_nothing_is_known_before_the_first_answer() -> None:
    assert clock.when(Clock(), 5) is None
    assert clock.drift_ppb(Clock()) is None


def test_half_the_way_is_the_uncertainty() -> None:
    told = asked(Clock(), 100 * SECOND, 3 * MS, 1 * MS, 0)

    moment = clock.when(told, device_us(100 * SECOND + 3 * MS, 0))

    assert moment is not None
    assert moment.host_ns == 100 * SECOND + 2 * MS
    assert moment.uncertainty_ns == 2 * MS + 1_000


def test_the_shortest_way_counts() -> None:
    told = asked(Clock(), 100 * SECOND, 1 * MS, 1 * MS, 0)
    told = asked(told, 110 * SECOND, 90 * MS, 10 * MS, 0)

    moment = clock.when(told, device_us(110 * SECOND, 0))

    assert moment is not None
    assert moment.uncertainty_ns <= 1 * MS + 1_000 + 10 * SECOND * 100 // 1_000_000


def test_the_drift_of_a_fast_clock_is_told() -> None:
    told = Clock()
    for number in range(16):
        told = asked(told, (100 + 10 * number) * SECOND, MS, MS, 50_000)

    drift = clock.drift_ppb(told)

    assert drift is not None
    assert abs(drift + 50_000) < 1_000


def test_only_the_window_is_kept() -> None:
    told = Clock()
    for number in range(40):
        told = asked(told, (100 + 10 * number) * SECOND, MS, MS, 0)

    assert len(told.exchanges) == 16


def test_an_answer_that_cannot_be_true_is_dropped() -> None:
    backwards = clock.heard(Clock(), sent_ns=0, came_us=9, left_us=8, back_ns=99_999, window=16)
    longer = clock.heard(Clock(), sent_ns=0, came_us=0, left_us=8, back_ns=7_000, window=16)

    assert backwards == longer == Clock()


def test_after_a_jump_only_the_new_answer_counts() -> None:
    told = asked(Clock(), 100 * SECOND, MS, MS, 0)

    told = clock.heard(
        told, sent_ns=110 * SECOND, came_us=5, left_us=5, back_ns=110 * SECOND + MS, window=16
    )

    assert len(told.exchanges) == 1


def test_a_stamp_beyond_all_reason_has_no_moment() -> None:
    assert clock.when(asked(Clock(), 100 * SECOND, MS, MS, 0), 2**64 - 1) is None


WAYS = st.lists(
    st.tuples(st.integers(0, 20 * MS), st.integers(0, 20 * MS)), min_size=1, max_size=20
)


@given(WAYS, st.integers(-99_000, 99_000), st.integers(-20, 60))
def test_the_true_moment_lies_within_the_uncertainty(
    ways: list[tuple[int, int]], ppb: int, after_s: int
) -> None:
    told, at_ns = Clock(), 100 * SECOND
    for there_ns, back_ns in ways:
        told = asked(told, at_ns, there_ns, back_ns, ppb)
        at_ns += 10 * SECOND
    true_ns = at_ns + after_s * SECOND

    moment = clock.when(told, device_us(true_ns, ppb))

    assert moment is not None
    assert abs(moment.host_ns - true_ns) <= moment.uncertainty_ns + 2_000
