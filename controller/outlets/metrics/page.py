"""Writes the page of a table with Prometheus's library: its metrics, then those of the process.

Source: prometheus_client, "Exporting"; Prometheus documentation, "Exposition formats".
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TypeAlias
from urllib.parse import parse_qs

from prometheus_client import exposition
from prometheus_client.gc_collector import GCCollector
from prometheus_client.metrics_core import Metric
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector, CollectorRegistry

from controller.outlets.metrics.collector import TablesCollector
from controller.outlets.metrics.definitions import COMMON_LABELS
from controller.outlets.metrics.table_metrics import TableMetrics

_NAMES = "name[]"
Encoder: TypeAlias = Callable[[Collector], bytes]


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
