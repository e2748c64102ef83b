"""The dashboards in the repository are those of their script, and Grafana's schema reads them.

They have not been seen in a Grafana; test_live.py runs their queries, and test_grafana_colours.py
says what people see of the answers.
"""

import json
from typing import Any

import pytest
from grafana_dashboards import DASHBOARDS, PAGES, queries_of, written
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard, Panel
from rule_files import DEPLOY, RECORD, read, records

pytestmark = pytest.mark.needs("grafana-foundation-sdk")

COLUMNS = 24
# Units that say nothing of what is counted: the axis does.
UNNAMED = ("none", "short")
VARIABLES = {"table": {"pit", "table"}, "floor": {"pit"}}


def text_of(name: str) -> str:
    return (DASHBOARDS / f"{name}.json").read_text(encoding="utf-8")


def test_there_are_these_dashboards_and_no_others() -> None:
    assert {path.name for path in DASHBOARDS.iterdir()} == {f"{name}.json" for name in PAGES}


@pytest.mark.parametrize("name", PAGES)
def test_a_dashboard_is_the_one_that_its_script_writes(name: str) -> None:
    assert text_of(name) == written(name), "run: make generate"


@pytest.mark.parametrize("name", PAGES)
def test_grafanas_schema_reads_a_dashboard_without_loss(name: str) -> None:
    register_default_plugins()
    read_back = Dashboard.from_json(json.loads(text_of(name)))

    assert JSONEncoder(sort_keys=True, indent=2).encode(read_back) + "\n" == text_of(name)
    assert any(isinstance(one, Panel) for one in read_back.panels or ())


@pytest.mark.parametrize("name", PAGES)
def test_panels_stand_side_by_side_and_name_the_provisioned_source(name: str) -> None:
    page = json.loads(text_of(name))
    taken: set[tuple[int, int]] = set()
    for one in page["panels"]:
        place = one["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, one["title"]
        assert place["x"] + place["w"] <= COLUMNS
        taken |= cells
    provisioned = read(DEPLOY / "grafana/provisioning/datasources/smartshoe.yml")["datasources"]
    named = {one["datasource"]["uid"] for one in page["panels"] if one["type"] != "row"}
    assert named == {one["uid"] for one in provisioned}


def panels(name: str, kind: str) -> list[dict[str, Any]]:
    return [one for one in json.loads(text_of(name))["panels"] if one["type"] == kind]


@pytest.mark.parametrize("name", PAGES)
def test_lines_have_units_and_axes_and_no_threshold(name: str) -> None:
    found = panels(name, "timeseries")

    assert found
    for one in found:
        field = one["fieldConfig"]["defaults"]
        assert field["unit"] not in UNNAMED or field["custom"]["axisLabel"], one["title"]
        assert field["min"] == 0, one["title"]
        assert field.get("max") == (1 if field["unit"] == "percentunit" else None), one["title"]
        assert field["color"] == {"mode": "palette-classic"}, one["title"]
        assert "thresholds" not in field, one["title"]


@pytest.mark.parametrize("name", PAGES)
def test_events_are_whole_numbers_in_bars_that_do_not_overlap(name: str) -> None:
    for one in panels(name, "timeseries"):
        counts = ["increase(" in target["expr"] for target in one["targets"]]
        bars = one["fieldConfig"]["defaults"]["custom"].get("drawStyle") == "bars"
        assert all(counts) if bars else not any(counts), one["title"]
        if bars:
            assert one["interval"], one["title"]
            assert all("round(" in target["expr"] for target in one["targets"]), one["title"]
            assert all("[$__rate_interval]" in target["expr"] for target in one["targets"])


@pytest.mark.parametrize("name", PAGES)
def test_stats_and_tables_state_their_thresholds_and_words(name: str) -> None:
    for one in panels(name, "stat") + panels(name, "table"):
        field = one["fieldConfig"]["defaults"]
        assert field["thresholds"]["steps"][0]["color"] != "green", one["title"]
        assert field["noValue"], one["title"]
        assert field["color"] == {"mode": "thresholds"}, one["title"]
    for one in panels(name, "stat"):
        assert one["fieldConfig"]["defaults"]["mappings"], one["title"]
    for one in panels(name, "table"):
        (organize,) = one["transformations"]
        hidden = set(organize["options"]["excludeByName"])
        shown = set(organize["options"]["renameByName"])
        assert "Time" in hidden, one["title"]
        assert "Value" in hidden | shown, one["title"]


@pytest.mark.parametrize("name", PAGES)
def test_a_table_that_is_down_stays_among_the_choices(name: str) -> None:
    for one in json.loads(text_of(name))["templating"]["list"]:
        assert one["query"].startswith('label_values(up{job="smartshoe"'), one["name"]


@pytest.mark.parametrize("name", PAGES)
def test_a_dashboard_uses_the_recording_rules_that_there_are(name: str) -> None:
    text = " ".join(expression for _, expression in queries_of(text_of(name)))
    variables = {one["name"] for one in json.loads(text_of(name))["templating"]["list"]}

    assert set(RECORD.findall(text)) <= set(records())
    assert variables == VARIABLES[name]
    assert all(f"${one}" in text for one in variables)


def test_every_recording_rule_is_shown_somewhere() -> None:
    shown = {
        rule
        for name in PAGES
        for _, text in queries_of(text_of(name))
        for rule in RECORD.findall(text)
    }

    assert shown == set(records())
