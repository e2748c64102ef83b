"""A table on a disk that really fills up: a small file system of its own, filled to the last page.

Responsible for: everything that was acknowledged being there afterwards, the last words, the exit,
a refused start, and going on once there is room.
Not responsible for: limits and levels (test_disk_watch).
Source: package README, "Disk space", "Store before you act"; mount(8), tmpfs(5).
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from controller.journal.store import open_read_only
from controller.procedure.effects import CoupClosed
from controller.profiles.load import load_clauses
from controller.replay.recovery import recover
from controller.table.disk_space import MIB, DiskLimits, DiskWatch, room_at
from controller.table.table import Beginning, Health, Table
from controller.tape.entries import DiskNoted
from controller.tape.inputs import DiskLevel
from controller.tape.records import inputs_in, read_entry, read_input
from firmware_bridge.transport.port import Chunk

NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
ROOT = Path(__file__).resolve().parents[3]
SIZE = 6 * MIB
LIMITS = DiskLimits(3 * MIB, 0, 2 * MIB)
# A table that nobody watches: only SQLite finds out that nothing can be stored.
UNWATCHED = DiskLimits(1, 0, 0)


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A file system of 6 MiB. Who may not mount one cannot tell whether a full disk is survived."""
    place = tmp_path / "disk"
    place.mkdir()
    options = f"size={SIZE},mode=0750"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "smartshoe-test", str(place)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode and os.geteuid():
        pytest.skip("needs to be root: it mounts a file system of its own")
    assert not mounted.returncode, mounted.stderr
    try:
        yield place
    finally:
        # Lazily: a test that failed may have left a table that still holds its files.
        subprocess.run(["umount", "--lazy", str(place)], check=True)


class Dealt:
    """A table on that disk, and what it has acknowledged of a script."""

    def __init__(self, place: Path, script, limits: DiskLimits) -> None:
        self.folder = place / "journal"
        self.script = script
        self.acknowledged: list[object] = []
        self.watch = DiskWatch(self.folder, limits, lambda: script.at)
        beginning = Beginning(
            self.folder,
            load_clauses(),
            lambda replaced: replace(script.started, at=script.at, replaced=replaced),
            no_room=self.watch.refusal,
        )
        self.table = Table("M7", beginning, lambda: script.at)

    def start(self) -> "Dealt":
        self.table.start()
        if self.table.health is Health.RUNNING:
            self.watch.keep_reserve()
        return self

    def put(self, *data: str) -> bool:
        """Whether all of it was acknowledged."""
        before = len(self.script.inputs)
        self.script.reported(*data)
        for item in self.script.inputs[before:]:
            if self.table.act(item, 60.0) is None:
                return False
            self.acknowledged.append(item)
        return True

    def end(self) -> None:
        self.table.stop()
        self.table.join()


def fill(place: Path, leave_bytes: int) -> None:
    """Another program takes the room."""
    with (place / "filler").open("ab", buffering=0) as filler:
        while (free := room_at(place).free_bytes) > leave_bytes:
            filler.write(bytes(min(free - leave_bytes, MIB // 4)))


def stored(folder: Path) -> list[object]:
    with open_read_only(folder) as journal:
        assert journal.verify_all() is None
        values: list[object] = []
        for one in journal.records():
            item = read_input(one.record)
            values.extend(inputs_in(item) if item is not None else [read_entry(one.record)])
        return values


class Program:
    """`smartshoe run` on that disk, no shoe plugged in."""

    def __init__(self, place: Path) -> None:
        self.file = place.parent / "table.toml"
        self.file.write_text(
            f'''
[table]
name = "M7"
[shoe]
port = "{place.parent}/no-such-port"
[metrics]
enabled = false
[control]
socket = "{place.parent}/control.sock"
[journal]
folder = "{place}/journal"
warn_free_mib = 3
warn_free_percent = 0
stop_free_mib = 2
'''
        )

    def start(self) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "controller.cli.main", "run", "--config", str(self.file)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        )


def test_the_program_ends_with_1_on_a_disk_that_fills_and_starts_with_4_until_there_is_room(
    small_disk,
) -> None:
    program = Program(small_disk)
    running = program.start()
    assert running.stderr is not None
    begun = next(line for line in running.stderr if "runs; journal" in line)
    assert "table M7" in begun
    fill(small_disk, MIB)
    said = running.communicate(timeout=60)[1]
    assert (running.returncode, "and below 2.0 MiB no table runs" in said) == (1, True)

    refused = program.start()
    said = refused.communicate(timeout=60)[1]
    assert (refused.returncode, "then start the table again" in said) == (4, True)


def test_the_table_ends_before_the_disk_is_full_and_says_so_in_the_journal(
    small_disk, script
) -> None:
    dealt = Dealt(small_disk, script(), LIMITS).start()
    assert dealt.put(*NEW_SHOE)
    levels = []
    leave = 4 * MIB
    while dealt.table.health is Health.RUNNING:
        leave -= MIB // 4
        fill(small_disk, max(leave, 0))
        dealt.watch.look(lambda item: levels.append(dealt.table.act(item, 60.0)))
        if not dealt.put(*COUP):
            break
    dealt.end()

    assert [one.level for put in levels for one in put] == [DiskLevel.LOW, DiskLevel.STOP]
    assert dealt.table.health is Health.STORE_FAILED
    assert "no table runs: what it is told could not be kept" in dealt.table.failure
    assert dealt.table.failure.startswith(f"{dealt.folder}: 1.")
    kept = stored(dealt.folder)
    assert [one for one in kept if isinstance(one, Chunk)] == dealt.acknowledged
    assert isinstance(kept[-1], DiskNoted)
    assert kept[-1].level is DiskLevel.STOP
    assert sum(isinstance(one, CoupClosed) for one in kept) >= 3


def test_the_reserve_makes_room_for_the_last_words_on_a_disk_without_a_byte_left(
    small_disk, script
) -> None:
    dealt = Dealt(small_disk, script(), LIMITS).start()
    assert dealt.put(*NEW_SHOE, *COUP)
    fill(small_disk, 0)
    assert room_at(small_disk).free_bytes == 0
    told = []
    dealt.watch.look(lambda item: told.append(dealt.table.act(item, 60.0)))
    dealt.end()

    assert dealt.table.health is Health.STORE_FAILED
    kept = stored(dealt.folder)
    assert kept[-1] == told[0][0] == DiskNoted(DiskLevel.STOP, 0, LIMITS.stop_bytes)
    assert [one for one in kept if isinstance(one, Chunk)] == dealt.acknowledged


def test_a_disk_that_fills_unseen_stops_the_table_too_and_loses_nothing_acknowledged(
    small_disk, script
) -> None:
    dealt = Dealt(small_disk, script(), UNWATCHED).start()
    assert dealt.put(*NEW_SHOE)
    fill(small_disk, 0)
    (dealt.folder / "reserve").unlink()
    coups = 0
    while dealt.put(*COUP):
        coups += 1
        fill(small_disk, 0)
    dealt.end()

    assert dealt.table.health is Health.STORE_FAILED
    assert "the disk is full" in dealt.table.failure
    kept = [one for one in stored(dealt.folder) if isinstance(one, Chunk)]
    assert kept[: len(dealt.acknowledged)] == dealt.acknowledged
    assert len(kept) - len(dealt.acknowledged) <= 1


def test_no_table_starts_on_a_full_disk_and_it_goes_on_where_it_was_once_there_is_room(
    small_disk, script
) -> None:
    running = script()
    dealt = Dealt(small_disk, running, LIMITS).start()
    assert dealt.put(*NEW_SHOE, *COUP)
    fill(small_disk, MIB)
    dealt.watch.look(lambda item: dealt.table.act(item, 60.0))
    dealt.end()

    refused = Dealt(small_disk, running, LIMITS).start()
    refused.end()
    assert refused.table.health is Health.REFUSED
    assert "then start the table again" in refused.table.failure

    (small_disk / "filler").unlink()
    again = Dealt(small_disk, running, LIMITS).start()
    running.opened()
    assert again.table.act(running.inputs[-1], 60.0) is not None
    assert again.table.published[1].table.shoe.coups_begun == 1
    assert again.table.published[1].host.disk is None
    again.end()
    assert again.table.health is Health.STOPPED
    with open_read_only(dealt.folder) as journal:
        assert recover(journal, load_clauses()).shoe_open
