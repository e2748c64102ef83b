"""What Grafana shows of an answer of Prometheus: words and colours, by its own rule.

Units are named, not applied. A matcher, mapping or mode that no rule here knows is an error.
Source: npm @grafana/data 11.6.0: field/thresholds, field/scale, field/displayProcessor,
field/fieldDisplay, utils/valueMappings, transformations/fieldReducer, matchers and
transformers/organize; grafana,
OptionsUI/registry.tsx (the thresholds of a panel that has none).
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hil.rig.servers.prometheus import Sample

Value = float | str | None
Json = dict[str, Any]
UNSTATED = [{"value": None, "color": "green"}, {"value": 80, "color": "red"}]
LEGEND = re.compile(r"\{\{\s*(\w+)\s*\}\}")
SPECIAL = {
    "null": lambda value: value is None,
    "nan": lambda value: isinstance(value, float) and math.isnan(value),
    "null+nan": lambda value: value is None or (isinstance(value, float) and math.isnan(value)),
    "true": lambda value: value == "true",
    "false": lambda value: value == "false",
    "empty": lambda value: value == "",
}
COLOURED_CELLS = ("color-text", "color-background")


@dataclass(frozen=True)
class Field:
    """A column of an answer: its values, and the query that it is of."""

    name: str
    kind: str  # number, string, time, or other where there is no answer
    values: tuple[Value, ...]
    query: str = "A"
    config: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """What is shown: a word or number, and its colour; empty where the panel colours nothing."""

    text: str
    colour: str


# --- answers as fields --------------------------------------------------------------------------


def named(legend: str, labels: Mapping[str, str]) -> str:
    return LEGEND.sub(lambda found: labels.get(found[1], ""), legend)


def stat_fields(target: Json, answer: Sequence[Sample]) -> list[Field]:
    """A field for each series, named by its legend."""
    legend = target.get("legendFormat", "")
    return [
        Field(named(legend, one.labels), "number", (one.value,), target["refId"]) for one in answer
    ]


def table_fields(target: Json, answer: Sequence[Sample]) -> list[Field]:
    """A column for each label of any series, between Time and Value."""
    if not answer:
        return []
    labels = sorted({name for one in answer for name in one.labels})
    columns = [Field("Time", "time", tuple(0.0 for _ in answer))]
    columns += [
        Field(name, "string", tuple(one.labels.get(name, "") for one in answer)) for name in labels
    ]
    columns.append(Field("Value", "number", tuple(one.value for one in answer)))
    return [replace(one, query=target["refId"]) for one in columns]


def organized(fields: list[Field], options: Json) -> list[Field]:
    """The columns that are not left out, in their order, under their new names."""
    order: dict[str, int] = options.get("indexByName", {})
    kept = [one for one in fields if not options.get("excludeByName", {}).get(one.name)]
    kept.sort(key=lambda one: order.get(one.name, len(order)))
    names = options.get("renameByName", {})
    return [replace(one, name=names.get(one.name) or one.name) for one in kept]


# --- the configuration of a field ---------------------------------------------------------------


def matches(matcher: Json, one: Field) -> bool:
    wanted = matcher["options"]
    match matcher["id"]:
        case "byName":
            return bool(one.name == wanted)
        case "byRegexp":
            pattern = wanted[1 : wanted.rindex("/")] if wanted.startswith("/") else f"^{wanted}$"
            return re.search(pattern, one.name) is not None
        case "byType":
            return bool(one.kind == wanted)
        case "byFrameRefID":
            return bool(one.query == wanted)
    raise AssertionError(f"no rule here for the matcher {matcher['id']}")


def configured(panel: Json, one: Field) -> Field:
    """The field with the panel's defaults and what overrides say of it."""
    config = dict(panel["fieldConfig"]["defaults"])
    for override in panel["fieldConfig"].get("overrides", ()):
        if matches(override["matcher"], one):
            config |= {each["id"]: each.get("value") for each in override["properties"]}
    return replace(one, config=config)


# --- words and colours --------------------------------------------------------------------------


def numeric_of(value: Value) -> float:
    try:
        return float(value) if value not in (None, "") else math.nan
    except ValueError:
        return math.nan


def plain(value: float) -> str:
    """A number as JavaScript writes it as a key."""
    return f"{value:.15g}"


def mapped(mappings: Sequence[Json], value: Value) -> Json | None:
    """What the first mapping that holds says of a value."""
    for one in mappings:
        options = one["options"]
        if one["type"] == "value":
            key = plain(value) if isinstance(value, float) else value
            if value is not None and key in options:
                return dict(options[key])
        elif one["type"] == "range":
            number = numeric_of(value)
            low, high = options.get("from"), options.get("to")
            low, high = (-math.inf if low is None else low), (math.inf if high is None else high)
            if low <= number <= high:
                return dict(options["result"])
        elif one["type"] == "regex":
            pattern = options["pattern"].strip("/")
            if isinstance(value, str) and re.search(pattern, value):
                return dict(options["result"])
        elif one["type"] == "special":
            if SPECIAL[options["match"]](value):
                return dict(options["result"])
        else:
            raise AssertionError(f"no rule here for the mapping {one['type']}")
    return None


def active_step(number: float, steps: Sequence[Json]) -> str:
    """The colour of the last step that a number has reached; the first for what has none."""
    active = steps[0]
    for step in steps[1:]:
        if not number >= step["value"]:
            break
        active = step
    return str(active["color"])


def colour_of(one: Field, number: float) -> str:
    """The colour of a number, or of no number, which is below every step."""
    mode = one.config.get("color", {}).get("mode", "thresholds")
    if mode == "fixed":
        return str(one.config["color"]["fixedColor"])
    if mode == "palette-classic":
        return ""
    assert mode == "thresholds", f"no rule here for the colours {mode}"
    thresholds = one.config.get("thresholds") or {"mode": "absolute", "steps": UNSTATED}
    number = -math.inf if math.isnan(number) else number
    if thresholds["mode"] == "percentage" and number != -math.inf:
        numbers = [each for each in map(numeric_of, one.values) if not math.isnan(each)]
        low = one.config.get("min", min(numbers, default=0))
        high = one.config.get("max", max(numbers, default=100))
        number = 100 * (number - low) / (high - low) if high > low else 0
    return active_step(number, thresholds["steps"])


def shown(one: Field, value: Value) -> Cell:
    """A value of a configured field as it is shown."""
    unit = one.config.get("unit", "string" if one.kind == "string" else "none")
    number = math.nan if unit == "string" else numeric_of(value)
    said = mapped(one.config.get("mappings", ()), value) or {}
    text = said.get("text")
    if text is None and not math.isnan(number):
        text = plain(number) + (f" {unit}" if unit not in ("none", "short") else "")
    if text is None:
        text = ("" if value is None else str(value)) or one.config.get("noValue", "")
    return Cell(text, said.get("color") or colour_of(one, number))


def reduced(calculation: str, values: Sequence[Value]) -> Value:
    """The one value of a series that a stat shows."""
    if calculation == "lastNotNull":
        values = [one for one in values if not SPECIAL["null+nan"](one)]
    else:
        assert calculation == "last", f"no rule here for the calculation {calculation}"
    return values[-1] if values else None


def stat_cells(panel: Json, answers: Sequence[Sequence[Sample]]) -> list[Cell]:
    """What a stat shows: each series, or that there is none."""
    fields = [
        one
        for target, answer in zip(panel["targets"], answers, strict=True)
        for one in stat_fields(target, answer)
    ]
    if not fields:
        nothing = Field("No data", "other", (), config=panel["fieldConfig"]["defaults"])
        cell = shown(nothing, None)
        return [cell if cell.text else replace(cell, text="No data")]
    (calculation,) = panel["options"]["reduceOptions"]["calcs"]
    configs = [configured(panel, one) for one in fields]
    return [shown(one, reduced(calculation, one.values)) for one in configs]


def table_rows(panel: Json, answers: Sequence[Sequence[Sample]]) -> list[dict[str, Cell]]:
    """The rows of a table by the titles of its columns; none where nothing was returned."""
    (target,), (answer,) = panel["targets"], answers
    fields = table_fields(target, answer)
    for transformation in panel.get("transformations", ()):
        assert transformation["id"] == "organize", "no rule here for another transformation"
        fields = organized(fields, transformation["options"])
    rows: list[dict[str, Cell]] = [{} for _ in answer]
    for one in fields:
        column = configured(panel, one)
        coloured = column.config.get("custom.cellOptions", {}).get("type") in COLOURED_CELLS
        for row, value in zip(rows, column.values, strict=True):
            cell = shown(column, value)
            row[column.name] = cell if coloured else replace(cell, colour="")
    return rows
