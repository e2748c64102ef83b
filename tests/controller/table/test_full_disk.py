"""A table on a small file system that really fills up.

Source: mount(8), tmpfs(5).
"""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive.replay.recovery import recover
from controller.core.tape.entries import DiskLevelRecorded
from controller.core.tape.inputs import DiskLevel, DiskSpace
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal import store
from controller.journal.store import Journal, open_read_only
from controller.procedure.effects import CoupClosed
from controller.rules.profiles.load import load_clauses
from controller.service.table_program import StartRefused, TableFailed, _raise_failure
from controller.system.command_line.errors import ExitCode, report_error
from controller.table.disk_space import MIB, DiskLimits, DiskMonitor, disk_usage
from controller.table.table import Health, RunSpec, Table
from firmware_bridge.transport.port import Chunk
from hil.rig.small_disk import empty, fill
from hil.rig.small_disk import small_disk as mounted_disk

NEW_SHOE = ("53", "50", "44 C0 91", "44 D1 C7")
COUP = ("44 81 C9", "44 91 92", "44 82 AD", "44 92 B5", "47 90")
RUN = (sys.executable, "-m", "controller.cli.main", "run", "--as-root")
ROOT = Path(__file__).resolve().parents[3]
SIZE = 6 * MIB
LIMITS = DiskLimits(3 * MIB, 0, 2 * MIB)
# Limits below which the monitor never acts: only SQLite finds that the disk is full.
UNWATCHED = DiskLimits(1, 0, 0)


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    """A small file system."""
    with mounted_disk(tmp_path / "disk", SIZE) as place:
        yield place


class DealtTable:
    """A table on that disk, and the script's inputs that it acknowledged."""

    def __init__(self, place: Path, script, limits: DiskLimits) -> None:
        self.folder = place / "journal"
        self.script = script
        self.acknowledged: list[object] = []
        self.monitor = DiskMonitor(self.folder, limits, lambda: script.at)
        beginning = RunSpec(
            self.folder,
            load_clauses(),
            lambda replaced: replace(script.started, at=script.at, replaced=replaced),
            disk_refusal=self.monitor.refusal,
        )
        self.table = Table("M7", beginning, lambda: script.at)

    def start(self) -> "DealtTable":
        self.table.start()
        if self.table.health is Health.RUNNING:
            self.monitor.allocate_reserve()
        return self

    def put(self, *data: str) -> bool:
        """Put reports; whether all were acknowledged."""
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
            [*RUN, "--config", str(self.file)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        )


def ended_with(table: Table) -> int:
    """The exit code of `smartshoe run` once this table has ended."""
    with pytest.raises((StartRefused, TableFailed)) as ended:
        _raise_failure(table)
    return report_error(ended.value)


def test_a_disk_below_its_limit_has_the_exit_code_of_a_start_on_it(tmp_path, script) -> None:
    dealt = DealtTable(tmp_path, script(), LIMITS).start()
    stop = DiskSpace(dealt.script.at, DiskLevel.STOP, 0, LIMITS.warn_bytes, LIMITS.stop_bytes)
    assert dealt.table.act(stop, 60.0) is not None
    dealt.end()
    assert dealt.table.health is Health.STORE_FAILED
    assert ended_with(dealt.table) == ExitCode.NO_TABLE

    refused = DealtTable(tmp_path, dealt.script, DiskLimits(stop_bytes=1 << 62)).start()
    refused.end()
    assert refused.table.health is Health.REFUSED
    assert ended_with(refused.table) == ExitCode.NO_TABLE


@pytest.mark.parametrize(
    ("kind", "code"),
    [(sqlite3.SQLITE_FULL, ExitCode.NO_TABLE), (sqlite3.SQLITE_IOERR, ExitCode.NO)],
)
def test_a_store_that_finds_the_disk_full_has_it_too_and_another_error_not(
    tmp_path, script, monkeypatch: pytest.MonkeyPatch, kind: int, code: int
) -> None:
    dealt = DealtTable(tmp_path, script(), UNWATCHED).start()
    monkeypatch.setattr(store, "error_kind", lambda _error: kind)
    monkeypatch.setattr(Journal, "_saved_state_row", failing)
    monkeypatch.setattr(store, "link", failing)
    assert not dealt.put(*NEW_SHOE)
    dealt.end()
    assert dealt.table.health is Health.STORE_FAILED
    assert ended_with(dealt.table) == code


def failing(*_: object) -> None:
    raise sqlite3.OperationalError


@pytest.mark.needs("mount")
def test_the_program_exits_with_4_on_a_full_disk_in_play_and_at_each_start(
    small_disk,
) -> None:
    program = Program(small_disk)
    running = program.start()
    assert running.stderr is not None
    begun = next(line for line in running.stderr if "is running; journal" in line)
    assert "table M7" in begun
    fill(small_disk, MIB)
    errors = running.communicate()[1]
    assert (running.returncode, "and below 2.0 MiB no table runs" in errors) == (4, True)

    refused = program.start()
    errors = refused.communicate()[1]
    assert (refused.returncode, "then start the table again" in errors) == (4, True)


@pytest.mark.needs("mount")
def test_the_table_stops_before_the_disk_is_full_and_records_it(small_disk, script) -> None:
    dealt = DealtTable(small_disk, script(), LIMITS).start()
    assert dealt.put(*NEW_SHOE)
    levels = []
    leave = 4 * MIB
    while dealt.table.health is Health.RUNNING:
        leave -= MIB // 4
        fill(small_disk, max(leave, 0))
        dealt.monitor.check(lambda item: levels.append(dealt.table.act(item, 60.0)))
        if not dealt.put(*COUP):
            break
    dealt.end()

    assert [one.level for put in levels for one in put] == [
        DiskLevel.ENOUGH,
        DiskLevel.LOW,
        DiskLevel.STOP,
    ]
    assert dealt.table.health is Health.STORE_FAILED
    assert "no table runs: its inputs could not be stored" in dealt.table.failure
    assert dealt.table.failure.startswith(f"{dealt.folder}: 1.")
    records = stored(dealt.folder)
    assert [one for one in records if isinstance(one, Chunk)] == dealt.acknowledged
    assert isinstance(records[-1], DiskLevelRecorded)
    assert records[-1].level is DiskLevel.STOP
    assert sum(isinstance(one, CoupClosed) for one in records) >= 3


@pytest.mark.needs("mount")
def test_the_reserve_leaves_space_for_the_last_records_on_a_full_disk(small_disk, script) -> None:
    dealt = DealtTable(small_disk, script(), LIMITS).start()
    assert dealt.put(*NEW_SHOE, *COUP)
    fill(small_disk, 0)
    assert disk_usage(small_disk).free_bytes == 0
    answers = []
    dealt.monitor.check(lambda item: answers.append(dealt.table.act(item, 60.0)))
    dealt.end()

    assert dealt.table.health is Health.STORE_FAILED
    records = stored(dealt.folder)
    assert records[-1] == answers[0][0] == DiskLevelRecorded(DiskLevel.STOP, 0, LIMITS.stop_bytes)
    assert [one for one in records if isinstance(one, Chunk)] == dealt.acknowledged


@pytest.mark.needs("mount")
def test_a_disk_that_fills_between_checks_loses_nothing_acknowledged(small_disk, script) -> None:
    dealt = DealtTable(small_disk, script(), UNWATCHED).start()
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
    records = [one for one in stored(dealt.folder) if isinstance(one, Chunk)]
    assert records[: len(dealt.acknowledged)] == dealt.acknowledged
    assert len(records) - len(dealt.acknowledged) <= 1


@pytest.mark.needs("mount")
def test_a_table_starts_again_where_it_was_once_there_is_space(small_disk, script) -> None:
    running = script()
    dealt = DealtTable(small_disk, running, LIMITS).start()
    assert dealt.put(*NEW_SHOE, *COUP)
    fill(small_disk, MIB)
    dealt.monitor.check(lambda item: dealt.table.act(item, 60.0))
    dealt.end()

    refused = DealtTable(small_disk, running, LIMITS).start()
    refused.end()
    assert refused.table.health is Health.REFUSED
    assert "then start the table again" in refused.table.failure

    empty(small_disk)
    again = DealtTable(small_disk, running, LIMITS).start()
    running.opened()
    assert again.table.act(running.inputs[-1], 60.0) is not None
    assert again.table.published[1].table.shoe.coups_begun == 1
    assert again.table.published[1].host.disk is None
    again.end()
    assert again.table.health is Health.STOPPED
    with open_read_only(dealt.folder) as journal:
        assert recover(journal, load_clauses()).shoe_open
