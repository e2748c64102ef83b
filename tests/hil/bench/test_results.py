"""docs/performance.md says "missed" of each goal that the newest whole run missed, and of no other.

Source: hil/bench/results.
"""

import json
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
RESULTS = ROOT / "hil" / "bench" / "results"
PAGE = ROOT / "docs" / "performance.md"


def newest() -> tuple[str, list[dict[str, object]]]:
    """The version of the newest whole run, and its checks."""
    versions = [path.stem for path in RESULTS.glob("*.json")]
    version = max(versions, key=lambda one: tuple(map(int, one.split("."))))
    return version, json.loads((RESULTS / f"{version}.json").read_text("utf-8"))["checks"]


def missed_on(text: str, version: str) -> Counter[str]:
    """By goal, how often its rows say "missed" in the column of that version."""
    found: Counter[str] = Counter()
    column = 0
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "goal":
            column = cells.index(version)
        elif line.startswith("| P"):
            found[cells[0].split()[0]] += cells[column].count("missed")
    return +found


def test_the_page_says_which_goals_were_missed() -> None:
    version, checks = newest()
    missed = Counter(str(one["goal"]) for one in checks if one["judgement"] == "MISSED")

    assert missed_on(PAGE.read_text("utf-8"), version) == missed


def test_the_page_has_the_counts_of_that_run() -> None:
    version, checks = newest()
    counted = Counter(str(one["judgement"]).lower() for one in checks)
    stretch = sum(bool(one["stretch_met"]) for one in checks)
    text = PAGE.read_text("utf-8")

    assert f"smartshoe {version}: measured against its goals" in text
    line = (
        f"{counted['met']} met ({stretch} of them the stretch goal too), {counted['missed']} missed"
    )
    assert re.search(
        rf"^{re.escape(line)}, {counted['not judged']} not judged$", text, re.MULTILINE
    )


def test_a_miss_is_counted_in_its_column() -> None:
    page = "| goal | 0.1.0 | 0.2.0 |\n| P1 card | 3: missed | 1 |\n| P2 | | missed |\n"

    assert missed_on(page, "0.2.0") == Counter({"P2": 1})
