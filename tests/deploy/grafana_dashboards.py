"""The dashboards in deploy/grafana/dashboards, written by `make generate`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grafana_floor import FLOOR
from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import dashboard as models
from grafana_panels import SOURCE, panel
from grafana_table import TABLE

DASHBOARDS = Path(__file__).resolve().parents[2] / "deploy/grafana/dashboards"
PAGES = {
    "table": ("smartshoe: a table", "smartshoe-table", TABLE),
    "floor": ("smartshoe: the floor", "smartshoe-floor", FLOOR),
}


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
    # Of the list of targets, which names a table that is down, too.
    listed = 'up{job="smartshoe"}'
    built = built.with_variable(variable("pit", f"label_values({listed}, pit)", many=whole))
    if not whole:
        query = 'label_values(up{job="smartshoe", pit="$pit"}, table)'
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


def write_generated() -> None:
    DASHBOARDS.mkdir(exist_ok=True)
    for name in PAGES:
        (DASHBOARDS / f"{name}.json").write_text(written(name), encoding="utf-8")
