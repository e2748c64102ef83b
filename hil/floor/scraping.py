"""The Prometheus of a floor: its configuration, and what it measured of its own scrapes.

Source: Prometheus documentation, "Automatically generated labels and time series".
"""

import json
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from hil.floor.table_process import TableProcess
from hil.progress import Patience
from hil.rig.servers.prometheus import Prometheus

# Prometheus does little between two scrapes.
AGREE_STILL_S = 120.0
JOB = "smartshoe"
POLL_S = 0.5


class ScrapeFigures(Struct, frozen=True):
    """Scrapes of all tables in a window: seconds at three quantiles, and samples a scrape."""

    p50_s: float
    p99_s: float
    slowest_s: float
    samples: float
    series: float
    failed: float


def write_config(folder: Path, processes: Sequence[TableProcess], scrape_s: int) -> Path:
    """The configuration of one job with every table as a target of its own (JSON is YAML)."""
    targets = [
        {"targets": [process.address], "labels": {"__metrics_path__": path}}
        for process in processes
        for path in process.targets.values()
    ]
    # The page of each table is another target, so their `instance` differs.
    naming = {"source_labels": ["__address__", "__metrics_path__"], "target_label": "instance"}
    job = {"job_name": JOB, "static_configs": targets, "relabel_configs": [naming]}
    every = {"scrape_interval": f"{scrape_s}s"}
    file = folder / "prometheus.yml"
    file.write_text(json.dumps({"global": every, "scrape_configs": [job]}, indent=1))
    return file


def scrape_figures(prometheus: Prometheus, seconds: float) -> ScrapeFigures:
    """What it noted of the last so many seconds."""
    span, job = f"[{max(1, round(seconds))}s]", f'{{job="{JOB}"}}'
    durations = f"scrape_duration_seconds{job}"

    def one(expression: str) -> float:
        found = prometheus.query(expression)
        return found[0].value if found else float("nan")

    return ScrapeFigures(
        p50_s=one(f"quantile(0.5, quantile_over_time(0.5, {durations}{span}))"),
        p99_s=one(f"max(quantile_over_time(0.99, {durations}{span}))"),
        slowest_s=one(f"max(max_over_time({durations}{span}))"),
        samples=one(f"avg(scrape_samples_scraped{job})"),
        series=one(f"count({{job='{JOB}'}})"),
        failed=one(f"sum(count_over_time(up{job}{span}) - sum_over_time(up{job}{span}))"),
    )


def await_coups(prometheus: Prometheus, dealt: dict[str, int]) -> dict[str, int]:
    """The coups that Prometheus counts at each table, once they agree, or when nothing moves."""
    counted: dict[str, int] = {}
    patience = Patience(AGREE_STILL_S, lambda: sum(counted.values()))
    while True:
        counted = {
            sample.labels.get("table", ""): round(sample.value)
            for sample in prometheus.query("sum by (table) (smartshoe_coups_total)")
        }
        if counted == dealt or patience.is_over:
            return counted
        time.sleep(POLL_S)
