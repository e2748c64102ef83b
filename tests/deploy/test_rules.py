"""The rules of Prometheus and Alertmanager: checked by their own tools, each alarm in both ways."""

import subprocess
from pathlib import Path

import pytest
from rule_files import (
    ALERT_RULES,
    ALERTMANAGER,
    HEARTBEAT,
    PROMETHEUS,
    RECORDING_RULES,
    ROOT,
    alarms,
    matchers_of,
    metrics_of,
    read,
    records,
)

from controller.outlets.metrics.definitions import ANY, METRICS, MetricKind
from controller.outlets.metrics.page import process_registry

HERE = Path(__file__).parent
ALERT_TESTS, RECORDING_TESTS = HERE / "alerts.test.yml", HERE / "recording.test.yml"
RUN_BOOK = "docs/alerts.md"
PARTS = {
    MetricKind.HISTOGRAM: ("bucket", "count", "sum"),
    MetricKind.SUMMARY: ("count", "sum"),
}
SEVERITIES = {"page", "ticket", HEARTBEAT}
FIRES, BELOW = "fires", "below"


def run(*words: object) -> None:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# --- their own tools ----------------------------------------------------------------------------


@pytest.mark.needs("prometheus")
def test_promtool_accepts_configuration_and_rules() -> None:
    run("promtool", "check", "config", PROMETHEUS / "prometheus.yml")
    run("promtool", "check", "rules", ALERT_RULES, RECORDING_RULES)


@pytest.mark.needs("prometheus")
def test_the_list_of_targets_is_one_that_prometheus_reads(tmp_path: Path) -> None:
    config = read(PROMETHEUS / "prometheus.yml")
    (files,) = config["scrape_configs"][0]["file_sd_configs"][0]["files"]
    example = PROMETHEUS / "targets/pit.example.yml"
    assert example.match(str(PROMETHEUS / files))
    # promtool check config reads the lists that the configuration names, and warns of bad ones.
    run("promtool", "check", "config", "--lint=none", PROMETHEUS / "prometheus.yml")
    for group in read(example):
        assert set(group["labels"]) >= {"pit", "table"}
        assert len(group["targets"]) == 1, "one table, one target: the labels name it"


@pytest.mark.needs("prometheus-alertmanager")
def test_amtool_accepts_the_configuration() -> None:
    run("amtool", "check-config", ALERTMANAGER)


@pytest.mark.needs("prometheus")
@pytest.mark.parametrize("tests", [ALERT_TESTS, RECORDING_TESTS], ids=lambda path: path.stem)
def test_the_rules_say_what_their_histories_give(tests: Path) -> None:
    run("promtool", "test", "rules", tests)


@pytest.mark.needs("prometheus-alertmanager")
@pytest.mark.parametrize(
    ("labels", "receivers"),
    [
        (("severity=page", "pit=pit-3"), "surveillance,floor-of-pit-3"),
        (("severity=page", "pit=pit-7"), "surveillance,floor"),
        (("severity=ticket", "pit=pit-3"), "tickets"),
        (("severity=heartbeat",), "heartbeat"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_an_alarm_goes_to_these_receivers(labels: tuple[str, ...], receivers: str) -> None:
    command = ("amtool", "config", "routes", "test", f"--config.file={ALERTMANAGER}")
    run(*command, f"--verify.receivers={receivers}", *labels)


# --- metrics that there are ---------------------------------------------------------------------


def known_metrics() -> set[str]:
    """The metrics of a table as they are scraped, and those of the scrape itself."""
    known = {"up", "scrape_duration_seconds"}
    known |= {one.name for family in process_registry().collect() for one in family.samples}
    for one in METRICS:
        name = f"smartshoe_{one.name}"
        known |= {name, *(f"{name}_{part}" for part in PARTS.get(one.kind, ()))}
    return known


def test_the_rules_read_metrics_that_a_table_has() -> None:
    known = known_metrics()
    unknown = {name: metrics_of(text) - known for name, text in expressions().items()}

    assert {name: found for name, found in unknown.items() if found} == {}


def test_the_rules_select_values_that_a_label_has() -> None:
    closed = {
        (f"smartshoe_{one.name}", label): set(values)
        for one in METRICS
        for label, values in one.labels
        if values != ANY
    }
    selected = {found for text in expressions().values() for found in matchers_of(text)}
    found = {one for one in selected if one[:2] in closed}

    assert len(found) > 40
    assert {one for one in found if one[2] not in closed[one[:2]]} == set()


def expressions() -> dict[str, str]:
    return {one.name: one.expression for one in alarms()} | records()


# --- every alarm has both ways ------------------------------------------------------------------


def alarms_tried_both_ways() -> set[str]:
    """Alarms with a history in which one table fires, and another is just below and does not."""
    found = set()
    for group in read(ALERT_TESTS)["tests"]:
        series = "\n".join(one["series"] for one in group["input_series"])
        wanted = f'alertname="{group["name"]}"'
        for one in group["promql_expr_test"]:
            told = [sample["labels"] for sample in one.get("exp_samples", [])]
            both = f'table="{FIRES}"' in series and f'table="{BELOW}"' in series
            if wanted in one["expr"] and len(told) == 1 and both:
                assert BELOW not in told[0]
                found.add(group["name"])
    return found


def test_every_alarm_fires_in_a_history_and_is_silent_just_below() -> None:
    assert alarms_tried_both_ways() == {one.name for one in alarms()}


def test_every_recording_rule_has_a_history() -> None:
    texts = [
        one["expr"] for group in read(RECORDING_TESTS)["tests"] for one in group["promql_expr_test"]
    ]

    assert {name for name in records() if any(name in text for text in texts)} == set(records())


# --- what alarms say ----------------------------------------------------------------------------


def test_every_alarm_says_what_it_is_and_what_to_do_first() -> None:
    for one in alarms():
        assert one.severity in SEVERITIES, one.name
        assert set(one.annotations) == {"summary", "description", "runbook", "runbook_url"}
        assert one.annotations["runbook_url"] == f"{RUN_BOOK}#{one.name.lower()}"
        if one.severity != HEARTBEAT:
            named = "{{ $labels.table }} in {{ $labels.pit }}"
            assert one.annotations["summary"].startswith(named), one.name


def test_the_run_book_has_a_section_for_each_alarm_and_no_other() -> None:
    lines = (ROOT / RUN_BOOK).read_text(encoding="utf-8").splitlines()
    headings = [line.removeprefix("### ") for line in lines if line.startswith("### ")]

    assert headings == [one.name for one in alarms()]


def test_the_run_book_says_first_what_the_alarm_says() -> None:
    page = (ROOT / RUN_BOOK).read_text(encoding="utf-8")

    for one in alarms():
        section = page.partition(f"### {one.name}\n")[2].partition("\n### ")[0]
        assert one.annotations["runbook"] in section, one.name
        assert f"**{one.severity}**" in section, one.name
