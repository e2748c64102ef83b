"""The values of metrics: by the name of the sample, then by the values of its labels.

A histogram is counted in buckets of its own, each by its upper bound; it is added up where it is
shown (collector).
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Final, TypeAlias

from controller.outlets.metrics.definitions import BY_NAME, Definition, MetricKind

NS_PER_S: Final = 1_000_000_000
INFINITY: Final = "+Inf"
Labels: TypeAlias = tuple[str, ...]
# A sample that is not there has no entry; one without labels has the entry ().
Samples: TypeAlias = dict[str, dict[Labels, float]]
NO_LABELS: Final[Labels] = ()


def bounds(definition: Definition) -> tuple[str, ...]:
    """The upper bounds of a histogram's buckets, in their canonical form."""
    return (*(str(float(one)) for one in definition.buckets), INFINITY)


_BOUNDS: Final = {
    one.name: bounds(one) for one in BY_NAME.values() if one.kind is MetricKind.HISTOGRAM
}


def sample_names(definition: Definition) -> tuple[str, ...]:
    """The names of a metric's samples as they are kept here."""
    match definition.kind:
        case MetricKind.HISTOGRAM:
            return f"{definition.name}_bucket", f"{definition.name}_sum"
        case MetricKind.SUMMARY:
            return f"{definition.name}_count", f"{definition.name}_sum"
        case _:
            return (definition.name,)


def zeros(definition: Definition, **configured: Iterable[str]) -> Samples:
    """A sample of 0 for each combination of label values; `configured` are those not closed."""
    every = [configured.get(label, values) for label, values in definition.labels]
    labels: list[Labels] = list(product(*every))
    found: Samples = {name: dict.fromkeys(labels, 0) for name in sample_names(definition)}
    if definition.kind is MetricKind.HISTOGRAM:
        buckets = [(bound,) for bound in _BOUNDS[definition.name]]
        found[f"{definition.name}_bucket"] = dict.fromkeys(buckets, 0)
    return found


def observe(samples: Samples, name: str, seconds: float) -> None:
    """Count a time in a histogram."""
    definition = BY_NAME[name]
    bound = _BOUNDS[name][bisect_left(definition.buckets, seconds)]
    samples[f"{name}_bucket"][(bound,)] += 1
    samples[f"{name}_sum"][NO_LABELS] += seconds


def add_time(samples: Samples, name: str, seconds: float, *labels: str) -> None:
    """Count a time in a summary."""
    samples[f"{name}_count"][labels] += 1
    samples[f"{name}_sum"][labels] += seconds


def states(current: str, values: Iterable[str], *before: str) -> Mapping[Labels, float]:
    """A sample for each state: 1 for the current one. `before` are the labels before the state."""
    return {(*before, one): int(one == current) for one in values}


def seconds_of(ns: int) -> float:
    """A duration; 0 for a negative one, where the clock was set."""
    return max(0, ns) / NS_PER_S
