"""The example of the metrics' README.md: two tables in a program of one's own, in its own registry.

Its page is read by promtool and by the library's parser of OpenMetrics.
"""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from controller.outlets.metrics.definitions import METRICS, MetricKind

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "controller" / "outlets" / "metrics" / "README.md"
HEADING = "## In a program of your own"
BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINES_MAX = 10
TABLES = {"M-12", "M-13"}


def blocks() -> list[str]:
    return BLOCK.findall(PAGE.read_text(encoding="utf-8").partition(HEADING)[2])


def program_text() -> str:
    """What the page writes to floor.py."""
    return blocks()[1].partition("<<'END'\n")[2].partition("\nEND\n")[0]


@pytest.fixture
def url(fast_dir: Path) -> Iterator[str]:
    """Where the program of the page serves its registry."""
    subprocess.run(["bash", "-ec", blocks()[0]], cwd=fast_dir, check=True)
    (fast_dir / "floor.py").write_text(program_text())
    with socket.create_server(("127.0.0.1", 0)) as free:
        place = f"127.0.0.1:{free.getsockname()[1]}"
    command = [sys.executable, "floor.py", place]
    with subprocess.Popen(command, cwd=fast_dir, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            assert [program.stdout.readline() for _ in TABLES] == ["a table runs\n"] * 2
            yield f"http://{place}/metrics"
        finally:
            program.terminate()


def page(url: str, accept: str = "") -> str:
    with urlopen(Request(url, headers={"Accept": accept})) as answer:
        text: str = answer.read().decode()
    return text


def test_the_example_is_ten_lines_beside_its_imports_and_their_log() -> None:
    lines = [one for one in program_text().splitlines() if one]
    told = [one for one in lines if not one.startswith(("from ", "import ", "logging."))]
    assert len(told) <= LINES_MAX


def test_the_parser_of_openmetrics_reads_both_tables_and_the_programs_own(url: str) -> None:
    text = page(url, "application/openmetrics-text")
    found = {one.name: one for one in text_string_to_metric_families(text)}
    assert found["house_visitors"].samples[0].value == 1
    of_tables = [one for name, one in found.items() if name.startswith("smartshoe_")]
    assert len(of_tables) > len(METRICS) / 2
    for family in of_tables:
        assert {sample.labels["table"] for sample in family.samples} <= TABLES
        assert {sample.labels["pit"] for sample in family.samples} == {"pit-3"}
    health = found["smartshoe_table_health"].samples
    running = {one.labels["table"] for one in health if one.value == 1}
    assert running == TABLES
    assert found["smartshoe_table"].type == MetricKind.INFO.value


@pytest.mark.needs("prometheus")
def test_promtool_reads_the_page(url: str) -> None:
    checked = subprocess.run(
        ["promtool", "check", "metrics"],
        input=page(url),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")
