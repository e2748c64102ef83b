"""docs/analytics-tables.md is the schema; the queries of docs/analytics.md give what it shows.

As a script with --write it writes both into the page.
"""

import os
import re
import tempfile
from contextlib import chdir
from pathlib import Path

import duckdb
import pytest
from floor_of_tables import write_floor

from office.analytics.export import export_tables
from office.analytics.schema import TABLES

pytestmark = pytest.mark.needs("duckdb")

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "analytics.md"
TABLES_PAGE = ROOT / "docs" / "analytics-tables.md"
BEGIN, END = "<!-- tables -->\n", "<!-- end of tables -->\n"
QUERY = re.compile(r"```sql\n(.*?)```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


def schema_part() -> str:
    """The tables as Markdown."""
    every = list(TABLES.values())
    shared = [one for one in every[0] if all(one in columns for columns in every)]
    parts = {"every table": shared}
    for name, columns in TABLES.items():
        parts[name.value] = [one for one in columns if one not in shared]
    lines: list[str] = []
    for title, columns in parts.items():
        lines += [f"## {title}", "", "| column | type | what it says | from |"]
        lines.append("| --- | --- | --- | --- |")
        lines += [f"| `{one.name}` | {one.kind} | {one.says} | {one.source} |" for one in columns]
        lines.append("")
    return "\n".join(lines)


def shown(columns: list[str], rows: list[tuple[object, ...]]) -> str:
    """A result as aligned text."""
    cells = [columns, *([str("" if one is None else one) for one in row] for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(columns))]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        + "\n"
        for row in cells
    )


def with_results(text: str, folder: Path) -> str:
    """The page with the result of each query below it; `folder` holds `tables`."""
    with chdir(folder), duckdb.connect() as database:

        def run(found: re.Match[str]) -> str:
            ran = database.execute(found[1])
            block = f"```sql\n{found[1]}```\n"
            if found[1].startswith("SET"):
                return block
            columns = [one[0] for one in ran.description]
            return f"{block}\n```text\n{shown(columns, ran.fetchall())}```\n"

        return QUERY.sub(run, text)


def page(folder: Path) -> str:
    write_floor(folder / "journals")
    export_tables([folder / "journals"], folder / "tables", os.cpu_count() or 1)
    return with_results(PAGE.read_text(encoding="utf-8"), folder)


def tables_page() -> str:
    before, rest = TABLES_PAGE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}{schema_part()}{END}{after}"


def test_the_page_of_tables_shows_the_schema() -> None:
    assert tables_page() == TABLES_PAGE.read_text(encoding="utf-8"), "run: make generate"


def test_the_page_shows_the_results_of_its_queries(fast_dir: Path) -> None:
    written = page(fast_dir)

    assert written == PAGE.read_text(encoding="utf-8"), "run: make generate"
    assert len(QUERY.findall(written)) > 10


def test_every_column_is_described_with_its_source() -> None:
    assert all(one.says and one.source for columns in TABLES.values() for one in columns)
    assert all(len({one.name for one in columns}) == len(columns) for columns in TABLES.values())


def write_generated() -> None:
    TABLES_PAGE.write_text(tables_page(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        PAGE.write_text(page(Path(name)), encoding="utf-8")
