"""What people see in Grafana of planted tables: each stat and cell with its word and colour.

A real Prometheus answers the dashboards' queries; Grafana's rule, read again in grafana_display,
says what is shown.
"""

import copy
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from grafana_dashboards import DASHBOARDS, PAGES
from grafana_display import Cell, Json, stat_cells, table_rows
from grafana_panels import AMBER, GREEN, RED
from planted_tables import AT_S, DARK_PIT, EMPTY_PIT, FULL_PIT, PIT, UNJUDGED_S, plant, planted
from rule_files import METRIC, RECORD, records

from hil.rig.servers.prometheus import Prometheus, Sample

pytestmark = pytest.mark.needs("prometheus", "grafana-foundation-sdk")

GONE = "gone"
TABLES = [name for pit, name in planted() if pit == PIT] + [GONE]
PURPLE = "purple"
COLOUR = re.compile(r"\((\w+)\)")
MANY = re.compile(r"M-\d+")
RECORDED = re.compile(rf"({RECORD.pattern})\{{([^}}]*)\}}")
Place = tuple[str, str, int]  # pit, table and time that a dashboard is asked for
Answers = dict[tuple[str, str, Place], list[Sequence[Sample]]]


def panels(name: str) -> list[Json]:
    found = json.loads((DASHBOARDS / f"{name}.json").read_text("utf-8"))["panels"]
    return [one for one in found if one["type"] in ("stat", "table")]


PANELS = {name: panels(name) for name in PAGES}
PLACES: dict[str, dict[str, Place]] = {
    "table": {name: (PIT, name, AT_S) for name in TABLES},
    "floor": {
        "pit with trouble": (PIT, "", AT_S),
        "80 tables": (FULL_PIT, "", AT_S),
        "all down": (DARK_PIT, "", AT_S),
        "nothing there": (EMPTY_PIT, "", UNJUDGED_S),
        "alarms not judged": (FULL_PIT, "", UNJUDGED_S),
    },
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answers]:
    """What a real Prometheus answers to each panel at each place."""
    folder = tmp_path_factory.mktemp("planted")
    plant(folder)
    config = folder / "prometheus.yml"
    config.write_text("global: {}\n", encoding="utf-8")
    options = ("--storage.tsdb.retention.time=100y",)
    with Prometheus(folder, config, options=options) as prometheus:
        yield {
            (name, one["title"], place): [
                prometheus.query(asked(target["expr"], place), place[2])
                for target in one["targets"]
            ]
            for name in PAGES
            for one in PANELS[name]
            for place in PLACES[name].values()
        }


def recorded(rule: str, matchers: str) -> str:
    return f"({METRIC.sub(lambda found: f'{found[0]}{{{matchers}}}', records()[rule])})"


def asked(expression: str, place: Place) -> str:
    """The query with its place, and with the recording rules, which nobody evaluates here."""
    pit, table, _ = place
    text = expression.replace("$pit", pit).replace("$table", table)
    return RECORDED.sub(lambda found: recorded(found[1], found[2]), text)


def written(cell: Cell) -> str:
    return f"{cell.text} ({cell.colour})" if cell.colour else cell.text


def seen(panel: Json, given: list[Sequence[Sample]]) -> list[str]:
    """The lines that people read of a panel: rows that differ in their table alone are counted."""
    if panel["type"] == "stat":
        return [" / ".join(written(one) for one in stat_cells(panel, given))]
    rows = [
        " | ".join(written(cell) for cell in row.values() if cell.text)
        for row in table_rows(panel, given)
    ] or [panel["fieldConfig"]["defaults"]["noValue"]]
    rows = [MANY.sub("M-...", row) for row in rows]
    return sorted({f"{rows.count(row)} x {row}" if rows.count(row) > 1 else row for row in rows})


def read_panel(name: str, panel: Json, answers: Answers) -> dict[str, list[str]]:
    """What is seen of a panel, by the places at which it is seen."""
    found: dict[str, list[str]] = {}
    for word, place in PLACES[name].items():
        for line in seen(panel, answers[name, panel["title"], place]):
            found.setdefault(line, []).append(word)
    return found


def as_text(name: str, answers: Answers) -> str:
    """All that is seen of a dashboard, as expected_colours.txt has it."""
    lines = [f"== {name} =="]
    for one in PANELS[name]:
        lines.append(one["title"])
        for line, places in read_panel(name, one, answers).items():
            lines.append(f"    {line}: {', '.join(places)}")
    return "\n".join(lines) + "\n"


def test_each_stat_and_cell_has_the_word_and_colour_that_the_floor_expects(
    answers: Answers,
) -> None:
    expected = (Path(__file__).parent / "expected_colours.txt").read_text("utf-8")
    found = "\n".join(as_text(name, answers) for name in PAGES)

    assert found == expected


def colours_at(word: str, answers: Answers, titles: Sequence[str] = ()) -> dict[str, set[str]]:
    """The colours of each panel that is asked for that place, rows of tables included."""
    return {
        one["title"]: {
            colour
            for line in seen(one, answers[name, one["title"], PLACES[name][word]])
            for colour in COLOUR.findall(line)
        }
        for name in PAGES
        if word in PLACES[name]
        for one in PANELS[name]
        if not titles or one["title"] in titles
    }


@pytest.mark.parametrize("word", ["down", GONE, "nothing there", "all down"])
def test_what_is_not_known_is_never_green(answers: Answers, word: str) -> None:
    found = colours_at(word, answers)
    # Of these it is known all the same: the alarm tells, and its path is alive.
    found.pop("Alarms that fire", None)

    assert {title for title, colours in found.items() if GREEN in colours} == set()


def test_what_is_good_or_only_large_is_never_red(answers: Answers) -> None:
    for word in ("plays", "80 tables"):
        found = colours_at(word, answers)
        assert {title for title, colours in found.items() if {RED, AMBER} & colours} == set()


def test_what_stops_play_is_red(answers: Answers) -> None:
    wanted = {
        "suspended": ("Suspended", "Open irregularities"),
        "down": ("Answers",),
        "pit with trouble": ("Suspended", "Tables down", "Pages", "Alarms", "Alarms that fire"),
    }
    for word, titles in wanted.items():
        found = colours_at(word, answers, titles)
        assert {title for title, colours in found.items() if RED in colours} == set(titles), word


def test_an_empty_cell_and_a_raw_label_are_never_shown(answers: Answers) -> None:
    raw = {"Time", "Value", "__name__", "instance", "job", "alertname", "alertstate"}
    titles = {
        title
        for name in PAGES
        for one in PANELS[name]
        if one["type"] == "table"
        for place in PLACES[name].values()
        for row in table_rows(one, answers[name, one["title"], place])
        for title in row
    }

    assert titles
    assert titles & raw == set()
    assert {one for one in titles if one != one.capitalize()} == set()


# --- one colour or word turned round -------------------------------------------------------------


def sites(value: Any) -> Iterator[Json]:
    """Every place in a panel that gives a colour: steps of thresholds, and results of mappings."""
    if isinstance(value, dict):
        if "color" in value and isinstance(value["color"], str):
            yield value
        for one in value.values():
            yield from sites(one)
    elif isinstance(value, list):
        for one in value:
            yield from sites(one)


def config_of(panel: Json, part: str | None) -> Any:
    return panel["fieldConfig"][part] if part else panel["fieldConfig"]


def turned(name: str, panel: Json) -> Iterator[tuple[str, Json]]:
    """The panel with one colour or word changed, for each, and with the steps of each reversed.

    No cell of a table is coloured by its defaults.
    """
    part = "overrides" if panel["type"] == "table" else None
    for number, site in enumerate(sites(config_of(panel, part))):
        for what in ("color", "text"):
            if what in site:
                other = copy.deepcopy(panel)
                list(sites(config_of(other, part)))[number][what] = PURPLE
                yield f"{name}, {panel['title']}: {what} of {site}", other
    for number, steps in enumerate(all_steps(panel["fieldConfig"])):
        if len(steps) > 1:
            other = copy.deepcopy(panel)
            reversed_steps = list(all_steps(other["fieldConfig"]))[number]
            colours = [one["color"] for one in steps]
            for one, colour in zip(reversed_steps, reversed(colours), strict=True):
                one["color"] = colour
            yield f"{name}, {panel['title']}: steps {steps}", other


def all_steps(value: Any) -> Iterator[list[Json]]:
    if isinstance(value, dict):
        if isinstance(value.get("steps"), list):
            yield value["steps"]
        for one in value.values():
            yield from all_steps(one)
    elif isinstance(value, list):
        for one in value:
            yield from all_steps(one)


def test_each_colour_word_and_threshold_turned_round_is_noticed(answers: Answers) -> None:
    changed = 0
    unnoticed = []
    for name in PAGES:
        for panel in PANELS[name]:
            before = read_panel(name, panel, answers)
            for what, other in turned(name, panel):
                changed += 1
                if read_panel(name, other, answers) == before:
                    unnoticed.append(what)

    assert changed > 100
    assert unnoticed == []
