"""Writes the values of metrics as a page: Prometheus's text format, or OpenMetrics.

The beginning of each line is written once and kept: a scrape costs little more than its numbers.
The formats differ in their head lines alone.
Source: Prometheus documentation, "Exposition formats" (text format 0.0.4); OpenMetrics 1.0.0;
performance goals P14, P14b.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import ClassVar, Final

from controller.metrics.definitions import (
    COMMON_LABELS,
    METRICS,
    PREFIX,
    PROCESS,
    Definition,
    MetricKind,
)
from controller.metrics.samples import NO_LABELS, Labels, Samples, bounds

_IN_PROCESS: Final = frozenset(one.name for one in PROCESS)
_ESCAPED: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_TOTAL: Final = "_total"
_INFO: Final = "_info"
_WEIGHT: Final = re.compile(r"q=(0(?:\.\d*)?|1(?:\.0*)?)")


class Format(Enum):
    """The formats of a page, by their content types."""

    TEXT = "text/plain; version=0.0.4; charset=utf-8"
    OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def format_for(accept: str) -> Format:
    """The format that a request's Accept field prefers; text unless it names OpenMetrics 1."""
    weights = {"application/openmetrics-text": 0.0, "text/plain": 0.0}
    for part in accept.split(","):
        kind, *parameters = (word.strip().lower() for word in part.split(";"))
        versions = [one for one in parameters if one.startswith("version=")]
        if kind not in weights or versions not in ([], ["version=1.0.0"], ["version=0.0.4"]):
            continue
        weighed = (found for one in parameters if (found := _WEIGHT.fullmatch(one)))
        weight = next((float(found[1]) for found in weighed), 1.0)
        weights[kind] = max(weights[kind], weight)
    wanted, text = weights.values()
    return Format.OPENMETRICS if wanted and wanted >= text else Format.TEXT


class Exposition:
    """Writes the pages of one table. For one thread at a time."""

    # Label values are from closed sets; a gaming day is one more each day.
    LINES_MAX: ClassVar[int] = 8192

    def __init__(self, table: str, pit: str) -> None:
        pairs = zip(COMMON_LABELS, (table, pit), strict=True)
        self._common = ",".join(_pair(*pair) for pair in pairs)
        self._beginnings: dict[tuple[str, Labels], str] = {}

    def text(self, samples: Samples, form: Format) -> bytes:
        """The page; metrics without samples are left out."""
        if len(self._beginnings) > self.LINES_MAX:
            self._beginnings.clear()
        parts: list[str] = []
        for definition in METRICS:
            lines = list(self._lines(definition, samples))
            if lines:
                parts.append(_HEADS[form, definition.name])
                parts += lines
        if form is Format.OPENMETRICS:
            parts.append("# EOF\n")
        return "".join(parts).encode()

    def _lines(self, definition: Definition, samples: Samples) -> Iterator[str]:
        name = definition.name
        match definition.kind:
            case MetricKind.HISTOGRAM:
                yield from self._histogram(definition, samples)
            case MetricKind.SUMMARY:
                # OpenMetrics: the samples of one set of labels stand together.
                count, total = f"{name}_count", f"{name}_sum"
                for labels, value in samples.get(count, {}).items():
                    yield f"{self._beginning(definition, count, labels)}{value}\n"
                    of_all = samples[total][labels]
                    yield f"{self._beginning(definition, total, labels)}{of_all}\n"
            case _:
                yield from self._samples(definition, name, samples)

    def _samples(self, definition: Definition, name: str, samples: Samples) -> Iterator[str]:
        for labels, value in samples.get(name, {}).items():
            yield f"{self._beginning(definition, name, labels)}{value}\n"

    def _histogram(self, definition: Definition, samples: Samples) -> Iterator[str]:
        """Its buckets added up, as the formats want them."""
        name = definition.name
        count: float = 0
        buckets = samples.get(f"{name}_bucket")
        if buckets is None:
            return
        for bound in bounds(definition):
            count += buckets[(bound,)]
            yield f"{self._beginning(definition, f'{name}_bucket', (bound,))}{count}\n"
        yield f"{self._beginning(definition, f'{name}_count', NO_LABELS)}{count}\n"
        yield from self._samples(definition, f"{name}_sum", samples)

    def _beginning(self, definition: Definition, name: str, labels: Labels) -> str:
        found = self._beginnings.get((name, labels))
        if found is None:
            names = [label for label, _ in definition.labels] or ["le"]
            own = ",".join(_pair(*pair) for pair in zip(names, labels, strict=False))
            every = f"{own},{self._common}" if own else self._common
            found = f"{_full_name(name)}{{{every}}} "
            self._beginnings[name, labels] = found
        return found


def _pair(label: str, value: str) -> str:
    return f'{label}="{value.translate(_ESCAPED)}"'


def _full_name(name: str) -> str:
    return name if name in _IN_PROCESS else f"{PREFIX}{name}"


def _head(definition: Definition, form: Format) -> str:
    """The lines with help and type. OpenMetrics names a counter and an info without its ending."""
    name, kind = _full_name(definition.name), definition.kind
    if form is Format.OPENMETRICS:
        name = name.removesuffix(_TOTAL) if kind is MetricKind.COUNTER else name
        name = name.removesuffix(_INFO) if kind is MetricKind.INFO else name
    elif kind is MetricKind.INFO:
        kind = MetricKind.GAUGE
    return f"# HELP {name} {definition.words}.\n# TYPE {name} {kind.value}\n"


_HEADS: Final = {(form, one.name): _head(one, form) for form in Format for one in METRICS}
