"""The watch of the journal's disk: limits, what it puts and when, the reserve, refusals.

Responsible for: each level and its edges, one input a change, a file system that cannot be looked
at, and the words at a start and in the log.
Not responsible for: a disk that really fills (test_full_disk) and what follows (test_host_state).
Source: package README, "Disk space".
"""

import logging
import os
import threading
from pathlib import Path

import pytest

from controller.service.device_log import tell_host
from controller.table.disk_space import MIB, RESERVE_BYTES, DiskLimits, DiskWatch, Room, room_at
from controller.table.loop import Conclusion, Stored
from controller.tape.entries import ClockEvidence, ClockStepped, DiskNoted
from controller.tape.inputs import DiskLevel, DiskSpace, Tick
from firmware_bridge.timestamp import Timestamp

AT = Timestamp(5, 7)
GIB = 1024 * MIB
LIMITS = DiskLimits(1024 * MIB, 5, 64 * MIB)
BIG = 100 * GIB
ENOUGH, LOW, STOP = DiskLevel


class Disk:
    """A file system whose room is told by hand."""

    def __init__(self, free_bytes: int, total_bytes: int = BIG) -> None:
        self.free_bytes = free_bytes
        self.total_bytes = total_bytes
        self.gone = False
        self.looked = threading.Semaphore(0)

    def look(self, _folder: Path) -> Room:
        self.looked.release()
        if self.gone:
            raise OSError(5, "Input/output error")
        return Room(self.total_bytes, self.free_bytes)


@pytest.fixture
def watched(tmp_path):
    disk = Disk(50 * GIB)
    return disk, DiskWatch(tmp_path, LIMITS, lambda: AT, disk.look)


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
def test_less_than_a_part_of_a_large_disk_is_little(free_bytes, level) -> None:
    assert LIMITS.level(Room(BIG, free_bytes), ENOUGH) is level


@pytest.mark.parametrize(("free_bytes", "level"), [(GIB, ENOUGH), (GIB - 1, LOW)])
def test_less_than_so_many_bytes_of_a_small_disk_is_little(free_bytes, level) -> None:
    assert LIMITS.level(Room(8 * GIB, free_bytes), ENOUGH) is level


def test_it_is_enough_again_only_a_tenth_above_the_limit() -> None:
    limit = 5 * GIB
    assert LIMITS.level(Room(BIG, limit + limit // 10 - 1), LOW) is LOW
    assert LIMITS.level(Room(BIG, limit + limit // 10), LOW) is ENOUGH


def test_people_are_warned_no_later_than_the_table_stops() -> None:
    assert DiskLimits(MIB, 0, 64 * MIB).warn_below(Room(BIG, 0)) == 64 * MIB


# --- looking --------------------------------------------------------------------------------------


def test_one_input_a_change_of_level(watched) -> None:
    disk, watch = watched
    put: list[DiskSpace] = []
    for free_bytes in (50 * GIB, GIB, GIB - 1, 50 * GIB, 51 * GIB, MIB, 0):
        disk.free_bytes = free_bytes
        watch.look(put.append)
    warn = 5 * GIB
    assert put == [
        DiskSpace(AT, LOW, GIB, warn, 64 * MIB),
        DiskSpace(AT, ENOUGH, 50 * GIB, warn, 64 * MIB),
        DiskSpace(AT, STOP, MIB, warn, 64 * MIB),
    ]


def test_the_reserve_is_really_on_the_disk_and_is_given_up_before_the_last_words(watched) -> None:
    disk, watch = watched
    watch.keep_reserve()
    reserve = watch._folder / "reserve"
    assert reserve.stat().st_blocks * 512 >= RESERVE_BYTES
    there: list[bool] = []
    for free_bytes in (GIB, MIB):
        disk.free_bytes = free_bytes
        watch.look(lambda _item: there.append(reserve.exists()))
    assert there == [True, False]


def test_a_reserve_that_cannot_be_held_is_told_and_no_more(tmp_path, caplog) -> None:
    (tmp_path / "reserve").mkdir()
    DiskWatch(tmp_path, LIMITS, lambda: AT).keep_reserve()
    assert caplog.messages == [
        f"{tmp_path}/reserve: cannot hold a reserve of 1 MiB: Is a directory"
    ]


def test_a_disk_that_cannot_be_looked_at_is_told_once_until_it_can(watched, caplog) -> None:
    disk, watch = watched
    for gone in (True, True, False, True):
        disk.gone = gone
        watch.look(lambda _item: pytest.fail("nothing is known"))
    words = f"{watch._folder}: cannot tell how much room is left: Input/output error"
    assert caplog.messages == [words, words]


def test_it_looks_again_and_again_until_it_is_stopped(watched, monkeypatch) -> None:
    disk, watch = watched
    monkeypatch.setattr(DiskWatch, "INTERVAL_S", 0.001)
    watch.start(lambda _item: None)
    looked = [disk.looked.acquire(timeout=10) for _ in range(3)]
    watch.stop()
    watch.join()
    assert looked == [True, True, True]


def test_the_room_of_a_folder_that_is_not_made_yet_is_that_of_the_disk_it_will_be_on(
    tmp_path,
) -> None:
    room = room_at(tmp_path / "not" / "yet")
    found = os.statvfs(tmp_path)
    assert room.total_bytes == found.f_blocks * found.f_frsize
    assert 0 < room.free_bytes <= room.total_bytes


# --- words ----------------------------------------------------------------------------------------


NEEDED = 64 * MIB + 64 * MIB // 10


@pytest.mark.parametrize(("held", "needed"), [(False, NEEDED + MIB), (True, NEEDED)])
def test_a_start_without_room_is_refused_with_the_numbers_and_the_remedy(
    watched, held, needed
) -> None:
    disk, watch = watched
    if held:
        watch.keep_reserve()
    disk.free_bytes = needed
    assert watch.refusal() == ""
    disk.free_bytes = needed - 1
    refusal = watch.refusal()
    free = "70.3 MiB" if held else "71.3 MiB"
    assert refusal.startswith(f"{watch._folder}: {free} are free on the disk of the journal, and")
    assert "below 70.3 MiB no table runs" in refusal
    assert "`smartshoe journal prune`" in refusal


def test_a_disk_that_cannot_be_looked_at_refuses_no_start(watched) -> None:
    disk, watch = watched
    disk.gone = True
    assert watch.refusal() == ""


def test_the_log_has_a_line_for_each_thing_and_leaves_the_end_to_the_table(caplog) -> None:
    caplog.set_level(logging.INFO)
    entries = (
        DiskNoted(LOW, GIB, 5 * GIB),
        DiskNoted(ENOUGH, 9 * GIB, 5 * GIB),
        DiskNoted(STOP, MIB, 64 * MIB),
        ClockStepped(3_000_000_000, 1_795_003_200_000_000_000, ClockEvidence.SAME_BOOT),
    )
    tell_host(Stored((Conclusion(Tick(AT), entries),), (), AT, None))
    told = [(one.levelname, one.getMessage().split(":")[0][:40]) for one in caplog.records]
    assert told == [
        ("WARNING", "only 1.0 GiB are free on the disk of the"),
        ("INFO", "9.0 GiB are free on the disk of the jour"),
        ("WARNING", "the machine's clock was set forward by 3"),
    ]
