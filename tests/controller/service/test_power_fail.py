"""A sign that the power fails stops the table: stored last, and nobody far away is waited for."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive import log_writer
from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.core.state import Stored
from controller.core.tape.entries import PowerFailRecorded
from controller.core.tape.inputs import PowerFailing, PowerSign
from controller.core.tape.records import inputs_in, read_entry, read_input
from controller.journal.evidence_log.leaf import LeafKind
from controller.journal.evidence_log.log import leaves_newest_first
from controller.journal.log_database import LogDatabase
from controller.journal.store import open_read_only
from controller.journal.verify import verify
from controller.rules.profiles.load import load_clauses
from controller.service.config.table_config import PowerSettings
from controller.service.power_fail import PowerFail, PowerLines
from controller.table.table import Health, RunSpec, Table
from firmware_bridge.gpio.chip import GpioUnavailable
from firmware_bridge.gpio.line import GpioLine
from foundation.timestamp import Timestamp

HALF_A_COUP = ("53", "50", "44 C0 91", "44 D1 C7", "44 81 C9", "44 91 92")
THE_REST = ("44 82 AD", "44 92 B5", "47 90")


def stored(folder: Path) -> list[object]:
    with open_read_only(folder) as journal:
        assert journal.verify_all() is None
        values: list[object] = []
        for one in journal.records():
            item = read_input(one.record)
            values.extend(inputs_in(item) if item is not None else [read_entry(one.record)])
        return values


Started = Callable[..., Table]


@pytest.fixture
def started(fast_dir: Path, script) -> Iterator[Started]:
    tables: list[Table] = []

    def start(dealt, sealer: Sealer | None = None) -> Table:
        spec = RunSpec(
            fast_dir,
            load_clauses(),
            lambda replaced: replace(dealt.started, at=dealt.at, replaced=replaced),
            sealer=sealer,
        )
        tables.append(Table("M7", spec, lambda: dealt.at))
        return tables[-1]

    yield start
    for table in tables:
        table.stop()
        table.join()


def put(table: Table, dealt, *reports: str) -> None:
    before = len(dealt.inputs)
    dealt.reported(*reports)
    for item in dealt.inputs[before:]:
        assert table.act(item, 60.0) is not None


def test_the_first_sign_is_stored_last_and_the_table_stops(started, script, fast_dir) -> None:
    dealt = script().begun()
    table = started(dealt)
    power = PowerFail(table)
    table.start()
    table.act(dealt.inputs[1], 60.0)
    put(table, dealt, *HALF_A_COUP)

    power.fails(PowerSign.LINE)
    power.fails(PowerSign.SIGNAL)
    table.join()

    assert table.health is Health.STOPPED
    assert stored(fast_dir)[-2:] == [
        PowerFailing(dealt.at, PowerSign.LINE),
        PowerFailRecorded(PowerSign.LINE),
    ]


def test_without_a_sign_a_stop_says_nothing_of_power(started, script, fast_dir) -> None:
    table = started(script().begun())
    PowerFail(table)
    table.start()
    table.stop()
    table.join()

    assert not any(isinstance(one, PowerFailing) for one in stored(fast_dir))


class HeldSealer(Sealer):
    """A sealer that never gets on with what is stored, as behind a flood or a disk that hangs."""

    def __init__(self, folder: Path) -> None:
        super().__init__("M7", SigningSettings(folder / "table.key"), lambda: Timestamp(1, 2))
        self.released = threading.Event()

    def stored(self, stored: Stored) -> None:
        self.released.wait()
        super().stored(stored)


def test_a_stop_leaves_what_is_not_sealed_to_the_next_start(started, script, fast_dir) -> None:
    """SIGTERM ends a table within two seconds, whatever waits (P20)."""
    dealt, held = script().begun(), HeldSealer(fast_dir)
    table = started(dealt, held)
    table.start()
    table.act(dealt.inputs[1], 60.0)
    put(table, dealt, *HALF_A_COUP, *THE_REST)

    table.stop()
    table.join()

    assert table.health is Health.STOPPED
    with LogDatabase.open_read_only(fast_dir) as log:
        kinds = [one.kind for one in leaves_newest_first(log)]
    assert LeafKind.COUP not in kinds
    assert LeafKind.STOP not in kinds
    held.released.set()
    after = started(script().begun(), sealer_of(fast_dir))
    after.start()
    assert after.health is Health.RUNNING
    after.stop()
    after.join()
    assert verify(fast_dir).intact


def sealer_of(folder: Path) -> Sealer:
    return Sealer("M7", SigningSettings(folder / "table.key"), lambda: Timestamp(1, 2))


class Line:
    """In place of a GPIO line: active once the test says so. Notes who takes it, and its end."""

    def __init__(self) -> None:
        self.active = threading.Event()
        self.taken = 0
        self.given_back = 0

    def take(self, _line: GpioLine, _consumer: str, *, active_low: bool) -> "Line":
        self.taken += 1
        return self

    def wait(self, ended: threading.Event) -> bool:
        while not ended.is_set():
            if self.active.wait(0.01):
                return True
        return False

    def close(self) -> None:
        self.given_back += 1


class PowerOfTable(PowerFail):
    """Notes the first sign, and stops no table."""

    def __init__(self) -> None:
        self.failed = threading.Event()

    def fails(self, sign: PowerSign) -> None:
        assert sign is PowerSign.LINE
        self.failed.set()


WHEN_LOW = PowerSettings(GpioLine(Path("/dev/gpiochip0"), 4), active_low=True)


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Line:
    line = Line()
    monkeypatch.setattr("firmware_bridge.gpio.chip.GpioInput", line.take)
    return line


def test_one_line_is_taken_once_and_stops_every_table_that_names_it(line: Line) -> None:
    lines, tables = PowerLines(), [PowerOfTable(), PowerOfTable()]
    for table in tables:
        lines.watch(WHEN_LOW, table)
    line.active.set()
    assert all(table.failed.wait() for table in tables)

    lines.leave(tables[0])
    assert (line.taken, line.given_back) == (1, 0)
    lines.leave(tables[1])
    assert (line.taken, line.given_back) == (1, 1)


def test_a_table_that_starts_while_the_power_fails_is_stopped(line: Line) -> None:
    lines, first, second = PowerLines(), PowerOfTable(), PowerOfTable()
    lines.watch(WHEN_LOW, first)
    line.active.set()
    assert first.failed.wait()

    lines.watch(WHEN_LOW, second)

    assert second.failed.wait()
    lines.leave(first)
    lines.leave(second)


def test_a_line_that_two_tables_read_differently_is_refused(line: Line) -> None:
    lines, table = PowerLines(), PowerOfTable()
    lines.watch(WHEN_LOW, table)
    with pytest.raises(GpioUnavailable, match="Remedy: write the same active_low in both"):
        lines.watch(replace(WHEN_LOW, active_low=False), PowerOfTable())
    lines.leave(table)


def test_the_end_waits_for_no_witness(started, script, fast_dir, monkeypatch) -> None:
    asked = threading.Event()
    monkeypatch.setattr(log_writer.Witnesses, "end", lambda _self: asked.set())
    table = started(script().begun(), sealer_of(fast_dir))
    power = PowerFail(table)
    table.start()
    power.fails(PowerSign.SIGNAL)
    table.join()

    assert not asked.is_set()


class HangingSealer(Sealer):
    """A sealer whose program never signs."""

    def __init__(self, folder: Path) -> None:
        super().__init__("M7", SigningSettings(folder / "table.key"), lambda: Timestamp(1, 2))
        self.signed = threading.Event()

    def stored(self, stored: Stored) -> None:
        self.signed.wait()
        super().stored(stored)


def test_the_end_waits_for_no_signature_and_the_next_start_says_what_is_missing(
    started, script, fast_dir: Path
) -> None:
    sealer = HangingSealer(fast_dir)
    table = started(script().begun(), sealer)
    power = PowerFail(table)
    table.start()
    power.fails(PowerSign.SIGNAL)
    table.join()
    assert table.health is Health.STOPPED
    assert leaf_kinds(fast_dir) == [LeafKind.COMMISSIONED]
    sealer.signed.set()

    table = started(script().begun(), sealer_of(fast_dir))
    table.start()
    table.stop()
    table.join()

    assert leaf_kinds(fast_dir) == [
        *(LeafKind.STOP, LeafKind.START, LeafKind.START, LeafKind.COMMISSIONED)
    ]


def leaf_kinds(folder: Path) -> list[LeafKind]:
    """What the evidence log says, the newest first."""
    with LogDatabase.open_read_only(folder) as log:
        return [one.kind for one in leaves_newest_first(log)]
