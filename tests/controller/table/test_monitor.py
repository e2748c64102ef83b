"""Whether the clock is synchronised: an input for the first answer of the kernel and each change.

Source: adjtimex(2).
"""

import logging

import pytest

from controller.core.state import Stored
from controller.core.tape.inputs import ClockSync, ClockSyncRead
from controller.service.table_log import HostLog
from controller.table.monitor import MAX_ERROR_US, ClockSyncMonitor, read_sync, sync_of
from foundation.timestamp import Timestamp

AT = Timestamp(1_000, 2_000)
GOOD, BAD = ClockSync.SYNCHRONISED, ClockSync.UNSYNCHRONISED


def test_one_input_for_the_first_answer_and_each_change() -> None:
    answers = iter((BAD, BAD, GOOD, GOOD, ClockSync.UNKNOWN, GOOD))
    monitor = ClockSyncMonitor(lambda: AT, lambda: next(answers))
    put: list[ClockSyncRead] = []
    for _ in range(6):
        monitor.check(put.append)

    assert [one.sync for one in put] == [BAD, GOOD, ClockSync.UNKNOWN, GOOD]
    assert {one.at for one in put} == {AT}


def test_it_is_read_before_the_thread_runs_which_ends() -> None:
    put: list[ClockSyncRead] = []
    monitor = ClockSyncMonitor(lambda: AT, lambda: GOOD)
    monitor.stop()
    monitor.start(put.append)
    monitor.join()

    assert put == [ClockSyncRead(AT, GOOD)]


@pytest.mark.parametrize(
    ("error_us", "sync"), [(0, GOOD), (MAX_ERROR_US - 1, GOOD), (MAX_ERROR_US, BAD)]
)
def test_a_clock_that_nothing_disciplines_is_at_its_bound(error_us, sync) -> None:
    assert sync_of(error_us) is sync


def test_the_kernel_answers_without_a_privilege() -> None:
    assert read_sync() in (GOOD, BAD)


@pytest.mark.parametrize(("sync", "level"), [(GOOD, logging.INFO), (BAD, logging.WARNING)])
def test_each_answer_is_logged_once(script, caplog, sync, level) -> None:
    table = script().begun()
    table.give(ClockSyncRead(table.at, sync))
    caplog.set_level(logging.INFO)
    log = HostLog()
    for _ in range(2):
        # Nothing was concluded from it: the loop hands on the state alone.
        log.stored(Stored((), (), AT, table.state, table.core.book))

    assert [(one.levelno, one.getMessage()) for one in caplog.records] == [
        (level, f"the machine's clock: {sync.value} (by the kernel)")
    ]
