"""The table of metrics is what scrapes of real tables show, both ways."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from prometheus_client import Metric
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from controller.archive.log_writer import LogStatus
from controller.archive.sealer import Sealer, SealingStatus
from controller.archive.signer import SigningSettings
from controller.core.build import build_core
from controller.core.settings import DeviceSettings, Settings, ShufflerDeviceSettings
from controller.core.stored_settings import SETTINGS
from controller.core.tape.inputs import Started
from controller.custody.batch_life.state import BatchLife, Lineage, OpenWarning, WarningKind
from controller.outlets.metrics.definitions import (
    BY_NAME,
    COMMON_LABELS,
    METRICS,
    PREFIX,
    Definition,
    MetricKind,
)
from controller.outlets.metrics.page import TablesCollector
from controller.outlets.metrics.table_metrics import TableMetrics, device_labels
from controller.procedure.rulebook import ObservableFact
from controller.rules.profiles.load import load_clauses, profile_text
from controller.rules.settlement.pit import PitSettings
from controller.service.config.time_zone import zone_data
from controller.table.table import Health, RunSpec, Table
from controller.version import software_identifier
from firmware_bridge.transport.clock import now
from foundation.message import message

THIS = software_identifier()
SHOE = DeviceSettings("/dev/ttyUSB0", "angel-eye-ii-ex")
SHUFFLER = ShufflerDeviceSettings("socket://127.0.0.1:4002", "tablelink")
SHARED = PitSettings(vig_rate=4)
PLAYED = Settings("M7", "pit 3", 8, 6 * 3600, (ObservableFact.RESULT_BUTTON,), SHOE, shared=SHARED)
WITH_SHUFFLER = Settings("M8", "pit 3", 8, 6 * 3600, (), SHOE, shuffler=SHUFFLER)
WARNING = OpenWarning(1, WarningKind.DOOR, 0, message("shuffler_silent"), 5, active=True)
LINEAGE = Lineage(lives=(BatchLife("red"), BatchLife("blue")), warnings=(WARNING,))
CONSUMER = SimpleNamespace(
    consumer="back-office", connected=True, lag_events=3, lag_seconds=1.5, sent=9
)
# Shown where batches are bound: tests/simulation/test_custody_views.py.
ELSEWHERE = {"cards_at"}
# Nobody decided anything there.
NOT_YET = {"decisions_total"}


def started(settings: Settings) -> Started:
    profile = profile_text("s42-mini").encode()
    stored = SETTINGS.encode(settings)
    return Started(now(), "boot", THIS, stored, profile, zone_data("UTC"), "")


def own_page(metrics: TableMetrics) -> str:
    """What a table itself shows, in OpenMetrics."""
    return generate_latest(TablesCollector([metrics])).decode()


@pytest.fixture
def played_page(suspended: Path, begun_log: Callable[[Path], None]) -> Iterator[str]:
    """The page of a real table that has played, is suspended, and has a feed and a log."""
    begun_log(suspended)
    sealer = Sealer("M7", SigningSettings(suspended / "table.key", make=True), now)
    spec = RunSpec(suspended, load_clauses(), lambda _: started(PLAYED), sealer=sealer)
    table = Table("M7", spec, now)
    metrics = TableMetrics(
        table,
        PLAYED.pit,
        devices=device_labels(PLAYED),
        journal=suspended,
        consumers=lambda: (CONSUMER,),
    )
    table.subscribe(metrics)
    table.start()
    assert table.health is Health.RUNNING, table.failure
    try:
        assert all(one.caught_up(60.0) for one in table.followers)
        sealer._status = SealingStatus(log=LogStatus(size=7, root=bytes(32)))
        yield own_page(metrics)
    finally:
        table.stop()
        table.join()


@pytest.fixture
def shuffler_page() -> str:
    """The page of a table with a shuffler that warns."""
    core = build_core(started(WITH_SHUFFLER), load_clauses())
    state = core.initial()
    state = replace(state, table=replace(state.table, lineage=LINEAGE))
    table = SimpleNamespace(
        name="M8",
        health=Health.RUNNING,
        published=(core, state),
        stored_seq=0,
        sealing_status=None,
        followers=(),
        waiting=0,
    )
    return own_page(TableMetrics(table, "pit 3", devices=device_labels(WITH_SHUFFLER)))


@pytest.fixture
def families(played_page: str, shuffler_page: str) -> list[Metric]:
    return [
        one for page in (played_page, shuffler_page) for one in text_string_to_metric_families(page)
    ]


def definition_of(family: Metric) -> Definition:
    """What the table of metrics says of a family."""
    endings = {"counter": "_total", "info": "_info"}
    name = family.name.removeprefix(PREFIX) + endings.get(family.type, "")
    return BY_NAME[name]


def test_every_metric_of_the_table_is_shown_and_no_other(families: list[Metric]) -> None:
    shown = {definition_of(one).name for one in families}

    assert shown == {one.name for one in METRICS} - ELSEWHERE - NOT_YET


def test_kind_and_words_are_those_of_the_table(families: list[Metric]) -> None:
    for family in families:
        defined = definition_of(family)
        assert (family.type, family.documentation) == (defined.kind.value, f"{defined.words}.")


def test_every_series_has_its_labels_and_those_of_every_series(families: list[Metric]) -> None:
    for family in families:
        defined = definition_of(family)
        wanted = {*COMMON_LABELS, *(label for label, _ in defined.labels)}
        for sample in family.samples:
            assert set(sample.labels) - {"le"} == wanted, sample
            assert sample.labels["table"] in {"M7", "M8"}
            assert sample.labels["pit"] == "pit 3"


def test_every_value_of_a_label_is_of_its_set(families: list[Metric]) -> None:
    for family in families:
        for label, values in definition_of(family).labels:
            shown = {sample.labels[label] for sample in family.samples}
            assert not values or shown <= set(values), family.name


def test_counters_of_closed_sets_begin_at_zero(families: list[Metric]) -> None:
    """Only then `increase()` sees the first event of each."""
    for family in families:
        defined = definition_of(family)
        if defined.kind is MetricKind.COUNTER and len(defined.labels) == 1 and defined.labels[0][1]:
            label, values = defined.labels[0]
            assert {sample.labels[label] for sample in family.samples} == set(values), family.name


def test_no_two_series_are_the_same(played_page: str) -> None:
    series = [line.rpartition(" ")[0] for line in played_page.splitlines() if line[0] != "#"]
    assert len(set(series)) == len(series)


def test_a_table_names_each_setting_in_which_it_differs_from_its_pit(played_page: str) -> None:
    (family,) = (
        one
        for one in text_string_to_metric_families(played_page)
        if one.name == f"{PREFIX}pit_differs"
    )
    assert {one.labels["setting"]: one.value for one in family.samples} == {
        "shuffle_finish": 0,
        "pay_procedure": 0,
        "vig_mode": 0,
        "vig_rate": 1,
    }
