"""docs/metrics.md shows the program's table of metrics."""

import os
from pathlib import Path

from generated_parts import with_parts

from controller.outlets.metrics.definitions import GROUPS, METRICS, Definition, MetricKind, Since

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "metrics.md"
# Longer sets are named, not listed.
VALUES_MAX = 30
CATALOGUE = os.path.relpath(ROOT / "controller" / "procedure" / "README.md", PAGE.parent)
STATES = os.path.relpath(ROOT / "docs" / "state-table.md", PAGE.parent)
NAMED = {
    "code": f"the codes of [the catalogue]({CATALOGUE}#irregularities)",
    "phase": f"the phases of [the state table]({STATES}), `withheld`",
}
SINCE = {Since.NOW: "", Since.JOURNAL: "", Since.START: "since the start"}


def shown_row(one: Definition) -> str:
    labels = " ".join(f"`{label}`" for label, _ in one.labels)
    there = ", ".join(filter(None, (one.when, SINCE[one.since])))
    kind = "" if one.kind in (MetricKind.GAUGE, MetricKind.COUNTER) else f" ({one.kind.value})"
    return f"| `{one.name}`{kind} | {labels} | {there} | {one.words} |"


def metric_tables() -> str:
    lines: list[str] = []
    for title, group in GROUPS.items():
        lines += [f"**{title}**", "", "| metric | labels | there | |", "| --- | --- | --- | --- |"]
        lines += [*map(shown_row, group), ""]
    return "\n".join(lines)


def label_values() -> str:
    sets: dict[str, list[str]] = {}
    for one in METRICS:
        for label, values in one.labels:
            if not values:
                continue
            words = NAMED.get(label, ", ".join(f"`{value}`" for value in values))
            sets.setdefault(f"| `{label}` | {words} |", []).append(f"`{one.name}`")
    rows = [f"{row} {', '.join(names)} |" for row, names in sets.items()]
    return "\n".join(["| label | values | of |", "| --- | --- | --- |", *rows, ""])


def page() -> str:
    parts = {"metrics": metric_tables(), "label values": label_values()}
    return with_parts(PAGE.read_text(), parts)


def test_the_page_shows_the_table_of_metrics() -> None:
    assert PAGE.read_text() == page(), "run: make generate"


def test_every_name_is_said_once_and_every_long_set_is_named() -> None:
    assert len({one.name for one in METRICS}) == len(METRICS)
    long = {label for one in METRICS for label, values in one.labels if len(values) > VALUES_MAX}
    assert long <= set(NAMED)


def write_generated() -> None:
    PAGE.write_text(page())
