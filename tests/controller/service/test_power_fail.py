"""A sign that the power fails stops the table: stored last, and nobody far away is waited for.

Source: controller/table/README.md, "Power fail".
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.archive import log_writer
from controller.archive.sealer import Sealer
from controller.archive.signer import SigningSettings
from controller.core.state import Stored
from controller.evidence_log.leaf import LeafKind
from controller.evidence_log.log import leaves_newest_first
from controller.journal.log_database import LogDatabase
from controller.journal.store import open_read_only
from controller.profiles.load import load_clauses
from controller.service.power_fail import PowerFail
from controller.table.table import Health, RunSpec, Table
from controller.tape.entries import PowerFailRecorded
from controller.tape.inputs import PowerFailing, PowerSign
from controller.tape.records import inputs_in, read_entry, read_input
from firmware_bridge.timestamp import Timestamp

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
    power = PowerFail(table, None)
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
    PowerFail(table, None)
    table.start()
    table.stop()
    table.join()

    assert not any(isinstance(one, PowerFailing) for one in stored(fast_dir))


def sealer_of(folder: Path) -> Sealer:
    return Sealer("M7", SigningSettings(folder / "table.key"), lambda: Timestamp(1, 2))


def test_the_end_waits_for_no_witness(started, script, fast_dir, monkeypatch) -> None:
    asked = threading.Event()
    monkeypatch.setattr(log_writer.Witnesses, "end", lambda _self: asked.set())
    table = started(script().begun(), sealer_of(fast_dir))
    power = PowerFail(table, None)
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
    power = PowerFail(table, None)
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
