"""Writes deploy/grafana/dashboards from the panels below, with Grafana's own schema.

usage: grafana_dashboards.py --write
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grafana_foundation_sdk.builders import common, dashboard, prometheus
from grafana_foundation_sdk.builders import stat as stat_builder
from grafana_foundation_sdk.builders import table as table_builder
from grafana_foundation_sdk.builders import timeseries as time_builder
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common as common_models
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models.dashboard import DataSourceRef

DASHBOARDS = Path(__file__).resolve().parents[2] / "deploy/grafana/dashboards"
SOURCE = DataSourceRef(type_val="prometheus", uid="smartshoe")
COLUMNS = 24
HEIGHT = 8
ONE = 'pit="$pit", table="$table"'
RATE = "$__rate_interval"
PITS = 'pit=~"$pit"'


@dataclass(frozen=True)
class PanelOf:
    """One panel: `kind` is stat, lines or table; `queries` are (expression, legend).

    `width` of 24 columns. A query that is shown as a table has one row for each series.
    """

    kind: str
    title: str
    unit: str
    width: int
    queries: tuple[tuple[str, str], ...]
    words: str = ""


def stat(title: str, query: str, unit: str = "short", legend: str = "", width: int = 4) -> PanelOf:
    return PanelOf("stat", title, unit, width, ((query, legend),))


def lines(title: str, unit: str, *queries: tuple[str, str], words: str = "") -> PanelOf:
    return PanelOf("lines", title, unit, 12, queries, words)


def rows(title: str, query: str, unit: str = "short", words: str = "") -> PanelOf:
    return PanelOf("table", title, unit, 12, ((query, ""),), words)


TABLE = {
    "The table now": (
        stat("Answers", f'up{{job="smartshoe", {ONE}}}', "bool_yes_no"),
        stat("Suspended", f"smartshoe_suspended{{{ONE}}}", "bool_yes_no"),
        stat("Open irregularities", f"smartshoe_open_irregularities{{{ONE}}}"),
        stat("Shoe", f"smartshoe_shoe_number{{{ONE}}}"),
        stat("Cards left", f"smartshoe_cards_left{{{ONE}}}"),
        stat(
            "Since the last coup",
            f"time() - smartshoe_last_coup_timestamp_seconds{{{ONE}}}",
            "s",
        ),
    ),
    "Play": (
        lines("Coups per hour", "short", (f"table:smartshoe_coups:per_hour{{{ONE}}}", "coups")),
        lines(
            "Coups by outcome",
            "short",
            (f"sum by (outcome) (increase(smartshoe_coups_total{{{ONE}}}[1h]))", "{{outcome}}"),
        ),
        lines(
            "Pace",
            "s",
            (f"table:smartshoe_coup_seconds:p50{{{ONE}}}", "a coup, half within"),
            (f"table:smartshoe_coup_seconds:p90{{{ONE}}}", "a coup, nine of ten within"),
            (f"table:smartshoe_between_coups_seconds:p50{{{ONE}}}", "between coups, half within"),
            (
                f"table:smartshoe_between_coups_seconds:p90{{{ONE}}}",
                "between coups, nine of ten within",
            ),
        ),
        lines(
            "Irregularities",
            "short",
            (
                f"sum by (code) (increase(smartshoe_irregularities_total{{{ONE}}}[1h])) > 0",
                "{{code}}",
            ),
            words="By code, in the hour before; nothing where there was none.",
        ),
        lines(
            "Until a person decided",
            "s",
            (f"table:smartshoe_decision_seconds:mean{{{ONE}}}", "mean of a day"),
        ),
        lines(
            "Advisories",
            "short",
            (f"sum by (kind) (increase(smartshoe_advisories_total{{{ONE}}}[1h]))", "{{kind}}"),
            words="Of the shoe monitors. None is a verdict.",
        ),
    ),
    "Devices": (
        rows(
            "Stage of each device",
            f"smartshoe_device_stage{{{ONE}}} == 1",
            words="closed, opened, identified, online, lost.",
        ),
        lines(
            "Bytes",
            "Bps",
            (
                f"sum by (device) (rate(smartshoe_device_bytes_total{{{ONE}}}[{RATE}]))",
                "{{device}}",
            ),
        ),
        lines(
            "Events",
            "ops",
            (
                f"sum by (device) (rate(smartshoe_device_events_total{{{ONE}}}[{RATE}]))",
                "{{device}}",
            ),
        ),
        lines(
            "Faults of the line",
            "short",
            (
                f"sum by (device) (increase(smartshoe_link_errors_total{{{ONE}}}[{RATE}]))",
                "{{device}}",
            ),
        ),
        lines("Cards read", "percentunit", (f"table:smartshoe_reads:share_read{{{ONE}}}", "read")),
        lines(
            "From a card's bytes to its stored verdict",
            "s",
            (f"table:smartshoe_scan_to_stored_seconds:p99{{{ONE}}}", "99 of 100 within"),
        ),
    ),
    "Batches and shuffler": (
        rows("Stage of each batch", f"smartshoe_batch_stage{{{ONE}}} == 1"),
        lines(
            "Shuffles",
            "short",
            (f"sum by (result) (increase(smartshoe_shuffles_total{{{ONE}}}[1d]))", "{{result}}"),
        ),
        lines(
            "Shuffler in use",
            "percentunit",
            (f"table:smartshoe_shuffler:available{{{ONE}}}", "share of the day"),
        ),
        lines(
            "Warnings of the shuffler",
            "short",
            (f"smartshoe_shuffler_warnings_open{{{ONE}}}", "open"),
        ),
    ),
    "Records": (
        stat("Leaves of the evidence log", f"smartshoe_log_size{{{ONE}}}"),
        stat("48 bits of its root", f"smartshoe_log_root48{{{ONE}}}", "hex"),
        stat("Shoes to be sealed", f"smartshoe_shoes_unsealed{{{ONE}}}"),
        stat("Seals without a key", f"smartshoe_seals_unsigned{{{ONE}}}", "bool_yes_no"),
        stat("Journal", f"smartshoe_journal_bytes{{{ONE}}}", "bytes"),
        stat("Disk free", f"smartshoe_disk_free_bytes{{{ONE}}}", "bytes"),
        lines(
            "Behind the journal",
            "s",
            (f"smartshoe_journal_lag_seconds{{{ONE}}}", "subscribers"),
            (f"smartshoe_feed_lag_seconds{{{ONE}}}", "feed {{consumer}}"),
        ),
        lines(
            "Events sent to the feed",
            "ops",
            (f"rate(smartshoe_feed_events_total{{{ONE}}}[{RATE}])", "{{consumer}}"),
        ),
    ),
}
FLOOR = {
    "The floor now": (
        stat("Tables that answer", f'sum(up{{job="smartshoe", {PITS}}})'),
        stat("Tables in the list", f'count(up{{job="smartshoe", {PITS}}})'),
        stat("Suspended", f"sum(smartshoe_suspended{{{PITS}}})"),
        stat("Alarms", 'count(ALERTS{alertstate="firing", severity!="heartbeat"}) or vector(0)'),
        stat("Coups per hour", f"sum(pit:smartshoe_coups:per_hour{{{PITS}}})"),
        stat("Pages", 'count(ALERTS{alertstate="firing", severity="page"}) or vector(0)'),
    ),
    "Tables": (
        rows(
            "Alarms that fire",
            f'ALERTS{{alertstate="firing", severity!="heartbeat", {PITS}}}',
            words="docs/alerts.md says what to do first at each.",
        ),
        rows("Coups per hour by table", f"table:smartshoe_coups:per_hour{{{PITS}}}"),
        rows(
            "Suspended for",
            f"time() - smartshoe_suspended_since_timestamp_seconds{{{PITS}}}",
            "s",
        ),
        rows(
            "Versions, rules and gaming days",
            f"count by (version, profile, document, gaming_day) (smartshoe_table_info{{{PITS}}})",
        ),
    ),
    "Play": (
        lines(
            "Coups per hour by pit", "short", (f"pit:smartshoe_coups:per_hour{{{PITS}}}", "{{pit}}")
        ),
        lines(
            "Irregularities in 1,000 coups",
            "short",
            (
                f"topk(10, table:smartshoe_irregularities:per_1000_coups{{{PITS}}})",
                "{{pit}} {{table}}",
            ),
            words="The ten tables with the most, over a day.",
        ),
        lines(
            "Until a person decided",
            "s",
            (f"topk(10, table:smartshoe_decision_seconds:mean{{{PITS}}})", "{{pit}} {{table}}"),
        ),
        lines(
            "Between coups, half within",
            "s",
            (
                f"topk(10, table:smartshoe_between_coups_seconds:p50{{{PITS}}})",
                "{{pit}} {{table}}",
            ),
        ),
    ),
    "Machines and devices": (
        lines(
            "Cards read, the ten lowest",
            "percentunit",
            (f"bottomk(10, table:smartshoe_reads:share_read{{{PITS}}})", "{{pit}} {{table}}"),
        ),
        lines(
            "Shufflers in use, the ten lowest",
            "percentunit",
            (f"bottomk(10, table:smartshoe_shuffler:available{{{PITS}}})", "{{pit}} {{table}}"),
        ),
        lines(
            "Devices by stage",
            "short",
            (f"sum by (stage) (smartshoe_device_stage{{{PITS}}})", "{{stage}}"),
        ),
        lines(
            "Disk free, the ten lowest",
            "bytes",
            (f"bottomk(10, smartshoe_disk_free_bytes{{{PITS}}})", "{{pit}} {{table}}"),
        ),
        lines(
            "Scrape",
            "s",
            (f'max by (pit) (scrape_duration_seconds{{job="smartshoe", {PITS}}})', "{{pit}}"),
        ),
        lines(
            "Feed behind, the ten furthest",
            "s",
            (f"topk(10, smartshoe_feed_lag_seconds{{{PITS}}})", "{{pit}} {{table}}"),
        ),
    ),
}
PAGES = {
    "table": ("smartshoe: a table", "smartshoe-table", TABLE),
    "floor": ("smartshoe: the floor", "smartshoe-floor", FLOOR),
}
BUILDERS = {"stat": stat_builder.Panel, "lines": time_builder.Panel, "table": table_builder.Panel}


def panel(one: PanelOf) -> Any:
    """The builder of a panel."""
    built = BUILDERS[one.kind]().title(one.title).unit(one.unit).datasource(SOURCE)
    built = built.span(one.width).height(HEIGHT if one.width > 4 else HEIGHT // 2)
    if one.words:
        built = built.description(one.words)
    if one.kind == "lines":
        built = built.fill_opacity(0).show_points(common_models.VisibilityMode.NEVER)
        legend = common.VizLegendOptions().display_mode(common_models.LegendDisplayMode.LIST)
        built = built.legend(
            legend.placement(common_models.LegendPlacement.BOTTOM).show_legend(True)
        )
    elif one.kind == "stat":
        built = built.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
        built = built.graph_mode(common_models.BigValueGraphMode.NONE)
    else:
        built = built.show_header(True)
    for number, (expression, legend_text) in enumerate(one.queries):
        query = prometheus.Dataquery().expr(expression).ref_id(chr(ord("A") + number))
        if one.kind == "table":
            query = query.instant().format("table")
        elif one.kind == "stat":
            query = query.instant()
        else:
            query = query.range()
        built = built.with_target(query.legend_format(legend_text) if legend_text else query)
    return built


def variable(name: str, query: str, *, many: bool) -> Any:
    """The builder of a choice of pit or table."""
    built = dashboard.QueryVariable(name).query(query).datasource(SOURCE)
    built = built.refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED).multi(many)
    return built.include_all(many).sort(models.VariableSort.ALPHABETICAL_ASC)


def written(name: str) -> str:
    """The JSON of a dashboard."""
    title, uid, rows_of = PAGES[name]
    built = dashboard.Dashboard(title).uid(uid).tags(["smartshoe"]).editable().refresh("10s")
    built = built.time("now-6h", "now").timezone("browser")
    whole = name == "floor"
    built = built.with_variable(
        variable("pit", "label_values(smartshoe_table_info, pit)", many=whole)
    )
    if not whole:
        query = 'label_values(smartshoe_table_info{pit="$pit"}, table)'
        built = built.with_variable(variable("table", query, many=False))
    for row, panels in rows_of.items():
        built = built.with_row(dashboard.Row(row))
        for one in panels:
            built = built.with_panel(panel(one))
    return JSONEncoder(sort_keys=True, indent=2).encode(built.build()) + "\n"


def queries_of(text: str) -> Iterator[tuple[str, str]]:
    """(title of the panel, expression) of every query in a dashboard's JSON."""
    for one in json.loads(text)["panels"]:
        for target in one.get("targets", []):
            yield one["title"], target["expr"]


def main() -> int:
    if sys.argv[1:] != ["--write"]:
        print(__doc__.splitlines()[-1])
        return 1
    DASHBOARDS.mkdir(exist_ok=True)
    for name in PAGES:
        (DASHBOARDS / f"{name}.json").write_text(written(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
