"""Shows metrics of tables with Prometheus's library: in a registry, and as the page of a table.

The page has the metrics of its table, then those of the process.

Source: prometheus_client, "Exporting"; Prometheus documentation, "Exposition formats".
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import TypeAlias
from urllib.parse import parse_qs

from prometheus_client import exposition
from prometheus_client.gc_collector import GCCollector
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector, CollectorRegistry

from controller.outlets.metrics.counts import NO_LABELS, Labels, Samples, bounds
from controller.outlets.metrics.definitions import (
    COMMON_LABELS,
    METRICS,
    PREFIX,
    Definition,
    MetricKind,
)
from controller.outlets.metrics.table_metrics import TableMetrics

# The values of the common labels of each table, with its samples.
Read: TypeAlias = Sequence[tuple[Labels, Samples]]
_NAMES = "name[]"
Encoder: TypeAlias = Callable[[Collector], bytes]


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


@cache
def process_registry() -> CollectorRegistry:
    """What the library says of this process and its Python; made once, whatever the tables."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


class LabelledCollector(Collector):
    """The families of another collector, each sample with these labels, too."""

    def __init__(self, collector: Collector, labels: Mapping[str, str]) -> None:
        self._collector = collector
        self._labels = labels

    def collect(self) -> Iterator[Metric]:
        """The other's families, copied: it may give the same ones again."""
        for family in self._collector.collect():
            labelled = Metric(family.name, family.documentation, family.type, family.unit)
            labelled.samples = [
                one._replace(labels={**one.labels, **self._labels}) for one in family.samples
            ]
            yield labelled

    def describe(self) -> Iterator[Metric]:
        """The same: reading a process changes nothing."""
        return self.collect()


class TablePage:
    """The page of one table. For one thread at a time."""

    def __init__(self, metrics: TableMetrics) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(TablesCollector([metrics]))
        # Every series has these labels, so that alarms hold where a list of targets has none.
        common = dict(zip(COMMON_LABELS, (metrics.table, metrics.pit), strict=True))
        self._registry.register(LabelledCollector(process_registry(), common))

    def render(self, accept: str = "", query: str = "") -> tuple[bytes, str]:
        """The page and its content type, as a request's Accept field and query ask for it."""
        encoder, content_type = _encoder(accept)
        names = parse_qs(query).get(_NAMES)
        if names is None:
            return encoder(self._registry), content_type
        return encoder(self._registry.restricted_registry(names)), content_type


def _encoder(accept: str) -> tuple[Encoder, str]:
    """The library's choice; where it fails at a field, its choice without one."""
    try:
        return exposition.choose_encoder(accept)
    except Exception:  # noqa: BLE001  # whatever a release raises at what a stranger wrote
        return exposition.choose_encoder("")
