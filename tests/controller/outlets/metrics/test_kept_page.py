"""The page of a table beside that of 9f025b99, which wrote both formats by hand.

tests/vectors/metrics holds the pages of a table that had played what played_table plays, made by
that commit. What differs now is listed here, and nothing else does.
"""

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from played_table import NAME, PIT, PlayedTable
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families

from controller.outlets.metrics.page import TablePage

KEPT = Path(__file__).resolve().parents[3] / "vectors" / "metrics"
FORMATS = {
    "text": ("", "9f025b99.txt", text_string_to_metric_families),
    "openmetrics": (
        "application/openmetrics-text",
        "9f025b99.openmetrics",
        openmetrics.text_string_to_metric_families,
    ),
}

# The library says these in its own words; the values are of another process.
HELP_BY_THE_LIBRARY = {
    "process_cpu_seconds": "Total user and system CPU time spent in seconds.",
    "process_resident_memory_bytes": "Resident memory size in bytes.",
    "process_open_fds": "Number of open file descriptors.",
    "process_max_fds": "Maximum number of open file descriptors.",
    "process_start_time_seconds": "Start time of the process since unix epoch in seconds.",
}
NEW = {
    "process_virtual_memory_bytes": "gauge",
    "python_info": "gauge",
    "python_gc_collections": "counter",
    "python_gc_objects_collected": "counter",
    "python_gc_objects_uncollectable": "counter",
}
# Of this version and its build; 9f025b99 named no build, neither as a label nor in words.
INFO, OF_THE_VERSION = "smartshoe_table_info", {"version", "build"}
INFO_WORDS = "Version and build, rules, their document, and the gaming day."
# Faults of a line and irregularities that 9f025b99 did not know; they stand at 0.
NEW_KINDS = ("too_many_reports", "payload_setting", "configuration")
NEW_LABELS = {("code", "JUDGING_FAILED"), *(("kind", kind) for kind in NEW_KINDS)}
# Of the machine, at the moment of the scrape.
MEASURED = {"smartshoe_disk_free_bytes", *HELP_BY_THE_LIBRARY}

Labels = frozenset[tuple[str, str]]


@dataclass
class Family:
    """A family as the library's parser reads it: values by sample name and labels."""

    kind: str
    words: str
    values: dict[tuple[str, Labels], float]


def families(parsed: Iterable[Any]) -> dict[str, Family]:
    found: dict[str, Family] = {}
    for one in parsed:
        assert one.name not in found, "a family is there twice"
        values: dict[tuple[str, Labels], float] = {}
        for sample in one.samples:
            assert (sample.exemplar, sample.timestamp) == (None, None)
            labels = sample.labels
            if sample.name == INFO:
                labels = {key: text for key, text in labels.items() if key not in OF_THE_VERSION}
            key = sample.name, frozenset(labels.items())
            assert key not in values, "a series is there twice"
            if NEW_LABELS & key[1]:
                assert sample.value == 0
                continue
            values[key] = sample.value
        found[one.name] = Family(one.type, one.documentation, values)
    return found


@cache
def pages() -> dict[str, str]:
    """The page in each format; a scrape counts those before it.

    Not a fixture of the module: while one is made, verdicts are stand-ins that counts do not know.
    """
    with tempfile.TemporaryDirectory() as journal:
        table = PlayedTable(Path(journal))
        page, written = TablePage(table.metrics), {}
        for name, (accept, _, _) in FORMATS.items():
            written[name] = page.render(accept)[0].decode()
            table.metrics.count_page(table.at)
    return written


@pytest.fixture(params=FORMATS)
def both(request: pytest.FixtureRequest) -> tuple[dict[str, Family], dict[str, Family]]:
    """The families of the kept page, and those of now."""
    _, file, parse = FORMATS[request.param]
    before, now = (KEPT / file).read_text(encoding="utf-8"), pages()[request.param]
    return families(parse(before)), families(parse(now))


def test_every_family_is_there_and_the_new_ones_are_listed(both) -> None:
    before, now = both
    assert {name: now[name].kind for name in now.keys() - before.keys()} == NEW
    assert before.keys() - now.keys() == set()


def test_types_and_words_are_the_same_but_for_those_of_the_process(both) -> None:
    before, now = both
    assert {name: now[name].kind for name in before} == {
        name: one.kind for name, one in before.items()
    }
    listed = HELP_BY_THE_LIBRARY | dict.fromkeys(("smartshoe_table", INFO), INFO_WORDS)
    for name, one in before.items():
        assert now[name].words == listed.get(name, one.words), name


def test_every_series_is_the_same(both) -> None:
    before, now = both
    for name, one in before.items():
        assert now[name].values.keys() == one.values.keys(), name


def test_every_value_is_the_same_but_for_what_is_measured(both) -> None:
    before, now = both
    for name, one in before.items():
        if name not in MEASURED:
            assert now[name].values == one.values, name


def test_the_new_series_have_the_labels_of_the_table(both) -> None:
    _, now = both
    for name in NEW:
        for _, labels in now[name].values:
            assert {("table", NAME), ("pit", PIT)} <= labels


def test_the_order_is_that_of_before_and_the_process_ends_the_page(both) -> None:
    before, now = both
    own = [name for name in before if name.startswith("smartshoe_")]
    assert [name for name in now if name.startswith("smartshoe_")] == own
    assert list(now)[: len(own)] == own


def test_nothing_says_when_a_counter_began() -> None:
    for page in pages().values():
        assert "_created" not in page
