"""Shows the metrics of tables to Prometheus's library: each family once, with the samples of all.

Not: what follows of the process (page).
Source: prometheus_client, "Custom Collectors".
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias

from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from controller.outlets.metrics.definitions import (
    COMMON_LABELS,
    METRICS,
    PREFIX,
    Definition,
    MetricKind,
)
from controller.outlets.metrics.samples import NO_LABELS, Labels, Samples, bounds
from controller.outlets.metrics.table_metrics import TableMetrics

# The values of the common labels of each table, with its samples.
Read: TypeAlias = Sequence[tuple[Labels, Samples]]


class TablesCollector(Collector):
    """The metrics of these tables, for one registry. A table's own page has one for it alone."""

    def __init__(self, tables: Iterable[TableMetrics]) -> None:
        self._tables = tuple(tables)

    def describe(self) -> Iterator[Metric]:
        """Every family, without samples: a registry asks for the names, and no table is read."""
        return (_family(one, ()) for one in METRICS)

    def collect(self) -> Iterator[Metric]:
        """The families that have samples now."""
        read = [((one.table, one.pit), one.samples()) for one in self._tables]
        for definition in METRICS:
            family = _family(definition, read)
            if family.samples:
                yield family


def _family(definition: Definition, read: Read) -> Metric:
    """A family with its samples of all tables, those of a table together (OpenMetrics)."""
    name, words = f"{PREFIX}{definition.name}", f"{definition.words}."
    labels = (*(label for label, _ in definition.labels), *COMMON_LABELS)
    match definition.kind:
        case MetricKind.COUNTER:
            counter = CounterMetricFamily(name, words, labels=labels)
            for values, value in _values(definition.name, read):
                counter.add_metric(values, value)
            return counter
        case MetricKind.GAUGE:
            gauge = GaugeMetricFamily(name, words, labels=labels)
            for values, value in _values(definition.name, read):
                gauge.add_metric(values, value)
            return gauge
        case MetricKind.INFO:
            info = InfoMetricFamily(name.removesuffix("_info"), words, labels=labels)
            for values, _ in _values(definition.name, read):
                info.add_metric(values, {})
            return info
        case MetricKind.SUMMARY:
            summary = SummaryMetricFamily(name, words, labels=labels)
            totals = dict(_values(f"{definition.name}_sum", read))
            for values, count in _values(f"{definition.name}_count", read):
                summary.add_metric(values, int(count), totals[values])
            return summary
        case MetricKind.HISTOGRAM:
            return _histogram(definition, HistogramMetricFamily(name, words, labels=labels), read)


def _values(name: str, read: Read) -> Iterator[tuple[Labels, float]]:
    """The samples of this name with the values of all their labels."""
    for common, samples in read:
        for own, value in samples.get(name, {}).items():
            yield (*own, *common), value


def _histogram(definition: Definition, family: HistogramMetricFamily, read: Read) -> Metric:
    """Its buckets are counted each by itself, and added up as the formats want them."""
    for common, samples in read:
        buckets = samples.get(f"{definition.name}_bucket")
        if buckets is not None:
            every = bounds(definition)
            counts = accumulate(buckets[(bound,)] for bound in every)
            total = samples[f"{definition.name}_sum"][NO_LABELS]
            family.add_metric(common, tuple(zip(every, counts, strict=True)), total)
    return family
