"""The device's clock against the host's: the true moment lies within the stated uncertainty.

Source: firmware_bridge README, "TableLink/1", time and heartbeat.
"""

from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.tablelink import clock
from firmware_bridge.tablelink.clock import DeviceClock

SECOND = 1_000_000_000
MS = 1_000_000
BOOT_NS = 77 * SECOND


def device_us(true_ns: int, ppb: int) -> int:
    """What a device's clock shows that booted at BOOT_NS and gains `ppb`."""
    run_ns = true_ns - BOOT_NS
    return (run_ns + run_ns * ppb // SECOND) // 1000


def clock_after(
    before: DeviceClock, at_ns: int, there_ns: int, back_ns: int, ppb: int
) -> DeviceClock:
    device_time = device_us(at_ns + there_ns, ppb)
    return clock.add_exchange(
        before,
        sent_ns=at_ns,
        received_us=device_time,
        replied_us=device_time,
        answered_ns=at_ns + there_ns + back_ns,
        window=16,
    )


def test_nothing_is_known_before_the_first_answer() -> None:
    assert clock.host_time(DeviceClock(), 5) is None
    assert clock.drift_ppb(DeviceClock()) is None


def test_half_the_round_trip_is_the_uncertainty() -> None:
    measured = clock_after(DeviceClock(), 100 * SECOND, 3 * MS, 1 * MS, 0)

    moment = clock.host_time(measured, device_us(100 * SECOND + 3 * MS, 0))

    assert moment is not None
    assert moment.host_ns == 100 * SECOND + 2 * MS
    assert moment.uncertainty_ns == 2 * MS + 1_000


def test_the_shortest_round_trip_counts() -> None:
    measured = clock_after(DeviceClock(), 100 * SECOND, 1 * MS, 1 * MS, 0)
    measured = clock_after(measured, 110 * SECOND, 90 * MS, 10 * MS, 0)

    moment = clock.host_time(measured, device_us(110 * SECOND, 0))

    assert moment is not None
    assert moment.uncertainty_ns <= 1 * MS + 1_000 + 10 * SECOND * 100 // 1_000_000


def test_the_drift_of_a_fast_clock_is_measured() -> None:
    measured = DeviceClock()
    for number in range(16):
        measured = clock_after(measured, (100 + 10 * number) * SECOND, MS, MS, 50_000)

    drift = clock.drift_ppb(measured)

    assert drift is not None
    assert abs(drift + 50_000) < 1_000


def test_only_the_window_is_kept() -> None:
    measured = DeviceClock()
    for number in range(40):
        measured = clock_after(measured, (100 + 10 * number) * SECOND, MS, MS, 0)

    assert len(measured.exchanges) == 16


def test_an_impossible_answer_is_dropped() -> None:
    backwards = clock.add_exchange(
        DeviceClock(), sent_ns=0, received_us=9, replied_us=8, answered_ns=99_999, window=16
    )
    longer = clock.add_exchange(
        DeviceClock(), sent_ns=0, received_us=0, replied_us=8, answered_ns=7_000, window=16
    )

    assert backwards == longer == DeviceClock()


def test_after_a_jump_only_the_new_answer_counts() -> None:
    measured = clock_after(DeviceClock(), 100 * SECOND, MS, MS, 0)

    measured = clock.add_exchange(
        measured,
        sent_ns=110 * SECOND,
        received_us=5,
        replied_us=5,
        answered_ns=110 * SECOND + MS,
        window=16,
    )

    assert len(measured.exchanges) == 1


def test_a_timestamp_out_of_range_has_no_host_time() -> None:
    assert clock.host_time(clock_after(DeviceClock(), 100 * SECOND, MS, MS, 0), 2**64 - 1) is None


WAYS = st.lists(
    st.tuples(st.integers(0, 20 * MS), st.integers(0, 20 * MS)), min_size=1, max_size=20
)


@given(WAYS, st.integers(-99_000, 99_000), st.integers(-20, 60))
def test_the_true_moment_lies_within_the_uncertainty(
    ways: list[tuple[int, int]], ppb: int, after_s: int
) -> None:
    measured, at_ns = DeviceClock(), 100 * SECOND
    for there_ns, back_ns in ways:
        measured = clock_after(measured, at_ns, there_ns, back_ns, ppb)
        at_ns += 10 * SECOND
    true_ns = at_ns + after_s * SECOND

    moment = clock.host_time(measured, device_us(true_ns, ppb))

    assert moment is not None
    assert abs(moment.host_ns - true_ns) <= moment.uncertainty_ns + 2_000
