"""The disk monitor: levels and their limits, inputs, the reserve, refused starts, log lines."""

import logging
import os
import threading
from pathlib import Path

import pytest

from controller.core.state import Conclusion, Stored
from controller.core.tape.entries import ClockEvidence, ClockStepped, DiskLevelRecorded
from controller.core.tape.inputs import DiskLevel, DiskSpace, Tick
from controller.service.table_log import HostLog
from controller.table.disk_space import (
    MIB,
    RESERVE_BYTES,
    DiskLimits,
    DiskMonitor,
    DiskUsage,
    disk_usage,
)
from foundation.timestamp import Timestamp

AT = Timestamp(5, 7)
GIB = 1024 * MIB
LIMITS = DiskLimits(1024 * MIB, 5, 64 * MIB)
BIG = 100 * GIB
_, ENOUGH, LOW, STOP = DiskLevel


class Disk:
    """A file system with a free space set by the test."""

    def __init__(self, free_bytes: int, total_bytes: int = BIG) -> None:
        self.free_bytes = free_bytes
        self.total_bytes = total_bytes
        self.gone = False
        self.looked = threading.Semaphore(0)

    def usage(self, _folder: Path) -> DiskUsage:
        self.looked.release()
        if self.gone:
            raise OSError(5, "Input/output error")
        return DiskUsage(self.total_bytes, self.free_bytes)


@pytest.fixture
def monitored(tmp_path):
    disk = Disk(50 * GIB)
    return disk, DiskMonitor(tmp_path, LIMITS, lambda: AT, disk.usage)


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("free_bytes", "level"),
    [
        (5 * GIB, ENOUGH),
        (5 * GIB - 1, LOW),
        (64 * MIB, LOW),
        (64 * MIB - 1, STOP),
        (0, STOP),
    ],
)
def test_on_a_large_disk_the_percentage_is_the_limit(free_bytes, level) -> None:
    assert LIMITS.level(DiskUsage(BIG, free_bytes), ENOUGH) is level


@pytest.mark.parametrize(("free_bytes", "level"), [(GIB, ENOUGH), (GIB - 1, LOW)])
def test_on_a_small_disk_the_bytes_are_the_limit(free_bytes, level) -> None:
    assert LIMITS.level(DiskUsage(8 * GIB, free_bytes), ENOUGH) is level


@pytest.mark.parametrize("before", [LOW, STOP])
def test_the_level_is_enough_again_only_a_tenth_above_the_limit(before: DiskLevel) -> None:
    limit = 5 * GIB
    assert LIMITS.level(DiskUsage(BIG, limit + limit // 10 - 1), before) is LOW
    assert LIMITS.level(DiskUsage(BIG, limit + limit // 10), before) is ENOUGH


def test_people_are_warned_no_later_than_the_table_stops() -> None:
    assert DiskLimits(MIB, 0, 64 * MIB).warn_below(DiskUsage(BIG, 0)) == 64 * MIB


# --- looking --------------------------------------------------------------------------------------


def test_one_input_for_the_first_level_and_each_change_of_it(monitored) -> None:
    disk, monitor = monitored
    put: list[DiskSpace] = []
    for free_bytes in (50 * GIB, GIB, GIB - 1, 50 * GIB, 51 * GIB, MIB, 0):
        disk.free_bytes = free_bytes
        monitor.check(put.append)
    warn = 5 * GIB
    assert put == [
        DiskSpace(AT, ENOUGH, 50 * GIB, warn, 64 * MIB),
        DiskSpace(AT, LOW, GIB, warn, 64 * MIB),
        DiskSpace(AT, ENOUGH, 50 * GIB, warn, 64 * MIB),
        DiskSpace(AT, STOP, MIB, warn, 64 * MIB),
    ]


def test_the_reserve_is_allocated_on_the_disk_and_released_at_stop(monitored) -> None:
    disk, monitor = monitored
    monitor.allocate_reserve()
    reserve = monitor._folder / "reserve"
    assert reserve.stat().st_blocks * 512 >= RESERVE_BYTES
    there: list[bool] = []
    for free_bytes in (GIB, MIB):
        disk.free_bytes = free_bytes
        monitor.check(lambda _item: there.append(reserve.exists()))
    assert there == [True, False]


def test_a_reserve_that_cannot_be_allocated_is_only_logged(tmp_path, caplog) -> None:
    (tmp_path / "reserve").mkdir()
    DiskMonitor(tmp_path, LIMITS, lambda: AT).allocate_reserve()
    assert caplog.messages == [
        f"{tmp_path}/reserve: cannot allocate a reserve of 1 MiB: Is a directory"
    ]


def test_an_unreadable_disk_is_unknown_and_logged_until_it_is_readable(monitored, caplog) -> None:
    disk, monitor = monitored
    put: list[DiskSpace] = []
    for gone in (True, True, False, True):
        disk.gone = gone
        monitor.check(put.append)
    words = f"{monitor._folder}: cannot read the free disk space: Input/output error"
    assert caplog.messages == [words, words]
    assert [one.level for one in put] == [DiskLevel.UNKNOWN, ENOUGH, DiskLevel.UNKNOWN]
    assert (put[0].free_bytes, put[0].warn_bytes) == (0, LIMITS.warn_bytes)


def test_the_monitor_checks_repeatedly_until_it_is_stopped(monitored, monkeypatch) -> None:
    disk, monitor = monitored
    monkeypatch.setattr(DiskMonitor, "INTERVAL_S", 0.001)
    monitor.start(lambda _item: None)
    looked = [disk.looked.acquire() for _ in range(3)]
    monitor.stop()
    monitor.join()
    assert looked == [True, True, True]


def test_the_usage_of_a_missing_folder_is_that_of_its_disk(
    tmp_path,
) -> None:
    room = disk_usage(tmp_path / "not" / "yet")
    found = os.statvfs(tmp_path)
    assert room.total_bytes == found.f_blocks * found.f_frsize
    assert 0 < room.free_bytes <= room.total_bytes


# --- words ----------------------------------------------------------------------------------------


NEEDED = 64 * MIB + 64 * MIB // 10


@pytest.mark.parametrize(("held", "needed"), [(False, NEEDED + MIB), (True, NEEDED)])
def test_a_start_without_space_is_refused_with_numbers_and_remedy(monitored, held, needed) -> None:
    disk, monitor = monitored
    if held:
        monitor.allocate_reserve()
    disk.free_bytes = needed
    assert monitor.refusal() == ""
    disk.free_bytes = needed - 1
    refusal = monitor.refusal()
    free = "70.3 MiB" if held else "71.3 MiB"
    assert refusal.startswith(f"{monitor._folder}: {free} are free on the journal's disk, and")
    assert "below 70.3 MiB no table runs" in refusal
    assert "`smartshoe journal prune`" in refusal


def test_an_unreadable_disk_refuses_no_start(monitored) -> None:
    disk, monitor = monitored
    disk.gone = True
    assert monitor.refusal() == ""


def test_disk_levels_and_clock_steps_are_logged_but_not_the_stop(script, caplog) -> None:
    caplog.set_level(logging.INFO)
    entries = (
        DiskLevelRecorded(ENOUGH, 9 * GIB, 5 * GIB),
        DiskLevelRecorded(LOW, GIB, 5 * GIB),
        DiskLevelRecorded(ENOUGH, 9 * GIB, 5 * GIB),
        DiskLevelRecorded(STOP, MIB, 64 * MIB),
        ClockStepped(3_000_000_000, 1_795_003_200_000_000_000, ClockEvidence.SAME_BOOT),
    )
    state = script().begun().state
    HostLog().stored(Stored((Conclusion(Tick(AT), entries),), (), AT, state, None))
    lines = [(one.levelname, one.getMessage().split(":")[0][:40]) for one in caplog.records]
    assert lines == [
        ("WARNING", "only 1.0 GiB are free on the journal's d"),
        ("INFO", "9.0 GiB are free on the journal's disk"),
        ("WARNING", "the machine's clock was set forward by 3"),
    ]
