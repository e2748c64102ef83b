"""The kinds of panels of a dashboard as values, and their JSON by Grafana's own schema.

What a colour means: docs/monitoring.md, "What the colours mean".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grafana_foundation_sdk.builders import common, dashboard, prometheus
from grafana_foundation_sdk.builders import stat as stat_builder
from grafana_foundation_sdk.builders import table as table_builder
from grafana_foundation_sdk.builders import timeseries as time_builder
from grafana_foundation_sdk.models import common as common_models
from grafana_foundation_sdk.models import dashboard as models

SOURCE = models.DataSourceRef(type_val="prometheus", uid="smartshoe")
HEIGHT = 8
RED, AMBER, GREEN, GREY, NEUTRAL = "red", "orange", "green", "gray", "text"
NO_DATA, DOWN = "no data", "does not answer"
DOWN_VALUE = "NaN"
VALUE = "Value"
OF_EVERY_ROW = ("Time", "pit", "table", VALUE)
RATE = "$__rate_interval"
BY_TABLE = "max by (pit, table)"
Word = tuple[str, str]  # what is shown, and its colour


@dataclass(frozen=True)
class Shown:
    """How a value is shown: its unit, words in the place of values, and colours from values on.

    `colour` is that of every value without a word below the first of `steps`: what is judged is red
    unless something says otherwise.
    """

    unit: str = "none"
    words: Mapping[float | str, Word] = field(default_factory=dict)
    colour: str = NEUTRAL
    steps: tuple[tuple[float, str], ...] = ()
    decimals: int | None = None

    @property
    def thresholds(self) -> models.ThresholdsConfig:
        steps = [models.Threshold(None, self.colour)]
        steps += [models.Threshold(value, colour) for value, colour in self.steps]
        return models.ThresholdsConfig(models.ThresholdsMode.ABSOLUTE, steps)

    def mappings(self, query: str = "") -> list[Any]:
        """Its words, and that of a table that is down where the query gives NaN for one."""
        found: list[Any] = []
        if self.words:
            words = {
                f"{value:g}" if isinstance(value, int | float) else value: _result(word)
                for value, word in self.words.items()
            }
            found.append(models.ValueMap(words))
        if DOWN_VALUE in query:
            found.append(_special(models.SpecialValueMatch.NA_N, (DOWN, RED)))
        return found


@dataclass(frozen=True)
class Column:
    """A column of a table: the label of the query (or Value), its title, and how it is shown."""

    label: str
    title: str
    shown: Shown | None = None


@dataclass(frozen=True)
class PanelOf:
    """One panel: `kind` is stat, lines, bars or table; `queries` are (expression, legend).

    `width` of 24 columns. A query that is shown as a table has one row for each series.
    `of_legend`: how a value is shown whose legend that is. `nothing`: said where a query returns
    nothing. `interval`: the time that a bar stands for.
    """

    kind: str
    title: str
    width: int
    queries: tuple[tuple[str, str], ...]
    shown: Shown = field(default_factory=Shown)
    description: str = ""
    nothing: str = NO_DATA
    columns: tuple[Column, ...] = ()
    of_legend: Mapping[str, Shown] = field(default_factory=dict)
    axis: str = ""
    interval: str = ""
    max: float | None = None


NONE_IS_GOOD = Shown(words={0: ("none", GREEN)}, colour=RED, decimals=0)
NONE_IS_BEST = Shown(words={0: ("none", GREEN)}, colour=AMBER, decimals=0)
NUMBER = Shown(decimals=0)


def or_down(expression: str, matchers: str) -> str:
    """NaN for a table in the list of targets that is down, and has no series but `up`."""
    down = f'({BY_TABLE} (up{{job="smartshoe", {matchers}}}) == 0) * {DOWN_VALUE}'
    return f"{expression} or on (pit, table) {down}"


def stat(
    title: str, query: str, shown: Shown = NUMBER, words: str = "", *, width: int = 4
) -> PanelOf:
    return PanelOf("stat", title, width, ((query, ""),), shown, words)


def lines(
    title: str,
    unit: str,
    *queries: tuple[str, str],
    words: str = "",
    axis: str = "",
    decimals: int | None = None,
) -> PanelOf:
    maximum = 1 if unit == "percentunit" else None
    shown = Shown(unit, decimals=decimals)
    return PanelOf("lines", title, 12, queries, shown, words, axis=axis, max=maximum)


def bars(
    title: str, counter: str, label: str, matchers: str, interval: str, words: str = ""
) -> PanelOf:
    """A bar for the events of its own time, as whole numbers; "none" where a table counted none."""
    counted = f"round(sum by ({label}) (increase({counter}{{{matchers}}}[{RATE}]))) > 0"
    answers = f'0 * max(up{{job="smartshoe", {matchers}}} == 1)'
    none = f'label_replace({answers}, "{label}", "none", "", "")'
    query = (f"{counted} or on () {none}", f"{{{{{label}}}}}")
    shown = Shown("short", decimals=0)
    axis = f"in each {interval}"
    return PanelOf("bars", title, 12, (query,), shown, words, axis=axis, interval=interval)


def rows(
    title: str, query: str, *columns: Column, words: str = "", nothing: str = NO_DATA
) -> PanelOf:
    return PanelOf("table", title, 12, ((query, ""),), Shown(), words, nothing, columns)


def _result(word: Word) -> models.ValueMappingResult:
    return models.ValueMappingResult(text=word[0], color=word[1])


def _special(match: models.SpecialValueMatch, word: Word) -> models.SpecialValueMap:
    return models.SpecialValueMap(models.DashboardSpecialValueMapOptions(match, _result(word)))


def _colours_by_value() -> Any:
    return dashboard.FieldColor().mode(models.FieldColorModeId.THRESHOLDS)


def _properties(shown: Shown, query: str) -> list[models.DynamicConfigValue]:
    """An override that shows a field so."""
    given: dict[str, object] = {"unit": shown.unit, "thresholds": shown.thresholds}
    if mappings := shown.mappings(query):
        given["mappings"] = mappings
    if shown.decimals is not None:
        given["decimals"] = shown.decimals
    return [models.DynamicConfigValue(name, value) for name, value in given.items()]


def _ready(value: object) -> object:
    """A value of an override as plain JSON: Grafana's schema leaves its type open."""
    if hasattr(value, "to_json"):
        return _ready(value.to_json())
    if isinstance(value, dict):
        return {key: _ready(one) for key, one in value.items()}
    return [_ready(one) for one in value] if isinstance(value, list) else value


def _overridden(built: Any, name: str, properties: Sequence[models.DynamicConfigValue]) -> Any:
    return built.override_by_name(
        name, [models.DynamicConfigValue(one.id_val, _ready(one.value)) for one in properties]
    )


def _stat(one: PanelOf) -> Any:
    built = stat_builder.Panel().graph_mode(common_models.BigValueGraphMode.NONE)
    # Not lastNotNull, for which NaN is nothing: a table that is down would be "no data".
    built = built.reduce_options(common.ReduceDataOptions().calcs(["last"]))
    built = built.color_mode(common_models.BigValueColorMode.VALUE)
    built = built.color_scheme(_colours_by_value())
    nothing = _special(models.SpecialValueMatch.NULL, (one.nothing, GREY))
    built = built.mappings([*one.shown.mappings(one.queries[0][0]), nothing])
    built = built.thresholds(_built(one.shown.thresholds)).no_value(one.nothing)
    if one.shown.decimals is not None:
        built = built.decimals(one.shown.decimals)
    for legend, shown in one.of_legend.items():
        built = _overridden(built, legend, _properties(shown, ""))
    return built.unit(one.shown.unit)


def _table(one: PanelOf) -> Any:
    """Only named columns are shown, in their order; colour and unit are those of the column."""
    built = table_builder.Panel().show_header(True).color_scheme(_colours_by_value())
    built = built.thresholds(_built(Shown().thresholds)).no_value(one.nothing)
    named = {column.label for column in one.columns}
    organize = {
        "excludeByName": {label: True for label in OF_EVERY_ROW if label not in named},
        "indexByName": {column.label: at for at, column in enumerate(one.columns)},
        "renameByName": {column.label: column.title for column in one.columns},
    }
    built = built.with_transformation(models.DataTransformerConfig("organize", options=organize))
    # Otherwise an empty cell says what the panel says where there are no rows.
    built = built.override_by_field_type("string", [models.DynamicConfigValue("noValue", "")])
    for column in one.columns:
        if column.shown is not None:
            cell = models.DynamicConfigValue("custom.cellOptions", {"type": "color-text"})
            query = one.queries[0][0] if column.label == VALUE else ""
            built = _overridden(built, column.title, [*_properties(column.shown, query), cell])
    return built


def _lines(one: PanelOf) -> Any:
    """Lines, or bars where few events happen: their colours tell series apart and judge nothing."""
    built = time_builder.Panel().show_points(common_models.VisibilityMode.NEVER)
    built = built.color_scheme(
        dashboard.FieldColor().mode(models.FieldColorModeId.PALETTE_CLASSIC)
    ).min(0)
    legend = common.VizLegendOptions().display_mode(common_models.LegendDisplayMode.LIST)
    built = built.legend(legend.placement(common_models.LegendPlacement.BOTTOM).show_legend(True))
    built = built.axis_label(one.axis).unit(one.shown.unit).no_value(NO_DATA).fill_opacity(0)
    if one.max is not None:
        built = built.max(one.max)
    if one.shown.decimals is not None:
        built = built.decimals(one.shown.decimals)
    if one.kind == "bars":
        built = built.draw_style(common_models.GraphDrawStyle.BARS).fill_opacity(80)
        stacked = common.StackingConfig().mode(common_models.StackingMode.NORMAL)
        built = built.stacking(stacked).interval(one.interval)
    return built


def _built(thresholds: models.ThresholdsConfig) -> Any:
    return dashboard.ThresholdsConfig().mode(thresholds.mode).steps(thresholds.steps)


BUILDERS = {"stat": _stat, "lines": _lines, "bars": _lines, "table": _table}


def panel(one: PanelOf) -> Any:
    """The builder of a panel."""
    built = BUILDERS[one.kind](one).title(one.title).datasource(SOURCE)
    built = built.span(one.width).height(HEIGHT if one.width > 4 else HEIGHT // 2)
    if one.description:
        built = built.description(one.description)
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
