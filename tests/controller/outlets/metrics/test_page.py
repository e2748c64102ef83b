"""The page of a table: its formats, what may be asked for, and that the library writes it.

Source: OpenMetrics 1.0.0; prometheus_client, "Exporting".
"""

import subprocess
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from hypothesis import example, given, strategies
from played_table import PlayedTable
from prometheus_client import CollectorRegistry, exposition
from prometheus_client.openmetrics import exposition as openmetrics_exposition
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as openmetrics_families,
)
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import DuplicateTimeseries

from controller.outlets.metrics.counts import Samples, observe, zeros
from controller.outlets.metrics.definitions import BY_NAME, METRICS
from controller.outlets.metrics.page import TablePage, TablesCollector, process_registry
from controller.outlets.metrics.table_metrics import TableMetrics
from controller.record.snapshot import Health

ODD = 'a "quoted" \\ name\n'
TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
REQUEST_BYTES = 8 * 1024


class StatedMetrics(TableMetrics):
    """Metrics of a table whose samples a test states."""

    def __init__(self, samples: Samples, name: str = "M7", pit: str = ODD) -> None:
        super().__init__(SimpleNamespace(name=name, health=Health.RUNNING), pit)  # type: ignore[arg-type]
        self.stated = samples
        self.read = 0

    def samples(self) -> Samples:
        self.read += 1
        return self.stated


def every_sample() -> Samples:
    """A sample of each metric, with odd values of those labels that are not closed."""
    found: Samples = {}
    for one in METRICS:
        found |= zeros(one, **{label: (ODD,) for label, values in one.labels if not values})
    found["table_info"] = dict.fromkeys(found["table_info"], 1)
    return found


def text(samples: Samples, accept: str = "") -> str:
    registry = CollectorRegistry()
    registry.register(TablesCollector([StatedMetrics(samples)]))
    encoder, _ = exposition.choose_encoder(accept)
    return encoder(registry).decode()


@pytest.fixture(name="page", scope="module")
def page_fixture() -> TablePage:
    return TablePage(StatedMetrics(every_sample()))


# --- what the page says -------------------------------------------------------------------------


@pytest.mark.needs("prometheus")
def test_promtool_accepts_every_metric(page: TablePage) -> None:
    checked = subprocess.run(
        ["promtool", "check", "metrics"],
        input=text(every_sample()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_both_formats_have_the_same_values() -> None:
    text_page = {
        (sample.name, *sample.labels.items()): sample.value
        for one in text_string_to_metric_families(text(every_sample()))
        for sample in one.samples
    }
    openmetrics_page = {
        (sample.name, *sample.labels.items()): sample.value
        for one in openmetrics_families(text(every_sample(), "application/openmetrics-text"))
        for sample in one.samples
    }
    assert len(text_page) > len(METRICS)
    assert text_page == openmetrics_page
    assert {dict(labels)["pit"] for _, *labels in text_page} == {ODD}


def test_the_buckets_of_a_histogram_are_added_up() -> None:
    samples = zeros(BY_NAME["coup_seconds"])
    for seconds in (4.0, 5.0, 11.0, 500.0):
        observe(samples, "coup_seconds", seconds)
    (family,) = text_string_to_metric_families(text(samples))
    buckets = [(one.labels["le"], one.value) for one in family.samples if "le" in one.labels]
    assert buckets == [
        *(("5.0", 2), ("10.0", 2), ("15.0", 3)),
        *((f"{bound}.0", 3) for bound in (20, 30, 45, 60, 120)),
        ("+Inf", 4),
    ]
    rest = {one.name: one.value for one in family.samples if "le" not in one.labels}
    assert rest == {"smartshoe_coup_seconds_count": 4, "smartshoe_coup_seconds_sum": 520}


def test_a_metric_without_samples_is_left_out() -> None:
    assert text({}, "application/openmetrics-text") == "# EOF\n"
    assert text({"cards_at": {}}) == ""


def test_every_page_ends_with_the_process_and_names_the_table_there(page: TablePage) -> None:
    families = list(text_string_to_metric_families(page.render()[0].decode()))
    of_process = list(process_registry().collect())
    assert [one.name for one in families[-len(of_process) :]] == [one.name for one in of_process]
    assert len(of_process) > 5
    for family in families:
        for sample in family.samples:
            assert (sample.labels["table"], sample.labels["pit"]) == ("M7", ODD), sample


def test_the_collectors_of_the_process_are_made_once_for_all_tables() -> None:
    assert process_registry() is process_registry()


# --- which format -------------------------------------------------------------------------------

PROMETHEUS_2 = (
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
)
PROMETHEUS_3 = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
)


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        (PROMETHEUS_2, f"{OPENMETRICS}; escaping=underscores"),
        (PROMETHEUS_3, f"{OPENMETRICS}; escaping=allow-utf-8"),
        ("application/openmetrics-text", OPENMETRICS),
        # The library weighs nothing: of what it knows it takes the first. 9f025b99: text.
        ("application/openmetrics-text; q=0.2, text/plain; q=0.9", OPENMETRICS),
        ("application/openmetrics-text; q=0", OPENMETRICS),
        # It names the version that was asked for, which has the same lines here. 9f025b99: text.
        (
            "application/openmetrics-text; version=2.0.0",
            "application/openmetrics-text; version=2.0.0; charset=utf-8; escaping=underscores",
        ),
        # 9f025b99: version 0.0.4, the same lines.
        (
            "text/plain; version=1.0.0",
            "text/plain; version=1.0.0; charset=utf-8; escaping=underscores",
        ),
        ("application/openmetrics-text; version=0.0.1", TEXT),
        ("text/plain", TEXT),
        ("*/*", TEXT),
        ("", TEXT),
        (";;,,q=", TEXT),
        # The library fails at these: as if nothing were asked for.
        ("text/plain;version=1.x", TEXT),
        ("application/openmetrics-text;version=1.x", TEXT),
        ("application/openmetrics-text;version=", OPENMETRICS),
        (f"text/plain;version={'9' * 5000}", TEXT),
    ],
)
def test_the_format_is_the_librarys_choice(page: TablePage, accept: str, content_type: str) -> None:
    written, found = page.render(accept)
    assert found == content_type
    assert written.endswith(b"# EOF\n") is content_type.startswith("application/openmetrics")


FRAGMENTS = strategies.sampled_from(
    ("application/openmetrics-text", "text/plain", "version=", "escaping=", "1.", "2.0.0", ".", "=")
) | strategies.sampled_from((";", ",", " ", "q=", "allow-utf-8", "dots", "values", "\x85", "\xb2"))
FIELDS = strategies.lists(
    FRAGMENTS | strategies.text(strategies.characters(max_codepoint=255), max_size=4), max_size=60
).map("".join)


@given(FIELDS)
@example("text/plain;version=1.x")
@example("application/openmetrics-text;version=2.\x01")
@example("application/openmetrics-text;version=1." + "1." * 4000)
def test_no_accept_field_makes_the_page_fail(page: TablePage, accept: str) -> None:
    written, content_type = page.render(accept[:REQUEST_BYTES])
    assert b"smartshoe_suspended" in written
    assert content_type.encode("latin-1")


@given(FIELDS)
@example("name[]=" + "%00" * 2000)
@example("name[]=a&" * 900)
@example("%ff%fe=%&&;=&name[]")
def test_no_query_makes_the_page_fail(page: TablePage, query: str) -> None:
    written, content_type = page.render("", query[:REQUEST_BYTES])
    assert content_type == TEXT
    assert written == b"" or written.startswith(b"# HELP ")


# --- the samples of some names ------------------------------------------------------------------


def names_of(page: TablePage, *names: str) -> set[str]:
    written, _ = page.render("", urlencode([("name[]", name) for name in names]))
    found = text_string_to_metric_families(written.decode())
    return {sample.name for family in found for sample in family.samples}


@pytest.mark.parametrize(
    "names",
    [
        ("smartshoe_suspended",),
        ("smartshoe_cards_drawn_total", "smartshoe_seal_seconds_sum"),
        ("smartshoe_coup_seconds_bucket", "smartshoe_table_info"),
        ("process_start_time_seconds", "python_gc_collections_total", "smartshoe_phase"),
    ],
)
def test_samples_are_asked_for_by_their_names(page: TablePage, names: tuple[str, ...]) -> None:
    assert names_of(page, *names) == set(names)


@pytest.mark.parametrize("name", ["nothing", "smartshoe_cards_drawn", "smartshoe_coup_seconds"])
def test_an_unknown_name_is_an_empty_page(page: TablePage, name: str) -> None:
    """Names are those of samples: a counter has its ending, a histogram its parts."""
    assert names_of(page, name) == set()
    assert page.render("application/openmetrics-text", f"name[]={name}")[0] == b"# EOF\n"


# --- one collector for any number of tables -----------------------------------------------------


@pytest.fixture
def tables() -> tuple[StatedMetrics, ...]:
    return StatedMetrics(every_sample(), "M7", "3"), StatedMetrics(every_sample(), "M8", "3")


def test_each_family_is_given_once_with_the_samples_of_all(
    tables: tuple[StatedMetrics, ...],
) -> None:
    alone = {one.name: one for one in TablesCollector(tables[:1]).collect()}
    both = list(TablesCollector(tables).collect())
    assert [one.name for one in both] == list(alone)
    for family in both:
        names = [sample.labels["table"] for sample in family.samples]
        # Those of a table stand together, as OpenMetrics wants it.
        assert names == ["M7"] * len(alone[family.name].samples) + ["M8"] * (len(names) // 2)


def test_registering_reads_no_table_and_describes_every_family(
    tables: tuple[StatedMetrics, ...],
) -> None:
    registry = CollectorRegistry(auto_describe=True)
    collector = TablesCollector(tables)
    registry.register(collector)
    assert [one.read for one in tables] == [0, 0]
    collected = {(one.name, one.type, one.documentation) for one in collector.collect()}
    described = list(collector.describe())
    assert {(one.name, one.type, one.documentation) for one in described} == collected
    assert not any(one.samples for one in described)
    with pytest.raises(DuplicateTimeseries):
        registry.register(TablesCollector(tables))


def test_a_table_that_has_not_started_is_shown() -> None:
    table = SimpleNamespace(
        name="M9",
        health=Health.STARTING,
        published=None,
        stored_seq=0,
        sealing_status=None,
        followers=(),
        waiting=0,
    )
    shown = TablesCollector([TableMetrics(table)]).collect()  # type: ignore[arg-type]
    (health,) = [one for one in shown if one.name == "smartshoe_table_health"]
    assert {one.labels["health"] for one in health.samples if one.value} == {"starting"}


# --- the library does the work ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "module"),
    [("", exposition), ("application/openmetrics-text", openmetrics_exposition)],
    ids=["text", "openmetrics"],
)
def test_the_bytes_are_those_that_the_librarys_encoder_returned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accept: str, module: object
) -> None:
    asked: list[object] = []

    def another(registry: object, **_: object) -> bytes:
        asked.append(registry)
        return b"another page"

    page = TablePage(PlayedTable(tmp_path).metrics)
    assert b"smartshoe_cards_drawn" in page.render(accept)[0]
    monkeypatch.setattr(module, "generate_latest", another)
    assert page.render(accept)[0] == b"another page"
    assert len(asked) == 1
