"""The metrics of the shuffler: shuffles, warnings, batches and trust."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from controller.core.build import build_core
from controller.core.core import Core
from controller.core.settings import DeviceSettings, Settings, ShufflerDeviceSettings
from controller.core.state import Conclusion, CoreState, DeviceIdentity, Stored
from controller.core.stored_settings import SETTINGS
from controller.core.tape.entries import Entry
from controller.core.tape.inputs import Started, Tick
from controller.custody.batch_life.facts import ShuffleRecorded
from controller.custody.batch_life.stages import BatchStage
from controller.custody.batch_life.state import (
    BatchLife,
    BlockReason,
    Lineage,
    OpenWarning,
    WarningKind,
)
from controller.outlets.metrics.page import TablesCollector
from controller.outlets.metrics.table_metrics import TableMetrics, device_labels
from controller.procedure.effects import WarningClosed, WarningOpened
from controller.rules.profiles.load import load_clauses, profile_text
from controller.service.config.time_zone import zone_data
from controller.table.table import Health
from drivers.shuffler_events import ShuffleProof, ShuffleResult
from firmware_bridge.transport.port import PortOpened
from foundation.message import message
from foundation.timestamp import Timestamp

AT = Timestamp(5_000_000_000, 1_763_715_600_000_000_000)
PORT = "socket://127.0.0.1:4002"
SHOE = DeviceSettings("/dev/shoe", "angel-eye-ii-ex")
SHUFFLER = ShufflerDeviceSettings(PORT, "tablelink")
PROOF = ShuffleProof(
    *("5A01", 77, 12, 31, 1, 416, ShuffleResult.GOOD, "red", b"", 0, 1, b"", "1.4.0", b""),
    signed=True,
    genuine=True,
)
NAMES = ("shuffles_total", "shuffler_warnings_total", "batch_stage", "device_trusted")
SILENT = message("shuffler_silent")


def core_with(shuffler: ShufflerDeviceSettings | None) -> Core:
    settings = Settings("M7", "3", 8, 0, (), SHOE, shuffler=shuffler)
    profile = profile_text("s42-mini").encode()
    started = Started(AT, "boot", "1", SETTINGS.encode(settings), profile, zone_data("UTC"), "")
    return build_core(started, load_clauses())


@pytest.fixture(name="core", scope="module")
def core_fixture() -> Core:
    return core_with(SHUFFLER)


class ShownTable:
    """A table whose published state tests set, and its metrics."""

    name = "M7"
    health = Health.RUNNING
    sealing_status = None
    followers = ()
    waiting = 0

    def __init__(self, core: Core) -> None:
        self.published = (core, core.initial())
        self.metrics = TableMetrics(self, devices=device_labels(core.settings))

    def text(self) -> str:
        return generate_latest(TablesCollector([self.metrics])).decode()


@pytest.fixture
def table(core: Core) -> ShownTable:
    return ShownTable(core)


def scraped(table: ShownTable, core: Core, state: CoreState) -> Callable[..., float | None]:
    table.published = (core, state)
    families = list(text_string_to_metric_families(table.text()))

    def value(name: str, **labels: str) -> float | None:
        found = (
            sample.value
            for family in families
            for sample in family.samples
            if sample.name == f"smartshoe_{name}"
            and sample.labels == {**labels, "table": "M7", "pit": ""}
        )
        return next(found, None)

    return value


def with_lineage(core: Core, lineage: Lineage) -> CoreState:
    state = core.initial()
    return replace(state, table=replace(state.table, lineage=lineage))


def counted(table: ShownTable, core: Core, *entries: Entry) -> Callable[..., float | None]:
    stored = Stored((Conclusion(Tick(AT), entries),), (), AT, core.initial(), core.book)
    table.metrics.stored(stored)
    return scraped(table, core, core.initial())


# --- counts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("result", ShuffleResult)
def test_a_shuffle_counts_by_its_result(table, core, result) -> None:
    before = counted(table, core)("shuffles_total", result=result.value)
    done = ShuffleRecorded("red", replace(PROOF, result=result), None, ())
    assert (before, counted(table, core, done)("shuffles_total", result=result.value)) == (0, 1)


def test_a_refused_receipt_counts_as_refused(table, core) -> None:
    refused = ShuffleRecorded("red", PROOF, message("from_another_device"), ())
    now = counted(table, core, refused)
    assert now("shuffles_total", result="good") == 0
    assert now("shuffles_total", result="refused") == 1


@pytest.mark.parametrize("kind", WarningKind)
def test_every_warning_kind_starts_at_zero(table, core, kind) -> None:
    before = counted(table, core)("shuffler_warnings_total", kind=kind.value)
    given = WarningOpened(1, kind, 0, SILENT, ())
    after = counted(table, core, given)("shuffler_warnings_total", kind=kind.value)
    assert (before, after) == (0, 1)


def test_the_time_until_a_warning_is_cleared(table, core) -> None:
    closed = [
        WarningClosed(number, WarningKind.DOOR, "A. Floor", "shut", seconds * 10**9)
        for number, seconds in ((1, 8), (2, 45))
    ]
    now = counted(table, core, *closed)
    assert now("shuffler_warning_wait_seconds_count") == 2
    assert now("shuffler_warning_wait_seconds_sum") == 53
    assert now("shuffler_warning_wait_seconds_bucket", le="10.0") == 1
    assert now("shuffler_warning_wait_seconds_bucket", le="60.0") == 2


def test_a_table_without_a_shuffler_has_no_shuffler_metrics() -> None:
    core = core_with(None)
    table = ShownTable(core)
    counted(table, core, WarningOpened(1, WarningKind.DOOR, 0, SILENT, ()))
    text = table.text()
    assert not [name for name in NAMES if name in text]


# --- the state ------------------------------------------------------------------------------------

LIVES = (
    BatchLife("red", BatchStage.IN_PLAY),
    BatchLife("blue", BatchStage.HELD, block_reasons=(BlockReason.SHORT, BlockReason.TOUCHED)),
)


def test_each_batch_has_one_stage(table, core) -> None:
    now = scraped(table, core, with_lineage(core, Lineage(lives=LIVES)))
    for life in LIVES:
        stages = {one: now("batch_stage", back=life.back, stage=one.value) for one in BatchStage}
        assert stages == {one: float(one is life.stage) for one in BatchStage}


def test_the_block_reasons_of_a_batch_are_counted(table, core) -> None:
    now = scraped(table, core, with_lineage(core, Lineage(lives=LIVES)))
    assert (now("batch_bars", back="red"), now("batch_bars", back="blue")) == (0, 2)


def test_open_warnings_and_the_oldest_of_them(table, core) -> None:
    warnings = tuple(
        OpenWarning(number, WarningKind.JAM, 0, SILENT, since_s * 10**9, active=True)
        for number, since_s in ((1, 1_763_715_700), (2, 1_763_715_600))
    )
    now = scraped(table, core, with_lineage(core, Lineage(lives=LIVES, warnings=warnings)))
    assert now("shuffler_warnings_open") == 2
    assert now("shuffler_warning_since_seconds") == 1_763_715_600


def test_with_no_warning_open_there_is_no_oldest(table, core) -> None:
    now = scraped(table, core, with_lineage(core, Lineage(lives=LIVES)))
    assert now("shuffler_warnings_open") == 0
    assert now("shuffler_warning_since_seconds") is None


def test_an_offline_shuffler_is_not_trusted(table, core) -> None:
    now = scraped(table, core, with_lineage(core, Lineage(trusted=True)))
    assert now("device_trusted", device="shuffler") == 0
    assert now("device_trusted", device="dealing_shoe") is None


def test_a_bare_shuffler_is_shown(table, core) -> None:
    now = scraped(table, core, with_lineage(core, Lineage(trusted=True, bare=True)))
    assert now("device_bare", device="shuffler") == 1


def test_the_shuffler_is_labelled_by_its_role(table, core) -> None:
    state, _ = core.handle(core.initial(), PortOpened(PORT, AT, bytes(32)))
    now = scraped(table, core, state)
    assert now("device_stage", device="shuffler", stage="opened") == 1
    assert now("device_stage", device=PORT, stage="opened") is None


def test_a_shoe_with_an_identity_shows_its_trust(table, core) -> None:
    shoe = replace(SHOE, model="tablelink")
    settings = replace(core.settings, shoe=shoe)
    identity = DeviceIdentity("5A02", "1.0", trusted=True)
    state = replace(core.initial(), shoe_identity=identity)
    now = scraped(table, replace(core, settings=settings), state)
    assert now("device_trusted", device="dealing_shoe") == 1
    assert now("device_bare", device="dealing_shoe") == 0
